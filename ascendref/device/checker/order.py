"""The order of the operations of a device, as its calls establish it."""

from contextvars import ContextVar
from functools import partial
from itertools import count
from typing import Final

from .callers import Caller, find_caller
from .host_functions import HostFunctions
from .ordering import (
    HOST,
    MARKS,
    Clock,
    FunctionTimeline,
    Operation,
    Submission,
    Timeline,
)

#: the task whose function the calling thread runs, if it runs one; which callback, if it runs one
_running: Final[ContextVar[Operation | None]] = ContextVar(
    "ascendref.device.operation", default=None
)
_callback: Final[ContextVar[Operation | None]] = ContextVar(
    "ascendref.device.callback", default=None
)


class Order:
    """The host's knowledge, and who submits each task."""

    def __init__(self) -> None:
        self.host = Timeline(HOST)
        #: what the process has waited for, which the program need not know
        self.process = Timeline(HOST)
        self.functions = HostFunctions(self.host)
        #: what the functions of a stream do
        self._bodies: dict[Timeline, FunctionTimeline] = {}
        #: what functions submit to a stream: rows of tasks, of which each row is in order
        self._rows: dict[Timeline, list[FunctionTimeline]] = {}
        #: streams, and what functions submitted to them, that take no more work, until the host
        #: knows that all of it is done
        self._ended: dict[Timeline, None] = {}

    # ---- operations

    def begin(self, timeline: Timeline, call: str, caller: Caller | None = None) -> Operation:
        """Begin a task of a stream, from the present place in the program if no other is given."""
        running, caller = _running.get(), caller or find_caller(call)
        if running is not None:
            submission = self._body(running).act(call, caller, running)
            return self._row(timeline, submission).submit(submission)
        host = self.host
        if self.functions.pending:
            # what they submit comes after what was submitted to its stream before them
            timeline.mark(host.step(), self.functions.last_index)
            if len(timeline.marks) % MARKS == MARKS - 1:
                timeline.forget_marks(self.functions.oldest_index)
        if self._rows:
            self._follow_rows(timeline, timeline, host.clock, host.length)
        return timeline.begin(call, caller, host.length, host.clock)

    def begin_on_host(self, call: str) -> Operation:
        """Begin an access of the host, or of the function that the calling thread runs."""
        running, caller = _running.get(), find_caller(call)
        if running is not None:
            return self._body(running).act(call, caller, running)
        host, callback = self.host, _callback.get()
        return host.begin(call, caller, host.length + 1, host.clock, callback)

    def submit(self, timeline: Timeline, call: str, caller: Caller | None = None) -> Submission:
        """Note a task of a stream that gets its place in the order later."""
        running, caller, host = _running.get(), caller or find_caller(call), self.host
        if running is None:
            place = partial(timeline.begin, call, caller, host.length, host.clock)
            return Submission(timeline, place)
        submission = self._body(running).act(call, caller, running)
        row = self._row(timeline, submission)
        return Submission(row, partial(row.submit, submission))

    def begin_wait(self, timeline: Timeline) -> Operation:
        """Begin a wait without a record; unlike a task, it tells its stream nothing of the host."""
        if timeline is self.host:
            return self.begin_on_host("synchronize")
        call = "wait_event"
        if _running.get() is not None:
            return self.begin(timeline, call)
        return timeline.begin(call, find_caller(call), self.host.length, timeline.clock)

    def join(self, timeline: Timeline, record: Operation) -> None:
        """Order later submissions to a stream after a record that is not dropped."""
        if record.abandoned:
            return
        running = _running.get()
        if running is None or timeline is self.host:
            timeline.join(record.knowledge, record.host_index)
            return
        call = "wait_event"
        submission = self._body(running).act(call, find_caller(call), running)
        row = self._row(timeline, submission)
        row.join(record.knowledge, record.host_index)
        row.submit(submission)

    def _body(self, function: Operation) -> FunctionTimeline:
        """Return what functions of a stream do, at the latest of them."""
        body = self._bodies.get(function.timeline)
        if body is None:
            body = FunctionTimeline(function.timeline, count(1))
            body = self._bodies.setdefault(function.timeline, body)
        body.join(function.beginning, function.host_index)
        return body

    def _row(self, stream: Timeline, submission: Operation) -> FunctionTimeline:
        """Return where a task that a function submits is next, after what comes before it."""
        function, host_index = submission.task, submission.host_index
        rows = self._rows.get(stream)
        if rows is None:
            rows = self._rows.setdefault(stream, [])
        row = next((row for row in list(rows) if row.claim(submission)), None)
        if row is None:
            row = FunctionTimeline(stream, stream.count)
            row.claim(submission)
            rows.append(row)
        elif row.is_long:
            known = [(x.clock, x.host_index) for x in self.functions.first()]
            row.forget([*known, (self.host.clock, self.host.length)])
        row.join(submission.knowledge, host_index)
        before = stream.last_before(function.host_index)
        if before is not None:
            row.join(before.knowledge, before.host_index)
        if stream.number == function.timeline.number:  # its own stream goes on when it has ended
            row.join(function.knowledge, function.host_index)
        self._follow_rows(row, stream, submission.clock, host_index)
        return row

    def _follow_rows(
        self, timeline: Timeline, stream: Timeline, clock: Clock, host_index: int
    ) -> None:
        """Order submissions to a stream after the tasks that functions are known to follow."""
        for row in list(self._rows.get(stream, ())):
            if row is not timeline:
                task = row.submitted(clock, host_index)
                if task is not None:
                    timeline.join(task.knowledge, task.host_index)

    # ---- host functions

    def run_on(self, operation: Operation | None) -> None:
        """Note that the calling thread runs the function of an operation from now on."""
        _running.set(operation)

    def run_callback(self, operation: Operation, *, blocks: bool) -> None:
        """Note that a thread of the program runs a callback from now on."""
        self.wait(operation.beginning if blocks else operation.knowledge)
        _running.set(None)
        # what comes after one that blocks its stream comes after what it does
        _callback.set(operation if blocks else None)

    @property
    def running(self) -> Operation | None:
        """The task whose function, or callback, the calling thread runs."""
        return _running.get() or _callback.get()

    # ---- what the host knows

    def knowledge(self, timeline: Timeline) -> Clock:
        """Return the clock of the host after it has waited for a stream."""
        if self._rows:
            self._follow_rows(timeline, timeline, self.host.clock, self.host.length)
        return timeline.knowledge

    def knowledge_of_ended(self) -> list[Clock]:
        """Return what else it knows when it has waited for the device: that of ended streams."""
        return [timeline.knowledge for timeline in list(self._ended)]

    def wait(self, reached: Clock) -> None:
        """Note that the host has waited for the tasks of a clock."""
        self.host.join(reached, 0)
        self.process.join(reached, 0)
        self.functions.reach()
        if self._ended:
            self._retire()

    def end_stream(self, timeline: Timeline, *, waited: bool) -> None:
        """Note that a stream takes no more work, and whether the host has waited for it."""
        if not timeline.retired:
            for ended in (timeline, *self._rows.get(timeline, ())):
                self._ended[ended] = None
        if waited:  # and so was what its work waited for
            self.wait(self.knowledge(timeline))

    def _retire(self) -> None:
        """Order the host's later operations after streams that ended and are done."""
        clock, index = self.host.clock, 0
        for timeline in list(self._ended):
            if timeline.length <= clock.get(timeline, 0):
                index = index or self.host.step()
                timeline.retire(index)
                self._ended.pop(timeline, None)
                self.functions.forget(timeline)
                self._rows.pop(timeline, None)
                body = self._bodies.pop(timeline, None)
                if body is not None:
                    body.retire(index)

    def abandon(self, timeline: Timeline) -> None:
        """Note that the work of a stream is dropped unless it has begun."""
        running = _running.get()
        known = self.host.clock if running is None else self._body(running).clock
        for each in (timeline, *self._rows.get(timeline, ())):
            each.abandon(known.get(each, 0))
