"""aclnnLogit and aclnnLogitGrad: the logarithm of x / (1 - x), and its gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from ...core.dtypes import FLOAT32, STEPS
from ...declaration.accuracy import relative
from ...declaration.fields import A2_A3, Forward, OnDevice, TensorParam, TorchOperator
from ...declaration.operator import Operator
from ...declaration.scalars import RealNumber, ScalarParam
from ...declaration.scalars import single as single_value
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import Formula, Number, as_element, inf, log, log1p, nan, select, single

if TYPE_CHECKING:  # at run time this would import Numba
    from ...kernels.arithmetic.plain import Plain

EPS: Final = ScalarParam("eps", c_type="double")


def value(self: Number, eps: Number) -> Number:
    """The documented logarithm of a quotient. 1 - eps is evaluated in float32."""
    z = clamped(self, eps, single(1.0 - eps))
    return log(z / (1.0 - z))


def value_without_cancellation(self: Number, eps: Number) -> Number:
    """The same without cancellation, and with one rounding less."""
    return without_cancellation(clamped(self, eps, single(1.0 - eps)))


def value_float32(self: Plain, eps: Plain) -> Any:
    """The same with a single division."""
    return clamped(self, eps, single(1.0 - eps)).logit()  # type: ignore[attr-defined]


def value_wide(self: Number, eps: Number) -> Number:
    """The same for an eps in float64: 1 - eps is not evaluated in float32 either."""
    return without_cancellation(clamped(self, eps, 1.0 - eps))


def clamped(self: Number, eps: Number, high: Number) -> Number:
    """The input in [eps, high], unless eps is negative or NaN; the lower bound goes first."""
    bounded = select(self < eps, eps, select(self > high, high, self))
    return select(eps >= 0.0, bounded, self)


def without_cancellation(z: Number) -> Number:
    """The logarithm, precise where the quotient is near 1; 1 / z may overflow at 0."""
    upper = z >= 0.5
    size = log1p(abs(2.0 * z - 1.0) / select(upper, 1.0 - z, z))
    return select(z < 2.0**-64, log(z / (1.0 - z)), select(upper, size, -size))


def value_rounded(self: Number, eps: Number) -> Number:
    """The same for results of narrow types, where 1 / z is finite but at 0, which is +0."""
    z = clamped(self, eps, single(1.0 - eps))
    upper = z >= 0.5
    size = log1p(abs(2.0 * z - 1.0) / select(upper, 1.0 - z, z + 0.0))
    return select(upper, size, -size)


def value_variant(compute: str, rounded: str, eps: float) -> Callable[..., Any] | None:
    """Arithmetic step by step rounds the documented operations."""
    if compute == "float64" != rounded:
        return value_rounded
    if compute == FLOAT32.name:
        return value_float32
    return None if compute in STEPS else value_without_cancellation


VALUE: Final = Operator(
    name="logit",
    api="aclnnLogit",
    tensors=(TensorParam("self", vendor="input"),),
    scalars=(EPS,),
    breaks={},
    latex=r"""
        \text{out} = \ln \dfrac{z}{1 - z}, \qquad z = \begin{cases}
            \text{self} & \text{if } \text{eps} < 0 \\
            \text{eps} & \text{if } \text{self} < \text{eps} \\
            1 - \text{eps} & \text{if } \text{self} > 1 - \text{eps} \\
            \text{self} & \text{otherwise}
        \end{cases}
    """,
    formula=Formula.of(
        value, scalars=1, variant=value_variant, wide=value_wide, compute_bound=True
    ),
    device=OnDevice(A2_A3, ("Logit",), scratch=16 * 2**20),
    same_type=True,
    # one rounding of the denominator, one of the quotient and one of the logarithm
    accuracy=relative(1.75),
    torch=TorchOperator("logit", lambda self, eps: (self, None if eps < 0 else eps), out="out"),
    settings=({}, {"eps": 0.0}, {"eps": 1e-3}),
    interval=(0.01, 0.99),
).declare()


def gradient(x: Number, dy: Number, eps: Number) -> Number:
    """The result for any eps."""
    return by_eps(as_element(eps), dy, usual(x, dy, eps))


def by_eps(eps: Number, dy: Number, value: Number) -> Number:
    """The value for an eps below 1; for a larger one, or NaN, the result does not depend on x."""
    other = select(eps == 1.0, dy / 0.0, select(eps == inf, 0.0, nan))
    return select(eps < 1.0, value, other)


def usual(x: Number, dy: Number, eps: Number) -> Number:
    """The result for an eps below 1. 1 - eps is evaluated in float32, as on the device."""
    return within(x, eps, single(1.0 - eps), quotient(x, dy))


def usual_float32(x: Plain, dy: Plain, eps: Plain) -> Number:
    """The same with one rounding less."""
    return within(x, eps, single(1.0 - eps), quotient_float32(x, dy))


def quotient(x: Number, dy: Number) -> Number:
    """The gradient where x is within the bounds."""
    return dy / abs(x * (1.0 - x))


def quotient_float32(x: Plain, dy: Plain) -> Plain:
    """The denominator x - x² is rounded once; for x = -0 it is +0 as for x = 0."""
    return dy / abs(x.fma(-x, x))


def within(x: Number, low: Number, high: Number, value: Number) -> Number:
    """The value from low to high, else 0; from 0 to 1, else NaN, if low is negative."""
    everywhere = low < 0.0
    least, most = select(everywhere, 0.0, low), select(everywhere, 1.0, high)
    return between(x, least, most, value, select(everywhere, nan, 0.0))


def between(x: Number, least: Number, most: Number, value: Number, other: Number) -> Number:
    """The value unless x is below or above the bounds.

    Processors with masks combine two comparisons by "and" in one instruction, not by "or".
    """
    return select(~(x < least) & ~(x > most), value, other)


def forward(x: Number, eps: Number) -> Number:
    """The function itself."""
    z = clamped(x, eps, 1.0 - eps)
    return log(z / (1.0 - z))


def gradient_wide(x: Number, dy: Number, eps: Number) -> Number:
    """The result for an eps in float64: 1 - eps is not evaluated in float32 either."""
    return by_eps(eps, dy, within(x, eps, 1.0 - eps, quotient(x, dy)))


def gradient_variant(compute: str, rounded: str, eps: float) -> Callable[..., Any] | None:
    """In float32, one rounding less makes 1.5 of 2 ulp and saves an instruction."""
    if compute == FLOAT32.name:
        return usual_float32 if single_value(eps) < 1.0 else None
    return usual if eps < 0.99 else None  # below 1 in every type


GRADIENT: Final = Operator(
    name="logit_grad",
    api="aclnnLogitGrad",
    scalars=(EPS,),
    breaks={"eps": (0.99, 1.0 - 2.0**-25)},
    outputs=("out",),
    latex=r"""
        \text{out} = \begin{cases}
            \text{NaN} & \text{if } \text{eps} < 0 \text{ and } (x < 0 \text{ or } x > 1) \\
            0 & \text{if } \text{eps} \ge 0 \text{ and } (x < \text{eps} \text{ or }
                x > 1 - \text{eps}) \\
            \dfrac{\text{dy}}{x \cdot (1 - x)} & \text{otherwise}
        \end{cases}
        \qquad \text{for } \text{eps} < 1
    """,
    formula=Formula.of(gradient, scalars=1, variant=gradient_variant, wide=gradient_wide),
    device=OnDevice(A2_A3, ("LogitGrad",), scratch=16 * 2**20),
    same_type=True,
    # one rounding of the denominator and one of the quotient
    accuracy=relative(1.5),
    forward=Forward(
        "logit",
        forward,
        "``log(x / (1 - x))``, for ``x`` clamped to ``eps`` and ``1 - eps`` if ``eps`` is not"
        " negative",
    ),
    torch=TorchOperator("logit_backward", lambda x, dy, eps: (dy, x, None if eps < 0 else eps)),
    settings=({}, {"eps": 0.0}, {"eps": 1e-3}),
    interval=(0.01, 0.99),
).declare()


@documented(VALUE)
def logit(
    self: ArrayT,
    eps: RealNumber | None = -1.0,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return ``log(z / (1 - z))``, where z is ``self``, clamped unless ``eps`` is negative.

    Parameters
    ----------
    eps : real number or None, optional
        The input is clamped to [eps, 1 - eps]; None means -1. If negative or NaN, nothing is
        clamped: the result is -inf at 0, inf at 1 and NaN outside [0, 1].

    Notes
    -----
    Formula: aclnnLogit, where ``self`` is ``input``. ``1 - eps`` is evaluated in float32. The lower
    bound is compared first: with eps = 1 the result is inf below 1, -inf from 1 on; with a larger
    eps NaN. F32: 1.75 ulp.

    Examples
    --------
    >>> x = np.array([0, 0.25, 0.5, 2], np.float32)
    >>> ar.logit(x)
    array([      -inf, -1.0986123,  0.       ,        nan], dtype=float32)
    >>> ar.logit(x, 0.25)
    array([-1.0986123, -1.0986123,  0.       ,  1.0986123], dtype=float32)
    """
    return array_call(VALUE, (self,), (-1.0 if eps is None else eps,), out, compute_dtype)


@documented(GRADIENT)
def logit_grad(
    x: ArrayT,
    dy: ArrayT,
    eps: RealNumber | None = -1.0,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of logit: ``dy / (x * (1 - x))``.

    Parameters
    ----------
    x, dy : array, of one shape and type; input and gradient, in the vendor's order
        Data, and the gradient of the result.
    eps : real number or None, optional
        None means -1. If negative, the result is NaN outside [0, 1]; from 0 to below 1, it is 0
        outside [eps, 1 - eps]. If eps is exactly 1 the result is ``dy`` times infinity; if finite
        and above 1, or NaN, it is NaN; if infinite, 0.

    Notes
    -----
    Formula: aclnnLogitGrad. ``1 - eps`` is evaluated in float32. At 0 and 1 the result is ``dy``
    times infinity. F32: 1.5 ulp.

    Examples
    --------
    >>> x = np.array([0.25, 0.5, 1.5], np.float32)
    >>> ar.logit_grad(x, np.ones_like(x))
    array([5.3333335, 4.       ,       nan], dtype=float32)
    """
    return array_call(GRADIENT, (x, dy), (-1.0 if eps is None else eps,), out, compute_dtype)
