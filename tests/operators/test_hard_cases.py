"""Correct rounding where float64 cannot decide it: ties, and values next to them."""

from fractions import Fraction
from math import prod
from typing import Any

import mpmath
import numpy as np
import pytest

import ascendref as ar
from ascendref.core.dtypes import ELEMENT_TYPES, float_format
from ascendref.kernels.loops.exact_kernel import hard_cases

from ..support.calls import call
from ..support.cases import SCALARS
from ..support.correctness import assert_right, numbers_of
from ..support.judge import judged
from ..support.rounding import FORMATS, assert_bits, encode_exact, exact

Array = np.ndarray[Any, Any]
NARROW = ("float16", "bfloat16", "float32")


def dtype(kind: str) -> Any:
    return FORMATS[kind].dtype


def nearest(value: Fraction, kind: str) -> Any:
    """Return a fraction rounded to a type, once."""
    form = FORMATS[kind]
    return np.array(encode_exact(value, kind), form.raw).view(form.dtype)[()]


def fractions(array: Array) -> list[Fraction]:
    return [Fraction(float(value)) for value in exact(array).ravel()]


def next_to_ties(odd: int, bits: int, modulus: int, most: int) -> list[tuple[int, int]]:
    """Return odd numbers of some bits whose product with ``odd`` is next to a multiple of 2**n.

    With the product's remainder, which is at most ``most`` in size.
    """
    inverse = pow(odd, -1, 1 << modulus)
    remainders = np.concatenate([np.arange(1, most, 2), -np.arange(1, most, 2)]).astype(np.int64)
    with np.errstate(over="ignore"):
        found = (remainders.astype(np.uint64) * np.uint64(inverse)) & np.uint64((1 << modulus) - 1)
    fits = (found >> np.uint64(bits - 1)) == 1
    return list(zip(found[fits].tolist(), remainders[fits].tolist(), strict=True))


@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("hardswish", lambda x: x * (x + 3) / 6),
        ("hardsigmoid", lambda x: (x + 3) / 6),
        ("softshrink", lambda x: x - Fraction(1, 2) if x > 0 else x + Fraction(1, 2)),
    ],
)
def test_formulas_that_are_rounded_without_a_test(name: str, formula: Any) -> None:
    rng = np.random.default_rng(0)
    least = 0.5 if name == "softshrink" else 0.0
    tiny = np.ldexp(rng.integers(1, 99, 200), -149 + rng.integers(0, 20, 200))
    sizes = [rng.uniform(least, 3, 1000), 3 - 2.0 ** rng.uniform(-24, 0, 200)]
    x = np.concatenate([*sizes, 2.0 ** rng.uniform(-149, 1.5, 1000), tiny]).astype(np.float32)
    x = np.concatenate([x, -x])
    x = x[(abs(x) > least) & (abs(x) < 3)]
    (got,) = call(name, x, *([0.5] if least else []), compute_dtype="float64")
    assert_bits(got, np.array([nearest(formula(value), "float32") for value in fractions(x)]))


@pytest.mark.full
def test_logit_quotients_next_to_a_middle() -> None:
    """``dy / (x·(1 - x))`` within 2**-50 of a middle between two F32 numbers."""
    inputs = []
    for numerator in range(11_184_811, 11_184_811 + 160, 2):
        # x·(1 - x) is an odd number of 48 bits over 2**48; the middle has 25 bits
        denominator = numerator * (2**24 - numerator)
        for middle, rest in next_to_ties(denominator, 25, 49, 2**21):
            dy = (middle * denominator - rest) >> 49
            assert dy.bit_length() <= 24
            inputs.append((numerator / 2**24, dy / 2**24))
    assert len(inputs) > 2
    x, dy = np.array(inputs, np.float32).T
    before = hard_cases.count
    got = ar.logit_grad(x, dy, compute_dtype="float64")
    assert hard_cases.count > before
    want = [d / (v * (1 - v)) for v, d in zip(fractions(x), fractions(dy), strict=True)]
    np.testing.assert_array_equal(got, [nearest(value, "float32") for value in want])


