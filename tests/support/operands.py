"""Short forms for tests of operators: vectors of a type, plain arguments, results as a tuple."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ascendref as ar

from .cases import FLOATS, TENSORS
from .rounding import FORMATS, array_of, assert_bits

each_type = pytest.mark.parametrize("kind", FLOATS)
each_operator = pytest.mark.parametrize("operator", ar.OPERATORS)


def row(kind: str, *values: float) -> Any:
    """Return a vector of a type."""
    return array_of(kind, np.array(values, np.float64))


def gives(actual: Any, kind: str, *values: float) -> None:
    """Assert the bits of a vector."""
    assert_bits(actual, row(kind, *values))


def tiniest(kind: str) -> float:
    """Return the smallest subnormal of a type."""
    form = FORMATS[kind]
    return 2.0 ** (1 - form.bias - form.fraction)


def arguments(operator: str, shape: tuple[int, ...], kind: str = "float32") -> list[Any]:
    """Return plain tensors for an operator."""
    rng = np.random.default_rng(7)
    arrays = [array_of(kind, rng.uniform(-1, 1, shape)) for _ in TENSORS[operator]]
    if operator == "prelu_backward":
        arrays[2] = array_of(kind, np.array([0.3]))
    return arrays


def results(got: Any) -> tuple[Any, ...]:
    """Return results as a tuple."""
    return got if isinstance(got, tuple) else (got,)
