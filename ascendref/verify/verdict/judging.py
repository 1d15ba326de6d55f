"""Verdicts: how results of a call compare with the exact ones, and which arithmetics they fit."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import BY_NUMPY, FLOAT32, FLOAT64, STEPS, float_format
from ..accuracy.steps import compared
from ..comparison.acceptance import RULES, assert_accepted
from ..comparison.errors import Comparison, compare, ulp_errors
from ..comparison.ulp import spacing
from ..rounding import Doubles
from .calls import Call, Truth

#: the arithmetic whose results are exact values, rounded once
ROUNDED: Final = "correctly rounded"
#: PyTorch's tolerances for results of a type: relative and absolute (``torch.testing``)
TOLERANCES: Final = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
}
#: elements that are shown
_SHOWN: Final = 5
#: half a unit in the last place, by which an exact value and its rounding differ at most
_HALF: Final = 0.5


class Fit(NamedTuple):
    """How results fit an arithmetic."""

    arithmetic: str
    #: elements that are farther off than its bound
    beyond: int
    bound: str
    #: elements for which no bound is stated
    unbounded: int = 0


class Element(NamedTuple):
    """An element of a result that is not correctly rounded."""

    at: tuple[int, ...]
    #: the elements of the tensors that it was computed from, by name; none of a sum
    inputs: dict[str, float]
    actual: float
    #: the exact value as float64
    exact: float
    ulp: float


@dataclass
class Verdict:
    """What is to be said about a result."""

    name: str
    actual: NDArray[Any]
    truth: Truth
    #: what is wrong with it as a whole; then nothing else is compared
    problem: str = ""
    #: elements that are not the exact value rounded once, zeros of the other sign included
    wrong: int = 0
    comparison: Comparison | None = None
    #: in ulp, infinite for a zero of the other sign and next to NaN
    errors: Doubles = field(default_factory=lambda: np.empty(0))
    #: the largest finite error, and how many errors are infinite
    largest: float = 0.0
    infinite: int = 0
    #: every arithmetic that was tried, until one fits
    fits: list[Fit] = field(default_factory=list)
    #: whether the vendor's rule accepts it; None if it has no rule for the type
    accepted: bool | None = None
    #: why not, or what it forgives
    acceptance: str = ""
    #: whether it is within PyTorch's tolerances
    close: bool = False
    worst: list[Element] = field(default_factory=list)

    @property
    def arithmetic(self) -> str | None:
        """The first arithmetic that it fits."""
        return next((fit.arithmetic for fit in self.fits if not fit.beyond), None)

    @property
    def right(self) -> bool:
        return not self.problem and self.arithmetic is not None

    def measure(self, errors: Doubles) -> None:
        """Keep the errors, and say how large they are."""
        self.errors, finite = errors, np.isfinite(errors)
        self.largest = float(errors.max(initial=0.0, where=finite))
        self.infinite = int(np.count_nonzero(~finite))

    def without_arrays(self) -> Verdict:
        """Return all that is said, without the elements."""
        actual = np.broadcast_to(np.zeros((), self.actual.dtype), self.actual.shape)
        none = Truth(np.empty(0), np.empty(0))
        return replace(self, actual=actual, truth=none, errors=none.values)


@dataclass(frozen=True)
class Judged:
    """A call with the verdicts on its results."""

    label: str
    operator: str
    attrs: Mapping[str, float | str]
    verdicts: Sequence[Verdict]
    #: changes of the call with which all results would be right, in words
    would_fit: Sequence[str] = ()
    #: whether they are results of somebody else, beside which those in question are seen
    is_reference: bool = False
    #: what a reader should know besides
    notes: Sequence[str] = ()
    #: None unless it is an operator of ascendref's
    call: Call | None = None

    @property
    def right(self) -> bool:
        return all([verdict.right for verdict in self.verdicts])

    def without_arrays(self) -> Judged:
        """Return all that is said, without the elements of arguments and results."""
        verdicts = [verdict.without_arrays() for verdict in self.verdicts]
        return replace(self, verdicts=verdicts, call=None)


#: tries arithmetics on a result, given its errors in ulp
Fits = Callable[[Doubles], Iterator[Fit]]
#: gives the elements of tensors that an element, by its place in C order, was computed from
Inputs = Callable[[int], dict[str, float]]


@np.errstate(all="ignore")  # signalling NaNs
def judge_call(call: Call, *, steps: bool = True) -> list[Verdict]:
    """Judge every result of a call that is given; ``steps`` tries arithmetic step by step too."""
    truths = call.truths()
    return [
        _verdict(call, name, array, truths[name], steps) for name, array in call.results.items()
    ]


def _verdict(call: Call, name: str, actual: NDArray[Any], truth: Truth, steps: bool) -> Verdict:
    is_sum = call.is_sum or name != call.operator.outputs[0]

    def fits(errors: Doubles) -> Iterator[Fit]:
        if not BY_NUMPY[actual.dtype].floating:
            return
        yield (_fit_of_sum if is_sum else _fit_of_elements)(call, actual, truth, errors)
        for compute in STEPS if steps else ():
            yield _fit_of_steps(call, name, actual, compute, is_sum)

    def inputs(place: int) -> dict[str, float]:
        for part in [] if is_sum else call.parts(actual.shape):
            at = np.flatnonzero(part.places.reshape(-1) == place)
            if at.size:
                arrays = zip(call.operator.operand_names, part.tensors, strict=True)
                return {name: array.reshape(-1)[at[0]].item() for name, array in arrays}
        return {}

    return judge_result(name, actual, truth, fits, inputs)


@np.errstate(all="ignore")
def judge_result(
    name: str, actual: NDArray[Any], truth: Truth, fits: Fits, inputs: Inputs
) -> Verdict:
    """Judge a result: is it correctly rounded, and if not, which arithmetic does it fit?"""
    verdict = Verdict(name, actual, truth)
    if actual.shape != truth.rounded.shape:
        verdict.problem = f"has shape {actual.shape}; {truth.rounded.shape} is expected"
        return verdict
    same = (actual == truth.rounded) & (_signs(actual) == _signs(truth.rounded))
    same |= (actual != actual) & (truth.rounded != truth.rounded)
    verdict.wrong = int(np.count_nonzero(~same))
    kind = actual.dtype if BY_NUMPY[actual.dtype].floating else np.dtype(np.float64)
    numbers = actual.astype(kind)
    verdict.comparison = compare(numbers, truth.values)
    errors = ulp_errors(numbers, truth.values)
    errors[~same & (actual == truth.rounded)] = np.inf
    verdict.measure(errors)
    verdict.fits.append(Fit(ROUNDED, verdict.wrong, "½ ulp"))
    if verdict.wrong:
        for fit in fits(errors):
            verdict.fits.append(fit)
            if not fit.beyond:
                break
        verdict.worst = worst_elements(verdict, ~same, inputs)
    _apply_rules(verdict, numbers)
    return verdict


def _signs(array: NDArray[Any]) -> NDArray[np.bool_]:
    return np.signbit(array) if BY_NUMPY[array.dtype].floating else np.zeros(array.shape, bool)


def _apply_rules(verdict: Verdict, numbers: NDArray[Any]) -> None:
    """Apply the vendor's and PyTorch's rules."""
    values, kind = verdict.truth.values, numbers.dtype.name
    if verdict.actual.dtype.name in RULES:
        verdict.accepted, verdict.acceptance = vendor_accepts(numbers, values)
    rounded = verdict.truth.rounded.astype(np.float64)
    relative, absolute = TOLERANCES[kind]
    if not BY_NUMPY[verdict.actual.dtype].floating:
        relative = absolute = 0.0
    numbers = numbers.astype(np.float64)
    near = abs(numbers - rounded) <= absolute + relative * abs(rounded)
    near &= np.isfinite(rounded)
    near |= (numbers == rounded) | (np.isnan(numbers) & np.isnan(rounded))
    verdict.close = bool(near.all())


def vendor_accepts(actual: NDArray[Any], values: Doubles) -> tuple[bool, str]:
    """Tell whether the vendor's rule accepts a result, and why not, or what it forgives."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            assert_accepted(actual, values)
        except AssertionError as error:
            return False, str(error)
    return True, "".join([str(each.message) for each in found])


