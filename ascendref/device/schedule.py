"""Which ready task runs next, and on which thread."""

from __future__ import annotations

import random
import threading
from collections import deque
from collections.abc import Collection, Sequence
from contextlib import suppress
from time import monotonic, perf_counter_ns, sleep
from typing import TYPE_CHECKING, Final

from ..core.errors import AclError, fail, fail_argument, shown
from ..core.status import Status
from .deadline import remaining
from .engine import engine
from .inside import marked, refuse_inside
from .task import Failure, Kind, State, Task

if TYPE_CHECKING:
    from .callbacks import Call
    from .stream import Stream

#: the ways in which queued work can run
EXECUTIONS: Final = ("eager", "lazy", "random")

#: seconds that a question waits for a function of the host that it set going
POLL_PATIENCE: Final = 0.001


class Scheduler:
    """The queues of one device.

    Subclasses say when the engine gets what is queued. Functions of tasks run on threads of the
    engine: a wait can end early then, be it by a timeout or by an interrupt, and leaves nothing
    half done. How the state stays whole without a lock is told in `atomic`.
    """

    def __init__(self, history: int) -> None:
        #: the living streams by number
        self.streams: dict[int, Stream] = {}
        #: why nothing is accepted any more; None while all is well
        self.refusal: Failure | None = None
        #: whether the first failure of a task is to be such a reason
        self.stop_on_failure = False
        #: the tasks that finished last; an interrupt may have entered one twice
        self.history: deque[Task] = deque(maxlen=history)

    def submit(self, task: Task) -> None:
        """Queue a task on its stream."""
        self.check()
        engine.start()
        stream = task.stream
        if stream.number in self.streams and not stream.ending:
            stream.queue.append(task)
            self._queued(stream)
        else:
            stream.check()

    def check(self) -> None:
        """Raise what makes the device refuse everything, if anything does."""
        if self.refusal is not None:
            self.refusal.report()

    def add(self, stream: Stream, limit: int) -> None:
        """Take a stream in; 207008 if there are too many."""
        streams = self.streams
        streams[stream.number] = stream
        # the default stream does not count, nor do those that came later
        if len(streams) > limit + 1 and list(streams).index(stream.number) > limit:
            streams.pop(stream.number)
            fail(
                Status.ACL_ERROR_RT_NO_STREAM_RESOURCE,
                f"{limit} streams exist, all that {stream.device.product.name} has; destroy some",
            )

    def remove(self, stream: Stream, *, busy: bool = False) -> Task | None:
        """Let a stream go; unless it may be busy, return the task to wait for first if it is."""
        while not busy and stream.first() is not None:
            last = stream.last
            if last is not None:
                return last
        self.streams.pop(stream.number, None)
        return None

    def let_go(self, stream: Stream) -> None:
        """Let a stream go that ends, if nothing of it is left to be done or reported."""
        if stream.ending and stream.failure is None and stream.first() is None:
            self.streams.pop(stream.number, None)

    def wait(self, tasks: Sequence[Task], deadline: float | None) -> bool:
        """Wait until tasks are done; False when the deadline passed first."""
        needs = self._needs(tasks)
        for task in tasks:
            while task.state is not State.DONE:
                # the task itself may end without the one that it needs: by being dropped
                if not self.sleep({task, self.advance(task, needs)}, deadline):
                    return False
        return True

    def advance(self, task: Task, needs: Collection[Task] = ()) -> Task:
        """Bring a task one step nearer and return the one that the engine is at.

        The caller is going to wait for all that it ``needs``.
        """
        needed = self._needed(task)
        if needed.state is State.QUEUED:
            needed = self._ask(needed, needs)
        elif needed.state is State.RUNNING and needed.call is not None:
            needed.call.recover()
        return needed

    def poll(self, task: Task) -> None:
        """Bring a task nearer because somebody asked whether it is done."""
        raise NotImplementedError

    def take(self, stream: Stream) -> Task | None:
        """Mark the first task of a stream as running, if it may; for the engine alone."""
        while (task := stream.first()) is not None and task.state is State.QUEUED:
            if (status := self._fate(task)) is None:
                if not self._wanted(task):
                    return None
                if task.after is not None and task.after.tell(stream.look):
                    return None
                task.state = State.RUNNING
                if (status := self._fate(task)) is None:
                    return task
            self.settle(task, status)
        return None

    def targets(self) -> list[Task]:
        """Return the last task of every busy stream, the latest first."""
        last = [stream.last for stream in list(self.streams.values())]
        # latest first: where a wait is missing, work then runs before what it relies on
        return sorted((task for task in last if task is not None), key=lambda task: -task.submitted)

    def sleep(self, tasks: Collection[Task], deadline: float | None) -> bool:
        """Block until any of several tasks is done; False when the deadline passed first."""
        refuse_inside()
        # a lock, not a condition: one system call that a signal interrupts
        done = threading.Lock()
        done.acquire()

        def wake() -> None:
            with suppress(RuntimeError):  # another task was done before
                done.release()

        try:
            if not all([task.tell(wake) for task in tasks]):
                return True
            deadline = engine.help_out(tasks, deadline)
            return done.acquire(timeout=remaining(deadline))
        finally:
            for task in tasks:
                with suppress(ValueError):
                    task.waiters.remove(wake)

    def run(self, task: Task) -> None:
        """Run a task that was marked as running, and note how it ended; for the engine alone."""
        failure = None
        task.started = perf_counter_ns()
        try:
            if task.function is not None:
                task.function()
        except BaseException as error:  # the engine goes on whatever a task raises
            failure = task.failure(error)
        if failure is not None or task.kind is not Kind.CALLBACK:
            self.finish(task, failure)

    def call_back(self, call: Call) -> None:
        """Run what a task handed to the calling thread, once, and end the task."""
        try:
            call.run(marked())
        except Exception as error:
            call.failure = call.task.failure(error)
        finally:  # an interrupt is the caller's: it may have struck before the function began
            if call.begun:
                call.end()

    def finish(self, task: Task, failure: Failure | None) -> None:
        """Take a task that ran off its queue."""
        if failure is not None:
            self.note(task.stream, failure)
        if task.state is not State.DONE:
            self.history.append(task)
        self.settle(task, Status.ACL_SUCCESS if failure is None else failure.status)

    def note(self, stream: Stream, failure: Failure) -> None:
        """Keep a failure for the next call that synchronizes with the stream."""
        if stream.failure is None:
            stream.failure = failure
        if self.stop_on_failure:
            if self.refusal is None:
                self.refusal = failure
            for other in list(self.streams.values()):
                self._end_queued(other)

    def drop(self, stream: Stream) -> None:
        """End what is queued on a stream without running it."""
        stream.doomed = frozenset(list(stream.queue))
        self._end_queued(stream)
        stream.doomed = frozenset()

    def report(self, stream: Stream) -> None:
        """Raise the failure that a stream keeps, once, or the one that stopped the device."""
        failure = None
        try:
            failure, stream.failure = stream.failure, None
            self.let_go(stream)
            self.check()
            if failure is not None:
                failure.report()
        except AclError:
            raise
        except BaseException:  # an interrupt, before anybody heard of the failure
            if failure is not None:
                stream.failure = failure
            raise

    def forsake(self, refusal: Failure) -> None:
        """Become unusable in a forked child: no thread runs there what was queued."""
        self.refusal = refusal
        for stream in list(self.streams.values()):
            stream.queue.clear()
            stream.failure = None

    def settle(self, task: Task, status: Status) -> None:
        """End a task, or what is left to do about one that ended."""
        if task.state is not State.DONE:
            task.ended = perf_counter_ns()
            task.status = status
            task.function = None  # it may hold on to memory
            task.state = State.DONE
        stream = task.stream
        stream.retire(task)
        for wake in list(task.waiters):
            wake()
        task.waiters.clear()
        if stream.queue:
            self._queued(stream)
        self.let_go(stream)

    def _fate(self, task: Task) -> Status | None:
        """Return what a queued task ends with instead of running; None if it runs."""
        if self.refusal is not None:
            return self.refusal.status
        stream = task.stream
        if stream.number in self.streams and task not in stream.doomed:
            return None
        return Status.ACL_ERROR_RT_STREAM_ABORT

    def _end_queued(self, stream: Stream) -> None:
        """End those tasks of a stream that do not run any more."""
        for task in list(stream.queue):
            if task.state is State.QUEUED and (status := self._fate(task)) is not None:
                self.settle(task, status)

    def _needed(self, task: Task) -> Task:
        """Return a task without which another cannot be done, itself not blocked."""
        last = task
        while (first := last.stream.first()) is not None:
            if first.after is None or first.after.state is State.DONE:
                return first
            last = first.after
        return task

    def _ask(self, needed: Task, needs: Collection[Task]) -> Task:
        """Let the engine run a task that is ready, or another one first; return which."""
        engine.look_at(needed.stream)
        return needed

    def _wanted(self, task: Task) -> bool:
        """Tell whether the engine is to run the first task of a stream."""
        return True

    def _needs(self, tasks: Sequence[Task]) -> Collection[Task]:
        """Return what must be done before tasks are, as far as it matters here."""
        return ()

    def _queued(self, stream: Stream) -> None:
        """There is work on a stream, which may be ready."""


