"""Plans: all that phase 1 decides about a call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..core.dtypes import DataType
from ..core.errors import fail
from ..core.status import Status
from ..declaration.operator import Operator
from ..device.memory.address_space import Memory
from .workspace import Step

#: computes results from the arrays of all tensors; what scratch it needs it takes from the second
Compute = Callable[[tuple[NDArray[Any], ...], NDArray[np.uint8] | None], None]


class View(NamedTuple):
    """A tensor as phase 1 found it."""

    data_type: DataType
    shape: tuple[int, ...]
    #: in elements, as the offset
    strides: tuple[int, ...]
    offset: int
    #: size of the memory that it lies in
    nbytes: int


class Layout(NamedTuple):
    """How the elements of a tensor lie in its memory, in bytes."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    offset: int
    strides: tuple[int, ...]


class Span(NamedTuple):
    """The bytes from the first element of a tensor to its last."""

    #: number of the tensor
    tensor: int
    #: from the beginning of its memory
    start: int
    nbytes: int


@dataclass(frozen=True, eq=False, slots=True)
class Plan:
    """All that phase 1 decides about a call; it knows no addresses and touches no data."""

    operator: Operator
    #: the scalars' values
    scalars: tuple[float, ...]
    #: the tensors, results included, as they were described
    views: tuple[View, ...]
    #: the same for the kernel
    layouts: tuple[Layout, ...]
    #: what the device launches
    steps: tuple[Step, ...]
    #: bytes of workspace that phase 2 must be given
    workspace: int
    #: what the tasks read and write
    reads: tuple[Span, ...]
    writes: tuple[Span, ...]
    #: the kernel with its scalars; None where there is nothing to compute
    compute: Compute | None

    def run(self, memories: tuple[Memory, ...], workspace: Memory | None, start: int) -> None:
        """Compute, on the device's thread, with tensors in these memories."""
        assert self.compute is not None
        for k, memory in enumerate(memories):
            if not memory.alive:
                _lost(f"{self.operator.tensor_names[k]} lies in {memory!r}")
        for span in self.reads:
            memories[span.tensor].content(span.start, span.nbytes)
        for span in self.writes:
            # where nothing lies in between, the results overwrite all of it
            dense = span.nbytes == prod(self.layouts[span.tensor].shape) * (
                self.layouts[span.tensor].dtype.itemsize
            )
            memories[span.tensor].content(span.start, span.nbytes, overwrite=dense)
        arrays = [
            np.ndarray(layout.shape, layout.dtype, memory.content(0, 0), *layout[2:])
            for layout, memory in zip(self.layouts, memories, strict=True)
        ]
        scratch = None
        if workspace is not None and self.operator.channel_term is not None:
            if not workspace.alive:
                _lost(f"the workspace lies in {workspace!r}")
            # the spare bytes leave room for an address that is no multiple of 4
            first = start + -(workspace.address + start) % 4
            scratch = workspace.content(start, self.workspace)[first : start + self.workspace]
        self.compute(tuple(arrays), scratch)


def _lost(what: str) -> NoReturn:
    fail(
        Status.ACL_ERROR_RT_AICORE_EXCEPTION,
        f"{what} before the work that uses it ran; synchronize before freeing",
    )