def worst_elements(verdict: Verdict, wrong: NDArray[np.bool_], inputs: Inputs) -> list[Element]:
    """Return the elements with the largest errors; of each kind of mismatch, first of all, one."""
    actual = verdict.actual.astype(np.float64).reshape(-1)
    exact, rounded = verdict.truth.values.reshape(-1), verdict.truth.rounded.astype(np.float64)
    rounded, errors, wrong = rounded.reshape(-1), verdict.errors.reshape(-1), wrong.reshape(-1)
    nan = wrong & (np.isnan(actual) != np.isnan(rounded))
    infinity = wrong & ~nan & (np.isinf(actual) != np.isinf(rounded))
    zeros = wrong & (actual == 0) & (rounded == 0)
    places = [int(mask.argmax()) for mask in (nan, infinity, zeros) if mask.any()]
    ranked = np.where(wrong & ~nan & ~zeros, errors, -1.0)
    order = np.argsort(-ranked, kind="stable")[:_SHOWN]
    places += [int(k) for k in order if ranked[k] >= 0 and k not in places]
    return [
        Element(
            tuple(int(i) for i in np.unravel_index(k, verdict.actual.shape)),
            inputs(k),
            actual[k].item(),
            exact[k].item(),
            errors[k].item(),
        )
        for k in places[:_SHOWN]
    ]


