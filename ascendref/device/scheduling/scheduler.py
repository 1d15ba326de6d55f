"""The scheduler of a device: submits tasks, waits for them and ends them."""

import ctypes
import random
import threading
from collections import deque
from collections.abc import Collection, Sequence
from contextlib import suppress
from time import monotonic, perf_counter_ns, sleep
from typing import Final

from ...core.errors import AclError, fail, fail_argument, shown
from ...core.products import Product
from ...core.status import Status
from ..arguments import remaining
from ..checker.callers import Caller, find_caller
from ..checker.checker import Checker
from .capture import Captures
from .deadlock import begin_wait, end_wait, prerequisites
from .placement import check_and_queue, check_and_queue_all
from .spinning import DEVICE, HOST
from .task import BaseStream, Failure, Kind, State, Task, in_task, refuse_in_task
from .worker_threads import workers

#: for the checker: seconds after which a record that another thread may submit counts as forgotten
PATIENCE = 30.0
#: seconds that a query waits for a host function that it has started
POLL_TIMEOUT: Final = 0.001
#: when queued work runs: as soon as it is ready; when the host waits for it, or for a task that
#: depends on it; the same, but any ready task may run first, as a seed decides
EXECUTION_MODES: Final = ("eager", "lazy", "random")

#: changes whenever work is queued on any device, or a stream follows an event that has completed,
#: so that machine code sees without the interpreter whether any was since it last waited; 0 while a
#: call queues, and when a stream began to record
submissions: Final = ctypes.c_uint64(1)


