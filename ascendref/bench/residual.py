"""A residual block of a network, forward and backward, with PyTorch's own kernels and with ours.

The block is ResNet's with PReLU: two convolutions, and the input is added to the output. The
convolutions take most of the time on both sides, so the activations are also timed alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from ..core.threads import num_threads
from .timing import Timing, take_turns

#: batch, channels, height and width
SHAPE: Final = (32, 64, 56, 56)
QUICK_SHAPE: Final = (2, 64, 56, 56)
#: element types and memory formats that are timed, and parts of the block
KINDS: Final = ("float32", "bfloat16")
FORMATS: Final = ("contiguous", "channels_last")
PARTS: Final = ("block", "activation")


class ResidualRow(NamedTuple):
    """Seconds of one part, forward and backward."""

    part: str
    kind: str
    format: str
    shape: tuple[int, ...]
    threads: int
    ours: Timing
    torch: Timing

    @property
    def ratio(self) -> float:
        """PyTorch's time as a multiple of ours."""
        return self.torch.seconds / self.ours.seconds


def residual_rows(shape: tuple[int, ...], threads: int, budget: float) -> Iterator[ResidualRow]:
    """Measure every part, type and memory format, with PyTorch, which must be installed.

    Parameters
    ----------
    shape : tuple of int
        Batch, channels, height and width.
    threads : int
        Threads of both sides.
    budget : float
        Seconds for each.
    """
    for part in PARTS:
        for kind in KINDS:
            for memory_format in FORMATS:
                yield measure_residual(part, kind, memory_format, shape, threads, budget)


def measure_residual(
    part: str, kind: str, memory_format: str, shape: tuple[int, ...], threads: int, budget: float
) -> ResidualRow:
    """Measure one part, with the parameters of `residual_rows`."""
    import torch

    from ..torch import use

    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    step = _step(part, kind, memory_format, shape)

    def overridden() -> None:
        with use("prelu"):
            step()

    overridden()  # compiles
    step()
    try:
        with num_threads(threads):
            ours, theirs = take_turns([overridden, step], budget)
    finally:
        torch.set_num_threads(before)
    return ResidualRow(part, kind, memory_format, shape, threads, ours, theirs)


def _step(part: str, kind: str, memory_format: str, shape: tuple[int, ...]) -> Any:
    """Return a call that goes forward and backward once."""
    import torch
    from torch import nn

    torch.manual_seed(7)
    channels = shape[1]
    options: Any = {"dtype": getattr(torch, kind)}
    layout = {"contiguous": torch.contiguous_format, "channels_last": torch.channels_last}[
        memory_format
    ]

    def convolution() -> Any:
        return nn.Conv2d(channels, channels, 3, padding=1, bias=False, **options)

    activations = nn.ModuleList([nn.PReLU(channels, **options) for _ in range(2)])
    convolutions = nn.ModuleList([convolution() for _ in range(2 if part == "block" else 0)])
    convolutions.to(memory_format=layout)
    x = torch.randn(shape, **options).to(memory_format=layout).requires_grad_()
    seed = torch.randn(shape, **options).to(memory_format=layout)
    parameters = [x, *activations.parameters(), *convolutions.parameters()]

    def block() -> None:
        inner = activations[0](convolutions[0](x))
        result = activations[1](convolutions[1](inner) + x)
        torch.autograd.grad(result, parameters, seed)

    def activation() -> None:
        torch.autograd.grad(activations[0](x), parameters[:2], seed)

    return block if part == "block" else activation
