"""Which ready task runs next, and on which thread."""

from __future__ import annotations

import random
import threading
from collections import deque
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from time import monotonic, perf_counter_ns, sleep
from typing import TYPE_CHECKING, Final

from ..errors import fail, fail_argument
from ..status import Status
from .deadline import remaining
from .engine import engine
from .task import Failure, Kind, State, Task

if TYPE_CHECKING:
    from .stream import Stream

#: the ways in which queued work can run
EXECUTIONS: Final = ("eager", "lazy", "random")

#: seconds that a question waits for a function of the host that it set going
POLL_PATIENCE: Final = 0.001

#: what wakes those who wait for tasks that are done
Wakers = list[Callable[[], object]]


class _Thread(threading.local):
    """Whether the calling thread is inside a task."""

    inside = False


_thread = _Thread()


def refuse_inside() -> None:
    """Raise AclError if a task that the calling thread runs is about to wait."""
    if _thread.inside:
        fail(
            Status.ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            "a task waits for the device that runs it; host functions and callbacks must not"
            " synchronize",
        )


class Scheduler:
    """The queues of one device.

    Subclasses say when the engine gets what is queued. All state is guarded by `lock`; functions of
    tasks run outside it, on threads of the engine: a wait can end early then, be it by a timeout or
    by an interrupt, and leaves nothing half done.
    """

    def __init__(self, history: int) -> None:
        self.lock = threading.Lock()
        self.streams: dict[int, Stream] = {}
        #: why nothing is accepted any more; None while all is well
        self.refusal: Failure | None = None
        #: whether the first failure of a task is to be such a reason
        self.stop_on_failure = False
        #: the tasks that finished last
        self.history: deque[Task] = deque(maxlen=history)

    def submit(self, task: Task) -> None:
        """Queue a task on its stream."""
        with self.lock:
            refusal = self.refusal
            if refusal is None:
                task.stream.check()
                # announced before it is there, so that an interrupt in between loses no wake-up
                self._queued(task.stream)
                task.stream.queue.append(task)
                return
        refusal.report()

    def check(self) -> None:
        """Raise what makes the device refuse everything, if anything does."""
        if self.refusal is not None:
            self.refusal.report()

    def add(self, stream: Stream, limit: int) -> None:
        """Take a stream in; 207008 if there are too many."""
        with self.lock:
            if len(self.streams) > limit:  # the default stream does not count
                fail(
                    Status.ACL_ERROR_RT_NO_STREAM_RESOURCE,
                    f"{limit} streams exist, all that {stream.device.product.name} has; destroy"
                    " some",
                )
            self.streams[stream.number] = stream

    def remove(self, stream: Stream, *, busy: bool = False) -> Task | None:
        """Let a stream go; unless it may be busy, return the task to wait for first if it is."""
        with self.lock:
            if stream.queue and not busy:
                return stream.queue[-1]
            stream.alive = False
            self.streams.pop(stream.number, None)
        return None

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
        raise NotImplementedError

    def poll(self, task: Task) -> None:
        """Bring a task nearer because somebody asked whether it is done."""
        sleep(0)  # lets the engine's threads have the interpreter, for questions come in loops

    def take(self, stream: Stream) -> Task | None:
        """Mark the first task of a stream as running, if it may."""
        raise NotImplementedError

    def targets(self) -> list[Task]:
        """Return the last task of every busy stream, the latest first."""
        with self.lock:
            last = [stream.queue[-1] for stream in self.streams.values() if stream.queue]
        # latest first: where a wait is missing, work then runs before what it relies on
        return sorted(last, key=lambda task: -task.submitted)

    def sleep(self, tasks: Collection[Task], deadline: float | None) -> bool:
        """Block until any of several tasks is done; False when the deadline passed first."""
        refuse_inside()
        # a lock, not a condition: one system call that a signal interrupts
        done = threading.Lock()
        done.acquire()

        def wake() -> None:
            with suppress(RuntimeError):  # another task was done before
                done.release()

        with self.lock:
            if any(task.state is State.DONE for task in tasks):
                return True
            for task in tasks:
                if task.waiters is None:
                    task.waiters = []
                task.waiters.append(wake)
        try:
            return done.acquire(timeout=remaining(deadline))
        finally:
            with self.lock:
                for task in tasks:
                    if task.waiters is not None:
                        task.waiters.remove(wake)

    def run(self, task: Task) -> None:
        """Run a task that was marked as running, and note how it ended."""
        failure = None
        task.started = perf_counter_ns()
        _thread.inside = True
        try:
            if task.function is not None:
                task.function()
        except BaseException as error:  # the engine goes on whatever a task raises
            failure = task.failure(error)
        _thread.inside = False
        if failure is not None or task.kind is not Kind.CALLBACK:
            self.finish(task, failure)

    def call_back(self, task: Task, function: Callable[[], object]) -> None:
        """Run what a task handed to the calling thread, and end the task if it is still there."""
        failure = None
        _thread.inside = True
        try:
            function()
        except BaseException as error:
            failure = task.failure(error)
            if not isinstance(error, Exception):
                raise
        finally:
            _thread.inside = False
            if task.kind is Kind.CALLBACK:
                self.finish(task, failure)
            elif failure is not None:
                self.note(task.stream, failure)

    def finish(self, task: Task, failure: Failure | None) -> None:
        """Take a task that ran off its queue."""
        with self.lock:
            stream = task.stream
            waiters = self._settle(task, Status.ACL_SUCCESS if failure is None else failure.status)
            self.history.append(task)
            if stream.queue and stream.queue[0] is task:
                stream.queue.popleft()
            if failure is not None:
                waiters += self._note(stream, failure)
            self._proceed(stream)
        for wake in waiters:
            wake()

    def note(self, stream: Stream, failure: Failure) -> None:
        """Keep a failure for the next call that synchronizes with the stream."""
        with self.lock:
            waiters = self._note(stream, failure)
        for wake in waiters:
            wake()

    def drop(self, stream: Stream, status: Status) -> None:
        """End what is queued on a stream without running it."""
        with self.lock:
            waiters = self._drop(stream, status)
        for wake in waiters:
            wake()

    def report(self, stream: Stream) -> None:
        """Raise the failure that a stream keeps, once, or the one that stopped the device."""
        with self.lock:
            failure = self.refusal or stream.failure
            stream.failure = None
        if failure is not None:
            failure.report()

    def forsake(self, refusal: Failure) -> None:
        """Become unusable in a forked child: locks may be held by threads that do not exist."""
        self.lock = threading.Lock()
        self.refusal = refusal
        for stream in self.streams.values():
            stream.queue.clear()
            stream.failure = None

    def _settle(self, task: Task, status: Status) -> Wakers:
        task.ended = perf_counter_ns()
        task.status = status
        task.state = State.DONE
        task.function = None  # it may hold on to memory
        waiters = task.waiters or []
        task.waiters = None
        return waiters

    def _note(self, stream: Stream, failure: Failure) -> Wakers:
        if stream.failure is None:
            stream.failure = failure
        waiters: Wakers = []
        if self.stop_on_failure and self.refusal is None:
            self.refusal = failure
            for other in self.streams.values():
                waiters += self._drop(other, failure.status)
        return waiters

    def _drop(self, stream: Stream, status: Status) -> Wakers:
        waiters: Wakers = []
        running = [task for task in stream.queue if task.state is State.RUNNING]
        for task in stream.queue:
            if task.state is State.QUEUED:
                waiters += self._settle(task, status)
        stream.queue.clear()
        stream.queue.extend(running)
        self._proceed(stream)
        return waiters

    def _announce(self, stream: Stream) -> None:
        """Let the engine look at a stream, unless it is about to."""
        if not stream.announced:
            engine.ready.put((self, stream))
            engine.start()
            stream.announced = True

    def _needs(self, tasks: Sequence[Task]) -> Collection[Task]:
        """Return what must be done before tasks are, as far as it matters here."""
        return ()

    def _queued(self, stream: Stream) -> None:
        """A task is about to be queued on a stream."""

    def _proceed(self, stream: Stream) -> None:
        """The first task of a stream is done, or what was queued was dropped."""


