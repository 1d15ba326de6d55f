"""Plans: everything that phase 1 decides about a call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..core.dtypes import DataType
from ..core.errors import fail
from ..core.status import Status
from ..declaration.operator import Operator
from ..device.checker.shadow import Gaps, Span, gaps_of
from ..device.memory.address_space import Memory
from .workspace import Step

#: ``compute(arrays, scratch)`` computes the results from the arrays of all tensors; scratch memory
#: for partial sums is part of the workspace
Compute = Callable[[tuple[NDArray[Any], ...], NDArray[np.uint8] | None], None]


class Description(NamedTuple):
    """What a tensor's fields were in phase 1."""

    data_type: DataType
    shape: tuple[int, ...]
    #: in elements, like the offset
    strides: tuple[int, ...]
    offset: int
    #: the byte of the memory where offsets count from
    start: int
    #: size of the memory that it lies in
    nbytes: int


class Layout(NamedTuple):
    """Where the elements of a tensor lie in its memory, in bytes."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    offset: int
    strides: tuple[int, ...]

    @property
    def gaps(self) -> Gaps | None:
        """Shape, strides and bytes of an element if there are gaps between elements."""
        return gaps_of(self.shape, self.strides, self.dtype.itemsize)


class ByteRange(NamedTuple):
    """The bytes from the first element of a tensor to the last."""

    #: index of the tensor among the call's
    tensor: int
    #: where in its memory
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Plan:
    """Everything that phase 1 decides about a call.

    It has no addresses and refers to no data, so equal calls share one.
    """

    operator: Operator
    #: values of the scalars
    scalars: tuple[float, ...]
    #: the tensors, results included, as they must still be in phase 2
    descriptions: tuple[Description, ...]
    #: the same tensors for the kernel
    layouts: tuple[Layout, ...]
    #: what the device launches
    steps: tuple[Step, ...]
    #: bytes of workspace that phase 2 must be given
    workspace: int
    #: what the task reads and writes, the workspace excepted
    reads: tuple[ByteRange, ...]
    writes: tuple[ByteRange, ...]
    #: the workspace in memory of its own
    scratch: Span
    #: the kernel with its scalars; None where there is nothing to compute
    compute: Compute | None

    def run(self, memories: tuple[Memory, ...], workspace: Memory | None, start: int) -> None:
        """Run the kernel, on the device's thread.

        Parameters
        ----------
        memories : tuple of Memory
            What the tensors lie in.
        workspace : Memory or None
            What the workspace lies in.
        start : int
            First byte of the workspace in it.
        """
        assert self.compute is not None
        for k, memory in enumerate(memories):
            if not memory.alive:
                _fail_freed(f"{self.operator.tensor_names[k]} lies in {memory!r}")
        for k, span in self.reads:
            memories[k].content(span.start, span.nbytes)
        for k, span in self.writes:
            # results without gaps overwrite all of the range
            memories[k].content(span.start, span.nbytes, overwrite=span.gaps is None)
        arrays = [
            np.ndarray(layout.shape, layout.dtype, memory.content(0, 0), *layout[2:])
            for layout, memory in zip(self.layouts, memories, strict=True)
        ]
        scratch = None
        if workspace is not None and self.operator.channel_term is not None:
            if not workspace.alive:
                _fail_freed(f"the workspace lies in {workspace!r}")
            # the spare bytes leave room for an address that is no multiple of 4
            first = start + -(workspace.address + start) % 4
            scratch = workspace.content(start, self.workspace)[first : start + self.workspace]
        self.compute(tuple(arrays), scratch)


def _fail_freed(what: str) -> NoReturn:
    fail(
        Status.ACL_ERROR_RT_AICORE_EXCEPTION,
        f"{what} before the work that uses it ran; synchronize before freeing",
    )
