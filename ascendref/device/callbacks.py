"""Functions of the host that streams call."""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context
from operator import length_hint
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from ..core.dtypes import is_integer
from ..core.errors import AclError, ArgumentTypeError, fail, shown
from ..core.status import Status
from .arguments import whole_number
from .deadline import deadline_after, remaining
from .engine import engine
from .inside import is_inside
from .schedule import EagerScheduler, Scheduler
from .task import Failure, Kind, State, Task

if TYPE_CHECKING:
    from .device import Device
    from .stream import Stream

#: threads of a process that may serve callbacks at a time
SUBSCRIBER_LIMIT: Final = 1024


class Call:
    """A function that a task hands to the thread that serves its stream."""

    __slots__ = ("_function", "_subscription", "failure", "task")

    def __init__(
        self, task: Task, function: Callable[[], object], subscription: Subscription
    ) -> None:
        self.task = task
        #: what it raised
        self.failure: Failure | None = None
        self._subscription = subscription
        #: gives the function once
        self._function = iter((function,))

    @property
    def begun(self) -> bool:
        """Whether the function was called."""
        return not length_hint(self._function)

    @property
    def lost(self) -> bool:
        """Whether nobody is going to call the function any more."""
        return not (self.begun or self.task.stream.is_served_by(self._subscription))

    def hand_over(self) -> None:
        """Give it to the thread; what the task does."""
        subscription = self._subscription
        subscription.calls.append(self)
        if self.lost:
            self.end()
        subscription.ring()

    def run(self, context: Context) -> None:
        """Call the function, unless it was called before."""
        # in one step of the interpreter it is taken and called: no interrupt comes in between
        calls = map(context.run, self._function)
        if not self.begun:
            next(calls)

    def end(self) -> None:
        """End the task, or what is left to do about one that ended."""
        scheduler, task = self.task.stream.scheduler, self.task
        if self.lost and not task.stream.listed:
            scheduler.settle(task, Status.ACL_ERROR_RT_STREAM_ABORT)
        elif self.lost:
            self.failure = task.failure(
                AclError(
                    Status.ACL_ERROR_RT_STREAM_NO_CB_REG,
                    "its stream has lost the thread for its callbacks; process them before"
                    " unsubscribe_report",
                )
            )
        if task.kind is Kind.CALLBACK:
            scheduler.finish(task, self.failure)
        elif self.failure is not None:
            scheduler.note(task.stream, self.failure)
        with suppress(ValueError):
            self._subscription.calls.remove(self)

    def recover(self) -> None:
        """End the task if nobody else is going to: a wait for it begins."""
        left = self.begun and self._subscription.thread == threading.get_ident() and not is_inside()
        if left or self.lost:
            self.end()


class Subscription:
    """A thread that serves the callbacks of some streams of a device."""

    __slots__ = ("_bell", "_device", "calls", "thread")

    def __init__(self, thread: int, device: Device) -> None:
        self.thread = thread
        #: what was handed over and did not end yet, in order
        self.calls: deque[Call] = deque()
        self._device = weakref.ref(device)
        #: released while there may be something new
        self._bell = threading.Lock()
        self._bell.acquire()

    def belongs_to(self, device: Device) -> bool:
        """Tell whether it is for that device's streams."""
        return self._device() is device

    @property
    def active(self) -> bool:
        """Whether the thread serves any stream."""
        device = self._device()
        return device is not None and any(
            stream.is_served_by(self) for stream in list(device.scheduler.streams.values())
        )

    def next_call(self) -> Call | None:
        """Return the first call that did not begin; end those that nobody is at."""
        for call in list(self.calls):
            call.recover()
        return next((call for call in list(self.calls) if not call.begun), None)

    def ring(self) -> None:
        """Wake the thread."""
        with suppress(RuntimeError):  # it is awake
            self._bell.release()

    def wait(self, deadline: float | None) -> bool:
        """Wait until there may be something new; False when the deadline passed first."""
        deadline = engine.help_out((), deadline)
        return self._bell.acquire(timeout=remaining(deadline))


#: threads -> what they serve; those that serve nothing count for nothing
_subscriptions: Final[dict[int, Subscription]] = {}


def forget_subscriptions() -> None:
    """Let no thread serve any callbacks any more."""
    _subscriptions.clear()


