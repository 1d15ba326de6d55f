"""PyTorch's own functions and modules with ascendref's kernels; the extra ``torch`` brings PyTorch."""

from __future__ import annotations

from .overrides import OperatorStatistics, disable, enable, statistics, use

__all__ = [
    "OperatorStatistics",
    "disable",
    "enable",
    "statistics",
    "use",
]
