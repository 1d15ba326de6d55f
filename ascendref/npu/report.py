"""Counts of operator calls on the emulated device and on the fallback."""

import fcntl
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final

from ..cann.runtime.process import process

#: calls of recurrent layers, which have kernels in Python, by the name of the overload
fallback_calls: Final[Counter[str]] = Counter()
#: functions that return the calls of other kernels
more_calls: Final[list[Callable[[], Iterable[tuple[str, int]]]]] = []


def counts() -> dict[str, dict[str, int]]:
    """Return the calls so far: ``emulated`` by operator, ``fallback`` by overload."""
    return {
        "emulated": _sum(process.launches),
        "fallback": _sum(fallback_calls, *[dict(calls()) for calls in more_calls]),
    }


def write_report(path: str) -> None:
    """Write the counts: as a table to stderr for ``-``, or as JSON to a file.

    They are added to those in the file, so that all processes of a program write one report.
    """
    found = counts()
    if path == "-":
        lines = []
        for place, calls in found.items():
            lines.append(f"{place}: {sum(calls.values())} calls")
            lines += [f"{count:>10}  {name}" for name, count in calls.items()]
        print("\n".join(lines), file=sys.stderr)
    elif os.path.exists(path) and not os.path.isfile(path):  # a device or a FIFO
        with open(path, "w") as file:
            json.dump(found, file, indent=2)
    else:
        with open(path, "a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # until the file is closed
            file.seek(0)
            earlier = json.loads(file.read() or "{}")
            file.truncate(0)
            total = {place: _sum(earlier.get(place, {}), calls) for place, calls in found.items()}
            json.dump(total, file, indent=2)


def _sum(*calls: dict[str, int]) -> dict[str, int]:
    """Return the sums of counts, the most frequent first."""
    total = Counter[str]()
    for found in calls:
        total.update(found)
    return dict(total.most_common())
