"""The devices and contexts of the process, and the current context of every thread."""

import os
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from ...core.errors import AclError, fail
from ...core.status import Status
from ...device.checker.ordering import HOST, Timeline
from ...device.device import Device
from ...device.handle import Handle
from ...device.memory.address_space import Memory
from ...device.memory.virtual_memory import ReservedMemory
from ...device.streams.stream import Stream
from .settings import Settings, read_settings


class Context(Handle):
    """A context: a device with the streams that were created while it was current."""

    def __init__(self, number: int, device: Device, primary: bool) -> None:
        #: number of the device
        self.number = number
        self.device = device
        #: whether it is the one that ``aclrtSetDevice`` creates, which all threads share
        self.primary = primary
        #: the stream of calls that name none
        self.default_stream = device.default_stream if primary else device.create_stream()
        self.default_stream.is_default = True
        #: the streams created in it, by number, without the default stream
        self.streams: dict[int, Stream] = {}
        #: system parameters set for it
        self.parameters: dict[int, int] = {}
        self.alive = True

    def __repr__(self) -> str:
        kind = "primary context" if self.primary else "context"
        return f"<{kind} of device {self.number}{'' if self.alive else ', destroyed'}>"

    def owns(self, stream: Stream) -> bool:
        """Tell whether a stream was created in it."""
        return stream is self.default_stream or stream.number in self.streams

    def end(self) -> None:
        """Wait for its work, then destroy it and its streams."""
        self.alive = False
        streams = list(self.streams.values())
        self.streams.clear()
        if not self.primary:
            streams.append(self.default_stream)
        else:
            with suppress(AclError):  # nothing is left that could ask
                self.default_stream.synchronize()
        for stream in streams:
            if stream.alive:
                with suppress(AclError):
                    stream.destroy(force=stream.captured)


class Slot:
    """A slot for a device, which is created on first use, and its primary context."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.device: Device | None = None
        self.primary: Context | None = None
        #: calls of ``aclrtSetDevice`` not yet undone by ``aclrtResetDevice``
        self.users = 0
        #: contexts of ``aclrtCreateContext`` that have not been destroyed
        self.contexts: set[Context] = set()
        #: limits on the process's cores of each kind, if set
        self.limits: dict[int, int] = {}


class _Thread(threading.local):
    context: Context | None = None
    #: the stream whose core limits it uses
    limited_by: Stream | None = None


class Process:
    """The state shared by the functions of the C library."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        #: numbers of operator runs, by name
        self.launches: Counter[str] = Counter()
        #: memory that has not been freed, by address; keeps it alive
        self.memories: dict[int, Memory] = {}
        #: reserved memory, by its first address
        self.reservations: dict[int, ReservedMemory] = {}
        #: whether memory left at a device's last reset is a leak rather than an allocator's cache
        self.finds_leaks = True
        #: whether a failure clears the thread's earlier ones: torch_npu handles some without asking
        #: for them, such as those of calls that find out whether there is a device or memory
        self.forgets_failures = False
        self.reset()

    def reset(self) -> None:
        """Start over without devices, as a forked child must."""
        self.slots = [Slot(number) for number in range(self.settings.devices)]
        #: devices that a reset has replaced, whose work belongs to the timeline
        self.replaced: list[Device] = []
        self.thread = _Thread()
        #: held while a thread changes devices, primary contexts or counts
        self.lock = threading.RLock()
        #: the program's timeline, which orders the work of its devices
        self.host = Timeline(HOST)
        #: the device of threads that set none, from the configuration file
        self.default_device: int | None = None

    def slot(self, number: int) -> Slot:
        """Return the slot of a device, or raise 107001."""
        if not 0 <= number < len(self.slots):
            fail(
                Status.ACL_ERROR_RT_INVALID_DEVICEID,
                f"deviceId is {number}; there are {len(self.slots)} devices, from 0 on"
                " (ASCENDREF_DEVICES sets how many)",
            )
        return self.slots[number]

    def device(self, number: int) -> Device:
        slot, settings = self.slot(number), self.settings
        with self.lock:
            if slot.device is None:
                slot.device = Device(
                    settings.product,
                    memory=settings.memory,
                    execution=settings.execution,
                    seed=settings.seed,
                    check=False,  # only the runtime's codes, unless ASCENDREF_CHECK says otherwise
                )
                if slot.device.checker is not None:
                    slot.device.checker.host = self.host
            return slot.device

    def primary(self, number: int) -> Context:
        slot = self.slot(number)
        with self.lock:
            if slot.primary is None:
                slot.primary = Context(number, self.device(number), primary=True)
            return slot.primary

    def count(self, name: str) -> None:
        """Count a run of an operator."""
        with self.lock:
            self.launches[name] += 1

    def find_leaks(self, slot: Slot) -> None:
        """Let the checker collect memory that is not freed when a device is no longer used.

        If a hazard made a call fail, the program may have stopped early, so nothing is reported.
        """
        devices = [other.device for other in self.slots if other.device is not None]
        if any(x.checker is not None and x.checker.reports.stopped for x in devices):
            return
        if self.finds_leaks and slot.device is not None:
            slot.device.find_leaks()

    def find_stream(self, number: int) -> Stream:
        """Return a living stream of any device by its number."""
        devices = [slot.device for slot in self.slots if slot.device is not None]
        (stream,) = [x.scheduler.streams[number] for x in devices if number in x.scheduler.streams]
        assert isinstance(stream, Stream)
        return stream

    def number_of(self, device: object) -> str:
        """Return the number of a device, for messages."""
        return next((str(x.number) for x in self.slots if x.device is device), "?")

    @property
    def context(self) -> Context | None:
        """The context of the calling thread; if it never had one, that of the default device."""
        context = self.thread.context
        if context is None and self.default_device is not None:
            return self.primary(self.default_device)
        return context

    def current(self) -> Context:
        """Return the current context of the calling thread, or raise 107002."""
        context = self.context
        if context is None or not context.alive:
            fail(
                Status.ACL_ERROR_RT_CONTEXT_NULL,
                f"this thread has no current context{'' if context is None else ' any more'}; call"
                " aclrtSetDevice on it first",
            )
        return context

    def stream(self, stream: Stream | None) -> Stream:
        """Return a stream argument; NULL is the default stream of the current context."""
        return self.current().default_stream if stream is None else stream

    def own_stream(self, stream: Stream | None) -> Stream:
        """Return a stream argument that must belong to the current context, or raise 107003."""
        context = self.current()
        if stream is None:
            return context.default_stream
        if not context.owns(stream):
            stream.check()
            problem = f"stream is {stream!r}, which does not belong to the current {context!r}"
            fail(Status.ACL_ERROR_RT_STREAM_CONTEXT, problem)
        return stream


process: Final = Process(read_settings())


def of_own_stream(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of a stream of the current context; NULL is its default stream."""
    return lambda stream, *arguments: method(process.own_stream(stream), *arguments)


def on_own_stream(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of an object and such a stream."""
    return lambda one, stream: method(one, process.own_stream(stream))


os.register_at_fork(after_in_child=process.reset)
