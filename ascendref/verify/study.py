"""The error that each rounding of a formula causes, in each compute type.

The data are representable in both F16 and BF16, so no compute type loses anything before the first
operation; the results are F64, so none loses anything after the last. What remains is the error of
the arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from ..core.dtypes import ELEMENT_TYPES, FLOAT64
from ..core.errors import OptionError
from .comparison.ulp import spacing
from .oracles import exact
from .oracles.formats import Doubles, format_of
from .oracles.reference import Reference, Setting
from .oracles.rounding import Arithmetic

#: the compute types, by what they cost
COMPUTED: Final = ("bfloat16", "float16", "float32", "float64")
#: pairs of a datum and a gradient
PAIRS: Final = 4096
#: an error in ulp caused by the F64 in which all other operations are computed
_NOTHING: Final = 1e-6
#: roundings of the inputs, which are exact here
_INCOMING: Final = ("tensors", "scalars")


@dataclass(frozen=True)
class Cost:
    """Errors of results, in ulp of the compute type."""

    mean_ulp: float
    max_ulp: float


@dataclass(frozen=True, eq=False)
class Study:
    """One operator in every compute type."""

    reference: Reference
    setting: Setting
    #: the data
    data: Doubles
    #: relative errors by compute type
    errors: dict[str, Doubles]
    #: cost of all roundings of a compute type together
    costs: dict[str, Cost]
    #: cost of each rounding alone, by compute type and point; F64 cannot be studied in F64
    points: dict[str, dict[str, Cost]]


def study(reference: Reference, setting: Setting, seed: int) -> Study:
    """Compute the same data in every compute type."""
    data, gradients = _data(reference, seed)
    tensors = gradients, data, _short(setting.others(data))
    exact_results = _exact_results(reference, setting, *tensors)
    golden = np.array([float(value) for value in exact_results])
    errors, costs, points = {}, {}, {}
    for compute in COMPUTED:
        found = reference.call(setting, compute, *(array[:, None] for array in tensors))[:, 0]
        # F64 results are as precise as golden: take the difference of fractions
        away = [abs(Fraction(f) - v) for f, v in zip(found.tolist(), exact_results, strict=True)]
        absolute = np.array([float(value) for value in away])
        errors[compute] = absolute / np.where(golden == 0, 1, np.abs(golden))
        costs[compute] = _cost(absolute, golden, compute)
        if compute != "float64":
            points[compute] = _points(reference, setting, compute, tensors, golden)
    return Study(reference, setting, data, errors, costs, points)


def _data(reference: Reference, seed: int) -> tuple[Doubles, Doubles]:
    """Return data in the interval where the operator is not trivial, and gradients."""
    rng = np.random.default_rng(seed)
    gradients = _short(rng.choice([-1, 1], PAIRS) * rng.uniform(0.1, 4, PAIRS))
    return _short(rng.uniform(*reference.interval, PAIRS)), gradients


def _short(values: Doubles) -> Doubles:
    """Keep the 8 bits that BF16 has, in the range of F16."""
    significands, exponents = np.frexp(values)
    exponents = np.maximum(exponents, -6)
    result: Doubles = np.ldexp(np.rint(np.ldexp(significands, 8)), exponents - 8)
    return result


def _exact_results(
    reference: Reference, setting: Setting, gradients: Doubles, data: Doubles, others: Doubles
) -> list[Fraction]:
    prepared, form = reference.prepared(setting, data.size), format_of(FLOAT64)
    rows = zip(data.tolist(), others.tolist(), gradients.tolist(), strict=True)
    values = [exact.golden(reference.exact(x, y, *prepared), g, form).exact for x, y, g in rows]
    found = [value for value in values if value is not None]
    if len(found) < len(values):  # the data are finite, and inside
        raise OptionError("--attr", f"results of {reference.name} are not finite with it")
    return found


def _cost(absolute: Doubles, golden: Doubles, compute: str) -> Cost:
    ulps = absolute / spacing(golden, ELEMENT_TYPES[compute])
    return Cost(float(ulps.mean()), float(ulps.max()))


def _points(
    reference: Reference,
    setting: Setting,
    compute: str,
    tensors: tuple[Doubles, Doubles, Doubles],
    golden: Doubles,
) -> dict[str, Cost]:
    everywhere = Arithmetic(compute)
    reference.evaluate(setting, everywhere, *tensors)
    costs = {}
    for point in everywhere.points:
        if point not in _INCOMING:
            values = reference.evaluate(setting, Arithmetic(compute, only=point), *tensors)
            costs[point] = _cost(np.abs(values - golden), golden, compute)
    return {point: cost for point, cost in costs.items() if cost.max_ulp > _NOTHING}
