"""The element types: vendor number, NumPy type, promotion."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import ml_dtypes
import numpy as np


class ElementType(NamedTuple):
    """One element type of the vendor's ``aclDataType``."""

    #: name of the NumPy (or ml_dtypes) type
    name: str
    #: name in the vendor's headers
    acl_name: str
    #: value in the vendor's headers
    acl_number: int
    #: NumPy type of an array that holds such elements
    numpy: np.dtype[Any]
    #: NumPy type with the same bytes that Numba understands
    storage: np.dtype[Any]
    #: True for floating-point types
    floating: bool


def _table() -> dict[str, ElementType]:
    rows: list[tuple[str, str, int, Any, Any]] = [
        ("float32", "ACL_FLOAT", 0, np.float32, np.float32),
        ("float16", "ACL_FLOAT16", 1, np.float16, np.uint16),
        ("int8", "ACL_INT8", 2, np.int8, np.int8),
        ("int32", "ACL_INT32", 3, np.int32, np.int32),
        ("uint8", "ACL_UINT8", 4, np.uint8, np.uint8),
        ("int16", "ACL_INT16", 6, np.int16, np.int16),
        ("int64", "ACL_INT64", 9, np.int64, np.int64),
        ("float64", "ACL_DOUBLE", 11, np.float64, np.float64),
        ("bool", "ACL_BOOL", 12, np.bool_, np.uint8),
        ("bfloat16", "ACL_BF16", 27, ml_dtypes.bfloat16, np.uint16),
    ]
    return {
        name: ElementType(name, acl, number, np.dtype(kind), np.dtype(raw), "float" in name)
        for name, acl, number, kind, raw in rows
    }


#: every element type, by name
ELEMENT_TYPES: Final = _table()
#: the same rows, by NumPy type
BY_NUMPY: Final = {row.numpy: row for row in ELEMENT_TYPES.values()}

FLOAT16: Final = ELEMENT_TYPES["float16"]
BFLOAT16: Final = ELEMENT_TYPES["bfloat16"]
FLOAT32: Final = ELEMENT_TYPES["float32"]
FLOAT64: Final = ELEMENT_TYPES["float64"]

#: the floating-point types, narrow to wide
FLOATS: Final = (FLOAT16, BFLOAT16, FLOAT32, FLOAT64)
#: the integer types and BOOL
INTEGERS: Final = tuple(row for row in ELEMENT_TYPES.values() if not row.floating)


def promote(*types: ElementType) -> ElementType:
    """Return the type in which operands of several types meet.

    At least one type must be floating. F64 wins over everything, F16 with BF16 gives F32, half
    precision with F32 gives F32, and an integer or BOOL takes the type of the floats.

    Examples
    --------
    >>> from ascendref.dtypes import BFLOAT16, ELEMENT_TYPES, FLOAT16, promote
    >>> promote(FLOAT16, BFLOAT16).name, promote(FLOAT16, ELEMENT_TYPES["int64"]).name
    ('float32', 'float16')
    """
    floats = {row for row in types if row.floating}
    if len(floats) == 1:
        return floats.pop()
    return FLOAT64 if FLOAT64 in floats else FLOAT32


def names(types: tuple[ElementType, ...]) -> str:
    """Return the names of several types for a message."""
    return ", ".join(row.name for row in types)
