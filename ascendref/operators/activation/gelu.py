"""aclnnGeluV2 and aclnnGeluBackwardV2: the Gaussian error linear unit, and its gradient."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal

from ...declaration.accuracy import by_choice, near_zero, relative
from ...declaration.fields import ALL_BUT_200I, Forward, OnDevice, TensorParam, TorchOperator
from ...declaration.operator import Operator
from ...declaration.scalars import ScalarParam
from ...declaration.shapes import broadcast_shapes
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import (
    Formula,
    Number,
    logistic,
    logistic_pair,
    normal_cdf,
    normal_pdf,
    one_plus_exp,
    only_in_float32,
    select,
    within,
)

if TYPE_CHECKING:  # at run time this would import Numba
    from ...kernels.arithmetic.plain import Plain

#: the root of 2/π, rounded to 60 digits
SLOPE: Final = Fraction("0.797884560802865355879892119868763736951717262329869315331852")
CUBIC: Final = Fraction("0.044715")
FORMS: Final = {"none": 0, "tanh": 1}


def value(self: Number) -> Number:
    """The documented product, which is NaN at -inf."""
    return self * normal_cdf(self)


def value_float32(self: Plain) -> Number:
    """The same with one rounding less."""
    return self.gelu()


def value_tanh(self: Number) -> Number:
    """(1 + tanh(u / 2)) / 2 is the logistic function of u."""
    return self / one_plus_exp(-2 * SLOPE * self * (1.0 + CUBIC * self * self))


def value_tanh_float32(self: Plain) -> Number:
    """The same with u in float64: the exponential would amplify its rounding errors."""
    x = self.widened()
    return self / one_plus_exp(-2 * SLOPE * x * (1.0 + CUBIC * x * x))


def value_tanh_steps(self: Number) -> Number:
    """The documented order; the constant gives the digits of published F32 results."""
    return self / one_plus_exp(-1.5957691 * (self + CUBIC * (self * self * self)))


TANH: Final = Formula.of(
    value_tanh,
    variant=only_in_float32(value_tanh_float32, steps=value_tanh_steps),
    compute_bound=True,
)
VALUE = Operator(
    name="gelu",
    api="aclnnGeluV2",
    tensors=(TensorParam("self", vendor="x"),),
    scalars=(ScalarParam("approximate", choices=FORMS, c_type="int64_t", otherwise=0.0),),
    outputs=("y",),
    latex=r"""
        \text{y} = \begin{cases}
            x \cdot \Phi(x) & \text{if approximate is none} \\
            \dfrac{x}{2} (1 + \tanh(\sqrt{2 / \pi} \; (x + 0.044715 \, x^3))) & \text{if it is tanh}
        \end{cases} \qquad x = \text{self}
    """,
    formula=Formula.of_forms(
        Formula.of(value, variant=only_in_float32(value_float32)),
        TANH,
        compute_bound=True,
        short=("float16", "bfloat16"),
    ),
    device=OnDevice(ALL_BUT_200I, ("GeluV2",), types="equal"),
    accuracy=by_choice("approximate", none=relative(1.75, normal_cdf), tanh=relative(2.0)),
    torch=TorchOperator("gelu", keywords=("approximate",), out="out"),
    settings=({}, {"approximate": "tanh"}),
    interval=(-4.0, 4.0),
).declare()
# the first version has no parameter for the form
VALUE.declare(
    api="aclnnGelu",
    tensors=(TensorParam("self"),),
    scalars=(),
    outputs=("out",),
    formula=TANH,
    device=VALUE.device._replace(kernels=("Gelu",)),
)


def erf(grad_output: Number, self: Number) -> Number:
    """The derivative of self · normal_cdf(self); negated, so that it underflows to -0.

    Beyond the limit the derivative is next to 0 or 1 in all types.
    """
    x = within(self, 64.0, grad_output)
    return -grad_output * (-x * normal_pdf(x) - normal_cdf(x))


def erf_float32(grad_output: Plain, self: Plain) -> Number:
    """The same without cancellation next to the derivative's zero."""
    return self.gelu_backward(grad_output)


def tanh(grad_output: Number, self: Number) -> Number:
    """The derivative of self · logistic(u)."""
    x = within(self, 32.0, grad_output)
    square, twice = x * x, 2 * SLOPE * x
    u = twice * (1.0 + CUBIC * square)
    rising, falling = logistic_pair(u)
    rest = twice * (1.0 + 3 * CUBIC * square) * falling
    return grad_output * (rising * (1.0 + rest))


