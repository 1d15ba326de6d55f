"""aclnnBinaryCrossEntropy and aclnnBinaryCrossEntropyBackward: the loss of a probability."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from ...declaration import (
    ALL_BUT_200I,
    NORM,
    Forward,
    OnDevice,
    RealNumber,
    TensorParam,
    TorchOperator,
    declare_gradient,
    declare_loss,
    equal_shapes,
    loss_accuracy,
    norm,
    shape_of,
    weighted,
)
from ...functional import ArrayT, DTypeLike, array_call
from ...kernels.arithmetic import Formula, Number, log, log1p, select

#: the least denominator of the gradient
EPSILON: Final = Fraction("1e-12")


def loss(self: Number, target: Number, weight: Number, reduction: Number) -> Number:
    """Each logarithm is at least -100."""
    hit, miss = at_least(-100.0, log(self)), at_least(-100.0, log1p(-self))
    return -weight * (target * hit + (1.0 - target) * miss)


def grad_input(
    grad_output: Number,
    self: Number,
    target: Number,
    weight: Number,
    reduction: Number,
    size: Number,
) -> Number:
    """The gradient is the last factor, so that nothing before it depends on its size."""
    slope = (self - target) / at_least(EPSILON, self * (1.0 - self))
    return norm(reduction, size) * slope * weight * grad_output


def at_least(limit: Any, value: Number) -> Number:
    """The larger one; NaN stays."""
    return select(value < limit, limit, value)


def stated(
    self: NDArray[np.float64], target: NDArray[np.float64], weight: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Tell where a bound is stated."""
    return (self >= 0) & (self <= 1) & weighted(target, weight)


TENSORS: Final = (TensorParam("self"), TensorParam("target"))
FORMULA: Final = Formula.of(loss, scalars=1, compute_bound=True)
GRADIENT_FORMULA: Final = Formula.of(grad_input, scalars=1)
WORDS: Final = "for self and target in [0, 1], weights of 1e-6 to 1e6, "
LOSS: Final = declare_loss(
    FORMULA,
    name="binary_cross_entropy",
    api="aclnnBinaryCrossEntropy",
    tensors=(*TENSORS, TensorParam("weight", default=1.0)),
    latex=r"""
        \text{out} = -\text{weight} \cdot \left( \text{target} \cdot \max(\ln \text{self}, -100)
            + (1 - \text{target}) \cdot \max(\ln(1 - \text{self}), -100) \right)
    """,
    shapes=equal_shapes,
    device=OnDevice(ALL_BUT_200I, ("BinaryCrossEntropy",)),
    same_type=True,
    accuracy=loss_accuracy(4.0, FORMULA, stated=stated, words=WORDS),
    torch=TorchOperator(
        "binary_cross_entropy",
        out="out",
        format="preserve",
        limits=dict.fromkeys(("self", "target"), (0.0, 1.0)),
    ),
    settings=({"reduction": "none", "weight": 1.0}, {"reduction": "none"}),
    interval=(0.01, 0.99),
)
GRADIENT: Final = declare_gradient(
    GRADIENT_FORMULA,
    name="binary_cross_entropy_backward",
    api="aclnnBinaryCrossEntropyBackward",
    tensors=(
        TensorParam("grad_output"),
        *TENSORS,
        TensorParam("weight", vendor="weightOptional", default=1.0),
    ),
    latex=r"""
        \text{grad_input} = \text{norm} \cdot \dfrac{\text{self} - \text{target}}
            {\max(\text{self} \, (1 - \text{self}), 10^{-12})}
            \cdot \text{weight} \cdot \text{grad_output} \qquad
    """
    + NORM,
    shapes=shape_of("self"),
    device=OnDevice(ALL_BUT_200I, ("BinaryCrossEntropyGrad",)),
    accuracy=loss_accuracy(4.0, GRADIENT_FORMULA, stated=stated, words=WORDS),
    forward=Forward("binary_cross_entropy", loss, "the binary cross-entropy of ``x`` and target"),
    torch=TorchOperator("binary_cross_entropy_backward", format="preserve"),
    settings=({"reduction": "none", "weight": 1.0}, {"reduction": "none", "target": 1.0}, {}),
    interval=(0.01, 0.99),
)


