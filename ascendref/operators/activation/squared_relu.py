"""aclnnSquaredRelu: the square of what is positive."""

from __future__ import annotations

from ...declaration import (
    A2_A3,
    OnDevice,
    Operator,
    TensorParam,
    declare,
    equal_shapes,
    rounded_once,
)
from ...functional import ArrayT, DTypeLike, array_call
from ...kernels.arithmetic import Formula, Number, select


def out(self: Number) -> Number:
    """NaN stays; the square of a zero is +0, whichever sign that has."""
    positive = select(self <= 0.0, 0.0, self)
    return positive * positive


OPERATOR = Operator(
    name="squared_relu",
    api="aclnnSquaredRelu",
    tensors=(TensorParam("self", vendor="input"),),
    outputs=("out",),
    latex=r"\text{out} = \max(\text{self}, 0)^2",
    formula=Formula.of(out),
    shapes=equal_shapes,
    device=OnDevice(A2_A3, ("SquaredRelu",), types="equal", least_rank=1),
    accuracy=rounded_once,
)
declare(OPERATOR)


def squared_relu(
    self: ArrayT, *, out: ArrayT | None = None, compute_dtype: DTypeLike | None = None
) -> ArrayT:
    """Return the square of ``self`` where that is positive, else 0.

    Parameters
    ----------
    self : array
        Input; rank 0 to 8, F16, BF16, F32 or F64.
    out : array, optional
        Array for the result, with the same shape and any float dtype. It may be the input, but must
        not overlap it in part.
    compute_dtype : {None, "float16", "bfloat16", "float32", "float64", "exact"} or dtype, optional
        Type in which the formula is evaluated; None means F64 for F64 data, else F32.

    Returns
    -------
    array
        The same shape and type, as the caller's kind of array; ``out`` if given.

    Raises
    ------
    ArgumentTypeError
        If ``self`` is not an array or has an unsupported dtype.
    ArgumentValueError
        If the rank exceeds 8, or ``out`` does not fit.

    Notes
    -----
    The formula is the vendor's (aclnnSquaredRelu, where ``self`` is ``input``). NaN stays NaN.

    Accuracy: the result is correctly rounded.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> ar.squared_relu(np.array([-2, 0.5, 3], np.float32))
    array([0.  , 0.25, 9.  ], dtype=float32)
    """
    return array_call(OPERATOR, (self,), (), out, compute_dtype)
