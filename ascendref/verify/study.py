"""What each rounding of a formula costs, in each compute type.

The data are numbers that F16 and BF16 both hold, so that no compute type loses anything before the
first operation, and the results are F64, so that none loses anything after the last. What is left
is the arithmetic of the compute type.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from ..core.dtypes import ELEMENT_TYPES, FLOAT64
from ..core.errors import ArgumentValueError
from . import exact
from .steps import Arithmetic, evaluate
from .subjects import Setting, Subject
from .truth import Doubles, Target, target
from .ulp import spacing

#: the compute types, by what they cost
COMPUTED: Final = ("bfloat16", "float16", "float32", "float64")
#: pairs of a datum and a gradient
PAIRS: Final = 4096
#: an error in ulp that is due to the F64 in which all other operations are made
_NOTHING: Final = 1e-6
#: roundings of what comes in, which is exact here
_INCOMING: Final = ("tensors", "scalars")


@dataclass(frozen=True)
class Cost:
    """How far results are from the exact values, in ulp of the compute type."""

    mean_ulp: float
    max_ulp: float


@dataclass(frozen=True, eq=False)
class Study:
    """One operator in every compute type."""

    subject: Subject
    setting: Setting
    #: the data
    data: Doubles
    #: relative errors by compute type
    errors: dict[str, Doubles]
    #: what all roundings of a compute type cost together
    costs: dict[str, Cost]
    #: what each costs alone, by compute type and point; F64 is too fine to take apart in F64
    points: dict[str, dict[str, Cost]]


def study(subject: Subject, setting: Setting, seed: int) -> Study:
    """Send the same data through every compute type."""
    data, gradients = _data(subject, seed)
    third = _short(setting.third(data))
    numbers = subject.numbers(setting, data.size)
    form = target(FLOAT64)
    wanted = [
        _exact(subject, x, t, numbers, g, form)
        for x, t, g in zip(data.tolist(), third.tolist(), gradients.tolist(), strict=True)
    ]
    golden = np.array([float(value) for value in wanted])
    errors, costs, points = {}, {}, {}
    for compute in COMPUTED:
        tensors = (array[:, None] for array in (gradients, data, third))
        found = subject.call(setting, compute, *tensors)[:, 0]
        # F64 results are as fine as golden: the difference is taken of fractions
        away = [abs(Fraction(f) - v) for f, v in zip(found.tolist(), wanted, strict=True)]
        absolute = np.array([float(value) for value in away])
        errors[compute] = absolute / np.where(golden == 0, 1, np.abs(golden))
        costs[compute] = _cost(absolute, golden, compute)
        if compute != "float64":
            points[compute] = _points(subject, setting, compute, (gradients, data, third), golden)
    return Study(subject, setting, data, errors, costs, points)


def _data(subject: Subject, seed: int) -> tuple[Doubles, Doubles]:
    """Return data in the range where an operator does something, and gradients."""
    rng = np.random.default_rng(seed)
    gradients = _short(rng.choice([-1, 1], PAIRS) * rng.uniform(0.1, 4, PAIRS))
    if subject.operator.name == "logit_grad":
        return _short(rng.uniform(0.01, 0.99, PAIRS)), gradients
    if subject.operator.name == "softplus_backward":
        return _short(rng.uniform(-8, 8, PAIRS)), gradients
    return _short(rng.uniform(-3, 3, PAIRS)), gradients


def _short(values: Doubles) -> Doubles:
    """Keep the 8 bits that BF16 has, in the range of F16."""
    significands, exponents = np.frexp(values)
    exponents = np.maximum(exponents, -6)
    result: Doubles = np.ldexp(np.rint(np.ldexp(significands, 8)), exponents - 8)
    return result


def _exact(
    subject: Subject, x: float, t: float, numbers: tuple[float, ...], g: float, form: Target
) -> Fraction:
    value = exact.golden(subject.exact(x, t, *numbers), g, form).exact
    if value is None:  # the data are finite, and inside
        raise ArgumentValueError(
            "--attr", f"makes results of {subject.operator.name} that are no finite numbers"
        )
    return value


def _cost(absolute: Doubles, golden: Doubles, compute: str) -> Cost:
    ulps = absolute / spacing(golden, ELEMENT_TYPES[compute])
    return Cost(float(ulps.mean()), float(ulps.max()))


def _points(
    subject: Subject,
    setting: Setting,
    compute: str,
    tensors: tuple[Doubles, Doubles, Doubles],
    golden: Doubles,
) -> dict[str, Cost]:
    everywhere = Arithmetic(compute)
    evaluate(subject, setting, everywhere, tensors)
    costs = {}
    for point in everywhere.points:
        if point not in _INCOMING:
            values = evaluate(subject, setting, Arithmetic(compute, only=point), tensors)
            costs[point] = _cost(np.abs(values - golden), golden, compute)
    return {point: cost for point, cost in costs.items() if cost.max_ulp > _NOTHING}
