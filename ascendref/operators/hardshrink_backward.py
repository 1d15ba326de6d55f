"""aclnnHardshrinkBackward: the gradient passes where the input lies outside ±λ."""

from __future__ import annotations

from ..core.arrays import ArrayT
from ..core.dtypes import DTypeLike
from ..declaration.accuracy import rounded_once
from ..declaration.operator import OnDevice, Operator, TensorParam, declare
from ..declaration.scalars import RealNumber, ScalarParam
from ..declaration.shapes import broadcast_shapes
from ..functional.call import array_call
from ..kernels.arithmetic.formula import Formula, blend, narrow, zero


def prepare(lambd: float) -> tuple[float]:
    """A negative λ counts as 0; a NaN stays one and makes every comparison false."""
    lambd = narrow(lambd)
    return (blend(lambd < zero, zero, lambd),)


def grad_input(grad_output: float, self: float, lambd: float) -> float:
    """A selection, not a product: where masked, a gradient of any value gives +0."""
    return blend(abs(self) > lambd, grad_output, zero)


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
            prepare,
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
        Gradient of the result and input of the forward operator; rank 0 to 8, F16, BF16, F32 or
        F64, also mixed. They broadcast.
    lambd : real number, optional
        Threshold λ, narrowed to float32. Negative counts as 0; with NaN the result is 0.
    out : array, optional
        Where the result goes: of the broadcast shape and any floating type, apart from the inputs
        or exactly the view of one.
    compute_dtype : {None, "float16", "bfloat16", "float32", "float64"} or dtype, optional
        Type in which the formula is evaluated, named in any way that `cast` takes; None is F64 for
        F64 data, else F32.

    Returns
    -------
    array
        Of the broadcast shape, the promoted type and the caller's kind, laid out as NumPy's
        functions lay out theirs (``order="K"``); ``out`` if given.

    Raises
    ------
    ArgumentTypeError
        If an argument is no array, or of another element type.
    ArgumentValueError
        If shapes do not broadcast, a rank is above 8, or ``out`` does not fit, is read-only or can
        only be copied.

    Notes
    -----
    The formula is the vendor's (aclnnHardshrinkBackward). NaN in ``self`` gives 0, where PyTorch
    passes the gradient if its scalar loop meets it, as in a short array, and gives 0 if its vector
    loop does.

    Rounding: a result is rounded to the promoted type of the inputs, whatever ``compute_dtype`` is,
    and then cast to the type of ``out``, so an F32 ``out`` gets numbers of BF16 from BF16 inputs;
    in F64 arithmetic it is rounded once, to the type of ``out``.

    Accuracy: the result is the gradient or 0, so it is exact in its own type.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> x = np.array([-2, -0.5, 0.25, 0.75], np.float32)
    >>> ar.hardshrink_backward(np.ones_like(x), x, 0.5)
    array([1., 0., 0., 1.], dtype=float32)
    """
    return array_call(OPERATOR, (grad_output, self), (lambd,), out, compute_dtype)
