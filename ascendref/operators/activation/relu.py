"""aclnnRelu: positive numbers, and 0 for the others."""

from __future__ import annotations

from ...core.dtypes import floats_and
from ...declaration.accuracy import rounded_once
from ...declaration.fields import TRAINING_A2_A3, Gradient, OnDevice, TensorParam, TorchOperator
from ...declaration.operator import Operator
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import Formula, Number, select


def out(self: Number) -> Number:
    """The input where it is positive or NaN, else +0."""
    return select(~(self <= 0.0), self, 0.0)


OPERATOR = Operator(
    name="relu",
    api="aclnnRelu",
    tensors=(TensorParam("self", floats_and("int8", "int32", "int64")),),
    latex=r"\text{out} = \max(\text{self}, 0)",
    formula=Formula.of(out, selects=True),
    device=OnDevice(TRAINING_A2_A3, ("Relu",)),
    same_type=True,
    integers="exact",
    accuracy=rounded_once,
    gradient=Gradient("threshold_backward", {"threshold": 0.0}),
    torch=TorchOperator("relu", out="out"),
).declare()
OPERATOR.declare(
    api="aclnnInplaceRelu",
    tensors=(TensorParam("self", floats_and("int8", "int32", "int64", "uint8")),),
    in_place="self",
)


@documented(OPERATOR)
def relu(
    self: ArrayT, *, out: ArrayT | None = None, compute_dtype: DTypeLike | None = None
) -> ArrayT:
    """Return ``self`` where it is positive, else 0.

    Notes
    -----
    Formula: aclnnRelu. NaN stays NaN. The result for -0 is +0, where PyTorch returns -0. Exact: the
    input or 0.

    Examples
    --------
    >>> ar.relu(np.array([-1.5, 0, 2.5], np.float32))
    array([0. , 0. , 2.5], dtype=float32)
    >>> ar.relu(np.array([-128, 127], np.int8))
    array([  0, 127], dtype=int8)
    """
    return array_call(OPERATOR, (self,), (), out, compute_dtype)
