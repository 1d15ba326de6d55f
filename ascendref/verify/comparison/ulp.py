"""Distances between floating-point numbers in ulp."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import import_array
from ...core.dtypes import FLOATS, ElementType, float_format
from ...core.errors import ArgumentTypeError, ArgumentValueError

#: distance between NaN and a number; every other distance is smaller
NAN_DISTANCE: Final = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


def ulp_distance(a: Any, b: Any) -> Any:
    """Return the number of steps from ``a`` to ``b`` through the representable numbers.

    Parameters
    ----------
    a, b : array
        Both F16, both BF16, both F32 or both F64. They broadcast.

    Returns
    -------
    ndarray or scalar of uint64
        0 for equal numbers, 1 for neighbours, and so on. The type is uint64 because distances of
        F64 numbers may exceed int64. Always a NumPy array or scalar.

    Raises
    ------
    ArgumentTypeError
        If an argument is not an array or has an unsupported dtype, or the dtypes differ.
    ArgumentValueError
        If the shapes do not broadcast.

    Notes
    -----
    +0 and -0 are the same number. Infinity is one step beyond the largest finite number. The
    distance between two NaNs is 0; between a NaN and a number it is ``2**64 - 1``, more than
    between any two numbers (-inf and +inf of F64 are ``2**64 - 2**53`` apart).

    Examples
    --------
    >>> a = np.array([1.0, 1.0, -0.0, 65504.0, np.nan], np.float16)
    >>> b = np.array([1.0, 1.001, 0.0, np.inf, np.nan], np.float16)
    >>> ar.ulp_distance(a, b)
    array([0, 1, 0, 1, 0], dtype=uint64)
    """
    left, right = import_array("a", a, FLOATS).array, import_array("b", b, FLOATS).array
    if left.dtype != right.dtype:
        raise ArgumentTypeError("b", f"has type {right.dtype!s}; {left.dtype!s}, as a, is expected")
    # without the sign bit, the bits number the values from 0 upward; their sums fit the same width
    raw = np.dtype(f"u{left.itemsize}")
    magnitude = raw.type(np.iinfo(raw).max >> 1)
    left_bits, right_bits = left.view(raw), right.view(raw)
    try:
        one_sign = (left_bits ^ right_bits) <= magnitude
    except ValueError:
        problem = f"has shape {right.shape}, which does not broadcast with {left.shape} of a"
        raise ArgumentValueError("b", problem) from None
    left_steps, right_steps = left_bits & magnitude, right_bits & magnitude
    steps = np.where(
        one_sign,
        np.maximum(left_steps, right_steps) - np.minimum(left_steps, right_steps),
        left_steps + right_steps,
    ).astype(np.uint64)
    infinity = np.array(np.inf, left.dtype).view(raw)
    left_nan, right_nan = left_steps > infinity, right_steps > infinity
    found = np.where(left_nan == right_nan, np.where(left_nan, np.uint64(0), steps), NAN_DISTANCE)
    return found[()]


def spacing(values: NDArray[np.float64], kind: ElementType) -> NDArray[np.float64]:
    """Return the unit in the last place of a type at float64 values.

    That is the distance between neighbouring numbers of the type in the value's binade, which
    begins at the power of two at or below it. In and below the subnormal range it is the smallest
    subnormal number; beyond the largest finite number it is that number's ulp.
    """
    form = float_format(kind)
    power = np.frexp(np.clip(np.abs(values), form.normal, form.largest))[1] - 1
    result: NDArray[np.float64] = np.ldexp(1.0, power - form.fraction)
    return result
