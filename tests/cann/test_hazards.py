"""What the checker tells of programs in C++, with their lines."""

from __future__ import annotations

import re

import pytest

from ascendref.device.checker.machine_code import source_of

from .conftest import PROGRAMS

SOURCE = PROGRAMS / "hazards.cpp"
MARKS = [("race", "first"), ("race", "second"), ("leak", "first")]


def line(mark: str) -> int:
    """Return the number of the line with a mark."""
    lines = SOURCE.read_text().splitlines()
    (found,) = (n for n, text in enumerate(lines, 1) if text.endswith(f"// {mark}"))
    return found


def hazards(programs, *parts, **environment):
    """Return kind and places of what is told when a program ends."""
    out, errors = programs.run("hazards.cpp", *parts, ASCENDREF_CHECK="report", **environment)
    assert out == ""
    kinds = re.findall(r"^ascendref: .*: (\w+): ", errors, re.MULTILINE)
    places = re.findall(r"^  (first|second): .* called at (.*)$", errors, re.MULTILINE)
    return kinds, places


@pytest.mark.parametrize("exits", [(), ("exit",)], ids=["reset", "exit"])
def test_places_are_lines_of_the_program(programs, exits):
    assert hazards(programs, "race", "leak", *exits) == (
        ["race", "leak"],
        [(mark[1], f"{SOURCE}:{line(': '.join(mark))}") for mark in MARKS],
    )


def test_a_program_without_mistakes(programs):
    assert hazards(programs) == ([], [])


def test_without_debugging_information_the_function_is_named(programs, tmp_path):
    stripped = type(programs)(tmp_path, programs.root, ("-g0", "-fno-inline"))
    kinds, places = hazards(stripped, "race")
    assert kinds == ["race"]
    places = [re.sub(r"\+0x[0-9a-f]+", "+", place) for _, place in places]
    assert places == [f"{tmp_path / 'hazards'}+ (race(void*, void*, void*))"] * 2


def test_nothing_is_known_of_an_address_that_is_no_code():
    assert source_of(1) == ("?", 0)
