"""aclnnGeluBackward and aclnnGeluBackwardV2: the gradient of the Gaussian error linear unit."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, Literal

from ...declaration import (
    ALL_BUT_200I,
    Forward,
    OnDevice,
    Operator,
    ScalarParam,
    TorchOperator,
    by_choice,
    declare,
    near_zero,
)
from ...functional import ArrayT, DTypeLike, array_call
from ...kernels.arithmetic import Formula, Number, logistic, normal_cdf, normal_pdf, select, within

#: the root of 2/π, rounded to 60 digits
SLOPE: Final = Fraction("0.797884560802865355879892119868763736951717262329869315331852")
CUBIC: Final = Fraction("0.044715")


def erf(grad_output: Number, self: Number) -> Number:
    """The derivative of self · normal_cdf(self); negated, so that it underflows to -0.

    Beyond the limit the derivative is next to 0 or 1 in all types.
    """
    x = within(self, 64.0, grad_output)
    return -grad_output * (-x * normal_pdf(x) - normal_cdf(x))


def tanh(grad_output: Number, self: Number) -> Number:
    """The derivative of self · logistic(u)."""
    x = within(self, 32.0, grad_output)
    square, twice = x * x, 2 * SLOPE * x
    u = twice * (1.0 + CUBIC * square)
    rest = twice * (1.0 + 3 * CUBIC * square) * logistic(-u)
    return grad_output * (logistic(u) * (1.0 + rest))


def forward(self: Number, approximate: Number) -> Number:
    """The function itself, of either form."""
    x = within(self, 32.0)
    factor = logistic(2 * SLOPE * x * (1.0 + CUBIC * x * x))
    return self * select(approximate == 1.0, factor, normal_cdf(self))


OPERATOR = Operator(
    name="gelu_backward",
    api="aclnnGeluBackwardV2",
    scalars=(ScalarParam("approximate", choices={"none": 0, "tanh": 1}, c_type="const char *"),),
    latex=r"""
        \text{grad_input} = \text{grad_output} \cdot \begin{cases}
            \Phi(x) + x \cdot \varphi(x) & \text{if approximate is none} \\
            \sigma(u) \cdot (1 + x \cdot u' \cdot \sigma(-u)) & \text{if it is tanh}
        \end{cases} \qquad x = \text{self}, \quad u = \sqrt{8 / \pi} \; (x + 0.044715 \, x^3)
    """,
    formula=Formula.of_forms(erf, tanh, compute_bound=True),
    device=OnDevice(ALL_BUT_200I, ("GeluGradV2",), types="promoted"),
    # the two terms cancel next to the derivative's zero; computing in double took 2.9 and 2.4 times
    # as long
    accuracy=by_choice("approximate", none=near_zero(2, 0.5, erf), tanh=near_zero(3.5, 1.5, tanh)),
    forward=Forward("gelu", forward, "``x * normal_cdf(x)``, or its approximation by a tanh"),
    torch=TorchOperator("gelu_backward", keywords=("approximate",)),
    settings=({}, {"approximate": "tanh"}),
    interval=(-4.0, 4.0),
)
declare(OPERATOR)
# the first version has no parameter for the form
declare(
    OPERATOR,
    api="aclnnGeluBackward",
    scalars=(),
    formula=Formula.of(tanh, compute_bound=True),
    device=OnDevice(ALL_BUT_200I, ("GeluGrad",)),
)


def gelu_backward(
    grad_output: ArrayT,
    self: ArrayT,
    approximate: Literal["none", "tanh"] | int = "none",
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of the Gaussian error linear unit, ``self * normal_cdf(self)``.

    Parameters
    ----------
    grad_output, self : array
        Gradient of the result and input of the forward operator; rank 0 to 8, F16, BF16, F32 or F64
        (types may differ). Shapes broadcast.
    approximate : {"none", "tanh"}, optional
        Whether the normal distribution function is exact, or approximated by
        ``(1 + tanh(sqrt(2 / pi) * (self + 0.044715 * self**3))) / 2``. Their numbers 0 and 1 are
        accepted, too.
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
        If shapes do not broadcast, a rank exceeds 8, ``approximate`` is neither name, or ``out``
        does not fit.

    Notes
    -----
    The formula is the vendor's (aclnnGeluBackwardV2; aclnnGeluBackward has no ``approximate`` and
    computes "tanh"). At ±inf it gives NaN, as in PyTorch, where the limits are 1 and 0.

    Accuracy: the derivative is 0 near -0.752, where two terms cancel. Wherever it is a normal
    number of the arithmetic: in F32 arithmetic, the default, the error of an F32 result is at most
    2 ulp plus 2**-25 times the gradient ("tanh": 3.5 ulp plus 1.5 * 2**-24 times the gradient),
    that of an F16 or BF16 result 0.5 + 1/256 ulp plus as much. In F64 arithmetic F16, BF16 and F32
    results are correctly rounded, and F64 results within 1 ulp plus 2**-58 times the gradient; with
    "exact" they are correctly rounded, too.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> x = np.array([-1, 0, 1], np.float32)
    >>> ar.gelu_backward(np.ones_like(x), x)
    array([-0.08331546,  0.5       ,  1.0833155 ], dtype=float32)
    >>> ar.gelu_backward(np.ones_like(x), x, "tanh")
    array([-0.08296409,  0.5       ,  1.0829641 ], dtype=float32)
    """
    return array_call(OPERATOR, (grad_output, self), (approximate,), out, compute_dtype)
