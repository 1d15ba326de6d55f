"""Reductions of any operator: a loss that no file declares, with none, sum and mean."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath.libmp import to_rational

import ascendref as ar
from ascendref.core.dtypes import FLOAT32
from ascendref.declaration.fields import Mode, OnDevice, Reduction, TensorParam
from ascendref.declaration.operator import APIS, OPERATORS, Operator
from ascendref.declaration.scalars import ScalarParam
from ascendref.declaration.shapes import broadcast_shapes
from ascendref.functional import call
from ascendref.functional.call import array_call
from ascendref.functional.partial_sums import partial_call
from ascendref.kernels.arithmetic.exact import decide, round_fraction
from ascendref.kernels.arithmetic.formula import Formula
from ascendref.kernels.arithmetic.functions import Number, two_difference
from ascendref.kernels.loops.exact_kernel import hard_cases
from ascendref.kernels.loops.reduction import ExactReductionKernel, reduction
from ascendref.twophase.functions import phase_1_function, phase_2_function

from ..support.cases import numbers
from ..support.rounding import FORMATS, array_of, assert_bits, exact
from ..support.sums import tree_sum

MODES: tuple[Mode, ...] = ("none", "mean", "sum")
SIZES = [1, 5, 17, 1000, 1024, 1025, 3000, 50_000]


def squares(self: Number, target: Number, reduction: Number, factor: Number) -> Number:
    difference = self - target
    return factor * (difference * difference)


def squares_factors(
    self: Number, target: Number, reduction: Number, factor: Number
) -> tuple[Number, ...]:
    """The factor is a power of two."""
    whole, rest = two_difference(self, target)
    scaled, scaled_rest = factor * whole, factor * rest
    return scaled, whole, 2.0 * scaled, rest, scaled_rest, rest


FORMULA = Formula("test_squares", squares, tensors=2, scalars=2, factors=squares_factors)
LOSS = Operator(
    name="test_squares",
    api="aclnnTestSquares",
    tensors=(TensorParam("self"), TensorParam("target")),
    scalars=(
        ScalarParam("reduction", choices={mode: k for k, mode in enumerate(MODES)}),
        ScalarParam("factor"),
    ),
    outputs=("out",),
    latex="",
    formula=FORMULA,
    shapes=broadcast_shapes,
    device=OnDevice(products=("Atlas A2",), kernels=("Squares", "Reduce")),
    reduction=Reduction(FORMULA, mode=lambda scalars: MODES[int(scalars[0])]),
)


def loss(
    self: Any,
    target: Any,
    mode: str = "mean",
    factor: float = 1,
    out: Any = None,
    *,
    compute_dtype: str | None = None,
    operator: Operator = LOSS,
) -> Any:
    return array_call(operator, (self, target), (mode, factor), out, compute_dtype)


def entropy(self: Number, target: Number, reduction: Number, factor: Number) -> Number:
    """A term that is no sum of products, but a number for some inputs."""
    return factor * ((self * self).log1p() - self * target)


ENTROPY = Formula("test_entropy", entropy, tensors=2, scalars=2)


def loss_of(term: Formula) -> Operator:
    """Return the same operator with another term."""
    return replace(LOSS, formula=term, reduction=LOSS.reduction._replace(term=term))


IRRATIONAL = loss_of(ENTROPY)
#: the same squares, as what a double-double cannot always hold
UNFACTORED = loss_of(FORMULA._replace(name="test_unfactored", factors=None))


def pair(kind: str, shape: Any) -> tuple[Any, Any]:
    return numbers(kind, shape, 1, tame=True), numbers(kind, shape, 2, tame=True)


@pytest.mark.daily(3)
@pytest.mark.parametrize("kind", ["float32", "bfloat16"])
@pytest.mark.parametrize("size", SIZES)
def test_sum_and_mean_have_the_documented_order(kind: str, size: int) -> None:
    x, target = pair(kind, (size,))
    difference = np.float32(exact(x)) - np.float32(exact(target))
    terms = np.float32(0.5) * (difference * difference)
    assert_bits(loss(x, target, "none", 0.5), array_of(kind, np.float64(terms)))
    (total,) = tree_sum(terms[None], "float32")
    assert_bits(loss(x, target, "sum", 0.5), array_of(kind, total))
    mean = np.float32(total / size)
    assert_bits(loss(x, target, "mean", 0.5), array_of(kind, np.float64(mean)))


#: type -> a factor whose square is a subnormal number
SMALL = {"float16": 2.0**-11, "bfloat16": 2.0**-65, "float32": 2.0**-73, "float64": 2.0**-536}


@pytest.mark.daily(16)
@pytest.mark.parametrize("small", [False, True])
@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("operator", [LOSS, UNFACTORED], ids=["factors", "no factors"])
def test_correctly_rounded_sums_and_means(operator: Operator, kind: str, small: bool) -> None:
    scale = SMALL[kind] if small else 1.0
    for size in (1, 3, 700, 3000):
        x, target = [array_of(kind, exact(a) * scale) for a in pair(kind, (size,))]
        terms = [
            (Fraction(a) - Fraction(b)) ** 2
            for a, b in zip(exact(x).tolist(), exact(target).tolist(), strict=True)
        ]
        total = sum(terms, Fraction(0))
        for mode, want in (("sum", total), ("mean", total / size)):
            got = loss(x, target, mode, compute_dtype="exact", operator=operator)
            assert float(exact(got)) == round_fraction(want, kind)


@pytest.mark.daily(4)
@pytest.mark.parametrize("kind", FORMATS)
def test_correctly_rounded_sums_of_terms_without_factors(kind: str) -> None:
    x, target = pair(kind, (600,))
    x[::3] = 0  # exact terms among the others

    def total(zero: Any) -> Any:
        for a, b in zip(exact(x).tolist(), exact(target).tolist(), strict=True):
            zero += entropy(zero.lift(a), zero.lift(b), zero, zero.lift(0.75))
        return zero

    for mode, count in (("sum", 1), ("mean", x.size)):
        want = decide(lambda zero, n=count: total(zero) / n, (0.0,), (), kind)
        got = loss(x, target, mode, 0.75, compute_dtype="exact", operator=IRRATIONAL)
        assert float(exact(got)) == want
        parts = [
            partial_call(IRRATIONAL, (x[k], target[k]), (mode, 0.75), None, "exact")[1]
            for k in (slice(0, 280), slice(280, None))
        ]
        assert_bits(parts[0].merge(parts[1]).round(), got)


#: data of the same type -> what they are multiplied by, and whether terms nearly cancel each other
QUICK = {"ordinary": (1.0, False), "huge": (2.0**60, False), "tiny": (2.0**-70, False)}
QUICK |= {"subnormal": (2.0**-136, False), "cancelling": (1.0, True)}


@pytest.mark.parametrize("data", QUICK)
def test_quick_sums_are_within_their_bound(data: str) -> None:
    """The bound holds for every block, and decides ordinary sums."""
    scale, cancelling = QUICK[data]
    random = np.random.default_rng(7)
    x, target = (random.standard_normal((2, 2500)) * scale).astype(np.float32)
    target[3:9] = 0
    if cancelling:
        target[1250:] = 2 * np.log1p(np.float64(x[:1250]) ** 2) / x[:1250] - target[:1250]
        x[1250:] = x[:1250]
    else:
        x[:7] = 0
    kernel = reduction(ENTROPY, None, (FLOAT32, FLOAT32), FLOAT32, FLOAT32, "exact")
    plan, kept, _ = kernel._kept((x, target), (1.0, 0.75), 0, None)
    with mpmath.workprec(1200):
        terms = [
            (mpmath.log1p(mpmath.mpf(a) ** 2) - mpmath.mpf(a) * mpmath.mpf(b)) * 3 / 4
            for a, b in zip(x.tolist(), target.tolist(), strict=True)
        ]
        for block in range(plan.blocks):
            value, rest, lost = kept.reshape(3, plan.blocks)[:, block].tolist()
            in_block = terms[1024 * block : 1024 * (block + 1)]
            off = abs(mpmath.fsum(in_block) - value - rest)
            assert off <= lost
            # not of terms in which the logarithm is cancelled
            assert lost < 2.0**-36 * float(mpmath.fsum(in_block, absolute=True)) + 2.0**-800
        total = mpmath.fsum(terms)
        want = {"sum": total, "mean": total / x.size}
        fractions = {mode: Fraction(*to_rational(value._mpf_)) for mode, value in want.items()}
    before = hard_cases.count
    for mode, value in fractions.items():
        got = loss(x, target, mode, 0.75, compute_dtype="exact", operator=IRRATIONAL)
        assert got == round_fraction(value, "float32")
    if data == "ordinary":
        assert hard_cases.count == before


def test_quick_sums_of_numbers_that_are_not_finite() -> None:
    x, target = np.ones((2, 1500), np.float32)
    for given, want in ((np.inf, np.inf), (-np.inf, np.inf), (np.nan, np.nan)):
        x[1100] = given
        got = loss(x, target, "sum", compute_dtype="exact", operator=UNFACTORED)
        np.testing.assert_equal(got, np.float32(want))


@pytest.mark.parametrize("given", [np.inf, -np.inf, np.nan])
def test_a_term_that_is_not_finite_leaves_the_others_to_compiled_code(
    given: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*numbers: Any) -> None:
        raise AssertionError("a term in Python")

    monkeypatch.setattr(ExactReductionKernel, "_numbers", refuse)
    x = np.random.default_rng(11).standard_normal(3000).astype(np.float32)
    y = np.ones_like(x)
    others = ar.soft_margin_loss(np.delete(x, 1100), y[1:], "sum", compute_dtype="float64")
    x[1100] = given
    got = ar.soft_margin_loss(x, y, "sum", compute_dtype="float64")
    # the logarithm of 1 plus the exponential of -inf, of inf, or NaN
    want = {np.inf: others, -np.inf: np.float32(np.inf)}.get(given, np.float32(np.nan))
    np.testing.assert_equal(got[()], want)


def shifted(self: Number, target: Number, reduction: Number, factor: Number) -> Number:
    """A term whose logarithm may cancel that of another one, beside an exact number."""
    return target * self.log1p() + factor


@pytest.mark.full
def test_parts_that_leave_a_tie_open_are_refused() -> None:
    operator = loss_of(Formula("test_shifted", shifted, tensors=2, scalars=2))
    x, target = np.array([[3, 3, 0], [1, -1, 0]], np.float32)
    part = partial_call(operator, (x, target), ("sum", 2.0**23 + 1), None, "exact")[1]
    with pytest.raises(ar.ArgumentValueError, match=r"^self has a sum .* too close to a tie"):
        part.round()
    assert part.round("float64") == 3 * (2**23 + 1)


@pytest.mark.full
def test_ties_of_means_are_decided_exactly() -> None:
    x = np.zeros(3, np.float32)
    for least, even in ((2.0**-60, 1.0 + 2.0**-23), (0.0, 1.0)):
        # three terms whose mean is next to the middle of two numbers, or is it
        x[:] = np.sqrt(3.0 * 2.0**24), np.sqrt(3.0), least
        terms = [Fraction(float(value)) ** 2 for value in x]
        want = round_fraction(sum(terms) / 3, "float32")
        assert loss(x, np.zeros_like(x), "mean", compute_dtype="float64") == want
        middle = np.array([1.5, 0.75, least, 0.0], np.float32)
        terms = [Fraction(float(value)) ** 2 for value in middle]
        got = loss(middle, np.zeros_like(middle), "mean", compute_dtype="float64")
        assert got == round_fraction(sum(terms) / 4, "float32")
        tie = np.array([2.0, 2.0**-11, 2.0**-11, least], np.float32)  # 4 (1 + 2**-23) and more
        got = loss(tie, np.zeros_like(tie), "mean", 2.0**-1, compute_dtype="float64")
        assert got == round_fraction(sum(Fraction(float(v)) ** 2 for v in tie) / 8, "float32")
        tie = np.array([2.0, 2.0**-11, 0.0, least], np.float32)  # 4 (1 + 2**-24) and more
        for zero in (np.zeros_like(tie), np.float16(0)):
            assert loss(tie, zero, "mean", compute_dtype="float64") == even


@pytest.mark.daily(12)
@pytest.mark.parametrize("mode", ["sum", "mean"])
@pytest.mark.parametrize("compute", [None, "bfloat16", "float64"])
def test_bits_do_not_depend_on_layouts_threads_and_parts(mode: str, compute: str | None) -> None:
    x, target = pair("float32", (72, 64, 40))
    want = loss(x, target, mode, compute_dtype=compute)
    assert want.shape == ()
    for seen in (np.asfortranarray(x), x[:, ::-1].copy()[:, ::-1], np.repeat(x, 2, 2)[..., ::2]):
        for threads in (1, 2):
            with ar.num_threads(threads):
                assert_bits(loss(seen, target, mode, compute_dtype=compute), want)
    for row in (target[:, :1], target[0], target[0, 0], target[..., :1], target[:1, :, :1]):
        assert_bits(
            loss(x, row, mode, compute_dtype=compute),
            loss(x, np.broadcast_to(row, x.shape).copy(), mode, compute_dtype=compute),
        )
    parts = [
        partial_call(LOSS, (x[k : k + 24], target[k : k + 24]), (mode, 1.0), k * 2560, compute)[1]
        for k in (48, 0, 24)
    ]
    assert_bits(parts[0].merge(*parts[1:]).round(), want)


@pytest.mark.full
@pytest.mark.parametrize("compute", [None, "float64"])
@pytest.mark.parametrize("chunks", [(24, 64, 40), (7, 10, 40), (72, 64, 9)])
def test_dask_arrays(
    chunks: tuple[int, ...], compute: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(OPERATORS, LOSS.name, LOSS)
    monkeypatch.setitem(APIS, LOSS.api, LOSS)
    x, target = pair("float32", (72, 64, 40))
    da = pytest.importorskip("dask.array", reason="it is in the dask extra")
    lazy = da.from_array(x, chunks=chunks)
    for mode in MODES:
        for other in (target, target[0], target[:, :1]):
            want = loss(x, other, mode, compute_dtype=compute)
            got = loss(lazy, other, mode, compute_dtype=compute)
            assert (got.shape, got.dtype) == (want.shape, want.dtype)
            assert_bits(got.compute(), want)
    empty = loss(lazy[:0], target[:0], "mean").compute()
    assert np.isnan(empty)


#: types of data and target, the type to which they are promoted, and that of the result
MIXTURES = [
    ("float16", "float32", "float32", "float32"),
    ("bfloat16", "float16", "float32", "float32"),
    ("float64", "bfloat16", "float64", "float64"),
    ("float32", "float32", "float32", "bfloat16"),
    ("float32", "float64", "float64", "float16"),
    ("bfloat16", "bfloat16", "bfloat16", "float64"),
]


@pytest.mark.daily(48)
@pytest.mark.parametrize("operator", [LOSS, IRRATIONAL], ids=["factors", "no factors"])
@pytest.mark.parametrize("compute", [None, "bfloat16", "float32", "exact"])
@pytest.mark.parametrize("types", MIXTURES, ids="-".join)
def test_tensors_of_several_types_that_broadcast(
    types: tuple[str, ...], compute: str | None, operator: Operator
) -> None:
    """Data are converted to the promoted type; the sum is rounded to it and then cast."""
    first, second, common, out = types
    x = numbers(first, (3, 1, 700), 1, tame=True)
    target = numbers(second, (5, 1), 2, tame=True)
    full = [array_of(common, exact(array)) for array in np.broadcast_arrays(x, target)]
    for mode in ("sum", "mean"):
        want = loss(*full, mode, compute_dtype=compute, operator=operator)
        assert_bits(loss(x, target, mode, compute_dtype=compute, operator=operator), want)
        result = np.zeros((), array_of(out, 0.0).dtype)
        loss(x, target, mode, out=result, compute_dtype=compute, operator=operator)
        if compute == "exact":  # rounded once, to the type of the result
            want = decide_sum(operator, full, mode, out)
        assert_bits(result, array_of(out, exact(want)))


def decide_sum(operator: Operator, tensors: list[Any], mode: str, kind: str) -> Any:
    """Return the exact sum or mean of terms, rounded once."""
    rows = [exact(tensor).ravel().tolist() for tensor in tensors]
    count = len(rows[0]) if mode == "mean" else 1

    def total(zero: Any) -> Any:
        for row in zip(*rows, strict=True):
            zero += operator.formula.function(*map(zero.lift, row), zero, zero.lift(1.0))
        return zero / count

    return array_of(kind, decide(total, (0.0,), (), kind))


@pytest.mark.parametrize("compute", [None, "float64"])
def test_no_terms(compute: str | None) -> None:
    x = np.empty((0, 3), np.float32)
    assert loss(x, x, "none", compute_dtype=compute).shape == (0, 3)
    assert_bits(loss(x, x, "sum", compute_dtype=compute), np.float32(0))
    assert np.isnan(loss(x, x, "mean", compute_dtype=compute))
    part = partial_call(LOSS, (x, x), ("mean", 1.0), None, compute)[1]
    assert np.isnan(part.round())


@pytest.mark.full
def test_calls_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache of calls keeps modes and scalars apart, and holds all of them."""
    x, target = pair("float32", (40,))
    want = {mode: [loss(x, target, mode, f).copy() for f in (1, 2)] for mode in MODES}
    out = {mode: np.empty_like(want[mode][0]) for mode in MODES}
    monkeypatch.delattr(call, "_checked_call")
    for _ in range(3):
        for mode in MODES:
            for k, factor in enumerate((1, 2)):
                assert_bits(loss(x, target, mode, factor), want[mode][k])
                assert loss(x, target, mode, factor, out[mode]) is out[mode]
                assert_bits(out[mode], want[mode][k])
    assert not np.array_equal(want["sum"][0], want["mean"][0])


