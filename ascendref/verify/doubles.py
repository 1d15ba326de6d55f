"""F64 results beside exact ones, on a sample: there are too many to try them all."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.dtypes import FLOAT64
from ..declaration.accuracy import Bound
from .bounds import stated
from .exact import error_in_ulp, golden
from .subjects import Setting, Subject
from .sweep import Place
from .truth import target

#: pairs of a datum and a gradient in a sample, and where time does not matter
_PAIRS: Final = 3_000
_MANY: Final = 20_000
_FORM: Final = target(FLOAT64)


class DoubleCase(NamedTuple):
    """One operator and setting, measured."""

    subject: Subject
    setting: Setting
    pairs: int
    #: results that are not the exact value rounded once
    wrong: int
    #: the largest error where something is stated, and where it is
    max_ulp: float
    at: Place | None
    #: results that are further off than is stated, or NaN, or zeros of the wrong sign
    beyond: int
    #: what is stated
    bound: Bound

    @property
    def holds(self) -> bool:
        """Tell whether that is so."""
        return not (self.wrong if self.bound.rounded else self.beyond)


def _sample(rng: np.random.Generator, pairs: int) -> tuple[NDArray[np.float64], ...]:
    """Return data and gradients: any bits, numbers near 1, and numbers in [0, 1]."""
    third = pairs // 3
    rest = pairs - 2 * third

    def bits() -> NDArray[np.float64]:
        return rng.integers(0, 1 << 64, third, np.uint64).view(np.float64)

    near = np.ldexp(rng.standard_normal(third), rng.integers(-8, 8, third))
    data = np.concatenate([bits(), near, rng.uniform(0, 1, rest)])
    wide = np.ldexp(rng.standard_normal(rest), rng.integers(-1000, 1000, rest))
    return data, np.concatenate([bits(), rng.standard_normal(third), wide])


@np.errstate(all="ignore")
def measure_doubles(subject: Subject, setting: Setting, seed: int, exhaustive: bool) -> DoubleCase:
    """Compare a sample of F64 results, as they are computed in F64, with exact values."""
    data, gradients = _sample(np.random.default_rng(seed), _MANY if exhaustive else _PAIRS)
    other = setting.third(data)
    columns = [np.ascontiguousarray(array[:, None]) for array in (gradients, data, other)]
    actual = subject.call(setting, "float64", *columns)[:, 0]
    bound = stated(subject.operator.name, "float64", "float64", setting, data.size)
    assert bound is not None
    allowed = np.broadcast_to(subject.allowed(bound, data, other), data.shape)
    numbers = subject.numbers(setting, data.size)
    wrong, beyond, worst, at = 0, 0, 0.0, None
    rows = zip(*(a.tolist() for a in (data, other, gradients, actual, allowed)), strict=True)
    for x, third, gradient, value, most in rows:
        wanted = golden(subject.exact(x, third, *numbers), gradient, _FORM)
        if math.isnan(value) and math.isnan(wanted.rounded):
            continue
        signs = [math.copysign(1.0, number) for number in (value, wanted.rounded)]
        if value == wanted.rounded and (value != 0 or signs[0] == signs[1]):
            error = error_in_ulp(value, wanted, _FORM)
        else:
            wrong += 1
            alike = value != wanted.rounded and not math.isnan(value - wanted.rounded)
            error = error_in_ulp(value, wanted, _FORM) if alike else math.inf
        beyond += error > most
        if worst < error < math.inf and most < math.inf:
            worst, at = error, Place(x, gradient, value, wanted.rounded)
    return DoubleCase(subject, setting, data.size, wrong, worst, at, beyond, bound)
