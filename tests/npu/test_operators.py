"""Formulas of the namespace ``npu``: their parameters, and that programs try all of them."""

import re
import shutil
from importlib.util import find_spec

import pytest

from .cases import PROGRAMS
from .test_programs import python

if find_spec("torch_npu") is None or shutil.which("cc") is None:
    pytest.skip("needs torch-npu, an extra, and cc", allow_module_level=True)

SIGNATURES = """
import inspect
import ascendref.npu
import torch
from ascendref.npu.operators.formulas import FORMULAS
for name, function in FORMULAS.items():
    base, _, overload = name.partition(".")
    schema = getattr(getattr(torch.ops.npu, base), overload or "default")._schema
    parameters = inspect.signature(function).parameters.values()
    open_ended = any(one.kind is one.VAR_KEYWORD for one in parameters)
    described = {
        one.name: (one.default if one.default is not one.empty else "required", one.kind)
        for one in parameters
        if one.kind is not one.VAR_KEYWORD
    }
    expected = {
        one.name: (
            one.default_value if one.has_default_value() else "required",
            inspect.Parameter.KEYWORD_ONLY
            if one.kwarg_only
            else inspect.Parameter.POSITIONAL_OR_KEYWORD,
        )
        for one in schema.arguments
        if one.name in described or not open_ended
    }
    assert list(described.items()) == list(expected.items()), (name, described, expected)
    assert function.__doc__
    print(name)
"""


@pytest.fixture(scope="module")
def names():
    done = python("-W", "ignore", "-c", SIGNATURES)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_formulas_have_the_parameters_of_the_schemas(names):
    assert len(names) == len(set(names)) > 50


def test_a_program_tries_every_formula(names):
    text = "\n".join(program.read_text() for program in PROGRAMS)
    words = set(re.findall(r"\w+", text))
    assert [name for name in names if name.partition(".")[0] not in words] == []
