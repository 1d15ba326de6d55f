"""Distances between floating-point numbers in ulp; results and golden arrays block by block."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import import_array
from ...core.dtypes import BY_NUMPY, FLOATS, ElementType, float_format, promote
from ...core.errors import ArgumentTypeError, ArgumentValueError
from ...functional.casting import cast

#: distance between NaN and a number; every other distance is smaller
NAN_DISTANCE: Final = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
#: elements in a block; its float64 arrays stay in the second-level cache
SIZE: Final = 8 * 1024

Doubles = NDArray[np.float64]


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


def spacing(values: Doubles, kind: ElementType) -> Doubles:
    """Return the unit in the last place of a type at float64 values.

    That is the distance between neighbouring numbers of the type in the value's binade, which
    begins at the power of two at or below it. In and below the subnormal range it is the smallest
    subnormal number; beyond the largest finite number it is that number's ulp.
    """
    form = float_format(kind)
    power = np.frexp(np.clip(np.abs(values), form.normal, form.largest))[1] - 1
    result: Doubles = np.ldexp(1.0, power - form.fraction)
    return result


class Pair(NamedTuple):
    """A result and its golden array, of one shape."""

    actual: NDArray[Any]
    golden: NDArray[Any]
    #: type of the result; golden's type is the same or wider
    kind: ElementType


class Block(NamedTuple):
    """Consecutive elements in C order."""

    #: index of the first element
    start: int
    #: the elements as they are stored
    stored: tuple[NDArray[Any], NDArray[Any]]
    actual: Doubles
    #: the golden values; infinity where they round to infinity in the result's type
    golden: Doubles
    #: golden rounded to the result's type
    rounded: Doubles
    #: ``|actual - golden|``; 0 between equal infinities and between NaNs, infinite between a NaN
    #: and a number
    absolute: Doubles


def import_pair(actual: Any, golden: Any, types: tuple[ElementType, ...] = FLOATS) -> Pair:
    """Return a result of one of these types and its golden array as NumPy arrays."""
    left = import_array("actual", actual, types).array
    right = import_array("golden", golden, FLOATS).array
    kind, golden_kind = BY_NUMPY[left.dtype], BY_NUMPY[right.dtype]
    if promote(kind, golden_kind) is not golden_kind:
        raise ArgumentTypeError(
            "golden",
            f"has type {golden_kind.name}; {kind.name}, as actual, or a wider type is expected",
        )
    if left.shape != right.shape:
        problem = f"has shape {right.shape}; {left.shape}, as actual, is expected"
        raise ArgumentValueError("golden", problem)
    return Pair(left, right, kind)


def blocks(pair: Pair) -> Iterator[Block]:
    """Yield all elements, a block at a time."""
    actual, golden = pair.actual.reshape(-1), pair.golden.reshape(-1)
    for start in range(0, actual.size, SIZE):
        stop = start + SIZE
        yield _block(start, actual[start:stop], golden[start:stop], pair.kind)


@np.errstate(all="ignore")
def _block(start: int, actual: NDArray[Any], golden: NDArray[Any], kind: ElementType) -> Block:
    stored = actual, golden
    rounded = cast(golden, kind.name).astype(np.float64)
    actual, golden = actual.astype(np.float64), golden.astype(np.float64)
    golden = np.where(np.isinf(rounded), rounded, golden)
    absolute = np.abs(actual - golden)
    absolute[np.isnan(absolute)] = np.inf
    absolute[(actual == golden) | (np.isnan(actual) & np.isnan(golden))] = 0
    return Block(start, stored, actual, golden, rounded, absolute)
