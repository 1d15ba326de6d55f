"""Host functions, and callbacks, which a stream passes to the thread that serves them."""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from operator import length_hint
from time import monotonic
from typing import Final

import numpy as np

from ...core.dtypes import is_integer
from ...core.errors import AclError, ArgumentTypeError, fail, shown
from ...core.status import Status
from ..arguments import deadline_after, integer, remaining
from ..scheduling.scheduler import Scheduler
from ..scheduling.task import BaseStream, Failure, Kind, State, Task, in_task, task_context
from ..scheduling.worker_threads import workers

#: maximum number of threads of a process that serve callbacks
SUBSCRIBER_LIMIT: Final = 1024


class Callback:
    """A function that a task passes to the thread that serves its stream."""

    __slots__ = ("_failure", "_function", "_stream", "_subscription", "task")

    def __init__(
        self,
        stream: CallbackStream,
        kind: Kind,
        function: Callable[[], object],
        subscription: Subscription,
    ) -> None:
        self._stream = stream
        self.task = Task(stream, kind, "callback", self.post, callback=self)
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
        checker, operation = self._stream.scheduler.checker, self.task.operation
        context = task_context()
        if checker is not None and operation is not None:
            blocks = self.task.kind is Kind.CALLBACK
            context.run(checker.run_callback, operation, blocks=blocks)
        try:
            # one C call takes the function and calls it: it cannot be interrupted in between
            calls = map(context.run, self._function)
            if not self.begun:
                next(calls)
        except Exception as error:
            self._failure = self.task.failure(error)
        finally:  # an interrupt is raised in the caller; it may have come before the function began
            if self.begun:
                self.end()
        if checker is not None and operation is not None:
            checker.wait(operation.knowledge)

    def end(self) -> None:
        """End the task; if it has already ended, complete any clean-up that is left."""
        scheduler, stream, task = self._stream.scheduler, self._stream, self.task
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
        with suppress(RuntimeError):  # already awake
            self._news.release()

    def wait(self, deadline: float | None) -> bool:
        """Block until there may be a new callback; return False if the deadline passes first."""
        deadline = workers.run_if_closed((), deadline)
        return self._news.acquire(timeout=remaining(deadline))


