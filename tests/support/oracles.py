"""One oracle per operator: the same arithmetic, written down a second time in plain NumPy.

An oracle shares nothing with the kernels. It gets arrays, checked scalars and a compute type, does
every operation of the operator's arithmetic in that type, and returns for every result a list of
alternatives: one where the arithmetic is fixed bit for bit, several where the exponential may be
any neighbour of the true value. ``expected`` rounds them to the element types of the results. For
float64, correctly rounded, there is no arithmetic to restate; see ``truth.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan, prod
from typing import Any, NamedTuple

import numpy as np

from .rounding import FORMATS, array_of, as_float, exact, round_integers, round_to, to_odd
from .truth import true_results

Array = np.ndarray[Any, Any]


class Arithmetic:
    """A compute type: arrays that hold its values, and the operations that round to it.

    float32 and float64 compute natively. The half-precision types compute in float64, which holds
    sums, products and quotients of them closely enough for one direct rounding to be right.
    """

    def __init__(self, kind: str, result: str | None = None, stored: str | None = None) -> None:
        self.kind = kind
        #: type to which the result is rounded
        self.result = result or kind
        #: type in which the device keeps what one of its kernels hands to the next; None elsewhere
        self.stored = stored
        self.register = np.dtype(np.float32 if kind == "float32" else np.float64)

    def rnd(self, value: Any) -> Any:
        """Round to the compute type."""
        assert value.dtype == self.register
        return value if self.kind in ("float32", "float64") else round_to(self.kind, value)

    def store(self, value: Any) -> Any:
        """Hand a value from one kernel of the device to the next."""
        return value if self.stored is None else round_to(self.stored, value).astype(self.register)

    def load(self, array: Array) -> Any:
        """Bring data into the compute type: one rounding from its exact value."""
        if array.dtype.kind in "biu":
            value = round_integers(self.kind, array)
        else:
            value = exact(array)
            if array.dtype != FORMATS[self.kind].dtype:
                value = round_to(self.kind, value)
        return value.astype(self.register)

    def number(self, value: float) -> Any:
        """Bring a double into the compute type: one rounding."""
        return round_to(self.kind, np.float64(value)).astype(self.register)[()]

    def scalar(self, value: Any) -> Any:
        """Bring a scalar argument into the compute type: as FLOAT first."""
        return self.number(as_float(value))

    def fma(self, x: Any, y: Any, z: Any) -> Any:
        """Return ``x * y + z`` of float32, rounded once."""
        product, z = np.multiply(x, y, dtype=np.float64), np.asarray(z, np.float64)
        total = product + z
        part = total - product
        rest = (product - (total - part)) + (z - part)
        return round_to("float32", to_odd(total, rest)).astype(np.float32)

    def over_one_plus_exp(self, grad: Any, minus_z: Any) -> list[Any]:
        """Return what may pass for grad / (1 + exp(-z)) in float32.

        The denominator is either neighbour of the true value. Where that is beyond float32,
        gradient and quotient are multiplied with 2**-76 instead, and the quotient is rounded twice
        where it is subnormal.
        """
        exponent = minus_z.astype(np.float64)
        scale = np.where(exponent > 88.72283172607422, np.float32(2.0**-76), np.float32(1))
        true = (1 + np.exp(exponent)) * scale.astype(np.float64) ** 2
        near = true.astype(np.float32)
        slack = 2.0**-48
        below = np.where(near > true * (1 - slack), np.nextafter(near, np.float32(0)), near)
        above = np.where(near < true * (1 + slack), np.nextafter(near, np.float32(np.inf)), near)
        neighbours = [np.where(minus_z == 0, near, other) for other in (below, above)]
        return [grad * scale / s * scale for s in (near, *neighbours)]


def hardshrink_backward(a: Arithmetic, tensors: Any, lambd: Any) -> Any:
    """Select the gradient where the input is outside ±λ."""
    grad, x = map(a.load, tensors)
    lam = a.scalar(lambd)
    if lam < 0:
        lam = a.number(0.0)
    return ([np.where((x > lam) | (x < -lam), grad, a.number(0.0))],)


def softplus_backward(a: Arithmetic, tensors: Any, beta: Any, threshold: Any) -> Any:
    """Pass the gradient beyond the threshold and where it is infinite, else divide it."""
    grad, x = map(a.load, tensors)
    b, t = a.scalar(beta), a.scalar(threshold)
    z = a.rnd(b * x)
    infinite = np.isinf(grad) & (z > -np.inf)
    if a.kind == "float32":
        passes = (a.fma(b, x, -t) > 0) | infinite
        return ([np.where(passes, grad, value) for value in a.over_one_plus_exp(grad, -z)],)
    power = a.rnd(np.exp(-z))
    return ([np.where((z > t) | infinite, grad, a.rnd(grad / a.rnd(a.number(1.0) + power)))],)


def smooth_l1_loss_backward(a: Arithmetic, tensors: Any, reduction: Any, beta: Any) -> Any:
    """Multiply norm, slope and gradient; without losses where they would show."""
    grad, x, target = map(a.load, tensors)
    size = prod(np.broadcast_shapes(*(tensor.shape for tensor in tensors)))
    norm = 1.0 / size if reduction in ("mean", 1) and size else 1.0
    b = a.scalar(beta)
    d = a.rnd(x - target)
    sign = np.where(d == 0, a.number(0.0), np.sign(d))
    if {a.kind, a.result} & {"float16", "bfloat16"}:
        slope = np.where(abs(d) < b, a.rnd(np.divide(d, b)), sign)
        return ([a.rnd(a.rnd(a.number(norm) * slope) * grad)],)
    # the exact rest of a rounded sum, from the larger operand (Dekker)
    lost = np.where(abs(x) >= abs(target), -target - (d - x), x - (d + target))
    if b == 1:
        outside = abs(d) >= 1
        slope = np.where(outside, np.copysign(np.float32(1), d), d)
        high = np.float32(norm)
        if float(high) > norm:
            high = np.nextafter(high, np.float32(0))
        scaled = a.fma(grad, high, grad * np.float32(max(norm - float(high), norm * 2.0**-60)))
        mended = a.fma(slope, scaled, np.where(outside, np.float32(0), lost) * scaled)
        return ([np.where(abs(mended) > 0, mended, slope * scaled)],)
    limit, lift, scale = float(b), 1.0, norm
    if limit == 0:
        limit = 2.0**-149
    elif limit < np.inf:
        lift = 2.0 ** min(max(1 - int(np.frexp(limit)[1]), 0), 127)
        scale = norm / (lift * limit)
    else:
        scale = 0.0
    high = np.float32(scale)
    rest, lifted = np.float32(scale - float(high)), np.float32(lift) * d
    quotient = np.where((b == 0) & (d == 0), np.float32(0), lifted * high)
    inverse = round_to("float32", np.float64(lift * scale)).astype(np.float32)
    quotient_rest = a.fma(lost, inverse, a.fma(lifted, rest, a.fma(lifted, high, -quotient)))
    outside = abs(d) >= np.float32(limit)
    slope = np.where(outside, np.copysign(np.float32(norm), d), quotient)
    mended = a.fma(slope, grad, np.where(outside, np.float32(0), quotient_rest) * grad)
    return ([np.where(abs(mended) > 0, mended, slope * grad)],)


def logit_grad(a: Arithmetic, tensors: Any, eps: Any) -> Any:
    """Take the first row of the table that applies."""
    x, dy = map(a.load, tensors)
    eps32 = np.float32(as_float(eps))
    low, high = a.number(float(eps32)), a.number(float(np.float32(1) - eps32))
    zero, one, inf, nan = (a.number(value) for value in (0.0, 1.0, np.inf, np.nan))

    def always(row: bool) -> Any:
        return np.full(x.shape, row)

    edge = a.rnd(dy * inf)
    rows = [
        (always(np.isnan(low)), nan),
        (always(low == inf), zero),
        (always(low > 1), nan),
        (always(low == 1), edge),
        (np.isnan(x), nan),
        (always(low < 0) & ((x < 0) | (x > 1)), nan),
        (always(low >= 0) & ((x < low) | (x > high)), zero),
        ((x == 0) | (x == 1), edge),
    ]
    denominator = a.fma(-x, x, x) if a.kind == "float32" else a.rnd(x * a.rnd(one - x))
    result = a.rnd(dy / denominator)
    for applies, value in reversed(rows):
        result = np.where(applies, value, result)
    return ([result],)


def prelu_backward(a: Arithmetic, tensors: Any) -> Any:
    """Scale where the input is not positive, and sum per channel."""
    grad, x, weight = map(a.load, tensors)
    grad = np.broadcast_to(grad, x.shape)
    many = weight.size != 1
    per_channel = weight.reshape(-1)
    if many:
        per_channel = per_channel.reshape(-1, *[1] * (x.ndim - 2))
    else:
        per_channel = per_channel[0]
    result = np.where(x > 0, grad, a.rnd(grad * per_channel))
    terms = np.where(x > 0, a.number(0.0), a.store(a.rnd(grad * x)))
    if many:
        channels = x.shape[1]
        rows = np.moveaxis(terms, 1, 0).reshape(channels, x.size // max(channels, 1))
        return [result], [tree_sum(a, rows)]
    return [result], [tree_sum(a, terms.reshape(1, -1)).reshape(weight.shape)]


def tree_sum(a: Arithmetic, rows: Any) -> Any:
    """Add each row in the order that defines the bits of a sum; an empty row gives +0.

    Blocks of 1024 terms; term k of a block goes to running sum k mod 16, which starts at -0 and
    takes its terms in order; the upper half of the sixteen is added to the lower until one is left;
    blocks are added in neighbouring pairs, an odd last one moving up.
    """
    count, terms = rows.shape
    if terms == 0:
        return np.zeros(count, a.register)
    blocks = -(-terms // 1024)
    length = 1024 if blocks > 1 else -(-terms // 16) * 16
    padded = np.full((count, blocks * length), -0.0, a.register)  # x + -0 is x, signed zeros too
    padded[:, :terms] = rows
    steps = padded.reshape(count, blocks, length // 16, 16)
    sums = np.full((count, blocks, 16), -0.0, a.register)
    for step in range(length // 16):
        sums = a.rnd(sums + steps[:, :, step])
    while sums.shape[2] > 1:
        half = sums.shape[2] // 2
        sums = a.rnd(sums[:, :, :half] + sums[:, :, half:])
    level = [sums[:, block, 0] for block in range(blocks)]
    while len(level) > 1:
        pairs = [a.rnd(x + y) for x, y in zip(level[::2], level[1::2], strict=False)]
        level = pairs + level[2 * len(pairs) :]
    return level[0]


class Oracle(NamedTuple):
    """What the tests know about one operator."""

    #: the arithmetic, ``(arithmetic, tensors, *scalars) -> a list of alternatives per result``
    compute: Callable[..., Any]
    #: element type to which the value is rounded, from the types of the tensors
    result: Callable[[tuple[str, ...]], str]
    #: the scalars with which every row of the table of cases is run
    scalars: list[tuple[Any, ...]]
    #: the scalars with which every value of a half-precision type is run
    exhaustive: list[tuple[Any, ...]]


def promote(types: tuple[str, ...]) -> str:
    """Return the type in which tensors of several types meet."""
    floats = [kind for kind in types if kind in FORMATS]
    if "float64" in floats:
        return "float64"
    return floats[0] if len(set(floats)) == 1 else "float32"


def softplus_result(types: tuple[str, ...]) -> str:
    """One float type gives that type, F64 wins, every other mixture is F32."""
    grad, x = types
    if grad == x:
        return grad
    return "float64" if "float64" in types else "float32"


ORACLES = {
    "hardshrink_backward": Oracle(
        hardshrink_backward,
        promote,
        scalars=[(v,) for v in (0.5, 0.1, 0.0, -1.0, 2.0**-133, inf, -inf, nan)],
        exhaustive=[(0.5,), (0.0,), (-3.0,), (0.1,), (65504.0,), (nan,)],
    ),
    "softplus_backward": Oracle(
        softplus_backward,
        softplus_result,
        scalars=[
            (1.0, 20.0),
            (0.7, 2.0),
            (-1.5, 1.0),
            (0.0, 0.0),
            (0.0, -1.0),
            (1.0, nan),
            (inf, 20.0),
            (nan, 20.0),
            (3.0, inf),
            (3.0, -inf),
        ],
        exhaustive=[(1.0, 20.0), (0.3, 5.0), (-2.0, inf), (100.0, nan)],
    ),
    "prelu_backward": Oracle(prelu_backward, promote, scalars=[()], exhaustive=[]),
    "smooth_l1_loss_backward": Oracle(
        smooth_l1_loss_backward,
        promote,
        scalars=[
            ("mean", 1.0),
            ("mean", 0.3),
            ("none", 1.0),
            ("sum", 0.3),
            (1, 0.0),
            (0, 0.0),
            (2, 2.0**-140),
            (0, inf),
            ("sum", 1e-300),
        ],
        exhaustive=[("sum", 1.0), ("none", 0.0), ("sum", 0.1), (2, 1e-40)],
    ),
    "logit_grad": Oracle(
        logit_grad,
        promote,
        scalars=[
            (v,) for v in (-1.0, None, 0.0, 0.1, 0.5, 0.6, 1.0, 1.5, 1e300, inf, -inf, nan, 1e-6)
        ],
        exhaustive=[(-1.0,), (0.0,), (0.1,), (1e-6,), (0.75,), (1.0,), (inf,)],
    ),
}


def expected(
    operator: str,
    tensors: tuple[Any, ...],
    scalars: tuple[Any, ...] = (),
    compute: str | None = None,
    out: str | None = None,
    *,
    on_device: bool = False,
) -> tuple[list[Any], ...]:
    """Return what an operator should give: for every result its alternatives, as arrays.

    Parameters
    ----------
    operator : str
        Name of the operator.
    tensors, scalars : tuple
        Its arguments.
    compute : str, optional
        Compute type; float64 when a tensor is, else float32.
    out : str, optional
        Element type of the results; the one in which the tensors meet.
    on_device : bool
        Whether the device computes: in F32, with stored products.
    """
    oracle = ORACLES[operator]
    tensors = tuple(np.array(tensor) for tensor in tensors)  # read before anything is overwritten
    types = tuple(str(tensor.dtype) for tensor in tensors)
    compute = compute or ("float64" if "float64" in types else "float32")
    result, out = oracle.result(types), out or promote(types)
    if compute == "float64" and not on_device:
        return true_results(operator, tensors, scalars, out)
    if on_device:
        result = "float32" if result == "float64" else result
        arithmetic = Arithmetic("float32", result, stored=types[0])
    else:
        arithmetic = Arithmetic(compute, result)
    with np.errstate(all="ignore"):
        results = oracle.compute(arithmetic, tensors, *scalars)
    return tuple(
        [array_of(out, round_to(result, value.astype(np.float64))) for value in alternatives]
        for alternatives in results
    )
