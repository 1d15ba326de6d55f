"""Element types and their bits: rounding in one step, comparison, digests.

NumPy and ml_dtypes go from float64 to BF16 through float32 and so round twice; this module goes
from the bits of a float64, or from an exact fraction, straight to the bits of the target, in
integer arithmetic. It shares no code with the kernels.
"""

import hashlib
from collections.abc import Iterable
from fractions import Fraction
from math import inf, ldexp
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np


class Format(NamedTuple):
    """A binary floating-point format."""

    #: bits of the significand after the point
    fraction: int
    #: bits of the exponent
    exponent: int
    #: NumPy type of its elements
    dtype: np.dtype[Any]
    #: NumPy type of its bits
    raw: np.dtype[Any]

    @property
    def bias(self) -> int:  # what is added to an exponent before it is stored
        return (1 << (self.exponent - 1)) - 1

    @property
    def infinity(self) -> int:  # bits of +infinity
        return ((1 << self.exponent) - 1) << self.fraction

    @property
    def sign(self) -> int:  # the sign bit
        return 1 << (self.fraction + self.exponent)


FORMATS = {
    "float16": Format(10, 5, np.dtype(np.float16), np.dtype(np.uint16)),
    "bfloat16": Format(7, 8, np.dtype(ml_dtypes.bfloat16), np.dtype(np.uint16)),
    "float32": Format(23, 8, np.dtype(np.float32), np.dtype(np.uint32)),
    "float64": Format(52, 11, np.dtype(np.float64), np.dtype(np.uint64)),
}


def compute_type(types: tuple[str, ...]) -> str:
    """Return the compute type of a call that names none: F64 if any tensor is, else F32.

    For integers alone it is "exact".
    """
    if not any(kind in FORMATS for kind in types):
        return "exact"
    return "float64" if "float64" in types else "float32"


def encode(values: Any, kind: str) -> Any:
    """Return the bits of float64 values rounded to nearest even in a type, once."""
    form = FORMATS[kind]
    bits = np.ascontiguousarray(values, np.float64).view(np.uint64)
    if kind == "float64":
        return bits.reshape(np.shape(values))
    negative = bits >> np.uint64(63) != 0
    stored = (bits >> np.uint64(52) & np.uint64(0x7FF)).astype(np.int64)
    fraction = (bits & np.uint64((1 << 52) - 1)).astype(np.int64)
    # a float64 subnormal is far below half of the smallest subnormal of every narrower type
    significand = np.where(stored == 0, 0, fraction | (1 << 52))
    lowest = 1 - form.bias
    exponent = np.maximum(stored - 1023, lowest)
    shift = np.minimum(52 - form.fraction + exponent - (stored - 1023), 60)
    kept = significand >> shift
    rest = significand & ((np.int64(1) << shift) - 1)
    half = np.int64(1) << (shift - 1)
    kept += (rest > half) | ((rest == half) & (kept & 1 == 1))
    # ``kept`` holds the leading bit, which a carry may have moved up: adding does the right thing
    result = np.minimum(((exponent + form.bias - 1) << form.fraction) + kept, form.infinity)
    result = np.where(stored == 0x7FF, form.infinity, result)
    quiet = form.infinity | 1 << (form.fraction - 1)
    result = np.where((stored == 0x7FF) & (fraction != 0), quiet, result)
    result = result + np.where(negative, form.sign, 0)
    return result.astype(form.raw).reshape(np.shape(values))


def decode(bits: Any, kind: str) -> Any:
    """Return the values of stored elements as float64, exactly."""
    form = FORMATS[kind]
    with np.errstate(invalid="ignore"):  # a signaling NaN becomes a quiet one
        return np.asarray(bits).astype(form.raw).view(form.dtype).astype(np.float64)


def round_to(kind: str, values: Any) -> Any:
    """Round float64 values to a type, once, and return them as float64."""
    return decode(encode(values, kind), kind)


def to_odd(near: Any, rest: Any) -> Any:
    """Round ``near + rest`` to odd: an inexact float64 gets a last bit of 1.

    Rounding that once more, to a narrower type, gives what rounding the sum once would. The rest is
    at most half an ulp.
    """
    inexact = np.isfinite(near) & (rest != 0) & ~np.isnan(rest)
    even = near.view(np.int64) & 1 == 0
    return np.where(inexact & even, np.nextafter(near, np.where(rest > 0, np.inf, -np.inf)), near)


def as_float(value: Any) -> np.float64:
    """Return a scalar argument as FLOAT, in double precision; an integer may be of any size."""
    try:
        double = float(value)
    except OverflowError:
        double = float("inf") if value > 0 else float("-inf")
    return np.float64(round_to("float32", np.float64(double)))


