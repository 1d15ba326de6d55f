"""Collectives: calls that all ranks of a communicator make.

When its stream reaches a call, the ranks tell each other what they call and compare it; then Gloo
carries it on host tensors that share the device's memory. Tensors to be reduced are copied first,
because Gloo reduces in place.
"""

import ctypes
import itertools
from collections.abc import Callable, Sequence
from typing import Any, Final

import torch
from torch.distributed import ReduceOp
from torch.distributed import distributed_c10d as c10d

from ...device.checker.checker import Access
from .communicators import find_communicator, mismatch
from .elements import TYPES, Buffer, described, element_type, refuse

#: by HcclReduceOp
_OPS: Final = {
    0: ("SUM", ReduceOp.SUM),
    1: ("PROD", ReduceOp.PRODUCT),
    2: ("MAX", ReduceOp.MAX),
    3: ("MIN", ReduceOp.MIN),
}
#: collectives, by the numbers under which ranks tell each other what they call
_NAMES: Final = tuple(
    f"Hccl{name}"
    for name in "AllReduce Reduce Broadcast Scatter AllGather AllGatherV ReduceScatter"
    " ReduceScatterV AlltoAll AlltoAllV AlltoAllVC".split()
)
#: in place of a field that a collective does not have
_NONE: Final = -1


def _described(words: Sequence[int]) -> str:
    """Return a call in words, from the numbers that ranks tell each other."""
    name, count, kind, op, root = words
    parts = [TYPES[kind].name if count == _NONE else described(count, kind)]
    parts += [_OPS[op][0]] if op != _NONE else []
    parts += [f"root {root}"] if root != _NONE else []
    return f"{_NAMES[name]} ({', '.join(parts)})"


class _Collective:
    """A call of a collective: its checked arguments."""

    def __init__(
        self,
        name: str,
        comm: int,
        stream: int,
        kind: int,
        *,
        op: int = _NONE,
        root: int = _NONE,
        count: int = _NONE,
    ) -> None:
        self.name = name
        self.comm = find_communicator(name, comm)
        self.gloo = self.comm.gloo
        self.type = element_type(name, kind)
        self._stream = stream
        if op != _NONE:
            if op not in _OPS:
                allowed = ", ".join(f"{number} ({word})" for number, (word, _) in _OPS.items())
                refuse(name, f"op is {op}; allowed are {allowed}")
            if self.type.dtype is None:
                reduced = ", ".join(x.name for x in TYPES.values() if x.dtype is not None)
                refuse(name, f"dataType is {self.type.name}; allowed are {reduced}")
        if root != _NONE and root >= self.comm.size:
            refuse(name, f"root is {root}; the communicator has {self.comm.size} ranks")
        self._op = op
        self._root = root
        self._words = (_NAMES.index(name), count, kind, op, root)
        self._reads: tuple[Access, ...] = ()
        self._writes: tuple[Access, ...] = ()

    @property
    def is_root(self) -> bool:
        """Whether the root is this rank."""
        return self.comm.rank == self._root

    def read(self, address: int, count: int, name: str = "sendBuf") -> Buffer:
        """Return elements that the call reads."""
        found = Buffer.at(self.name, address, count * self.type.nbytes, name)
        self._reads += found.access()
        return found

    def write(self, address: int, count: int, name: str = "recvBuf") -> Buffer:
        """Return elements that the call writes."""
        found = Buffer.at(self.name, address, count * self.type.nbytes, name)
        self._writes += found.access()
        return found

    def parts(
        self,
        access: Callable[[int, int], Buffer],
        address: int,
        counts: Sequence[int],
        places: Sequence[int],
    ) -> list[Buffer]:
        """Return the elements for each rank, which the call reads or writes."""
        return [
            access(address + place * self.type.nbytes, count)
            for count, place in zip(counts, places, strict=True)
        ]

    def launch(self, run: Callable[[], object]) -> None:
        """Queue the collective; it fails on every rank if they do not all call the same."""

        def collective() -> None:
            first, *others = self.comm.gathered(self._words)
            for rank, other in enumerate(others, 1):
                if other != first:
                    mismatch(f"rank 0 calls {_described(first)}, rank {rank} {_described(other)}")
            run()

        self.comm.launch(self.name, self._stream, collective, self._reads, self._writes)

    def options(self, made: Any, root: int | None = None) -> Any:
        """Return options of PyTorch with the operation and the root, by default the call's."""
        if self._op != _NONE:
            made.reduceOp = _OPS[self._op][1]
        if root is not None or self._root != _NONE:
            made.rootRank = self._root if root is None else root
        return made

    def terms(self, buffer: Buffer) -> torch.Tensor:
        """Return a copy of elements to reduce, in the type that Gloo computes with."""
        return self._typed(buffer).to(self.type.computed, copy=True)

    def store(self, result: torch.Tensor, buffer: Buffer) -> None:
        """Write what was reduced."""
        self._typed(buffer).copy_(result)

    def _typed(self, buffer: Buffer) -> torch.Tensor:
        assert self.type.dtype is not None  # as the arguments were checked
        return buffer.tensor(self.type.dtype)


