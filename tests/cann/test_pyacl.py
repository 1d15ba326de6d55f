"""The vendor's Python interface: a program that uses it, and where programs find it."""

import os

import pytest

from ascendref.cann.functions import functions
from ascendref.cann.root import PYTHON

from ..support.processes import ROOT, run
from ..support.readme import blocks
from .conftest import PROGRAMS

TWO_DEVICES = {"ASCENDREF_PRODUCT": "Ascend910B3", "ASCENDREF_DEVICES": "2"}


def run_with(root, *arguments):
    """Run Python as after the root's ``set_env.sh``; return what it printed."""
    path = os.pathsep.join([str(root / PYTHON), str(ROOT), os.environ.get("PYTHONPATH", "")])
    return run(*arguments, PYTHONPATH=path, ASCEND_HOME_PATH=str(root), **TWO_DEVICES)


@pytest.mark.full
def test_a_program_in_python_that_checks_all_itself_prints_nothing(root):
    assert run_with(root, PROGRAMS / "pyacl.py") == ""


@pytest.mark.full
def test_the_vendors_module_comes_first_wherever_it_is(root, tmp_path):
    (tmp_path / "acl.py").write_text("init = 'of the vendor'")
    line = f"import sys; sys.path.append({str(tmp_path)!r}); import acl; print(acl.init)"
    assert run_with(root, "-c", line) == "of the vendor"


def test_the_pages_program_runs(root):
    (program,) = blocks(ROOT / "docs" / "from-cpp.md", "py")
    assert run_with(root, "-c", f"{program}\nprint(ret)") == "0"


def test_names_in_python_are_those_of_functions_of_c():
    from ascendref.cann import pyacl

    names = {(pyacl._place(x), pyacl._name(x)) for x in functions()}
    assert {("acl", name) for name in pyacl._ACL.split()} <= names
    assert {("acl.rt", name) for name in pyacl._RT.split()} <= names
