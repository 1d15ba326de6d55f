"""aclnnElu, aclnnCelu and aclnnEluBackward: exponential linear units."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import FLOAT32, FLOAT64, ElementType, float_format
from ...core.errors import ArgumentValueError
from ...declaration.accuracy import HALF_ULP, Bound
from ...declaration.fields import ALL_BUT_200I, TRAINING_A2_A3, Forward, OnDevice, TorchOperator
from ...declaration.operator import Operator
from ...declaration.scalars import RealNumber, ScalarParam, single
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import Formula, Number, exp, expm1, select, within
from ...kernels.arithmetic.arrays import evaluate

SCALARS: Final = (ScalarParam("alpha"), ScalarParam("scale"), ScalarParam("input_scale"))


def elu_value(self: Number, alpha: Number, scale: Number, input_scale: Number) -> Number:
    """Linear above 0, exponential below."""
    return select(self > 0.0, scale * self, alpha * scale * expm1(input_scale * self))


def celu_value(self: Number, alpha: Number) -> Number:
    """Below 0, the slope begins with that above."""
    return select(self > 0.0, self, alpha * expm1(self / alpha))


def of_data(
    grad_output: Number, self_or_result: Number, alpha: Number, scale: Number, input_scale: Number
) -> Number:
    """The gradient from the input. Infinite factors meet no exponential that underflows."""
    factor = input_scale * (alpha * scale)
    z = within(input_scale * self_or_result, 2048.0, grad_output, factor)
    return grad_output * select(self_or_result > 0.0, scale, factor * exp(z))


def of_result(
    grad_output: Number, self_or_result: Number, alpha: Number, scale: Number, input_scale: Number
) -> Number:
    """The gradient from the result of the forward operator."""
    slope = input_scale * (self_or_result + alpha * scale)
    return grad_output * select(self_or_result > 0.0, scale, slope)


def check_alpha(alpha: float) -> None:
    """Celu divides by α."""
    if math.isnan(alpha) or single(alpha) == 0:
        raise ArgumentValueError("alpha", f"is {alpha!r}; it must not be 0 or NaN")


def check_result(alpha: float, scale: float, input_scale: float, is_result: float) -> None:
    """The sign of a result tells that of the input unless α is negative."""
    if is_result and not alpha >= 0:
        raise ArgumentValueError("alpha", f"is {alpha!r}; it must be at least 0 if is_result")


def is_power(value: float) -> bool:
    """Tell whether multiplication and division by a number are exact."""
    return abs(math.frexp(value)[0]) == 0.5


def limits(kind: ElementType) -> tuple[float, float]:
    """Return the normal numbers of the arithmetic; in F64, products are sums of two numbers."""
    form = float_format(FLOAT64 if kind is FLOAT64 else FLOAT32)
    return form.normal * (2.0**64 if kind is FLOAT64 else 1.0), form.largest


def bound(
    kind: ElementType, usual: float, exact: bool, more: Callable[..., Any] | None, words: str
) -> Bound:
    """Return a bound, and its addition where data are not positive.

    That of F32 results has four roundings, unless the scalars are powers of two.
    """
    ulp = {FLOAT32: usual if exact else 3.5, FLOAT64: 1.0}.get(kind, HALF_ULP)
    if more is None:
        return Bound(ulp)

    def below(data: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(all="ignore"):
            added = more(data)
        return np.where(data <= 0, added, 0.0)

    return Bound(ulp, more=below, words=words)


def growth(kind: ElementType, exact: bool) -> float:
    """Return the error of an exponential, in ulp, for each unit of a rounded argument."""
    return 0.0 if exact or kind is FLOAT64 else 2.0 ** (float_format(kind).fraction - 23)


def of_value(kind: ElementType, factor: float, slope: float, exact: bool) -> Bound:
    """The bound of elu and celu: positive arguments are amplified; products may be subnormal."""
    (least, most), added = limits(kind), growth(kind, exact)
    normal = least <= abs(factor) <= most or factor == 0 or not math.isfinite(factor)

    def more(data: NDArray[np.float64]) -> NDArray[np.float64]:
        z = slope * data
        lost = np.isfinite(data) & (np.exp(z) > most)
        lost |= (data != 0) & (abs(z) < least) if normal else True
        return np.where(lost, np.inf, added * np.maximum(z, 0.0))

    words = "where the exponential and products are in range"
    every = is_power(factor) and exact
    return bound(kind, 0.75, every, None if slope == 1 and normal else more, words)


def elu_accuracy(kind: ElementType, scalars: Mapping[str, Any], size: int) -> Bound:
    """Scalars multiply the exponential and its argument, each with a rounding."""
    alpha, scale, slope = (single(scalars[param.name]) for param in SCALARS)
    return of_value(kind, alpha * scale, slope, is_power(slope))


def celu_accuracy(kind: ElementType, scalars: Mapping[str, Any], size: int) -> Bound:
    """α multiplies the exponential and divides its argument."""
    alpha = single(scalars["alpha"])
    return of_value(kind, alpha, 1 / alpha, is_power(alpha))


def gradient_accuracy(kind: ElementType, scalars: Mapping[str, Any], size: int) -> Bound:
    """The exponential amplifies the rounding of its argument; -α·scale cancels with results."""
    alpha, scale, slope = given = [single(scalars[param.name]) for param in SCALARS]
    (least, most), limit = limits(kind), alpha * scale

    def outside(values: Any) -> Any:
        return (values != 0) & ~((abs(values) >= least) & (abs(values) <= most))

    def for_data(data: NDArray[np.float64]) -> NDArray[np.float64]:
        z = slope * data
        derivative = evaluate(of_data, np, (np.ones_like(data), data), given)
        lost = np.isfinite(data) & ((np.exp(z) < least) | (np.exp(z) > most) | outside(derivative))
        return np.where(lost, np.inf, added * abs(z))

    def for_results(data: NDArray[np.float64]) -> NDArray[np.float64]:
        derivative = evaluate(of_result, np, (np.ones_like(data), data), given)
        share = abs(limit / (data + limit))
        lost = outside(derivative) | (np.isfinite(data) & (abs(data + limit) > most))
        return np.where(lost, np.inf, added * share)

    if scalars["is_result"]:
        more, added = for_results, growth(kind, single(limit) == limit)
        term = "|alpha·scale / (alpha·scale + result)|"
    else:
        more, added, term = for_data, growth(kind, is_power(slope)), "|input_scale·self|"
    words = "where the derivative is normal and no sum overflows"
    exact = is_power(limit) and is_power(slope)
    return bound(kind, 2.0, exact, more, f"+ {added:.3g} · {term} {words}" if added else words)


VALUE: Final = Operator(
    name="elu",
    api="aclnnElu",
    scalars=SCALARS,
    latex=r"""
        \text{out} = \begin{cases}
            \text{scale} \cdot \text{self} & \text{if } \text{self} > 0 \\
            \alpha \cdot \text{scale} \cdot (e^{\text{input_scale} \cdot \text{self}} - 1)
                & \text{otherwise}
        \end{cases}
    """,
    formula=Formula.of(elu_value, scalars=3, compute_bound=True),
    device=OnDevice(ALL_BUT_200I, ("Elu",)),
    accuracy=elu_accuracy,
    torch=TorchOperator("elu", out="out"),
    settings=({}, {"alpha": 1.7, "scale": 1.05}, {"alpha": -0.7, "input_scale": 0.3}),
    interval=(-8.0, 8.0),
).declare()
VALUE.declare(
    api="aclnnInplaceElu", in_place="self", device=VALUE.device._replace(float64=ALL_BUT_200I)
)

CELU: Final = Operator(
    name="celu",
    api="aclnnCelu",
    scalars=SCALARS[:1],
    check_scalars=check_alpha,
    breaks={"alpha": (-(2.0**-150), math.nextafter(2.0**-150, 1.0))},
    latex=r"""
        \text{out} = \begin{cases}
            \text{self} & \text{if } \text{self} > 0 \\
            \alpha \cdot (e^{\text{self} / \alpha} - 1) & \text{otherwise}
        \end{cases}
    """,
    formula=Formula.of(celu_value, scalars=1, compute_bound=True),
    device=OnDevice(TRAINING_A2_A3, ("CeluV2",)),
    accuracy=celu_accuracy,
    settings=({}, {"alpha": 0.7}, {"alpha": -3.0}),
    interval=(-8.0, 8.0),
).declare()
CELU.declare(api="aclnnInplaceCelu", in_place="self")

GRADIENT: Final = Operator(
    name="elu_backward",
    api="aclnnEluBackward",
    scalars=(*SCALARS, ScalarParam("is_result", c_type="bool")),
    check_scalars=check_result,
    breaks={"alpha": (0.0,)},
    order=(
        "grad_output",
        *[param.name for param in SCALARS],
        "is_result",
        "self_or_result",
        "grad_input",
    ),
    latex=r"""
        \text{grad_input} = \text{grad_output} \cdot \begin{cases}
            \text{scale} & \text{if } x > 0 \\
            \text{input_scale} \cdot (x + \alpha \cdot \text{scale}) & \text{if is_result} \\
            \text{input_scale} \cdot \alpha \cdot \text{scale} \cdot e^{\text{input_scale} \cdot x}
                & \text{otherwise}
        \end{cases} \qquad x = \text{self_or_result}
    """,
    formula=Formula.of_forms(of_data, of_result, scalars=3, compute_bound=True),
    device=OnDevice(ALL_BUT_200I, ("EluGradV2",), types="inputs"),
    accuracy=gradient_accuracy,
    forward=Forward(
        "elu",
        elu_value,
        "``scale * x``, or ``alpha * scale * (exp(input_scale * x) - 1)`` where ``x`` is not"
        " positive",
    ),
    torch=TorchOperator(
        "elu_backward",
        order=("grad_output", *[param.name for param in SCALARS], "is_result", "self_or_result"),
    ),
    settings=(
        {},
        {"is_result": True},
        {"alpha": 1.7, "scale": 1.05, "is_result": True},
        {"alpha": -0.7, "input_scale": 0.3},
    ),
    interval=(-8.0, 8.0),
).declare()


@documented(VALUE)
def elu(
    self: ArrayT,
    alpha: RealNumber = 1.0,
    scale: RealNumber = 1.0,
    input_scale: RealNumber = 1.0,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return ``scale * self`` above 0, else ``alpha * scale * (exp(input_scale * self) - 1)``.

    Parameters
    ----------
    alpha, scale, input_scale : real number, optional
        The scalars of the formula.

    Notes
    -----
    Formula: aclnnElu, aclnnInplaceElu. Next to 0 nothing cancels, except in F16 and BF16
    arithmetic, where the exponential is rounded before 1 is subtracted. Infinite and NaN scalars
    are used as they are; the vendor's code returns ``-alpha * scale`` for such an ``alpha`` or
    ``input_scale``. The device narrows F64 tensors, which aclnnInplaceElu takes, to F32.

    F32: 3.5 ulp; 0.75 ulp if ``alpha * scale`` and ``input_scale`` are powers of two. There is no
    bound up to 0 if the finite product ``alpha * scale`` overflows or underflows, nor, unless
    ``input_scale`` is 1, where the exponential overflows or ``input_scale * self`` underflows;
    unless it is a power of two, an exponential above 1 adds ``abs(input_scale * self)`` ulp.

    Examples
    --------
    >>> ar.elu(np.array([-1, 0, 2], np.float32), 2.0)
    array([-1.2642411,  0.       ,  2.       ], dtype=float32)
    """
    return array_call(VALUE, (self,), (alpha, scale, input_scale), out, compute_dtype)


