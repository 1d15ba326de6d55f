"""The emulated device, as programs create it."""

from typing import Final, Literal

from ..core.errors import fail, fail_argument, shown
from ..core.products import Product
from ..core.status import Status
from .arguments import boolean, integer
from .memory.address_space import AddressSpace
from .memory.device_memory import DeviceMemory
from .process import register, warn_about_lost_work
from .streams.callbacks import process_report
from .streams.event import Event, EventFlag
from .streams.notify import Notify
from .streams.stream import Stream, StreamFlag

#: finished tasks that `Device.trace` keeps by default
TRACE_LENGTH: Final = 16384


class Device(DeviceMemory):
    """An emulated Ascend device: memory, streams and events as in the vendor's runtime.

    A device belongs to the process that created it. In a forked child, every call on it or on its
    streams, events, memory, tensors and executors only raises 107002; attributes can be read.

    Parameters
    ----------
    product : str or Product
        A product family (``"Atlas A2"``), a chip (``"Ascend910B3"``) or a `Product`.
    memory : int, optional
        Capacity in bytes; None for the product's. Host memory is used only when it is accessed.
    execution : str, optional
        When queued work runs. ``"eager"``: as soon as possible. ``"lazy"``: as late as possible,
        only when something waits for it, so a missing wait shows in every run. ``"random"``: also
        when something waits, but any ready task may run first (host functions only if something
        waits for them).
    seed : int, optional
        Seed of the order for ``"random"``: the same program with the same seed runs in the same
        order. None draws one; see the attribute ``seed``.
    check : bool or "report", optional
        Whether to detect races, lifetime errors, reads of memory that was never written, and waits
        without effect. A hazard raises HazardError; with ``"report"`` it is collected in `hazards`
        instead.
    trace_length : int, optional
        Number of finished tasks that `trace` keeps.

    Attributes
    ----------
    product : Product
        The emulated product.
    memory_total : int
        Capacity in bytes.
    execution : str
        As given.
    seed : int
        The seed, given or drawn.
    check : bool or "report"
        As given.
    hazards : list of HazardError
        The hazards found so far, each once.
    default_stream : Stream
        The stream used by calls that name none.

    Raises
    ------
    AclError
        100000 for an unknown product or execution mode, a capacity below one byte or a negative
        ``trace_length``.
    ArgumentTypeError
        If an argument has the wrong type.

    Examples
    --------
    >>> dev = ar.Device("Atlas A2")
    >>> memory = dev.malloc(8)
    >>> dev.memcpy(memory, np.float32([1, 2]))
    >>> result = np.empty(2, np.float32)
    >>> dev.memcpy(result, memory)
    >>> result
    array([1., 2.], dtype=float32)
    """

    default_stream: Stream

    def __init__(
        self,
        product: str | Product,
        *,
        memory: int | None = None,
        execution: str = "eager",
        seed: int | None = None,
        check: bool | Literal["report"] = True,
        trace_length: int = TRACE_LENGTH,
    ) -> None:
        found = Product.find(product)
        capacity = found.memory if memory is None else integer("memory", memory)
        if not 0 < capacity <= 2**43:
            problem = f"is {shown(memory)}; it must be ≥ 1 byte and ≤ 8 TiB"
            fail_argument(Status.ACL_ERROR_INVALID_PARAM, "memory", problem)
        super().__init__(found, execution, seed, check, trace_length)
        self.address_space = AddressSpace(self, capacity, found.malloc_padding)
        self.default_stream = self._add_stream(0, StreamFlag.NONE)
        self.default_stream.is_default = True
        register(self.scheduler)

    def create_stream(self, priority: int = 0, flags: int = 0) -> Stream:
        """Create a stream.

        Parameters
        ----------
        priority : int, optional
            From 0 (highest) to 7; other values are clipped.
        flags : StreamFlag or int, optional
            A combination of flags. `Stream.synchronize` does not wait for streams with PERSISTENT,
            CPU_SCHEDULE or DEVICE_USE_ONLY.

        Raises
        ------
        AclError
            107000 for unknown flags, 207008 if all streams of the product are in use.

        Examples
        --------
        >>> ar.Device("Atlas A2").create_stream(priority=99).priority
        7
        """
        self.check_process()
        flags = integer("flags", flags)
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
        """Create an event.

        Parameters
        ----------
        flags : EventFlag or int, optional
            The event's purpose: SYNC if streams wait for it, TIME_LINE if it measures time.
        ex : bool, optional
            If True, the event can be recorded again without a reset, like those of
            ``aclrtCreateEventExWithFlag``; if False, it is like those of
            ``aclrtCreateEventWithFlag``.

        Raises
        ------
        AclError
            107000 for flags that this style of event does not allow.

        Examples
        --------
        >>> ar.Device("Atlas A2").create_event().ex
        True
        """
        self.check_process()
        return Event(self, flags, boolean("ex", ex))

    def create_notify(self) -> Notify:
        """Create a notify, which orders streams: each record releases one wait.

        Examples
        --------
        >>> dev = ar.Device("Atlas A2")
        >>> notify, consumer = dev.create_notify(), dev.create_stream()
        >>> notify.wait(consumer)
        >>> notify.record()
        """
        self.check_process()
        return Notify(self)

    def process_report(self, timeout: float | None = None) -> int:
        """Run the pending callbacks of the calling thread.

        Parameters
        ----------
        timeout : float, optional
            Milliseconds to wait for the first callback; None or -1 waits for ever.

        Returns
        -------
        int
            Number of callbacks that ran. An exception from a callback is reported when its stream
            is synchronized. An interrupt (KeyboardInterrupt, SystemExit) is raised by this call,
            and later callbacks stay pending.

        Raises
        ------
        AclError
            100000 for a timeout of 0 or below -1, 107012 if this thread serves no stream of the
            device, 507012 if no callback arrived in time.

        Examples
        --------
        >>> dev = ar.Device("Atlas A2")
        >>> stream = dev.create_stream()
        >>> stream.subscribe_report()
        >>> stream.launch_callback(lambda: print("called back"))
        >>> dev.process_report(timeout=1000)
        called back
        1
        >>> stream.unsubscribe_report()
        """
        self.check_process()
        return process_report(self.scheduler, timeout)

    def _add_stream(self, priority: int, flags: StreamFlag) -> Stream:
        stream = Stream(self, priority, flags)
        try:
            self.scheduler.add_stream(stream, self.product)
            return stream
        except BaseException:  # the caller does not get it
            self.scheduler.streams.pop(stream.number, None)
            raise

    def __del__(self) -> None:
        if hasattr(self, "default_stream"):
            warn_about_lost_work(self.scheduler)