# --- arithmetics ----------------------------------------------------------------------------------


@np.errstate(all="ignore")
def _fit_of_elements(call: Call, actual: NDArray[Any], truth: Truth, errors: Doubles) -> Fit:
    """Compare errors with the bound that the operator states for its default arithmetic."""
    kind = BY_NUMPY[actual.dtype]
    # errors of F64 are distances from values that are rounded as well
    rest = _HALF if kind is FLOAT64 else 0.0
    beyond = unbounded = 0
    texts = []
    for part in call.parts(actual.shape):
        bound = part.setting.bound(kind.name, call.compute, call.count(actual.shape))
        if bound is None:
            beyond, texts = beyond + part.places.size, ["no bound is stated"]
            continue
        found = errors.reshape(-1)[part.places]
        allowed = np.broadcast_to(part.setting.allowed(bound, part.tensors), found.shape)
        none = np.isinf(allowed)
        beyond += int(np.count_nonzero((found > allowed + rest) & ~none))
        if bound.rounded:  # an error of half an ulp may be that of the other neighbour
            right = (actual == truth.rounded) | (np.isnan(actual) & np.isnan(truth.rounded))
            beyond += int(np.count_nonzero(~right.reshape(-1)[part.places] & ~(found > allowed)))
        unbounded += int(np.count_nonzero(none))
        texts.append(str(bound))
    return Fit(call.compute, beyond, ", ".join(dict.fromkeys(texts)), unbounded)


@np.errstate(all="ignore")
def _fit_of_sum(call: Call, actual: NDArray[Any], truth: Truth, errors: Doubles) -> Fit:
    """Compare errors with what rounding after each addition gives at most, in any order."""
    kind = BY_NUMPY[actual.dtype]
    magnitudes, terms = call.magnitudes(truth.values)
    unit = 2.0 ** -(float_format(FLOAT64 if call.compute == FLOAT64.name else FLOAT32).fraction + 1)
    elements = 1.0
    if call.is_sum and call.operator.accuracy is not None:
        values = call.scalars | {"reduction": "none"}
        elements = 2 * call.operator.accuracy(FLOAT32, values, 1).ulp
    ulp = spacing(np.where(np.isfinite(truth.values), truth.values, 0.0), kind)
    allowed = (terms + elements) * unit * magnitudes + _HALF * ulp * (1 + (kind is FLOAT64))
    wrong = ~((actual == truth.rounded) | (np.isnan(actual) & np.isnan(truth.rounded)))
    beyond = np.count_nonzero(wrong & ~(errors * ulp <= allowed))
    text = f"½ ulp + ({terms:,} + {elements:g}) · {unit:.3g} of the magnitudes' sum, any order"
    return Fit(call.compute, int(beyond), text)


def _fit_of_steps(call: Call, name: str, actual: NDArray[Any], compute: str, is_sum: bool) -> Fit:
    """Compare bits with those of a formula whose every operation is rounded."""
    numbers, kind = actual.astype(np.float64), BY_NUMPY[actual.dtype].name
    text = "the formula, rounded after every operation"
    if is_sum:
        own = call.computed(compute)[name].astype(np.float64)
        same = (own == numbers) | (np.isnan(own) & np.isnan(numbers))
        return Fit(compute, int(np.count_nonzero(~same)), text)
    beyond = 0
    for part in call.parts(actual.shape):
        found, size = numbers.reshape(-1)[part.places], call.count(actual.shape)
        same, _ = compared(part.setting, part.tensors, found, size, compute, kind)
        beyond += int(np.count_nonzero(~same))
    return Fit(compute, beyond, text)
