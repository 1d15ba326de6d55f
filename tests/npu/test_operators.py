"""Formulas of the namespace ``npu``: their parameters, and that programs try all of them."""

import re

import pytest

from .cases import PAGE, PROGRAMS, run
from .test_programs import python

SIGNATURES = """
import inspect
import ascendref.npu
import torch
from ascendref.npu.operators.formulas import FORMULAS
def frozen(value):
    return tuple(value) if isinstance(value, list) else value
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
            frozen(one.default_value) if one.has_default_value() else "required",
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


def test_the_page_names_every_formula_except_gradients(names):
    named = set(re.findall(r"`(\w+)`", PAGE.read_text()))
    bases = {name.partition(".")[0] for name in names}
    missing = {name for name in bases - named if name.rstrip("_") not in named}
    assert [name for name in missing if not re.search(r"_(backward|grad)(_v2)?$", name)] == []


WITHOUT_FALLBACK = """
import torch, torch_npu
x = torch.linspace(-2, 2, 8).npu()
torch_npu.npu_silu(x)
torch_npu.npu_rms_norm(x, x)
"""


def test_without_fallback_a_formula_runs_as_far_as_its_operators_are_emulated(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(WITHOUT_FALLBACK)
    outcome = run(program, "--no-fallback")
    assert outcome.status == 1
    assert "emulated device: aten::pow.Tensor_Scalar is not available: the fallback" in (
        outcome.errors
    )
    assert outcome.counts == {"emulated": {"aclnnSilu": 1}, "fallback": {}}
