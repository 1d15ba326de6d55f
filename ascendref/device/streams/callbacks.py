"""Callbacks: functions that a stream passes to the thread that serves its callbacks."""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from operator import length_hint
from time import monotonic
from typing import Final

from ...core.errors import AclError, fail, shown
from ...core.status import Status
from ..arguments import deadline_after, remaining
from ..scheduling.scheduler import Scheduler
from ..scheduling.task import BaseStream, Failure, Kind, State, Task
from ..scheduling.task_context import in_task, task_context
from ..scheduling.worker_threads import workers

#: maximum number of threads of a process that serve callbacks
SUBSCRIBER_LIMIT: Final = 1024


class Callback:
    """A function that a task passes to the thread that serves its stream."""

    __slots__ = ("_failure", "_function", "_stream", "_subscription", "_task")

    def __init__(
        self,
        stream: CallbackStream,
        task: Task,
        function: Callable[[], object],
        subscription: Subscription,
    ) -> None:
        self._stream = stream
        self._task = task
        self._subscription = subscription
        #: the reason why the task fails, if it does
        self._failure: Failure | None = None
        #: yields the function once
        self._function = iter((function,))

    @property
    def begun(self) -> bool:
        """Whether the call of the function has begun."""
        return not length_hint(self._function)

    @property
    def orphaned(self) -> bool:
        """Whether the function has not been called and never will be."""
        return not (self.begun or self._stream.is_served_by(self._subscription))

    def thread(self) -> int | None:
        """Return the thread that will call the function; None if none will."""
        return None if self.orphaned else self._subscription.thread

    def post(self) -> None:
        """Pass the callback to the thread; this is the function of the task."""
        subscription = self._subscription
        subscription.posted.append(self)
        if self.orphaned:
            self.end()
        subscription.notify()

    def run(self) -> None:
        """Call the function on the calling thread, unless already called, and end the task."""
        checker, operation = self._stream.scheduler.checker, self._task.operation
        context = task_context()
        if checker is not None and operation is not None:
            blocks = self._task.kind is Kind.CALLBACK
            context.run(checker.run_callback, operation, blocks=blocks)
        try:
            # one C call takes the function and calls it: it cannot be interrupted in between
            calls = map(context.run, self._function)
            if not self.begun:
                next(calls)
        except Exception as error:
            self._failure = self._task.failure(error)
        finally:  # an interrupt is raised in the caller; it may have come before the function began
            if self.begun:
                self.end()
        if checker is not None and operation is not None:
            checker.wait(operation.knowledge)

    def end(self) -> None:
        """End the task; if it has already ended, complete any clean-up that is left."""
        scheduler, stream, task = self._stream.scheduler, self._stream, self._task
        if self.orphaned and not stream.listed:
            scheduler.end(task, Status.ACL_ERROR_RT_STREAM_ABORT)
        elif self.orphaned:
            self._failure = task.failure(
                AclError(
                    Status.ACL_ERROR_RT_STREAM_NO_CB_REG,
                    "its stream no longer has a thread for its callbacks; process them"
                    " before unsubscribe_report",
                )
            )
        if task.kind is Kind.CALLBACK:
            scheduler.finish(task, self._failure)
        elif self._failure is not None:
            scheduler.keep_failure(stream, self._failure)
        with suppress(ValueError):
            self._subscription.posted.remove(self)

    def recover(self) -> None:
        """End the task if an interrupt or a lost subscription prevents its thread from doing so."""
        interrupted = (
            self.begun and self._subscription.thread == threading.get_ident() and not in_task()
        )
        if interrupted or self.orphaned:
            self.end()


