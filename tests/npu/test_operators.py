"""Formulas of the namespace ``npu``: their parameters, and that programs try all of them."""

import re

import pytest

from .cases import PAGE, PROGRAMS, python

SIGNATURES = """
import inspect
import ascendref.npu
import torch
from ascendref.npu.operators.formulas import FORMULAS
parameters, taken = {}, {}  # of a function, and those that some operator passes
for name, formula in FORMULAS.items():
    base, _, overload = name.partition(".")
    space = getattr(torch.ops, formula.space)
    schema = getattr(getattr(space, base), overload or "default")._schema
    arguments = {one.name for one in schema.arguments}
    assert {*formula.renamed, *formula.ignored} <= arguments, name
    passed = set(formula.taken(arguments).values())
    named = {
        one.name: one.default is one.empty
        for one in inspect.signature(formula.function).parameters.values()
        if one.kind is not one.VAR_KEYWORD
    }
    assert {one for one, required in named.items() if required} <= passed, (name, named, passed)
    function = inspect.unwrap(formula.function)
    parameters[function] = set(named)
    taken.setdefault(function, set()).update(passed)
    assert function.__doc__
    print(name)
for function, named in parameters.items():
    assert named <= taken[function], (function, named, taken[function])
"""


@pytest.fixture(scope="module")
def names():
    done = python("-W", "ignore", "-c", SIGNATURES)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_formulas_have_parameters_of_the_schemas(names):
    assert len(names) == len(set(names)) > 50


def test_a_program_tries_every_formula(names):
    text = "\n".join(program.read_text() for program in PROGRAMS)
    words = set(re.findall(r"\w+", text))
    assert [name for name in names if name.partition(".")[0] not in words] == []


def test_the_page_names_every_formula_except_gradients(names):
    named = set(re.findall(r"`(\w+)`", PAGE.read_text()))
    bases = {name.partition(".")[0] for name in names}
    missing = {name for name in bases - named if name.rstrip("_") not in named}
    assert [
        name for name in missing if not re.search(r"_(backward|grad)(_v\d|_impl)?_?$", name)
    ] == []
