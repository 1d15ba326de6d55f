"""Scalars: numbers with an element type, as arguments of operators."""

from __future__ import annotations

import numbers
from contextlib import suppress
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..core.arrays import import_array
from ..core.dtypes import DataType
from ..core.errors import ArgumentTypeError, fail, fail_argument, shown
from ..core.status import Status

_NOT_SCALAR: Final = (
    DataType.ACL_DT_UNDEFINED, DataType.ACL_STRING, DataType.ACL_INT4, DataType.ACL_UINT1,
    DataType.ACL_COMPLEX32,
)  # fmt: skip


class Scalar:
    """A number with an element type.

    Parameters
    ----------
    value : number
        The number, rounded to the type. An integer type accepts only integers in its range.
    dtype : dtype, str or int
        A NumPy or ml_dtypes type, or a name or number of ``aclDataType``. HIFLOAT8 and the 4-bit
        and 6-bit types, which NumPy does not have, store the value as a double.

    Raises
    ------
    AclError
        161001 if the value is None; 161002 for a type that scalars cannot have (STRING, INT4,
        UINT1, COMPLEX32, UNDEFINED) or a number outside the range of an integer type.
    ArgumentTypeError
        If the value is not a number.

    Attributes
    ----------
    value : NumPy scalar
        The number in this type.
    data_type : DataType
        The type.

    Examples
    --------
    >>> float(ar.Scalar(0.1, "float16").value)
    0.0999755859375
    """

    __slots__ = ("data_type", "value")

    def __init__(self, value: object, dtype: DTypeLike | int) -> None:
        if value is None:
            fail(Status.ACLNN_ERR_PARAM_NULLPTR, "value is None; a number is expected")
        self.data_type = DataType.of(dtype)
        if self.data_type in _NOT_SCALAR:
            allowed = ", ".join(kind.name for kind in DataType if kind not in _NOT_SCALAR)
            problem = f"dtype is {self.data_type.name}; a scalar can be {allowed}"
            fail(Status.ACLNN_ERR_PARAM_INVALID, problem)
        kind = self.data_type.numpy
        self.value = _convert(value, np.dtype(np.float64) if kind.type is np.void else kind)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy type; raw bytes for the vendor's types that NumPy does not have."""
        return self.data_type.numpy

    def __reduce__(self) -> tuple[type[Scalar], tuple[Any, DataType]]:
        return Scalar, (self.value, self.data_type)

    def __repr__(self) -> str:
        return f"Scalar({self.value!s}, {self.data_type.name})"


def _convert(value: object, dtype: np.dtype[Any]) -> Any:
    """Return a number in an element type."""
    number = _number(value, numbers.Complex if dtype.kind == "c" else numbers.Real)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if not (number == number // 1 and limits.min <= number <= limits.max):
            problem = f"is {shown(value)}; {dtype.name} holds integers {limits.min} to {limits.max}"
            fail_argument(Status.ACLNN_ERR_PARAM_INVALID, "value", problem)
        return dtype.type(int(number))
    if dtype.kind == "b":
        return dtype.type(bool(number))
    if dtype.kind == "c":
        with np.errstate(over="ignore"):
            return dtype.type(complex(_as_float(number.real), _as_float(number.imag)))
    with np.errstate(over="ignore"):
        wide = np.float64(_as_float(number))
        if dtype.itemsize < 4 and dtype != np.float16:
            # ml_dtypes rounds to float32 first; rounding to odd before makes its second rounding
            # correct
            return _round_to_odd(wide).astype(dtype)
        return wide.astype(dtype)


def _number(value: object, kind: type) -> Any:
    """Return a value as a Python number, or raise ArgumentTypeError."""
    # Python's numbers do not overflow in the following tests
    number = value.item() if isinstance(value, np.number) else value
    if not isinstance(value, numbers.Number):
        array = _array(value)
        if array.size == 1 and array.dtype.kind not in "OSUMm":
            # item() gives a Python number, except for types of ml_dtypes, whose kind is V
            number = (array.astype(np.float64) if array.dtype.kind == "V" else array).item()
    if not isinstance(number, kind):
        raise ArgumentTypeError(
            "value", f"is {shown(value)}; a {kind.__name__.lower()} number is expected"
        )
    return number


def _array(value: object) -> NDArray[Any]:
    """Return any library's array or an ml_dtypes number as a NumPy array; else an empty array."""
    with suppress(ArgumentTypeError):
        return import_array("value", value).array
    return np.empty(0)


def _as_float(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def _round_to_odd(wide: np.float64) -> np.float32:
    """Truncate a number to 24 bits; the last bit is 1 if any information was lost."""
    narrow = np.float32(wide)
    if np.isfinite(wide) and narrow != wide:
        bits = int(narrow.view(np.uint32))
        if abs(np.float64(narrow)) > abs(wide):
            bits -= 1
        narrow = np.uint32(bits | 1).view(np.float32)
    return narrow
