"""aclnnFastGelu and aclnnFastGeluBackward: gelu with a logistic function, and its gradient."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from ...core.dtypes import FLOAT32
from ...declaration import (
    A2_A3,
    Forward,
    OnDevice,
    Operator,
    declare,
    equal_shapes,
    near_zero,
    relative,
)
from ...functional import ArrayT, DTypeLike, array_call
from ...kernels.arithmetic import Formula, Number, logistic, one_plus_exp, within

if TYPE_CHECKING:  # at run time this would import Numba
    from ...kernels.arithmetic.plain import Plain

SLOPE: Final = Fraction("1.702")


def out(self: Number) -> Number:
    """The documented quotient, which is NaN at -inf."""
    return self / one_plus_exp(-SLOPE * self)


def out_float32(self: Plain) -> Number:
    """The same with the product in float64: the exponential would amplify its rounding error."""
    return self / one_plus_exp(-SLOPE * self.widened())


def variant(compute: str, rounded: str) -> Callable[..., Any] | None:
    """In float32 only."""
    return out_float32 if compute == FLOAT32.name else None


VALUE = Operator(
    name="fast_gelu",
    api="aclnnFastGelu",
    outputs=("out",),
    latex=r"\text{out} = \dfrac{\text{self}}{1 + e^{-1.702 \, \text{self}}}",
    formula=Formula.of(out, variant=variant, compute_bound=True),
    shapes=equal_shapes,
    device=OnDevice(A2_A3, ("FastGelu",), types="equal"),
    accuracy=relative(2.0),
    interval=(-4.0, 4.0),
)
declare(VALUE)


def grad_input(grad_output: Number, self: Number) -> Number:
    """The derivative of self · logistic(z)."""
    z = SLOPE * within(self, 1024.0, grad_output)
    return grad_output * (logistic(z) * (1.0 + z * logistic(-z)))


GRADIENT = Operator(
    name="fast_gelu_backward",
    api="aclnnFastGeluBackward",
    latex=r"""
        \text{grad_input} = \text{grad_output} \cdot \sigma(z) (1 + z \, \sigma(-z))
        \qquad z = 1.702 \, \text{self}
    """,
    formula=Formula.of(grad_input, compute_bound=True),
    shapes=equal_shapes,
    device=OnDevice(A2_A3, ("FastGeluGrad",), types="equal"),
    # the two terms cancel next to the derivative's zero
    accuracy=near_zero(2, 2, grad_input),
    forward=Forward("fast_gelu", out, "``x / (1 + exp(-1.702 * x))``"),
    interval=(-4.0, 4.0),
)
declare(GRADIENT)


def fast_gelu(
    self: ArrayT, *, out: ArrayT | None = None, compute_dtype: DTypeLike | None = None
) -> ArrayT:
    """Return ``self / (1 + exp(-1.702 * self))``, an approximation of gelu.

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
    The formula is the vendor's (aclnnFastGelu); PyTorch has no such operator. At -inf it gives NaN,
    where the limit is -0.

    Accuracy: in F32 arithmetic, the default, an F32 result is within 2 ulp of the exact value, an
    F16 or BF16 result within 0.5 + 1/256 ulp. In F64 arithmetic these are correctly rounded, and
    F64 results within 0.75 ulp; with "exact" they are correctly rounded, too.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> ar.fast_gelu(np.array([-1, 0, 2], np.float32))
    array([-0.15420423,  0.        ,  1.9356586 ], dtype=float32)
    """
    return array_call(VALUE, (self,), (), out, compute_dtype)


def fast_gelu_backward(
    grad_output: ArrayT,
    self: ArrayT,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of ``self / (1 + exp(-1.702 * self))``.

    Parameters
    ----------
    grad_output, self : array
        Gradient of the result and input of the forward operator, of one shape (no broadcasting);
        rank 0 to 8, F16, BF16, F32 or F64 (types may differ).
    out : array, optional
        Array for the result, with the same shape and any float dtype. It may be an input itself,
        but must not overlap one otherwise.
    compute_dtype : {None, "float16", "bfloat16", "float32", "float64", "exact"} or dtype, optional
        Type in which the formula is evaluated; None means F64 for F64 data, else F32.

    Returns
    -------
    array
        The same shape and the promoted type, as the caller's kind of array; ``out`` if given.

    Raises
    ------
    ArgumentTypeError
        If an argument is not an array or has an unsupported dtype.
    ArgumentValueError
        If shapes differ, a rank exceeds 8, or ``out`` does not fit.

    Notes
    -----
    The formula is the vendor's (aclnnFastGeluBackward). At ±inf it gives NaN, where the limits are
    1 and 0.

    Accuracy: the derivative is 0 near -0.751, where two terms cancel. Wherever it is a normal
    number of the arithmetic: in F32 arithmetic, the default, the error of an F32 result is at most
    2 ulp plus 2**-23 times the gradient, that of an F16 or BF16 result 0.5 + 1/256 ulp plus as
    much. In F64 arithmetic F16, BF16 and F32 results are correctly rounded, and F64 results
    within 1 ulp plus 2**-58 times the gradient; with "exact" they are correctly rounded, too.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> x = np.array([-1, 0, 1], np.float32)
    >>> ar.fast_gelu_backward(np.ones_like(x), x)
    array([-0.06777962,  0.5       ,  1.0677795 ], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, self), (), out, compute_dtype)
