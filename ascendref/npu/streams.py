"""The emulated streams behind those of torch_npu."""

import ctypes
from collections.abc import Sequence
from ctypes import byref, c_int32, c_void_p
from typing import Final

from ..cann.runtime.process import process
from ..device.checker.checker import Access
from ..device.streams.stream import Stream
from .root import LIBRARY

#: streams by the numbers of torch_npu's device and stream
_streams: Final[dict[tuple[int, int], Stream]] = {}


def current_stream(device: int | None, number: int | None = None) -> Stream:
    """Return the current stream of a device; ``number`` is torch_npu's for it, if it is known."""
    stream = None if number is None or device is None else _streams.get((device, number))
    if stream is None:
        import torch_npu

        theirs = torch_npu.npu.current_stream(device)
        found = c_int32()
        ctypes.CDLL(LIBRARY).aclrtStreamGetId(c_void_p(theirs.npu_stream), byref(found))
        stream = process.find_stream(found.value)
        _streams[theirs.device_index, theirs.stream_id] = stream
    return stream


def wait_for(stream: Stream) -> None:
    """Wait until the calling thread may run a stream's next task; the program has not waited."""
    stream.check()
    stream.scheduler.make_way(stream)


def tell_checker(
    stream: Stream,
    call: str,
    reads: Sequence[Access] = (),
    writes: Sequence[Access] = (),
    *,
    waits: bool,
) -> None:
    """Report a task of a stream that the calling thread runs, and whether the call waits for it.

    Reads of unwritten memory are allowed: some operators use only the shape of an argument.
    """
    checker = stream.scheduler.checker
    if checker is None:
        return
    if reads or writes:
        checker.run_at_once(stream.timeline, call, reads, writes)
    if waits:
        checker.reach(checker.knowledge(stream.timeline))