def HcclAllReduce(
    send: int, receive: int, count: int, kind: int, op: int, comm: int, stream: int
) -> None:
    """Reduce elements of all ranks; every rank gets the result."""
    call = _Collective("HcclAllReduce", comm, stream, kind, op=op, count=count)
    source, target = call.read(send, count), call.write(receive, count)

    def run() -> None:
        terms = call.terms(source)
        call.gloo.allreduce([terms], call.options(c10d.AllreduceOptions())).wait()
        call.store(terms, target)

    call.launch(run)


def HcclReduce(
    send: int, receive: int, count: int, kind: int, op: int, root: int, comm: int, stream: int
) -> None:
    """Reduce elements of all ranks; the root gets the result."""
    call = _Collective("HcclReduce", comm, stream, kind, op=op, root=root, count=count)
    source, target = call.read(send, count), call.write(receive, count if call.is_root else 0)

    def run() -> None:
        terms = call.terms(source)
        call.gloo.reduce([terms], call.options(c10d.ReduceOptions())).wait()
        if call.is_root:
            call.store(terms, target)

    call.launch(run)


def HcclBroadcast(buf: int, count: int, kind: int, root: int, comm: int, stream: int) -> None:
    """Copy elements of the root to all ranks."""
    call = _Collective("HcclBroadcast", comm, stream, kind, root=root, count=count)
    data = (call.read if call.is_root else call.write)(buf, count, "buf")
    options = call.options(c10d.BroadcastOptions())
    call.launch(lambda: call.gloo.broadcast([data.tensor()], options).wait())


def HcclScatter(
    send: int, receive: int, count: int, kind: int, root: int, comm: int, stream: int
) -> None:
    """Give every rank its part of the root's elements."""
    call = _Collective("HcclScatter", comm, stream, kind, root=root, count=count)
    size = call.comm.size
    source = call.read(send, count * size if call.is_root else 0)
    target = call.write(receive, count)

    def run() -> None:
        parts = [list(source.tensor().chunk(size))] if call.is_root else []
        options = call.options(c10d.ScatterOptions())
        call.gloo.scatter([target.tensor()], parts, options).wait()

    call.launch(run)


def HcclAllGather(send: int, receive: int, count: int, kind: int, comm: int, stream: int) -> None:
    """Concatenate elements of all ranks; every rank gets them all."""
    call = _Collective("HcclAllGather", comm, stream, kind, count=count)
    source, target = call.read(send, count), call.write(receive, count * call.comm.size)
    call.launch(lambda: call.gloo._allgather_base(target.tensor(), source.tensor()).wait())


def HcclAllGatherV(
    send: int, count: int, receive: int, counts: int, places: int, kind: int, comm: int, stream: int
) -> None:
    """Collect elements of all ranks, whose numbers may differ; every rank gets them all."""
    call = _Collective("HcclAllGatherV", comm, stream, kind)
    sizes, offsets = _array(counts, call.comm.size), _array(places, call.comm.size)
    source = call.read(send, count)
    targets = call.parts(call.write, receive, sizes, offsets)

    def run() -> None:
        _check_parts(call, count, sizes)
        targets[call.comm.rank].tensor().copy_(source.tensor())
        for root, target in enumerate(targets):
            if target.nbytes:
                options = call.options(c10d.BroadcastOptions(), root)
                call.gloo.broadcast([target.tensor()], options).wait()

    call.launch(run)


