"""The words of a formula in each compute type, for Numba."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

from .codecs import REGISTER, ROUND, decoder, helper
from .formula import narrow, select, sign
from .math import exp_float32, exp_float64


def bind(function: Callable[..., Any], names: dict[str, Any]) -> Any:
    """Compile a function in which every global name means what ``names`` says."""
    if not isinstance(function, FunctionType):
        raise TypeError(f"{function!r} is not a plain Python function")
    names = names | {"__name__": function.__module__}
    return helper(FunctionType(function.__code__, names, function.__name__))


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
        "select": bind(select, {}),
    }
    for function in (sign, narrow):
        names[function.__name__] = bind(function, names)
    return names
