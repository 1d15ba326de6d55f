"""Counts of operator calls on the emulated device and on the fallback."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final

from ..cann.runtime.process import process

#: calls of the fallback's kernels in Python, by the name of the overload
fallback_calls: Final[Counter[str]] = Counter()
#: functions that return the calls of other kernels
more_calls: Final[list[Callable[[], Iterable[tuple[str, int]]]]] = []


def counts() -> dict[str, dict[str, int]]:
    """Return the calls so far: ``emulated`` by operator, ``fallback`` by overload."""
    fallback = Counter(fallback_calls)
    for calls in more_calls:
        fallback.update(dict(calls()))
    return {
        "emulated": dict(process.launches.most_common()),
        "fallback": dict(fallback.most_common()),
    }


def write_report(path: str) -> None:
    """Write the counts: as JSON to a file, or as a table to stderr for ``-``."""
    found = counts()
    if path != "-":
        with open(path, "w") as file:
            json.dump(found, file, indent=2)
        return
    for place, calls in found.items():
        print(f"{place}: {sum(calls.values())} calls", file=sys.stderr)
        for name, count in calls.items():
            print(f"{count:>10}  {name}", file=sys.stderr)
