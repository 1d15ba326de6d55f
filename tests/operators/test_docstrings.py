"""Docstrings promise no more than declarations: bounds in F32, and where there are none."""

import math
import re
from itertools import product

import numpy as np
import pytest

import ascendref as ar
from ascendref.core.dtypes import FLOAT32
from ascendref.core.errors import ArgumentError
from ascendref.declaration.accuracy import Bound
from ascendref.declaration.operator import Operator
from ascendref.declaration.scalars import check_array_scalar
from ascendref.verify.scalars import default_scalars
from ascendref.verify.setting import PART

#: numbers that a scalar may be besides its default; their products leave the range of F32
EXTREMES = (1e30, -1e30, 1e-30, 0.3)
EXCEPTION = re.compile(r"[Nn]o bound|where|unless|plus|for targets|as for", re.IGNORECASE)


def bounds(operator: Operator) -> list[Bound]:
    """Return the declared bounds of F32 results for all scalars that the operator takes."""
    assert operator.accuracy is not None
    defaults = [
        check_array_scalar(p, default_scalars(operator.name)[p.name]) for p in operator.scalars
    ]
    choices = [
        (default,)
        if param.choices or param.c_type == "bool" or param.is_axis
        else (default, *EXTREMES)
        for param, default in zip(operator.scalars, defaults, strict=True)
    ]
    found = []
    for values in product(*choices):
        try:
            if operator.check_scalars is not None:
                operator.check_scalars(*values)
        except ArgumentError:
            continue
        scalars = dict(zip([param.name for param in operator.scalars], values, strict=True))
        found += [operator.accuracy(FLOAT32, scalars | {PART: part}, 1) for part in (0, 1)]
    return found


@pytest.mark.parametrize("name", [n for n, o in ar.OPERATORS.items() if o.accuracy is not None])
def test_docstrings_promise_no_more_than_declarations(name: str) -> None:
    declared = bounds(ar.OPERATORS[name])
    notes = re.sub(
        r"\s+", " ", getattr(ar, name).__doc__.split("Notes\n")[1].split("Examples\n")[0]
    )
    promise = re.search(r"F32: .*", notes)
    if promise is None:
        assert all(bound.rounded for bound in declared)
        return
    text = promise.group()
    stated = [float(number) for number in re.findall(r"([\d.]+) ulp", text)]
    if stated:
        assert max(stated) >= max(bound.ulp for bound in declared)
    if any(bound.more is not None for bound in declared):
        assert EXCEPTION.search(text)


def test_products_of_scalars_of_elu_beyond_the_type_have_no_bound() -> None:
    scalars = {"alpha": 1e30, "scale": 1e30, "input_scale": 1.0}
    assert ar.OPERATORS["elu"].accuracy(FLOAT32, scalars, 1).more(
        np.array([-1.0, 0.0, 1.0])
    ).tolist() == [math.inf, math.inf, 0.0]
    assert "``alpha * scale`` overflows or underflows" in re.sub(r"\s+", " ", ar.elu.__doc__)
