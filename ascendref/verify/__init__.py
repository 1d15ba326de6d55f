"""Accuracy: comparing arrays, and what `ascendref verify` and `ascendref study` measure."""

from __future__ import annotations

from .comparison.acceptance import assert_accepted
from .comparison.errors import Comparison, Worst, compare
from .comparison.ulp import ulp_distance

__all__ = ["Comparison", "Worst", "assert_accepted", "compare", "ulp_distance"]
