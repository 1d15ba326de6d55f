"""The device: what users hold."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from time import perf_counter_ns
from typing import Any, Final, NamedTuple

from ..core.errors import ArgumentTypeError, fail, fail_argument, shown
from ..core.products import Product
from ..core.status import Status
from .allocator import Allocator
from .arguments import truth, whole_number
from .atomic import Handle
from .callbacks import process_report
from .copies import Copy, Range, prepare_copy, prepare_fill
from .deadline import deadline_after
from .event import Event, EventFlag
from .inside import refuse_inside
from .lifecycle import enrol, report_lost
from .memory import AddressSpace
from .schedule import make_scheduler
from .stream import Stream, StreamFlag
from .task import Kind, State, Task
from .trace import Trace

#: finished tasks that a device remembers for its trace
TRACE_LENGTH: Final = 16384


class Cores(NamedTuple):
    """How many cores a device has; None where that is not published."""

    #: cores for matrices
    cube: int | None
    #: cores for vectors alone
    vector: int | None


class Device(Allocator, Handle):
    """An emulated Ascend device: memory, streams and events as the vendor's runtime has them.

    Parameters
    ----------
    product : str or Product
        A product family (``"Atlas A2"``), a chip (``"Ascend910B3"``) or a record.
    memory : int, optional
        Capacity in bytes; None for the product's. It costs nothing until it is used.
    execution : str, optional
        When queued work runs. ``"eager"``: as soon as it may. ``"lazy"``: as late as is legal, when
        something waits for it, so that a missing wait shows itself every time. ``"random"``: also
        then, but any ready task may be next; functions of the host only if they are waited for.
    seed : int, optional
        The order of ``"random"``: the same program with the same seed runs in the same order. None
        draws one; the attribute tells which.
    check : bool, optional
        Kept for the checker.
    trace_length : int, optional
        How many finished tasks `trace` remembers.

    Attributes
    ----------
    product : Product
        What it emulates.
    memory_total : int
        Capacity in bytes.
    execution : str
        As given.
    seed : int
        As given or drawn.
    check : bool
        As given.
    default_stream : Stream
        Where work goes that names no stream.

    Raises
    ------
    AclError
        100000 for an unknown product or execution, for a capacity below one byte, and for a
        ``trace_length`` below 0.
    ArgumentTypeError
        For what is no name, no number and no truth value.

    Examples
    --------
    >>> import numpy as np
    >>> import ascendref as ar
    >>> dev = ar.Device("Atlas A2")
    >>> memory = dev.malloc(8)
    >>> dev.memcpy(memory, np.float32([1, 2]))
    >>> result = np.empty(2, np.float32)
    >>> dev.memcpy(result, memory)
    >>> result
    array([1., 2.], dtype=float32)
    """

    def __init__(
        self,
        product: str | Product,
        *,
        memory: int | None = None,
        execution: str = "eager",
        seed: int | None = None,
        check: bool = True,
        trace_length: int = TRACE_LENGTH,
    ) -> None:
        self.product = Product.find(product)
        capacity = self.product.memory if memory is None else whole_number("memory", memory)
        if not 0 < capacity <= 2**43:
            fail_argument(
                Status.ACL_ERROR_INVALID_PARAM,
                "memory",
                f"is {shown(memory)}; it must be at least 1 byte and at most 8 TiB",
            )
        remembered = whole_number("trace_length", trace_length)
        if not 0 <= remembered <= sys.maxsize:
            fail_argument(
                Status.ACL_ERROR_INVALID_PARAM,
                "trace_length",
                f"is {shown(trace_length)}; a number of tasks from 0 on is expected",
            )
        self.execution = execution
        self.seed = random.getrandbits(32) if seed is None else whole_number("seed", seed)
        self.check = truth("check", check)
        self.scheduler = make_scheduler(execution, remembered, self.seed)
        super().__init__(AddressSpace(self, capacity, self.product.malloc_padding))
        self._origin = perf_counter_ns()
        self.default_stream = self._add_stream(0, StreamFlag.NONE)
        enrol(self)

    def __repr__(self) -> str:
        return f"<{self.soc_name} ({self.product.name}), {self.execution}>"

    @property
    def soc_name(self) -> str:
        """Full name of the chip."""
        return self.product.soc_name

    @property
    def cores(self) -> Cores:
        """How many cores it has."""
        return Cores(self.product.cube_cores, self.product.vector_cores)

    def memcpy_async(
        self, dst: Any, src: Any, nbytes: int | None = None, *, stream: Stream | None = None
    ) -> None:
        """Queue a copy on a stream.

        Parameters
        ----------
        dst, src, nbytes
            As for `memcpy`. With an array that is not in pinned memory, the call waits until the
            copy is done.
        stream : Stream, optional
            None for the default stream.

        Raises
        ------
        AclError
            As `memcpy`, and 107003 for a stream of another device, 107017 for a destroyed one.

        Examples
        --------
        >>> import ascendref as ar
        >>> dev = ar.Device("Atlas A2")
        >>> a, b = dev.malloc(8), dev.malloc(8)
        >>> dev.memcpy_async(a, b)
        >>> dev.synchronize()
        """
        copy = prepare_copy(self._space, dst, src, nbytes)
        if copy is not None:
            self._queue_copy(copy, "memcpy_async", stream)

    def memset_async(
        self, memory: Any, value: int, nbytes: int | None = None, *, stream: Stream | None = None
    ) -> None:
        """Queue a fill on a stream.

        Parameters
        ----------
        memory, value, nbytes
            As for `memset`.
        stream : Stream, optional
            None for the default stream.

        Raises
        ------
        AclError
            As `memcpy_async`.

        Examples
        --------
        >>> import ascendref as ar
        >>> dev = ar.Device("Atlas A2")
        >>> dev.memset_async(dev.malloc(8), 0)
        >>> dev.synchronize()
        """
        fill = prepare_fill(self._space, memory, value, nbytes)
        if fill is not None:
            self._queue_copy(fill, "memset_async", stream)

    # ---- streams and events

    def create_stream(self, priority: int = 0, flags: int = 0) -> Stream:
        """Make a stream.

        Parameters
        ----------
        priority : int, optional
            From 0, the highest, to 7; what is outside counts as the nearest.
        flags : StreamFlag or int, optional
            A combination. Streams with PERSISTENT, CPU_SCHEDULE or DEVICE_USE_ONLY are not waited
            for by `Stream.synchronize`.

        Raises
        ------
        AclError
            107000 for unknown flags, 207008 when the product has no more streams.

        Examples
        --------
        >>> import ascendref as ar
        >>> ar.Device("Atlas A2").create_stream(priority=99).priority
        7
        """
        flags = whole_number("flags", flags)
        if not 0 <= flags <= 0x3F:
            fail(
                Status.ACL_ERROR_RT_PARAM_INVALID,
                f"flags is {flags:#x}; a combination of {', '.join(StreamFlag.__members__)} is"
                " expected",
            )
        return self._add_stream(priority, StreamFlag(flags))

    def create_event(
        self, flags: int = EventFlag.SYNC | EventFlag.TIME_LINE, *, ex: bool = True
    ) -> Event:
        """Make an event.

        Parameters
        ----------
        flags : EventFlag or int, optional
            What it is for: SYNC to be waited for by streams, TIME_LINE to tell the time.
        ex : bool, optional
            Whether it can be recorded again without a reset, as ``aclrtCreateEventExWithFlag``
            makes them; False as ``aclrtCreateEventWithFlag`` does.

        Raises
        ------
        AclError
            107000 for flags that the style does not take.

        Examples
        --------
        >>> import ascendref as ar
        >>> ar.Device("Atlas A2").create_event().ex
        True
        """
        return Event(self, flags, truth("ex", ex))

    def synchronize(self, timeout: float | None = None) -> None:
        """Wait until everything that was submitted so far is done, on all streams.

        Parameters
        ----------
        timeout : float, optional
            Milliseconds to wait at most; None and -1 wait for ever.

        Raises
        ------
        AclError
            As `Stream.synchronize`; of several streams with failures, the oldest reports, and the
            others keep theirs.

        Examples
        --------
        >>> import ascendref as ar
        >>> ar.Device("Atlas A2").synchronize()
        """
        deadline = deadline_after(timeout)
        self.scheduler.check()
        tasks = self.scheduler.targets()
        if not self.scheduler.wait(tasks, deadline):
            fail(
                Status.ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                f"{self!r} was not done within {shown(timeout)} ms; {self._queued()} tasks are"
                " left",
            )
        for task in tasks:
            if task.status is Status.ACL_ERROR_RT_STREAM_ABORT:
                fail(task.status, f"{task.stream!r} was aborted while its work was waited for")
        for stream in list(self.scheduler.streams.values()):
            self.scheduler.report(stream)

    def process_report(self, timeout: float | None = None) -> int:
        """Run the callbacks that are due on the calling thread.

        Parameters
        ----------
        timeout : float, optional
            Milliseconds to wait for the first; None and -1 wait for ever.

        Returns
        -------
        int
            How many were run. What a callback raises, its stream reports when it is synchronized;
            an interrupt (KeyboardInterrupt, SystemExit) comes out of this call, and the callbacks
            behind stay due.

        Raises
        ------
        AclError
            100000 for a timeout of 0 or below -1, 107012 if no stream of the device was subscribed
            by this thread, 507012 when none came in time.

        Examples
        --------
        >>> import ascendref as ar
        >>> dev = ar.Device("Atlas A2")
        >>> stream = dev.create_stream()
        >>> stream.subscribe_report()
        >>> stream.launch_callback(lambda: print("called back"))
        >>> dev.process_report(timeout=1000)
        called back
        1
        >>> stream.unsubscribe_report()
        """
        return process_report(self, timeout)

    def trace(self) -> Trace:
        """Return what the device did, the last ``trace_length`` tasks of it.

        Examples
        --------
        >>> import ascendref as ar
        >>> len(ar.Device("Atlas A2").trace())
        0
        """
        tasks = dict.fromkeys(list(self.scheduler.history))
        return Trace(
            self.soc_name, self._origin, [task for task in tasks if task.state is State.DONE]
        )

    # ---- for the layers above

    def launch(
        self,
        stream: Stream | None,
        function: Callable[[], object],
        reads: tuple[Range, ...],
        writes: tuple[Range, ...],
        label: str,
    ) -> Task:
        """Queue a function that works on device memory; it runs while no other kernel does."""
        task = Task(self.own_stream(stream), Kind.KERNEL, label, function, reads, writes)
        self.scheduler.submit(task)
        return task

    def own_stream(self, stream: Stream | None) -> Stream:
        """Return a stream that work can be queued on: one of this device; None is the default."""
        if stream is None:
            return self.default_stream
        if not isinstance(stream, Stream):
            raise ArgumentTypeError(
                "stream", f"is a {type(stream).__name__}; a Stream or None is expected"
            )
        stream.check()
        if stream.device is not self:
            fail(
                Status.ACL_ERROR_RT_STREAM_CONTEXT,
                f"stream is {stream!r}, which belongs to another device than this {self!r}",
            )
        return stream

    def _add_stream(self, priority: int, flags: StreamFlag) -> Stream:
        stream = Stream(self, priority, flags)
        try:
            self.scheduler.add(stream, self.product.stream_limit)
            return stream
        except BaseException:  # nobody got it
            self.scheduler.streams.pop(stream.number, None)
            raise

    def _queue_copy(self, copy: Copy, label: str, stream: Stream | None) -> None:
        if copy.pageable:
            refuse_inside()
        task = self.launch(stream, copy.run, copy.reads, copy.writes, label)
        if copy.pageable:
            self.scheduler.wait((task,), None)
            if task.status is Status.ACL_ERROR_RT_STREAM_ABORT:
                fail(task.status, f"{task.stream!r} was aborted before the copy ran")

    def _queued(self) -> int:
        return sum(len(stream.queue) for stream in list(self.scheduler.streams.values()))

    def __del__(self) -> None:
        if hasattr(self, "default_stream"):
            report_lost(self)
