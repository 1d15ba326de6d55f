"""aclnnRelu: positive numbers, and 0 for the others."""

from __future__ import annotations

from ...core.dtypes import floats_and
from ...declaration import (
    TRAINING_A2_A3,
    Gradient,
    OnDevice,
    Operator,
    TensorParam,
    TorchOperator,
    declare,
    equal_shapes,
    rounded_once,
)
from ...functional import ArrayT, DTypeLike, array_call
from ...kernels.arithmetic import Formula, Number, select


def out(self: Number) -> Number:
    """The input where it is positive or NaN, else +0."""
    return select(~(self <= 0.0), self, 0.0)


OPERATOR = Operator(
    name="relu",
    api="aclnnRelu",
    tensors=(TensorParam("self", floats_and("int8", "int32", "int64")),),
    outputs=("out",),
    latex=r"\text{out} = \max(\text{self}, 0)",
    formula=Formula.of(out, selects=True),
    shapes=equal_shapes,
    device=OnDevice(TRAINING_A2_A3, ("Relu",)),
    same_type=True,
    integers="exact",
    accuracy=rounded_once,
    gradient=Gradient("threshold_backward", {"threshold": 0.0}),
    torch=TorchOperator("relu", out="out"),
)
declare(OPERATOR)
declare(
    OPERATOR,
    api="aclnnInplaceRelu",
    tensors=(TensorParam("self", floats_and("int8", "int32", "int64", "uint8")),),
    in_place="self",
)


def relu(
    self: ArrayT, *, out: ArrayT | None = None, compute_dtype: DTypeLike | None = None
) -> ArrayT:
    """Return ``self`` where it is positive, else 0.

    Parameters
    ----------
    self : array
        Input; rank 0 to 8, F16, BF16, F32, F64, INT8, INT32 or INT64.
    out : array, optional
        Array for the result, with the shape and dtype of ``self``. It may be the input, but must
        not overlap it in part.
    compute_dtype : {None, "float16", "bfloat16", "float32", "float64", "exact"} or dtype, optional
        Type in which the formula is evaluated; None means F64 for F64 data and F32 for other
        floats. Integers are computed as integers with None and "exact"; with other types they are
        rounded to this type, and the result is truncated.

    Returns
    -------
    array
        The same shape and type, as the caller's kind of array; ``out`` if given.

    Raises
    ------
    ArgumentTypeError
        If ``self`` is not an array or has an unsupported dtype, or ``out`` has another one.
    ArgumentValueError
        If the rank exceeds 8, or ``out`` does not fit.

    Notes
    -----
    The formula is the vendor's (aclnnRelu). NaN stays NaN. The result for -0 is +0, where PyTorch
    returns -0.

    Accuracy: the result is the input or 0, so it is exact.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> ar.relu(np.array([-1.5, 0, 2.5], np.float32))
    array([0. , 0. , 2.5], dtype=float32)
    >>> ar.relu(np.array([-128, 127], np.int8))
    array([  0, 127], dtype=int8)
    """
    return array_call(OPERATOR, (self,), (), out, compute_dtype)
