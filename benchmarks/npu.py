"""The time that calls and steps of networks take through torch_npu, beside PyTorch's on the CPU.

    python -m benchmarks.npu [--turns N]

Needs the extra ``npu``. The two sides take turns. A figure of a call is the least of all turns, one
of a training step the median; its ratio is the median of the turns' ratios.
"""

import argparse
from collections.abc import Callable
from copy import deepcopy
from importlib import import_module
from statistics import median
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


def networks(torch: Any) -> dict[str, tuple[Any, Any, Any]]:
    """Return networks by name, each with data and classes."""
    nn = torch.nn
    layer = nn.TransformerEncoderLayer(128, 4, 256, batch_first=True)
    return {
        "MLP": (
            nn.Sequential(
                *(nn.Linear(64, 512), nn.ReLU(), nn.Linear(512, 512), nn.Tanh()),
                nn.Linear(512, 10),
            ),
            torch.randn(128, 64),
            torch.randint(10, (128,)),
        ),
        "convolutions": (
            nn.Sequential(
                *(nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.PReLU(), nn.MaxPool2d(2)),
                *(nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.Flatten()),
                nn.Linear(32 * 7 * 7, 10),
            ),
            torch.randn(64, 1, 14, 14),
            torch.randint(10, (64,)),
        ),
        "attention": (
            nn.Sequential(
                *(nn.Embedding(100, 128), nn.TransformerEncoder(layer, 2)),
                *(nn.Linear(128, 100), nn.Flatten(0, 1)),
            ),
            torch.randint(100, (16, 64)),
            torch.randint(100, (16 * 64,)),
        ),
    }


def training(torch: Any, model: Any, data: Any, classes: Any) -> Callable[..., None]:
    """Return a step of training."""
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)

    def step(*_: object) -> None:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(data), classes).backward()
        optimizer.step()

    return step


def main() -> None:
    """Print a row for each operator and each network."""
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
    for name, (model, *given) in networks(torch).items():
        there = (deepcopy(model).npu(), *[tensor.npu() for tensor in given])
        steps = [training(torch, *there), training(torch, model, *given)]
        for step in steps:
            seconds(torch, step, [])
        pairs = [[1e3 * seconds(torch, step, []) for step in steps] for _ in range(-(-turns // 5))]
        ours, peer = (median(side) for side in zip(*pairs, strict=True))
        ratio = median(one / other for one, other in pairs)
        print(f"{name:<26}{ours:9.2f} ms{peer:7.2f} ms{ratio:8.2f}")


if __name__ == "__main__":
    main()
