"""``compute_dtype="exact"``: results of every type are the exact value, rounded once."""

from math import inf, nan
from typing import Any

import numpy as np
import pytest

import ascendref as ar
from ascendref.kernels.arithmetic import exact
from ascendref.verify.scalars import scalar_values

from ..operators.entries import ENTRIES
from ..support.calls import array_function, call
from ..support.correctness import numbers_of
from ..support.judge import judged
from ..support.rounding import assert_same_bits

ELEMENTWISE = [name for name, operator in ar.OPERATORS.items() if not operator.reduction]
SIZE = 300


def tensors(operator: str, dtype: Any) -> list[Any]:
    """Return what formulas take: numbers of all magnitudes; those of logit are from 0 to 1."""
    rng = np.random.default_rng(5)
    count = len(ar.OPERATORS[operator].operand_names)
    found = [rng.normal(size=SIZE) * 2.0 ** rng.integers(-30, 5, SIZE) for _ in range(count)]
    if operator == "logit_grad":
        found[0] = rng.random(SIZE)
    return [array.astype(dtype) for array in found]


@pytest.mark.daily(4)
@pytest.mark.parametrize("operator", ELEMENTWISE)
def test_results_of_float64_are_correctly_rounded(operator: str) -> None:
    declared, data = ar.OPERATORS[operator], tensors(operator, np.float64)
    scalars = scalar_values(operator)
    for part, got in enumerate(parts(operator, data, scalars)):
        given = numbers_of(declared, scalars, SIZE, part)
        rows = zip(*[array.tolist() for array in data], strict=True)
        want = [judged(declared.formula.function, row, given, "float64") for row in rows]
        np.testing.assert_array_equal(got, want)


def parts(operator: str, data: list[Any], scalars: tuple[Any, ...]) -> list[Any]:
    """Return the parts of the exact result, each with the shape of the data."""
    declared = ar.OPERATORS[operator]
    whole = declared.joined(np, [array[None] for array in data], scalars)
    got = array_function(operator)(*whole, *scalars, compute_dtype="exact")
    return [part.reshape(-1) for part in declared.parts(got, scalars)]


@pytest.mark.daily(4)
@pytest.mark.parametrize("operator", ELEMENTWISE)
def test_infinite_elements_and_nan(operator: str) -> None:
    formula = ar.OPERATORS[operator].formula
    ends = np.array([inf, -inf, nan, 0.0, 0.75, -3.0])
    grids = np.meshgrid(*[ends] * len(ar.OPERATORS[operator].operand_names))
    data = [grid.ravel() for grid in grids]
    for scalars in ENTRIES[operator].scalars:
        for part, got in enumerate(parts(operator, data, scalars)):
            given = numbers_of(ar.OPERATORS[operator], scalars, data[0].size, part)
            for at, row in enumerate(zip(*[array.tolist() for array in data], strict=True)):
                want = judged(formula.function, row, given, "float64")
                assert str(float(got[at])) == str(want), (row, scalars)


@pytest.mark.full
@pytest.mark.parametrize("operator", ar.OPERATORS)
def test_narrower_results_are_those_of_float64(operator: str) -> None:
    data = tensors(operator, np.float32)
    if operator == "prelu_backward":
        data[2] = data[2][:1]
    else:
        data = ar.OPERATORS[operator].joined(
            np, [array[None] for array in data], scalar_values(operator)
        )
    exactly, wide = (call(operator, *data, compute_dtype=kind) for kind in ("exact", "float64"))
    assert_same_bits(exactly, wide)


def test_a_quotient_that_only_fractions_decide() -> None:
    """``dy / (x·(1 - x))`` halfway between two subnormal numbers is rounded to even."""
    x, dy = np.array([0.5, 0.5]), np.array([1, 3]) * 2.0**-1074
    # 1 / (x·(1 - x)) is 4; the mean of eight elements makes it a half
    got = ar.smooth_l1_loss_backward(dy, x, np.zeros(2), "mean", 1.0, compute_dtype="exact")
    np.testing.assert_array_equal(got, [0.0, 2.0**-1074])


def test_an_error_in_python_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*arguments: Any, narrow: bool) -> float:
        raise KeyboardInterrupt

    monkeypatch.setattr(exact, "decide", fails)
    x, dy = np.array([0.5, 0.5]), np.array([1, 3]) * 2.0**-1074
    with pytest.raises(KeyboardInterrupt):
        ar.smooth_l1_loss_backward(dy, x, np.zeros(2), "mean", 1.0, compute_dtype="exact")


def test_the_message_names_it() -> None:
    x = np.ones(2)
    with pytest.raises(ar.ArgumentTypeError, match=r"compute_dtype.*allowed are None, exact, "):
        ar.hardshrink_backward(x, x, compute_dtype="precise")