def every(kind: str) -> Any:
    """Return every value of a half-precision type."""
    return np.arange(1 << 16, dtype=np.uint16).view(FORMATS[kind].dtype)


def array_of(kind: str, values: Any) -> Any:
    """Return an array of a type that holds the rounded values; integers as they are."""
    if kind not in FORMATS:
        return np.asarray(values).astype(kind)
    form = FORMATS[kind]
    return encode(values, kind).view(form.dtype)


def bits_of(array: Any) -> Any:
    """Return the bits of a floating-point array; integers as they are."""
    array = np.asarray(array)
    if array.dtype.kind in "iu":
        return array
    return np.ascontiguousarray(array).view(FORMATS[str(array.dtype)].raw).reshape(array.shape)


def exact(array: Any) -> Any:
    """Return the values of a floating-point array as float64; integers as they are."""
    if np.asarray(array).dtype.kind in "iu":
        return array
    return decode(bits_of(array), str(array.dtype))


def nearest(mantissa: int, exponent: int, kind: str) -> float:
    """Return ``mantissa * 2**exponent`` rounded to nearest even in a type; 0 gives +0."""
    form, size, sign = FORMATS[kind], mantissa.bit_length(), -1.0 if mantissa < 0 else 1.0
    top, least = form.bias + 1, 1 - form.bias - form.fraction
    if size + exponent > top:
        return sign * inf
    if size + exponent < least:  # below half of the smallest number
        return sign * 0.0
    mantissa, drop = abs(mantissa), max(size - form.fraction - 1, least - exponent)
    if drop > 0:
        odd = mantissa >> drop & 1
        mantissa, exponent = mantissa + (1 << drop - 1) - 1 + odd >> drop, exponent + drop
    return sign * (inf if mantissa.bit_length() + exponent > top else ldexp(mantissa, exponent))


def nearest_quotient(numerator: int, denominator: int, kind: str) -> float:
    """Return a quotient rounded to nearest even in a type; 0 gives +0."""
    # three bits more than a significand has, the last of which stands for all that follow
    digits = FORMATS[kind].fraction + 4
    shift = max(denominator.bit_length() - numerator.bit_length() + digits, 0)
    quotient, rest = divmod(abs(numerator) << shift, denominator)
    mantissa = quotient << 1 | (rest > 0)
    return nearest(-mantissa if numerator < 0 else mantissa, -shift - 1, kind)


def encode_exact(value: Fraction | int, kind: str) -> int:
    """Return the bits of a rational number rounded to nearest even; 0 gives +0."""
    return int(encode(nearest_quotient(*value.as_integer_ratio(), kind), kind))


def round_integers(kind: str, values: Any) -> Any:
    """Round integers of any size to a type, once, and return them as float64."""
    different, places = np.unique(values, return_inverse=True)
    rounded = [nearest(int(value), 0, kind) for value in different]
    return np.array(rounded)[places].reshape(np.shape(values))


def same_bits(actual: Any, expected: Any) -> Any:
    """Tell elementwise whether two arrays of one type agree: in all bits, or in being NaN."""
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    same = bits_of(actual) == bits_of(expected)
    return same if same.all() else same | (np.isnan(exact(actual)) & np.isnan(exact(expected)))


def assert_bits(actual: Any, *alternatives: Any) -> None:
    """Assert that every element has the bits of one of the alternatives."""
    good = np.zeros(np.shape(actual), bool)
    for expected in alternatives:
        good |= same_bits(np.asarray(actual), np.asarray(expected))
    if not good.all():
        at = tuple(int(k) for k in np.argwhere(~good)[0])
        want = " or ".join(repr(float(exact(e)[at])) for e in alternatives)
        raise AssertionError(
            f"{(~good).sum()} of {good.size} elements differ; the first at {at} is"
            f" {float(exact(np.asarray(actual))[at])!r} instead of {want}"
        )


def assert_same_bits(actual: Iterable[Any], expected: Iterable[Any]) -> None:
    """Assert that several results have the bits of several others."""
    for one, other in zip(actual, expected, strict=True):
        assert_bits(one, other)


def digest(arrays: Iterable[Any]) -> str:
    """Return a digest of the types, shapes and bits of arrays, the same on every machine."""
    whole = hashlib.sha256()
    for array in arrays:
        bits = bits_of(array)
        whole.update(f"{array.dtype.name} {array.shape}".encode())
        whole.update(bits.astype(bits.dtype.newbyteorder("<")).tobytes())
    return whole.hexdigest()[:16]