@pytest.mark.full
def test_a_result_may_be_an_input() -> None:
    for compute in (None, "float64"):
        x, target = np.array(3, np.float32), np.array(1, np.float32)
        assert loss(x, target, "mean", out=x, compute_dtype=compute) is x
        assert x == 4


@pytest.mark.full
def test_the_device_reduces() -> None:
    plan, launch = phase_1_function(LOSS), phase_2_function(LOSS)
    device = ar.Device("Atlas A2")
    stream = device.create_stream()
    x, target = pair("float16", (50, 60))
    for shape in (x.shape, (0, 60)):
        seen = x[: shape[0]], target[: shape[0]]
        tensors = [device.tensor(array) for array in seen]
        for mode in ("none", "sum", "mean"):
            out = device.empty(shape if mode == "none" else (), x.dtype)
            size, executor = plan(*tensors, MODES.index(mode), 1.0, out)
            launch(device.malloc(size) if size else None, size, executor, stream)
            stream.synchronize()
            if mode == "none":
                assert_bits(out.numpy(), loss(*seen, mode))
            elif not shape[0]:
                assert_bits(out.numpy(), np.float16(0 if mode == "sum" else np.nan))
            else:
                # the first kernel stores the terms
                (total,) = tree_sum(np.float32(loss(*seen, "none")).reshape(1, -1), "float32")
                want = total if mode == "sum" else np.float32(total / x.size)
                assert_bits(out.numpy(), np.float16(want))
        with pytest.raises(ar.AclError, match=r"out has shape \(2,\)"):
            plan(*tensors, MODES.index("sum"), 1.0, device.empty((2,), x.dtype))
