"""The reference for hardshrink_backward: the gradient outside ±λ, else +0."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numba import prange

from ...declaration.operator import OPERATORS
from ..oracles import (
    Arithmetic,
    Doubles,
    Example,
    Factor,
    Reference,
    Setting,
    TorchOperator,
    compiled,
    exactly,
    put,
    put_zero,
)


def prepare(lambd: float, size: int) -> tuple[float]:
    """A negative λ is 0."""
    return (0.0 if lambd < 0 else lambd,)


@compiled(parallel=True)
def factors(data: Doubles, other: Doubles, lambd: float, table: Doubles) -> None:
    """1 outside ±λ, and +0 between."""
    for i in prange(data.size):
        if data[i] > lambd or data[i] < -lambd:
            put(table[i], 1.0, 0.0, 0.0)
        else:
            put_zero(table[i])


def exact(x: float, other: float, lambd: float) -> Factor:
    """1 outside ±λ."""
    return exactly(Fraction(1)) if x > lambd or x < -lambd else None


def steps(a: Arithmetic, g: Doubles, x: Doubles, other: Doubles, lambd: float) -> Doubles:
    """λ alone is rounded."""
    bound = a.at("scalars", lambd)
    return np.where((x > bound) | (x < -bound), g, 0.0)


REFERENCE = Reference(
    operator=OPERATORS["hardshrink_backward"],
    gradient="grad_output",
    data="self",
    settings=tuple(Setting({"lambd": lambd}) for lambd in (0.5, 0.0, 2.0)),
    prepare=prepare,
    factors=factors,
    exact=exact,
    steps=steps,
    example=Example(
        {"grad_output": [1.5, -2.0, 3.0, 0.25], "self": [-1.0, 0.5, 0.25, 0.75]},
        {"lambd": 0.5},
        ([1.5, 0.0, 0.0, 0.25],),
    ),
    torch=TorchOperator(
        "hardshrink_backward",
        lambda grad_output, self, lambd: (grad_output, self, lambd),
        out="grad_input",
    ),
)
