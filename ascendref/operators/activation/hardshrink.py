"""aclnnHardshrink and its gradient: the input passes where it lies outside ±λ."""

from __future__ import annotations

from typing import Final

from ...declaration.accuracy import rounded_once
from ...declaration.fields import ALL_BUT_200I, TRAINING_A2_A3, Forward, OnDevice, TorchOperator
from ...declaration.operator import Operator
from ...declaration.scalars import RealNumber, ScalarParam
from ...declaration.shapes import broadcast_shapes
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import Formula, Number, select

LAMBD: Final = ScalarParam("lambd")


def out(self: Number, lambd: Number) -> Number:
    """A negative λ counts as 0; NaN stays."""
    limit = select(lambd < 0.0, 0.0, lambd)
    return select(abs(self) > limit, self, select(self == self, 0.0, self))


VALUE: Final = Operator(
    name="hardshrink",
    api="aclnnHardshrink",
    scalars=(LAMBD,),
    latex=r"""
        \text{out} = \begin{cases}
            \text{self} & \text{if } |\text{self}| > \max(\lambda, 0) \\
            0 & \text{otherwise}
        \end{cases}
    """,
    formula=Formula.of(out, scalars=1, selects=True),
    device=OnDevice(ALL_BUT_200I, ("HardShrink",)),
    accuracy=rounded_once,
    torch=TorchOperator("hardshrink", out="out"),
    settings=({}, {"lambd": 0.0}, {"lambd": 2.0}),
).declare()


def grad_input(grad_output: Number, self: Number, lambd: Number) -> Number:
    """A negative λ counts as 0; where masked, the result is +0 even for an infinite gradient."""
    limit = select(lambd < 0.0, 0.0, lambd)
    return select(abs(self) > limit, grad_output, 0.0)


def forward(self: Number, lambd: Number) -> Number:
    """PyTorch's function: a negative λ has no effect, and λ NaN masks nothing."""
    return select((self >= -lambd) & (self <= lambd), 0.0, self)


GRADIENT: Final = Operator(
    name="hardshrink_backward",
    api="aclnnHardshrinkBackward",
    scalars=(LAMBD,),
    latex=r"""
        \text{grad_input} = \begin{cases}
            \text{grad_output} & \text{if } |\text{self}| > \max(\lambda, 0) \\
            0 & \text{otherwise}
        \end{cases}
    """,
    formula=Formula.of(grad_input, scalars=1, selects=True),
    shapes=broadcast_shapes,
    device=OnDevice(TRAINING_A2_A3, ("HardShrinkGrad",), empty_first=True),
    accuracy=rounded_once,
    forward=Forward(
        "hardshrink", forward, "``x``, or 0 where it is between ``-lambd`` and ``lambd``"
    ),
    torch=TorchOperator("hardshrink_backward"),
    settings=({}, {"lambd": 0.0}, {"lambd": 2.0}),
).declare()


@documented(VALUE)
def hardshrink(
    self: ArrayT,
    lambd: RealNumber = 0.5,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return hardshrink: ``self`` where ``|self| > lambd``, else 0.

    Parameters
    ----------
    lambd : real number, optional
        Threshold λ. A negative value counts as 0; NaN makes every number 0.

    Notes
    -----
    Formula: aclnnHardshrink, but NaN in ``self`` stays NaN, as in the vendor's code and in PyTorch.
    PyTorch keeps every element if ``lambd`` is negative or NaN. Exact: the input or 0.

    Examples
    --------
    >>> ar.hardshrink(np.array([-2, -0.5, 0.25, 0.75], np.float32))
    array([-2.  ,  0.  ,  0.  ,  0.75], dtype=float32)
    """
    return array_call(VALUE, (self,), (lambd,), out, compute_dtype)


@documented(GRADIENT)
def hardshrink_backward(
    grad_output: ArrayT,
    self: ArrayT,
    lambd: RealNumber = 0.5,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of `hardshrink`: ``grad_output`` where ``|self| > lambd``, else 0.

    Parameters
    ----------
    lambd : real number, optional, as for `hardshrink`
        Half the width of the interval that becomes 0.

    Notes
    -----
    Formula: aclnnHardshrinkBackward. NaN in ``self`` gives 0; PyTorch passes the gradient in its
    scalar loop (short arrays) only. Exact: the gradient or 0.

    Examples
    --------
    >>> x = np.array([-2, -0.5, 0.25, 0.75], np.float32)
    >>> ar.hardshrink_backward(np.ones_like(x), x, 0.5)
    array([1., 0., 0., 1.], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, self), (lambd,), out, compute_dtype)
