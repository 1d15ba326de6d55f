"""What the device launches for a call, and the workspace that it needs for that.

The device's kernels take dense tensors of one shape and one type. Whatever is given otherwise goes
through intermediates first, and results on their way out: Contiguous, Cast, BroadcastTo, the
operator's own kernels, Cast, ViewCopy. Their sizes and lifetimes give the workspace. (The emulator
itself computes all that in one pass.)
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

from numpy.typing import NDArray

from ..core.dtypes import ElementType


class Step(NamedTuple):
    """One kernel that the device launches."""

    #: what it is called there
    kernel: str
    #: arguments and intermediates that it reads
    reads: tuple[str, ...]
    #: arguments and intermediates that it writes
    writes: tuple[str, ...]


def reserved(nbytes: int) -> int:
    """Return the bytes of workspace that an intermediate takes: steps of 512, at least 32 spare.

    Examples
    --------
    >>> reserved(400), reserved(480), reserved(481)
    (512, 512, 1024)
    """
    return (nbytes + 32 + 511) & ~511


class Flow:
    """The kernels of one call, put together one by one."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        #: bytes of every intermediate, by name
        self.intermediates: dict[str, int] = {}

    def launch(self, kernel: str, reads: tuple[str, ...], *writes: str) -> None:
        """Add a step."""
        self.steps.append(Step(kernel, reads, writes))

    def intermediate(self, name: str, size: int, kind: ElementType) -> str:
        """Add a tensor that lies in the workspace."""
        self.intermediates[name] = size * kind.numpy.itemsize
        return name

    def contiguous(self, name: str, array: NDArray[Any], kind: ElementType) -> str:
        """Bring an input into C order, if it is not."""
        if array.flags.c_contiguous:
            return name
        dense = self.intermediate(f"{name}.contiguous", array.size, kind)
        self.launch("Contiguous", (name,), dense)
        return dense

    def input(
        self,
        name: str,
        array: NDArray[Any],
        kind: ElementType,
        target: ElementType,
        shape: tuple[int, ...],
    ) -> str:
        """Bring an input into C order, a type and a shape."""
        now = self.contiguous(name, array, kind)
        if kind is not target:
            cast = self.intermediate(f"{name}.cast", array.size, target)
            self.launch("Cast", (now,), cast)
            now = cast
        if array.shape != shape:
            wide = self.intermediate(f"{name}.broadcast", prod(shape), target)
            self.launch("BroadcastTo", (now,), wide)
            now = wide
        return now

    def result(self, name: str, array: NDArray[Any], kind: ElementType, made: ElementType) -> str:
        """Return where a kernel writes a result that it makes in some type."""
        if kind is made and array.flags.c_contiguous:
            return name
        return self.intermediate(f"{name}.result", array.size, made)

    def output(
        self, now: str, name: str, array: NDArray[Any], kind: ElementType, made: ElementType
    ) -> None:
        """Bring a result to where it belongs."""
        dense = array.flags.c_contiguous
        if kind is not made:
            cast = name if dense else self.intermediate(f"{name}.cast", array.size, kind)
            self.launch("Cast", (now,), cast)
            now = cast
        if not dense:
            self.launch("ViewCopy", (now,), name)

    def workspace(self) -> int:
        """Return the workspace in bytes: intermediates share room where they never meet."""
        last = {name: k for k, step in enumerate(self.steps) for name in step.reads}
        rooms: list[int] = []
        busy_until: list[int] = []
        for k, step in enumerate(self.steps):
            for name in step.writes:
                if name not in self.intermediates:
                    continue
                size = reserved(self.intermediates[name])
                free = [room for room, until in enumerate(busy_until) if until < k]
                if free:
                    room = min(free, key=lambda room: abs(rooms[room] - size))
                    rooms[room] = max(rooms[room], size)
                    busy_until[room] = last[name]
                else:
                    rooms.append(size)
                    busy_until.append(last[name])
        return sum(rooms)
