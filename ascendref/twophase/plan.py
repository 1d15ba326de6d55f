"""Plans: all decisions of phase 1 about a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, Final, NamedTuple, NoReturn, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ..core.dtypes import DataType, ElementType
from ..core.errors import fail
from ..core.status import Status
from ..device.checker.shadow import Span
from ..device.memory.address_space import AddressSpace, Memory
from ..device.memory.tensor import Tensor

#: shapes by index of the tensor
Shapes = dict[int, tuple[int, ...]]
#: ``compute(arrays, scratch)`` computes the results from the arrays of all tensors; scratch memory
#: for partial sums is part of the workspace. What it returns are the shapes that it found, if any
Compute = Callable[[tuple[NDArray[Any], ...], NDArray[np.uint8] | None], Shapes | None]


#: bytes that a small call reads and writes at most
SMALL: Final = 2**15


class Called(Protocol):
    """What phase 2 needs to know of an operator."""

    @property
    def api(self) -> str:
        """The vendor's name."""

    @property
    def is_generated(self) -> bool:
        """Whether the vendor generates its host code, which checks a call in another order."""


#: the fields of a tensor's `Description` that are its own
own_fields: Final = attrgetter("data_type", "shape", "strides", "offset", "start")


class Description(NamedTuple):
    """The fields of a tensor in phase 1."""

    data_type: DataType
    shape: tuple[int, ...]
    #: in elements, like the offset
    strides: tuple[int, ...]
    offset: int
    #: byte of the memory from which the offset counts
    start: int
    #: size of the tensor's memory
    nbytes: int


