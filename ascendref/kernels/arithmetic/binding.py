"""Formulas as compiled functions: the primitives of ``formula.py`` in each compute type."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

from ..compiler.jit import inlined
from .accumulator import sign_of_sum
from .codecs import REGISTER, decoder, rounder
from .formula import (
    exponent,
    least,
    narrow,
    quotient,
    select,
    sign,
    split,
    two_difference,
    two_sum,
)
from .math import (
    blend,
    copysign,
    exp_exactly,
    exp_float32,
    exp_float64,
    exp_sum_float64,
    fma,
    over_one_plus_exp_float32,
    scaled_exp_float64,
)


def bind(function: Callable[..., Any], names: dict[str, Any]) -> Any:
    """Compile a function whose global names are replaced by the values in ``names``."""
    if not isinstance(function, FunctionType):
        raise TypeError(f"{function!r} is not a plain Python function")
    names = names | {"__name__": function.__module__}
    return inlined(FunctionType(function.__code__, names, function.__name__))


@cache
def compiled(function: Callable[..., Any], compute: str) -> Any:
    """Return a formula, and the formulas that it calls, compiled for one compute type."""
    names = primitives(compute)
    for name in function.__code__.co_names:
        if name in names:
            continue
        local = function.__globals__.get(name)
        if isinstance(local, FunctionType):
            names = names | {name: compiled(local, compute)}
        elif isinstance(local, float) and local == REGISTER[compute](local):
            names = names | {name: REGISTER[compute](local)}
        elif name in function.__globals__:
            raise TypeError(
                f"{function.__module__}.{function.__name__} uses {name}; a formula may use the"
                " primitives of formula.py, other formulas, and floats of its file that are numbers"
                f" of {compute}"
            )
    return bind(function, names)


@cache
def primitives(compute: str) -> dict[str, Any]:
    """Return Numba's versions of the primitives in ``formula.py`` for one compute type."""
    register = REGISTER[compute]
    names: dict[str, Any] = {
        "zero": register(0),
        "one": register(1),
        "inf": register(math.inf),
        "nan": register(math.nan),
        "rnd": rounder(compute),
        "exp": exp_float32 if register is np.float32 else exp_float64,
        "over_one_plus_exp": over_one_plus_exp_float32,
        "least": least,
        "exp_sum": exp_sum_float64,
        "scaled_exp": scaled_exp_float64,
        "exp_exactly": exp_exactly,
        "sign_of_sum": sign_of_sum,
        "copysign": copysign,
        "fma": fma,
        "wide": np.float64,
        "number": decoder("float64", compute),
        "float32": np.float32,
        "select": bind(select, {}),
        "blend": blend,
        "exponent": bind(exponent, {"math": math}),
    }
    for function in (sign, narrow, split, two_sum, two_difference, quotient):
        names[function.__name__] = bind(function, names)
    return names
