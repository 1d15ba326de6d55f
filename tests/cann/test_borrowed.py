"""Operators that PyTorch computes, from a program in C++, with the checker."""

from importlib.util import find_spec

import pytest


@pytest.mark.full
@pytest.mark.skipif(find_spec("torch") is None, reason="torch is in the torch extra")
@pytest.mark.parametrize(
    ("program", "execution"),
    [("borrowed.cpp", "eager"), ("borrowed.cpp", "lazy"), ("backend.cpp", "eager")],
)
def test_lists_several_results_and_a_backend_s_calls(programs, program, execution):
    environment = {"ASCENDREF_EXECUTION": execution, "ASCENDREF_CHECK": "1"}
    assert programs.run(program, **environment) == ("", "")
