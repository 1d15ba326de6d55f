"""Copies between devices, and memory that processes share."""

from pathlib import Path

import pytest

from .test_programs import TWO_DEVICES

pytestmark = pytest.mark.full


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
        # streams of two devices cannot wait for events of each other
        assert "fix: synchronize stream" in errors
        assert "aclrtStreamWaitEvent" not in errors


@pytest.mark.parametrize("check", ["0", "1"])
def test_processes_share_memory(programs, check):
    before = set(Path("/dev/shm").glob("ascendref-*"))
    out, errors = programs.run("sharing.cpp", ASCENDREF_CHECK=check, **TWO_DEVICES)
    assert out == ""
    assert errors.count("use-after-free: ") == errors.count("fix:") == int(check)
    assert set(Path("/dev/shm").glob("ascendref-*")) <= before
