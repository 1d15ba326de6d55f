"""aclnnSigmoid and aclnnSigmoidBackward: the logistic function, and its gradient by its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import FLOAT32, FLOAT64, ElementType
from ...declaration import (
    ALL_BUT_200I,
    Bound,
    Forward,
    OnDevice,
    Operator,
    TorchOperator,
    declare,
    equal_shapes,
    relative,
)
from ...functional import ArrayT, DTypeLike, array_call
from ...kernels.arithmetic import Formula, Number, inf, logistic, select

if TYPE_CHECKING:  # at run time this would import Numba
    from ...kernels.arithmetic.plain import Plain


def out(self: Number) -> Number:
    """The logistic function."""
    return logistic(self)


VALUE = Operator(
    name="sigmoid",
    api="aclnnSigmoid",
    outputs=("out",),
    latex=r"\text{out} = \dfrac{1}{1 + e^{-\text{self}}}",
    formula=Formula.of(out, compute_bound=True),
    shapes=equal_shapes,
    device=OnDevice(ALL_BUT_200I, ("Sigmoid",), types="equal"),
    # one rounding of the exponential, one of the sum and one of the quotient
    accuracy=relative(1.75),
    torch=TorchOperator("sigmoid", out="out"),
    interval=(-8.0, 8.0),
)
declare(VALUE)
declare(
    VALUE,
    api="aclnnInplaceSigmoid",
    in_place="self",
    device=VALUE.device._replace(float64=ALL_BUT_200I, least_rank=1),
)


def grad_input(grad_output: Number, output: Number) -> Number:
    """The documented products."""
    return grad_output * output * (1.0 - output)


def grad_input_by_slope(grad_output: Number, output: Number) -> Number:
    """The same, but no product underflows before the last."""
    return grad_output * (output * (1.0 - output))


def grad_input_float32(grad_output: Plain, output: Plain) -> Plain:
    """The same with one rounding less."""
    return grad_output * select(output < inf, output.fma(-output, output), -output)


def variant(compute: str, rounded: str) -> Callable[..., Any] | None:
    """Half-precision arithmetic rounds the documented products."""
    return {FLOAT32.name: grad_input_float32, FLOAT64.name: grad_input_by_slope}.get(compute)


def accuracy(kind: ElementType, scalars: Mapping[str, Any], size: int) -> Bound:
    """One rounding of the slope and one of the product, unless the output's square overflows."""
    limit = 2.0**511 if kind is FLOAT64 else 2.0**63

    def more(output: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where((abs(output) > limit) & (abs(output) < np.inf), np.inf, 0.0)

    ulp = relative(1.75)(kind, scalars, size).ulp
    return Bound(ulp, more=more, words=f"for |output| <= {limit:g}")


GRADIENT = Operator(
    name="sigmoid_backward",
    api="aclnnSigmoidBackward",
    latex=r"\text{grad_input} = \text{grad_output} \cdot \text{output} \cdot (1 - \text{output})",
    formula=Formula.of(grad_input, variant=variant),
    device=OnDevice(ALL_BUT_200I, ("SigmoidGrad",), float64=ALL_BUT_200I, least_rank=1),
    accuracy=accuracy,
    forward=Forward("sigmoid", out, "``1 / (1 + exp(-x))``", of_result=True),
    torch=TorchOperator("sigmoid_backward"),
    interval=(0.0, 1.0),
)
declare(GRADIENT)


def sigmoid(
    self: ArrayT, *, out: ArrayT | None = None, compute_dtype: DTypeLike | None = None
) -> ArrayT:
    """Return the logistic function, ``1 / (1 + exp(-self))``.

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
        If an argument is not an array or has an unsupported dtype.
    ArgumentValueError
        If the rank exceeds 8, or ``out`` does not fit.

    Notes
    -----
    The formula is the vendor's (aclnnSigmoid, and aclnnInplaceSigmoid, which overwrites its input).
    It is 0 at -inf and 1 at inf. Complex numbers are not supported.

    Accuracy: in F32 arithmetic, the default, an F32 result is within 1.75 ulp of the exact value,
    an F16 or BF16 result within 0.5 + 1/256 ulp. In F64 arithmetic these are correctly rounded, and
    F64 results within 0.75 ulp; with "exact" they are correctly rounded, too.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> ar.sigmoid(np.array([-1, 0, np.inf], np.float32))
    array([0.26894143, 0.5       , 1.        ], dtype=float32)
    """
    return array_call(VALUE, (self,), (), out, compute_dtype)


def sigmoid_backward(
    grad_output: ArrayT,
    output: ArrayT,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of the logistic function, ``grad_output * output * (1 - output)``.

    Parameters
    ----------
    grad_output, output : array
        Gradient of the result, and the result of the forward operator; rank 0 to 8, F16, BF16, F32
        or F64 (types may differ). Shapes broadcast.
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
        If shapes do not broadcast, a rank exceeds 8, or ``out`` does not fit.

    Notes
    -----
    The formula is the vendor's (aclnnSigmoidBackward). ``output`` may be any number. Complex
    numbers are not supported.

    Accuracy: in F32 arithmetic, the default, an F32 result is within 1.75 ulp of the exact value,
    an F16 or BF16 result within 0.5 + 1/256 ulp, unless ``abs(output)`` is above 2**63 and finite.
    In F64 arithmetic F16, BF16 and F32 results are correctly rounded, and F64 results within 0.75
    ulp, unless ``abs(output)`` is above 2**511; with "exact" they are correctly rounded, too.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> y = ar.sigmoid(np.array([-1, 0, np.inf], np.float32))
    >>> ar.sigmoid_backward(np.ones_like(y), y)
    array([0.19661194, 0.25      , 0.        ], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, output), (), out, compute_dtype)
