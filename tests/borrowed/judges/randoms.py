"""Judges of random numbers: NumPy's, of which the same statements about a distribution hold."""

import math

import ml_dtypes
import numpy as np

from .judge import Judge, held, judged

RNG = np.random.default_rng(1)


def distributed(mean, std, low, high):
    """Return a test of samples: their mean, deviation and range, and that they differ."""

    def tested(parts):
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


def permutation(parts):
    """Return the numbers in order, and whether they were."""
    return [np.sort(parts[0]), np.asarray((np.diff(parts[0]) < 0).any())]


def bits(mask, count):
    """Return bits, the lowest of each byte first."""
    return np.unpackbits(np.uint8(mask), bitorder="little")[:count]


def mask_chance(parts):
    """Return whether about a quarter of 1,000 bits are 0, and all bits after them."""
    found = bits(parts[0], 1024)
    return [np.asarray([abs(found[:1000].mean() - 0.75) < 0.07, not found[1000:].any()])]


def some_mask(rng):
    return rng.integers(0, 256, 16)


def masked(x, mask, factor):
    """Return multiples of elements whose bits are 1."""
    return x * bits(mask, x.size).reshape(x.shape) * factor


UNIT = distributed(0.5, math.sqrt(1 / 12), 0, 1)
COIN = distributed(0.25, math.sqrt(0.25 * 0.75), 0, 1)
NORMAL = distributed(2, 3, -20, 20)
#: a seed and an offset, and a seed and the two parts of an offset
SEEDS = {"": (7, 0), "Tensor": (held([7]), held([0]), 0)}


def signs(_):
    """Return numbers of which a third are positive."""
    return np.where(np.arange(1000) % 3 == 0, 1.5, -1.0).reshape(40, 25)


def dropout(x, chance, *_):
    kept = np.arange(1024) >= chance * 1000
    kept[1000:] = False
    data = np.where(kept[:1000].reshape(x.shape), x / (1 - chance), 0)
    return data, np.packbits(kept, bitorder="little")


def dropped(parts):
    """Return whether the mask is of about a quarter, and what is dropped that of its bits."""
    kept = bits(parts[1], 1000).reshape(parts[0].shape) == 1
    return [*mask_chance(parts[1:]), np.asarray(((np.float64(parts[0]) != 0) == kept).all())]


def mask_bits(*seed):
    """Return the judge of a mask in bits that follows from a seed."""
    return judged(
        lambda shape, p, *_: np.packbits(np.arange(1024) < 1000 * (1 - p), bitorder="little"),
        ([40, 25], 0.25, *seed),
        chosen=mask_chance,
    )


def filled(function, limits, seed, test):
    """Return the judge of numbers within limits that fill a tensor."""
    count = len(limits)
    return judged(
        lambda x, *given: function(*given[:count], x.shape), ("40 25", *limits, *seed), chosen=test
    )


def full(parts):
    """Return whether integers are spread from 0 to the last before which a type has all."""
    dtype = parts[0].dtype
    last = np.iinfo(dtype).max if dtype.kind in "iu" else 2.0 ** (ml_dtypes.finfo(dtype).nmant + 1)
    whole = np.float64(parts[0]) % 1 == 0
    return [*UNIT([np.float64(parts[0]) / last]), whole.all()]


def rrelu(x, noise, lower, upper, train, *_):
    """Return slopes, and the elements times these if they are not positive."""
    if not train:
        return noise, x * np.where(x > 0, 1, (lower + upper) / 2)
    noise = np.where(x > 0, 1, RNG.uniform(lower, upper, x.shape))
    return noise, x * noise


def sloped(parts):
    """Return whether slopes of many elements, a third of which is 1.5 and others -1, are right."""
    noise, y = (np.float64(part) for part in parts)
    if noise.size < 1000:
        return parts
    drawn = noise[y < 0]
    same = np.where(y > 0, (y == 1.5) & (noise == 1), y == -noise)
    spread = distributed(0.3125, 0.375 / math.sqrt(12), 0.125, 0.5)([drawn])
    return [*spread, same.all(), np.asarray((y > 0).mean())]


RRELU = (signs, "40 25", 0.125, 0.5, True, 7, 0), ("3 5, 3 5", 0.125, 0.5, False, 7, 0)
TWOS, THREES = held(np.full((40, 25), 2)), held(np.full((40, 25), 3))
#: functions that fill a tensor: name, NumPy's function of numbers and a shape, numbers, test
FILLED = (
    ("Uniform", RNG.uniform, (-1.0, 3.0), distributed(1, 4 / math.sqrt(12), -1, 3)),
    ("Normal", RNG.normal, (2.0, 3.0), NORMAL),
    ("Random", RNG.integers, (2, 10), distributed(5.5, math.sqrt(63 / 12), 2, 9)),
    ("RandomWithoutFromTo", lambda shape: RNG.integers(0, 2**53 + 1, shape) * 1.0, (), full),
)
RANDOM: dict[str, Judge] = {
    **{
        f"Inplace{name}{ending}": filled(function, limits, seed, test)
        for name, function, limits, test in FILLED
        for ending, seed in SEEDS.items()
    },
    **{
        f"Normal{name}": judged(
            lambda m, s, *_: RNG.normal(m, s, (40, 25)), (mean, std, 7, 0), chosen=NORMAL
        )
        for name, mean, std in (
            ("FloatFloat", 2.0, 3.0),
            ("FloatTensor", 2.0, THREES),
            ("TensorFloat", TWOS, 3.0),
            ("TensorTensor", TWOS, THREES),
        )
    },
    **{
        f"Bernoulli{ending}": judged(
            lambda x, p, *_: 1.0 * (RNG.random(x.shape) < p), ("40 25", chance, 7, 0), chosen=COIN
        )
        for ending, chance in {"": 0.25, "Tensor": held(np.full((40, 25), 0.25))}.items()
    },
    "Randperm": judged(lambda n, *_: RNG.permutation(n), (40, 7, 0), chosen=permutation),
    "Multinomial": judged(lambda x, n, *_: RNG.choice(3, (len(x), n), p=[0.5, 0, 0.5]),
        (held(np.float64([[1, 0, 1]] * 4)), 250, True, 7, 0), chosen=distributed(1, 1, 0, 2),
        result="index"),
    "SimThreadExponential": judged(lambda x, n, rate, *_: RNG.exponential(1 / rate, x.shape),
        ("40 25", 1000, 2.0, 7, 0), chosen=distributed(0.5, 0.5, 0, 20)),
    "RReluWithNoise": judged(rrelu, *RRELU, chosen=sloped),
    "InplaceRReluWithNoise": judged(lambda *given: rrelu(*given)[::-1], *RRELU,
        chosen=lambda parts: sloped(parts[::-1])),
    "DropoutGenMaskV2Tensor": mask_bits(*SEEDS["Tensor"], 0),
    "DropoutGenMask": mask_bits(7, 0),
    "DropoutGenMaskV2": mask_bits(7, 0, 0),
    "DropoutDoMask": judged(lambda x, mask, p: masked(x, mask, 1 / (1 - p)),
        ("4 6", some_mask, 0.2)),
    "DropoutBackward": judged(masked, ("4 6", some_mask, 1.25)),
    "Dropout": judged(dropout, ("40 25 +", 0.25, True, 7, 0), chosen=dropped),
}  # fmt: skip
