"""The emulated streams behind those of torch_npu."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_int32, c_void_p
from typing import Final

from ..cann.runtime.process import process
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


def is_capturing() -> bool:
    """Tell whether any stream of any device is captured."""
    devices = (slot.device for slot in process.slots)
    return any(device and device.scheduler.captures.active() for device in devices)
