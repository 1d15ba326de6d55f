"""Tensors that are passed to a spawned process, and back."""

import torch
import torch_npu  # noqa: F401


def work(given, answers):
    """Write to a tensor of the parent, and send a new one."""
    tensor = given.get()
    tensor.mul_(3)
    made = torch.nn.functional.relu(tensor - 4)
    torch.npu.synchronize()
    answers.put(made)
    assert given.get() == "read"


if __name__ == "__main__":
    context = torch.multiprocessing.get_context("spawn")
    given, answers = context.Queue(), context.Queue()
    process = context.Process(target=work, args=(given, answers))
    process.start()
    x = torch.arange(3.0).npu()
    torch.npu.synchronize()
    given.put(x)
    y = answers.get()
    assert x.tolist() == [0, 3, 6]
    assert y.device == x.device
    assert (y + 1).tolist() == [1, 1, 3]
    del y
    given.put("read")
    process.join()
    assert process.exitcode == 0
