"""Functions of the host that streams call."""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Callable
from functools import partial
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING, Final, cast

from ..errors import ArgumentTypeError, fail
from ..status import Status
from .arguments import whole_number
from .deadline import deadline_after, remaining
from .schedule import EagerScheduler, Scheduler
from .task import Kind, State, Task

if TYPE_CHECKING:
    from .device import Device
    from .stream import Stream

#: threads of a process that may serve callbacks at a time
SUBSCRIBER_LIMIT: Final = 1024


class Subscription:
    """A thread that serves the callbacks of some streams of a device."""

    __slots__ = ("_device", "queue", "streams", "thread")

    def __init__(self, thread: int, device: Device) -> None:
        self.thread = thread
        # a device that goes leaves the thread free for another one
        self._device = weakref.ref(device, lambda _: _subscriptions.pop(thread, None))
        #: how many streams
        self.streams = 0
        self.queue: SimpleQueue[tuple[Task, Callable[[], object]]] = SimpleQueue()

    def serves(self, device: Device) -> bool:
        """Tell whether it is that device's streams."""
        return self._device() is device


_subscriptions: Final[dict[int, Subscription]] = {}


def forget_subscriptions() -> None:
    """Let no thread serve any callbacks any more."""
    _subscriptions.clear()


def process_report(device: Device, timeout: float | None) -> int:
    """Run the callbacks of a device that are due on the calling thread; return how many."""
    deadline = deadline_after(timeout, Status.ACL_ERROR_INVALID_PARAM)
    subscription = _subscriptions.get(threading.get_ident())
    if subscription is None or not subscription.serves(device):
        fail(
            Status.ACL_ERROR_RT_THREAD_SUBSCRIBE,
            "this thread serves no stream of the device; call Stream.subscribe_report first",
        )
    _bring_callback(device.scheduler, subscription, deadline)
    done = 0
    try:
        task, function = subscription.queue.get(timeout=_queue_timeout(deadline))
        while True:
            device.scheduler.call_back(task, function)
            done += 1
            task, function = subscription.queue.get_nowait()
    except Empty:
        if not done:
            fail(
                Status.ACL_ERROR_RT_REPORT_TIMEOUT,
                f"no callback came for this thread within {timeout} ms",
            )
    return done


def _bring_callback(
    scheduler: Scheduler, subscription: Subscription, deadline: float | None
) -> None:
    """Where work runs on demand, run it up to the next callback of a thread."""
    if isinstance(scheduler, EagerScheduler):
        return
    while subscription.queue.empty():
        with scheduler.lock:
            streams = tuple(scheduler.streams.values())
        tasks = (stream.next_callback(subscription) for stream in streams)
        task = next((task for task in tasks if task is not None), None)
        if task is None or (deadline is not None and monotonic() >= deadline):
            return
        running = scheduler.advance(task)
        if running.kind is Kind.CALLBACK and running.stream.is_served_by(subscription):
            return  # it is on its way to this thread, which must not wait for its end
        scheduler.sleep((task, running), deadline)


def _queue_timeout(deadline: float | None) -> float | None:
    seconds = remaining(deadline)
    return None if seconds < 0 else seconds


