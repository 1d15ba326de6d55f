"""Messages between two ranks.

A message is sent in two parts, which have tags: the number and the type of its elements, then the
elements.
"""

import ctypes
import threading
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import torch

from ...device.checker.checker import Access
from .communicators import Communicator, find_communicator, mismatch
from .elements import TYPES, Buffer, described, element_type, refuse

_HEAD, _BODY = 0, 1


class _Item(ctypes.Structure):
    """``HcclSendRecvItem``."""

    _fields_ = (
        ("receives", ctypes.c_int32),
        ("buf", ctypes.c_void_p),
        ("count", ctypes.c_uint64),
        ("type", ctypes.c_int32),
        ("rank", ctypes.c_uint32),
    )


class _Message(NamedTuple):
    """Elements to or from another rank."""

    receives: bool
    buffer: Buffer
    length: int
    type: int
    rank: int


class _Batch:
    """Messages that a communicator exchanges at the same time, as one task."""

    def __init__(self, name: str, comm: Communicator, stream: int) -> None:
        self._name = name
        self._comm = comm
        self._stream = stream
        self._messages: list[_Message] = []

    def add(self, call: str, item: _Item) -> None:
        """Add a message that a call describes."""
        own, size = self._comm.rank, self._comm.size
        nbytes = item.count * element_type(call, item.type).nbytes
        if item.rank >= size or item.rank == own:
            refuse(call, f"the other rank is {item.rank}; this is rank {own} of {size}")
        buffer = Buffer.at(call, item.buf or 0, nbytes, "buf")
        message = _Message(bool(item.receives), buffer, item.count, item.type, item.rank)
        self._messages.append(message)

    def launch(self) -> None:
        """Queue the exchange."""
        accesses: tuple[list[Access], list[Access]] = ([], [])
        for message in self._messages:
            accesses[message.receives].extend(message.buffer.access())
        reads, writes = map(tuple, accesses)
        self._comm.launch(self._name, self._stream, self._exchange, reads, writes)

    def _exchange(self) -> None:
        """Send and receive; AclError for a message that is not the expected one."""
        works: list[Any] = []
        heads = []
        gloo = self._comm.gloo
        for message in self._messages:
            head = torch.tensor([message.length, message.type])
            if message.receives:
                head = torch.empty_like(head)
                heads.append((message, head, gloo.recv([head], message.rank, _HEAD)))
            else:
                works.append(gloo.send([head], message.rank, _HEAD))
                works.append(gloo.send([message.buffer.tensor()], message.rank, _BODY))
        problems = []
        for message, head, work in heads:
            work.wait()
            length, kind = head.tolist()
            target = message.buffer.tensor()
            if (length, kind) != (message.length, message.type):
                problems.append(
                    f"rank {self._comm.rank} receives {described(message.length, message.type)},"
                    f" rank {message.rank} sends {described(length, kind)}"
                )
                # received nevertheless, because the sender waits for it
                target = torch.empty(length * TYPES[kind].nbytes, dtype=torch.uint8)
            works.append(gloo.recv([target], message.rank, _BODY))
        for work in works:
            work.wait()
        if problems:
            mismatch(problems[0])


class _Group(threading.local):
    """The calls of a thread between HcclGroupStart and HcclGroupEnd."""

    #: groups that have begun and not ended
    depth = 0

    def __init__(self) -> None:
        #: their messages, by communicator and stream
        self.batches: dict[tuple[int, int], _Batch] = {}


_group: Final = _Group()


def HcclGroupStart() -> None:
    """Begin a group of calls."""
    _group.depth += 1


def HcclGroupEnd() -> None:
    """Queue the messages of a group, if it is not inside another one."""
    if not _group.depth:
        refuse("HcclGroupEnd", "no group has begun")
    _group.depth -= 1
    if not _group.depth:
        batches, _group.batches = _group.batches, {}
        for batch in batches.values():
            batch.launch()


def HcclSend(buf: int, count: int, kind: int, rank: int, comm: int, stream: int) -> None:
    """Send elements to another rank."""
    _exchange("HcclSend", [_Item(0, buf, count, kind, rank)], comm, stream)


def HcclRecv(buf: int, count: int, kind: int, rank: int, comm: int, stream: int) -> None:
    """Receive elements from another rank."""
    _exchange("HcclRecv", [_Item(1, buf, count, kind, rank)], comm, stream)


def HcclBatchSendRecv(items: int, count: int, comm: int, stream: int) -> None:
    """Exchange messages with other ranks at the same time."""
    _exchange("HcclBatchSendRecv", list((_Item * count).from_address(items)), comm, stream)


def _exchange(call: str, items: Sequence[_Item], comm: int, stream: int) -> None:
    found = find_communicator(call, comm)
    batch = _Batch(call, found, stream)
    if _group.depth:
        batch = _group.batches.setdefault((comm, stream), _Batch("HcclGroupEnd", found, stream))
    for item in items:
        batch.add(call, item)
    if not _group.depth:
        batch.launch()
