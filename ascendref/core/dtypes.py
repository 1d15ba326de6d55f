"""Element types: names, the vendor's numbers, NumPy types, promotion."""

from __future__ import annotations

import sys
from enum import IntEnum
from functools import cache
from typing import Any, Final, NamedTuple, Protocol, TypeGuard

import ml_dtypes
import numpy as np

from .errors import ArgumentTypeError, shown


class TorchDType(Protocol):
    """A ``torch.dtype``."""

    @property
    def is_floating_point(self) -> bool: ...


#: an element type: a name or number of the vendor's ``aclDataType``, or a type of NumPy,
#: ``ml_dtypes``, torch or JAX
DTypeLike = str | int | np.dtype[Any] | type[Any] | TorchDType


class ElementType(NamedTuple):
    """An element type that operators take."""

    #: name of the NumPy (or ml_dtypes) type
    name: str
    #: value of the vendor's ``aclDataType``
    acl_number: int
    #: NumPy type of an array that holds such elements
    numpy: np.dtype[Any]
    #: NumPy type with the same bytes that Numba understands
    storage: np.dtype[Any]
    #: True for floating-point types
    floating: bool


def _element_type(number: int, kind: type[Any], storage: type[Any] | None = None) -> ElementType:
    dtype = np.dtype(kind)
    return ElementType(dtype.name, number, dtype, np.dtype(storage or kind), "float" in dtype.name)


#: every element type, by name
ELEMENT_TYPES: Final = {
    row.name: row
    for row in (
        _element_type(0, np.float32),
        _element_type(1, np.float16, np.uint16),
        _element_type(2, np.int8),
        _element_type(3, np.int32),
        _element_type(4, np.uint8),
        _element_type(6, np.int16),
        _element_type(9, np.int64),
        _element_type(11, np.float64),
        _element_type(12, np.bool_, np.uint8),
        _element_type(27, ml_dtypes.bfloat16, np.uint16),
    )
}
#: the same, by NumPy type
BY_NUMPY: Final = {row.numpy: row for row in ELEMENT_TYPES.values()}

#: other names of floating-point types, in any case
ALIASES: Final = {
    "bf16": "bfloat16", "fp16": "float16", "half": "float16", "fp32": "float32", "fp64": "float64",
    "double": "float64",
}  # fmt: skip

FLOAT16: Final = ELEMENT_TYPES["float16"]
BFLOAT16: Final = ELEMENT_TYPES["bfloat16"]
FLOAT32: Final = ELEMENT_TYPES["float32"]
FLOAT64: Final = ELEMENT_TYPES["float64"]

#: the floating-point types, narrow to wide
FLOATS: Final = (FLOAT16, BFLOAT16, FLOAT32, FLOAT64)
#: the integer types and BOOL
INTEGERS: Final = tuple(row for row in ELEMENT_TYPES.values() if not row.floating)


def floats_and(*integers: str) -> tuple[ElementType, ...]:
    """Return the floating-point types and some others, by name."""
    return FLOATS + tuple([ELEMENT_TYPES[name] for name in integers])


class FloatFormat(NamedTuple):
    """Limits of a floating-point type, as float64 numbers."""

    #: bits of the significand after the point
    fraction: int
    #: smallest positive number, a subnormal one
    smallest: float
    #: smallest normal number
    normal: float
    #: largest finite number
    largest: float
    #: the power of two after the largest number; infinity for F64
    beyond: float


@cache
def float_format(kind: ElementType) -> FloatFormat:
    """Return the limits of a floating-point type."""
    form: Any = ml_dtypes.finfo(kind.numpy)  # type: ignore[no-untyped-call]
    largest = float(form.max)
    return FloatFormat(
        int(form.nmant),
        float(form.smallest_subnormal),
        float(form.smallest_normal),
        largest,
        largest + 2.0 ** int(form.maxexp - 1 - form.nmant),
    )


