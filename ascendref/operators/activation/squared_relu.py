"""aclnnSquaredRelu: the square of positive elements, else 0."""

from __future__ import annotations

from ...declaration.accuracy import rounded_once
from ...declaration.fields import A2_A3, OnDevice, TensorParam
from ...declaration.operator import Operator
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import Formula, Number, select


def out(self: Number) -> Number:
    """NaN stays; the square of a zero is +0, whichever sign that has."""
    positive = select(self <= 0.0, 0.0, self)
    return positive * positive


OPERATOR = Operator(
    name="squared_relu",
    api="aclnnSquaredRelu",
    tensors=(TensorParam("self", vendor="input"),),
    latex=r"\text{out} = \max(\text{self}, 0)^2",
    formula=Formula.of(out),
    device=OnDevice(A2_A3, ("SquaredRelu",), types="equal", least_rank=1),
    accuracy=rounded_once,
).declare()


@documented(OPERATOR)
def squared_relu(
    self: ArrayT, *, out: ArrayT | None = None, compute_dtype: DTypeLike | None = None
) -> ArrayT:
    """Return the square of ``self`` where that is positive, else 0.

    Notes
    -----
    Formula: aclnnSquaredRelu, where ``self`` is ``input``. NaN stays NaN. Correctly rounded.

    Examples
    --------
    >>> ar.squared_relu(np.array([-2, 0.5, 3], np.float32))
    array([0.  , 0.25, 9.  ], dtype=float32)
    """
    return array_call(OPERATOR, (self,), (), out, compute_dtype)
