"""The rounding modes of the vendor's Cast.

``encoder`` rounds to nearest even. The other modes first round a float64 to a multiple of the
target's quantum, in float64 arithmetic that is exact because all factors are powers of two.
``encoder`` is then exact, except that it turns the power of two after the largest number into
infinity.
"""

from functools import cache
from typing import Any, Final

import numpy as np

from ...core.dtypes import ElementType, float_format
from ..arithmetic.codecs import encoder
from ..arithmetic.formula import Formula
from ..compiler.jit import helper, once_each
from .elementwise import ElementwiseKernel
from .formula_loop import FormulaLoop

_EXPONENT: Final = np.int64(0x7FF0000000000000)
_INF: Final = np.float64(np.inf)
_ZERO: Final = np.float64(0)
_HALF: Final = np.float64(0.5)
_ONE: Final = np.float64(1)


@helper
def _odd(value: Any, whole: Any, rest: Any) -> Any:
    half = whole * _HALF
    return (rest > _ZERO) & (half == np.trunc(half))


#: mode -> whether a value is rounded away from zero, to the quantum after ``whole``: ``whole`` is
#: the truncated value in quanta, ``rest`` the truncated part, from 0 to below 1
_AWAY: Final[dict[str, Any]] = {
    "trunc": helper(lambda value, whole, rest: False),
    "floor": helper(lambda value, whole, rest: (rest > _ZERO) & (value < _ZERO)),
    "ceil": helper(lambda value, whole, rest: (rest > _ZERO) & (value > _ZERO)),
    "round": helper(lambda value, whole, rest: rest >= _HALF),
    "odd": _odd,
}


@cache
def rounder(target: ElementType, mode: str) -> Any:
    """Return the function that rounds a float64 to the bits of a narrower type, once."""
    form = float_format(target)
    scale = np.float64(2.0**-form.fraction)
    least = np.float64(form.smallest)
    # finite numbers beyond the range are rounded like this one, which is nearer to the next power
    # of two than to the largest number
    top = np.float64(0.25 * form.largest + 0.75 * form.beyond)
    away, narrow = _AWAY[mode], encoder("float64", target.name)

    @helper
    def encode(value: Any) -> Any:
        clamped = np.float64(min(max(value, -top), top))  # only a typed number has a view
        power = np.int64(clamped.view(np.int64) & _EXPONENT).view(np.float64)
        quantum = max(power * scale, least)
        scaled = clamped / quantum
        whole = np.trunc(scaled)  # keeps the sign of a zero
        step = -_ONE if value < _ZERO else _ONE
        moved = whole + step if away(value, whole, abs(scaled - whole)) else whole
        return narrow(moved * quantum if abs(value) < _INF else value)

    return encode


def _element(value: float) -> float:
    """A cast computes nothing; the encoder does all the work."""
    return value


class CastLoop(FormulaLoop):
    """The loop that casts from one type to another in one rounding mode."""

    def __init__(self, source: ElementType, target: ElementType, mode: str) -> None:
        formula = Formula(f"cast_{mode}", _element, tensors=1, scalars=0, selects=True)
        super().__init__(formula, (source,), target, "float64")
        self._mode = mode

    def _encoder(self) -> Any:
        return super()._encoder() if self._mode == "rint" else rounder(self.result, self._mode)


@once_each
def cast_kernel(source: ElementType, target: ElementType, mode: str) -> ElementwiseKernel:
    """Return the kernel for a pair of types and a rounding mode, one per process."""
    return ElementwiseKernel(CastLoop(source, target, mode), (source,), target)