def _subscribe(thread: int, device: Device) -> Subscription | None:
    """Return what a thread serves a device's streams by; None if it cannot."""
    known = _subscriptions.get(thread)
    if known is not None and known.belongs_to(device):
        return known
    if known is not None and known.active:
        return None
    if len(_subscriptions) >= SUBSCRIBER_LIMIT:
        for number, other in list(_subscriptions.items()):
            if not other.active:
                _subscriptions.pop(number, None)
        if len(_subscriptions) >= SUBSCRIBER_LIMIT:
            return None
    _subscriptions[thread] = Subscription(thread, device)
    return _subscriptions[thread]


def process_report(device: Device, timeout: float | None) -> int:
    """Run the callbacks of a device that are due on the calling thread; return how many."""
    deadline = deadline_after(timeout, Status.ACL_ERROR_INVALID_PARAM)
    subscription = _subscriptions.get(threading.get_ident())
    if subscription is None or not (subscription.belongs_to(device) and subscription.active):
        fail(
            Status.ACL_ERROR_RT_THREAD_SUBSCRIBE,
            "this thread serves no stream of the device; call Stream.subscribe_report first",
        )
    _bring_callback(device.scheduler, subscription, deadline)
    done = 0
    while True:
        call = subscription.next_call()
        if call is not None:
            device.scheduler.call_back(call)
            done += 1
        elif done:
            return done
        elif not subscription.wait(deadline):
            fail(
                Status.ACL_ERROR_RT_REPORT_TIMEOUT,
                f"no callback came for this thread within {shown(timeout)} ms",
            )


def _bring_callback(
    scheduler: Scheduler, subscription: Subscription, deadline: float | None
) -> None:
    """Let work run up to the next callback of a thread."""
    while subscription.next_call() is None:
        tasks = (stream.next_callback(subscription) for stream in list(scheduler.streams.values()))
        task = next((task for task in tasks if task is not None), None)
        if task is None or (deadline is not None and monotonic() >= deadline):
            return
        running = scheduler.advance(task)
        if isinstance(scheduler, EagerScheduler):
            return  # the engine does the rest
        if running.kind is Kind.CALLBACK and running.stream.is_served_by(subscription):
            return  # it is on its way to this thread, which must not wait for its end
        scheduler.sleep((task, running), deadline)


class HostCalls:
    """The half of a stream that calls functions of the host."""

    scheduler: Scheduler
    device: Device
    queue: deque[Task]

    def __init__(self) -> None:
        self._subscription: Subscription | None = None
        self._calls_host = False

    @property
    def listed(self) -> bool:
        """Whether the tasks of the stream still run."""
        raise NotImplementedError

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
        subscription = _subscribe(thread, self.device)
        if subscription is None:
            fail(
                Status.ACL_ERROR_RT_THREAD_SUBSCRIBE,
                f"thread {shown(thread)} serves another device, or {SUBSCRIBER_LIMIT} threads serve"
                " already",
            )
        self._subscription = subscription

    def unsubscribe_report(self, thread: int | None = None) -> None:
        """Undo `subscribe_report`.

        Callbacks that did not begin are not called any more; the stream goes on behind them and
        reports 107015 for them when it is synchronized.

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
                f"thread is {shown(thread)}; the callbacks of {self!r} belong to"
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
        given: Any = block
        if not (isinstance(given, np.bool) or (is_integer(given) and given in (0, 1))):
            fail(
                Status.ACL_ERROR_INVALID_PARAM,
                f"block is {shown(block)}; True or False is expected",
            )
        _check_function(function)
        subscription = self._subscription
        if subscription is None:
            fail(
                Status.ACL_ERROR_RT_STREAM_NO_CB_REG,
                f"{self!r} has no thread for its callbacks; call subscribe_report first",
            )
        task = Task(cast("Stream", self), Kind.CALLBACK if block else Kind.NOTICE, "callback")
        task.call = Call(task, function, subscription)
        task.function = task.call.hand_over
        self.scheduler.submit(task)

    def _end_subscription(self) -> None:
        subscription, self._subscription = self._subscription, None
        if subscription is not None:
            for call in list(subscription.calls):
                if call.lost:
                    call.end()

    def is_served_by(self, subscription: Subscription) -> bool:
        """Tell whether a thread serves the stream's callbacks."""
        return self.listed and self._subscription is subscription

    def next_callback(self, subscription: Subscription) -> Task | None:
        """Return the first callback for a thread that is still queued."""
        if not self.is_served_by(subscription):
            return None
        return next(
            (
                task
                for task in list(self.queue)
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
