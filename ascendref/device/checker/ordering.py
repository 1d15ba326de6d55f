"""The order of operations, as the calls of a program establish it: vector clocks.

A *timeline* is a sequence of operations each of which comes after the one before: the tasks of a
stream, or what the host does. A *clock* says for every stream how many of its tasks come before
something. The clock of a stream grows when it waits for an event, that of the host when it waits
for tasks, and whatever is submitted comes after everything that the host knows to be done.

A host function does things between the beginning and the end of its task: after what comes
before the task, before what comes after it, and at the same time as whatever else the program does
after it queued the function. The functions of a stream have a timeline of their own for that, and
for every stream that they submit to another one, because when they submit has no part in the order:
tasks of a stream are in order only if the calls that submit them are.

All threads of the program count as one host: what orders them among each other, a lock or a queue,
is not visible here. So do callbacks, which a thread of the program runs: what they do comes after
all that the host did, and before what comes after their task.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import count, pairwise
from operator import itemgetter
from sys import maxsize
from typing import Final, NamedTuple
from weakref import ref

from ..lock_free import AtomicReference
from .callers import Caller, MachineCall, Place, places_of

#: number of entries from which those that nobody needs are dropped
MARKS: Final = 64

#: the number of the timeline of the host; streams count from 1
HOST: Final = 0


class Timeline:
    """The operations of a stream, by its number, or of the host, in their order."""

    def __init__(self, number: int, device: ref[object] | None = None) -> None:
        self.number = number
        #: stands for the device of a stream; an operation that a thread remembers keeps no device
        #: alive
        self.device = device
        self._clock = AtomicReference(NOTHING)
        #: the predecessors of the next operation, apart from those before it here
        self.clock = NOTHING
        self.count = count(1)
        #: what was known when the latest operation began
        self._known: Clock | None = None
        #: number of the latest operation, and the operation
        self.length = 0
        self.last: Operation | None = None
        self.last_record = 0
        #: how many operations of the host the next one comes after; all, if the host submits it
        self.host_index = maxsize
        #: which operation of the host ended it: what the host does from then on comes after it
        self.retired = 0
        #: which of its operations may never have run, or may still run
        self.abandoned: tuple[range, ...] = ()
        #: where it was when the host submitted something to it while functions might run: how many
        #: operations of the host there were, and the operation before that
        self.marks: list[tuple[int, Operation | None]] = []

    def join(self, clock: Clock, host_index: int) -> None:
        """Order the next operation after a clock, and after a point of the host."""
        if self.host_index < host_index:
            self.host_index = host_index
        while True:
            before = self._clock.load()
            after = joined(before.value, clock, self.host_index)
            if after is before.value or self._clock.compare_and_set(before, after):
                break
        while self.clock is not (latest := self._clock.load().value):
            self.clock = latest

    def abandon(self, known: int) -> None:
        """Note that operations are dropped unless they have begun, except the first ones."""
        if known < self.length:
            end = self.step()  # what comes after it comes after those that have begun
            self.abandoned = (*self.abandoned, range(known + 1, end))

    def confirm(self, index: int) -> None:
        """Note how many operations were not dropped."""
        left = (range(max(gone.start, index + 1), gone.stop) for gone in self.abandoned)
        self.abandoned = tuple(gone for gone in left if gone)

    def retire(self, host_index: int) -> None:
        """End it: the host knows that all of it is done, and has an operation after that."""
        self.retired = host_index
        # whoever remembers it must not remember what was before it as well, and so on
        self._known, self.last, self.marks = None, None, []
        self._clock = AtomicReference(NOTHING)
        self.clock = NOTHING

    @property
    def knowledge(self) -> Clock:
        """What comes before anything that comes after all operations so far."""
        return {**self.clock, self: self.length}

    def step(self) -> int:
        """Return the number of one more operation."""
        index = next(self.count)
        if self.length < index:  # threads may overtake one another
            self.length = index
        return index

    def begin(
        self,
        call: str,
        caller: Caller,
        host_index: int,
        known: Clock,
        function: Operation | None = None,
    ) -> Operation:
        """Begin an operation that comes after all known ones, and after a point of the host."""
        if known is not self._known:
            self.join(known, host_index)
            self._known = known
        index = next(self.count)
        if self.length < index:
            self.length = index
        operation = Operation(self, index, self.clock, host_index, call, caller, function)
        self.last = operation
        return operation

    def mark(self, host_index: int, last_function: int) -> None:
        """Mark where it is before the host submits, the first time after a function was queued."""
        if not self.marks or self.marks[-1][0] <= last_function:
            self.marks.append((host_index, self.last))

    def last_before(self, host_index: int) -> Operation | None:
        """Return the last operation that the host submitted before a function."""
        last, marks = self.last, list(self.marks)  # in this order: they are made in the other
        at = bisect_right(marks, host_index, key=itemgetter(0))
        return marks[at][1] if at < len(marks) else last

    def forget_marks(self, host_index: int) -> None:
        """Drop the marks that no function after a point of the host needs."""
        for mark in list(self.marks):
            if mark[0] <= host_index:
                with suppress(ValueError):
                    self.marks.remove(mark)

    def __str__(self) -> str:
        return f"stream {self.number}" if self.number else "the host"


class FunctionTimeline(Timeline):
    """What functions of a stream do, or tasks that functions submit to a stream, all in order."""

    def __init__(self, stream: Timeline, numbers: count[int]) -> None:
        super().__init__(stream.number, stream.device)
        self.count = numbers
        self.host_index = 0
        #: the call that submitted the last task, or is about to submit the next one
        self._claim: AtomicReference[Operation | None] = AtomicReference(None)
        #: the tasks behind the calls that submitted them
        self._submitted: list[tuple[Operation, Operation]] = []

    def act(self, call: str, caller: Caller, task: Operation) -> Operation:
        """Begin a function's operations, with its task."""
        return self.begin(call, caller, self.host_index, self.clock, task)

    def claim(self, submission: Operation) -> bool:
        """Have the next task be that of a call, if this comes after those of all tasks so far."""
        before = self._claim.load()
        last = before.value
        return (last is None or precedes(last, submission)) and self._claim.compare_and_set(
            before, submission
        )

    def submit(self, submission: Operation) -> Operation:
        """Begin the task of a call that claimed to be the next, after what was joined."""
        call, caller = submission.call, submission.caller
        task = self.begin(call, caller, self.host_index, self.clock)
        self._submitted.append((submission, task))
        return task

    def submitted(self, clock: Clock, host_index: int) -> Operation | None:
        """Return the last task whose call comes before what comes after a clock."""
        for submission, task in reversed(list(self._submitted)):
            if is_reached(submission, clock, host_index):
                return task
        return None

    def forget(self, known: Sequence[tuple[Clock, int]]) -> None:
        """Drop tasks that nothing needs to look for, given what all know that may submit."""
        submitted = list(self._submitted)
        for earlier, (submission, _) in pairwise(submitted):
            if not all(is_reached(submission, *each) for each in known):
                break
            with suppress(ValueError):
                self._submitted.remove(earlier)

    @property
    def is_long(self) -> bool:
        """Whether it is time to forget tasks."""
        return len(self._submitted) % MARKS == MARKS - 1


