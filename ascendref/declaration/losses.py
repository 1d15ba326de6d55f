"""What losses and their gradients have in common: the reduction of elementwise values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature, unwrap
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..core.dtypes import FLOAT32, FLOAT64, ElementType, float_format
from ..kernels.arithmetic.arrays import evaluate
from ..kernels.arithmetic.formula import Formula
from ..kernels.arithmetic.functions import Number, select
from .accuracy import HALF_ULP, Accuracy, Bound
from .fields import Mode, Reduction
from .operator import Operator
from .scalars import ScalarParam, single
from .shapes import broadcast_shapes

_MODES: Final[tuple[Mode, ...]] = ("none", "mean", "sum")
#: numbers of the reductions in the vendor's API
REDUCTIONS: Final[dict[str, int]] = {mode: number for number, mode in enumerate(_MODES)}
#: the scalar, the first one of every loss
REDUCTION: Final = ScalarParam("reduction", choices=REDUCTIONS, c_type="int64_t")
#: the same with a fourth choice, for which a mean is divided by the length of the first axis
BATCH_REDUCTIONS: Final = REDUCTIONS | {"batchmean": 3}
BATCH_REDUCTION: Final = REDUCTION._replace(choices=BATCH_REDUCTIONS)
#: the norm of a gradient in LaTeX
NORM: Final = r"""
    \text{norm} = \begin{cases}
        1 / N & \text{for the mean of } N \text{ results} \\
        1 & \text{otherwise}
    \end{cases}
"""
_BROADCAST: Final = {"shapes": broadcast_shapes}


def declare_loss(formula: Formula, *scalars: ScalarParam, **declared: Any) -> Operator:
    """Declare a loss, with its elements' formula and its scalars after the reduction."""
    declared = {"settings": ({"reduction": "none"},)} | _BROADCAST | declared
    reduction = Reduction(formula, mode=mode)
    params = (REDUCTION, *scalars)
    return Operator(formula=formula, scalars=params, reduction=reduction, **declared).declare()


def declare_gradient(
    formula: Formula, *scalars: ScalarParam, reduction: ScalarParam = REDUCTION, **declared: Any
) -> Operator:
    """Declare a loss's gradient, with its scalars after the reduction."""
    declared = {"settings": ({"reduction": "none"}, {})} | _BROADCAST | declared
    return Operator(formula=formula, scalars=(reduction, *scalars), **declared).declare()


def mode(scalars: Sequence[float]) -> Mode:
    """Return how a loss combines its terms, from its scalars."""
    return _MODES[int(scalars[0])]


def norm(reduction: Number, size: Number) -> Number:
    """Return the factor of a loss's gradient."""
    return 1.0 / count(reduction, size)


def count(reduction: Number, size: Number) -> Number:
    """Return the divisor of a mean: the number of all results, or the length of an axis."""
    return select((reduction == 1.0) | (reduction == 3.0), size, 1.0)


# --- accuracy -------------------------------------------------------------------------------------

#: error bound in ulp, or whether one is stated, from float64 arrays of the tensors but the gradient
OfTensors = Callable[..., Any]


def loss_accuracy(
    ulp: float,
    formula: Formula,
    *,
    mean: float = 0.0,
    decays: bool = False,
    parts: Mapping[str, Callable[..., Any]] = MappingProxyType({}),
    stated: OfTensors | None = None,
    more: OfTensors | None = None,
    words: str = "",
) -> Accuracy:
    """Return a bound, in ulp of F32 results, that holds where a value is 0 or normal.

    The value is that of the formula for a gradient of 1. If it may be too small for float64, it
    ``decays``: its 0 then counts only where that of `moderate` tensors is 0. Each of ``parts`` must
    be 0 or normal as well: numbers by name, functions of some of the formula's parameters. For a
    mean, whose norm is rounded, ``mean`` is added. The functions ``stated`` and ``more`` tell where
    a bound applies, and what is added to it for each element; ``words`` say both.
    """
    names = unwrap(formula.function).__code__.co_varnames[: formula.tensors]

    def accuracy(kind: ElementType, scalars: Mapping[str, Any], size: int) -> Bound:
        numbers = {n: BATCH_REDUCTIONS.get(x, x) for n, x in scalars.items() if n not in names}
        own = {FLOAT32: ulp, FLOAT64: 1.0}.get(kind, HALF_ULP)
        # functions of F64 data have seven bits more than these
        form = float_format(FLOAT64 if kind is FLOAT64 else FLOAT32)
        unit = {FLOAT32: 1.0, FLOAT64: 2.0**-7}.get(kind, 2.0 ** (float_format(kind).fraction - 23))
        if kind is FLOAT32 and numbers[REDUCTION.name] in (1, 3):
            own += mean

        def allowed(*tensors: NDArray[np.float64]) -> NDArray[np.float64]:
            ones = [np.ones_like(tensors[0])] * (formula.tensors - len(tensors))
            values = {name: single(x) for name, x in numbers.items()}
            values |= {"size": size} if formula.sized else {}

            def value_of(tensors: Sequence[NDArray[np.float64]]) -> Any:
                return abs(evaluate(formula.function, np, (*ones, *tensors), [*values.values()]))

            value = value_of(tensors)
            fits = ((value >= form.normal) & (value <= form.largest)) | np.isnan(value)
            # an infinity is one where it comes from an infinite tensor, not from an overflow
            finite = [np.where(np.isinf(tensor), 1.0, tensor) for tensor in tensors]
            fits |= (value == np.inf) & (value_of(finite) <= form.largest)
            zero = value == 0
            if decays:
                zero &= value_of([*map(moderate, tensors)]) == 0
            fits |= zero
            named = dict(zip(names, (*ones, *finite), strict=True))
            for part in parts.values():
                taken = signature(part).parameters
                arrays = [named[name] for name in taken if name in named]
                given = [values[name] for name in taken if name in values]
                number = abs(evaluate(part, np, arrays, given))
                fits &= (number == 0) | ~(number < form.normal) & ~(number > form.largest)
            if stated is not None:
                fits = fits & stated(*tensors)
            with np.errstate(all="ignore"):
                rest = np.zeros_like(value) if more is None else more(*tensors)
            rest = np.where(rest < np.inf, unit * rest, np.where(np.isnan(rest), 0.0, rest))
            return np.where(fits, rest, np.inf)

        where = "" if kind is FLOAT64 else " in F32"
        named = "".join([f"{name} and " for name in parts])
        words_of_all = f"{words}for {named}values that are 0 or normal{where}"
        return Bound(own, more=allowed, words=words_of_all)

    return accuracy


def moderate(tensor: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers none of whose functions underflows, but zeros, infinities and NaN as is."""
    near: NDArray[np.float64] = np.copysign(np.clip(abs(tensor), 0.01, 7.7), tensor)
    return np.where(np.isfinite(tensor) & (tensor != 0), near, tensor)


def cancelled(ulp: float, terms: Any, value: Any) -> Any:
    """Return ulp times what terms are larger than the value they add up to, up to 2**20 times."""
    ratio = terms / abs(value)
    return np.where(ratio > 2.0**20, np.inf, ulp * ratio)


def weighted(target: NDArray[np.float64], *weights: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell where a target is a probability and weights are neither very small nor very large."""
    stated = (target >= 0) & (target <= 1)
    for weight in weights:
        stated &= (abs(weight) >= 1e-6) & (abs(weight) <= 1e6)
    return stated
