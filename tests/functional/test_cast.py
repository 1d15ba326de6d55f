"""Casts in every rounding mode, against exact arithmetic on multiples of 2**-1074."""

from functools import cache
from math import inf, nan
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import pytest

import ascendref as ar
from ascendref.functional.casting import ROUND_MODES

from ..support.rounding import FORMATS, array_of, assert_bits, bits_of, encode, every, exact

HALVES = ("float16", "bfloat16")
#: elements per call: below the size from which kernels run in parallel, which compile longer
PIECE = 1 << 14
each_mode = pytest.mark.parametrize("mode", ROUND_MODES)
each_half = pytest.mark.parametrize("half", HALVES)

# value, type it has, type it is cast to, then the results in the order of the modes:
# rint, trunc, floor, ceil, round, odd
BY_HAND = [
    # between 1 and the next F16, 1 + 2**-10 (odd): in the middle, and just beside it
    (1 + 2**-11, "float32", "float16", (1, 1, 1, 1 + 2**-10, 1 + 2**-10, 1 + 2**-10)),
    (1 + 2**-11 - 2**-23, "float32", "float16", (1, 1, 1, 1 + 2**-10, 1, 1 + 2**-10)),
    (-1 - 2**-11, "float32", "float16", (-1, -1, -1 - 2**-10, -1, -1 - 2**-10, -1 - 2**-10)),
    # through float32 these would be ties
    (1 + 2**-8 + 2**-40, "float64", "bfloat16", (1 + 2**-7, 1, 1, 1 + 2**-7, 1 + 2**-7, 1 + 2**-7)),
    (1 + 2**-8 - 2**-40, "float64", "bfloat16", (1, 1, 1, 1 + 2**-7, 1, 1 + 2**-7)),
    # between an odd number and a power of two
    (2 - 2**-12, "float64", "float16", (2, 2 - 2**-10, 2 - 2**-10, 2, 2, 2 - 2**-10)),
    # overflow of F16: half a unit beyond 65504, below that, a whole unit, far beyond
    (65520, "float32", "float16", (inf, 65504, 65504, inf, inf, 65504)),
    (65519, "float32", "float16", (65504, 65504, 65504, inf, 65504, 65504)),
    (65536, "float32", "float16", (inf, 65504, 65504, inf, inf, 65504)),
    (1e300, "float64", "float16", (inf, 65504, 65504, inf, inf, 65504)),
    (-1e300, "float64", "float16", (-inf, -65504, -inf, -65504, -inf, -65504)),
    # below the smallest subnormal of F16: half of it, a quarter, and next to nothing
    (2.0**-25, "float32", "float16", (0.0, 0.0, 0.0, 2**-24, 2**-24, 2**-24)),
    (-(2.0**-26), "float32", "float16", (-0.0, -0.0, -(2**-24), -0.0, -0.0, -(2**-24))),
    (5e-324, "float64", "float32", (0.0, 0.0, 0.0, 2.0**-149, 0.0, 2.0**-149)),
    # from the subnormal numbers of BF16 to the normal ones
    (
        2.0**-126 - 2.0**-135,
        "float64",
        "bfloat16",
        (2.0**-126, 127 * 2.0**-133, 127 * 2.0**-133, 2.0**-126, 2.0**-126, 127 * 2.0**-133),
    ),
    # exact, whatever the mode
    (-3.5, "float64", "float16", (-3.5,) * 6),
    (2.0**-24, "float16", "float32", (2.0**-24,) * 6),
    (-0.0, "float64", "bfloat16", (-0.0,) * 6),
    (-inf, "float16", "float64", (-inf,) * 6),
    (inf, "float64", "bfloat16", (inf,) * 6),
]


@pytest.mark.daily(4)
@pytest.mark.parametrize(("value", "source", "target", "results"), BY_HAND)
def test_values_worked_out_by_hand(
    value: float, source: str, target: str, results: tuple[float, ...]
) -> None:
    x = array_of(source, np.float64(value))
    assert exact(x) == value
    for mode, result in zip(ROUND_MODES, results, strict=True):
        assert_bits(ar.cast(x, target, mode), array_of(target, np.float64(result)))


class Cut(NamedTuple):
    """Magnitudes cut off at the last bit of a type."""

    #: bits of the number of the type that is next toward 0
    lower: Any
    #: what was cut off: 0 nothing, 1 less than half a unit, 2 half a unit, 3 more
    place: Any


