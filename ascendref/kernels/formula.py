"""What a formula may use, and what it means in each compute type.

A formula is plain Python over numbers. The functions below are its vocabulary, written for
float64; ``vocabulary`` gives their meaning in any compute type, and the kernels bind a formula to
it. ``rnd`` marks the points at which a half-precision compute type rounds; float32 and float64
arithmetic is already rounded by the processor, so there it does nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any, Final

import numpy as np
from numba import njit

from .codecs import REGISTER, ROUND, decoder
from .math import exp_float32, exp_float64

#: options of every compiled helper: IEEE division instead of ZeroDivisionError, no fast-math
JIT_OPTIONS: Final[dict[str, Any]] = {"error_model": "numpy", "nogil": True}

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


def bind(function: Callable[..., Any], names: dict[str, Any]) -> Any:
    """Compile a function in which every global name means what ``names`` says."""
    if not isinstance(function, FunctionType):
        raise TypeError(f"{function!r} is not a plain Python function")
    names = names | {"__name__": function.__module__}
    return njit(**JIT_OPTIONS)(FunctionType(function.__code__, names, function.__name__))


@cache
def compiled(function: Callable[..., Any], compute: str) -> Any:
    """Return a formula compiled for one compute type."""
    return bind(function, vocabulary(compute))


@cache
def vocabulary(compute: str) -> dict[str, Any]:
    """Return what the names of this module mean in one compute type, for Numba."""
    register = REGISTER[compute]
    names: dict[str, Any] = {
        "zero": register(0),
        "one": register(1),
        "inf": register(math.inf),
        "nan": register(math.nan),
        "rnd": ROUND[compute],
        "exp": exp_float32 if register is np.float32 else exp_float64,
        "number": decoder("float64", compute),
        "float32": np.float32,
        "select": njit(**JIT_OPTIONS)(select),
    }
    for function in (sign, narrow):
        names[function.__name__] = bind(function, names)
    return names