@pytest.mark.full
@pytest.mark.parametrize("kind", NARROW)
@pytest.mark.parametrize("reduction", ["none", "mean"])
def test_a_tiny_target_decides_the_ties_of_smooth_l1(kind: str, reduction: str) -> None:
    """The product of the gradient and the input is a middle; a mean of four leaves it one."""
    bits = FORMATS[kind].fraction + 2
    odd = 2 ** (bits // 2) + 1
    grad = np.array([odd, odd, odd + 2, odd + 2], dtype(kind))
    x = np.array([odd, odd + 2, odd + 2, odd + 4]) * 2.0**-bits
    tiny = np.array(1, FORMATS[kind].raw).view(dtype(kind))
    before = hard_cases.count
    for target in (tiny, np.zeros_like(tiny), -tiny):
        operands = grad, x.astype(dtype(kind)), np.full_like(grad, target)
        got = ar.smooth_l1_loss_backward(*operands, reduction, compute_dtype="float64")
        g, a, b = map(fractions, operands)
        count = 4 if reduction == "mean" else 1
        want = [p * (q - r) / count for p, q, r in zip(g, a, b, strict=True)]
        np.testing.assert_array_equal(got, np.array([nearest(value, kind) for value in want]))
    # differences and products of such F16 numbers are doubles
    assert (hard_cases.count > before) == (kind != "float16")


@pytest.mark.full
@pytest.mark.parametrize("kind", NARROW)
def test_a_tiny_input_decides_the_ties_of_softplus(kind: str) -> None:
    """Half of an odd subnormal is a tie at 0, and none beside it."""
    form = FORMATS[kind]
    grad = np.array([1, 2, 3, 5, 7], form.raw).view(form.dtype)
    grad = np.concatenate([grad, -grad])
    smallest = np.array(1, form.raw).view(form.dtype)
    before = hard_cases.count
    for x, up in ((smallest, True), (-smallest, False)):
        got = ar.softplus_backward(grad, np.full_like(grad, x), compute_dtype="float64")
        steps = np.array([1, 1, 2, 3, 4] if up else [0, 1, 1, 2, 3], form.raw).view(form.dtype)
        np.testing.assert_array_equal(got, np.concatenate([steps, -steps]))
        np.testing.assert_array_equal(np.signbit(got), np.signbit(grad))
    even = ar.softplus_backward(grad, np.zeros_like(grad), compute_dtype="float64")
    steps = np.array([0, 1, 2, 2, 4], form.raw).view(form.dtype)
    np.testing.assert_array_equal(even, np.concatenate([steps, -steps]))
    assert hard_cases.count > before


@pytest.mark.daily(2)
@pytest.mark.parametrize(("first", "last", "unit"), [(-3, 3, 1.0), (-718, -701, 2.0**-13)])
@pytest.mark.parametrize("out", ["float16", "bfloat16", "float32"])
def test_doubles_next_to_a_middle_of_a_narrower_type(
    out: str, first: float, last: float, unit: float
) -> None:
    """An F64 gradient puts the result of softplus as near to a middle as doubles go.

    Also where the exponential is beyond the doubles.
    """
    form = FORMATS[out]
    middle = unit * (1 + 2.0 ** -(form.fraction + 1))
    x = np.linspace(first, last, 61)
    with mpmath.workprec(300):
        want, grads, xs = [], [], []
        for value in x:
            logistic = 1 / (1 + mpmath.exp(-mpmath.mpf(float(value))))
            near = float(middle / logistic)
            for grad in (np.nextafter(near, 0), near, np.nextafter(near, np.inf)):
                product = logistic * mpmath.mpf(float(grad))
                up = product > middle
                grads.append(grad)
                xs.append(value)
                want.append(unit * (1 + 2.0**-form.fraction if up else 1.0))
    grad, data = np.array(grads), np.array(xs)
    result = np.empty(grad.size, dtype(out))
    before = hard_cases.count
    ar.softplus_backward(grad, data, out=result, compute_dtype="float64")
    np.testing.assert_array_equal(exact(result), want)
    assert hard_cases.count > before


def products(grad: Array, x: Array) -> Fraction:
    return sum((a * b for a, b in zip(fractions(grad), fractions(x), strict=True)), Fraction(0))


def weight_gradient(grad: Array, x: Array) -> Any:
    return ar.prelu_backward(grad, x, np.ones(1, x.dtype), compute_dtype="float64")[1][0]


@pytest.mark.full
@pytest.mark.parametrize("kind", [*NARROW, "float64"])
@pytest.mark.parametrize("count", [3, 1000, 5000])
def test_sums_that_cancel(kind: str, count: int) -> None:
    rng = np.random.default_rng(count)
    half = rng.standard_normal(count).astype(dtype(kind))
    if kind != "float16":
        # three sizes, which two doubles do not hold
        half = np.concatenate([half, half * half.dtype.type(2.0**-25)])
    left = np.array([2.0**-9 if kind == "float16" else 2.0**-60], dtype(kind))
    grad = np.concatenate([half, -half, left])
    x = -(np.concatenate([half, half, left]) ** 2)
    order = rng.permutation(grad.size)
    grad, x = grad[order], x[order]
    before = hard_cases.count
    got = weight_gradient(grad, x)
    assert got == nearest(products(grad, x), kind)
    # float64 holds every sum of so few products of F16 numbers
    assert (hard_cases.count > before) == (kind != "float16")


@pytest.mark.full
@pytest.mark.parametrize("kind", [*NARROW, "float64"])
def test_sums_that_are_ties(kind: str) -> None:
    fraction = FORMATS[kind].fraction
    for numerator in (1, 3):
        # 1 + (1 or 3) half units, term by term
        grad = np.array([1.0] + [2.0 ** -(fraction + 1)] * numerator, dtype(kind))
        want = 1.0 if numerator == 1 else 1 + 2.0 ** (1 - fraction)
        assert float(weight_gradient(grad, -np.ones_like(grad))) == -want


@pytest.mark.full
def test_doubles_whose_products_have_remainders() -> None:
    rng = np.random.default_rng(5)
    grad, x = rng.standard_normal(300), -abs(rng.standard_normal(300))
    assert abs(weight_gradient(grad, x) - float(products(grad, x))) <= np.spacing(
        float(products(grad, x))
    )
    # the remainders alone are left
    a, b = 1 + 2.0**-30, -(1 + 2.0**-29)
    grad, x = np.array([a, -float(Fraction(a) * Fraction(b))]), np.array([b, -1.0])
    assert weight_gradient(grad, x) == float(products(grad, x)) != 0


@pytest.mark.full
def test_sums_beyond_the_range_of_double_precision() -> None:
    big = np.array([1e300, -1e300, 1e300, 2.0])
    assert weight_gradient(big, np.array([-1e300, -1e300, -1e-300, -3.0])) == -(1.0 + 6.0)
    tiny = np.full(1 << 12, 2.0**-540)
    assert weight_gradient(tiny, -tiny) == -(2.0 ** (12 - 1080))
    assert np.isinf(weight_gradient(np.array([1e300, 1e300]), np.array([-1e300, -1.0])))


@pytest.mark.full
@pytest.mark.parametrize("kind", NARROW)
def test_special_values_in_sums(kind: str) -> None:
    def total(grad: list[float], x: list[float]) -> float:
        return float(weight_gradient(np.array(grad, dtype(kind)), np.array(x, dtype(kind))))

    inf, nan = np.inf, np.nan
    assert total([inf, 1], [-1, -1]) == -inf
    assert np.isnan(total([inf, inf], [-1, -0.0]))
    assert np.isnan(total([inf, -inf], [-1, -1]))
    assert np.isnan(total([nan, 1], [-1, -1]))
    assert total([nan, 1], [1, -1]) == -1
    assert str(total([0.0, 0.0], [-1, -1])) == "-0.0"
    assert str(total([0.0, -0.0], [-1, -1])) == "0.0"
    assert str(total([1.0, -1.0], [-1, -1])) == "0.0"


@pytest.mark.full
@pytest.mark.parametrize("kind", NARROW)
def test_an_overwritten_input_is_still_summed_exactly(kind: str) -> None:
    rng = np.random.default_rng(7)
    shape = (40, 6, 5)
    x = rng.standard_normal(shape).astype(dtype(kind))
    grad = rng.standard_normal(shape).astype(dtype(kind))
    least = 1.0 if kind == "float16" else 2.0**-50
    grad[10:20] *= grad.dtype.type(least)
    x[20:], grad[20:] = x[:20], -grad[:20]  # every sum is 0 but for what follows
    x[0, :3, 0], grad[0, :3, 0] = -least, 2.0**-7 * least
    weight = rng.standard_normal(6).astype(dtype(kind))
    want = ar.prelu_backward(grad, x, weight, compute_dtype="float64")
    before = hard_cases.count
    sums = weight.copy()
    ar.prelu_backward(grad, x, sums, out=(grad, sums), compute_dtype="float64")
    np.testing.assert_array_equal(exact(grad), exact(want[0]))
    np.testing.assert_array_equal(exact(sums), exact(want[1]))
    assert hard_cases.count > before


@pytest.mark.full
@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_one_hundred_million_terms(kind: str) -> None:
    side = 10_000
    rng = np.random.default_rng(8)
    x = -np.abs(rng.standard_normal(side)).astype(dtype(kind))
    grad = rng.standard_normal(side).astype(dtype(kind))
    grad[side // 2 :], x[side // 2 :] = -grad[: side // 2], x[: side // 2]
    grad[0] *= 1.5
    want = side * products(grad, x)
    scale = side * products(abs(grad), abs(x))
    shape = (side, side)
    assert prod(shape) == 10**8
    rows = np.broadcast_to(grad, shape), np.broadcast_to(x, shape)
    assert weight_gradient(*rows) == nearest(want, kind)
    default = ar.prelu_backward(*rows, np.ones(1, x.dtype))[1][0]
    reduction = ar.OPERATORS["prelu_backward"].reduction
    assert reduction is not None
    assert reduction.accuracy is not None
    allowed = reduction.accuracy(ELEMENT_TYPES[kind], prod(shape))
    assert abs(Fraction(float(default)) - want) <= Fraction(allowed) * scale


@pytest.mark.parametrize(
    ("operator", "scalars"),
    [("silu", ()), ("swish", ()), ("fast_gelu", ()), ("gelu", ("none",)), ("gelu", ("tanh",))],
)
@pytest.mark.parametrize("kind", [*NARROW, "float64"])
def test_half_of_a_subnormal_is_a_tie_that_the_next_term_breaks(
    operator: str, scalars: tuple[Any, ...], kind: str
) -> None:
    """Near 0 the value is x / 2 plus a square: ties go up, where x / 2 would go to even."""
    form = FORMATS[kind]
    x = np.array([1, 2, 3, 5, 7], form.raw).view(form.dtype)
    before = hard_cases.count
    got = getattr(ar, operator)(np.concatenate([x, -x]), *scalars, compute_dtype="exact")
    up, down = (np.array(steps, form.raw).view(form.dtype)
                for steps in ([1, 1, 2, 3, 4], [0, 1, 1, 2, 3]))  # fmt: skip
    np.testing.assert_array_equal(got, np.concatenate([up, -down]))
    np.testing.assert_array_equal(np.signbit(got), np.arange(10) >= 5)
    assert (hard_cases.count > before) == (kind != "float16")  # doubles hold both terms of F16


def test_half_of_a_subnormal_gradient_is_a_tie_at_0_alone() -> None:
    """The derivative of gelu is above or below a half next to 0."""
    form = FORMATS["bfloat16"]
    grad = np.array([1, 2, 3, 5, 7], form.raw).view(form.dtype)
    smallest = float(grad[0])
    for x, steps in (
        (smallest, [1, 1, 2, 3, 4]),
        (2.0**-20, [1, 1, 2, 3, 4]),
        (0.0, [0, 1, 2, 2, 4]),
        (-0.0, [0, 1, 2, 2, 4]),
        (-(2.0**-20), [0, 1, 1, 2, 3]),
        (-smallest, [0, 1, 1, 2, 3]),
    ):
        for compute in (None, "float64"):
            got = ar.gelu_backward(grad, np.full_like(grad, x), compute_dtype=compute)
            assert_bits(got, np.array(steps, form.raw).view(form.dtype))


def test_the_far_tail_of_gelu_times_a_large_gradient() -> None:
    """The derivative is below the range of float32, its product with the gradient is not."""
    x = np.linspace(-19.8, -18.4, 1001, dtype=np.float32)
    grad = np.full_like(x, np.finfo(np.float32).max)
    for sign in (np.float32(1), np.float32(-1)):
        got = ar.gelu_backward(sign * grad, x)
        want = ar.gelu_backward(sign * grad, x, compute_dtype="float64")
        assert np.count_nonzero(want) > 900
        np.testing.assert_array_max_ulp(got, want, 3)
    np.testing.assert_array_equal(ar.gelu_backward(grad, x - 2), -np.zeros_like(x))


@pytest.mark.full
@pytest.mark.parametrize(("operator", "slope"), [("sigmoid", 0.25), ("silu_backward", 0.5)])
def test_a_cube_next_to_a_middle(operator: str, slope: float) -> None:
    """Near 0, sigmoid is 1/2 + x/4 - x³/48 and the derivative of silu 1/2 + x/2 - x³/12.

    The middle is missed by the last term, towards a half.
    """
    odd = np.arange(1, 128, 2)
    before = hard_cases.count
    for unit in (-(2.0**-25), 2.0**-24):
        x = (odd * unit / 2 / slope).astype(np.float32)
        tensors = (np.ones_like(x), x) if operator == "silu_backward" else (x,)
        got = getattr(ar, operator)(*tensors, compute_dtype="float64")
        np.testing.assert_array_equal(got, 0.5 + (odd // 2) * unit)
    assert hard_cases.count > before


@pytest.mark.full
@pytest.mark.parametrize(
    ("operator", "scalars", "root"),
    [
        ("gelu_backward", ("none",), -0.7517915246935645),
        ("gelu_backward", ("tanh",), -0.7524614220710162),
        ("fast_gelu_backward", (), -1.2784645427610738 / 1.702),
        ("mish_backward", (), -1.1924312314250706),
        ("silu_backward", (), -1.2784645427610738),
        ("swish_backward", (0.5,), -2.5569290855221476),
    ],
)
@pytest.mark.parametrize("compute", ["float64", "exact", None])
def test_next_to_the_zero_of_a_gradient(
    operator: str, scalars: tuple[Any, ...], root: float, compute: str | None
) -> None:
    """The two terms of the derivative cancel there."""
    for kind in (*NARROW, "float64"):
        if kind == "float64" and compute != "exact":
            continue  # its bound grows next to the zero: `accuracy` states it
        step = 2.0 ** -(FORMATS[kind].fraction + 1)
        x = (root + step * np.arange(-40, 41)).astype(dtype(kind))
        tensors = np.full_like(x, 0.7), x
        got = getattr(ar, operator)(*tensors, *scalars, compute_dtype=compute)
        if compute == "exact":
            numbers = numbers_of(ar.OPERATORS[operator], scalars, x.size, 0)
            function = ar.OPERATORS[operator].formula.function
            rows = zip(*(exact(tensor).tolist() for tensor in tensors), strict=True)
            want = [judged(function, row, numbers, kind) for row in rows]
            np.testing.assert_array_equal(exact(got), want)
        else:
            assert_right(operator, tensors, scalars, (got,), compute)


@pytest.mark.full
@pytest.mark.parametrize("kind", NARROW)
def test_exponentials_beyond_doubles_are_decided_by_doubles(kind: str) -> None:
    """Times any narrow number they are infinite or 0."""
    target = np.array([601, 700, 1e4, 6e4], dtype(kind))
    form = float_format(ELEMENT_TYPES[kind])
    before = hard_cases.count
    for size in (form.smallest, form.largest):
        for grad in (size, -size):
            grads = np.full_like(target, grad)
            for x, limit in ((target, np.inf), (-target, 0.0)):
                got = ar.kl_div_backward(grads, x, x, "none", True, compute_dtype="float64")
                assert_bits(got, np.copysign(np.full_like(x, limit), -grads))
    assert hard_cases.count == before


@pytest.mark.parametrize("operator", ["gelu", "log_sigmoid", "logit", "mish", "softplus"])
def test_magnitudes_are_decided_by_doubles(operator: str) -> None:
    """Results that underflow, or that are almost the input or half of it, are no hard cases."""
    scalars = SCALARS[operator][0]
    size = np.ldexp(np.random.default_rng(7).uniform(1, 2, 228), np.arange(-100, 128))
    before = hard_cases.count
    for x in (size.astype(np.float32), -size.astype(np.float32)):
        got = call(operator, x, *scalars, compute_dtype="float64")
        assert_right(operator, (x,), scalars, got, "float64")
    assert hard_cases.count == before


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32"])
def test_infinities_of_finite_numbers(kind: str) -> None:
    """The logarithm of a quotient by 0 is infinite; that of negative numbers is NaN."""
    x = np.array([0, 1, 0.5, -1, 2, np.nan], dtype(kind))
    want = np.array([-np.inf, np.inf, 0, np.nan, np.nan, np.nan], dtype(kind))
    assert_bits(ar.logit(x, -1.0, compute_dtype="float64"), want)
    want = np.array([-np.inf, np.inf, 0, -np.inf, np.inf, np.nan], dtype(kind))
    assert_bits(ar.logit(x, 0.0, compute_dtype="float64"), want)