class Layout(NamedTuple):
    """The memory layout of a tensor, in bytes: the arguments of ``np.ndarray``."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    offset: int
    strides: tuple[int, ...]


class Operand(NamedTuple):
    """A tensor that lies within its memory."""

    #: the vendor's name
    name: str
    kind: ElementType
    layout: Layout
    #: from its first byte to its last, in its memory
    span: Span
    #: an array with its layout at a dummy address without memory
    array: NDArray[Any]


class Step(NamedTuple):
    """One kernel that the device launches."""

    #: its name on the device
    kernel: str
    #: names of the arguments and intermediates that it reads
    reads: tuple[str, ...]
    #: names of the arguments and intermediates that it writes
    writes: tuple[str, ...]


class Dense(NamedTuple):
    """A kernel for contiguous tensors: `ElementwiseKernel.bind_memory`."""

    kernel: Callable[[int, int], int]
    #: packs the addresses of the tensors, and the number of their elements
    pack: Callable[..., bytes]
    #: as float64 in memory
    scalars: bytes
    size: int


@dataclass(frozen=True, eq=False, slots=True)
class Plan:
    """Everything that phase 1 decides about a call.

    It contains no addresses and no data, so equal calls share one plan.
    """

    operator: Called
    #: the vendor's names of the tensors, results included
    names: tuple[str, ...]
    #: descriptions of the tensors, results included; phase 2 requires the same
    descriptions: tuple[Description, ...]
    #: the same tensors for the kernel
    layouts: tuple[Layout, ...]
    steps: tuple[Step, ...]
    #: bytes of workspace that phase 2 needs
    workspace: int
    #: what the task reads and writes, except for the workspace: indices of tensors, and the bytes
    reads: tuple[tuple[int, Span], ...]
    writes: tuple[tuple[int, Span], ...]
    #: the range of the workspace, if that is at the start of its memory
    scratch: Span
    #: the kernel with its scalars; None where there is nothing to compute
    compute: Compute | None
    #: the call without its tensors, which plans it again for tensors that were moved
    unbound: TwoPhaseCall
    #: whether the kernel stores partial sums in the workspace
    has_partial_sums: bool = False
    #: what the timeline shows; the vendor's name unless it is given
    label: str = ""
    #: whether the data decide a result's shape: phase 2 waits for it
    finds_shapes: bool = False
    #: the kernel for contiguous tensors at addresses, with its scalars; None if it cannot be used
    dense: Dense | None = None
    #: whether it takes less time than waking the device's thread
    is_small: bool = field(init=False)
    #: what `own_fields` returns for each tensor
    fields: tuple[tuple[Any, ...], ...] = field(init=False)
    #: indices of tensors that are written, but may keep some of their values
    kept: frozenset[int] = frozenset()
    #: storage shapes of tensors that the task puts into FRACTAL_NZ, by index
    in_nz: Shapes = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", tuple([each[:-1] for each in self.descriptions]))
        nbytes = sum(span.nbytes for _, span in (*self.reads, *self.writes))
        object.__setattr__(self, "is_small", nbytes <= SMALL and not self.finds_shapes)

    def moved(self, descriptions: tuple[Description, ...], steps: Sequence[int]) -> Plan:
        """Return the plan for tensors that lie so many bytes further on in their memories."""
        layouts = zip(self.layouts, steps, strict=True)
        reads, writes = (
            tuple([(k, span._replace(start=span.start + steps[k])) for k, span in spans])
            for spans in (self.reads, self.writes)
        )
        return replace(
            self,
            descriptions=descriptions,
            layouts=tuple([x._replace(offset=x.offset + step) for x, step in layouts]),
            reads=reads,
            writes=writes,
        )

    def run(
        self, memories: tuple[Memory | None, ...], workspace: Memory | None, start: int
    ) -> Shapes | None:
        """Run the kernel on the device's thread; the workspace is at an offset in its memory.

        Tensors without elements may have no memory.
        """
        assert self.compute is not None
        for k, memory in enumerate(memories):
            if memory is not None and not memory.alive:
                _fail_freed(f"{self.names[k]} lies in {memory!r}")
        if self.dense is not None and self._run_dense(self.dense, memories):
            return None
        for k, span in self.reads:
            cast("Memory", memories[k]).content(span.start, span.nbytes)
        for k, span in self.writes:
            # results without gaps overwrite the whole range
            whole = span.gaps is None and k not in self.kept
            cast("Memory", memories[k]).content(span.start, span.nbytes, overwrite=whole)
        arrays = [
            np.empty(shape, dtype)
            if memory is None
            else np.ndarray(shape, dtype, memory.content(0, 0), offset, strides)
            for (shape, dtype, offset, strides), memory in zip(self.layouts, memories, strict=True)
        ]
        scratch = None
        if workspace is not None and self.has_partial_sums:
            if not workspace.alive:
                _fail_freed(f"the workspace lies in {workspace!r}")
            # the spare bytes allow for an address that is not a multiple of 4
            first = start + -(workspace.address + start) % 4
            scratch = workspace.content(start, self.workspace)[first : start + self.workspace]
        return self.compute(tuple(arrays), scratch)

    def _run_dense(self, dense: Dense, memories: tuple[Memory | None, ...]) -> bool:
        """Run the kernel at the tensors' addresses; return False, with nothing done, if it cannot.

        Every tensor has elements: the reads and the write are those of all tensors in order.
        """
        held = cast("tuple[Memory, ...]", memories)
        words = [held[k].place(span.start, span.nbytes) for k, span in self.reads]
        for k, span in self.writes:
            words.append(held[k].place(span.start, span.nbytes, overwrite=True))
        addresses = dense.pack(*words, dense.size)
        return dense.kernel(id(addresses), id(dense.scalars)) >= 0


#: a plan, the address space of the tensors' device, the tensors (results last), their memory
Planned = tuple[Plan, AddressSpace, tuple[Tensor, ...], tuple[Memory | None, ...]]


class TwoPhaseCall(Protocol):
    """A call without its tensors."""

    def plan(self, tensors: tuple[Tensor, ...], default: AddressSpace | None) -> Planned:
        """Check the tensors, results last, and plan the call.

        ``default`` is the address space to use if no tensor has memory.
        """


class Located(NamedTuple):
    """Where the tensors of a call lie."""

    space: AddressSpace
    memories: tuple[Memory | None, ...]
    #: numbers that are equal for tensors in the same memory
    numbers: tuple[int, ...]
    #: the fields of each tensor's `Description`, without the size of its memory
    fields: tuple[tuple[Any, ...], ...]
    #: the size of the memory of each tensor
    sizes: tuple[int, ...]
    #: equal for calls that share a plan; None if the call shares none
    key: tuple[Any, ...] | None
    #: equal for calls whose tensors may differ in where they lie; None if the call is like no other
    kind: tuple[Any, ...] | None

    @property
    def descriptions(self) -> tuple[Description, ...]:
        """The tensors' descriptions."""
        pairs = zip(self.fields, self.sizes, strict=True)
        return tuple([Description._make((*fields, size)) for fields, size in pairs])


def refuse(message: str, cause: BaseException | None = None) -> NoReturn:
    """Fail with the code for an invalid argument of either phase."""
    fail(Status.ACLNN_ERR_PARAM_INVALID, message, cause)


def _fail_freed(what: str) -> NoReturn:
    fail(
        Status.ACL_ERROR_RT_AICORE_EXCEPTION,
        f"{what} before the work that uses it ran; synchronize before freeing",
    )
