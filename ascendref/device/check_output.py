"""What ``ascendref check`` asks of the processes that it runs, by two environment variables.

``ASCENDREF_CHECK`` sets how the devices of a process check, whatever its program says:
``report`` collects hazards, ``0`` turns the checker off and ``1`` lets it raise.
``ASCENDREF_HAZARDS`` names a folder into which every process that has devices writes, when it
exits, what they found and which tasks they ran. Without it, what was found is printed on stderr.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
from pathlib import Path
from typing import Any, Final, Literal

from ..core.errors import fail
from ..core.status import Status
from ..core.tracebacks import shorten_tracebacks
from .checker.checker import Checker
from .checker.hazards import HazardError, Site
from .scheduling.scheduler import Scheduler
from .scheduling.task import Task

MODE: Final = "ASCENDREF_CHECK"
FOLDER: Final = "ASCENDREF_HAZARDS"

#: the checked devices of this process, those that are gone too, if what they found is told
_devices: Final[list[tuple[str, Checker, Scheduler]]] = []


def mode_from_environment(given: bool | Literal["report"]) -> bool | Literal["report"]:
    """Return how a device checks: as the environment says, or as its program does."""
    modes: dict[str, bool | Literal["report"]] = {
        "": given,
        "0": False,
        "1": True,
        "report": "report",
    }
    value = os.environ.get(MODE, "")
    if value not in modes:
        fail(
            Status.ACL_ERROR_INVALID_PARAM,
            f"the environment variable {MODE} is {value!r}; 0, 1 or report is expected",
        )
    return modes[value]


def keep_for_exit(name: str, scheduler: Scheduler) -> None:
    """Have what a device finds told when the process exits, if that was asked for."""
    checker = scheduler.checker
    if checker is not None and (os.environ.get(FOLDER) or os.environ.get(MODE)):
        _devices.append((name, checker, scheduler))


def exit_status() -> int:
    """Return the status of a process that can choose it: 1 if hazards were collected and printed.

    A command that collects them from files looks at the program's own status besides.
    """
    told = os.environ.get(MODE) == "report" and not os.environ.get(FOLDER)
    return int(told and any(checker.reports.hazards for _, checker, _ in _devices))


# the commands that run programs ask for it
shorten_tracebacks()

# what the parent's devices found is the parent's to tell
os.register_at_fork(after_in_child=_devices.clear)


# registered before what waits for work at exit, and so called after it
@atexit.register
def _tell() -> None:
    folder = os.environ.get(FOLDER)
    if not folder:
        for _, checker, _ in _devices:
            for hazard in checker.reports.hazards:
                print(f"ascendref: {hazard}", file=sys.stderr)
    elif _devices:
        file = Path(folder, f"{os.getpid()}.json")
        file.write_text(json.dumps([_device(*device) for device in _devices]), encoding="utf-8")


def _device(name: str, checker: Checker, scheduler: Scheduler) -> dict[str, Any]:
    return {
        "device": name,
        "hazards": [_hazard(hazard) for hazard in checker.reports.hazards],
        "tasks": [
            task
            for x in sorted(dict.fromkeys(scheduler.history), key=lambda task: task.submitted)
            if (task := _task(x)) is not None
        ],
    }


def _hazard(hazard: HazardError) -> dict[str, Any]:
    return {
        "kind": hazard.kind,
        "problem": hazard.problem,
        "first": _site(hazard.first),
        "second": _site(hazard.second),
        "missing": hazard.missing,
    }


def _site(site: Site | None) -> dict[str, Any] | None:
    return None if site is None else site._asdict()


def _task(task: Task) -> dict[str, Any] | None:
    if task.operation is None:
        return None
    after = None if task.after is None else task.after.operation
    return {
        "stream": task.stream.number,
        "position": task.operation.index,
        "kind": task.kind.name.lower(),
        "label": task.operation.call,
        "after": None if after is None else [after.timeline.number, after.index],
    }