@documented(CELU)
def celu(
    self: ArrayT,
    alpha: RealNumber = 1.0,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return ``self`` where it is positive, else ``alpha * (exp(self / alpha) - 1)``.

    Parameters
    ----------
    alpha : real number, optional, neither 0 nor NaN; may be negative
        The scalar of the formula.

    Notes
    -----
    Formula: aclnnCelu, aclnnInplaceCelu. Its gradient is `elu_backward` with the scalars ``alpha``,
    1 and ``1 / alpha``. F32: as for `elu` with an ``input_scale`` of ``1 / alpha``.

    Examples
    --------
    >>> ar.celu(np.array([-1, 0, 2], np.float32), 2.0)
    array([-0.78693867,  0.        ,  2.        ], dtype=float32)
    """
    return array_call(CELU, (self,), (alpha,), out, compute_dtype)


@documented(GRADIENT)
def elu_backward(
    grad_output: ArrayT,
    self_or_result: ArrayT,
    alpha: RealNumber = 1.0,
    scale: RealNumber = 1.0,
    input_scale: RealNumber = 1.0,
    is_result: bool = False,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of `elu`, from its input or its result.

    It is ``grad_output * scale`` where ``self_or_result`` is positive. Elsewhere it is
    ``grad_output`` times ``input_scale * alpha * scale * exp(input_scale * self_or_result)``, from
    a result times ``input_scale * (self_or_result + alpha * scale)``.

    Parameters
    ----------
    grad_output, self_or_result : array, of one shape
        Gradient of the result, and the data or the result.
    alpha, scale, input_scale : real number, optional
        The scalars of the formula.
    is_result : bool, optional
        Whether ``self_or_result`` is the result of `elu`; ``alpha`` must be at least 0 then.

    Notes
    -----
    Formula: aclnnEluBackward, whose scalars come before the last tensor. NaN in ``self_or_result``
    is not positive, and gives NaN.

    F32: 3.5 ulp; 2 ulp if the scalars are powers of two as for `elu`. The bound holds where no sum
    of a result with ``alpha * scale`` overflows, and the exponential and the gradient for a
    ``grad_output`` of 1 are normal. Two roundings are amplified: that of
    ``z = input_scale * self_or_result``, unless ``input_scale`` is a power of two, adds ``abs(z)``
    ulp; that of ``limit = alpha * scale`` to float32 adds
    ``abs(limit / (self_or_result + limit))``.

    Examples
    --------
    >>> x = np.array([-1, 0, 2], np.float32)
    >>> ar.elu_backward(np.ones_like(x), x, 2.0)
    array([0.7357589, 2.       , 1.       ], dtype=float32)
    >>> ar.elu_backward(np.ones_like(x), ar.elu(x, 2.0), 2.0, is_result=True)
    array([0.7357589, 2.       , 1.       ], dtype=float32)
    """
    scalars = (alpha, scale, input_scale, is_result)
    return array_call(GRADIENT, (grad_output, self_or_result), scalars, out, compute_dtype)
