"""Short forms for tests of operators: vectors of a type, plain arguments, results as a tuple."""

from typing import Any

import numpy as np
import pytest

import ascendref as ar
from ascendref.declaration.views import PER_CHANNEL

from .cases import ELEMENTWISE, ENGINES, FLOATS, LAUNCHED, SUMMING, Case, whole_shapes
from .rounding import FORMATS, array_of, assert_bits

each_type = pytest.mark.parametrize("kind", FLOATS)
each_operator = pytest.mark.parametrize("operator", [*ELEMENTWISE, *SUMMING])
#: for what formulas do not change
each_engine = pytest.mark.parametrize("operator", [*ENGINES, *SUMMING])


def rare(case: Case) -> Any:
    """Leave rows to the long tests that depend on the loop alone, of which other operators have."""
    usual = case.layout == "crossed" or case.operator in (*LAUNCHED, "softplus_backward", "relu")
    return case if usual else pytest.param(case, marks=pytest.mark.exhaustive)


def row(kind: str, *values: float) -> Any:
    """Return a vector of a type."""
    return array_of(kind, np.array(values, np.float64))


def gives(actual: Any, kind: str, *values: float) -> None:
    """Assert the bits of a vector."""
    assert_bits(actual, row(kind, *values))


def beyond_exp(kind: str, count: int, result: str | None = None) -> tuple[Any, Any]:
    """Return gradients and inputs of softplus for which exp(-x) is infinite in their arithmetic.

    Most of the quotients are no zeros of a result type; half of them are subnormal, or next to it.
    """
    rng, form = np.random.default_rng(11), FORMATS[result or kind]
    normal, lowest = 1 - form.bias, 1 - form.bias - form.fraction
    top, limit = FORMATS[kind].bias + 1, 709.8 if kind == "float64" else 89.0
    x = -rng.uniform(limit, (top - lowest) * np.log(2) + 1, count)
    least = np.where(rng.random(count) < 0.5, lowest - 2, normal)
    most = np.clip(top + x / np.log(2), least, normal + form.fraction)
    exponent = np.minimum(rng.uniform(least, most) - x / np.log(2), top - 2.0**-6)
    fraction = np.exp2(exponent - np.floor(exponent)) * rng.choice([-1, 1], count)
    return array_of(kind, np.ldexp(fraction, np.floor(exponent).astype(int))), array_of(kind, x)


def arguments(operator: str, shape: tuple[int, ...], kind: str = "float32") -> list[Any]:
    """Return plain tensors for an operator, of which views, or themselves, have a shape."""
    rng = np.random.default_rng(7)
    shapes, _ = whole_shapes(operator, shape, "one")
    arrays = [array_of(kind, rng.uniform(-1, 1, size)) for size in shapes]
    for place, param in enumerate(ar.OPERATORS[operator].tensors):
        if param.view is PER_CHANNEL:
            arrays[place] = array_of(kind, np.array([0.3]))
    return arrays


def results(got: Any) -> tuple[Any, ...]:
    """Return results as a tuple."""
    return got if isinstance(got, tuple) else (got,)