class HostCalls:
    """The half of a stream that calls functions of the host."""

    scheduler: Scheduler
    device: Device
    queue: deque[Task]

    def __init__(self) -> None:
        self._subscription: Subscription | None = None
        self._calls_host = False

    def check(self) -> None:
        """Raise AclError if the stream was destroyed."""
        raise NotImplementedError

    def launch_host_func(self, function: Callable[[], object]) -> None:
        """Queue a function of the host; later tasks of the stream wait until it returned.

        Parameters
        ----------
        function : callable
            Takes no arguments. It must not wait for the device.

        Raises
        ------
        AclError
            107000 for None, 107011 if the stream has a thread for its callbacks. What it raises is
            reported as 507000 when the stream is synchronized.

        Examples
        --------
        >>> import ascendref as ar
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
        self._calls_host = True
        self.scheduler.submit(Task(cast("Stream", self), Kind.HOST, "host function", function))

    def subscribe_report(self, thread: int | None = None) -> None:
        """Let a thread run the stream's callbacks, whenever it calls `Device.process_report`.

        Parameters
        ----------
        thread : int, optional
            Its ``threading.get_ident()``; None for the calling thread.

        Raises
        ------
        AclError
            107011 if the stream has such a thread or had host functions, 107012 if the thread
            serves another device or too many threads serve.

        Examples
        --------
        >>> import threading
        >>> import ascendref as ar
        >>> stream = ar.Device("Atlas A2").create_stream()
        >>> stream.subscribe_report(threading.get_ident())
        >>> stream.destroy()
        """
        self.check()
        if self._subscription is not None or self._calls_host:
            fail(
                Status.ACL_ERROR_RT_STREAM_SUBSCRIBE,
                f"{self!r} already has a thread for its callbacks or was given host functions; use"
                " another stream",
            )
        thread = _thread_number(thread)
        subscription = _subscriptions.get(thread)
        if subscription is None and len(_subscriptions) < SUBSCRIBER_LIMIT:
            subscription = _subscriptions[thread] = Subscription(thread, self.device)
        if subscription is None or not subscription.serves(self.device):
            fail(
                Status.ACL_ERROR_RT_THREAD_SUBSCRIBE,
                f"thread {thread} serves another device, or {SUBSCRIBER_LIMIT} threads serve"
                " already",
            )
        subscription.streams += 1
        self._subscription = subscription

    def unsubscribe_report(self, thread: int | None = None) -> None:
        """Undo `subscribe_report`.

        Parameters
        ----------
        thread : int, optional
            The thread that was given there; None for the calling thread.

        Raises
        ------
        AclError
            107011 if the stream has no such thread, 107012 if it is another one.

        Examples
        --------
        >>> import ascendref as ar
        >>> stream = ar.Device("Atlas A2").create_stream()
        >>> stream.subscribe_report()
        >>> stream.unsubscribe_report()
        """
        self.check()
        if self._subscription is None:
            fail(
                Status.ACL_ERROR_RT_STREAM_SUBSCRIBE,
                f"{self!r} has no thread for its callbacks; subscribe_report sets one",
            )
        thread = _thread_number(thread)
        if self._subscription.thread != thread:
            fail(
                Status.ACL_ERROR_RT_THREAD_SUBSCRIBE,
                f"thread is {thread}; the callbacks of {self!r} belong to"
                f" {self._subscription.thread}",
            )
        self._end_subscription()

    def launch_callback(self, function: Callable[[], object], block: bool = True) -> None:
        """Queue a function for the thread that `subscribe_report` set.

        Parameters
        ----------
        function : callable
            Takes no arguments. It must not wait for the device.
        block : bool, optional
            Whether later tasks of the stream wait until it returned.

        Raises
        ------
        AclError
            107000 for None, 107015 if no thread was set, 100000 if ``block`` is not a bool.

        Examples
        --------
        >>> import ascendref as ar
        >>> stream = ar.Device("Atlas A2").create_stream()
        >>> stream.subscribe_report()
        >>> stream.launch_callback(lambda: print("meanwhile"), block=False)
        >>> stream.device.process_report()
        meanwhile
        1
        >>> stream.unsubscribe_report()
        """
        self.check()
        if block not in (0, 1):
            fail(Status.ACL_ERROR_INVALID_PARAM, f"block is {block!r}; True or False is expected")
        _check_function(function)
        subscription = self._subscription
        if subscription is None:
            fail(
                Status.ACL_ERROR_RT_STREAM_NO_CB_REG,
                f"{self!r} has no thread for its callbacks; call subscribe_report first",
            )
        task = Task(cast("Stream", self), Kind.CALLBACK if block else Kind.NOTICE, "callback")
        task.function = partial(subscription.queue.put, (task, function))
        self.scheduler.submit(task)

    def _end_subscription(self) -> None:
        subscription, self._subscription = self._subscription, None
        if subscription is not None:
            subscription.streams -= 1
            if not subscription.streams:
                _subscriptions.pop(subscription.thread, None)

    def is_served_by(self, subscription: Subscription) -> bool:
        """Tell whether a thread serves the stream's callbacks."""
        return self._subscription is subscription

    def next_callback(self, subscription: Subscription) -> Task | None:
        """Return the first callback for a thread that is still queued."""
        if not self.is_served_by(subscription):
            return None
        return next(
            (
                task
                for task in tuple(self.queue)
                if task.state is State.QUEUED and task.kind in (Kind.CALLBACK, Kind.NOTICE)
            ),
            None,
        )


def _thread_number(thread: int | None) -> int:
    return threading.get_ident() if thread is None else whole_number("thread", thread)


def _check_function(function: Callable[[], object]) -> None:
    if function is None:
        fail(Status.ACL_ERROR_RT_PARAM_INVALID, "function is None; a callable is expected")
    if not callable(function):
        raise ArgumentTypeError(
            "function", f"is a {type(function).__name__}; a callable is expected"
        )
