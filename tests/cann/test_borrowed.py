"""Operators that PyTorch computes, from programs in C++, with the checker."""

import pytest


@pytest.mark.full
@pytest.mark.parametrize(
    ("program", "execution"),
    [("borrowed.cpp", "eager"), ("borrowed.cpp", "lazy"), ("backend.cpp", "eager")],
)
def test_operators_that_pytorch_computes(programs, program, execution):
    environment = {"ASCENDREF_EXECUTION": execution, "ASCENDREF_CHECK": "1"}
    assert programs.run(program, **environment) == ("", "")
