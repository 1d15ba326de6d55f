"""Families of functions beside memory, streams and events: a program in C++ for each."""

from pathlib import Path

import pytest

from .test_programs import TWO_DEVICES


def test_versions_cores_errors_reductions_and_random_numbers(programs):
    assert programs.run("resources.cpp", **TWO_DEVICES) == ("", "")


@pytest.mark.parametrize("execution", ["eager", "lazy", "random"])
def test_notifies(programs, execution):
    settings = {"ASCENDREF_EXECUTION": execution, "ASCENDREF_CHECK": "1"}
    assert programs.run("notifies.cpp", **TWO_DEVICES, **settings) == ("", "")


@pytest.mark.parametrize("check", ["0", "report"])
def test_copies_between_devices(programs, check):
    status = int(check == "report")  # that a hazard was found
    environment = {"ASCENDREF_CHECK": check, **TWO_DEVICES}
    out, errors = programs.run("peers.cpp", check, status=status, **environment)
    assert out == ""
    if check == "0":
        assert errors == ""
    else:  # one race, the one that the program has
        assert errors.count("race: ") == 1
        assert "aclrtFree" not in errors


@pytest.mark.parametrize("check", ["0", "1"])
def test_processes_share_memory(programs, check):
    before = set(Path("/dev/shm").glob("ascendref-*"))
    out, errors = programs.run("sharing.cpp", ASCENDREF_CHECK=check, **TWO_DEVICES)
    assert out == ""
    assert errors.count("use-after-free: ") == errors.count("fix:") == int(check)
    assert set(Path("/dev/shm").glob("ascendref-*")) <= before


@pytest.mark.parametrize("check", ["0", "1"])
def test_physical_memory_at_reserved_addresses(programs, check):
    assert programs.run("mappings.cpp", ASCENDREF_CHECK=check, **TWO_DEVICES) == ("", "")
