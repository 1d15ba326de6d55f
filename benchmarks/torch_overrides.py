"""PyTorch with ascendref's kernels beside PyTorch alone: ratios within one run."""

from __future__ import annotations

import ascendref as ar
from ascendref.bench.residual import FORMATS, KINDS, PARTS, SHAPE, measure_residual
from ascendref.bench.timing import take_turns

#: seconds for a ratio
BUDGET = 5.0


class Residual:
    """A residual block, forward and backward."""

    params = (list(PARTS), list(KINDS), list(FORMATS))
    param_names = ("part", "type", "memory format")
    unit = "ratio"
    timeout = 300

    def setup(self, part: str, kind: str, memory_format: str) -> None:
        """Leave all out without PyTorch."""
        try:
            import torch  # noqa: F401
        except ImportError:
            raise NotImplementedError from None

    def track_torch(self, part: str, kind: str, memory_format: str) -> float:
        """PyTorch's time as a multiple of the time with PReLU's gradient from ascendref."""
        threads = ar.get_num_threads()
        return measure_residual(part, kind, memory_format, SHAPE, threads, BUDGET).ratio


class SmallCalls:
    """Calls with 16 elements, relative to PyTorch's own call."""

    unit = "of PyTorch's time"

    def setup(self) -> None:
        """Make tensors, and compile."""
        try:
            import torch
        except ImportError:
            raise NotImplementedError from None
        from ascendref.torch import use

        x = torch.linspace(-1, 1, 16)
        out = torch.empty_like(x)
        self.use = use
        self.torch = lambda: torch.ops.aten.hardshrink_backward(x, x, 0.5)
        self.array_function = lambda: ar.hardshrink_backward(x, x, 0.5, out=out)
        self.array_function()

    def track_override(self) -> float:
        """The override of hardshrink's gradient; the sides cannot take turns within a turn."""
        ratios = []
        for _ in range(20):
            (theirs,) = take_turns([self.torch], 0.02)
            with self.use("hardshrink"):
                (ours,) = take_turns([self.torch], 0.02)
            ratios.append((ours.seconds, theirs.seconds))
        return min(ours for ours, _ in ratios) / min(theirs for _, theirs in ratios)

    def track_array_function(self) -> float:
        """The array function with ``out=``."""
        ours, theirs = take_turns([self.array_function, self.torch], 0.5)
        return ours.seconds / theirs.seconds