class Submission(NamedTuple):
    """A task that was submitted, and has no place in the order of its stream yet."""

    #: its stream, or what functions submit to that
    timeline: Timeline
    #: begins it, as the next operation there
    place: Callable[[], Operation]


#: stream -> how many of its tasks come before something; never changed, but replaced
Clock = Mapping[Timeline, int]

NOTHING: Final[Clock] = {}


def joined(one: Clock, other: Clock, host_index: int) -> Clock:
    """Return the clock after two others, and after the host's first operations.

    Streams that the host ended before that need no entry.
    """
    later = {
        k: n for k, n in other.items() if n > one.get(k, 0) and not 0 < k.retired <= host_index
    }
    if not later:
        return one
    return {**{k: n for k, n in one.items() if not 0 < k.retired <= host_index}, **later}


class Operation:
    """A task, or an access of the host, with its place in the order and in the program.

    If it is an access of a host ``function``, it is seen when that runs, maybe after later tasks.
    """

    __slots__ = ("_code", "_place", "call", "clock", "function", "host_index", "index", "timeline")

    def __init__(
        self,
        timeline: Timeline,
        index: int,
        clock: Clock,
        host_index: int,
        call: str,
        caller: Caller,
        function: Operation | None = None,
    ) -> None:
        self.timeline = timeline
        #: its number on its timeline; 0 if it will never run
        self.index = index
        #: what comes before it on other timelines
        self.clock = clock
        #: how many operations of the host come before it
        self.host_index = host_index
        # without the tuple, which takes memory
        code, place = caller
        self._code, self._place = code, place
        #: what it is called; in C, as the function that the program called
        self.call = code.function if type(code) is MachineCall else call
        #: the task of the host function that does it, while its stream waits
        self.function = function

    def cancel(self) -> None:
        """Note that it is not queued: whatever it accesses, it comes before everything."""
        self.index = 0

    @property
    def task(self) -> Operation:
        """The task that it is, or that it is a part of."""
        return self if self.function is None else self.function

    def reach(self, timeline: Timeline) -> int:
        """Return how many operations of a timeline come before it, or are it."""
        return self.index if self.timeline is timeline else self.clock.get(timeline, 0)

    @property
    def beginning(self) -> Clock:
        """What comes before anything that comes after its beginning."""
        return {**self.clock, self.timeline: self.index - 1}

    @property
    def knowledge(self) -> Clock:
        """What comes before anything that comes after this."""
        if self.timeline.number == HOST:
            return self.clock
        return {**self.clock, self.timeline: self.index}

    @property
    def caller(self) -> Caller:
        return self._code, self._place

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
        return places_of(self.caller)


def is_reached(operation: Operation, clock: Clock, host_index: int = maxsize) -> bool:
    """Tell whether an operation precedes whatever follows a clock and a point of the host."""
    timeline = operation.timeline
    if timeline.number == HOST:
        reached = operation.index <= host_index
    else:
        known = clock.get(timeline, 0)
        reached = operation.index <= known or 0 < timeline.retired <= host_index
        if reached and timeline.abandoned and not timeline.retired:
            # a record that was dropped with it orders nothing
            reached = not any(operation.index in x and known < x.stop for x in timeline.abandoned)
    return reached or (
        operation.function is not None and is_reached(operation.task, clock, host_index)
    )


def precedes(first: Operation, second: Operation) -> bool:
    """Tell whether an operation comes before another one, or is the same."""
    if first.timeline is second.timeline:
        return first.index <= second.index
    if is_reached(first, second.clock, second.host_index):
        return True
    # on the stream of a function, what comes after it comes after all that it does
    return (
        first.function is not None
        and first.task.timeline is second.timeline
        and (first.task.index <= second.index)
    )


def are_ordered(first: Operation, second: Operation) -> bool:
    """Tell whether one of two operations comes before the other."""
    # what a host function does may be seen after tasks that come after it were submitted
    return first.timeline is second.timeline or precedes(first, second) or precedes(second, first)
