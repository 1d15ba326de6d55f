"""The gradient of PReLU's weight against exact sums of products."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import ELEMENT_TYPES
from ...operators import prelu_backward
from ..oracles.exact import round_fraction
from ..oracles.formats import Doubles, format_of
from .bounds import sum_bound

_LENGTHS: Final = (1, 17, 1000, 65_537)
#: the longest sums of an exhaustive run: numbers of terms and of repetitions
_MANY: Final = 10_000


class SumResult(NamedTuple):
    """One sum."""

    kind: str
    compute: str
    #: the kind of terms
    what: str
    terms: int
    #: the error, relative to the sum of the terms' magnitudes
    error: float
    #: its stated bound; None for correct rounding
    bound: float | None
    #: whether it is the exact sum rounded once, to nearest even
    rounded: bool

    @property
    def holds(self) -> bool:
        """Tell whether the bound holds."""
        return self.rounded if self.bound is None else self.error <= self.bound

    @property
    def stated(self) -> str:
        """The stated bound, in words."""
        return "correctly rounded" if self.bound is None else f"{self.bound:.3g}"


def exact_sum(terms: Doubles) -> Fraction:
    """Return the sum of finite float64 numbers, exactly.

    Numbers of one exponent are added as integers; halves of 26 bits leave room for 2**36 of them.

    Examples
    --------
    >>> import numpy as np
    >>> exact_sum(np.array([1e300, 1.0, -1e300, 2.0**-1000])) == 1 + Fraction(1, 2**1000)
    True
    """
    significands, exponents = np.frexp(terms)
    whole = np.ldexp(significands, 53).astype(np.int64)
    total = Fraction(0)
    for exponent in np.unique(exponents):
        alike = whole[exponents == exponent]
        integer = (int((alike >> 26).sum()) << 26) + int((alike & ((1 << 26) - 1)).sum())
        total += integer * Fraction(2) ** (int(exponent) - 53)
    return total


def _vectors(
    kind: str, seed: int, exhaustive: bool
) -> Iterator[tuple[str, NDArray[Any], NDArray[Any]]]:
    """Yield a description of some terms and their two factors; all rows are the same."""
    rng = np.random.default_rng(seed)
    numpy = ELEMENT_TYPES[kind].numpy
    for length in _LENGTHS:
        # the sum of a long vector must not leave the range of F16
        gradient = (rng.standard_normal(length) * min(1, 4096 / length)).astype(numpy)
        data = -np.abs(rng.standard_normal(length)).astype(numpy)
        yield "random signs", gradient, data
        yield "one sign", np.abs(gradient), data
    # every term has its negative somewhere, and one small term is left
    half = rng.standard_normal(50_000).astype(numpy)
    gradient = np.concatenate([half, -half, np.ones(1, numpy)])
    data = np.concatenate([np.full(100_000, -1, numpy), np.full(1, -(2.0**-10), numpy)])
    order = rng.permutation(gradient.size)
    yield "cancellation", gradient[order], data[order]
    # the largest and the smallest in turn
    size = np.exp2(rng.integers(-14, 1, 50_000)).astype(numpy)
    signs = rng.choice([-1.0, 1.0], 50_000).astype(numpy)
    yield "wide range", (size * signs).astype(numpy), -size
    if exhaustive:
        shape = (_MANY, _MANY)
        gradient = (rng.standard_normal(_MANY) / 4096).astype(numpy)
        data = -np.abs(rng.standard_normal(_MANY)).astype(numpy)
        yield "random signs", np.broadcast_to(gradient, shape), np.broadcast_to(data, shape)
        gradient[_MANY // 2 :] = -gradient[: _MANY // 2]
        data[_MANY // 2 :] = data[: _MANY // 2]
        data[0] *= 1.5
        yield "cancellation", np.broadcast_to(gradient, shape), np.broadcast_to(data, shape)


def measure_sums(
    kinds: tuple[str, ...], computed: tuple[str, ...], seed: int, exhaustive: bool
) -> Iterator[SumResult]:
    """Yield the result of every sum."""
    for kind in kinds:
        for what, gradient, data in _vectors(kind, seed, exhaustive):
            # a product of two numbers of 24 bits is exact in float64
            rows, length = gradient.size // gradient.shape[-1], gradient.shape[-1]
            first = (
                array.reshape(rows, length)[0].astype(np.float64) for array in (gradient, data)
            )
            terms = np.multiply(*first)
            exact, scale = (rows * exact_sum(part) for part in (terms, np.abs(terms)))
            for compute in computed:
                weight = np.ones(1, gradient.dtype)
                found = prelu_backward(gradient, data, weight, compute_dtype=compute)[1]
                error = abs(Fraction(float(found[0])) - exact) / scale
                bound = sum_bound(kind, compute, gradient.size)
                rounded = round_fraction(exact, format_of(ELEMENT_TYPES[kind])) == float(found[0])
                yield SumResult(kind, compute, what, gradient.size, float(error), bound, rounded)
