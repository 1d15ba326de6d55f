"""The backward pass runs on the thread that calls it, and emulated operators in TBB's threads."""

import threading
from importlib.metadata import PackageNotFoundError, version

import numba
import torch

threads = []


class Note(torch.autograd.Function):
    """The identity; notes the thread of its gradient."""

    @staticmethod
    def forward(context, x):
        return x.clone()

    @staticmethod
    def backward(context, grad):
        threads.append(threading.current_thread())
        return grad


x = torch.randn(1 << 20, device="npu", requires_grad=True)
torch.relu(Note.apply(x)).sum().backward()
assert threads == [threading.current_thread()]
assert torch.equal(x.grad, (x > 0).float())
try:
    version("tbb")
except PackageNotFoundError:  # on processors without it
    pass
else:
    assert numba.threading_layer() == "tbb"
