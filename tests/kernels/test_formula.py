"""Formulas stay in the register of their compute type: no constant widens them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numba import types
from numba.np.numpy_support import from_dtype

import ascendref as ar
from ascendref.kernels.arithmetic.binding import compiled
from ascendref.kernels.arithmetic.codecs import REGISTER
from ascendref.operators.smooth_l1_loss_backward import UNIT


@pytest.mark.parametrize("compute", REGISTER)
@pytest.mark.parametrize("operator", ar.OPERATORS)
def test_a_formula_returns_the_register_that_it_gets(operator, compute):
    register = from_dtype(np.dtype(REGISTER[compute]))
    declared = ar.OPERATORS[operator]
    formulas = [declared.formula, declared.channel_term]
    for scalars in product((0.5, 1.0), repeat=len(declared.scalars)):
        formulas += [declared.formula.suited(compute, kind, scalars) for kind in REGISTER]
    for formula in dict.fromkeys(formulas):
        if formula is None:
            continue
        element, scalars = formula.arithmetic(compute)
        given = prepared(formula, scalars, compute)
        assert all(kind == register for kind in given)
        tensors = formula.tensors + (compute == "float64" and formula.remainder)
        element = compiled(element, compute)
        element.compile((*[register] * tensors, *given))
        assert element.nopython_signatures[-1].return_type == register


def prepared(formula, function, compute):
    """Return the types of what becomes of the scalars."""
    prepare = compiled(function, compute)
    doubles = [types.float64] * formula.scalars
    sizes = [types.int64] * (function.__code__.co_argcount - formula.scalars)
    prepare.compile((*doubles, *sizes))
    return prepare.nopython_signatures[-1].return_type


TRUTHS = [o.formula for o in ar.OPERATORS.values() if o.formula.truth] + [UNIT]


@pytest.mark.parametrize("formula", TRUTHS, ids=lambda formula: formula.name)
def test_a_truth_is_a_number_in_double_precision_and_whether_it_is_exact(formula):
    given = prepared(formula, formula.truth.prepare, "float64")
    element = compiled(formula.truth.element, "float64")
    element.compile((*[types.float64] * (formula.tensors + formula.remainder), *given))
    value, exact = element.nopython_signatures[-1].return_type
    assert value is types.float64
    assert isinstance(exact, types.Boolean | types.BooleanLiteral)
