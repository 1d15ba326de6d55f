"""aclnnSoftshrink and its gradient: the input moves towards 0 by λ."""

from __future__ import annotations

from typing import Final

from ...declaration.accuracy import relative, rounded_once
from ...declaration.fields import ALL_BUT_200I, Forward, OnDevice, TorchOperator
from ...declaration.operator import Operator
from ...declaration.scalars import RealNumber, ScalarParam
from ...declaration.shapes import broadcast_shapes
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import Formula, Number, select

LAMBD: Final = ScalarParam("lambd", least=0.0)
#: what operators of this family are measured with
SETTINGS: Final[tuple[dict[str, float | str], ...]] = ({}, {"lambd": 0.0}, {"lambd": 2.0})


def out(self: Number, lambd: Number) -> Number:
    """Between -λ and λ the result is +0; NaN stays."""
    inside = select(self == self, 0.0, self)
    return select(self > lambd, self - lambd, select(self < -lambd, self + lambd, inside))


VALUE: Final = Operator(
    name="softshrink",
    api="aclnnSoftshrink",
    scalars=(LAMBD,),
    latex=r"""
        \text{out} = \begin{cases}
            \text{self} - \lambda & \text{if } \text{self} > \lambda \\
            \text{self} + \lambda & \text{if } \text{self} < -\lambda \\
            0 & \text{otherwise}
        \end{cases}
    """,
    formula=Formula.of(out, scalars=1, once=out),
    device=OnDevice(ALL_BUT_200I, ("SoftShrink",)),
    # one operation
    accuracy=relative(0.5),
    torch=TorchOperator("softshrink", out="out"),
    settings=SETTINGS,
).declare()


def grad_input(grad_output: Number, self: Number, lambd: Number) -> Number:
    """Where masked, the result is +0 even for an infinite gradient."""
    return select(abs(self) > lambd, grad_output, 0.0)


GRADIENT: Final = Operator(
    name="softshrink_backward",
    api="aclnnSoftshrinkBackward",
    scalars=(LAMBD,),
    latex=r"""
        \text{grad_input} = \begin{cases}
            \text{grad_output} & \text{if } |\text{self}| > \lambda \\
            0 & \text{otherwise}
        \end{cases}
    """,
    formula=Formula.of(grad_input, scalars=1, selects=True),
    shapes=broadcast_shapes,
    device=OnDevice(ALL_BUT_200I, ("SoftShrinkGrad",), types="equal"),
    accuracy=rounded_once,
    forward=Forward(
        "softshrink", out, "``x - lambd`` above ``lambd``, ``x + lambd`` below ``-lambd``, else 0"
    ),
    torch=TorchOperator("softshrink_backward"),
    settings=SETTINGS,
).declare()


@documented(VALUE)
def softshrink(
    self: ArrayT,
    lambd: RealNumber = 0.5,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return softshrink: ``self`` moved towards 0 by ``lambd``, or 0 where ``|self| <= lambd``.

    Parameters
    ----------
    lambd : real number, optional, at least 0
        Half the width of the interval that becomes 0.

    Notes
    -----
    Formula: aclnnSoftshrink, but NaN in ``self`` stays NaN, as in PyTorch. F32: correctly rounded.

    Examples
    --------
    >>> ar.softshrink(np.array([-2, -0.5, 0.25, 0.75], np.float32))
    array([-1.5 ,  0.  ,  0.  ,  0.25], dtype=float32)
    """
    return array_call(VALUE, (self,), (lambd,), out, compute_dtype)


@documented(GRADIENT)
def softshrink_backward(
    grad_output: ArrayT,
    self: ArrayT,
    lambd: RealNumber = 0.5,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of softshrink: ``grad_output`` where ``|self| > lambd``, else 0.

    Parameters
    ----------
    lambd : real number, optional, at least 0
        Half the width of the interval that becomes 0.

    Notes
    -----
    Formula: aclnnSoftshrinkBackward, where ``lambd`` is ``lambda``. NaN in ``self`` gives 0;
    PyTorch passes the gradient in its scalar loop (short arrays) only. Exact: the gradient or 0.

    Examples
    --------
    >>> x = np.array([-2, -0.5, 0.25, 0.75], np.float32)
    >>> ar.softshrink_backward(np.ones_like(x), x)
    array([1., 0., 0., 1.], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, self), (lambd,), out, compute_dtype)
