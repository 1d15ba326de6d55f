"""The half-precision compute types, step by step: every operation of a formula rounded.

The formulas are written down once more, in NumPy. float64 holds a sum, product or quotient of two
F16 or BF16 numbers so closely that rounding it once more gives what one rounding would have given
(2 * 11 + 2 <= 53 bits; Figueroa, "When is double rounding innocuous?"). The exponential is
decimal's where float64 leaves its rounding open.

Every rounding has a name, a *point*, so that one can be measured alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, Final

import numpy as np

from ..core.dtypes import ELEMENT_TYPES, float_format
from .exact import round_fraction
from .subjects import Setting, Subject
from .truth import Doubles, target

#: relative doubt about NumPy's float64 exponential, as in truth
_EXP_ERROR: Final = 2.0**-48


def rounded(values: Doubles, kind: str) -> Doubles:
    """Round float64 values to a type, to nearest even, and return them as float64.

    Examples
    --------
    >>> import numpy as np
    >>> rounded(np.array([2049.0, 2051.0, 65520.0, -1e-9]), "float16")
    array([2048., 2052.,   inf,   -0.])
    """
    if kind == "float64":
        return values
    form = float_format(ELEMENT_TYPES[kind])
    lowest = target(ELEMENT_TYPES[kind]).lowest
    finite = np.where(np.isfinite(values), values, 0)
    power = np.maximum(np.frexp(finite)[1] - 1, lowest) - form.fraction
    steps = np.rint(np.ldexp(finite, -power))
    result: Doubles = np.copysign(np.ldexp(steps, power), finite)
    result = np.where(np.abs(result) > form.largest, np.copysign(math.inf, result), result)
    return np.where(np.isfinite(values), result, values)


@dataclass
class Arithmetic:
    """A compute type: what its operations round to, and at which points."""

    #: the compute type
    kind: str
    #: the only point that rounds; None for all
    only: str | None = None
    #: the points that were passed, in order
    points: list[str] = field(default_factory=list)

    def at(self, point: str, values: Any) -> Any:
        """Round at a point, unless another one is looked at alone."""
        if point not in self.points:
            self.points.append(point)
        return self._round(np.asarray(values, np.float64)) if self.only in (None, point) else values

    def _round(self, values: Any) -> Any:
        return rounded(values, self.kind)

    def exp_at(self, point: str, values: Doubles) -> Any:
        """Return the exponential, rounded once."""
        powers = np.exp(values)
        result = self.at(point, powers)
        if result is powers:
            return result
        doubt = _EXP_ERROR * np.where(np.isfinite(powers), powers, 0)
        undecided = self._round(powers - doubt) != self._round(powers + doubt)
        form = target(ELEMENT_TYPES[self.kind])
        for index in np.argwhere(undecided & np.isfinite(powers)):
            argument = Decimal(float(values[tuple(index)]))
            power = Context(prec=60, Emin=-(10**6), Emax=10**6).exp(argument)
            result[tuple(index)] = round_fraction(Fraction(power), form)
        return result


def _hardshrink(a: Arithmetic, g: Any, x: Any, other: Any, lambd: float) -> Any:
    bound = a.at("scalars", lambd)
    return np.where((x > bound) | (x < -bound), g, 0.0)


def _softplus(a: Arithmetic, g: Any, x: Any, other: Any, beta: float, threshold: float) -> Any:
    beta, threshold = a.at("scalars", beta), a.at("scalars", threshold)
    z = a.at("z = β·x", beta * x)
    power = a.exp_at("e = exp(−z)", -z)
    logistic = a.at("g / s", g / a.at("s = 1 + e", 1 + power))
    return np.where((z > threshold) | (np.isinf(g) & (z > -math.inf)), g, logistic)


def _prelu(a: Arithmetic, g: Any, x: Any, other: Any) -> Any:
    return np.where(x > 0, g, a.at("g·w", g * other))


def _smooth_l1(a: Arithmetic, g: Any, x: Any, other: Any, beta: float, count: float) -> Any:
    beta, norm = a.at("scalars", beta), a.at("scalars", 1 / count)
    d = a.at("d = x − t", x - other)
    slope = a.at("s = d / β", d / beta)
    sign = np.where(d == 0, 0.0, np.sign(d))
    slope = np.where(np.abs(d) < beta, slope, sign)
    return a.at("n·g", a.at("n = norm·s", norm * slope) * g)


def _logit(a: Arithmetic, g: Any, x: Any, other: Any, low: float, high: float) -> Any:
    low, high = a.at("scalars", low), a.at("scalars", high)
    rest = a.at("r = 1 − x", 1 - x)
    inside = a.at("g / p", g / a.at("p = x·r", x * rest))
    edge = a.at("g / p", g * math.inf)
    everywhere = np.ones_like(x, np.bool_)
    return np.select(
        [
            everywhere & np.isnan(low),
            everywhere & (low == math.inf),
            everywhere & (low > 1),
            everywhere & (low == 1),
            np.isnan(x),
            (low < 0) & ((x < 0) | (x > 1)),
            (low >= 0) & ((x < low) | (x > high)),
            (x == 0) | (x == 1),
        ],
        [math.nan, 0.0, math.nan, edge, math.nan, math.nan, 0.0, edge],
        inside,
    )


_STEPS: Final[dict[str, Callable[..., Any]]] = {
    "hardshrink_backward": _hardshrink,
    "softplus_backward": _softplus,
    "prelu_backward": _prelu,
    "smooth_l1_loss_backward": _smooth_l1,
    "logit_grad": _logit,
}


@np.errstate(all="ignore")
def evaluate(
    subject: Subject, setting: Setting, arithmetic: Arithmetic, tensors: tuple[Any, Any, Any]
) -> Any:
    """Return an operator's results as float64, before they are rounded to the result's type.

    The tensors are gradient, data and the third one, of one shape.
    """
    size = math.prod(np.shape(tensors[1]))
    numbers = subject.numbers(setting, size)
    loaded = [arithmetic.at("tensors", np.asarray(t).astype(np.float64)) for t in tensors]
    return _STEPS[subject.operator.name](arithmetic, *loaded, *numbers)
