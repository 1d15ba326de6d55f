"""The judge of formulas on numbers worked out by hand, and beside mpmath."""

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from .formulas import CASES
from .judge import error_in_ulp, judged


def identity(x: Any) -> Any:
    return x


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (1 + 3 * 2.0**-24, "float32", 1 + 2.0**-22),
        (-(2.0**-150), "float32", -0.0),
        (65520.0, "float16", math.inf),
        (Fraction(1, 3), "float64", 1 / 3),
        (Fraction(1, 3) * 2**-1073, "float64", 5e-324),
        (2**62 + 2**38 + 1, "float32", 2.0**62 + 2.0**39),
        (-math.inf, "float32", -math.inf),
    ],
)
def test_rounding(value: Any, kind: str, expected: float) -> None:
    assert str(judged(identity, (value,), (), kind)) == str(expected)


def test_a_tiny_term_decides_a_tie() -> None:
    formula = CASES["softplus_backward"].function
    assert judged(formula, (5e-324, 5e-324), (1.0, 20.0), "float64") == 5e-324
    assert judged(formula, (5e-324, -5e-324), (1.0, 20.0), "float64") == 0.0


def test_mpmath_agrees() -> None:
    theirs = {
        "gelu_erf": lambda x: x * mpmath.ncdf(x),
        "mish": lambda x: x * mpmath.tanh(mpmath.log1p(mpmath.exp(x))),
        "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    }
    with mpmath.workprec(300):
        for x in np.random.default_rng(6).standard_normal(100).tolist():
            for name, their in theirs.items():
                value = judged(CASES[name].function, (x,), (), "float64")
                assert value == float(their(mpmath.mpf(x)))


def test_errors() -> None:
    assert error_in_ulp(1.0, identity, (1.0,), (), "float32") == 0
    assert error_in_ulp(1.0, identity, (1 + 2.0**-24,), (), "float32") == 0.5
    assert error_in_ulp(1.0, identity, (1 - 2.0**-25,), (), "float32") == 0.5
    assert error_in_ulp(2.0**-148, identity, (2.0**-149,), (), "float32") == 1
    assert error_in_ulp(math.inf, identity, (1e39,), (), "float32") == 0
    assert error_in_ulp(math.inf, identity, (1e38,), (), "float32") == math.inf
    assert error_in_ulp(math.nan, identity, (math.nan,), (), "float32") == 0
