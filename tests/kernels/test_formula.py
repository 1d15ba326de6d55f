"""Formulas stay in the register of their compute type: no constant or scalar widens them."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import ascendref as ar
from ascendref.kernels.arithmetic.codecs import REGISTER
from ascendref.kernels.arithmetic.evaluation import NUMBERS, scalars_of
from ascendref.kernels.arithmetic.formula import Formula

from ..support.traced import compiled


def formulas(operator: str, compute: str) -> list[Formula]:
    """Return every formula of an operator that a compute type uses."""
    declared = ar.OPERATORS[operator]
    found = [declared.formula, declared.reduction and declared.reduction.term]
    for scalars in product((0.5, 1.0), repeat=len(declared.scalars)):
        found += [declared.formula.suited(compute, kind, scalars) for kind in NUMBERS]
    return [formula for formula in dict.fromkeys(found) if formula is not None]


@pytest.mark.parametrize("compute", NUMBERS)
@pytest.mark.parametrize("operator", ar.OPERATORS)
def test_a_formula_returns_the_register_that_it_gets(operator: str, compute: str) -> None:
    register = REGISTER[compute]
    for formula in formulas(operator, compute):

        def function(*numbers: Any, formula: Formula = formula) -> Any:
            tensors, scalars = numbers[: formula.tensors], numbers[formula.tensors :]
            return tensors[0].lift(formula.function(*tensors, *scalars_of(formula, [*scalars])))

        run = compiled(
            function,
            *[register] * formula.tensors,
            scalars=formula.scalars + formula.sized,
            made=NUMBERS[compute],
        )
        ones = [np.ones(1, register)] * formula.tensors
        (result,) = run(*ones, scalars=(0.5,) * (formula.scalars + formula.sized))
        assert result.dtype == register, formula.name


def test_a_scalar_is_rounded_once_where_it_meets_an_element() -> None:
    """1/3 as float64, rounded to bfloat16, times 3: no rounding to float32 lies between."""

    def third(x: Any, three: Any) -> Any:
        return x * (1.0 / three)

    run = compiled(third, np.float32, scalars=1, made=NUMBERS["bfloat16"])
    assert run(np.ones(1, np.float32), scalars=(3.0,))[0] == np.float32(0.333984375)
