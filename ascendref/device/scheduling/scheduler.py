"""The scheduler of a device: submitting tasks, waiting for them, and how they end."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from time import monotonic, perf_counter_ns
from typing import ClassVar

from ...core.errors import AclError, fail
from ...core.products import Product
from ...core.status import Status
from ..checker.checker import Checker
from ..timeouts import remaining
from .deadlock import begin_wait, end_wait
from .task import BaseStream, Failure, Kind, Promise, State, Task
from .task_context import in_task, refuse_in_task
from .worker_threads import workers

#: seconds after which a record that another thread may submit counts as forgotten, for the checker
PATIENCE = 30.0


class Scheduler(ABC):
    """The streams of one device and the states of their tasks.

    Subclasses, one for each execution mode, decide when the worker threads get a task that is
    ready. The functions of tasks always run on worker threads (callbacks apart), so a wait can end
    early, by a timeout or an interrupt, and leave nothing half done. How the state stays consistent
    without locks is explained in `lock_free`.
    """

    #: whether tasks run without anybody waiting for them
    eager: ClassVar = False

    def __init__(self, history: int) -> None:
        #: the streams that were not destroyed, by number
        self.streams: dict[int, BaseStream] = {}
        #: those that were destroyed by force while a task ran, until it ends
        self._leaving: dict[int, BaseStream] = {}
        #: what every call reports, because the device cannot be used any more
        self.sticky_error: Failure | None = None
        #: what every call reports first, in a child of the process that made the device
        self.lost: Failure | None = None
        #: whether the first failure of a task becomes the sticky error
        self.stop_on_failure = False
        #: the tasks that ended last; after an interrupt, one may be there twice
        self.history: deque[Task] = deque(maxlen=history)
        #: None where nothing is checked
        self.checker: Checker | None = None

    # ---- streams

    def add_stream(self, stream: BaseStream, product: Product) -> None:
        """Add a stream; 207008 if the product has no more."""
        streams, limit = self.streams, product.stream_limit
        streams[stream.number] = stream
        # the default stream does not count, nor do streams that were added later
        if len(streams) > limit + 1 and list(streams).index(stream.number) > limit:
            streams.pop(stream.number)
            fail(
                Status.ACL_ERROR_RT_NO_STREAM_RESOURCE,
                f"{limit} streams exist, all that {product.name} has; destroy some",
            )

    def remove_stream(self, stream: BaseStream, *, busy: bool = False) -> Task | None:
        """Remove a stream, or return the task to wait for before that unless it may be busy."""
        while not busy and stream.first() is not None:
            last = stream.last
            if last is not None:
                return last
        if stream.first() is not None:
            self._leaving[stream.number] = stream
        self.streams.pop(stream.number, None)
        return None

    def remove_if_closed(self, stream: BaseStream) -> None:
        """Remove a stream that is closing once no task and no failure of it is left."""
        if stream.closing and stream.failure is None and stream.first() is None:
            if self.checker is not None:
                self.checker.end_stream(stream.timeline, waited=False)
            self.streams.pop(stream.number, None)

    # ---- for calls of the host

    def submit(self, task: Task) -> None:
        """Queue a task on its stream."""
        self.check()
        workers.start()
        stream = task.stream
        if stream.number in self.streams and not stream.closing:
            checker = self.checker
            if checker is None:
                stream.queue.append(task)
            else:
                self._check_and_queue(checker, task)
            self._work_was_queued(stream)
        else:
            stream.check()

    def _check_and_queue(self, checker: Checker, task: Task) -> None:
        """Give a task its place in the order of the program; HazardError if it must not run.

        The place of a task that waits for a promise is open until the promise is kept.
        """
        if _is_held(task):
            task.held = checker.submit(task.stream.timeline, task.label)
            task.stream.queue.append(task)
            self._place_held(checker)  # another thread may have kept the promise meanwhile
            return
        self._place(checker, task, then=task.stream.queue.append)

    def _place(
        self, checker: Checker, task: Task, then: Callable[[Task], object] | None = None
    ) -> None:
        timeline, held = task.stream.timeline, task.held
        record = None if task.after is None else task.after.operation
        if held is None:
            if record is not None:
                checker.follow(timeline, record)
            operation = task.operation = checker.begin(timeline, task.label)
        else:
            if record is not None and not record.abandoned:
                held.timeline.join(record.knowledge, record.host_index)
            operation = task.operation = held.place()
        try:
            if task.reads or task.writes:
                late = checker.record(operation, task.reads, task.writes, uses=not task.copies)
                if late and task.function is not None:
                    task.function = _settled(checker, task, task.function)
            elif task.kind in (Kind.HOST, Kind.CALLBACK):
                checker.launch_function(operation)
            if isinstance(task, Promise):
                self._place_held(checker)  # before it runs, and they can
            if then is not None:
                then(task)
        except BaseException:
            operation.cancel()
            raise

    def _place_held(self, checker: Checker) -> None:
        """Give places to the tasks that waited for a promise which is kept now."""
        found = True
        while found:  # one may be what another stream waits for
            found = False
            for stream in list(self.streams.values()):
                for task in list(stream.queue):
                    if task.unplaced:
                        if task.after is not None and task.after.unplaced:
                            break
                        self._place(checker, task)
                        found = True

    def check(self) -> None:
        """Raise the sticky error, if there is one."""
        if self.sticky_error is not None:
            self.sticky_error.report()

    def check_process(self) -> None:
        """Raise AclError in a child of the process that made the device."""
        if self.lost is not None:
            self.lost.report()

    def wait(self, tasks: Sequence[Task], deadline: float | None) -> bool:
        """Wait until all of several tasks are done; False when the deadline passed first."""
        checker = self.checker
        if checker is None:
            return self._wait(tasks, deadline)
        try:
            if deadline is None and not in_task():  # others end, or are refused
                promise = begin_wait(checker, tasks)
                if promise is not None and not self._wait(tasks, monotonic() + PATIENCE):
                    if promise.promised:
                        checker.find_lost_wait(promise.label)
            return self._wait(tasks, deadline)
        finally:
            end_wait()

    def _wait(self, tasks: Sequence[Task], deadline: float | None) -> bool:
        prerequisites = self._prerequisites(tasks)
        for task in tasks:
            while task.state is not State.DONE:
                # an abort may end the task itself before the one that it depends on
                if not self.block({task, self.advance(task, prerequisites)}, deadline):
                    return False
        return True

    def query(self, task: Task | None) -> bool:
        """Tell the host whether a task is done, if there is one; bring it closer to its end."""
        if task is None or task.state is State.DONE:
            return True
        self._poll(task)
        return False

    def advance(self, task: Task, prerequisites: Collection[Task] = ()) -> Task:
        """Bring a task one step closer to its end; return the task whose end is the next step.

        ``prerequisites`` are all the tasks that the caller is going to wait for.
        """
        ready = self._first_unblocked(task)
        if ready.state is State.QUEUED and not ready.promised:
            ready = self._request(ready, prerequisites)
        elif ready.state is State.RUNNING and ready.recover is not None:
            ready.recover()
        return ready

    def block(self, tasks: Collection[Task], deadline: float | None) -> bool:
        """Block until any of several tasks is done; False when the deadline passed first."""
        refuse_in_task(self.checker)
        # a lock and not a condition: a single system call, which a signal interrupts
        done = threading.Lock()
        done.acquire()

        def wake() -> None:
            with suppress(RuntimeError):  # another task released it before
                done.release()

        try:
            if not all([task.add_waiter(wake) for task in tasks]):
                return True
            deadline = workers.run_if_closed(tasks, deadline)
            return done.acquire(timeout=remaining(deadline))
        finally:
            for task in tasks:
                with suppress(ValueError):
                    task.waiters.remove(wake)

    def last_tasks(self) -> list[Task]:
        """Return the last task of every busy stream, the one submitted last first."""
        last = [stream.last for stream in list(self.streams.values())]
        running = [stream.first() for stream in list(self._leaving.values())]
        last += [task for task in running if task is not None and task.state is State.RUNNING]
        # in this order, a task that lacks a wait runs before the one that it relies on
        return sorted((task for task in last if task is not None), key=lambda task: -task.submitted)

    def abort(self, stream: BaseStream) -> None:
        """End the queued tasks of a stream without running them."""
        stream.aborted = frozenset(list(stream.queue))
        self._end_cancelled(stream)
        stream.aborted = frozenset()
        self._remove_if_left(stream)

    def _remove_if_left(self, stream: BaseStream) -> None:
        """Forget a stream that was destroyed by force once no task of it runs."""
        if stream.number in self._leaving and stream.first() is None:
            self._leaving.pop(stream.number, None)

    def report(self, stream: BaseStream) -> None:
        """Raise the failure of a stream, which is reported once, or the sticky error."""
        failure = None
        try:
            failure, stream.failure = stream.failure, None
            self.remove_if_closed(stream)
            self.check()
            if failure is not None:
                failure.report()
        except AclError:
            raise
        except BaseException:  # an interrupt before the failure was reported
            if failure is not None:
                stream.failure = failure
            raise

    def invalidate(self, error: Failure) -> None:
        """Drop all work and report an error from now on: in a forked child, no thread runs it."""
        self.lost = self.sticky_error = error
        for stream in list(self.streams.values()):
            stream.queue.clear()
            stream.failure = None

    # ---- for the worker threads, and for whoever ends a task

    def wake(self, stream: BaseStream) -> None:
        """Have the worker threads look at a stream whose first task may be ready."""
        workers.wake(stream)

    def take(self, stream: BaseStream) -> Task | None:
        """Return the first task of a stream, marked as running; None if it may not run yet.

        Called by one worker thread at a time.
        """
        while (task := stream.first()) is not None and task.state is State.QUEUED:
            if (status := self._cancellation(task)) is None:
                if not self._may_run(task):
                    return None
                if task.after is not None and task.after.add_waiter(stream.wake):
                    return None
                task.state = State.RUNNING
                if (status := self._cancellation(task)) is None:
                    return task
            self.end(task, status)
        return None

    def run(self, task: Task) -> None:
        """Run a task that was taken; end it, unless it is a callback, which ends elsewhere."""
        failure = None
        task.started = perf_counter_ns()
        try:
            if self.checker is not None:
                self.checker.run_on(task.operation)
            if task.function is not None:
                task.function()
        except BaseException as error:  # the thread goes on whatever a task raises
            failure = task.failure(error)
        if failure is not None or task.kind is not Kind.CALLBACK:
            self.finish(task, failure)

    def finish(self, task: Task, failure: Failure | None) -> None:
        """End a task that ran, and keep its failure."""
        if failure is not None:
            self.keep_failure(task.stream, failure)
        if task.state is not State.DONE:
            self.history.append(task)
        self.end(task, Status.ACL_SUCCESS if failure is None else failure.status)

    def keep_failure(self, stream: BaseStream, failure: Failure) -> None:
        """Keep a failure for the next call that synchronizes with its stream."""
        if stream.failure is None:
            stream.failure = failure
        if self.stop_on_failure:
            if self.sticky_error is None:
                self.sticky_error = failure
            for other in list(self.streams.values()):
                self._end_cancelled(other)

    def end(self, task: Task, status: Status) -> None:
        """End a task; for one that was ended already, do what may be left of that."""
        if self.checker is not None and task.depends_on_host and task.operation is not None:
            self.checker.end_function(task.operation)
        if task.state is not State.DONE:
            task.ended = perf_counter_ns()
            task.status = status
            task.function = None  # it may keep memory alive
            task.state = State.DONE
        stream = task.stream
        stream.retire(task)
        for wake in list(task.waiters):
            wake()
        task.waiters.clear()
        if stream.queue:
            self._work_was_queued(stream)
        self.remove_if_closed(stream)
        self._remove_if_left(stream)

    def _cancellation(self, task: Task) -> Status | None:
        """Return the code with which a queued task ends instead of running; None if it runs."""
        if self.sticky_error is not None:
            return self.sticky_error.status
        stream = task.stream
        if stream.number in self.streams and task not in stream.aborted:
            return None
        return Status.ACL_ERROR_RT_STREAM_ABORT

    def _end_cancelled(self, stream: BaseStream) -> None:
        """End the queued tasks of a stream that are not to run."""
        for task in list(stream.queue):
            if task.state is State.QUEUED and (status := self._cancellation(task)) is not None:
                self.end(task, status)

    def _first_unblocked(self, task: Task) -> Task:
        """Return a task that another one depends on and that itself waits for no other."""
        last = task
        while (first := last.stream.first()) is not None:
            if first.after is None or first.after.state is State.DONE:
                return first
            last = first.after
            if last.promised:
                return last
        return task

    # ---- what the execution modes decide

    @abstractmethod
    def _poll(self, task: Task) -> None:
        """Bring a task closer to its end because the host asked whether it is done."""

    def _request(self, ready: Task, prerequisites: Collection[Task]) -> Task:
        """Have the worker threads run a task that is ready, or another one first; return which."""
        workers.wake(ready.stream)
        return ready

    def _may_run(self, task: Task) -> bool:
        """Tell whether the worker threads may run a task that is the first of its stream."""
        return True

    def _prerequisites(self, tasks: Sequence[Task]) -> Collection[Task]:
        """Return the tasks that must be done before some tasks are, if the mode needs to know."""
        return ()

    @abstractmethod
    def _work_was_queued(self, stream: BaseStream) -> None:
        """React to a stream having queued tasks, the first of which may be ready."""


def _is_held(task: Task) -> bool:
    """Tell whether a task that is submitted waits, itself or behind others, for a promise."""
    last, after = task.stream.last, task.after
    return (last is not None and last.unplaced) or (after is not None and after.unplaced)


def _settled(checker: Checker, task: Task, function: Callable[[], object]) -> Callable[[], object]:
    """Return a task's function behind the check of what host functions may have written."""

    def run() -> None:
        assert task.operation is not None
        checker.settle(task.operation, task.reads, task.writes, uses=not task.copies)
        function()

    return run
