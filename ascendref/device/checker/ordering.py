"""The order of operations, as the calls of a program establish it: vector clocks.

A *timeline* is a sequence of operations each of which comes after the one before: the tasks of a
stream, or what the host does. A *clock* says for every stream how many of its tasks come before
something. The clock of a stream grows when it waits for an event, that of the host when it waits
for tasks, and whatever is submitted comes after everything that the host knows to be done.

All threads of the program count as one host: what orders them among each other, a lock or a queue,
is not visible here.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from types import CodeType, FrameType
from typing import Final

from ..lock_free import AtomicReference

#: number of a stream -> how many of its tasks come before something; never changed, but replaced
Clock = Mapping[int, int]
#: where the host's operations are counted
HOST: Final = 0

_PACKAGE: Final = str(Path(__file__).parents[2])


def joined(one: Clock, other: Clock) -> Clock:
    """Return the clock of what comes after two others."""
    later = {k: n for k, n in other.items() if n > one.get(k, 0)}
    return {**one, **later} if later else one


class Timeline:
    """The operations of a stream, or of the host, in their order.

    Parameters
    ----------
    number : int
        Number of the stream; `HOST` for the host.
    """

    __slots__ = (
        "_clock",
        "_count",
        "_host_clock",
        "abandoned",
        "clock",
        "latest",
        "number",
        "retired",
    )

    def __init__(self, number: int) -> None:
        self.number = number
        #: what the next operation comes after, apart from those before it here
        self.clock: Clock = {}
        self._clock: AtomicReference[Clock] = AtomicReference(self.clock)
        self._count = count(1)
        #: the clock of the host that is contained in this one
        self._host_clock: Clock | None = None
        #: the operation that began last
        self.latest: Operation | None = None
        #: whether it has ended: everything from now on comes after it
        self.retired = False
        #: which of its operations may never have run
        self.abandoned: tuple[range, ...] = ()

    def join(self, clock: Clock) -> None:
        """Let the next operation come after what a clock says."""
        while True:
            before = self._clock.load()
            after = joined(before.value, clock)
            if after is before.value or self._clock.compare_and_set(before, after):
                break
        self._publish()

    def forget(self, number: int) -> None:
        """Drop a stream that has ended from the clock."""
        while number in (before := self._clock.load()).value:
            rest = {k: n for k, n in before.value.items() if k != number}
            self._clock.compare_and_set(before, rest)
        self._publish()

    def _publish(self) -> None:
        while self.clock is not (latest := self._clock.load().value):
            self.clock = latest

    def begin(self, call: str, host: Timeline, known: Clock) -> Operation:
        """Begin an operation.

        Parameters
        ----------
        call : str
            What it is called.
        host : Timeline
            The host that submits it.
        known : clock
            What comes before it because it is submitted now.
        """
        if known is not self._host_clock:
            self.join(known)
            self._host_clock = known
        latest = host.latest
        before = 0 if latest is None else latest.index
        operation = self.latest = Operation(self, next(self._count), self.clock, before, call)
        return operation

    @property
    def length(self) -> int:
        """How many operations there are."""
        return self.latest.index if self.latest is not None else 0

    def __str__(self) -> str:
        return f"stream {self.number}" if self.number else "the host"


class Operation:
    """A task, or an access of the host, with its place in the order and in the program."""

    __slots__ = ("_code", "_instruction", "call", "clock", "host_index", "index", "timeline")

    def __init__(
        self, timeline: Timeline, index: int, clock: Clock, host_index: int, call: str
    ) -> None:
        self.timeline = timeline
        #: how many operations of its timeline there are with it
        self.index = index
        #: what comes before it on other timelines
        self.clock = clock
        #: how many operations of the host come before it
        self.host_index = host_index
        #: what it is called
        self.call = call
        self._code, self._instruction = _caller(call)

    @property
    def knowledge(self) -> Clock:
        """What comes before anything that comes after this."""
        if self.timeline.number == HOST:
            return self.clock
        return {**self.clock, self.timeline.number: self.index}

    def part(self, call: str, *, after: Timeline | None = None) -> Operation:
        """Return an operation that is part of this one, and perhaps comes after the host's."""
        host_index, clock = self.host_index, self.clock
        if after is not None:
            host_index, clock = after.length, joined(after.clock, self.clock)
        return Operation(self.timeline, self.index, clock, host_index, call)

    @property
    def abandoned(self) -> bool:
        """Whether it may never have run."""
        return any(self.index in gone for gone in self.timeline.abandoned)

    @property
    def file(self) -> str:
        """Source file of the call that it comes from."""
        return self._code.co_filename if self._code is not None else "?"

    @property
    def line(self) -> int:
        """Line of that call."""
        lines = () if self._code is None else self._code.co_lines()
        return next((n for a, b, n in lines if a <= self._instruction < b and n is not None), 0)


def precedes(first: Operation, second: Operation) -> bool:
    """Tell whether an operation comes before another one, or is the same."""
    timeline = first.timeline
    if timeline is second.timeline:
        return first.index <= second.index
    if timeline.number == HOST:
        return first.index <= second.host_index
    return first.index <= second.clock.get(timeline.number, 0) or timeline.retired


#: call -> how far up the stack its caller was last time
_depths: Final[dict[str, int]] = {}


def _caller(call: str) -> tuple[CodeType | None, int]:
    """Return code and instruction of the innermost call from outside of this package."""
    # looking at a frame takes as long as a call, so try first where it was last time
    depth = _depths.get(call, 1)
    with suppress(ValueError):  # the stack may be lower now
        frame = sys._getframe(depth)
        if not _is_ours(frame) and _is_ours(sys._getframe(depth - 1)):
            return frame.f_code, frame.f_lasti
    depth = 0
    with suppress(ValueError):
        while _is_ours(frame := sys._getframe(depth)):
            depth += 1
        _depths[call] = depth
        return frame.f_code, frame.f_lasti
    return None, 0  # a thread of this package


def _is_ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_PACKAGE)