def cut(magnitudes: Any, kind: str) -> Cut:
    """Cut finite float64 magnitudes off, as whole numbers of ``2**-1074``."""
    form = FORMATS[kind]
    least = 1074 + 1 - form.bias - form.fraction
    rows = []
    for value in magnitudes.tolist():
        numerator, denominator = value.as_integer_ratio()
        number = (numerator << 1074) // denominator
        shift = max(number.bit_length() - 1 - form.fraction, least)
        whole = number >> shift
        twice = (number - (whole << shift)) << 1
        # the leading bit of ``whole`` adds one to the exponent of a normal number
        bits = (shift - least << form.fraction) + whole
        if bits >= form.infinity:
            rows.append((form.infinity - 1, 3))
        else:
            rows.append(
                (bits, 0 if twice == 0 else 2 + (twice > 1 << shift) - (twice < 1 << shift))
            )
    lower, place = np.array(rows, np.int64).T
    return Cut(lower, place)


def choose(cut: Cut, negative: Any, mode: str) -> Any:
    """Return the bits of the magnitudes that a mode makes of what was cut off."""
    odd, inexact = cut.lower & 1 == 1, cut.place > 0
    return (
        cut.lower
        + {
            "rint": (cut.place == 3) | ((cut.place == 2) & odd),
            "trunc": np.zeros_like(odd),
            "floor": inexact & negative,
            "ceil": inexact & np.logical_not(negative),
            "round": cut.place >= 2,
            "odd": inexact & ~odd,
        }[mode]
    )


def assert_cast(x: Any, cut: Cut, target: str, mode: str) -> None:
    """Assert that finite numbers, of one sign or of both, are cast as they should be."""
    form = FORMATS[target]
    negative = np.signbit(exact(x))
    signs = np.where(negative, np.uint64(form.sign), np.uint64(0))
    wanted = choose(cut, negative, mode).astype(np.uint64) + signs
    pieces = [ar.cast(x[k : k + PIECE], target, mode) for k in range(0, x.size, PIECE)]
    assert_bits(np.concatenate(pieces), wanted.astype(form.raw).view(form.dtype))


@cache
def every_finite(half: str) -> Any:
    """Return every finite number of a half-precision type."""
    x = every(half)
    return x[np.isfinite(exact(x))]


@cache
def every_cut(half: str, target: str) -> Cut:
    return cut(np.abs(exact(every_finite(half))), target)


@pytest.mark.daily(4)
@each_mode
@each_half
@pytest.mark.parametrize("target", FORMATS)
def test_every_half(half: str, target: str, mode: str) -> None:
    assert_cast(every_finite(half), every_cut(half, target), target, mode)


@cache
def boundaries(target: str, source: str) -> Any:
    """Return magnitudes at which roundings to a type change, and their neighbours on both sides.

    These are the numbers of the type and the middles between them, subnormal numbers and the step
    to infinity included: all of them for half precision.
    """
    form = FORMATS[target]
    rng = np.random.default_rng(4)
    if target in HALVES:
        bits = np.arange(form.infinity)
    else:
        edges = [0, 1 << form.fraction, form.infinity - 40]
        bits = np.concatenate(
            [rng.integers(0, form.infinity, 4000), *(e + np.arange(40) for e in edges)]
        )
    numbers = exact(bits.astype(form.raw).view(form.dtype))
    units = np.ldexp(1.0, np.maximum(bits >> form.fraction, 1) - form.bias - form.fraction)
    at = array_of(source, np.concatenate([numbers, numbers + units / 2, numbers + units]))
    huge = array_of(source, np.array([5e-324, 1e-300, 2.0**-149, 3e38, 1e300]))
    x = np.concatenate(
        [at, np.nextafter(at, at.dtype.type(0)), np.nextafter(at, at.dtype.type(inf)), huge]
    )
    return x[np.isfinite(x)]


@cache
def boundary_cut(target: str, source: str) -> Cut:
    return cut(exact(boundaries(target, source)), target)


@pytest.mark.daily(4)
@each_mode
@pytest.mark.parametrize(
    ("source", "target"),
    [(wide, half) for wide in ("float32", "float64") for half in HALVES] + [("float64", "float32")],
)
def test_every_boundary(source: str, target: str, mode: str) -> None:
    x = boundaries(target, source)
    assert_cast(x, boundary_cut(target, source), target, mode)
    assert_cast(-x, boundary_cut(target, source), target, mode)


@pytest.mark.parametrize("target", FORMATS)
def test_the_oracle_agrees_with_rounding_to_nearest_even(target: str) -> None:
    x = np.abs(np.random.default_rng(5).standard_normal(2000)) * 2.0 ** np.arange(-170, 30, 0.1)
    assert (choose(cut(x, target), False, "rint") == encode(x, target)).all()


