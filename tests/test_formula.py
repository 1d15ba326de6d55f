"""Formulas stay in the register of their compute type: no constant widens them."""

from __future__ import annotations

import numpy as np
import pytest
from numba import types
from numba.np.numpy_support import from_dtype

import ascendref as ar
from ascendref.kernels.codecs import REGISTER
from ascendref.kernels.vocabulary import compiled


@pytest.mark.parametrize("compute", REGISTER)
@pytest.mark.parametrize("operator", ar.OPERATORS)
def test_a_formula_returns_the_register_that_it_gets(operator, compute):
    register = from_dtype(np.dtype(REGISTER[compute]))
    declared = ar.OPERATORS[operator]
    for formula in (declared.formula, declared.channel_term):
        if formula is None:
            continue
        prepare = compiled(formula.prepare, compute)
        doubles = [types.float64] * formula.scalars
        sizes = [types.int64] * (formula.prepare.__code__.co_argcount - formula.scalars)
        prepare.compile((*doubles, *sizes))
        scalars = prepare.nopython_signatures[-1].return_type
        assert all(kind == register for kind in scalars)
        element = compiled(formula.element, compute)
        element.compile((*[register] * formula.tensors, *scalars))
        assert element.nopython_signatures[-1].return_type == register
