"""Judges of random numbers: NumPy's, of which the same statements about a distribution hold."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from .judge import Judge, judged

RNG = np.random.default_rng(1)


def distributed(mean: float, std: float, low: float, high: float) -> Callable[[list[Any]], Any]:
    """Return a test of samples: their mean, deviation and range, and that they differ."""

    def tested(parts: list[Any]) -> list[Any]:
        x = np.float64(parts[0])
        error = std / math.sqrt(x.size)
        return [
            np.array(
                [
                    abs(x.mean() - mean) < 5 * error,
                    abs(x.std() - std) < 0.15 * std,
                    x.min() >= low,
                    x.max() <= high,
                    len(np.unique(x)) >= 2,
                ]
            )
        ]

    return tested


def permutation(parts: list[Any]) -> list[Any]:
    """Return the numbers in order, and whether they were."""
    return [np.sort(parts[0]), np.asarray((np.diff(parts[0]) < 0).any())]


def bits(mask: Any, count: int) -> Any:
    """Return bits, the lowest of each byte first."""
    return np.unpackbits(np.uint8(mask), bitorder="little")[:count]


def mask_chance(parts: list[Any]) -> list[Any]:
    """Return whether about a quarter of 1,000 bits are 0, and all bits after them."""
    found = bits(parts[0], 1024)
    return [np.asarray([abs(found[:1000].mean() - 0.75) < 0.07, not found[1000:].any()])]


def some_mask(rng: Any) -> Any:
    """Return bits for few elements."""
    return rng.integers(0, 256, 16)


def masked(x: Any, mask: Any, factor: float) -> Any:
    """Return multiples of elements whose bits are 1."""
    return x * bits(mask, x.size).reshape(x.shape) * factor


def same_as(function: Callable[..., Any], *given: Any, test: Any) -> Judge:
    """Return a judge by statements about samples."""
    return judged(function, *given)._replace(chosen=test)


UNIT = distributed(0.5, math.sqrt(1 / 12), 0, 1)
COIN = distributed(0.25, math.sqrt(0.25 * 0.75), 0, 1)
NORMAL = distributed(2, 3, -20, 20)
#: a seed and the two parts of an offset
SEED = (lambda _: [7], lambda _: [0], 0)


def signs(_: Any) -> Any:
    """Return numbers of which a third are positive."""
    return np.where(np.arange(1000) % 3 == 0, 1.5, -1.0).reshape(40, 25)


def dropout(x: Any, chance: float, *_: Any) -> Any:
    """Return the data after the first elements were dropped, and the mask."""
    kept = np.arange(1024) >= chance * 1000
    kept[1000:] = False
    return np.where(kept[:1000].reshape(x.shape), x / (1 - chance), 0), np.packbits(
        kept, bitorder="little"
    )


def dropped(parts: list[Any]) -> list[Any]:
    """Return whether the mask is of about a quarter, and what is dropped that of its bits."""
    kept = bits(parts[1], 1000).reshape(parts[0].shape) == 1
    return [*mask_chance(parts[1:]), np.asarray(((np.float64(parts[0]) != 0) == kept).all())]


def uniform(*seed: Any) -> Judge:
    """Return the judge of uniform numbers that follow from a seed."""
    return same_as(
        lambda x, a, b, *_: RNG.uniform(a, b, x.shape),
        "40 25",
        -1.0,
        3.0,
        *seed,
        test=distributed(1, 4 / math.sqrt(12), -1, 3),
    )


def normal(*seed: Any) -> Judge:
    """Return the judge of normal numbers that follow from a seed."""
    return same_as(
        lambda x, m, s, *_: RNG.normal(m, s, x.shape), "40 25", 2.0, 3.0, *seed, test=NORMAL
    )


def integers(*seed: Any) -> Judge:
    """Return the judge of integers that follow from a seed."""
    return same_as(
        lambda x, a, b, *_: RNG.integers(a, b, x.shape),
        "40 25",
        2,
        10,
        *seed,
        test=distributed(5.5, math.sqrt(63 / 12), 2, 9),
    )


def mask_bits(*seed: Any) -> Judge:
    """Return the judge of a mask in bits that follows from a seed."""
    return same_as(
        lambda shape, p, *_: np.packbits(np.arange(1024) < 1000 * (1 - p), bitorder="little"),
        [40, 25],
        0.25,
        *seed,
        test=mask_chance,
    )


def full(parts: list[Any]) -> list[Any]:
    """Return whether integers are spread from 0 to the last before which a type has all."""
    dtype = parts[0].dtype
    last = np.iinfo(dtype).max if dtype.kind in "iu" else 2.0 ** (ml_dtypes.finfo(dtype).nmant + 1)
    whole = np.float64(parts[0]) % 1 == 0
    return [*UNIT([np.float64(parts[0]) / last]), whole.all()]


def rrelu(x: Any, noise: Any, lower: float, upper: float, train: bool, *_: Any) -> Any:
    """Return slopes, and the elements times these if they are not positive."""
    if not train:
        return noise, x * np.where(x > 0, 1, (lower + upper) / 2)
    noise = np.where(x > 0, 1, RNG.uniform(lower, upper, x.shape))
    return noise, x * noise


def sloped(parts: list[Any]) -> list[Any]:
    """Return whether slopes of many elements, a third of which is 1.5 and others -1, are right."""
    noise, y = (np.float64(part) for part in parts)
    if noise.size < 1000:
        return parts
    drawn = noise[y < 0]
    same = np.where(y > 0, (y == 1.5) & (noise == 1), y == -noise)
    spread = distributed(0.3125, 0.375 / math.sqrt(12), 0.125, 0.5)([drawn])
    return [*spread, same.all(), np.asarray((y > 0).mean())]


RANDOM: dict[str, Judge] = {
    "InplaceUniform": uniform(7, 0),
    "InplaceNormal": normal(7, 0),
    "InplaceRandom": integers(7, 0),
    "NormalFloatFloat": same_as(
        lambda m, s, *_: RNG.normal(m, s, (40, 25)), 2.0, 3.0, 7, 0, test=NORMAL
    ),
    "NormalFloatTensor": same_as(
        lambda m, s, *_: RNG.normal(m, s), 2.0, lambda _: np.full((40, 25), 3), 7, 0, test=NORMAL
    ),
    "NormalTensorFloat": same_as(
        lambda m, s, *_: RNG.normal(m, s), lambda _: np.full((40, 25), 2), 3.0, 7, 0, test=NORMAL
    ),
    "NormalTensorTensor": same_as(
        lambda m, s, *_: RNG.normal(m, s),
        lambda _: np.full((40, 25), 2),
        lambda _: np.full((40, 25), 3),
        7,
        0,
        test=NORMAL,
    ),
    "Bernoulli": same_as(
        lambda x, p, *_: 1.0 * (RNG.random(x.shape) < p), "40 25", 0.25, 7, 0, test=COIN
    ),
    "BernoulliTensor": same_as(
        lambda x, p, *_: 1.0 * (RNG.random(x.shape) < p),
        "40 25",
        lambda _: np.full((40, 25), 0.25),
        7,
        0,
        test=COIN,
    ),
    "Randperm": same_as(lambda n, *_: RNG.permutation(n), 40, 7, 0, test=permutation),
    "Multinomial": same_as(
        lambda x, n, *_: RNG.choice(3, (len(x), n), p=[0.5, 0, 0.5]),
        lambda _: np.float64([[1, 0, 1]] * 4),
        250,
        True,
        7,
        0,
        test=distributed(1, 1, 0, 2),
    )._replace(result="index"),
    "InplaceUniformTensor": uniform(*SEED),
    "InplaceNormalTensor": normal(*SEED),
    "InplaceRandomTensor": integers(*SEED),
    "InplaceRandomWithoutFromTo": same_as(
        lambda x, *_: RNG.integers(0, 2**53 + 1, x.shape) * 1.0, "40 25", 7, 0, test=full
    ),
    "InplaceRandomWithoutFromToTensor": same_as(
        lambda x, *_: RNG.integers(0, 2**53 + 1, x.shape) * 1.0, "40 25", *SEED, test=full
    ),
    "SimThreadExponential": same_as(
        lambda x, n, rate, *_: RNG.exponential(1 / rate, x.shape),
        "40 25",
        1000,
        2.0,
        7,
        0,
        test=distributed(0.5, 0.5, 0, 20),
    ),
    "RReluWithNoise": same_as(rrelu, signs, "40 25", 0.125, 0.5, True, 7, 0, test=sloped).also(
        "3 5, 3 5", 0.125, 0.5, False, 7, 0
    ),
    "InplaceRReluWithNoise": same_as(
        lambda *given: rrelu(*given)[::-1],
        signs,
        "40 25",
        0.125,
        0.5,
        True,
        7,
        0,
        test=lambda parts: sloped(parts[::-1]),
    ).also("3 5, 3 5", 0.125, 0.5, False, 7, 0),
    "DropoutGenMaskV2Tensor": mask_bits(*SEED, 0),
    "DropoutGenMask": mask_bits(7, 0),
    "DropoutGenMaskV2": mask_bits(7, 0, 0),
    "DropoutDoMask": judged(lambda x, mask, p: masked(x, mask, 1 / (1 - p)), "4 6", some_mask, 0.2),
    "DropoutBackward": judged(masked, "4 6", some_mask, 1.25),
    "Dropout": judged(dropout, "40 25 +", 0.25, True, 7, 0)._replace(chosen=dropped),
}
