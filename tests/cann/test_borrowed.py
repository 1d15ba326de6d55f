"""Operators that PyTorch computes, from a program in C++, with the checker."""

from importlib.util import find_spec

import pytest


@pytest.mark.full
@pytest.mark.skipif(find_spec("torch") is None, reason="torch is in the torch extra")
@pytest.mark.parametrize("execution", ["eager", "lazy"])
def test_lists_arrays_and_several_results(programs, execution):
    environment = {"ASCENDREF_EXECUTION": execution, "ASCENDREF_CHECK": "1"}
    assert programs.run("borrowed.cpp", **environment) == ("", "")
