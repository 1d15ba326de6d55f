"""aclnnSmoothL1LossBackward: slope d/β near zero, ±1 beyond, scaled for the reduction."""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentValueError
from ..functional import Array, array_call
from ..kernels.formula import Formula, narrow, number, rnd, select, sign
from ..spec import OnDevice, Operator, ScalarParam, TensorParam, broadcast_shapes, declare

#: the vendor's numbers of the reductions
REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def prepare(reduction: float, beta: float, size: int) -> tuple[float, float]:
    """β arrives as FLOAT; the mean divides by the number of results, rounded once."""
    return narrow(beta), number(1.0 / size if reduction == 1 else 1.0)


def grad_input(grad_out: float, self: float, target: float, beta: float, norm: float) -> float:
    """A true division by β keeps the two branches apart at |d| = β."""
    d = rnd(self - target)
    slope = select(abs(d) < beta, rnd(d / beta), sign(d))
    return rnd(rnd(norm * slope) * grad_out)


OPERATOR = declare(
    Operator(
        name="smooth_l1_loss_backward",
        api="aclnnSmoothL1LossBackward",
        tensors=(TensorParam("grad_out"), TensorParam("self"), TensorParam("target")),
        scalars=(ScalarParam("reduction", choices=REDUCTIONS), ScalarParam("beta", least=0.0)),
        outputs=("grad_input",),
        formula=Formula(
            "smooth_l1_loss_backward_grad_input", grad_input, prepare, tensors=3, scalars=2
        ),
        shapes=broadcast_shapes,
        device=OnDevice(
            products=("Atlas training", "Atlas inference", "Atlas A2", "Atlas A3"),
            kernels=("SmoothL1LossGradV2",),
        ),
    )
)


def smooth_l1_loss_backward(
    grad_out: Array,
    self: Array,
    target: Array,
    reduction: Any = "mean",
    beta: Any = 1.0,
    *,
    out: Array | None = None,
    compute_dtype: Any = None,
) -> Array:
    """Return the gradient of the smooth L1 loss with respect to ``self``.

    With ``d = self - target`` it is ``norm * slope * grad_out``. The slope is ``d / beta`` for
    ``|d| < beta`` and the sign of ``d`` otherwise; the norm is 1 / number of elements of the result
    for the mean, else 1.

    Parameters
    ----------
    grad_out, self, target : array
        Gradient of the loss, prediction and target; rank 0 to 8, F16, BF16, F32 or F64, also
        mixed. They broadcast.
    reduction : {"none", "mean", "sum"} or {0, 1, 2}, optional
        What the forward operator did with the elementwise losses.
    beta : real number, optional
        Where the loss turns from quadratic to linear; at least 0, narrowed to float32. 0 makes it
        the gradient of the L1 loss.
    out : array, optional
        Where the result goes: of the broadcast shape and any floating type, apart from the inputs
        or exactly the view of one.
    compute_dtype : {None, "float16", "bfloat16", "float32", "float64"}, optional
        Type in which the formula is evaluated; None is F64 for F64 data, else F32.

    Returns
    -------
    array
        Of the broadcast shape, the promoted type and the caller's kind; ``out`` if given.

    Raises
    ------
    ArgumentTypeError
        If an argument is no array, or of another element type.
    ArgumentValueError
        If shapes do not broadcast, a rank is above 8, the reduction is another, ``beta`` is
        negative or NaN, or ``out`` does not fit.

    Notes
    -----
    The formula is the vendor's (aclnnSmoothL1LossBackward). With ``beta`` 0 and ``d`` 0 the result
    is 0, where PyTorch gives ``-grad_out``.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> x = np.array([0.5, 2.0, -3.0], np.float32)
    >>> ar.smooth_l1_loss_backward(np.ones_like(x), x, np.zeros_like(x), "sum")
    array([ 0.5,  1. , -1. ], dtype=float32)
    """
    if isinstance(reduction, str):
        if reduction not in REDUCTIONS:
            raise ArgumentValueError(
                "reduction", f"is {reduction!r}; allowed are {', '.join(map(repr, REDUCTIONS))}"
            )
        reduction = REDUCTIONS[reduction]
    return array_call(OPERATOR, (grad_out, self, target), (reduction, beta), out, compute_dtype)
