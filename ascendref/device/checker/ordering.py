"""The order of operations, as the calls of a program establish it: vector clocks.

A *timeline* is a sequence of operations each of which comes after the one before: the tasks of a
stream, or what the host does. A *clock* says for every stream how many of its tasks come before
something. The clock of a stream grows when it waits for an event, that of the host when it waits
for tasks, and whatever is submitted comes after everything that the host knows to be done.

All threads of the program count as one host: what orders them among each other, a lock or a queue,
is not visible here.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import ClassVar, Final

from ..lock_free import AtomicReference
from .callers import Caller, MachineCall, Place, places_of

#: the number of the timeline of the host; streams count from 1
HOST: Final = 0


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
        "last_record",
        "length",
        "number",
        "retired",
    )

    def __init__(self, number: int) -> None:
        self.number = number
        nothing: Clock = {}
        self._clock = AtomicReference(nothing)
        #: what the next operation comes after, apart from those before it here
        self.clock = nothing
        self._count = count(1)
        #: what the host knew when the latest operation began
        self._host_clock: Clock | None = None
        #: how many operations there are
        self.length = 0
        #: its latest record of an event
        self.last_record = 0
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
        while self.clock is not (latest := self._clock.load().value):
            self.clock = latest

    @property
    def knowledge(self) -> Clock:
        """What comes before anything that comes after all operations so far."""
        return {**self.clock, self: self.length}

    def begin(self, call: str, caller: Caller, host: Timeline, known: Clock) -> Operation:
        """Begin an operation.

        Parameters
        ----------
        call : str
            What it is called.
        caller : tuple
            Code of the program that calls, and the place of the call in it.
        host : Timeline
            The host that submits it.
        known : clock
            What comes before it because it is submitted now.
        """
        if known is not self._host_clock:
            self.join(known)
            self._host_clock = known
        index = next(self._count)
        if self.length < index:  # threads may overtake one another
            self.length = index
        return Operation(self, index, self.clock, host.length, call, caller)

    def __str__(self) -> str:
        return f"stream {self.number}" if self.number else "the host"


#: stream -> how many of its tasks come before something; never changed, but replaced
Clock = Mapping[Timeline, int]


def joined(one: Clock, other: Clock) -> Clock:
    """Return the clock of what comes after two others; streams that have ended need no entry."""
    later = {k: n for k, n in other.items() if n > one.get(k, 0) and not k.retired}
    if not later:
        return one
    return {**{k: n for k, n in one.items() if not k.retired}, **later}


class Operation:
    """A task, or an access of the host, with its place in the order and in the program."""

    __slots__ = ("_code", "_place", "call", "clock", "host_index", "index", "timeline")

    #: whether it is what a function of the host does while its stream waits
    in_function: ClassVar = False

    def __init__(
        self,
        timeline: Timeline,
        index: int,
        clock: Clock,
        host_index: int,
        call: str,
        caller: Caller,
    ) -> None:
        self.timeline = timeline
        #: how many operations of its timeline there are with it; 0 if it will never run
        self.index = index
        #: what comes before it on other timelines
        self.clock = clock
        #: how many operations of the host come before it
        self.host_index = host_index
        code, place = caller
        self._code, self._place = code, place
        #: what it is called; in C, as the function that the program called
        self.call = code.function if type(code) is MachineCall else call

    def cancel(self) -> None:
        """Note that it is not queued: whatever it accesses, it comes before everything."""
        self.index = 0

    @property
    def knowledge(self) -> Clock:
        """What comes before anything that comes after this."""
        if self.timeline.number == HOST:
            return self.clock
        return {**self.clock, self.timeline: self.index}

    @property
    def caller(self) -> Caller:
        """Code of the program that called, and the place of the call in it."""
        return self._code, self._place

    def part(self, call: str, caller: Caller, *, after: Timeline | None = None) -> Operation:
        """Return an operation that is part of this one, and perhaps comes after the host's."""
        host_index, clock = self.host_index, self.clock
        if after is not None:
            host_index, clock = after.length, joined(after.clock, self.clock)
        return FunctionAccess(self.timeline, self.index, clock, host_index, call, caller)

    @property
    def abandoned(self) -> bool:
        """Whether it may never have run."""
        return any(self.index in gone for gone in self.timeline.abandoned)

    @property
    def in_c(self) -> bool:
        """Whether it comes from a function of a library for C."""
        return isinstance(self._code, MachineCall)

    @property
    def places(self) -> list[Place]:
        """The place of the call that it comes from, then what that was called from."""
        return places_of(self.caller)


class FunctionAccess(Operation):
    """An access by a function of the host that a stream runs, with the place of that task."""

    __slots__ = ()

    in_function: ClassVar = True


def precedes(first: Operation, second: Operation) -> bool:
    """Tell whether an operation comes before another one, or is the same."""
    timeline = first.timeline
    if timeline is second.timeline:
        return first.index <= second.index
    if timeline.number == HOST:
        return first.index <= second.host_index
    return first.index <= second.clock.get(timeline, 0) or timeline.retired


def are_ordered(first: Operation, second: Operation) -> bool:
    """Tell whether one of two operations comes before the other."""
    # what a host function does may be seen after tasks that come after it were submitted
    return first.timeline is second.timeline or precedes(first, second) or precedes(second, first)
