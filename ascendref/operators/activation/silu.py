"""aclnnSilu: the input times its logistic function."""

from __future__ import annotations

from ...declaration import (
    ALL_BUT_200I,
    OnDevice,
    Operator,
    TorchOperator,
    declare,
    equal_shapes,
    relative,
)
from ...functional import ArrayT, DTypeLike, array_call
from ...kernels.arithmetic import Formula, Number, one_plus_exp


def out(self: Number) -> Number:
    """The documented quotient, which is NaN at -inf."""
    return self / one_plus_exp(-self)


OPERATOR = Operator(
    name="silu",
    api="aclnnSilu",
    outputs=("out",),
    latex=r"\text{out} = \dfrac{\text{self}}{1 + e^{-\text{self}}}",
    formula=Formula.of(out, compute_bound=True),
    shapes=equal_shapes,
    device=OnDevice(ALL_BUT_200I, ("Swish",)),
    same_type=True,
    # one rounding of the exponential, one of the sum and one of the quotient
    accuracy=relative(1.75),
    torch=TorchOperator("silu", out="out"),
    interval=(-8.0, 8.0),
)
declare(OPERATOR)


def silu(
    self: ArrayT, *, out: ArrayT | None = None, compute_dtype: DTypeLike | None = None
) -> ArrayT:
    """Return ``self / (1 + exp(-self))``, also called swish.

    Parameters
    ----------
    self : array
        Input; rank 0 to 8, F16, BF16, F32 or F64.
    out : array, optional
        Array for the result, with the shape and dtype of ``self``. It may be the input, but must
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
        If ``self`` is not an array or has an unsupported dtype, or ``out`` has another one.
    ArgumentValueError
        If the rank exceeds 8, or ``out`` does not fit.

    Notes
    -----
    The formula is the vendor's (aclnnSilu). At -inf it gives NaN, as in PyTorch, where the limit
    is -0.

    Accuracy: in F32 arithmetic, the default, an F32 result is within 1.75 ulp of the exact value,
    an F16 or BF16 result within 0.5 + 1/256 ulp. In F64 arithmetic these are correctly rounded, and
    F64 results within 0.75 ulp; with "exact" they are correctly rounded, too.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> ar.silu(np.array([-1, 0, 2], np.float32))
    array([-0.26894143,  0.        ,  1.761594  ], dtype=float32)
    """
    return array_call(OPERATOR, (self,), (), out, compute_dtype)
