"""Parts of long tests, and of the operators: others every day, so that all have their turn.

``ASCENDREF_TEST_SEED`` is the day, today unless it is set; ``all`` stands for whole sweeps. A run
of tests prints it, and with it a run on another day, or elsewhere, has the same cases.
``python -m tests.support.daily`` prints the operators that have their turn.
"""

import os
from collections.abc import Iterable
from datetime import date
from typing import Final, TypeVar

import ascendref as ar

T = TypeVar("T")

VARIABLE: Final = "ASCENDREF_TEST_SEED"
# processes that this one starts have the same cases, past midnight too
SEED: Final = os.environ.setdefault(VARIABLE, date.today().isoformat())


def todays(cases: Iterable[T], parts: int, seed: str = SEED, *, shift: int = 0) -> list[T]:
    """Return one of so many parts of the cases; each has its turn within so many days.

    With a shift, it is the part of so many days later: tests of few cases then take turns.
    """
    every = list(cases)
    if seed == "all":
        return every
    return every[(date.fromisoformat(seed).toordinal() + shift) % parts :: parts]


#: tests marked ``exhaustive`` take turns too: a run has one of so many parts of their cases, prime
#: to the numbers of parts within such tests, each of which therefore has its turn
LONG_PARTS: Final = 7

#: the operators that tests have which are not full: one for each engine
USUAL: Final = {
    "hardshrink_backward",  # selects; broadcasts
    "prelu_backward",  # sums per channel
    "binary_cross_entropy",  # optional tensors, a single sum
}
#: the other ones take turns: a run has one of so many parts of them, a prime number, so that all
#: cases of tests marked ``daily`` have their turn with each
PARTS: Final = 11
#: the operators that full tests of a run have
TESTED: Final = USUAL | set(todays(sorted(set(ar.OPERATORS) - USUAL), PARTS))

if __name__ == "__main__":
    print(*sorted(TESTED))
