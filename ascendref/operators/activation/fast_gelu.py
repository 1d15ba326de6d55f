"""aclnnFastGelu and aclnnFastGeluBackward: gelu with a logistic function, and its gradient."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from ...declaration.accuracy import near_zero, relative
from ...declaration.fields import A2_A3, Forward, OnDevice
from ...declaration.operator import Operator
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import Formula, Number, one_plus_exp, only_in_float32, silu_slope, within

if TYPE_CHECKING:  # at run time this would import Numba
    from ...kernels.arithmetic.plain import Plain

SLOPE: Final = Fraction("1.702")


def out(self: Number) -> Number:
    """The documented quotient, which is NaN at -inf."""
    return self / one_plus_exp(-SLOPE * self)


def out_float32(self: Plain) -> Number:
    """The same with the product in float64: the exponential would amplify its rounding error."""
    return self / one_plus_exp(-SLOPE * self.widened())


VALUE = Operator(
    name="fast_gelu",
    api="aclnnFastGelu",
    latex=r"\text{out} = \dfrac{\text{self}}{1 + e^{-1.702 \, \text{self}}}",
    formula=Formula.of(out, variant=only_in_float32(out_float32), compute_bound=True),
    device=OnDevice(A2_A3, ("FastGelu",), types="equal"),
    accuracy=relative(2.0),
    interval=(-4.0, 4.0),
).declare()


def grad_input(grad_output: Number, self: Number) -> Number:
    """The derivative of self · logistic(SLOPE · self)."""
    return grad_output * silu_slope(SLOPE * within(self, 1024.0, grad_output))


GRADIENT = Operator(
    name="fast_gelu_backward",
    api="aclnnFastGeluBackward",
    latex=r"""
        \text{grad_input} = \text{grad_output} \cdot \sigma(z) (1 + z \, \sigma(-z))
        \qquad z = 1.702 \, \text{self}
    """,
    formula=Formula.of(grad_input, compute_bound=True),
    device=OnDevice(A2_A3, ("FastGeluGrad",), types="equal"),
    # the two terms cancel next to the derivative's zero
    accuracy=near_zero(2, 2, grad_input),
    forward=Forward("fast_gelu", out, "``x / (1 + exp(-1.702 * x))``"),
    interval=(-4.0, 4.0),
).declare()


@documented(VALUE)
def fast_gelu(
    self: ArrayT, *, out: ArrayT | None = None, compute_dtype: DTypeLike | None = None
) -> ArrayT:
    """Return ``self / (1 + exp(-1.702 * self))``, an approximation of gelu.

    Notes
    -----
    Formula: aclnnFastGelu, which PyTorch does not have. NaN at -inf; the limit is -0. F32: 2 ulp.

    Examples
    --------
    >>> ar.fast_gelu(np.array([-1, 0, 2], np.float32))
    array([-0.15420423,  0.        ,  1.9356586 ], dtype=float32)
    """
    return array_call(VALUE, (self,), (), out, compute_dtype)


@documented(GRADIENT)
def fast_gelu_backward(
    grad_output: ArrayT,
    self: ArrayT,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of ``self / (1 + exp(-1.702 * self))``.

    Notes
    -----
    Formula: aclnnFastGeluBackward. NaN at ±inf; the limits are 1 and 0. F32: 2 ulp plus 2**-23
    times the gradient; the derivative is 0 near -0.751.

    Examples
    --------
    >>> ar.fast_gelu_backward(np.ones(3, np.float32), np.array([-1, 0, 1], np.float32))
    array([-0.06777962,  0.5       ,  1.0677795 ], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, self), (), out, compute_dtype)