class EagerScheduler(Scheduler):
    """Work starts as soon as it may."""

    def advance(self, task: Task, needs: Collection[Task] = ()) -> Task:
        """Return the task: the engine is at it, or else it is now."""
        super().advance(task)
        return task

    def poll(self, task: Task) -> None:
        """Let the engine's threads have the interpreter, for questions come in loops."""
        self.advance(task)
        engine.help_out((task,), None)
        sleep(0)

    def _queued(self, stream: Stream) -> None:
        engine.look_at(stream)


class LazyScheduler(Scheduler):
    """Nothing runs until a wait needs it; then only that."""

    def advance(self, task: Task, needs: Collection[Task] = ()) -> Task:
        """Let one task run for the sake of another, unless that takes one which runs already."""
        refuse_inside()
        return super().advance(task, needs)

    def poll(self, task: Task) -> None:
        """Let one task run, so that asking often enough ends."""
        running = self.advance(task)
        # wait for its end, or the number of questions would tell in the order of the tasks
        self.sleep((running,), monotonic() + POLL_PATIENCE if running.open_ended else None)

    def _ask(self, needed: Task, needs: Collection[Task]) -> Task:
        """Let one task run for the sake of another, unless it was told to already."""
        if not needed.asked:
            needed = self._choose(needed, needs)
            needed.asked = True
        engine.look_at(needed.stream)  # again, if an interrupt struck before
        return needed

    def _choose(self, needed: Task, needs: Collection[Task]) -> Task:
        """Return the task to run next."""
        return needed

    def _wanted(self, task: Task) -> bool:
        return task.asked