class Scheduler:
    """The streams of one device and the states of their tasks.

    Except for callbacks, the functions of tasks always run on worker threads, so a wait that ends
    early, by a timeout or an interrupt, leaves nothing half done. `lock_free` explains how the
    state stays consistent without locks.
    """

    def __init__(self, execution: object, history: int, seed: int) -> None:
        if not (isinstance(execution, str) and execution in EXECUTION_MODES):
            problem = f"is {shown(execution)}; allowed are {', '.join(map(repr, EXECUTION_MODES))}"
            fail_argument(Status.ACL_ERROR_INVALID_PARAM, "execution", problem)
        #: whether tasks run even if nothing waits for them
        self.eager = execution == "eager"
        self._random = random.Random(seed) if execution == "random" else None
        #: streams that have not been destroyed, by number
        self.streams: dict[int, BaseStream] = {}
        #: streams destroyed by force while a task ran, until it ends
        self._leaving: dict[int, BaseStream] = {}
        #: error that every call reports because the device can no longer be used
        self.sticky_error: Failure | None = None
        #: error that every call reports first in a forked child of the process that created the
        #: device
        self.lost: Failure | None = None
        #: whether the first failure of a task becomes the sticky error
        self.stop_on_failure = False
        #: the most recently ended tasks; after an interrupt, one may be listed twice
        self.history: deque[Task] = deque(maxlen=history)
        #: what streams record instead of queuing it
        self.captures = Captures()
        #: None if the checker is off
        self.checker: Checker | None = None

    # ---- streams

    def add_stream(self, stream: BaseStream, product: Product) -> None:
        """Add a stream; 207008 if all streams of the product are in use."""
        streams, limit = self.streams, product.stream_limit
        streams[stream.number] = stream
        # the default stream and streams that were added later do not count
        if len(streams) > limit + 1 and list(streams).index(stream.number) > limit:
            streams.pop(stream.number)
            problem = f"{limit} streams exist, the maximum on {product.name}; destroy some"
            fail(Status.ACL_ERROR_RT_NO_STREAM_RESOURCE, problem)

    def remove_stream(self, stream: BaseStream, *, busy: bool = False) -> Task | None:
        """Remove a stream; unless ``busy``, a busy stream stays, and its last task is returned."""
        while not busy and stream.first() is not None:
            last = stream.last
            if last is not None:
                return last
        if stream.first() is not None:
            self._leaving[stream.number] = stream
        self.streams.pop(stream.number, None)
        return None

    def remove_if_closed(self, stream: BaseStream) -> None:
        """Remove a closing stream once it has no task and no unreported failure left."""
        if stream.closing and stream.failure is None and stream.first() is None:
            if self.checker is not None:
                self.checker.end_stream(stream.timeline, waited=False)
            self.streams.pop(stream.number, None)

    # ---- for calls of the host

    def submit(self, task: Task, caller: Caller | None = None) -> None:
        """Queue a task on its stream; for the checker, it comes from this call or another."""
        self.check()
        workers.start()
        stream = task.stream
        if stream.number in self.streams and not stream.closing:
            submissions.value = 0  # stays so while a capture records
            capture = self.captures.of(stream)
            if capture is not None:
                if self.checker is not None:
                    capture.callers[task] = find_caller(task.label)
                capture.record(task)
                return
            self.captures.check_queued(stream)
            checker = self.checker
            if checker is None:
                stream.queue.append(task)
            else:
                check_and_queue(self.streams, checker, task, caller)
            submissions.value = task.submitted
            if self.eager:
                workers.wake(stream)
        else:
            stream.check()

    def submit_all(self, tasks: Sequence[tuple[Task, Caller | None]]) -> None:
        """Queue tasks, each with the call that it comes from; none of them after an error."""
        self.check()
        workers.start()
        streams = dict.fromkeys([task.stream for task, _ in tasks])
        for stream in streams:
            if stream.number not in self.streams or stream.closing:
                stream.check()
            self.captures.check_queued(stream)
        submissions.value = 0
        if self.checker is None:
            for task, _ in tasks:
                task.stream.queue.append(task)
        else:
            check_and_queue_all(self.streams, self.checker, tasks)
        submissions.value = perf_counter_ns()
        if self.eager:
            for stream in streams:
                workers.wake(stream)

    def note_order(self) -> None:
        """Let machine code wait again for a stream: it follows an event that had completed."""
        if submissions.value:
            submissions.value = perf_counter_ns()

    def check(self) -> None:
        """Raise the sticky error, if any."""
        if self.sticky_error is not None:
            self.sticky_error.report()

    def check_process(self) -> None:
        """Raise AclError in a forked child of the process that created the device."""
        if self.lost is not None:
            self.lost.report()

    def wait(self, tasks: Sequence[Task], deadline: float | None) -> bool:
        """Wait until all of these tasks are done; return False if the deadline passes first."""
        checker = self.checker
        if checker is None:
            return self._wait(tasks, deadline)
        try:
            if deadline is None and not in_task():  # others end, or are refused
                promise = begin_wait(checker, tasks)
                if promise is not None and not self._wait(tasks, monotonic() + PATIENCE):
                    if promise.promised:
                        checker.reports.lost_wait(promise.label, checker.begin_on_host("wait"))
            return self._wait(tasks, deadline)
        finally:
            end_wait()

    def make_way(self, stream: BaseStream) -> None:
        """Wait until the calling thread may run a stream's next task; raise the stream's failure.

        To the checker, the program has not waited.
        """
        checker, task = self.checker, stream.last
        reached = {} if checker is None else checker.knowledge(stream.timeline)
        if task is not None:
            self.wait((task,), None)
        if checker is not None:
            checker.process.join(reached, 0)
        self.report(stream)

    def _wait(self, tasks: Sequence[Task], deadline: float | None) -> bool:
        needed = () if self._random is None else prerequisites(tasks)
        for task in tasks:
            while task.state is not State.DONE:
                if workers.lends_turns and (deadline is None or monotonic() < deadline):
                    if self._run_small(task):
                        continue
                # an abort may end the task before the one that it depends on
                if not self.block({task, self.advance(task, needed)}, deadline):
                    return False
        return True

    def _run_small(self, task: Task) -> bool:
        """Run the next task toward one that is waited for here; return False if it is not small."""
        ready = self._first_unblocked(task)
        small = ready.is_small or ready.kind in (Kind.RECORD, Kind.WAIT)
        return small and self.eager and ready.state is State.QUEUED and workers.run_here(ready)

    def query(self, task: Task | None) -> bool:
        """Return whether a task, if any, is done; if not, advance it."""
        if task is None or task.state is State.DONE:
            return True
        running = self.advance(task)
        if self.eager:
            workers.run_if_closed((task,), None)
            sleep(0)  # yields the interpreter to the worker threads: programs query in loops
        else:
            # wait for the end of a task, so that a loop of queries reaches its end, and the order
            # of tasks does not depend on the number of queries
            deadline = monotonic() + POLL_TIMEOUT if running.depends_on_host else None
            self.block((running,), deadline)
        return False

    def advance(self, task: Task, needed: Collection[Task] = ()) -> Task:
        """Advance a task by one step; return the task whose end is the next step.

        On demand, that is a task that it depends on, or another one of all that the caller
        ``needed``; else the worker threads are made sure to work toward the task itself.
        """
        if not self.eager:
            refuse_in_task(self.checker)
        ready = self._first_unblocked(task)
        if ready.state is State.QUEUED and not ready.promised:
            if not (self.eager or ready.requested):
                ready = self._choose(ready, needed)
                ready.requested = True
            workers.wake(ready.stream)  # again, in case an interrupt came before
        elif ready.state is State.RUNNING and ready.callback is not None:
            ready.callback.recover()
        return task if self.eager else ready

    def _choose(self, ready: Task, needed: Collection[Task]) -> Task:
        """Return the ready task to run next."""
        if self._random is None:
            return ready
        choices = [ready]
        for stream in list(self.streams.values()):
            first = stream.first()
            if (
                first is not None
                and first is not ready
                and first.state is State.QUEUED
                and not first.requested
                and (first.after is None or first.after.state is State.DONE)
                # one that depends on the host may need a call that the program makes after this
                # wait
                and (not first.depends_on_host or first in needed)
            ):
                choices.append(first)
        return self._random.choice(choices)

    def block(self, tasks: Collection[Task], deadline: float | None) -> bool:
        """Block until any of these tasks is done; return False if the deadline passes first."""
        refuse_in_task(self.checker)
        # a lock, not a condition: a single system call that a signal interrupts
        done = threading.Lock()
        done.acquire()

        def wake() -> None:
            with suppress(RuntimeError):  # already released by another task
                done.release()

        seen = workers.spinner.turns(DEVICE)  # before the tasks are looked at
        try:
            if not all([task.add_waiter(wake) for task in tasks]):
                return True
            deadline = workers.run_if_closed(tasks, deadline)
            workers.spinner.spin(HOST, seen)
            return done.acquire(timeout=remaining(deadline))
        finally:
            for task in tasks:
                with suppress(ValueError):
                    task.waiters.remove(wake)

    def last_tasks(self) -> list[Task]:
        """Return the last task of every busy stream, most recently submitted first."""
        last = [stream.last for stream in list(self.streams.values())]
        running = [stream.first() for stream in list(self._leaving.values())]
        last += [task for task in running if task is not None and task.state is State.RUNNING]
        # in this order, a task without the necessary wait runs before the task that it relies on
        return sorted((task for task in last if task is not None), key=lambda task: -task.submitted)

    def abort(self, stream: BaseStream) -> None:
        """End the queued tasks of a stream without running them."""
        stream.aborted = frozenset(list(stream.queue))
        self._end_cancelled(stream)
        stream.aborted = frozenset()
        self._remove_if_left(stream)

    def _remove_if_left(self, stream: BaseStream) -> None:
        """Remove a stream that was destroyed by force once none of its tasks runs."""
        if stream.number in self._leaving and stream.first() is None:
            self._leaving.pop(stream.number, None)

    def report(self, stream: BaseStream) -> None:
        """Raise the failure of a stream, once, or the sticky error."""
        failure = None
        try:
            failure, stream.failure = stream.failure, None
            self.remove_if_closed(stream)
            self.check()
            if failure is not None:
                failure.report()
        except AclError:
            raise
        except BaseException:  # an interrupt came before the failure was reported
            if failure is not None:
                stream.failure = failure
            raise

    def invalidate(self, error: Failure) -> None:
        """Drop all work and report an error from now on: a forked child has no worker threads."""
        self.lost = self.sticky_error = error
        for stream in list(self.streams.values()):
            stream.queue.clear()
            stream.failure = None

    # ---- for the worker threads and other threads that end tasks

    def wake(self, stream: BaseStream) -> None:
        """Make the worker threads check a stream whose first task may be ready."""
        workers.wake(stream)

    def busy(self, span: int) -> int:
        """Return for how many of the last nanoseconds kernels, queued copies or fills ran."""
        now = perf_counter_ns()
        running = [task for stream in list(self.streams.values()) for task in list(stream.queue)]
        ran = [
            (max(task.started, now - span), task.ended if task.state is State.DONE else now)
            for task in dict.fromkeys([*list(self.history), *running])
            if task.kind is Kind.KERNEL and task.started
        ]
        return sum(max(0, end - start) for start, end in ran)

    def take(self, stream: BaseStream) -> Task | None:
        """Return the first task of a stream, marked as running; None if it may not run yet.

        Called by one worker thread at a time.
        """
        while (task := stream.first()) is not None and task.state is State.QUEUED:
            if (status := self._cancellation(task)) is None:
                if not (self.eager or task.requested):
                    return None
                if task.after is not None and task.after.add_waiter(stream.wake):
                    return None
                task.state = State.RUNNING
                if (status := self._cancellation(task)) is None:
                    return task
            self.end(task, status)
        return None

    def run(self, task: Task) -> None:
        """Run a taken task and end it, except for a callback, which ends elsewhere."""
        failure = None
        task.started = perf_counter_ns()
        try:
            if self.checker is not None:
                self.checker.run_on(task.operation)
            if task.function is not None:
                task.function()
        except BaseException as error:  # the thread continues whatever a task raises
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
        """Keep a failure for the next call that synchronizes with the stream."""
        stream = stream.reporter or stream
        if stream.failure is None:
            stream.failure = failure
        if self.stop_on_failure:
            if self.sticky_error is None:
                self.sticky_error = failure
            for other in list(self.streams.values()):
                self._end_cancelled(other)

    def end(self, task: Task, status: Status) -> None:
        """End a task; if it has already ended, complete any clean-up that is left."""
        if self.checker is not None and task.depends_on_host and task.operation is not None:
            self.checker.functions.end(task.operation)
        if task.state is not State.DONE:
            task.ended = perf_counter_ns()
            task.status = status
            task.function = None  # it may keep memory alive
            task.state = State.DONE
        stream = task.stream
        stream.retire(task)
        if task.waiters:
            for wake in list(task.waiters):
                wake()
            task.waiters.clear()
        if self.eager and stream.queue:
            workers.wake(stream)
        if stream.closing:
            self.remove_if_closed(stream)
        if self._leaving:
            self._remove_if_left(stream)

    def _cancellation(self, task: Task) -> Status | None:
        """Return the status with which a queued task ends without running; None if it runs."""
        if self.sticky_error is not None:
            return self.sticky_error.status
        stream = task.stream
        if stream.number in self.streams and task not in stream.aborted:
            return None
        return Status.ACL_ERROR_RT_STREAM_ABORT

    def _end_cancelled(self, stream: BaseStream) -> None:
        """End the queued tasks of a stream that must not run."""
        for task in list(stream.queue):
            if task.state is State.QUEUED and (status := self._cancellation(task)) is not None:
                self.end(task, status)

    def _first_unblocked(self, task: Task) -> Task:
        """Return a task that this task depends on and that waits for no other task."""
        last = task
        while (first := last.stream.first()) is not None:
            if first.after is None or first.after.state is State.DONE:
                return first
            last = first.after
            if last.promised:
                return last
        return task
