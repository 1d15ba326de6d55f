"""Families of functions beside memory, streams and events: a program in C++ for each."""

from .test_programs import TWO_DEVICES


def test_versions_cores_errors_reductions_and_random_numbers(programs):
    assert programs.run("resources.cpp", **TWO_DEVICES) == ("", "")
