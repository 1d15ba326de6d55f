"""Plans: all decisions of phase 1 about a call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..core.dtypes import DataType, ElementType
from ..core.errors import fail
from ..core.status import Status
from ..declaration.operator import Operator
from ..device.checker.shadow import Span
from ..device.memory.address_space import Memory

#: ``compute(arrays, scratch)`` computes the results from the arrays of all tensors; scratch memory
#: for partial sums is part of the workspace
Compute = Callable[[tuple[NDArray[Any], ...], NDArray[np.uint8] | None], None]


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
    """A checked tensor."""

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


@dataclass(frozen=True, eq=False, slots=True)
class Plan:
    """Everything that phase 1 decides about a call.

    It contains no addresses and no data, so equal calls share one plan.
    """

    operator: Operator
    #: values of the scalars
    scalars: tuple[float, ...]
    #: descriptions of the tensors, results included; phase 2 requires the same
    descriptions: tuple[Description, ...]
    #: the same tensors for the kernel
    layouts: tuple[Layout, ...]
    #: what the device launches
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

    def run(self, memories: tuple[Memory, ...], workspace: Memory | None, start: int) -> None:
        """Run the kernel on the device's thread; the workspace is at an offset in its memory."""
        assert self.compute is not None
        for k, memory in enumerate(memories):
            if not memory.alive:
                _fail_freed(f"{self.operator.tensor_names[k]} lies in {memory!r}")
        for k, span in self.reads:
            memories[k].content(span.start, span.nbytes)
        for k, span in self.writes:
            # results without gaps overwrite the whole range
            memories[k].content(span.start, span.nbytes, overwrite=span.gaps is None)
        arrays = [
            np.ndarray(shape, dtype, memory.content(0, 0), offset, strides)
            for (shape, dtype, offset, strides), memory in zip(self.layouts, memories, strict=True)
        ]
        scratch = None
        if workspace is not None and self.operator.reduction is not None:
            if not workspace.alive:
                _fail_freed(f"the workspace lies in {workspace!r}")
            # the spare bytes allow for an address that is not a multiple of 4
            first = start + -(workspace.address + start) % 4
            scratch = workspace.content(start, self.workspace)[first : start + self.workspace]
        self.compute(tuple(arrays), scratch)


def refuse(message: str, cause: BaseException | None = None) -> NoReturn:
    """Fail with the code for an invalid argument of either phase."""
    fail(Status.ACLNN_ERR_PARAM_INVALID, message, cause)


def _fail_freed(what: str) -> NoReturn:
    fail(
        Status.ACL_ERROR_RT_AICORE_EXCEPTION,
        f"{what} before the work that uses it ran; synchronize before freeing",
    )