class RandomScheduler(LazyScheduler):
    """Any ready task may be next; the seed says which."""

    def __init__(self, history: int, seed: int) -> None:
        super().__init__(history)
        self._random = random.Random(seed)

    def _needs(self, tasks: Sequence[Task]) -> Collection[Task]:
        needs: set[Task] = set()
        pending = list(tasks)
        while pending:
            end = pending.pop()  # the latest of a stream's first, which includes the others
            if end.state is State.DONE or end in needs:
                continue
            for task in list(end.stream.queue):
                if task not in needs:
                    needs.add(task)
                    if task.after is not None:
                        pending.append(task.after)
                if task is end:
                    break
        return needs

    def _choose(self, needed: Task, needs: Collection[Task]) -> Task:
        ready = [needed]
        for stream in list(self.streams.values()):
            first = stream.first()
            if (
                first is not None
                and first is not needed
                and first.state is State.QUEUED
                and not first.asked
                and (first.after is None or first.after.state is State.DONE)
                # it may wait for what comes after this wait: only when the wait is for it, too
                and (not first.open_ended or first in needs)
            ):
                ready.append(first)
        return self._random.choice(ready)


def make_scheduler(execution: object, history: int, seed: int) -> Scheduler:
    """Return what runs a device's work in the way of that name."""
    if isinstance(execution, str):
        if execution == "eager":
            return EagerScheduler(history)
        if execution == "lazy":
            return LazyScheduler(history)
        if execution == "random":
            return RandomScheduler(history, seed)
    fail_argument(
        Status.ACL_ERROR_INVALID_PARAM,
        "execution",
        f"is {shown(execution)}; allowed are {', '.join(map(repr, EXECUTIONS))}",
    )