@pytest.mark.full
@each_mode
@pytest.mark.parametrize("source", FORMATS)
@pytest.mark.parametrize("target", FORMATS)
def test_what_is_no_finite_number_stays(source: str, target: str, mode: str) -> None:
    form = FORMATS[source]
    bits = [form.infinity + 1, form.infinity | 1 << (form.fraction - 1), form.infinity]
    x = np.array([*bits, *(b | form.sign for b in bits)], form.raw).view(form.dtype)
    result = ar.cast(x, target, mode)
    assert_bits(result, array_of(target, np.array([nan, nan, inf, nan, nan, -inf])))


@each_mode
@pytest.mark.parametrize("kind", FORMATS)
def test_one_type_is_a_copy_of_all_bits(kind: str, mode: str) -> None:
    form = FORMATS[kind]
    x = np.array([1, form.infinity + 1, form.sign, form.sign | form.infinity], form.raw)
    result = ar.cast(x.view(form.dtype), kind, mode)
    assert bits_of(result).tolist() == x.tolist()
    assert not np.shares_memory(result, x)


@pytest.mark.parametrize("count", [1, 300, 40_000])
def test_layouts(count: int) -> None:
    x = np.random.default_rng(6).standard_normal((3, count, 2)).astype(np.float32)
    unaligned = np.zeros(x.nbytes + 1, np.uint8)[1:].view(np.float32).reshape(x.shape)
    unaligned[...] = x
    views = [x.T, x[:, ::-1, 1], np.broadcast_to(x[0, 0], (5, count, 2)), unaligned, x[:, :0]]
    for view in views:
        flat = np.array(view)
        wanted = ar.cast(flat.reshape(-1), "bfloat16", "floor").reshape(flat.shape)
        assert_bits(ar.cast(view, "bfloat16", "floor"), wanted)


def test_rank_0() -> None:
    assert_bits(ar.cast(np.float32(1e6), "float16", "trunc"), np.array(65504, np.float16))


class Foreign:
    """An array of a library that speaks the array protocols and nothing else."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values

    def __array_namespace__(self) -> Any:
        return FOREIGN


class ForeignNamespace:
    """What the library's arrays are made with."""

    asarray = Foreign


FOREIGN = ForeignNamespace()


@pytest.mark.parametrize("target", ["float16", "float32"])
def test_the_result_is_of_the_callers_kind(target: str) -> None:
    given = Foreign(np.array([1.0, -0.1], np.float32))
    result = ar.cast(given, target, "trunc")
    assert isinstance(result, Foreign)
    assert_bits(result.values, ar.cast(given.values, target, "trunc"))


def test_torch_tensors_and_types() -> None:
    torch = pytest.importorskip(
        "torch", reason="torch is in the bench extra, not in the test extra"
    )
    x = torch.tensor([1 + 2**-8, -3.0, 1e39], dtype=torch.float64)
    result = ar.cast(x, torch.bfloat16, "round")
    assert result.dtype == torch.bfloat16
    assert result.tolist() == [1 + 2**-7, -3.0, inf]
    assert ar.cast(result, torch.half).dtype == torch.float16
    with pytest.raises(ar.ArgumentTypeError, match=r"dtype is torch\.int8; allowed are float16"):
        ar.cast(x, torch.int8)


@pytest.mark.parametrize(
    "dtype", ["bfloat16", ml_dtypes.bfloat16, np.dtype(ml_dtypes.bfloat16), "ACL_BF16", 27], ids=str
)
def test_names_of_a_type(dtype: Any) -> None:
    assert ar.cast(np.ones(2), dtype).dtype == ml_dtypes.bfloat16


@pytest.mark.parametrize("dtype", ["int8", np.int32, None, ">f4", "half precision", 3, [1], bool])
def test_other_types_are_refused(dtype: Any) -> None:
    with pytest.raises(ar.ArgumentTypeError) as caught:
        ar.cast(np.ones(2), dtype)
    assert str(caught.value) == (
        f"dtype is {dtype!r}; allowed are float16, bfloat16, float32, float64"
    )


@pytest.mark.parametrize("mode", ["nearest", "CAST_RINT", "", None, 1, ["rint"]])
def test_other_modes_are_refused(mode: Any) -> None:
    with pytest.raises(ar.ArgumentValueError) as caught:
        ar.cast(np.ones(2), "float16", mode)
    assert str(caught.value) == (
        f"round_mode is {mode!r}; allowed are rint, trunc, floor, ceil, round, odd"
    )


@pytest.mark.parametrize("array", [np.ones(2, np.int32), np.ones(2, ">f4"), np.ones(2, bool)])
def test_other_arrays_are_refused(array: Any) -> None:
    with pytest.raises(ar.ArgumentTypeError, match=f"array has type {array.dtype}; allowed are"):
        ar.cast(array, "float16")


def test_a_list_is_no_array() -> None:
    with pytest.raises(ar.ArgumentTypeError, match="array is a list; an array is expected"):
        ar.cast([1.0], "float16")
