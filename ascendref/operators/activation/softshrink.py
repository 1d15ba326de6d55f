"""aclnnSoftshrink and its gradient: the input moves towards 0 by λ."""

from __future__ import annotations

from typing import Final

from ...declaration import (
    ALL_BUT_200I,
    Forward,
    OnDevice,
    Operator,
    RealNumber,
    ScalarParam,
    TorchOperator,
    declare,
    equal_shapes,
    relative,
    rounded_once,
)
from ...functional import ArrayT, DTypeLike, array_call
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
    outputs=("out",),
    latex=r"""
        \text{out} = \begin{cases}
            \text{self} - \lambda & \text{if } \text{self} > \lambda \\
            \text{self} + \lambda & \text{if } \text{self} < -\lambda \\
            0 & \text{otherwise}
        \end{cases}
    """,
    formula=Formula.of(out, scalars=1),
    shapes=equal_shapes,
    device=OnDevice(ALL_BUT_200I, ("SoftShrink",)),
    # one operation
    accuracy=relative(0.5),
    torch=TorchOperator("softshrink", out="out"),
    settings=SETTINGS,
)
declare(VALUE)


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
    device=OnDevice(ALL_BUT_200I, ("SoftShrinkGrad",), types="equal"),
    accuracy=rounded_once,
    forward=Forward(
        "softshrink",
        out,
        "``x - lambd`` above ``lambd``, ``x + lambd`` below ``-lambd``, else 0",
    ),
    torch=TorchOperator("softshrink_backward"),
    settings=SETTINGS,
)
declare(GRADIENT)


def softshrink(
    self: ArrayT,
    lambd: RealNumber = 0.5,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return softshrink: ``self`` moved towards 0 by ``lambd``, and 0 where it is that small.

    Parameters
    ----------
    self : array
        Input; rank 0 to 8, F16, BF16, F32 or F64.
    lambd : real number, optional
        Threshold λ, at least 0, narrowed to float32.
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
        If the rank exceeds 8, ``lambd`` is negative or NaN, or ``out`` does not fit.

    Notes
    -----
    The formula is the vendor's (aclnnSoftshrink), but NaN in ``self`` stays NaN, as in PyTorch.

    Accuracy: in F32 arithmetic, the default, an F32 result is correctly rounded, an F16 or BF16
    result within 0.5 + 1/256 ulp. In F64 arithmetic these are correctly rounded, and F64 results
    within 0.75 ulp; with "exact" they are correctly rounded, too.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> ar.softshrink(np.array([-2, -0.5, 0.25, 0.75], np.float32))
    array([-1.5 ,  0.  ,  0.  ,  0.25], dtype=float32)
    """
    return array_call(VALUE, (self,), (lambd,), out, compute_dtype)


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
    grad_output, self : array
        Gradient of the result and input of the forward operator; rank 0 to 8, F16, BF16, F32 or F64
        (types may differ). Shapes broadcast.
    lambd : real number, optional
        Threshold λ, at least 0, narrowed to float32.
    out : array, optional
        Array for the result, with the broadcast shape and any float dtype. It may be an input
        itself, but must not overlap one otherwise.
    compute_dtype : {None, "float16", "bfloat16", "float32", "float64", "exact"} or dtype, optional
        Type in which the formula is evaluated; None means F64 for F64 data, else F32.

    Returns
    -------
    array
        The broadcast shape and the promoted type, as the caller's kind of array; ``out`` if given.

    Raises
    ------
    ArgumentTypeError
        If an argument is not an array or has an unsupported dtype.
    ArgumentValueError
        If shapes do not broadcast, a rank exceeds 8, ``lambd`` is negative or NaN, or ``out`` does
        not fit.

    Notes
    -----
    The formula is the vendor's (aclnnSoftshrinkBackward, where ``lambd`` is ``lambda``). NaN in
    ``self`` gives 0. PyTorch is inconsistent there: its scalar loop (short arrays) passes the
    gradient, its vector loop gives 0.

    Accuracy: the result is the gradient or 0, so it is exact in its own type.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> x = np.array([-2, -0.5, 0.25, 0.75], np.float32)
    >>> ar.softshrink_backward(np.ones_like(x), x)
    array([1., 0., 0., 1.], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, self), (lambd,), out, compute_dtype)
