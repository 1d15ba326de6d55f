"""aclnnSilu and aclnnSwish: the input times its logistic function, and the gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...declaration.accuracy import near_zero, relative
from ...declaration.fields import ALL_BUT_200I, TRAINING_A2_A3, Forward, OnDevice, TorchOperator
from ...declaration.operator import Operator
from ...declaration.scalars import RealNumber, ScalarParam
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import (
    Formula,
    Number,
    inf,
    one_plus_exp,
    only_in_float32,
    select,
    sign,
    silu_slope,
    within,
)

if TYPE_CHECKING:  # at run time this would import Numba
    from ...kernels.arithmetic.plain import Plain

BETA = ScalarParam("beta", vendor="betaOptional", default=1.0)


def out(self: Number) -> Number:
    """The documented quotient, which is NaN at -inf."""
    return self / one_plus_exp(-self)


SILU = Operator(
    name="silu",
    api="aclnnSilu",
    latex=r"\text{out} = \dfrac{\text{self}}{1 + e^{-\text{self}}}",
    formula=Formula.of(out, compute_bound=True, short=("float16", "bfloat16")),
    device=OnDevice(ALL_BUT_200I, ("Swish",), types="equal"),
    # one rounding of the exponential, one of the sum and one of the quotient
    accuracy=relative(1.75),
    torch=TorchOperator("silu", out="out"),
    interval=(-8.0, 8.0),
).declare()


def silu_gradient(grad_output: Number, self: Number) -> Number:
    """The documented product, in a form that does not cancel far out."""
    return grad_output * silu_slope(within(self, 2048.0, grad_output))


def silu_gradient_float32(grad_output: Plain, self: Plain) -> Number:
    """The same in fewer operations."""
    return grad_output * self.silu_slope(grad_output)


SILU_BACKWARD = Operator(
    name="silu_backward",
    api="aclnnSiluBackward",
    latex=r"""
        \text{grad_input} = \text{grad_output} \cdot \sigma(x) (1 + x - x \, \sigma(x))
        \qquad x = \text{self}
    """,
    formula=Formula.of(
        silu_gradient, variant=only_in_float32(silu_gradient_float32), compute_bound=True
    ),
    device=OnDevice(TRAINING_A2_A3, ("SiluGrad",), types="equal", least_rank=1),
    # the two terms cancel next to the derivative's zero
    accuracy=near_zero(2, 2, silu_gradient),
    forward=Forward("silu", out, "``x / (1 + exp(-x))``"),
    torch=TorchOperator("silu_backward"),
    interval=(-8.0, 8.0),
).declare()


def swish_value(self: Number, beta: Number) -> Number:
    """The documented product, which is NaN at an infinity where the logistic function is 0."""
    return self / one_plus_exp(-(beta * self))


def swish_value_float32(self: Plain, beta: Plain) -> Number:
    """The same with β·self in float64: the exponential would amplify its rounding error."""
    return self / one_plus_exp(-(beta * self.widened()))


SWISH = Operator(
    name="swish",
    api="aclnnSwish",
    scalars=(BETA,),
    breaks={},
    latex=r"\text{out} = \text{self} \cdot \sigma(\beta \cdot \text{self})",
    formula=Formula.of(
        swish_value, scalars=1, variant=only_in_float32(swish_value_float32), compute_bound=True
    ),
    device=SILU.device,
    accuracy=relative(2.0),
    settings=({}, {"beta": 0.7}, {"beta": -3.0}),
    interval=(-8.0, 8.0),
).declare()


def swish_gradient(grad_output: Number, self: Number, beta: Number) -> Number:
    """The documented product; one of finite numbers that overflows is beyond the limit."""
    z = beta * self
    finite = (abs(self) < inf) & (abs(beta) < inf)
    z = select(finite & (abs(z) == inf), 2048.0 * sign(z), z)
    return grad_output * silu_slope(within(z, 2048.0, grad_output))


SWISH_BACKWARD = Operator(
    name="swish_backward",
    api="aclnnSwishBackward",
    scalars=(BETA,),
    latex=r"""
        \text{grad_input} = \text{grad_output} \cdot \sigma(z) (1 + z (1 - \sigma(z)))
        \qquad z = \beta \cdot \text{self}
    """,
    formula=Formula.of(swish_gradient, scalars=1, compute_bound=True),
    device=OnDevice(ALL_BUT_200I, ("SwishGrad",), types="equal"),
    # the two terms cancel next to the derivative's zero
    accuracy=near_zero(2, 2, swish_gradient, "beta"),
    forward=Forward("swish", swish_value, "``x / (1 + exp(-beta * x))``"),
    settings=SWISH.settings,
    interval=(-8.0, 8.0),
).declare()


@documented(SILU)
def silu(
    self: ArrayT, *, out: ArrayT | None = None, compute_dtype: DTypeLike | None = None
) -> ArrayT:
    """Return ``self / (1 + exp(-self))``, also called swish.

    Notes
    -----
    Formula: aclnnSilu. NaN at -inf, as in PyTorch; the limit is -0. F32: 1.75 ulp.

    Examples
    --------
    >>> ar.silu(np.array([-1, 0, 2], np.float32))
    array([-0.26894143,  0.        ,  1.761594  ], dtype=float32)
    """
    return array_call(SILU, (self,), (), out, compute_dtype)


@documented(SILU_BACKWARD)
def silu_backward(
    grad_output: ArrayT,
    self: ArrayT,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of ``self / (1 + exp(-self))``.

    Notes
    -----
    Formula: aclnnSiluBackward. NaN at ±inf, as in PyTorch; the limits are 1 and 0. F32: 2 ulp plus
    2**-23 times the gradient; the derivative is 0 near -1.278.

    Examples
    --------
    >>> ar.silu_backward(np.ones(3, np.float32), np.array([-1, 0, 1], np.float32))
    array([0.07232948, 0.5       , 0.92767054], dtype=float32)
    """
    return array_call(SILU_BACKWARD, (grad_output, self), (), out, compute_dtype)


@documented(SWISH)
def swish(
    self: ArrayT,
    beta: RealNumber = 1.0,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return ``self / (1 + exp(-beta * self))``; with a ``beta`` of 1 this is `silu`.

    Parameters
    ----------
    beta : real number, optional
        The scalar of the formula.

    Notes
    -----
    Formula: aclnnSwish, where a null ``beta`` is 1. At -inf it gives NaN, with a negative ``beta``
    at inf, where the limits are zeros. F32: 2 ulp.

    Examples
    --------
    >>> ar.swish(np.array([-1, 0, 2], np.float32), 0.5)
    array([-0.37754068,  0.        ,  1.4621172 ], dtype=float32)
    """
    return array_call(SWISH, (self,), (beta,), out, compute_dtype)


@documented(SWISH_BACKWARD)
def swish_backward(
    grad_output: ArrayT,
    self: ArrayT,
    beta: RealNumber = 1.0,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of ``self / (1 + exp(-beta * self))``.

    Parameters
    ----------
    beta : real number, optional
        The scalar of the formula.

    Notes
    -----
    Formula: aclnnSwishBackward, where a null ``beta`` is 1. NaN at ±inf. F32: 2 ulp plus 2**-23
    times the gradient; the derivative is 0 where ``beta * self`` is near -1.278.

    Examples
    --------
    >>> ar.swish_backward(np.ones(3, np.float32), np.array([-1, 0, 1], np.float32), 0.5)
    array([0.26003882, 0.5       , 0.7399611 ], dtype=float32)
    """
    return array_call(SWISH_BACKWARD, (grad_output, self), (beta,), out, compute_dtype)
