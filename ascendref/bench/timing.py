"""Timing of calls in turns; the shortest turn counts, because the machine has other work."""

import gc
import statistics
import time
from collections.abc import Sequence
from typing import Final, NamedTuple

from .cases import Call

#: seconds of one turn, in which a call is repeated
_TURN: Final = 0.004
#: seconds before it
_SETTLING: Final = 0.002
#: fewest turns of each side
_TURNS: Final = 3


class Timing(NamedTuple):
    """What was measured of one call."""

    #: the least of all turns
    seconds: float
    #: the middle one
    median: float

    @property
    def noise(self) -> float:
        """The excess of the median turn over the shortest, as a fraction."""
        return self.median / self.seconds - 1


def take_turns(calls: Sequence[Call], budget: float) -> list[Timing]:
    """Time calls that have run before, in turns: a busy machine slows all of them equally."""
    repeats = [_repeats(call) for call in calls]
    turns: list[list[float]] = [[] for _ in calls]
    collecting = gc.isenabled()
    gc.disable()
    try:
        end = time.perf_counter() + budget
        while time.perf_counter() < end or len(turns[0]) < _TURNS:
            for call, count, seconds in zip(calls, repeats, turns, strict=True):
                _settle(call)
                seconds.append(_seconds(call, count))
    finally:
        if collecting:
            gc.enable()
    return [Timing(min(seconds), statistics.median(seconds)) for seconds in turns]


def _settle(call: Call) -> None:
    """Warm up a call's data and threads again after the other side's turn."""
    end = time.perf_counter() + _SETTLING
    while time.perf_counter() < end:
        call()


def _repeats(call: Call) -> int:
    count = 1
    while (spent := _seconds(call, count) * count) < _TURN / 4:
        count *= 4
    return max(1, round(count * _TURN / spent))


def _seconds(call: Call, repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats
