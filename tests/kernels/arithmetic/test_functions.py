"""Every function of formulas, of a loaded element, in every arithmetic and for every element type.

Each arithmetic has a process of its own: what LLVM cannot compile ends the process.
"""

import subprocess
import sys
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

from ascendref.core.dtypes import ELEMENT_TYPES, FLOATS, float_format
from ascendref.functional.kernels import formula_kernel
from ascendref.kernels.arithmetic import Formula, functions
from ascendref.kernels.arithmetic.arrays import evaluate
from ascendref.kernels.arithmetic.functions import select

pytestmark = pytest.mark.full

#: functions that take or return something else than one number, as functions of one
_OTHERS: Final[dict[str, Callable[..., Any]]] = {
    "logistic_pair": lambda x: functions.logistic_pair(x)[1],
    "select": lambda x: select(x > 0.0, x, -0.25 * x),
    "within": lambda x: functions.within(x, 0.5, x),
}
#: what formulas need beside functions, and functions of scalars
_NONE: Final = {"Number", "as_element", "inf", "nan", "single"}
#: error-free transformations, which only variants for one arithmetic use
_NONE_OF_ELEMENTS: Final = {"two_difference", "two_sum"}
FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    name: _OTHERS.get(name, getattr(functions, name))
    for name in functions.__all__
    if name not in _NONE | _NONE_OF_ELEMENTS
}
COMPUTE: Final = ("float16", "bfloat16", "float32", "float64", "exact")
DATA: Final = np.array([0.125, 0.5, 0.75, 1.0, 2.0, 3.5])
#: logarithms and square roots are of positive numbers
POSITIVE: Final = {"log", "log1p", "sqrt"}


def value(name: str, x: Any) -> Any:
    """Return a function of an element, which a divisor must be used as."""
    found = FUNCTIONS[name](x)
    return 1.0 / found if name == "one_plus_exp" else found


def every_function(x: Any, number: Any) -> Any:
    """Return one of the functions, by its number, and what cancels: an element minus it."""
    found = x
    for count, name in enumerate(FUNCTIONS):
        result = value(name, x)
        found = select(number == float(2 * count), result, found)
        found = select(number == float(2 * count + 1), x - result, found)
    return found


def compare(compute: str) -> None:
    """Compare results for every type with those of NumPy in float64."""
    formula = Formula.of(every_function, 1)
    arithmetic = float_format(ELEMENT_TYPES.get(compute, ELEMENT_TYPES["float64"]))
    for kind in FLOATS:
        kernel = formula_kernel(formula, (kind,), kind, kind, compute)
        digits = min(arithmetic.fraction, float_format(kind).fraction)
        for count, name in enumerate(FUNCTIONS):
            data = DATA if name in POSITIVE else np.concatenate([DATA, -DATA])
            x, out = data.astype(kind.numpy), np.empty(data.shape, kind.numpy)
            expected = np.asarray(evaluate(lambda x, name=name: value(name, x), np, (data,)))
            for number, right in ((2 * count, expected), (2 * count + 1, data - expected)):
                kernel((x, out), (float(number),))
                error = abs(out.astype(np.float64) - right)
                limit = 2.0 ** (3 - digits) * (1 + abs(expected))
                assert (error <= limit).all(), (compute, kind.name, name, out, right)
        print(kind.name)


@pytest.mark.daily(5)
@pytest.mark.parametrize("compute", COMPUTE)
def test_functions_compile_for_loaded_elements_of_every_type(compute: str) -> None:
    program = f"from {__name__} import compare; compare({compute!r})"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [kind.name for kind in FLOATS]
