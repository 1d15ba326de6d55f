"""Two environment variables by which ``ascendref check`` controls the processes that it runs.

``ASCENDREF_CHECK`` overrides the ``check`` argument of all devices in a process: ``report``
collects hazards, ``0`` turns the checker off and ``1`` raises hazards. ``ASCENDREF_HAZARDS`` names
a folder; every process that has devices writes its hazards and tasks there when it exits, to a file
that is empty until then. Without it, hazards are printed on stderr.
"""

import atexit
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Literal

from ..core.errors import fail
from ..core.status import Status
from ..core.tracebacks import shorten_tracebacks
from .checker.checker import Checker
from .checker.ordering import Operation
from .scheduling.scheduler import Scheduler
from .scheduling.task import Task

MODE: Final = "ASCENDREF_CHECK"
#: its values -> ``check`` modes
MODES: Final[dict[str, bool | Literal["report"]]] = {"0": False, "1": True, "report": "report"}
FOLDER: Final = "ASCENDREF_HAZARDS"
#: comes after what else a process of the module multiprocessing does at its end
_LAST: Final = -1000

#: the checked devices of this process, including deleted ones, if their hazards are reported
_devices: Final[list[tuple[str, Checker, Scheduler]]] = []


def mode_from_environment(given: bool | Literal["report"]) -> bool | Literal["report"]:
    """Return the ``check`` mode of a device: from the environment, else as given."""
    value = os.environ.get(MODE, "")
    if value and value not in MODES:
        problem = f"the environment variable {MODE} is {value!r}; it must be 0, 1 or report"
        fail(Status.ACL_ERROR_INVALID_PARAM, problem)
    return MODES.get(value, given)


def keep_for_exit(name: str, scheduler: Scheduler) -> None:
    """Register a device whose hazards are reported when the process exits, if requested."""
    checker = scheduler.checker
    folder = os.environ.get(FOLDER)
    if checker is None or not (folder or os.environ.get(MODE)):
        return
    if folder and not _devices:
        with suppress(OSError):  # the command that made the folder may have ended
            _file(folder).touch()
        multiprocessing = sys.modules.get("multiprocessing.process")
        if multiprocessing is not None and multiprocessing.parent_process() is not None:
            from multiprocessing.util import Finalize

            # forked children of the module end without functions of atexit, which come later
            Finalize(None, _tell, exitpriority=_LAST)
    _devices.append((name, checker, scheduler))


def _file(folder: str) -> Path:
    return Path(folder, f"{os.getpid()}.json")


def exit_status() -> int:
    """Return the exit status for this process: 1 if hazards were collected and printed.

    A command that collects hazards from files also uses the program's own status.
    """
    told = os.environ.get(MODE) == "report" and not os.environ.get(FOLDER)
    return int(told and any(checker.reports.hazards for _, checker, _ in _devices))


# the commands that run programs ask for it
shorten_tracebacks()

# the parent process reports the hazards of its own devices
os.register_at_fork(after_in_child=_devices.clear)


# registered before the function that waits for work at exit, and so called after it
@atexit.register
def _tell() -> None:
    folder = os.environ.get(FOLDER)
    if not folder:
        for _, checker, _ in _devices:
            for hazard in checker.reports.hazards:
                print(f"ascendref: {hazard}", file=sys.stderr)
    elif _devices:
        text = json.dumps([_device(*device) for device in _devices])
        _file(folder).write_text(text, encoding="utf-8")


def _device(name: str, checker: Checker, scheduler: Scheduler) -> dict[str, Any]:
    tasks = sorted(dict.fromkeys(scheduler.history), key=lambda task: task.submitted)
    return {
        "device": name,
        "hazards": [
            {
                "kind": hazard.kind,
                "problem": hazard.problem,
                "first": hazard.first and hazard.first._asdict(),
                "second": hazard.second and hazard.second._asdict(),
                "missing": hazard.missing,
            }
            for hazard in checker.reports.hazards
        ],
        "tasks": [_task(task, task.operation) for task in tasks if task.operation is not None],
    }


def _task(task: Task, operation: Operation) -> dict[str, Any]:
    after = None if task.after is None else task.after.operation
    return {
        "stream": task.stream.number,
        "position": operation.index,
        "kind": task.kind.name.lower(),
        "label": operation.call,
        "after": None if after is None else [after.timeline.number, after.index],
    }
