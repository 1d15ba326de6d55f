"""The kernels that the device launches for a call, and the workspace for their intermediates.

The device's kernels take contiguous tensors of one shape and one type. Other inputs and results are
converted through intermediate tensors, in this order: Contiguous, Cast, BroadcastTo, the operator's
own kernels, Cast, ViewCopy. The sizes and lifetimes of the intermediates determine the size of the
workspace. The emulator itself needs none of them: it computes a call in one pass.
"""

from __future__ import annotations

from math import prod

from ..core.dtypes import ElementType
from .plan import Operand, Step


def reserved(nbytes: int) -> int:
    """Return the bytes of workspace for an intermediate: multiples of 512, at least 32 spare.

    Examples
    --------
    >>> reserved(400), reserved(480), reserved(481)
    (512, 512, 1024)
    """
    return (nbytes + 32 + 511) & ~511


class LaunchSequence:
    """The kernels that the device launches for one call, in order.

    The methods add kernels and return the name of the tensor that holds the result.
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []
        #: bytes of every intermediate, by name
        self.intermediates: dict[str, int] = {}

    def launch(self, kernel: str, reads: tuple[str, ...], *writes: str) -> None:
        """Add a kernel."""
        self.steps.append(Step(kernel, reads, writes))

    def intermediate(self, name: str, size: int, kind: ElementType) -> str:
        """Add an intermediate tensor of so many elements in the workspace."""
        self.intermediates[name] = size * kind.numpy.itemsize
        return name

    def contiguous(self, x: Operand) -> str:
        """Copy an input in C order, unless it is in that order."""
        if x.array.flags.c_contiguous:
            return x.name
        dense = self.intermediate(f"{x.name}.contiguous", x.array.size, x.kind)
        self.launch("Contiguous", (x.name,), dense)
        return dense

    def input(self, x: Operand, target: ElementType, shape: tuple[int, ...]) -> str:
        """Convert an input to C order, a type and a shape."""
        current = self.contiguous(x)
        if x.kind is not target:
            cast = self.intermediate(f"{x.name}.cast", x.array.size, target)
            self.launch("Cast", (current,), cast)
            current = cast
        if x.layout.shape != shape:
            broadcast = self.intermediate(f"{x.name}.broadcast", prod(shape), target)
            self.launch("BroadcastTo", (current,), broadcast)
            current = broadcast
        return current

    def result(self, x: Operand, computed: ElementType) -> str:
        """Return the tensor a kernel writes: the result itself if it is dense and has that type."""
        if x.kind is computed and x.array.flags.c_contiguous:
            return x.name
        return self.intermediate(f"{x.name}.result", x.array.size, computed)

    def output(self, current: str, x: Operand, computed: ElementType) -> None:
        """Convert what a kernel wrote to the type and the layout of a result."""
        dense = x.array.flags.c_contiguous
        if x.kind is not computed:
            cast = x.name if dense else self.intermediate(f"{x.name}.cast", x.array.size, x.kind)
            self.launch("Cast", (current,), cast)
            current = cast
        if not dense:
            self.launch("ViewCopy", (current,), x.name)

    def workspace_size(self) -> int:
        """Return the bytes of workspace; intermediates with disjoint lifetimes share memory."""
        last_read = {name: k for k, step in enumerate(self.steps) for name in step.reads}
        blocks: list[int] = []
        busy_until: list[int] = []
        for k, step in enumerate(self.steps):
            for name in step.writes:
                if name not in self.intermediates:
                    continue
                size = reserved(self.intermediates[name])
                free = [block for block, until in enumerate(busy_until) if until < k]
                if free:
                    block = min(free, key=lambda block: abs(blocks[block] - size))
                    blocks[block] = max(blocks[block], size)
                    busy_until[block] = last_read.get(name, k)
                else:
                    blocks.append(size)
                    busy_until.append(last_read.get(name, k))
        return sum(blocks)
