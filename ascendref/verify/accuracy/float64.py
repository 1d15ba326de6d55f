"""F64 results against exact values, on a sample: there are too many to test all."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from ...core.dtypes import FLOAT64
from ...declaration.accuracy import Bound
from ..oracles.exact import error_in_ulp, golden
from ..oracles.formats import Doubles, format_of
from ..oracles.reference import Reference, Setting
from .bounds import stated
from .sweep_result import Element

#: pairs of a datum and a gradient in a sample, and in an exhaustive run
_PAIRS: Final = 3_000
_MANY: Final = 20_000
_FORM: Final = format_of(FLOAT64)


class Float64Result(NamedTuple):
    """One operator and setting."""

    reference: Reference
    setting: Setting
    pairs: int
    #: results that are not correctly rounded
    wrong: int
    #: the largest error where a bound is stated, and its position
    max_ulp: float
    at: Element | None
    #: results beyond the stated bound, mismatched NaNs, and zeros of the wrong sign
    beyond: int
    #: the stated bound
    bound: Bound

    @property
    def holds(self) -> bool:
        """Tell whether the bound holds."""
        return not (self.wrong if self.bound.rounded else self.beyond)


def _sample(rng: np.random.Generator, pairs: int) -> tuple[Doubles, ...]:
    """Return data and gradients: any bits, numbers near 1, and numbers in [0, 1]."""
    third = pairs // 3
    rest = pairs - 2 * third

    def bits() -> Doubles:
        return rng.integers(0, 1 << 64, third, np.uint64).view(np.float64)

    near = np.ldexp(rng.standard_normal(third), rng.integers(-8, 8, third))
    data = np.concatenate([bits(), near, rng.uniform(0, 1, rest)])
    wide = np.ldexp(rng.standard_normal(rest), rng.integers(-1000, 1000, rest))
    return data, np.concatenate([bits(), rng.standard_normal(third), wide])


@np.errstate(all="ignore")
def measure_float64(
    reference: Reference, setting: Setting, seed: int, exhaustive: bool
) -> Float64Result:
    """Compare a sample of results computed in F64 with exact values."""
    data, gradients = _sample(np.random.default_rng(seed), _MANY if exhaustive else _PAIRS)
    others = setting.others(data)
    columns = [np.ascontiguousarray(array[:, None]) for array in (gradients, data, others)]
    results = reference.call(setting, "float64", *columns)[:, 0]
    bound = stated(reference.name, "float64", "float64", setting, data.size)
    assert bound is not None
    allowed = np.broadcast_to(reference.allowed(bound, data, others), data.shape)
    prepared = reference.prepared(setting, data.size)
    wrong, beyond, worst, at = 0, 0, 0.0, None
    rows = zip(*(a.tolist() for a in (data, others, gradients, results, allowed)), strict=True)
    for x, other, gradient, actual, most in rows:
        expected = golden(reference.exact(x, other, *prepared), gradient, _FORM)
        if math.isnan(actual) and math.isnan(expected.rounded):
            continue
        signs = [math.copysign(1.0, number) for number in (actual, expected.rounded)]
        if actual == expected.rounded and (actual != 0 or signs[0] == signs[1]):
            error = error_in_ulp(actual, expected, _FORM)
        else:
            wrong += 1
            alike = actual != expected.rounded and not math.isnan(actual - expected.rounded)
            error = error_in_ulp(actual, expected, _FORM) if alike else math.inf
        beyond += error > most
        if worst < error < math.inf and most < math.inf:
            worst, at = error, Element(x, gradient, actual, expected.rounded)
    return Float64Result(reference, setting, data.size, wrong, worst, at, beyond, bound)
