"""Every program of the catalogue is found, with both places; its fixed variant raises no alarm."""

from contextlib import suppress
from typing import Any

import pytest

import ascendref as ar

from ..calls import EXECUTIONS
from . import faults, function_bugs, races
from .catalogue import CATALOGUE, Entry

BY_TIER = [x if x == "eager" else pytest.param(x, marks=pytest.mark.full) for x in EXECUTIONS]


def run(dev: Any, entry: Entry, *, fixed: bool) -> list[Any]:
    """Run a program to its end, or to the hazard that it raises; return what was found."""
    raised = None
    ar.get_last_error()  # forgets those of earlier devices
    try:
        entry.run(dev, fixed)
        dev.synchronize(60_000)
    except ar.AclError as error:  # what is refused as without a checker is no hazard
        raised = error
    found = dev.hazards
    if isinstance(raised, ar.HazardError):
        assert dev.check is True or raised.kind == "deadlock"
        assert found == [raised]
        assert raised.message in (ar.recent_error_message() or "")
        runtime = int(raised.status) // 1000 in (107, 207, 507)
        assert ar.get_last_error() == (raised.status if runtime else 0)
    assert raised is None or not fixed
    end(dev)
    return found


def end(dev: Any) -> None:
    """End what a program leaves behind, or the device would warn of lost work when it goes."""
    streams = list(dev.scheduler.streams.values())
    for stream in streams:  # their callbacks fail now, instead of waiting for a thread
        with suppress(ar.AclError):
            stream.unsubscribe_report()
    for _ in range(len(streams) + 1):  # each time, one stream reports what failed
        with suppress(ar.AclError):
            dev.synchronize(60_000)


def test_the_catalogue_has_programs_of_every_kind() -> None:
    files = (races, faults, function_bugs)  # imported for what they enter
    assert {file.__name__ for file in files} == {
        entry.program.__module__ for entry in CATALOGUE.values()
    }
    assert {entry.kind for entry in CATALOGUE.values()} == {
        "race", "use-after-free", "uninitialized-read", "lifetime", "leak", "deadlock", "wait"
    }  # fmt: skip


@pytest.mark.parametrize("execution", BY_TIER)
@pytest.mark.parametrize("name", CATALOGUE)
def test_a_bug_is_found(name: str, execution: str) -> None:
    entry = CATALOGUE[name]
    for check in (True, "report"):
        dev = ar.Device("Atlas A2", execution=execution, seed=5, check=check)
        found = run(dev, entry, fixed=False)
        assert found, "nothing was found"
        hazard = found[0]
        assert hazard.kind == entry.kind
        sites = (hazard.first, hazard.second)
        places = [None if site is None else (site.file, site.line) for site in sites]
        assert places == entry.places or (entry.either and places[::-1] == entry.places)
        assert hazard.missing


@pytest.mark.parametrize("execution", BY_TIER)
@pytest.mark.parametrize("name", CATALOGUE)
def test_a_fixed_program_raises_no_alarm(name: str, execution: str) -> None:
    for check in (True, "report"):
        dev = ar.Device("Atlas A2", execution=execution, seed=5, check=check)
        assert run(dev, CATALOGUE[name], fixed=True) == []
