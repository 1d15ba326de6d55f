"""aclnnHardshrinkBackward: the gradient passes where the input lies outside ±λ."""

from __future__ import annotations

from ..core.arrays import ArrayT
from ..core.dtypes import DTypeLike
from ..declaration.accuracy import rounded_once
from ..declaration.operator import OnDevice, Operator, TensorParam, declare
from ..declaration.scalars import RealNumber, ScalarParam
from ..declaration.shapes import broadcast_shapes
from ..functional.call import array_call
from ..kernels.arithmetic.formula import Formula
from ..kernels.arithmetic.functions import Number, select


def grad_input(grad_output: Number, self: Number, lambd: Number) -> Number:
    """A negative λ counts as 0; where masked, the result is +0 even for an infinite gradient."""
    limit = select(lambd < 0.0, 0.0, lambd)
    return select(abs(self) > limit, grad_output, 0.0)


OPERATOR = declare(
    Operator(
        name="hardshrink_backward",
        api="aclnnHardshrinkBackward",
        tensors=(TensorParam("grad_output"), TensorParam("self")),
        scalars=(ScalarParam("lambd"),),
        outputs=("grad_input",),
        latex=r"""
            \text{grad_input} = \begin{cases}
                \text{grad_output} & \text{if } |\text{self}| > \max(\lambda, 0) \\
                0 & \text{otherwise}
            \end{cases}
        """,
        formula=Formula(
            "hardshrink_backward_grad_input",
            grad_input,
            tensors=2,
            scalars=1,
            selects=True,
        ),
        shapes=broadcast_shapes,
        device=OnDevice(
            products=("Atlas training", "Atlas A2", "Atlas A3"),
            kernels=("HardShrinkGrad",),
            empty_first=True,
        ),
        accuracy=rounded_once,
    )
)


def hardshrink_backward(
    grad_output: ArrayT,
    self: ArrayT,
    lambd: RealNumber = 0.5,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of hardshrink: ``grad_output`` where ``|self| > lambd``, else 0.

    Parameters
    ----------
    grad_output, self : array
        Gradient of the result and input of the forward operator; rank 0 to 8, F16, BF16, F32 or F64
        (types may differ). Shapes broadcast.
    lambd : real number, optional
        Threshold λ, narrowed to float32. A negative value counts as 0; NaN makes every result 0.
    out : array, optional
        Output array with the broadcast shape and any float dtype. It must not overlap an input
        unless it is the same view.
    compute_dtype : {None, "float16", "bfloat16", "float32", "float64", "exact"} or dtype, optional
        Type in which the formula is evaluated, in any form that `cast` accepts. None means F64 for
        F64 data and F32 for all other data.

    Returns
    -------
    array
        The caller's kind of array, with the broadcast shape and the promoted type, in the memory
        layout that NumPy's functions choose (``order="K"``); ``out`` if given.

    Raises
    ------
    ArgumentTypeError
        If an argument is not an array or has an unsupported dtype.
    ArgumentValueError
        If shapes do not broadcast, a rank exceeds 8, or ``out`` has the wrong shape, overlaps an
        input, is read-only or does not share its memory with NumPy.

    Notes
    -----
    The formula is the vendor's (aclnnHardshrinkBackward). NaN in ``self`` gives 0. PyTorch is
    inconsistent there: its scalar loop (short arrays) passes the gradient, its vector loop gives 0.

    Rounding: for every ``compute_dtype``, the result is rounded to the promoted type of the inputs
    and then cast to the type of ``out``: from BF16 inputs, an F32 ``out`` gets BF16 values. In F64
    arithmetic it is rounded once, directly to the type of ``out``.

    Accuracy: the result is the gradient or 0, so it is exact in its own type.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> x = np.array([-2, -0.5, 0.25, 0.75], np.float32)
    >>> ar.hardshrink_backward(np.ones_like(x), x, 0.5)
    array([1., 0., 0., 1.], dtype=float32)
    """
    return array_call(OPERATOR, (grad_output, self), (lambd,), out, compute_dtype)