class EagerScheduler(Scheduler):
    """Work starts as soon as it may."""

    def advance(self, task: Task, needs: Collection[Task] = ()) -> Task:
        """Return the task: the engine is at it."""
        return task

    def take(self, stream: Stream) -> Task | None:
        """Mark the first task of a stream as running, if it may."""
        with self.lock:
            queue = stream.queue
            if not queue:
                stream.announced = False
                return None
            task = queue[0]
            if task.state is State.RUNNING:
                return None  # the stream is announced again when it is done
            after = task.after
            if after is not None and after.state is not State.DONE:
                if after.waiters is None:
                    after.waiters = []
                after.waiters.append(lambda: engine.ready.put((self, stream)))
                return None
            task.state = State.RUNNING
            return task

    def _queued(self, stream: Stream) -> None:
        self._announce(stream)

    def _proceed(self, stream: Stream) -> None:
        if stream.queue:
            engine.ready.put((self, stream))  # behind the others: streams take turns
        else:
            stream.announced = False


class LazyScheduler(Scheduler):
    """Nothing runs until a wait needs it; then only that."""

    def advance(self, task: Task, needs: Collection[Task] = ()) -> Task:
        """Let one task run for the sake of another, unless that takes one which runs already."""
        refuse_inside()
        with self.lock:
            if task.state is State.DONE:
                return task
            needed = self._needed(task)
            if needed.state is State.QUEUED and not needed.stream.announced:
                needed = self._choose(needed, needs)
                self._announce(needed.stream)
            return needed

    def poll(self, task: Task) -> None:
        """Let one task run, so that asking often enough ends."""
        running = self.advance(task)
        # wait for its end, or the number of questions would tell in the order of the tasks
        self.sleep((running,), monotonic() + POLL_PATIENCE if running.open_ended else None)

    def take(self, stream: Stream) -> Task | None:
        """Mark the first task of a stream as running, if it was asked for."""
        with self.lock:
            if not stream.announced:
                return None  # an interrupt struck while it was asked for, or it was dropped
            stream.announced = False
            task: Task = stream.queue[0]
            task.state = State.RUNNING
            return task

    def _needed(self, task: Task) -> Task:
        """Return a task without which another cannot be done, itself not blocked."""
        first: Task = task.stream.queue[0]
        while first.after is not None and first.after.state is not State.DONE:
            first = first.after.stream.queue[0]
        return first

    def _choose(self, needed: Task, needs: Collection[Task]) -> Task:
        """Return the task to run next."""
        return needed

    def _proceed(self, stream: Stream) -> None:
        stream.announced = False


