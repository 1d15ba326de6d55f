"""Formulas of gradients of F64 data in F64 arithmetic, with scalars that are not narrowed.

JAX computes function values with scalars in the data's type. The operators narrow scalars to FLOAT,
which makes a difference only for F64 data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..core.dtypes import FLOAT64, ElementType
from ..declaration.operator import OPERATORS
from ..kernels.arithmetic.formula import Formula, blend, nan, number, one, zero
from ..operators.logit_grad import EXTREME
from ..operators.smooth_l1_loss_backward import prepare_counts


def prepare_lambd(lambd: float) -> tuple[float]:
    """A negative λ counts as 0."""
    lambd = number(lambd)
    return (blend(lambd < zero, zero, lambd),)


def prepare_beta(beta: float, threshold: float) -> tuple[float, float]:
    """Both are already numbers."""
    return number(beta), number(threshold)


def prepare_eps(eps: float) -> tuple[float, float, float]:
    """The bounds of x within which the formula applies, and the result outside of them."""
    if eps < 0.0:
        return zero, one, nan
    return number(eps), number(1.0 - eps), zero


def prepare_extreme(eps: float) -> tuple[float]:
    """eps is already a number."""
    return (number(eps),)


def _formula(name: str, prepare: Callable[..., Any]) -> Formula:
    """Return an operator's formula with another function that converts its scalars to F64."""
    formula = OPERATORS[name].formula
    truth = formula.truth and formula.truth._replace(prepare=prepare)
    return formula._replace(name=f"jax_{name}", prepare=prepare, truth=truth, variant=None)


_FORMULAS: Final = {
    "hardshrink_backward": _formula("hardshrink_backward", prepare_lambd),
    "softplus_backward": _formula("softplus_backward", prepare_beta),
    "smooth_l1_loss_backward": _formula("smooth_l1_loss_backward", prepare_counts),
    "logit_grad": _formula("logit_grad", prepare_eps),
}
#: the range of β in which the smooth L1 loss neither overflows nor loses bits in intermediates
_BETA: Final = 2.0**-299, 2.0**299
_EXTREME: Final = EXTREME._replace(name="jax_logit_grad_extreme", prepare=prepare_extreme)


def elementwise_formula(
    operator: str, kind: ElementType, compute: str, scalars: tuple[float, ...]
) -> Formula:
    """Return the formula of an elementwise gradient for a data type and a compute type."""
    narrowed = kind is not FLOAT64 or compute != FLOAT64.name
    if operator == "smooth_l1_loss_backward":
        least, most = _BETA
        narrowed |= not least <= scalars[1] <= most
    if narrowed:
        return OPERATORS[operator].formula.suited(compute, kind.name, scalars)
    if operator == "logit_grad" and not scalars[0] < 1.0:
        return _EXTREME
    return _FORMULAS[operator]
