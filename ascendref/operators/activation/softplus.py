"""aclnnSoftplus, and its gradient, which is multiplied by the logistic function of β·self."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import (
    BFLOAT16,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    FLOATS,
    INTEGERS,
    ElementType,
    float_format,
)
from ...declaration.accuracy import HALF_ULP, Bound
from ...declaration.fields import (
    ALL_BUT_200I,
    TRAINING_A2_A3,
    Forward,
    OnDevice,
    TensorParam,
    TorchOperator,
    Types,
)
from ...declaration.operator import Operator
from ...declaration.scalars import RealNumber, ScalarParam, single
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import Formula, Number, inf, one_plus_exp, select, sign
from ...kernels.arithmetic import softplus as log_one_plus_exp

if TYPE_CHECKING:  # at run time this would import Numba
    from ...kernels.arithmetic.plain import Plain


SCALARS: Final = (ScalarParam("beta"), ScalarParam("threshold"))
#: what both operators are measured with
SETTINGS: Final[tuple[dict[str, float | str], ...]] = (
    {},
    {"beta": 0.5},
    {"beta": 3.0},
    {"threshold": 1.0},
)


def exact_product(beta: float) -> bool:
    """Whether a product with β is exact, unless it overflows or underflows."""
    return abs(math.frexp(single(beta))[0]) in (0.5, 0.0)


def value(self: Number, beta: Number, threshold: Number) -> Number:
    """The function is linear above the threshold."""
    z = beta * self
    return select(z > threshold, self, log_one_plus_exp(z) / beta)


def value_float32(self: Plain, beta: Plain, threshold: Plain) -> Any:
    """The same, corrected by the rounding error of β·self.

    The derivative of softplus is close to softplus below 0, and to 1 above.
    """
    z = beta * self
    lost: Any = select(abs(z) < inf, self.fma(beta, -z), 0.0)
    size = log_one_plus_exp(z)
    size = lost.fma(select(size < 1.0, size, 1.0), size)
    return select(self.fma(beta, -threshold) > 0.0, self, size / beta)


def value_variant(
    compute: str, rounded: str, beta: float, threshold: float
) -> Callable[..., Any] | None:
    """In float32 the exponential would amplify the rounding error of the product."""
    return value_float32 if compute == FLOAT32.name and not exact_product(beta) else None


def value_accuracy(kind: ElementType, scalars: Mapping[str, Any], size: int) -> Bound:
    """No bound is stated where the exponential loses digits that the division by β brings back.

    Nor where β·self overflows and the threshold is not finite, or where their difference
    underflows.
    """
    beta, threshold = single(scalars["beta"]), single(scalars["threshold"])
    form = float_format(FLOAT64 if kind is FLOAT64 else FLOAT32)
    unbounded = math.isfinite(beta) and not math.isfinite(threshold)

    def more(self: NDArray[np.float64]) -> NDArray[np.float64]:
        z = beta * self
        unstated = (abs(beta) < 1) & (z < math.log(form.normal)) & np.isfinite(self)
        if math.isfinite(threshold):
            near = (abs(z - threshold) < form.normal) & (self != 0)
            unstated |= near & ((z != threshold) | (abs(z) < form.normal))
        unstated |= unbounded & (abs(z) > form.largest) & np.isfinite(self)
        return np.where(unstated, math.inf, 0.0)

    ulp = {FLOAT32: 2.0, FLOAT64: 1.0}.get(kind, HALF_ULP)
    return Bound(ulp, more=more, words="where exp(β·self) is a normal number")


VALUE: Final = Operator(
    name="softplus",
    api="aclnnSoftplus",
    scalars=SCALARS,
    latex=r"""
        \text{out} = \begin{cases}
            \text{self} & \text{if } \beta \cdot \text{self} > \text{threshold} \\
            \dfrac{\ln(1 + e^{\beta \cdot \text{self}})}{\beta} & \text{otherwise}
        \end{cases}
    """,
    formula=Formula.of(value, scalars=2, variant=value_variant, compute_bound=True),
    device=OnDevice(ALL_BUT_200I, ("SoftplusV2",)),
    accuracy=value_accuracy,
    torch=TorchOperator("softplus", out="out"),
    settings=SETTINGS,
    interval=(-8.0, 8.0),
).declare()


def grad_input(grad_output: Number, self: Number, beta: Number, threshold: Number) -> Number:
    """The forward operator is linear above the threshold."""
    z = beta * self
    return select(z > threshold, grad_output, grad_output / one_plus_exp(-z))


def grad_input_half(grad_output: Plain, self: Plain, beta: Plain, threshold: Plain) -> Any:
    """The same, but z is compared with the threshold before it is rounded."""
    passes = self.fma(beta, -threshold) > 0.0
    return select(passes, grad_output, grad_output / one_plus_exp(-beta * self))


def grad_input_float32(grad_output: Plain, self: Plain, beta: Plain, threshold: Plain) -> Any:
    """The same with half as many results that are not the nearest, as half precision would hide."""
    passes = self.fma(beta, -threshold) > 0.0
    return select(passes, grad_output, grad_output.times_logistic(beta * self))


def grad_input_float64(
    grad_output: Number, self: Number, beta: Number, threshold: Number
) -> Number:
    """The same, but a product beyond the range of float64 is not infinite."""
    z = beta * self
    finite = (abs(beta) < inf) & (abs(self) < inf)
    z = select(finite & (abs(z) == inf), sign(z) * 2.0**1000, z)
    return select(z > threshold, grad_output, grad_output / one_plus_exp(-z))


def in_float32(compute: str, rounded: str) -> bool:
    """Tell whether results show all digits of F32 arithmetic."""
    return compute == FLOAT32.name and rounded not in (FLOAT16.name, BFLOAT16.name)


def variant(compute: str, rounded: str, beta: float, threshold: float) -> Callable[..., Any] | None:
    """Versions with the exact product, where the arithmetic would round it or overflow."""
    if compute == FLOAT32.name:
        return grad_input_float32 if in_float32(compute, rounded) else grad_input_half
    return grad_input_float64 if compute == FLOAT64.name == rounded else None


def result(types: Types) -> ElementType:
    """One float type gives that type, any mixture with F64 gives F64, other mixtures F32."""
    if types[0] is types[1]:
        return types[0]
    return FLOAT64 if FLOAT64 in types else FLOAT32


def accuracy(kind: ElementType, scalars: Mapping[str, Any], size: int) -> Bound:
    """The exponential amplifies the rounding error of β·self.

    No bound is stated where a finite β·self overflows to -inf: an infinite gradient gives NaN
    there. Nor where its excess over the threshold underflows: it then counts as equal to the
    threshold.
    """
    beta, threshold = single(scalars["beta"]), single(scalars["threshold"])
    ulp = {FLOAT32: 1.75, FLOAT64: 1.0}.get(kind, HALF_ULP)
    # in F64 the product is a sum of two numbers
    exact = exact_product(beta)
    if kind is FLOAT64 or (exact and abs(beta) <= 1 and abs(threshold) > 2.0**-100):
        return Bound(ulp)
    bits = float_format(kind).fraction - 23
    growth = 0.0 if exact else 2.0**bits

    def more(self: NDArray[np.float64]) -> NDArray[np.float64]:
        z = beta * self
        amplified = np.where(np.isfinite(z), growth * np.abs(z), 0.0)
        lost = (z < -float_format(FLOAT32).largest) & np.isfinite(z)
        if math.isfinite(threshold):
            lost |= (z != threshold) & (np.abs(z - threshold) <= 2.0**-150)
        return np.where(lost, math.inf, amplified)

    words = ("" if exact else f"+ 2**{bits}·|z| ") + "for finite β·self"
    return Bound(ulp, more=more, words=words)


GRADIENT: Final = Operator(
    name="softplus_backward",
    api="aclnnSoftplusBackward",
    tensors=(TensorParam("grad_output"), TensorParam("self", FLOATS + INTEGERS)),
    scalars=SCALARS,
    latex=r"""
        \text{grad_input} = \begin{cases}
            \text{grad_output} & \text{if } \beta \cdot \text{self} > \text{threshold} \\
            \dfrac{\text{grad_output}}{1 + e^{-\beta \cdot \text{self}}} & \text{otherwise}
        \end{cases}
    """,
    formula=Formula.of(
        grad_input, scalars=2, variant=variant, compute_bound=True, short=("float16", "bfloat16")
    ),
    breaks={},
    device=OnDevice(TRAINING_A2_A3, ("SoftplusV2Grad",), float64=TRAINING_A2_A3),
    result=result,
    accuracy=accuracy,
    forward=Forward(
        "softplus",
        value,
        "``log(1 + exp(beta * x)) / beta``, or ``x`` where ``beta * x > threshold``",
    ),
    torch=TorchOperator("softplus_backward"),
    settings=SETTINGS,
    interval=(-8.0, 8.0),
).declare()


@documented(VALUE)
def softplus(
    self: ArrayT,
    beta: RealNumber = 1.0,
    threshold: RealNumber = 20.0,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return ``log(1 + exp(beta * self)) / beta``, but ``self`` where ``beta * self > threshold``.

    Parameters
    ----------
    beta, threshold : real number, optional
        With a ``beta`` of 0 the result is infinite where 0 is not above the threshold.

    Notes
    -----
    Formula: aclnnSoftplus. F32: 2 ulp. No bound if ``beta`` is below 1 and ``exp(beta * self)`` is
    not a normal number; if ``beta * self`` overflows and the threshold is infinite or NaN; or if
    ``beta * self - threshold`` underflows.

    Examples
    --------
    >>> ar.softplus(np.array([-1, 0, 30], np.float32))
    array([ 0.3132617,  0.6931472, 30.       ], dtype=float32)
    """
    return array_call(VALUE, (self,), (beta, threshold), out, compute_dtype)


