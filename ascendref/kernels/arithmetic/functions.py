"""The functions that formulas may call, and the interface of numbers.

`formula.py` lists the arithmetics, the types of numbers. A formula is evaluated without branches:
`select` computes both of its values, and the one that is not chosen may be NaN or infinite.
"""

import operator
from collections.abc import Callable
from fractions import Fraction
from math import inf, nan
from typing import Any, ClassVar, Final, Self

__all__ = [
    "Number",
    "as_element",
    "exp",
    "expm1",
    "inf",
    "log",
    "log1p",
    "logistic",
    "logistic_pair",
    "nan",
    "normal_cdf",
    "normal_pdf",
    "one_plus_exp",
    "select",
    "sign",
    "silu_slope",
    "single",
    "softplus",
    "sqrt",
    "tanh",
    "two_difference",
    "two_sum",
    "within",
]


#: where `within` clips in formulas of narrow numbers: no product of four float32 numbers makes
#: anything but an infinity of exp(600), or anything but 0 of exp(-600). Doubles hold exp(600) times
#: one of them
NARROW_FARTHEST: Final = 600.0

#: a number that is known while a formula is evaluated
Constant = int | float | Fraction
CONSTANTS: Final = (int, float, Fraction)
#: the comparisons of numbers
COMPARISONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
}


class Number:
    """A number of an arithmetic, with Python's operators and the functions.

    Operands may also be constants: an int, a float or, for a number that no float holds, a
    Fraction. Comparisons with NaN are false. An arithmetic defines ``_operation``, or the methods
    that it calls, ``_compare``, ``_function`` and the few functions that are not elementary.
    """

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    #: where `within` clips at the latest
    farthest: ClassVar[float] = inf

    def lift(self, number: Any) -> Self:
        """Return a number of this arithmetic: a constant, or a number as it is."""
        raise NotImplementedError

    def _operation(self, name: str, left: Any, right: Any) -> Any:
        """Return what ``_add``, ``_sub``, ``_mul`` or ``_div`` of the left number returns."""
        if not all(isinstance(x, (Number, *CONSTANTS)) for x in (left, right)):
            return NotImplemented
        return getattr(self.lift(left), f"_{name}")(self.lift(right))

    def _sub(self, other: Self) -> Self:
        return self + -other

    def _compare(self, operator: str, other: Any) -> Any:
        """Return a comparison, one of `COMPARISONS`, which can `select`."""
        raise NotImplementedError

    def _function(self, name: str) -> Self:
        """Return the elementary function of that name."""
        raise NotImplementedError

    def __add__(self, other: Any) -> Self:
        return self._operation("add", self, other)  # type: ignore[no-any-return]

    def __radd__(self, other: Any) -> Self:
        return self._operation("add", self, other)  # type: ignore[no-any-return]

    def __sub__(self, other: Any) -> Self:
        return self._operation("sub", self, other)  # type: ignore[no-any-return]

    def __rsub__(self, other: Any) -> Self:
        return self._operation("sub", other, self)  # type: ignore[no-any-return]

    def __mul__(self, other: Any) -> Self:
        return self._operation("mul", self, other)  # type: ignore[no-any-return]

    def __rmul__(self, other: Any) -> Self:
        return self._operation("mul", self, other)  # type: ignore[no-any-return]

    def __truediv__(self, other: Any) -> Self:
        return self._operation("div", self, other)  # type: ignore[no-any-return]

    def __rtruediv__(self, other: Any) -> Self:
        return self._operation("div", other, self)  # type: ignore[no-any-return]

    def __neg__(self) -> Self:
        raise NotImplementedError

    def __abs__(self) -> Self:
        raise NotImplementedError

    def __lt__(self, other: Any) -> Any:
        return self._compare("<", other)

    def __le__(self, other: Any) -> Any:
        return self._compare("<=", other)

    def __gt__(self, other: Any) -> Any:
        return self._compare(">", other)

    def __ge__(self, other: Any) -> Any:
        return self._compare(">=", other)

    def __eq__(self, other: object) -> Any:
        return self._compare("==", other)

    def exp(self) -> Self:
        return self._function("exp")

    def expm1(self) -> Self:
        return self._function("expm1")

    def log(self) -> Self:
        return self._function("log")

    def log1p(self) -> Self:
        return self._function("log1p")

    def sqrt(self) -> Self:
        return self._function("sqrt")

    def tanh(self) -> Self:
        return self._function("tanh")

    def normal_cdf(self) -> Self:
        return self._function("normal_cdf")

    def normal_pdf(self) -> Self:
        return self._function("normal_pdf")

    def one_plus_exp(self) -> Any:
        return self._function("one_plus_exp")

    def softplus(self) -> Self:
        return self._function("softplus")

    def sign(self) -> Self:
        return self._function("sign")

    def single(self) -> Self:
        return self._function("single")

    def as_element(self) -> Any:
        return self


