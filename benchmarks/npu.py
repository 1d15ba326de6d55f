"""The time that calls of the five operators take through torch_npu, beside PyTorch's on the CPU.

    python -m benchmarks.npu [--turns N]

Needs the extra ``npu``. Each figure is the least of all turns, in which the two sides take turns.
"""

import argparse
from collections.abc import Callable
from importlib import import_module
from time import perf_counter
from typing import Any

#: name -> call of an operator of ``torch.ops.aten`` on gradient, data and a weight
CALLS: dict[str, Callable[..., object]] = {
    "hardshrink_backward": lambda aten, g, x, w: aten.hardshrink_backward(g, x, 0.5),
    "softplus_backward": lambda aten, g, x, w: aten.softplus_backward(g, x, 1, 20),
    "_prelu_kernel_backward": lambda aten, g, x, w: aten._prelu_kernel_backward(g, x, w),
    "smooth_l1_loss_backward": lambda aten, g, x, w: aten.smooth_l1_loss_backward(g, x, g, 0, 1.0),
    "logit_backward": lambda aten, g, x, w: aten.logit_backward(g, x, 0.1),
    "add (fallback)": lambda aten, g, x, w: aten.add(g, x),
    "mul_ (fallback)": lambda aten, g, x, w: aten.mul_(g, 1),
}
_CALLS_PER_TURN = 20


def seconds(torch: Any, call: Callable[..., object], tensors: list[Any]) -> float:
    """Return the time per call of a turn, with the wait for its end."""
    start = perf_counter()
    for _ in range(_CALLS_PER_TURN):
        call(torch.ops.aten, *tensors)
    torch.npu.synchronize()
    return (perf_counter() - start) / _CALLS_PER_TURN


def main() -> None:
    """Print a row for each operator."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=50)
    turns = parser.parse_args().turns
    import_module("ascendref.npu")  # before torch; other benchmarks do without torch_npu
    torch = import_module("torch")
    host = [torch.randn(1000), torch.randn(1000), torch.rand(1)]
    device = [tensor.npu() for tensor in host]
    print(f"{'operator':<26}{'torch_npu':>12}{'CPU':>10}{'ratio':>8}")
    for name, call in CALLS.items():
        for side in (host, device):
            seconds(torch, call, side)  # compiles
        times = [(seconds(torch, call, device), seconds(torch, call, host)) for _ in range(turns)]
        ours, peer = (1e6 * min(side) for side in zip(*times, strict=True))
        print(f"{name:<26}{ours:9.1f} µs{peer:7.1f} µs{ours / peer:8.1f}")


if __name__ == "__main__":
    main()
