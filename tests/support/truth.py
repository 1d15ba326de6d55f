"""The exact real values of the operators' formulas, rounded once to a type.

Extended precision (64 bits) brackets every value. Where both ends round to one number, that is the
result; elsewhere fractions decide, or mpmath where there is an exponential.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import Any

import mpmath
import numpy as np

from .rounding import FORMATS, as_float, decode, encode, encode_exact, exact, to_odd

Array = np.ndarray[Any, Any]
LONG = np.longdouble
#: relative error of a few operations in extended precision, with a margin
SLACK = LONG(2.0) ** -58


def long(array: Array) -> Array:
    """Return the exact values of an array; integers of 64 bits fit."""
    return (array if array.dtype.kind in "biu" else exact(array)).astype(LONG)


def fraction(value: Any) -> Fraction:
    """Return a number of extended precision as a fraction."""
    high = float(value)
    return Fraction(high) + Fraction(float(value - LONG(high)))


def rounded(values: Array, kind: str) -> Array:
    """Round numbers of extended precision to the bits of a type, once."""
    near = values.astype(np.float64)
    if kind == "float64":
        return encode(near, kind)
    return encode(to_odd(near, np.where(np.isfinite(near), values - near, 0)), kind)


def hardshrink_backward(tensors: list[Array], lambd: Any) -> Any:
    """Return approximations, their relative errors and a function for the exact values."""
    grad, x = map(long, tensors)
    lam = as_float(lambd)
    lam = np.float64(0) if lam < 0 else lam
    return np.where((x > lam) | (x < -lam), grad, 0), np.zeros(grad.shape), None


def softplus_backward(tensors: list[Array], beta: Any, threshold: Any) -> Any:
    """Return approximations, their relative errors and a function for the exact values."""
    grad, x = map(long, tensors)
    b, t = as_float(beta), as_float(threshold)
    z = LONG(b) * x
    passes = z > LONG(t)
    for at in zip(*np.nonzero(np.isfinite(z) & (abs(z - LONG(t)) <= abs(z) * SLACK)), strict=True):
        passes[at] = Fraction(float(b)) * fraction(x[at]) > Fraction(float(t))
    value = grad / (1 + np.exp(-z))
    value = np.where(passes | (np.isinf(grad) & (z > -np.inf)), grad, value)

    def exactly(at: Any) -> Fraction:
        if passes[at] or z[at] == np.inf:
            return fraction(grad[at])
        product = Fraction(float(b)) * fraction(x[at])
        if product == 0:
            return fraction(grad[at]) / 2
        # beyond, a little below the gradient or a 0 is all that matters
        product = max(min(product, Fraction(300)), Fraction(-1500))
        with mpmath.workprec(2500 if abs(product) < 1e-30 else 600):
            power = mpmath.exp(-mpmath.mpf(product.numerator) / product.denominator)
            result = mpmath.mpf(1) / (1 + power)
            mantissa, exponent = int(result.man), int(result.exp)
        return fraction(grad[at]) * mantissa * Fraction(2) ** exponent

    slack = np.where(passes, 0, SLACK + np.fmin(abs(z), 1500) * LONG(2.0) ** -62)
    return value, slack, exactly


def smooth_l1_loss_backward(tensors: list[Array], reduction: Any, beta: Any, kind: str) -> Any:
    """Return approximations, their relative errors and a function for the exact values."""
    grad, x, target = np.broadcast_arrays(*map(long, tensors))
    b = as_float(beta)
    count = prod(grad.shape) if reduction in ("mean", 1) else 1
    d = x - target
    if kind == "float64":  # a difference beyond the type is infinite
        d = np.where(np.isinf(d.astype(np.float64)), np.copysign(LONG(np.inf), d), d)
    inside = abs(d) < b
    for at in zip(*np.nonzero(np.isfinite(d) & (abs(d) == LONG(b))), strict=True):
        inside[at] = abs(fraction(x[at]) - fraction(target[at])) < Fraction(float(b))
    sign = np.where(d == 0, LONG(0), np.sign(d))
    value = grad * np.where(inside, d / LONG(b), sign) / max(count, 1)

    def exactly(at: Any) -> Fraction:
        slope = Fraction(int(sign[at]))
        if inside[at]:
            slope = (fraction(x[at]) - fraction(target[at])) / Fraction(float(b))
        return fraction(grad[at]) * slope / count

    return value, np.full(d.shape, SLACK), exactly


def logit_grad(tensors: list[Array], eps: Any) -> Any:
    """Return approximations, their relative errors and a function for the exact values."""
    x, dy = map(long, tensors)
    low = as_float(eps)
    high = np.float64(np.float32(1) - np.float32(low))
    edge = dy * LONG(np.inf)
    conditions = [
        (np.isnan(low), np.nan),
        (low == np.inf, LONG(0)),
        (low > 1, np.nan),
        (low == 1, edge),
        (np.isnan(x), np.nan),
        ((low < 0) & ((x < 0) | (x > 1)), np.nan),
        ((low >= 0) & ((x < low) | (x > high)), LONG(0)),
        ((x == 0) | (x == 1), edge),
    ]
    value = np.select(
        [np.broadcast_to(row, x.shape) for row, _ in conditions],
        [np.broadcast_to(number, x.shape) for _, number in conditions],
        dy / (x * (1 - x)),
    )

    def exactly(at: Any) -> Fraction:
        return fraction(dy[at]) / (fraction(x[at]) * (1 - fraction(x[at])))

    return value, np.full(x.shape, SLACK), exactly


FORMULAS = {
    function.__name__: function
    for function in (hardshrink_backward, softplus_backward, smooth_l1_loss_backward, logit_grad)
}


def round_values(value: Array, slack: Array, exactly: Any, kind: str) -> list[Any]:
    """Return the bits of values in a type; for F64, of all that are less than 1 ulp off."""
    low, high = rounded(value * (1 - slack), kind), rounded(value * (1 + slack), kind)
    if kind == "float64":
        return doubles_within(value, slack)
    unclear = (low != high) & np.isfinite(value)
    low = np.where(np.isfinite(value), low, rounded(value, kind))
    for at in zip(*np.nonzero(unclear), strict=True):
        bits = encode_exact(exactly(at), kind)
        low[at] = bits | (FORMATS[kind].sign if np.signbit(value[at]) else 0)
    return [low]


def doubles_within(value: Array, slack: Array) -> list[Array]:
    """Return the doubles within one step of an interval, which is at most a few of them wide."""
    near = value.astype(np.float64)
    below, above = value - abs(value) * slack, value + abs(value) * slack
    found = [near]
    for end, direction in ((below, -np.inf), (above, np.inf)):
        step = near
        for _ in range(3):
            inside = step > end if direction < 0 else step < end
            step = np.where(inside & np.isfinite(near), np.nextafter(step, direction), step)
            # a zero keeps the sign of its value
            found.append(np.copysign(step, near))
    return [encode(values, "float64") for values in found]


def prelu_backward(tensors: list[Array], kind: str) -> tuple[list[Any], list[Any]]:
    """Return the bits of both results."""
    grad, x, weight = map(long, tensors)
    grad = np.broadcast_to(grad, x.shape)
    many = weight.size != 1
    channel = 1 if many else None
    flat = weight.reshape(-1)
    spread = flat.reshape(-1, *[1] * (x.ndim - 2)) if many else flat[0]
    spread = np.broadcast_to(spread, x.shape)
    positive = x > 0

    def exactly(at: Any) -> Fraction:
        return fraction(grad[at]) * (1 if positive[at] else fraction(spread[at]))

    value = np.where(positive, grad, grad * spread)
    results = round_values(value, np.full(x.shape, SLACK), exactly, kind)
    channels = x.shape[1] if many else 1

    def rows(array: Array) -> Array:
        moved = np.moveaxis(array, channel, 0) if many else array
        return moved.reshape(channels, x.size // max(channels, 1))

    sums = [exact_sum(*row, kind) for row in zip(rows(grad), rows(x), rows(positive), strict=True)]
    shape = (channels,) if many else weight.shape
    bits = [
        np.array(column, FORMATS[kind].raw).reshape(shape) for column in zip(*sums, strict=True)
    ]
    return results, bits or [np.zeros(shape, FORMATS[kind].raw)]


def sum_of_products(a: Array, b: Array) -> Fraction:
    """Return the exact sum of the products of float64 numbers."""
    if not a.size:
        return Fraction(0)
    significands, exponents = np.frexp([a.astype(np.float64), b.astype(np.float64)])
    integers = (significands * 2.0**53).astype(np.int64).astype(object)
    shifts = exponents.sum(axis=0)
    lowest = int(shifts.min())
    total = np.sum(integers[0] * integers[1] << (shifts - lowest).astype(object))
    return int(total) * Fraction(2) ** (lowest - 2 * 53)


def exact_sum(grad: Array, x: Array, masked: Array, kind: str) -> list[int]:
    """Return the bits of the sum of the products, of both neighbours in F64."""
    terms = np.where(masked, LONG(0), grad * x)
    special = terms[~np.isfinite(terms)]
    form = FORMATS[kind]
    if special.size:
        bits = int(encode(np.array(special.sum(), np.float64), kind))
        return [bits] * (3 if kind == "float64" else 1)
    total = sum_of_products(grad[~masked], x[~masked])
    if total == 0:
        minus = terms.size > 0 and bool(np.signbit(terms).all())
        return [form.sign if minus else 0] * (3 if kind == "float64" else 1)
    near = encode_exact(total, kind)
    if kind != "float64":
        return [near]
    value = decode(np.array(near, np.uint64), kind)
    if np.isinf(value) or Fraction(float(value)) == total:
        return [near] * 3
    away = np.nextafter(value, np.inf if total > Fraction(float(value)) else -np.inf)
    return [near, int(encode(away, kind)), near]


def true_results(
    operator: str, tensors: tuple[Array, ...], scalars: tuple[Any, ...], kind: str
) -> tuple[list[Any], ...]:
    """Return for every result the alternatives, as arrays of a type; F64 alone has several."""
    with np.errstate(all="ignore"):
        if operator == "prelu_backward":
            found = prelu_backward(list(tensors), kind)
        else:
            more = (kind,) if operator == "smooth_l1_loss_backward" else ()
            found = (round_values(*FORMULAS[operator](list(tensors), *scalars, *more), kind),)
    dtype = FORMATS[kind].dtype
    return tuple(
        [np.ascontiguousarray(bits).view(dtype).reshape(np.shape(bits)) for bits in alternatives]
        for alternatives in found
    )