def select(condition: Any, yes: Any, no: Any) -> Number:
    """Return ``yes`` where the condition holds, else ``no``.

    Processors with masks merge the last operation of ``yes`` with the selection: the number that
    needs no arithmetic is better ``no``. Compare so that the sign of a zero and NaN do not depend
    on the order of the operands: LLVM takes ``select(x > 0.0, 0.0, x)`` for a minimum and may
    return 0 for -0; ``select(~(x > 0.0), x, 0.0)`` returns x.
    """
    if isinstance(condition, bool):
        return yes if condition else no  # type: ignore[no-any-return]
    return condition.select(yes, no)  # type: ignore[no-any-return]


def exp(value: Number) -> Number:
    """Return the exponential; it is 0 at -inf and inf at inf."""
    return value.exp()


def expm1(value: Number) -> Number:
    """Return the exponential minus 1, without cancellation near 0."""
    return value.expm1()


def log(value: Number) -> Number:
    """Return the natural logarithm; it is -inf at 0 and NaN below."""
    return value.log()


def log1p(value: Number) -> Number:
    """Return the logarithm of 1 + value, without cancellation near 0."""
    return value.log1p()


def sqrt(value: Number) -> Number:
    """Return the square root; it is NaN below 0."""
    return value.sqrt()


def tanh(value: Number) -> Number:
    """Return the hyperbolic tangent."""
    return value.tanh()


def normal_cdf(value: Number) -> Number:
    """Return the integral of `normal_pdf` from -inf: half of erfc(-value / sqrt(2))."""
    return value.normal_cdf()


def normal_pdf(value: Number) -> Number:
    """Return the density of the normal distribution: exp(-value**2 / 2) / sqrt(2 * pi)."""
    return value.normal_pdf()


def one_plus_exp(value: Number) -> Number:
    """Return 1 + exp(value), to divide by: the quotient is right however large the exponential."""
    return value.one_plus_exp()  # type: ignore[no-any-return]


def logistic(value: Number) -> Number:
    """Return 1 / (1 + exp(-value)); it is 0 at -inf and 1 at inf."""
    return 1.0 / one_plus_exp(-value)


def logistic_pair(value: Number) -> tuple[Number, Number]:
    """Return the logistic functions of a number and of its negative, with one exponential."""
    small = logistic(-abs(value))
    # at least 1/2: this does not cancel
    large = 1.0 - small
    negative = value < 0.0
    return select(negative, small, large), select(negative, large, small)


def silu_slope(value: Number) -> Number:
    """Return the derivative of value * logistic(value)."""
    rising, falling = logistic_pair(value)
    return rising * (1.0 + value * falling)


def softplus(value: Number) -> Number:
    """Return log(1 + exp(value)), without overflow or cancellation."""
    return value.softplus()


def sign(value: Number) -> Number:
    """Return -1, 0 or 1; it is NaN for NaN."""
    return value.sign()


def within(value: Number, limit: float, *factors: Number) -> Number:
    """Return a number, or ±limit where it is finite and beyond that.

    If a factor is infinite, only the sign of the others matters: the result is then at least -4, so
    that no exponential underflows.
    """
    if limit < inf:
        limit = min(limit, value.farthest)
    floor = value.lift(-limit)
    for factor in factors:
        floor = select(abs(factor) == inf, value.lift(-4.0), floor)
    clipped = select(value < floor, floor, value)
    clipped = select(clipped > limit, limit, clipped)
    return select(abs(value) < inf, clipped, value)


def single(value: Number) -> Number:
    """Round to float32, for scalars that the device computes in that type."""
    return value.single()


def as_element(scalar: Number) -> Number:
    """Round a scalar to the compute type, as an operation with an element of a tensor would."""
    return scalar.as_element()  # type: ignore[no-any-return]


def two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """Return the rounded sum of two floating-point numbers and its exact rounding error (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def two_difference(a: Any, b: Any) -> tuple[Any, Any]:
    """Return the rounded difference of two floating-point numbers and its exact rounding error."""
    total = a - b
    part = total - a
    return total, (a - (total - part)) - (b + part)
