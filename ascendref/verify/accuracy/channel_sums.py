"""Sums per channel against exact sums of their terms."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ... import operators
from ...core.dtypes import ELEMENT_TYPES
from ...declaration.operator import Operator
from ...kernels.arithmetic.arrays import evaluate
from ...kernels.arithmetic.exact import round_fraction
from ..setting import Doubles
from .rows import SumRow

_LENGTHS: Final = (1, 17, 1000, 65_537)
#: the longest sums of an exhaustive run: numbers of terms and of repetitions
_MANY: Final = 10_000


def exact_sum(terms: Doubles) -> Fraction:
    """Return the sum of finite float64 numbers, exactly.

    Numbers of one exponent are added as integers; halves of 26 bits leave room for 2**36 of them.
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
    operator: Operator,
    kinds: tuple[str, ...],
    computed: tuple[str, ...],
    seed: int,
    exhaustive: bool,
) -> Iterator[SumRow]:
    """Yield the result of every sum, of an operator whose second result is one."""
    reduction, function = operator.reduction, getattr(operators, operator.name)
    assert reduction is not None
    for kind in kinds:
        for what, gradient, data in _vectors(kind, seed, exhaustive):
            # a product of two numbers of 24 bits is exact in float64
            rows, length = gradient.size // gradient.shape[-1], gradient.shape[-1]
            first = [x.reshape(rows, length)[0].astype(np.float64) for x in (gradient, data)]
            terms = evaluate(reduction.term.function, np, first)
            exact, scale = (rows * exact_sum(part) for part in (terms, np.abs(terms)))
            weight = np.ones(1, gradient.dtype)
            for compute in computed:
                found = float(function(gradient, data, weight, compute_dtype=compute)[1][0])
                error = float(abs(Fraction(found) - exact) / scale)
                accuracy = None if compute == "float64" else reduction.accuracy
                bound = accuracy and accuracy(ELEMENT_TYPES[kind], gradient.size)
                rounded = round_fraction(exact, kind) == found
                yield {
                    "operator": operator.name,
                    "kind": kind,
                    "compute": compute,
                    "what": what,
                    "terms": gradient.size,
                    "error": error,
                    "bound": bound,
                    "rounded": rounded,
                    "stated": "correctly rounded" if bound is None else f"{bound:.3g}",
                    "holds": rounded if bound is None else error <= bound,
                }