class Subscription:
    """A thread that processes the callbacks of some streams of a device."""

    __slots__ = ("_news", "_scheduler", "posted", "thread")

    def __init__(self, thread: int, scheduler: Scheduler) -> None:
        self.thread = thread
        #: callbacks passed to the thread that have not ended, in order
        self.posted: deque[Callback] = deque()
        self._scheduler = weakref.ref(scheduler)
        #: released when there may be a new callback
        self._news = threading.Lock()
        self._news.acquire()

    def belongs_to(self, scheduler: Scheduler) -> bool:
        """Tell whether it is for streams of this device."""
        return self._scheduler() is scheduler

    def streams(self) -> list[CallbackStream]:
        """Return the streams that the thread serves."""
        scheduler = self._scheduler()
        if scheduler is None:
            return []
        return [
            stream
            for stream in list(scheduler.streams.values())
            if isinstance(stream, CallbackStream) and stream.is_served_by(self)
        ]

    def next_callback(self) -> Callback | None:
        """Return the first callback that has not begun, after ending those that will never run."""
        for callback in list(self.posted):
            callback.recover()
        return next((callback for callback in list(self.posted) if not callback.begun), None)

    def notify(self) -> None:
        """Wake the thread."""
        with suppress(RuntimeError):  # already awake
            self._news.release()

    def wait(self, deadline: float | None) -> bool:
        """Block until there may be a new callback; return False if the deadline passes first."""
        deadline = workers.run_if_closed((), deadline)
        return self._news.acquire(timeout=remaining(deadline))


class CallbackStream(BaseStream):
    """A stream that a thread can subscribe to."""

    def __init__(self, scheduler: Scheduler) -> None:
        super().__init__(scheduler)
        self._subscription: Subscription | None = None

    def is_served_by(self, subscription: Subscription) -> bool:
        """Tell whether a thread serves the callbacks of the stream."""
        return self.listed and self._subscription is subscription

    def next_queued_callback(self) -> Task | None:
        """Return the first callback that has not been passed to the thread."""
        return next(
            (
                task
                for task in list(self.queue)
                if task.state is State.QUEUED and task.kind in (Kind.CALLBACK, Kind.NOTICE)
            ),
            None,
        )

    def end_subscription(self) -> None:
        """Remove the stream's thread, and end callbacks that have not begun."""
        subscription, self._subscription = self._subscription, None
        if subscription is not None:
            for callback in list(subscription.posted):
                if callback.orphaned:
                    callback.end()


#: by thread; a subscription without streams is ignored
_subscriptions: Final[dict[int, Subscription]] = {}


def clear_subscriptions() -> None:
    """Drop the subscriptions of all threads."""
    _subscriptions.clear()


def subscription_of(thread: int, scheduler: Scheduler) -> Subscription | None:
    """Return the subscription of a thread for the streams of a device; None if it can have none."""
    existing = _subscriptions.get(thread)
    if existing is not None and existing.belongs_to(scheduler):
        return existing
    if existing is not None and existing.streams():
        return None
    if len(_subscriptions) >= SUBSCRIBER_LIMIT:
        for number, other in list(_subscriptions.items()):
            if not other.streams():
                _subscriptions.pop(number, None)
        if len(_subscriptions) >= SUBSCRIBER_LIMIT:
            return None
    _subscriptions[thread] = Subscription(thread, scheduler)
    return _subscriptions[thread]


def process_report(scheduler: Scheduler, timeout: float | None) -> int:
    """Run a device's pending callbacks of the calling thread; return how many."""
    deadline = deadline_after(timeout, Status.ACL_ERROR_INVALID_PARAM)
    subscription = _subscriptions.get(threading.get_ident())
    if subscription is None or not (subscription.belongs_to(scheduler) and subscription.streams()):
        fail(
            Status.ACL_ERROR_RT_THREAD_SUBSCRIBE,
            "this thread serves no stream of the device; call Stream.subscribe_report first",
        )
    _advance_to_callback(scheduler, subscription, deadline)
    processed = 0
    while True:
        callback = subscription.next_callback()
        if callback is not None:
            callback.run()
            processed += 1
        elif processed:
            return processed
        elif not subscription.wait(deadline):
            fail(
                Status.ACL_ERROR_RT_REPORT_TIMEOUT,
                f"no callback came for this thread within {shown(timeout)} ms",
            )


def _advance_to_callback(
    scheduler: Scheduler, subscription: Subscription, deadline: float | None
) -> None:
    """If tasks run on demand, run them up to the next callback for a thread."""
    while subscription.next_callback() is None:
        tasks = (stream.next_queued_callback() for stream in subscription.streams())
        task = next((task for task in tasks if task is not None), None)
        if task is None or (deadline is not None and monotonic() >= deadline):
            return
        running = scheduler.advance(task)
        if scheduler.eager:
            return  # the worker threads do the rest
        if running.kind is Kind.CALLBACK and running.stream in subscription.streams():
            return  # this thread will run the callback, so it must not wait for its end
        scheduler.block((task, running), deadline)