def binary_cross_entropy(
    self: ArrayT,
    target: ArrayT,
    weight: ArrayT | None = None,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the binary cross-entropy of probabilities, or its mean or sum.

    It is ``-weight * (target * log(self) + (1 - target) * log(1 - self))`` with logarithms of at
    least -100.

    Parameters
    ----------
    self, target : array
        Probabilities and targets, both between 0 and 1; rank 0 to 8, F16, BF16, F32 or F64. Shapes
        and types are equal.
    weight : array, optional
        A factor for each element, with the same shape and type; None means 1.
    reduction : {"none", "mean", "sum"} or {0, 1, 2}, optional
        Whether the result has all elements, or is their mean or sum, of rank 0.
    out : array, optional
        Output array with the result's shape and type. It must not overlap an input unless it is the
        same view.
    compute_dtype : {None, "float16", "bfloat16", "float32", "float64", "exact"} or dtype, optional
        Type in which the formula is evaluated, in any form that `cast` accepts. None means F64 for
        F64 data and F32 for all other data.

    Returns
    -------
    array
        The caller's kind of array, with the type of ``self``; ``out`` if given. The mean of no
        elements is NaN, their sum 0.

    Raises
    ------
    ArgumentTypeError
        If an argument is not an array or has an unsupported dtype, or types differ.
    ArgumentValueError
        If shapes differ, a rank exceeds 8, the reduction is unknown, or ``out`` has the wrong
        shape, overlaps an input, is read-only or does not share its memory with NumPy.

    See Also
    --------
    binary_cross_entropy_backward : its gradient

    Notes
    -----
    The formula is that of the vendor's kernel (aclnnBinaryCrossEntropy) and of PyTorch; the
    vendor's page does not have the limit of -100. Outside [0, 1] the result is NaN, where PyTorch
    raises an error.

    Accuracy: in F32 arithmetic, the default, an element in F32 is within 4 ulp of the exact
    value, one in F16 or BF16 within 0.5 + 1/256 ulp, for targets in [0, 1], weights from 1e-6
    to 1e6 and results that are 0 or normal F32 numbers. In F64 arithmetic F16, BF16 and F32
    results are correctly rounded and F64 results of such inputs within 0.75 ulp, or 1 ulp where
    they are subnormal; with "exact" they are correctly rounded, too.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> x, target = np.array([0.25, 0.5, 0], np.float32), np.array([0, 1, 1], np.float32)
    >>> ar.binary_cross_entropy(x, target, reduction="none")
    array([  0.28768206,   0.6931472 , 100.        ], dtype=float32)
    >>> ar.binary_cross_entropy(x, target, np.array([1, 2, 0], np.float32), "sum")
    array(1.6739764, dtype=float32)
    """
    operator, tensors = LOSS.given((self, target, weight))
    return array_call(operator, tensors, (reduction,), out, compute_dtype)


def binary_cross_entropy_backward(
    grad_output: ArrayT,
    self: ArrayT,
    target: ArrayT,
    weight: ArrayT | None = None,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of the binary cross-entropy with respect to ``self``.

    It is ``norm * (self - target) / max(self * (1 - self), 1e-12) * weight * grad_output``; the
    norm is 1 / number of elements of ``self`` for the mean, else 1.

    Parameters
    ----------
    grad_output, self, target : array
        Gradient of the loss, probabilities and targets; rank 0 to 8, F16, BF16, F32 or F64 (types
        may differ). Gradient, target and weight broadcast to the shape of ``self``.
    weight : array, optional
        The factor of each element; None means 1.
    reduction : {"none", "mean", "sum"} or {0, 1, 2}, optional
        How the forward operator reduced the elementwise losses.
    out : array, optional
        Output array with the shape of ``self`` and any float dtype. It must not overlap an input
        unless it is the same view.
    compute_dtype : {None, "float16", "bfloat16", "float32", "float64", "exact"} or dtype, optional
        Type in which the formula is evaluated, in any form that `cast` accepts. None means F64 for
        F64 data and F32 for all other data.

    Returns
    -------
    array
        The caller's kind of array, with the shape of ``self`` and the promoted type, in the memory
        layout that NumPy's functions choose (``order="K"``); ``out`` if given.

    Raises
    ------
    ArgumentTypeError
        If an argument is not an array or has an unsupported dtype.
    ArgumentValueError
        If shapes do not broadcast to that of ``self``, a rank exceeds 8, the reduction is unknown,
        or ``out`` has the wrong shape, overlaps an input, is read-only or does not share its memory
        with NumPy.

    See Also
    --------
    binary_cross_entropy : the loss

    Notes
    -----
    The formula is that of the vendor's kernel (aclnnBinaryCrossEntropyBackward) and of PyTorch; the
    vendor's page does not have the limit of the denominator. In F64 arithmetic this is 1e-12, in
    F32 arithmetic, and in PyTorch, the float32 next to it.

    Rounding: for every ``compute_dtype``, the result is rounded to the promoted type of the inputs
    and then cast to the type of ``out``: from BF16 inputs, an F32 ``out`` gets BF16 values. In F64
    arithmetic it is rounded once, directly to the type of ``out``.

    Accuracy: in F32 arithmetic, the default, an F32 result is within 4 ulp of the exact value,
    an F16 or BF16 result within 0.5 + 1/256 ulp, for inputs and targets in [0, 1] and weights
    from 1e-6 to 1e6, wherever the result for a gradient of 1 is 0 or a normal float32. In F64
    arithmetic F16, BF16 and F32 results are correctly rounded and F64 results of such inputs
    within 0.75 ulp, or 1 ulp where they are subnormal; with "exact" they are correctly rounded,
    too.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> x, target = np.array([0.25, 0.5, 0], np.float32), np.array([0, 1, 1], np.float32)
    >>> ar.binary_cross_entropy_backward(np.float32(3), x, target)
    array([ 1.3333335e+00, -2.0000000e+00, -1.0000000e+12], dtype=float32)
    """
    operator, tensors = GRADIENT.given((grad_output, self, target, weight))
    return array_call(operator, tensors, (reduction,), out, compute_dtype)