def forward(self: Number, approximate: Number) -> Number:
    """The function itself, of either form."""
    x = within(self, 32.0)
    factor = logistic(2 * SLOPE * x * (1.0 + CUBIC * x * x))
    return self * select(approximate == 1.0, factor, normal_cdf(self))


GRADIENT = Operator(
    name="gelu_backward",
    api="aclnnGeluBackwardV2",
    scalars=(ScalarParam("approximate", choices=FORMS, c_type="const char *"),),
    latex=r"""
        \text{grad_input} = \text{grad_output} \cdot \begin{cases}
            \Phi(x) + x \cdot \varphi(x) & \text{if approximate is none} \\
            \sigma(u) \cdot (1 + x \cdot u' \cdot \sigma(-u)) & \text{if it is tanh}
        \end{cases} \qquad x = \text{self}, \quad u = \sqrt{8 / \pi} \; (x + 0.044715 \, x^3)
    """,
    formula=Formula.of_forms(
        Formula.of(erf, variant=only_in_float32(erf_float32)),
        tanh,
        compute_bound=True,
        short=("bfloat16",),
    ),
    shapes=broadcast_shapes,
    device=OnDevice(ALL_BUT_200I, ("GeluGradV2",), types="promoted"),
    # the second form's terms cancel next to the derivative's zero; doubles took 2.4 times as long
    accuracy=by_choice(
        "approximate",
        none=near_zero(2, 0.5, erf, at_most=2.0),
        tanh=near_zero(3.5, 1.5, tanh),
    ),
    forward=Forward("gelu", forward, "``x * normal_cdf(x)``, or its approximation by a tanh"),
    torch=TorchOperator("gelu_backward", keywords=("approximate",)),
    settings=({}, {"approximate": "tanh"}),
    interval=(-4.0, 4.0),
).declare()
# the first version has no parameter for the form
GRADIENT.declare(
    api="aclnnGeluBackward",
    scalars=(),
    formula=Formula.of(tanh, compute_bound=True),
    device=OnDevice(ALL_BUT_200I, ("GeluGrad",)),
)


@documented(VALUE)
def gelu(
    self: ArrayT,
    approximate: Literal["none", "tanh"] | int = "none",
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the Gaussian error linear unit, ``self * normal_cdf(self)``.

    Parameters
    ----------
    approximate : {"none", "tanh"} or {0, 1}, optional
        Whether the normal distribution function is exact, or approximated by
        ``(1 + tanh(sqrt(2 / pi) * (self + 0.044715 * self**3))) / 2``.

    Notes
    -----
    Formula: aclnnGeluV2, which takes any number but 1 for "none"; aclnnGelu has no ``approximate``
    and computes "tanh". NaN at -inf, as in PyTorch; the limit is -0. F32: 1.75 ulp; "tanh": 2 ulp.
    F64 results of "none" have no bound where the distribution function is subnormal, below -37.3.

    Examples
    --------
    >>> x = np.array([-1, 0, 2], np.float32)
    >>> ar.gelu(x)
    array([-0.15865526,  0.        ,  1.9544997 ], dtype=float32)
    >>> ar.gelu(x, "tanh")
    array([-0.15880801,  0.        ,  1.9545978 ], dtype=float32)
    """
    return array_call(VALUE, (self,), (approximate,), out, compute_dtype)


@documented(GRADIENT)
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
    approximate : {"none", "tanh"} or {0, 1}, optional, as for `gelu`
        The exact form, or that with tanh.

    Notes
    -----
    Formula: aclnnGeluBackwardV2; aclnnGeluBackward has no ``approximate`` and computes "tanh". NaN
    at ±inf, as in PyTorch; the limits are 1 and 0. F32: 2 ulp plus 2**-25 times the gradient,
    but at most 4 ulp; "tanh": 3.5 ulp plus 1.5 * 2**-24 times the gradient. The derivative is 0
    near -0.752.

    Examples
    --------
    >>> x = np.array([-1, 0, 1], np.float32)
    >>> ar.gelu_backward(np.ones_like(x), x)
    array([-0.08331547,  0.5       ,  1.0833155 ], dtype=float32)
    >>> ar.gelu_backward(np.ones_like(x), x, "tanh")
    array([-0.08296409,  0.5       ,  1.0829641 ], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, self), (approximate,), out, compute_dtype)