def HcclReduceScatter(
    send: int, receive: int, count: int, kind: int, op: int, comm: int, stream: int
) -> None:
    """Reduce elements of all ranks; every rank gets its part of the result."""
    call = _Collective("HcclReduceScatter", comm, stream, kind, op=op, count=count)
    source, target = call.read(send, count * call.comm.size), call.write(receive, count)

    def run() -> None:
        terms = call.terms(source)
        part = terms.new_empty(count)
        options = call.options(c10d.ReduceScatterOptions())
        call.gloo._reduce_scatter_base(part, terms, options).wait()
        call.store(part, target)

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
    """Reduce elements of all ranks; every rank gets its part, of a size of its own."""
    call = _Collective("HcclReduceScatterV", comm, stream, kind, op=op)
    sizes, offsets = _array(counts, call.comm.size), _array(places, call.comm.size)
    sources = call.parts(call.read, send, sizes, offsets)
    target = call.write(receive, count)

    def run() -> None:
        _check_parts(call, count, sizes)
        for root, source in enumerate(sources):
            if source.nbytes:
                terms = call.terms(source)
                call.gloo.reduce([terms], call.options(c10d.ReduceOptions(), root)).wait()
                if root == call.comm.rank:
                    call.store(terms, target)

    call.launch(run)


def _check_parts(call: _Collective, count: int, sizes: Sequence[int]) -> None:
    """Compare the ranks' sizes with what each rank says of all; AclError if they differ."""
    rows = call.comm.gathered([count, *sizes])
    for rank, (_, *stated) in enumerate(rows):
        for other, size in enumerate(stated):
            if size != rows[other][0]:
                mismatch(
                    f"rank {rank} states {size} elements for rank {other}, whose count is"
                    f" {rows[other][0]}"
                )


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
    """Exchange elements between all ranks, as many for each."""
    size = find_communicator("HcclAlltoAll", comm).size
    given, wanted = [send_count] * size, [receive_count] * size
    sent = send, given, _one_after_another(given), send_kind
    received = receive, wanted, _one_after_another(wanted), receive_kind
    _all_to_all("HcclAlltoAll", sent, received, comm, stream)


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
    """Exchange elements between all ranks; arrays say how many, and where they are."""
    size = find_communicator("HcclAlltoAllV", comm).size
    sent = send, _array(send_counts, size), _array(send_places, size), send_kind
    received = receive, _array(receive_counts, size), _array(receive_places, size), receive_kind
    _all_to_all("HcclAlltoAllV", sent, received, comm, stream)


def HcclAlltoAllVC(
    send: int, counts: int, send_kind: int, receive: int, receive_kind: int, comm: int, stream: int
) -> None:
    """Exchange elements between all ranks; a matrix says how many each sends to each."""
    found = find_communicator("HcclAlltoAllVC", comm)
    size, rank = found.size, found.rank
    matrix = _array(counts, size * size)
    given, wanted = matrix[rank * size : (rank + 1) * size], matrix[rank::size]
    sent = send, given, _one_after_another(given), send_kind
    received = receive, wanted, _one_after_another(wanted), receive_kind
    _all_to_all("HcclAlltoAllVC", sent, received, comm, stream)


#: an address, the number of elements for each rank, their offsets, and their type
_Parts = tuple[int, Sequence[int], Sequence[int], int]


def _all_to_all(name: str, given: _Parts, wanted: _Parts, comm: int, stream: int) -> None:
    send, given_counts, given_places, kind = given
    receive, wanted_counts, wanted_places, wanted_kind = wanted
    if kind != wanted_kind:
        refuse(name, f"sendType is {kind}, recvType is {wanted_kind}; they must be the same")
    call = _Collective(name, comm, stream, kind)
    sources = call.parts(call.read, send, given_counts, given_places)
    targets = call.parts(call.write, receive, wanted_counts, wanted_places)

    def run() -> None:
        rows = call.comm.gathered([*given_counts, *wanted_counts])
        for rank, row in enumerate(rows):
            for other, count in enumerate(row[: len(rows)]):
                expected = rows[other][len(rows) + rank]
                if count != expected:
                    mismatch(
                        f"rank {rank} sends {count} elements to rank {other}, which expects"
                        f" {expected}"
                    )
        sizes = [target.nbytes for target in targets]
        received = torch.empty(sum(sizes), dtype=torch.uint8)
        sent = torch.cat([source.tensor() for source in sources])
        splits = [source.nbytes for source in sources]
        call.gloo.alltoall_base(received, sent, sizes, splits, c10d.AllToAllOptions()).wait()
        for target, part in zip(targets, received.split(sizes), strict=True):
            target.tensor().copy_(part)

    call.launch(run)


def _array(address: int, length: int) -> list[int]:
    """Return an array of uint64_t."""
    return list((ctypes.c_uint64 * length).from_address(address))


def _one_after_another(counts: Sequence[int]) -> list[int]:
    """Return the offsets of parts without gaps between them."""
    return [0, *itertools.accumulate(counts)][:-1]
