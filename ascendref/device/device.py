"""The device: what users hold."""

from __future__ import annotations

import atexit
import os
import random
import warnings
import weakref
from collections.abc import Callable, Iterable
from contextlib import suppress
from operator import index
from queue import Empty
from threading import get_ident
from time import monotonic, perf_counter_ns
from typing import Any, Final, NamedTuple

from ..arrays import import_array
from ..errors import (
    AclError,
    ArgumentTypeError,
    ArgumentValueError,
    LostWorkWarning,
    fail,
)
from ..products import Product
from ..status import Status
from .copies import Copy, Range, prepare_copy, prepare_fill, resolve
from .engine import engine
from .event import Event, EventFlag
from .memory import AddressSpace, Memory
from .schedule import EagerScheduler, deadline_after, make_scheduler, remaining
from .stream import Stream, StreamFlag, Subscription, forget_subscriptions, subscription_of
from .task import Failure, Kind, Task
from .tensor import Tensor
from .trace import Trace

#: finished tasks that a device remembers for its trace
TRACE_LENGTH: Final = 16384
#: seconds that work which is queued at exit may take
EXIT_GRACE: Final = 0.7

_devices: Final[weakref.WeakSet[Device]] = weakref.WeakSet()


class Cores(NamedTuple):
    """How many cores a device has; None where that is not published."""

    #: cores for matrices
    cube: int | None
    #: cores for vectors alone
    vector: int | None


