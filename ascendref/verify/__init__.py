"""Accuracy: comparing arrays, and what `ascendref verify` and `ascendref study` measure."""

from typing import Final

from .comparison.acceptance import assert_accepted
from .comparison.errors import Comparison, Worst, compare
from .comparison.ulp import ulp_distance

__all__ = ["SAMPLED", "Comparison", "Worst", "assert_accepted", "compare", "ulp_distance"]

#: pairs of a datum and a gradient in a sample, if no number is given
SAMPLED: Final = 1 << 20
