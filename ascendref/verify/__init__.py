"""How far results are from what they should be."""

from __future__ import annotations

from .acceptance import assert_accepted
from .comparison import Comparison, Worst, compare
from .ulp import ulp_distance

__all__ = ["Comparison", "Worst", "assert_accepted", "compare", "ulp_distance"]
