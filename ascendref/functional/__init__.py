"""The common part of array functions: checks, the cache of checked calls, and `cast`."""

from __future__ import annotations

from ..core.arrays import ArrayT
from ..core.dtypes import DTypeLike
from .call import array_call
from .docstrings import documented

__all__ = ["ArrayT", "DTypeLike", "array_call", "documented"]
