"""The accuracy that an operator states: error bounds in units in the last place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from ctypes import c_float
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.dtypes import FLOAT32, FLOAT64, ElementType, float_format
from ..kernels.arithmetic.arrays import evaluate


class Bound(NamedTuple):
    """How far a result may be from the exact value of the formula."""

    #: largest error, in units in the last place of the exact value
    ulp: float
    #: whether every result is the exact value rounded once, to nearest even
    rounded: bool = False
    #: computes, from float64 arrays of the tensors without the gradient, what is added to ``ulp``
    #: for each element; np.inf where no bound applies
    more: Callable[..., NDArray[np.float64]] | None = None
    #: ``more`` in words
    words: str = ""

    def __str__(self) -> str:
        if self.rounded:
            return "correctly rounded"
        return f"{self.ulp:.4g} ulp" + (f" {self.words}" if self.words else "")


#: the exact value rounded once
ROUNDED: Final = Bound(0.5, rounded=True)
#: ulp of half-precision results of F32 arithmetic: the last rounding dominates
HALF_ULP: Final = 0.5 + 2.0**-8

#: ``accuracy(kind, scalars, size)`` returns the error bound of results of a type in F32 arithmetic
#: (F64 arithmetic for F64), given the scalars by name and the number of results
Accuracy = Callable[[ElementType, Mapping[str, Any], int], Bound]


def rounded_once(kind: ElementType, scalars: Mapping[str, Any], size: int) -> Bound:
    """Accuracy of a formula with a single rounding, at its end."""
    return ROUNDED


def relative(ulp: float, factor: Callable[..., Any] | None = None) -> Accuracy:
    """Return the accuracy of a formula that does not cancel: the bound of F32 results.

    Those of F64 data are computed with 60 bits, so little more than the last rounding is lost. If a
    factor of the formula is given, no bound is stated for them where its second half is subnormal.
    """

    def accuracy(kind: ElementType, scalars: Mapping[str, Any], size: int) -> Bound:
        own = {FLOAT32: ulp, FLOAT64: 1.0}.get(kind, HALF_ULP)
        if factor is None or kind is not FLOAT64:
            return Bound(own)
        least = 2.0**-1014

        def more(*tensors: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.where(abs(evaluate(factor, np, tensors)) < least, np.inf, 0.0)

        return Bound(own, more=more, words=f"where |{factor.__name__}| >= {least:.3g}")

    return accuracy


def where_normal(accuracy: Accuracy, value: Callable[..., Any], words: str) -> Accuracy:
    """Return an accuracy that is stated where a value, given in ``words`` as well, is normal.

    It is a formula of the tensors without the gradient.
    """

    def stated(kind: ElementType, scalars: Mapping[str, Any], size: int) -> Bound:
        bound = accuracy(kind, scalars, size)
        form = float_format(FLOAT64 if kind is FLOAT64 else FLOAT32)

        def more(*tensors: NDArray[np.float64]) -> NDArray[np.float64]:
            size = abs(evaluate(value, np, tensors))
            stated = (size >= form.normal) & (size < 0.999 * form.largest)
            return np.where(stated, bound.more(*tensors) if bound.more else 0.0, np.inf)

        return bound._replace(more=more, words=f"{bound.words} where {words} is normal".strip())

    return stated


def by_choice(name: str, **bounds: Accuracy) -> Accuracy:
    """Return the accuracy of an operator that a scalar decides, by the names of its choices."""
    choices: dict[Any, Accuracy] = {**bounds, **dict(enumerate(bounds.values()))}
    return lambda kind, scalars, size: choices[scalars[name]](kind, scalars, size)


def near_zero(
    ulp: float,
    absolute: float,
    gradient: Callable[..., Any],
    *names: str,
    at_most: float = np.inf,
) -> Accuracy:
    """Return the accuracy of a gradient, whose error is absolute next to a zero of the derivative.

    The bounds are those of F32 results, in ulp of the result and of a result whose derivative is 1;
    F64 results have 1 ulp and 2**-5 ulp. No bound applies where the gradient, a formula that takes
    the scalars of these names, is not a normal number for a gradient of 1. The absolute error of
    F32 results is at most ``at_most`` ulp of the result, however near the zero.
    """

    def accuracy(kind: ElementType, scalars: Mapping[str, Any], size: int) -> Bound:
        least, own, rest, most = float_format(FLOAT32).normal, HALF_ULP, absolute, at_most
        numbers = [c_float(scalars[name]).value for name in names]
        if kind is FLOAT64:
            least, own, rest, most = float_format(FLOAT64).normal, 1.0, 2.0**-5, np.inf
        elif kind is FLOAT32:
            own = ulp
        else:
            scale = 2.0 ** (float_format(kind).fraction - 23)
            rest, most = rest * scale, most * scale

        def more(*tensors: NDArray[np.float64]) -> NDArray[np.float64]:
            with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
                value = evaluate(gradient, np, (np.ones_like(tensors[0]), *tensors), numbers)
                error = np.minimum(rest / abs(value), most)
                added = np.where(abs(value) < least, np.inf, error)
            return np.where(np.isnan(added), 0.0, added)

        limit = f", at most {most:.3g}," if most < np.inf else ""
        words = f"+ {rest:.3g}{limit} / |derivative| where that is normal"
        return Bound(own, more=more, words=words)

    return accuracy