class RandomScheduler(LazyScheduler):
    """Any ready task may be next; the seed says which."""

    def __init__(self, history: int, seed: int) -> None:
        super().__init__(history)
        self._random = random.Random(seed)

    def _needs(self, tasks: Sequence[Task]) -> Collection[Task]:
        needs: set[Task] = set()
        pending = list(tasks)
        with self.lock:
            while pending:
                end = pending.pop()  # the latest of a stream's first, which includes the others
                if end.state is State.DONE or end in needs:
                    continue
                for task in end.stream.queue:
                    if task not in needs:
                        needs.add(task)
                        if task.after is not None:
                            pending.append(task.after)
                    if task is end:
                        break
        return needs

    def _choose(self, needed: Task, needs: Collection[Task]) -> Task:
        ready = []
        for stream in self.streams.values():
            if stream.queue and not stream.announced:
                first = stream.queue[0]
                if (
                    first.state is State.QUEUED
                    and (first.after is None or first.after.state is State.DONE)
                    # it may wait for what comes after this wait: only when the wait is for it, too
                    and (not first.open_ended or first is needed or first in needs)
                ):
                    ready.append(first)
        return self._random.choice(ready)


def make_scheduler(execution: str, history: int, seed: int) -> Scheduler:
    """Return what runs a device's work in the way of that name."""
    if execution == "eager":
        return EagerScheduler(history)
    if execution == "lazy":
        return LazyScheduler(history)
    if execution == "random":
        return RandomScheduler(history, seed)
    fail_argument(
        Status.ACL_ERROR_INVALID_PARAM,
        "execution",
        f"is {execution!r}; allowed are {', '.join(map(repr, EXECUTIONS))}",
    )
