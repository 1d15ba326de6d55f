"""aclnnMish and aclnnMishBackward: the input times the tanh of its softplus, and its gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...declaration.accuracy import near_zero, relative
from ...declaration.fields import ALL_BUT_200I, TRAINING_A2_A3, Forward, OnDevice, TorchOperator
from ...declaration.operator import Operator
from ...declaration.shapes import broadcast_shapes
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import (
    Formula,
    Number,
    exp,
    logistic_pair,
    select,
    softplus,
    tanh,
    within,
)

if TYPE_CHECKING:  # at run time this would import Numba
    from ...kernels.arithmetic.plain import Plain


def tanh_of_softplus(self: Number) -> Number:
    """The factor."""
    return tanh(softplus(self))


def out(self: Number) -> Number:
    """The documented product, which is NaN at -inf."""
    return self * tanh_of_softplus(self)


def out_float32(self: Plain) -> Plain:
    """The tanh is n / (n + 2) for n = (1 + e)² - 1; from 20 on it is 1.

    In float64 its only error is that of the exponential; it took a third of the time, too.
    """
    e = self.at_most(20.0).wide_exp()
    n = e * (e + 2.0)
    return (self.widened() * n / (n + 2.0)).narrowed()


def out_rounded(self: Number) -> Number:
    """The same for results of narrow types, to which the tanh is 1 from 40 on."""
    e = exp(select(self < 40.0, self, 40.0))
    n = e * (e + 2.0)
    return self * n / (n + 2.0)


def variant(compute: str, rounded: str) -> Callable[..., Any] | None:
    """Versions with one exponential, which has the range of results that are not F64."""
    if compute == "float32":
        return out_float32
    return out_rounded if compute == "float64" != rounded else None


VALUE = Operator(
    name="mish",
    api="aclnnMish",
    latex=r"\text{out} = \text{self} \cdot \tanh(\ln(1 + e^{\text{self}}))",
    formula=Formula.of(out, variant=variant, compute_bound=True),
    device=OnDevice(TRAINING_A2_A3, ("Mish",), types="equal"),
    accuracy=relative(1.75, tanh_of_softplus),
    torch=TorchOperator("mish", out="out"),
    interval=(-8.0, 8.0),
).declare()
VALUE.declare(api="aclnnInplaceMish", in_place="self")


def grad_input(grad_output: Number, self: Number) -> Number:
    """1 - tanh² of softplus is (2q / (1 + q²))², which does not cancel.

    The slope is negated, so that it underflows to -0.
    """
    x = within(self, 2048.0, grad_output)
    p, q = logistic_pair(x)
    root = 2.0 * q / (1.0 + q * q)
    return -grad_output * (-x * p * (root * root) - tanh_of_softplus(x))


GRADIENT = Operator(
    name="mish_backward",
    api="aclnnMishBackward",
    latex=r"""
        \text{grad_input} = \text{grad_output} \cdot (\tau + x \, \sigma(x) (1 - \tau^2)) \qquad
        x = \text{self}, \quad \tau = \tanh(\ln(1 + e^x))
    """,
    formula=Formula.of(grad_input, compute_bound=True),
    shapes=broadcast_shapes,
    device=OnDevice(ALL_BUT_200I, ("MishGrad",)),
    # the two terms cancel next to the derivative's zero
    accuracy=near_zero(2, 2, grad_input),
    forward=Forward("mish", out, "``x * tanh(log(1 + exp(x)))``"),
    torch=TorchOperator("mish_backward", out=None),
    interval=(-8.0, 8.0),
).declare()


@documented(VALUE)
def mish(
    self: ArrayT, *, out: ArrayT | None = None, compute_dtype: DTypeLike | None = None
) -> ArrayT:
    """Return ``self * tanh(log(1 + exp(self)))``.

    Notes
    -----
    Formula: aclnnMish, aclnnInplaceMish. NaN at -inf, as in PyTorch; the limit is -0.
    F32: 1.75 ulp. No bound for F64 results below -702, where the tanh is subnormal.

    Examples
    --------
    >>> ar.mish(np.array([-1, 0, 2], np.float32))
    array([-0.30340147,  0.        ,  1.943959  ], dtype=float32)
    """
    return array_call(VALUE, (self,), (), out, compute_dtype)


@documented(GRADIENT)
def mish_backward(
    grad_output: ArrayT,
    self: ArrayT,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of ``self * tanh(log(1 + exp(self)))``.

    Notes
    -----
    Formula: the derivative; the page of aclnnMishBackward has none. NaN at ±inf, as in PyTorch; the
    limits are 1 and 0. F32: 2 ulp plus 2**-23 times the gradient; the derivative is 0 near -1.192.

    Examples
    --------
    >>> ar.mish_backward(np.ones(3, np.float32), np.array([-1, 0, 1], np.float32))
    array([0.05921675, 0.6       , 1.0490363 ], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, self), (), out, compute_dtype)