class CallbackStream(BaseStream):
    """A stream that runs host functions and passes callbacks to a thread."""

    def __init__(self, scheduler: Scheduler) -> None:
        super().__init__(scheduler)
        self._subscription: Subscription | None = None
        self._has_host_functions = False

    def is_served_by(self, subscription: Subscription) -> bool:
        """Tell whether a thread serves the callbacks of the stream."""
        return self.listed and self._subscription is subscription

    def next_queued_callback(self) -> Task | None:
        """Return the first callback that has not been passed to the thread."""
        for task in list(self.queue):
            if task.state is State.QUEUED and task.kind in (Kind.CALLBACK, Kind.NOTICE):
                return task
        return None

    def end_subscription(self) -> None:
        """Remove the stream's thread, and end callbacks that have not begun."""
        subscription, self._subscription = self._subscription, None
        if subscription is not None:
            for callback in list(subscription.posted):
                if callback.orphaned:
                    callback.end()

    def launch_host_func(self, function: Callable[[], object]) -> None:
        """Queue a host function; later tasks of the stream wait until it returns.

        Parameters
        ----------
        function : callable
            Takes no arguments. It must not wait for the device.

        Raises
        ------
        AclError
            107000 for None, 107011 if the stream has a thread for its callbacks. An exception from
            the function is reported as 507000 when the stream is synchronized.

        Examples
        --------
        >>> stream = ar.Device("Atlas A2").create_stream()
        >>> stream.launch_host_func(lambda: print("hello"))
        >>> stream.synchronize()
        hello
        """
        self.check()
        _check_function(function)
        if self._subscription is not None:
            fail(
                Status.ACL_ERROR_RT_STREAM_SUBSCRIBE,
                f"{self!r} has a thread for its callbacks; use launch_callback, or another stream",
            )
        self._has_host_functions = True
        self.scheduler.submit(Task(self, Kind.HOST, "host function", function))

    def subscribe_report(self, thread: int | None = None) -> None:
        """Make a thread serve the stream's callbacks: it runs them in `Device.process_report`.

        Parameters
        ----------
        thread : int, optional
            Its ``threading.get_ident()``; None for the calling thread.

        Raises
        ------
        AclError
            107011 if the stream already has such a thread or has been given host functions, 107012
            if the thread serves another device or too many threads serve callbacks.

        Examples
        --------
        >>> import threading
        >>> stream = ar.Device("Atlas A2").create_stream()
        >>> stream.subscribe_report(threading.get_ident())
        >>> stream.destroy()
        """
        self.check()
        if self._subscription is not None or self._has_host_functions:
            fail(
                Status.ACL_ERROR_RT_STREAM_SUBSCRIBE,
                f"{self!r} already has a thread for its callbacks or was given host functions; use"
                " another stream",
            )
        thread = _thread_number(thread)
        subscription = subscription_of(thread, self.scheduler)
        if subscription is None:
            fail(
                Status.ACL_ERROR_RT_THREAD_SUBSCRIBE,
                f"thread {shown(thread)} serves another device, or {SUBSCRIBER_LIMIT} threads"
                " already serve callbacks",
            )
        self._subscription = subscription

    def unsubscribe_report(self, thread: int | None = None) -> None:
        """Undo `subscribe_report`.

        Callbacks that have not begun are not called; the stream continues after them and reports
        107015 for them when it is synchronized.

        Parameters
        ----------
        thread : int, optional
            The thread given to `subscribe_report`; None for the calling thread.

        Raises
        ------
        AclError
            107011 if the stream has no such thread, 107012 if it has another one.

        Examples
        --------
        >>> stream = ar.Device("Atlas A2").create_stream()
        >>> stream.subscribe_report()
        >>> stream.unsubscribe_report()
        """
        self.check()
        if self._subscription is None:
            problem = f"{self!r} has no thread for its callbacks; subscribe_report sets one"
            fail(Status.ACL_ERROR_RT_STREAM_SUBSCRIBE, problem)
        thread = _thread_number(thread)
        if self._subscription.thread != thread:
            fail(
                Status.ACL_ERROR_RT_THREAD_SUBSCRIBE,
                f"thread is {shown(thread)}; the callbacks of {self!r} belong to"
                f" {self._subscription.thread}",
            )
        self.end_subscription()

    def launch_callback(self, function: Callable[[], object], block: bool = True) -> None:
        """Queue a callback for the thread set with `subscribe_report`.

        Parameters
        ----------
        function : callable
            Takes no arguments. It must not wait for the device.
        block : bool, optional
            Whether later tasks of the stream wait until it returns.

        Raises
        ------
        AclError
            107000 for None, 107015 if the stream has no such thread, 100000 if ``block`` is not a
            bool.

        Examples
        --------
        >>> stream = ar.Device("Atlas A2").create_stream()
        >>> stream.subscribe_report()
        >>> stream.launch_callback(lambda: print("meanwhile"), block=False)
        >>> stream.device.process_report()
        meanwhile
        1
        >>> stream.unsubscribe_report()
        """
        self.check()
        given: object = block
        if not (isinstance(given, np.bool) or (is_integer(given) and given in (0, 1))):
            problem = f"block is {shown(block)}; True or False is expected"
            fail(Status.ACL_ERROR_INVALID_PARAM, problem)
        _check_function(function)
        subscription = self._subscription
        if subscription is None:
            problem = f"{self!r} has no thread for its callbacks; call subscribe_report first"
            fail(Status.ACL_ERROR_RT_STREAM_NO_CB_REG, problem)
        kind = Kind.CALLBACK if block else Kind.NOTICE
        self.scheduler.submit(Callback(self, kind, function, subscription).task)


#: by thread; a subscription without streams is ignored
_subscriptions: Final[dict[int, Subscription]] = {}


def clear_subscriptions() -> None:
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


def serves(scheduler: Scheduler) -> bool:
    """Tell whether the calling thread serves a stream of a device."""
    subscription = _subscriptions.get(threading.get_ident())
    return (
        subscription is not None
        and subscription.belongs_to(scheduler)
        and bool(subscription.streams())
    )


def process_report(scheduler: Scheduler, timeout: float | None) -> int:
    """Run a device's pending callbacks of the calling thread; return how many."""
    deadline = deadline_after(timeout, Status.ACL_ERROR_INVALID_PARAM)
    subscription = _subscriptions.get(threading.get_ident())
    if subscription is None or not serves(scheduler):
        problem = "this thread serves no stream of the device; call Stream.subscribe_report first"
        fail(Status.ACL_ERROR_RT_THREAD_SUBSCRIBE, problem)
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
            problem = f"no callback came for this thread within {shown(timeout)} ms"
            fail(Status.ACL_ERROR_RT_REPORT_TIMEOUT, problem)


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


def _thread_number(thread: int | None) -> int:
    return threading.get_ident() if thread is None else integer("thread", thread)


def _check_function(function: Callable[[], object]) -> None:
    if function is None:
        fail(Status.ACL_ERROR_RT_PARAM_INVALID, "function is None; a callable is expected")
    if not callable(function):
        raise ArgumentTypeError(
            "function", f"is a {type(function).__name__}; a callable is expected"
        )
