"""Collective communication between processes: the functions of HCCL, carried by Gloo.

`native/hccl.c` passes on the calls of torch_npu. A collective is a task of its stream; it runs when
the stream reaches it, and tells the checker which memory it reads and writes.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, Final, NamedTuple, NoReturn

import torch
from torch.distributed import ProcessGroupGloo, ReduceOp, TCPStore
from torch.distributed import distributed_c10d as c10d

from ..cann.runtime.process import process
from ..core.errors import AclError, ArgumentValueError, fail
from ..core.status import Status
from ..device.checker.checker import Access
from ..device.checker.shadow import Span
from ..device.memory.address_space import Memory
from ..device.scheduling.task import Kind
from .storage import memory_at

#: communicators connect the processes of one machine
_HOST: Final = "127.0.0.1"


class _Type(NamedTuple):
    """An element type of HCCL."""

    name: str
    nbytes: int
    #: for types that are reduced: PyTorch's, and the one that Gloo computes with
    dtype: torch.dtype | None = None
    computed: torch.dtype | None = None


#: by HcclDataType
_TYPES: Final = {
    0: _Type("INT8", 1, torch.int8, torch.int8),
    1: _Type("INT16", 2, torch.int16, torch.int32),
    2: _Type("INT32", 4, torch.int32, torch.int32),
    3: _Type("FP16", 2, torch.float16, torch.float16),
    4: _Type("FP32", 4, torch.float32, torch.float32),
    5: _Type("INT64", 8, torch.int64, torch.int64),
    6: _Type("UINT64", 8),
    7: _Type("UINT8", 1),
    8: _Type("UINT16", 2),
    9: _Type("UINT32", 4),
    10: _Type("FP64", 8),
    11: _Type("BFP16", 2, torch.bfloat16, torch.bfloat16),
    12: _Type("INT128", 16),
    14: _Type("HIF8", 1),
    15: _Type("FP8E4M3", 1),
    16: _Type("FP8E5M2", 1),
    17: _Type("FP8E8M0", 1),
}
#: by HcclReduceOp
_OPS: Final = {0: ReduceOp.SUM, 1: ReduceOp.PRODUCT, 2: ReduceOp.MAX, 3: ReduceOp.MIN}
_OP_NAMES: Final = ("SUM", "PROD", "MAX", "MIN")
#: collectives by the numbers under which ranks tell each other what they call
_NAMES: Final = tuple(
    f"Hccl{name}"
    for name in "AllReduce Reduce Broadcast Scatter AllGather AllGatherV ReduceScatter"
    " ReduceScatterV AlltoAll AlltoAllV AlltoAllVC".split()
)
#: in the place of what a collective does not have
_NONE: Final = -1
#: tags of messages: their descriptions, and their elements
_HEAD, _BODY = 0, 1


def _seconds(name: str, default: int) -> timedelta:
    """Return a limit of time from the environment."""
    text = os.environ.get(name) or str(default)
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= 2**31 - 1):
        raise ArgumentValueError(name, f"is {text!r}; it must be a number of seconds from 1 on")
    return timedelta(seconds=int(text))


def _refuse(call: str, problem: str) -> NoReturn:
    fail(Status.ACL_ERROR_RT_PARAM_INVALID, f"{call}: {problem}")


def _refuse_type(call: str, kind: int) -> NoReturn:
    _refuse(call, f"dataType is {kind}; allowed are {', '.join(map(str, _TYPES))}")


def _differ(how: str) -> NoReturn:
    """Raise the failure of a task whose ranks do not fit together."""
    raise AclError(Status.ACL_ERROR_RT_PARAM_INVALID, how)


class _Buffer(NamedTuple):
    """Elements in device memory; none have no memory."""

    memory: Memory | None
    start: int
    nbytes: int
    #: name of the argument
    name: str

    @classmethod
    def at(cls, address: int, count: int, nbytes: int, name: str) -> _Buffer:
        """Find elements at an address."""
        if not count:
            return cls(None, 0, 0, name)
        memory = memory_at(address)
        return cls(memory, address - memory.address, count * nbytes, name)

    def access(self) -> tuple[Access, ...]:
        """Return what the checker is told."""
        if self.memory is None:
            return ()
        return ((self.memory.shadow, Span(self.start, self.nbytes, self.name)),)

    def tensor(self, dtype: torch.dtype | None = None) -> torch.Tensor:
        """Return a host tensor that shares the memory, of bytes or of a type."""
        if self.memory is None:
            return torch.empty(0, dtype=dtype or torch.uint8)
        stop = self.start + self.nbytes
        content = self.memory.content(self.start, self.nbytes)[self.start : stop]
        found = torch.from_numpy(content)
        return found if dtype is None else found.view(dtype)


class _Communicator:
    """One rank of a group of processes."""

    def __init__(self, name: str, size: int, rank: int) -> None:
        self.name = name
        self.size = size
        self.rank = rank
        #: its collectives run one after another
        self.lock = threading.Lock()
        host, _, port = name.partition(":")
        timeout = _seconds("HCCL_CONNECT_TIMEOUT", 120)
        self._store = TCPStore(host, int(port), is_master=False, timeout=timeout)
        options = ProcessGroupGloo._Options()
        options._devices = [ProcessGroupGloo.create_device(hostname=_HOST)]
        options._timeout = timeout
        self.gloo = ProcessGroupGloo(self._store, rank, size, options)
        self.gloo._set_default_timeout(_seconds("HCCL_EXEC_TIMEOUT", 1836))

    def rows(self, mine: Sequence[int]) -> list[list[int]]:
        """Return the numbers that every rank gives, as many as this one."""
        words = torch.tensor(mine)
        found = torch.empty(self.size * len(mine), dtype=words.dtype)
        self.gloo._allgather_base(found, words).wait()
        rows: list[list[int]] = found.view(self.size, -1).tolist()
        return rows

    def agree(self, mine: Sequence[int]) -> None:
        """Compare what the ranks call; AclError on every rank if they differ."""
        first, *others = self.rows(mine)
        for rank, other in enumerate(others, 1):
            if other != first:
                _differ(f"rank 0 calls {_described(first)}, rank {rank} {_described(other)}")

    def exchange(self, messages: Sequence[_Message]) -> None:
        """Send and receive messages, each preceded by what it is; AclError if that differs."""
        works = [work for message in messages if message.sends for work in self._send(message)]
        received = [message for message in messages if not message.sends]
        heads = [torch.empty(2, dtype=torch.int64) for _ in received]
        waits = [
            self.gloo.recv([head], message.rank, _HEAD)
            for message, head in zip(received, heads, strict=True)
        ]
        for message, head, wait in zip(received, heads, waits, strict=True):
            wait.wait()
            if head.tolist() != [message.count, message.kind]:
                _differ(
                    f"rank {self.rank} receives {_elements(message.count, message.kind)},"
                    f" rank {message.rank} sends {_elements(*head.tolist())}"
                )
        works += [
            self.gloo.recv([message.buffer.tensor()], message.rank, _BODY) for message in received
        ]
        for work in works:
            work.wait()

    def _send(self, message: _Message) -> list[Any]:
        head = torch.tensor([message.count, message.kind])
        return [
            self.gloo.send([head], message.rank, _HEAD),
            self.gloo.send([message.buffer.tensor()], message.rank, _BODY),
        ]


class _Message(NamedTuple):
    """A message to or from another rank."""

    sends: bool
    buffer: _Buffer
    count: int
    kind: int
    rank: int


def _elements(count: int, kind: int) -> str:
    return f"{count} elements of {_TYPES[kind].name}"


def _described(words: Sequence[int]) -> str:
    """Describe a call by its name, count, type, operation and root."""
    name, count, kind, op, root = words
    parts = [_elements(count, kind) if count != _NONE else _TYPES[kind].name]
    parts += [_OP_NAMES[op]] if op != _NONE else []
    parts += [f"root {root}"] if root != _NONE else []
    return f"{_NAMES[name]} ({', '.join(parts)})"


#: servers of the communicators that this process is the root of, by their names
_servers: Final[dict[str, TCPStore]] = {}
_communicators: Final[dict[int, _Communicator]] = {}
_numbers: Final = itertools.count(1)


# ---- communicators


def HcclGetRootInfo() -> str:
    """Return how the ranks of a new communicator find each other."""
    server = TCPStore(_HOST, 0, is_master=True, wait_for_workers=False)
    name = f"{_HOST}:{server.port}"
    _servers[name] = server
    return name


def HcclCommInitRootInfo(size: int, info: str, rank: int) -> int:
    """Connect a rank with the others; return the number of its communicator."""
    if not 0 <= rank < size:
        _refuse("HcclCommInitRootInfo", f"rank is {rank}; nRanks is {size}")
    number = next(_numbers)
    _communicators[number] = _Communicator(info, size, rank)
    return number


def HcclCommDestroy(number: int) -> None:
    """Disconnect a rank."""
    comm = _found("HcclCommDestroy", number)
    del _communicators[number]
    _servers.pop(comm.name, None)


def HcclGetCommName(number: int) -> str:
    """Return a name that all ranks of a communicator have for it."""
    return _found("HcclGetCommName", number).name


def _found(call: str, number: int) -> _Communicator:
    comm = _communicators.get(number)
    if comm is None:
        _refuse(call, f"comm is {number:#x}, which is no communicator")
    return comm


# ---- collectives


class _Call:
    """A call of a collective: its checked arguments."""

    def __init__(
        self,
        name: str,
        number: int,
        stream: int,
        kind: int,
        *,
        op: int = _NONE,
        root: int = _NONE,
        count: int = _NONE,
    ) -> None:
        self.name = name
        self.comm = _found(name, number)
        self._stream = stream
        found = _TYPES.get(kind)
        if found is None:
            _refuse_type(name, kind)
        self.type = found
        if op != _NONE:
            if op not in _OPS:
                _refuse(name, f"op is {op}; allowed are SUM (0), PROD (1), MAX (2) and MIN (3)")
            if self.type.dtype is None:
                reduced = ", ".join(x.name for x in _TYPES.values() if x.dtype is not None)
                _refuse(name, f"dataType is {self.type.name}; allowed are {reduced}")
        if root != _NONE and root >= self.comm.size:
            _refuse(name, f"root is {root}; the communicator has {self.comm.size} ranks")
        self.op, self.root = op, root
        self._words = (_NAMES.index(name), count, kind, op, root)
        self._reads: tuple[Access, ...] = ()
        self._writes: tuple[Access, ...] = ()

    def read(self, address: int, count: int, name: str = "sendBuf") -> _Buffer:
        """Return elements that the call reads."""
        found = _Buffer.at(address, count, self.type.nbytes, name)
        self._reads += found.access()
        return found

    def write(self, address: int, count: int, name: str = "recvBuf") -> _Buffer:
        """Return elements that the call writes."""
        found = _Buffer.at(address, count, self.type.nbytes, name)
        self._writes += found.access()
        return found

    def parts(
        self,
        access: Callable[[int, int, str], _Buffer],
        address: int,
        counts: Sequence[int],
        places: Sequence[int],
        name: str,
    ) -> list[_Buffer]:
        """Return the elements for each rank, which the call accesses."""
        return [
            access(address + place * self.type.nbytes, count, name)
            for count, place in zip(counts, places, strict=True)
        ]

    def launch(self, run: Callable[[ProcessGroupGloo], object]) -> None:
        """Queue the collective, which runs once all ranks have called the same."""

        def collective() -> None:
            with self.comm.lock:
                self.comm.agree(self._words)
                run(self.comm.gloo)

        _launch(self.name, self._stream, collective, self._reads, self._writes)

    def terms(self, buffer: _Buffer) -> torch.Tensor:
        """Return a copy of what is reduced, of a type that Gloo computes with."""
        return buffer.tensor(self.type.dtype).to(self.type.computed, copy=True)

    def options(self, made: Any) -> Any:
        """Return options of PyTorch with the operation and the root of the call."""
        if self.op != _NONE:
            made.reduceOp = _OPS[self.op]
        if self.root != _NONE:
            made.rootRank = self.root
        return made


def _launch(
    name: str,
    number: int,
    run: Callable[[], object],
    reads: tuple[Access, ...],
    writes: tuple[Access, ...],
) -> None:
    stream = process.find_stream(number)
    stream.device.launch(stream, run, reads, writes, name, kind=Kind.COLLECTIVE)
    process.launches[name] += 1


def HcclAllReduce(
    send: int, receive: int, count: int, kind: int, op: int, comm: int, stream: int
) -> None:
    """Reduce elements of all ranks for all ranks."""
    call = _Call("HcclAllReduce", comm, stream, kind, op=op, count=count)
    source, target = call.read(send, count), call.write(receive, count)

    def run(gloo: ProcessGroupGloo) -> None:
        total = call.terms(source)
        gloo.allreduce([total], call.options(c10d.AllreduceOptions())).wait()
        target.tensor(call.type.dtype).copy_(total)

    call.launch(run)


def HcclReduce(
    send: int, receive: int, count: int, kind: int, op: int, root: int, comm: int, stream: int
) -> None:
    """Reduce elements of all ranks for one."""
    call = _Call("HcclReduce", comm, stream, kind, op=op, root=root, count=count)
    is_root = call.comm.rank == root
    source = call.read(send, count)
    target = call.write(receive, count if is_root else 0)

    def run(gloo: ProcessGroupGloo) -> None:
        total = call.terms(source)
        gloo.reduce([total], call.options(c10d.ReduceOptions())).wait()
        if is_root:
            target.tensor(call.type.dtype).copy_(total)

    call.launch(run)


def HcclBroadcast(
    buffer: int, count: int, kind: int, root: int, comm: int, stream: int
) -> None:
    """Copy elements of one rank to all."""
    call = _Call("HcclBroadcast", comm, stream, kind, root=root, count=count)
    is_root = call.comm.rank == root
    data = (call.read if is_root else call.write)(buffer, count, "buf")

    def run(gloo: ProcessGroupGloo) -> None:
        gloo.broadcast([data.tensor()], call.options(c10d.BroadcastOptions())).wait()

    call.launch(run)


def HcclScatter(
    send: int, receive: int, count: int, kind: int, root: int, comm: int, stream: int
) -> None:
    """Give every rank its part of the elements of one."""
    call = _Call("HcclScatter", comm, stream, kind, root=root, count=count)
    size, is_root = call.comm.size, call.comm.rank == root
    source = call.read(send, count * size if is_root else 0)
    target = call.write(receive, count)

    def run(gloo: ProcessGroupGloo) -> None:
        parts = [list(source.tensor().chunk(size))] if is_root else []
        gloo.scatter([target.tensor()], parts, call.options(c10d.ScatterOptions())).wait()

    call.launch(run)


def HcclAllGather(
    send: int, receive: int, count: int, kind: int, comm: int, stream: int
) -> None:
    """Put elements of all ranks in a row, for all ranks."""
    call = _Call("HcclAllGather", comm, stream, kind, count=count)
    source, target = call.read(send, count), call.write(receive, count * call.comm.size)
    call.launch(lambda gloo: gloo._allgather_base(target.tensor(), source.tensor()).wait())


def HcclAllGatherV(
    send: int,
    count: int,
    receive: int,
    counts: int,
    places: int,
    kind: int,
    comm: int,
    stream: int,
) -> None:
    """Put elements of all ranks, of each a number of its own, where every rank wants them."""
    call = _Call("HcclAllGatherV", comm, stream, kind)
    sizes = _array(counts, call.comm.size)
    source = call.read(send, count)
    targets = call.parts(call.write, receive, sizes, _array(places, call.comm.size), "recvBuf")

    def run(gloo: ProcessGroupGloo) -> None:
        _check_parts(call.comm, count, sizes)
        targets[call.comm.rank].tensor().copy_(source.tensor())
        for root, target in enumerate(targets):
            if target.nbytes:
                options = c10d.BroadcastOptions()
                options.rootRank = root
                gloo.broadcast([target.tensor()], options).wait()

    call.launch(run)


def HcclReduceScatter(
    send: int, receive: int, count: int, kind: int, op: int, comm: int, stream: int
) -> None:
    """Reduce elements of all ranks; every rank gets its part."""
    call = _Call("HcclReduceScatter", comm, stream, kind, op=op, count=count)
    source, target = call.read(send, count * call.comm.size), call.write(receive, count)

    def run(gloo: ProcessGroupGloo) -> None:
        terms = call.terms(source)
        part = terms.new_empty(count)
        gloo._reduce_scatter_base(part, terms, call.options(c10d.ReduceScatterOptions())).wait()
        target.tensor(call.type.dtype).copy_(part)

    call.launch(run)


def HcclReduceScatterV(
    send: int,
    counts: int,
    places: int,
    receive: int,
    count: int,
    kind: int,
    op: int,
    comm: int,
    stream: int,
) -> None:
    """Reduce elements of all ranks; every rank gets a part of its own length."""
    call = _Call("HcclReduceScatterV", comm, stream, kind, op=op)
    sizes = _array(counts, call.comm.size)
    sources = call.parts(call.read, send, sizes, _array(places, call.comm.size), "sendBuf")
    target = call.write(receive, count)

    def run(gloo: ProcessGroupGloo) -> None:
        _check_parts(call.comm, count, sizes)
        for root, source in enumerate(sources):
            if source.nbytes:
                terms = call.terms(source)
                options = call.options(c10d.ReduceOptions())
                options.rootRank = root
                gloo.reduce([terms], options).wait()
                if root == call.comm.rank:
                    target.tensor(call.type.dtype).copy_(terms)

    call.launch(run)


def _check_parts(comm: _Communicator, count: int, sizes: Sequence[int]) -> None:
    """Compare the parts that the ranks state; AclError on every rank if they do not fit."""
    rows = comm.rows([count, *sizes])
    for rank, (own, *stated) in enumerate(rows):
        for other, size in enumerate(stated):
            if size != rows[other][0]:
                _differ(f"rank {rank} states {size} elements for rank {other}, which has"
                        f" {rows[other][0]}")


def HcclAlltoAll(
    send: int,
    send_count: int,
    send_kind: int,
    receive: int,
    receive_count: int,
    receive_kind: int,
    comm: int,
    stream: int,
) -> None:
    """Exchange elements between all ranks, of each pair the same number."""
    size = _found("HcclAlltoAll", comm).size
    sends, receives = [send_count] * size, [receive_count] * size
    _all_to_all(
        "HcclAlltoAll", (send, sends, _row(sends), send_kind),
        (receive, receives, _row(receives), receive_kind), comm, stream
    )


def HcclAlltoAllV(
    send: int,
    send_counts: int,
    send_places: int,
    send_kind: int,
    receive: int,
    receive_counts: int,
    receive_places: int,
    receive_kind: int,
    comm: int,
    stream: int,
) -> None:
    """Exchange elements between all ranks."""
    size = _found("HcclAlltoAllV", comm).size
    _all_to_all(
        "HcclAlltoAllV",
        (send, _array(send_counts, size), _array(send_places, size), send_kind),
        (receive, _array(receive_counts, size), _array(receive_places, size), receive_kind),
        comm,
        stream,
    )


def HcclAlltoAllVC(
    send: int,
    counts: int,
    send_kind: int,
    receive: int,
    receive_kind: int,
    comm: int,
    stream: int,
) -> None:
    """Exchange elements between all ranks, as a matrix of all numbers says."""
    found = _found("HcclAlltoAllVC", comm)
    size, rank = found.size, found.rank
    matrix = _array(counts, size * size)
    sends, receives = matrix[rank * size : (rank + 1) * size], matrix[rank::size]
    _all_to_all(
        "HcclAlltoAllVC", (send, sends, _row(sends), send_kind),
        (receive, receives, _row(receives), receive_kind), comm, stream
    )


#: an address, the number of elements for each rank, where they lie, and their type
_Parts = tuple[int, Sequence[int], Sequence[int], int]


def _all_to_all(name: str, given: _Parts, wanted: _Parts, comm: int, stream: int) -> None:
    send, counts, places, kind = given
    receive, receive_counts, receive_places, receive_kind = wanted
    if kind != receive_kind:
        _refuse(name, f"sendType is {kind}, recvType is {receive_kind}; they must be the same")
    call = _Call(name, comm, stream, kind)
    sources = call.parts(call.read, send, counts, places, "sendBuf")
    targets = call.parts(call.write, receive, receive_counts, receive_places, "recvBuf")

    def run(gloo: ProcessGroupGloo) -> None:
        rows = call.comm.rows([*counts, *receive_counts])
        for rank, row in enumerate(rows):
            for other, size in enumerate(row[: len(rows)]):
                expected = rows[other][len(rows) + rank]
                if size != expected:
                    _differ(
                        f"rank {rank} sends {size} elements to rank {other}, which expects"
                        f" {expected}"
                    )
        sizes = [target.nbytes for target in targets]
        out = torch.empty(sum(sizes), dtype=torch.uint8)
        data = torch.cat([source.tensor() for source in sources])
        splits = [source.nbytes for source in sources]
        gloo.alltoall_base(out, data, sizes, splits, c10d.AllToAllOptions()).wait()
        for target, part in zip(targets, out.split(sizes), strict=True):
            target.tensor().copy_(part)

    call.launch(run)


def _array(address: int, length: int) -> list[int]:
    """Return an array of uint64_t."""
    return list((ctypes.c_uint64 * length).from_address(address))


def _row(counts: Sequence[int]) -> list[int]:
    """Return where parts begin that follow each other."""
    return [0, *itertools.accumulate(counts)][:-1]


# ---- point to point


class _Item(ctypes.Structure):
    """``HcclSendRecvItem``."""

    _fields_ = (
        ("receives", ctypes.c_int32),
        ("buf", ctypes.c_void_p),
        ("count", ctypes.c_uint64),
        ("kind", ctypes.c_int32),
        ("rank", ctypes.c_uint32),
    )


class _Batch:
    """Messages that a communicator exchanges at the same time, as one task."""

    def __init__(self, name: str, comm: _Communicator, stream: int) -> None:
        self._name = name
        self._comm = comm
        self._stream = stream
        self._messages: list[_Message] = []
        self._reads: tuple[Access, ...] = ()
        self._writes: tuple[Access, ...] = ()

    def add(self, name: str, item: _Item) -> None:
        """Add a message that a call describes."""
        comm, kind = self._comm, _TYPES.get(item.kind)
        if kind is None:
            _refuse_type(name, item.kind)
        if item.rank >= comm.size or item.rank == comm.rank:
            _refuse(
                name, f"the other rank is {item.rank}; this is rank {comm.rank} of {comm.size}"
            )
        buffer = _Buffer.at(item.buf or 0, item.count, kind.nbytes, "buf")
        if item.receives:
            self._writes += buffer.access()
        else:
            self._reads += buffer.access()
        self._messages.append(
            _Message(not item.receives, buffer, item.count, item.kind, item.rank)
        )

    def launch(self) -> None:
        """Queue the exchange."""

        def exchange() -> None:
            with self._comm.lock:
                self._comm.exchange(self._messages)

        _launch(self._name, self._stream, exchange, self._reads, self._writes)


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
    """Queue the messages of a group."""
    if not _group.depth:
        _refuse("HcclGroupEnd", "no group has begun")
    _group.depth -= 1
    if not _group.depth:
        batches, _group.batches = _group.batches, {}
        for batch in batches.values():
            batch.launch()


def HcclSend(buffer: int, count: int, kind: int, rank: int, comm: int, stream: int) -> None:
    """Send elements to another rank."""
    _exchange("HcclSend", [_Item(0, buffer, count, kind, rank)], comm, stream)


def HcclRecv(buffer: int, count: int, kind: int, rank: int, comm: int, stream: int) -> None:
    """Receive elements from another rank."""
    _exchange("HcclRecv", [_Item(1, buffer, count, kind, rank)], comm, stream)


def HcclBatchSendRecv(items: int, count: int, comm: int, stream: int) -> None:
    """Exchange messages with other ranks at the same time."""
    _exchange("HcclBatchSendRecv", list((_Item * count).from_address(items)), comm, stream)


def _exchange(name: str, items: Sequence[_Item], number: int, stream: int) -> None:
    comm = _found(name, number)
    if _group.depth:
        batch = _group.batches.setdefault((number, stream), _Batch("HcclGroupEnd", comm, stream))
    else:
        batch = _Batch(name, comm, stream)
    for item in items:
        batch.add(name, item)
    if not _group.depth:
        batch.launch()
