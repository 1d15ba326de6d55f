"""Parts of long tests: another part every day, so that all cases have their turn.

``ASCENDREF_TEST_SEED`` is the day, today unless it is set; ``all`` stands for whole sweeps. A run
of tests prints it, and with it a run on another day, or elsewhere, has the same cases.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import date
from typing import Final, TypeVar

T = TypeVar("T")

VARIABLE: Final = "ASCENDREF_TEST_SEED"
# processes that this one starts have the same cases, past midnight too
SEED: Final = os.environ.setdefault(VARIABLE, date.today().isoformat())


def todays(cases: Iterable[T], parts: int, seed: str = SEED) -> list[T]:
    """Return one of so many parts of the cases; each has its turn within so many days."""
    every = list(cases)
    return every if seed == "all" else every[date.fromisoformat(seed).toordinal() % parts :: parts]
