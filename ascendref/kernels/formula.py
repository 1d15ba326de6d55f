"""What a formula may use, and what it means in each compute type.

A formula is plain Python over numbers. The functions below are its words, written for float64;
``vocabulary.py`` gives their meaning in any compute type, and the kernels bind a formula to it.
``rnd`` marks the points at which a half-precision compute type rounds; float32 and float64
arithmetic is already rounded by the processor, so there it does nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

zero: Final = 0.0
one: Final = 1.0
inf: Final = math.inf
nan: Final = math.nan


def rnd(value: float) -> float:
    """Round to the compute type: one rounding point."""
    return value


def select(condition: bool, yes: float, no: float) -> float:
    """Return one of two values without a branch; the other one never leaks."""
    return yes if condition else no


def exp(value: float) -> float:
    """Return the exponential; the formula rounds it."""
    return math.exp(value)


def sign(value: float) -> float:
    """Return -1, 0 or 1, and NaN for NaN."""
    return one if value > zero else (-one if value < zero else (zero if value == zero else value))


def number(value: float) -> float:
    """Bring a double into the compute type: one rounding."""
    return value


def float32(value: float) -> float:
    """Narrow a double to FLOAT, the type in which the device receives scalars."""
    return float(np.float32(value))


def narrow(value: float) -> float:
    """Bring a scalar argument into the compute type the way it reaches the device: as FLOAT."""
    return number(float32(value))


class Formula(NamedTuple):
    """The scalar mathematics of one output."""

    #: name of the kernels made of it
    name: str
    #: ``element(tensors..., scalars...) -> value``, in the vocabulary of ``formula``
    element: Callable[..., Any]
    #: ``prepare(doubles...) -> tuple``: what becomes of the scalars, once per call; it may take the
    #: number of results as a last argument
    prepare: Callable[..., Any]
    #: number of tensors
    tensors: int
    #: number of scalars that ``prepare`` takes
    scalars: int
