"""How far results are from what they should be."""

from __future__ import annotations

from .ulp import ulp_distance

__all__ = ["ulp_distance"]
