"""aclnnLeakyRelu and aclnnLeakyReluBackward: a slope below 0, and the gradient."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...core.dtypes import FLOAT32, ElementType
from ...core.errors import ArgumentValueError
from ...declaration import (
    ALL_BUT_200I,
    TRAINING_A2_A3,
    Bound,
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

SLOPE: Final = ScalarParam("negative_slope")


def out(self: Number, negative_slope: Number) -> Number:
    """Select: the slope may be negative, infinite or above 1."""
    return select(self > 0.0, self, negative_slope * self)


def grad_input(
    grad_output: Number, self: Number, negative_slope: Number, self_is_result: Number
) -> Number:
    """Where the result of the forward operator is positive, its input is, for slopes from 0 on."""
    return select(self > 0.0, grad_output, negative_slope * grad_output)


def check_slope(negative_slope: float, self_is_result: float) -> None:
    """The sign of a result tells that of the input unless the slope is negative."""
    if self_is_result and not negative_slope >= 0:
        raise ArgumentValueError(
            "negative_slope", f"is {negative_slope!r}; it must be at least 0 if self_is_result"
        )


def accuracy(kind: ElementType, scalars: Mapping[str, Any], size: int) -> Bound:
    """One rounding in F32; half-precision results of a float32 slope are rounded twice."""
    return (rounded_once if kind is FLOAT32 else relative(0.5))(kind, scalars, size)


VALUE: Final = Operator(
    name="leaky_relu",
    api="aclnnLeakyRelu",
    scalars=(SLOPE,),
    outputs=("out",),
    latex=r"""
        \text{out} = \begin{cases}
            \text{self} & \text{if } \text{self} > 0 \\
            \text{negative_slope} \cdot \text{self} & \text{otherwise}
        \end{cases}
    """,
    formula=Formula.of(out, scalars=1),
    shapes=equal_shapes,
    device=OnDevice(TRAINING_A2_A3, ("LeakyRelu",), float64=("Atlas training",)),
    accuracy=accuracy,
    torch=TorchOperator("leaky_relu", out="out"),
    settings=({}, {"negative_slope": -2.5}),
)
declare(VALUE)
declare(
    VALUE,
    api="aclnnInplaceLeakyRelu",
    in_place="self",
    device=VALUE.device._replace(float64=TRAINING_A2_A3),
)

GRADIENT: Final = Operator(
    name="leaky_relu_backward",
    api="aclnnLeakyReluBackward",
    scalars=(SLOPE, ScalarParam("self_is_result", c_type="bool")),
    check_scalars=check_slope,
    latex=r"""
        \text{grad_input} = \begin{cases}
            \text{grad_output} & \text{if } \text{self} > 0 \\
            \text{negative_slope} \cdot \text{grad_output} & \text{otherwise}
        \end{cases}
    """,
    formula=Formula.of(grad_input, scalars=2),
    device=OnDevice(ALL_BUT_200I, ("LeakyReluGrad",), float64=ALL_BUT_200I),
    accuracy=accuracy,
    forward=Forward("leaky_relu", out, "``x`` where it is positive, else ``negative_slope * x``"),
    torch=TorchOperator("leaky_relu_backward"),
    settings=({}, {"negative_slope": -2.5}, {"negative_slope": 0.3, "self_is_result": True}),
)
declare(GRADIENT)


def leaky_relu(
    self: ArrayT,
    negative_slope: RealNumber = 0.01,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return ``self`` where it is positive, else ``negative_slope * self``.

    Parameters
    ----------
    self : array
        Input; rank 0 to 8, F16, BF16, F32 or F64.
    negative_slope : real number, optional
        Any number, narrowed to float32.
    out : array, optional
        Array for the result, with the shape of ``self`` and any float dtype. It may be the input,
        but must not overlap it in part.
    compute_dtype : {None, "float16", "bfloat16", "float32", "float64", "exact"} or dtype, optional
        Type in which the formula is evaluated; None means F64 for F64 data, else F32.

    Returns
    -------
    array
        The same shape and type, as the caller's kind of array; ``out`` if given.

    Raises
    ------
    ArgumentTypeError
        If an argument is not an array or not a number, or has an unsupported dtype.
    ArgumentValueError
        If the rank exceeds 8, or ``out`` does not fit.

    Notes
    -----
    The formula is the vendor's (aclnnLeakyRelu, aclnnInplaceLeakyRelu). It selects, so an infinite
    slope leaves positive inputs as they are. F64 tensors are computed in F64 here; the device
    narrows them to F32.

    Accuracy: in F32 arithmetic, the default, an F32 result is correctly rounded, an F16 or BF16
    result within 0.5 + 1/256 ulp. In F64 arithmetic these are correctly rounded, and F64 results
    within 0.75 ulp; with "exact" they are correctly rounded, too.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> ar.leaky_relu(np.array([-2, 0, 2], np.float32), 0.25)
    array([-0.5,  0. ,  2. ], dtype=float32)
    """
    return array_call(VALUE, (self,), (negative_slope,), out, compute_dtype)


def leaky_relu_backward(
    grad_output: ArrayT,
    self: ArrayT,
    negative_slope: RealNumber = 0.01,
    self_is_result: bool = False,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of leaky_relu.

    It is ``grad_output`` where ``self`` is positive, else ``negative_slope * grad_output``.

    Parameters
    ----------
    grad_output, self : array
        Gradient of the result and input of the forward operator; rank 0 to 8, F16, BF16, F32 or F64
        (types may differ). Shapes broadcast.
    negative_slope : real number, optional
        Any number, narrowed to float32.
    self_is_result : bool, optional
        Whether ``self`` is the result of the forward operator. Its sign is that of the input then,
        so the formula is the same, but ``negative_slope`` must be at least 0.
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
        If an argument is not an array or not a number, or has an unsupported dtype.
    ArgumentValueError
        If shapes do not broadcast, a rank exceeds 8, ``self_is_result`` is not a truth value or
        true with a negative or NaN slope, or ``out`` does not fit.

    Notes
    -----
    The formula is the vendor's (aclnnLeakyReluBackward). NaN in ``self`` is not positive. F64
    tensors are computed in F64 here; the device narrows them to F32.

    Accuracy: as for `leaky_relu`.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> x = np.array([-2, 0, 2], np.float32)
    >>> ar.leaky_relu_backward(np.ones_like(x), x, 0.25)
    array([0.25, 0.25, 1.  ], dtype=float32)
    """
    scalars = (negative_slope, self_is_result)
    return array_call(GRADIENT, (grad_output, self), scalars, out, compute_dtype)