@documented(GRADIENT)
def softplus_backward(
    grad_output: ArrayT,
    self: ArrayT,
    beta: RealNumber = 1.0,
    threshold: RealNumber = 20.0,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return ``grad_output / (1 + exp(-beta * self))``, the gradient of softplus.

    Parameters
    ----------
    grad_output, self : array, of one shape; ``self`` also INT8 to INT64, UINT8 or BOOL
        Gradient of the result, and the data.
    beta, threshold : real number, optional
        The scalars of the formula.

    Returns
    -------
    array of the same shape and the promoted type; F32 for integers and an F16 or BF16 gradient

    Notes
    -----
    Formula: aclnnSoftplusBackward. Where ``beta * self > threshold``, softplus is linear and the
    gradient passes unchanged. The device narrows F64 tensors to F32.

    F32: 1.75 ulp, also where ``exp(-beta * self)`` is beyond the range of F32. Unless ``beta`` is a
    power of two its product with ``self`` is rounded, and the exponential amplifies that, which
    adds ``abs(beta * self)`` ulp. In F16 and BF16 arithmetic an exponential that overflows gives a
    0 with the gradient's sign. Where ``beta * self`` itself overflows to -inf, in F32 arithmetic
    too, an infinite gradient gives NaN; where its excess over the threshold underflows to 0, it is
    not above it.

    Examples
    --------
    >>> ar.softplus_backward(np.ones(3, np.float32), np.array([-1, 0, 30], np.float32))
    array([0.26894143, 0.5       , 1.        ], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, self), (beta, threshold), out, compute_dtype)
