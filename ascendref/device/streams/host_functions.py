"""The calls of a stream that queue host functions."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np

from ...core.dtypes import is_integer
from ...core.errors import ArgumentTypeError, fail, shown
from ...core.status import Status
from ..arguments import integer
from ..scheduling.scheduler import Scheduler
from ..scheduling.task import Kind, Task
from .callbacks import SUBSCRIBER_LIMIT, Callback, CallbackStream, subscription_of


class HostFunctionStream(CallbackStream):
    """A stream that runs host functions and passes callbacks to a thread."""

    def __init__(self, scheduler: Scheduler) -> None:
        super().__init__(scheduler)
        self._has_host_functions = False

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
        self._has_host_functions = True
        self.scheduler.submit(Task(self, Kind.HOST, "host function", function))

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
        self.end_subscription()

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
        given: object = block
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
        task = Task(self, Kind.CALLBACK if block else Kind.NOTICE, "callback")
        callback = Callback(self, task, function, subscription)
        task.function, task.recover = callback.post, callback.recover
        task.thread = callback.thread
        self.scheduler.submit(task)


def _thread_number(thread: int | None) -> int:
    return threading.get_ident() if thread is None else integer("thread", thread)


def _check_function(function: Callable[[], object]) -> None:
    if function is None:
        fail(Status.ACL_ERROR_RT_PARAM_INVALID, "function is None; a callable is expected")
    if not callable(function):
        raise ArgumentTypeError(
            "function", f"is a {type(function).__name__}; a callable is expected"
        )