class Device:
    """An emulated Ascend device: memory, streams and events as the vendor's runtime has them.

    Parameters
    ----------
    product : str or Product
        A product family (``"Atlas A2"``), a chip (``"Ascend910B3"``) or a record.
    memory : int, optional
        Capacity in bytes; None for the product's. It costs nothing until it is used.
    execution : str, optional
        How queued work runs. ``"eager"``: as soon as it may, on a thread of its own. ``"lazy"``: as
        late as is legal, on the thread that waits, so that a missing wait shows itself every time.
        ``"random"``: any ready task may be next, also on the thread that waits.
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
    ArgumentTypeError, ArgumentValueError
        For an unknown product or execution, or a capacity below one byte.

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
        self.memory_total = self.product.memory if memory is None else index(memory)
        if not 0 < self.memory_total <= 2**43:
            raise ArgumentValueError(
                "memory", f"is {memory}; it must be at least 1 byte and at most 8 TiB"
            )
        self.execution = execution
        self.seed = random.getrandbits(32) if seed is None else seed
        self.check = check
        self.scheduler = make_scheduler(execution, trace_length, self.seed)
        self._space = AddressSpace(self.memory_total, self.product.malloc_padding)
        self._origin = perf_counter_ns()
        self.default_stream = self._add_stream(0, StreamFlag.NONE)
        _devices.add(self)

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

    @property
    def memory_free(self) -> int:
        """Bytes that are not reserved; every allocation reserves its size with padding."""
        return self._space.free_bytes

    # ---- memory

    def malloc(self, nbytes: int) -> Memory:
        """Allocate device memory.

        Parameters
        ----------
        nbytes : int
            Size in bytes.

        Returns
        -------
        Memory
            Not initialised: every byte is ``0xFF``. Freed with the last reference to it, if not
            before.

        Raises
        ------
        AclError
            100000 for a size below 1 or near 2**64, 207001 when there is not enough memory.

        Examples
        --------
        >>> import ascendref as ar
        >>> dev = ar.Device("Atlas A2", memory=1024)
        >>> memory = dev.malloc(100)
        >>> dev.memory_total - dev.memory_free
        160
        """
        return self._space.allocate(self, nbytes)

    def malloc_host(self, nbytes: int) -> Memory:
        """Allocate pinned memory of the host; `Memory.numpy` reads and writes it.

        Parameters
        ----------
        nbytes : int
            Size in bytes.

        Raises
        ------
        AclError
            100000 for a size below 1, 207001 when the host has not enough.

        Examples
        --------
        >>> import ascendref as ar
        >>> ar.Device("Atlas A2").malloc_host(4).numpy()
        array([255, 255, 255, 255], dtype=uint8)
        """
        return self._space.allocate_pinned(self, nbytes)

    def free(self, memory: Memory | int) -> None:
        """Free memory, without waiting for the work that uses it.

        Parameters
        ----------
        memory : Memory or int
            What `malloc` or `malloc_host` returned, or its address.

        Raises
        ------
        AclError
            100000 for None; 107000 for what was freed before, belongs to another device, or is not
            the beginning of an allocation.

        Examples
        --------
        >>> import ascendref as ar
        >>> dev = ar.Device("Atlas A2")
        >>> dev.free(dev.malloc(100))
        >>> dev.memory_free == dev.memory_total
        True
        """
        found = resolve(self._space, "memory", memory)
        if not isinstance(memory, Memory) and found.address != memory:
            fail(
                Status.ACL_ERROR_RT_PARAM_INVALID,
                f"memory is the address {memory:#x} inside of {found!r}; only its beginning can be"
                " freed",
            )
        self._space.release(found)

    def memcpy(self, dst: Any, src: Any, nbytes: int | None = None) -> None:
        """Copy bytes now, without waiting for any stream.

        Parameters
        ----------
        dst, src : Memory, int or array
            Device memory, an address in it, or a C-contiguous array of the host. Overlapping
            ranges are copied as if through a buffer.
        nbytes : int, optional
            How many; None for all of the array if one side is an array, else all of ``src``. With
            0, nothing else is looked at.

        Raises
        ------
        AclError
            100000 for None, 107000 for memory that is not there and for more bytes than either
            side has. Nothing is written then.
        ArgumentTypeError, ArgumentValueError
            For arrays that cannot be copied as bytes.

        Examples
        --------
        >>> import numpy as np
        >>> import ascendref as ar
        >>> dev = ar.Device("Atlas A2")
        >>> memory = dev.malloc(8)
        >>> dev.memcpy(memory, np.arange(8, dtype=np.uint8))
        >>> tail = np.empty(4, np.uint8)
        >>> dev.memcpy(tail, memory.address + 4)
        >>> tail
        array([4, 5, 6, 7], dtype=uint8)
        """
        copy = prepare_copy(self._space, dst, src, nbytes)
        if copy is not None:
            copy.run()

    def memset(self, memory: Any, value: int, nbytes: int | None = None) -> None:
        """Fill bytes now, without waiting for any stream.

        Parameters
        ----------
        memory : Memory, int or array
            As for `memcpy`.
        value : int
            Its low 8 bits go to every byte.
        nbytes : int, optional
            How many; None for all.

        Raises
        ------
        AclError
            As `memcpy`.

        Examples
        --------
        >>> import ascendref as ar
        >>> dev = ar.Device("Atlas A2")
        >>> memory = dev.malloc(8)
        >>> dev.memset(memory, 0)
        """
        fill = prepare_fill(self._space, memory, value, nbytes)
        if fill is not None:
            fill.run()

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

    def tensor(self, array: Any) -> Tensor:
        """Copy an array to new device memory and describe it.

        Parameters
        ----------
        array : array
            NumPy's, torch's (CPU) or any other that NumPy can share, in any memory order.

        Returns
        -------
        Tensor
            Contiguous. An empty one has one byte of memory.

        Raises
        ------
        ArgumentTypeError
            If it is no array, or of a type that the device lacks.
        AclError
            207001 when there is not enough memory.

        Examples
        --------
        >>> import numpy as np
        >>> import ascendref as ar
        >>> ar.Device("Atlas A2").tensor(np.zeros((2, 3), np.float16)).shape
        (2, 3)
        """
        host = import_array("array", array).array
        tensor = self.empty(host.shape, host.dtype)
        if host.size:
            # the order of the copy is C whatever the array's is
            self.memcpy(tensor.memory, host if host.flags.c_contiguous else host.copy(order="C"))
        return tensor

    def empty(self, shape: int | Iterable[int], dtype: Any) -> Tensor:
        """Allocate device memory for a contiguous tensor and describe it.

        Parameters
        ----------
        shape : int or tuple of int
            Sizes of the axes.
        dtype : dtype, str or int
            A NumPy or ml_dtypes type, or a name or number of ``aclDataType``.

        Returns
        -------
        Tensor
            Not initialised: every byte is ``0xFF``. An empty one has one byte of memory.

        Raises
        ------
        ArgumentTypeError, ArgumentValueError
            For an impossible shape or type.
        AclError
            207001 when there is not enough memory.

        Examples
        --------
        >>> import ascendref as ar
        >>> ar.Device("Atlas A2").empty(2, "float32").numpy()
        array([nan, nan], dtype=float32)
        """
        plan = Tensor(None, (shape,) if isinstance(shape, int) else shape, dtype)
        if any(size < 0 for size in plan.shape):
            raise ArgumentValueError("shape", f"is {plan.shape}; sizes must be at least 0")
        memory = self.malloc(max(1, plan.size * plan.data_type.nbytes))
        return Tensor(memory, plan.shape, plan.data_type)

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
        if not 0 <= flags <= 0x3F:
            fail(
                Status.ACL_ERROR_RT_PARAM_INVALID,
                f"flags is {flags:#x}; a combination of {', '.join(StreamFlag.__members__)} is"
                " expected",
            )
        if len(self.scheduler.streams) > self.product.stream_limit:
            fail(
                Status.ACL_ERROR_RT_NO_STREAM_RESOURCE,
                f"{self.product.stream_limit} streams exist, all that {self.product.name} has;"
                " destroy some",
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
        return Event(self, flags, ex)

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
        for task in self.scheduler.targets():
            if not self.scheduler.wait(task, deadline):
                fail(
                    Status.ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                    f"{self!r} was not done within {timeout} ms; {self._queued()} tasks are left",
                )
            if task.status is Status.ACL_ERROR_RT_STREAM_ABORT:
                fail(task.status, f"{task.stream!r} was aborted while its work was waited for")
        for stream in tuple(self.scheduler.streams.values()):
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
            How many were run. What a callback raises, its stream reports when it is synchronized.

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
        >>> stream.launch_callback(lambda: None)
        >>> dev.process_report(timeout=1000)
        1
        >>> stream.unsubscribe_report()
        """
        if timeout is not None and timeout != -1 and not timeout > 0:
            fail(
                Status.ACL_ERROR_INVALID_PARAM,
                f"timeout is {timeout}; it must be more than 0 ms, or -1 or None to wait for ever",
            )
        deadline = deadline_after(timeout)
        subscription = subscription_of(get_ident())
        if subscription is None or subscription.device is not self:
            fail(
                Status.ACL_ERROR_RT_THREAD_SUBSCRIBE,
                "this thread serves no stream of the device; call Stream.subscribe_report first",
            )
        self._bring_callback(subscription, deadline)
        done = 0
        try:
            task, function = subscription.queue.get(timeout=_queue_timeout(deadline))
            while True:
                self.scheduler.call_back(task, function)
                done += 1
                task, function = subscription.queue.get_nowait()
        except Empty:
            if not done:
                fail(
                    Status.ACL_ERROR_RT_REPORT_TIMEOUT,
                    f"no callback came for this thread within {timeout} ms",
                )
        return done

    def trace(self) -> Trace:
        """Return what the device did, the last ``trace_length`` tasks of it.

        Examples
        --------
        >>> import ascendref as ar
        >>> len(ar.Device("Atlas A2").trace())
        0
        """
        with self.scheduler.lock:
            tasks = tuple(self.scheduler.history)
        return Trace(self.soc_name, self._origin, tasks)

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
        with self.scheduler.lock:
            self.scheduler.streams[stream.number] = stream
        return stream

    def _queue_copy(self, copy: Copy, label: str, stream: Stream | None) -> None:
        task = self.launch(stream, copy.run, copy.reads, copy.writes, label)
        if copy.pageable:
            self.scheduler.wait(task, None)

    def _bring_callback(self, subscription: Subscription, deadline: float | None) -> None:
        """Where work runs on demand, run it up to the next callback of a thread."""
        while subscription.queue.empty():
            with self.scheduler.lock:
                streams = tuple(self.scheduler.streams.values())
            tasks = (stream.next_callback(subscription) for stream in streams)
            task = next((task for task in tasks if task is not None), None)
            if task is None or (deadline is not None and monotonic() >= deadline):
                return
            elsewhere = self.scheduler.advance(task)
            if elsewhere is not None:
                if isinstance(self.scheduler, EagerScheduler):
                    return
                self.scheduler.sleep(elsewhere, deadline)

    def _queued(self) -> int:
        return sum(len(stream.queue) for stream in self.scheduler.streams.values())

    def _report_lost(self) -> None:
        """Warn about work that never ran and failures that nobody asked about."""
        for stream in tuple(self.scheduler.streams.values()):
            if stream.queue:
                labels = ", ".join(dict.fromkeys(task.label for task in tuple(stream.queue)))
                warnings.warn(
                    f"{len(stream.queue)} tasks of {stream!r} never ran, because nothing waited"
                    f" for them ({labels}); synchronize before the device goes",
                    LostWorkWarning,
                    stacklevel=2,
                )
                stream.queue.clear()
            if stream.failure is not None:
                warnings.warn(
                    f"{stream.failure.message}; nothing synchronized with it",
                    LostWorkWarning,
                    stacklevel=2,
                )
                stream.failure = None

    def __del__(self) -> None:
        if hasattr(self, "default_stream"):
            self._report_lost()


def _queue_timeout(deadline: float | None) -> float | None:
    seconds = remaining(deadline)
    return None if seconds < 0 else seconds


@atexit.register
def _finish_at_exit() -> None:
    """Let queued work end, for a moment; report what is left."""
    deadline = monotonic() + EXIT_GRACE
    for device in tuple(_devices):
        if isinstance(device.scheduler, EagerScheduler):
            for task in device.scheduler.targets():
                with suppress(AclError):
                    device.scheduler.wait(task, deadline)
    engine.stop(deadline)
    for device in tuple(_devices):
        device._report_lost()


def _after_fork_in_child() -> None:
    """A child has the memory of its parent's devices, but not the threads that run their work."""
    engine.reset()
    forget_subscriptions()
    refusal = Failure(
        Status.ACL_ERROR_RT_CONTEXT_NULL,
        "the device was made before this process was forked; make a new Device in the child",
        None,
    )
    for device in tuple(_devices):
        device.scheduler.forsake(refusal)
        device._space.forsake()


os.register_at_fork(after_in_child=_after_fork_in_child)