def promote(*types: ElementType) -> ElementType:
    """Return the type to which operands of several types are promoted.

    F64 wins over everything, F16 with BF16 gives F32, half precision with F32 gives F32, and
    integers and BOOL do not count. Without a float, all types must be the same.
    """
    floats = {row for row in types if row.floating} or set(types)
    if len(floats) == 1:
        return floats.pop()
    return FLOAT64 if FLOAT64 in floats else FLOAT32


def names(types: tuple[ElementType, ...]) -> str:
    """Return the names of several types for a message."""
    return ", ".join(row.name for row in types)


_RAW: Final = np.dtype("V2")


def raw_bytes_hint(dtype: object) -> str:
    """Return how to read elements of two raw bytes, as which NumPy loads BF16 from a file."""
    if not issubclass(type(dtype), np.dtype) or dtype != _RAW:
        return ""
    return "; NumPy loads BF16 from files as V2: pass array.view(ml_dtypes.bfloat16)"


def is_integer(value: object) -> TypeGuard[int]:
    """Tell whether a value is an integer of Python or NumPy; ``np.timedelta64`` does not count."""
    return isinstance(value, int | np.integer) and not isinstance(value, np.timedelta64)


class DataType(IntEnum):
    """The vendor's ``aclDataType``: all element types of tensor descriptions.

    Examples
    --------
    >>> from ascendref.core.dtypes import DataType
    >>> DataType.of("bfloat16").name, DataType.of(27).numpy.name, DataType.ACL_INT4.nbytes
    ('ACL_BF16', 'bfloat16', 1)
    """

    #: that of the enumerations is written in Python; keys of plans contain types
    __hash__ = int.__hash__

    ACL_DT_UNDEFINED = -1
    ACL_FLOAT = 0
    ACL_FLOAT16 = 1
    ACL_INT8 = 2
    ACL_INT32 = 3
    ACL_UINT8 = 4
    ACL_INT16 = 6
    ACL_UINT16 = 7
    ACL_UINT32 = 8
    ACL_INT64 = 9
    ACL_UINT64 = 10
    ACL_DOUBLE = 11
    ACL_BOOL = 12
    ACL_STRING = 13
    ACL_COMPLEX64 = 16
    ACL_COMPLEX128 = 17
    ACL_BF16 = 27
    ACL_INT4 = 29
    ACL_UINT1 = 30
    ACL_COMPLEX32 = 33
    ACL_HIFLOAT8 = 34
    ACL_FLOAT8_E5M2 = 35
    ACL_FLOAT8_E4M3FN = 36
    ACL_FLOAT8_E8M0 = 37
    ACL_FLOAT6_E3M2 = 38
    ACL_FLOAT6_E2M3 = 39
    ACL_FLOAT4_E2M1 = 40
    ACL_FLOAT4_E1M2 = 41

    @property
    def numpy(self) -> np.dtype[Any]:
        """The matching NumPy type; raw bytes (``void``) where NumPy has none."""
        dtype = _NUMPY.get(self)
        return np.dtype((np.void, _RAW_BYTES.get(self, 8))) if dtype is None else dtype

    @property
    def nbytes(self) -> int:
        """Bytes of an element as ``aclDataTypeSize`` reports them: 8 for types it does not know."""
        return self.numpy.itemsize

    @property
    def bits(self) -> int:
        """Bits of an element in memory; several narrow ones share a byte."""
        return _BITS[self]

    @classmethod
    def of(cls, value: Any) -> DataType:
        """Return the type for a vendor's number or name, or for a NumPy type or its name.

        A torch type means the NumPy type of the same name.

        Raises
        ------
        ArgumentTypeError
            If no type matches.
        """
        cause = None
        try:
            if isinstance(value, getattr(sys.modules.get("torch"), "dtype", ())):
                value = str(value).removeprefix("torch.")
            if is_integer(value) and not isinstance(value, bool):
                return cls(int(value))
            if isinstance(value, str) and (found := cls._from_name(value)) is not None:
                return found
            if isinstance(value, str):
                value = ALIASES.get(value.casefold(), value)
            if value is not None:  # NumPy reads None as float64
                return _FROM_NUMPY[np.dtype(value)]
        except Exception as error:  # NumPy may parse names as Python and call the object
            cause = error
        raise ArgumentTypeError(
            "dtype",
            f"is {shown(value)}; a NumPy, ml_dtypes or torch type in native byte order, or a name"
            f" or number of aclDataType is expected{raw_bytes_hint(value)}",
        ) from cause

    @classmethod
    def _from_name(cls, name: str) -> DataType | None:
        members = cls.__members__
        return members.get(name, members.get(f"ACL_{name}"))


