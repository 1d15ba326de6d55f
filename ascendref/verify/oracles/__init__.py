"""The fast and the exact oracle, and the parts of operators' references.

They share no code with the kernels.
"""

from __future__ import annotations

from .exact import Enclosure, Factor, exactly, exponential
from .factors import put, put_quotient, put_zero, two_product, two_sum
from .formats import Doubles
from .jit import compiled
from .reference import Example, Reference, Setting, TorchOperator
from .rounding import Arithmetic

__all__ = [
    "Arithmetic",
    "Doubles",
    "Enclosure",
    "Example",
    "Factor",
    "Reference",
    "Setting",
    "TorchOperator",
    "compiled",
    "exactly",
    "exponential",
    "put",
    "put_quotient",
    "put_zero",
    "two_product",
    "two_sum",
]