#: the element types that operators take, by the vendor's type
BY_DATA_TYPE: Final = {DataType(row.acl_number): row for row in ELEMENT_TYPES.values()}
_NUMPY: Final[dict[DataType, np.dtype[Any]]] = {
    **{kind: row.numpy for kind, row in BY_DATA_TYPE.items()},
    DataType.ACL_UINT16: np.dtype(np.uint16),
    DataType.ACL_UINT32: np.dtype(np.uint32),
    DataType.ACL_UINT64: np.dtype(np.uint64),
    DataType.ACL_COMPLEX64: np.dtype(np.complex64),
    DataType.ACL_COMPLEX128: np.dtype(np.complex128),
    DataType.ACL_FLOAT8_E5M2: np.dtype(ml_dtypes.float8_e5m2),
    DataType.ACL_FLOAT8_E4M3FN: np.dtype(ml_dtypes.float8_e4m3fn),
    DataType.ACL_FLOAT8_E8M0: np.dtype(ml_dtypes.float8_e8m0fnu),
}
_FROM_NUMPY: Final = {dtype: kind for kind, dtype in _NUMPY.items()}
#: sizes of types missing in NumPy; the vendor reports 8 for those that are not listed here
_RAW_BYTES: Final = {
    DataType.ACL_DT_UNDEFINED: 0,
    DataType.ACL_STRING: 0,
    DataType.ACL_INT4: 1,
    DataType.ACL_UINT1: 1,
    DataType.ACL_COMPLEX32: 4,
    DataType.ACL_HIFLOAT8: 1,
}
_BITS: Final = {kind: 8 * kind.nbytes for kind in DataType} | {
    DataType.ACL_INT4: 4,
    DataType.ACL_UINT1: 1,
    DataType.ACL_FLOAT4_E2M1: 4,
    DataType.ACL_FLOAT4_E1M2: 4,
}


#: compute types in which results narrower than F64 are rounded once, to the type of ``out``
ROUNDED_ONCE: Final = ("float64", "exact")
FLOAT32_STEPS: Final = "float32-steps"
#: compute types in which every operation of a formula is rounded -> the type it is rounded to
STEPS: Final = {"float16": "float16", "bfloat16": "bfloat16", FLOAT32_STEPS: "float32"}
#: compute types that are not the names of types
_OTHER_COMPUTE_TYPES: Final = ("exact", FLOAT32_STEPS)


def compute_type_of(value: object) -> str:
    """Return the name of a compute type, given as ``compute_dtype`` by name or as a dtype."""
    if type(value) is str and value in _OTHER_COMPUTE_TYPES:
        return value
    return floating_type("compute_dtype", value, f"None, {', '.join(_OTHER_COMPUTE_TYPES)}, ").name


def floating_type(argument: str, value: object, also: str = "") -> ElementType:
    """Return the floating-point type that an argument names, in any form that `DataType.of` takes.

    Otherwise raise ArgumentTypeError, which says what ``also`` is allowed.
    """
    cause = None
    try:
        row = BY_DATA_TYPE.get(DataType.of(value))
        if row in FLOATS:
            return row
    except ArgumentTypeError as error:
        cause = error.__cause__
    raise ArgumentTypeError(
        argument, f"is {shown(value)}; allowed are {also}{names(FLOATS)}"
    ) from cause
