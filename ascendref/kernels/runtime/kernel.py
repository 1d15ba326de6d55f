"""The base of kernels: their compiled functions, and when each is compiled."""

from collections.abc import Callable, Iterator
from functools import partial
from inspect import getattr_static
from typing import Any, Final

from ...core.threads import PARALLEL_FROM
from ..compiler.jit import Once
from .launch import (
    FAILED_IN_PYTHON,
    LAUNCHER,
    NO_EXACT_TASK,
    NO_LAUNCHER,
    NO_LOOKUP,
    NO_MEMORY,
    NO_SCATTER,
    Words,
)

#: elements that a kernel computes through contiguous copies before its strided loop is compiled,
#: and the least number that a call counts for; compiling takes as long as copying a hundred times
#: as many
COPIED_FIRST: Final = 2**22
COPIED_PER_CALL: Final = 2**16


#: what a kernel returns -> the method that loads what is missing, or raises a task's exception
_ANSWERS: Final = {
    FAILED_IN_PYTHON: "raise_error",
    NO_LAUNCHER: "load_launcher",
    NO_EXACT_TASK: "load_exact_task",
    NO_SCATTER: "load_scatter",
    NO_LOOKUP: "load_lookup",
}


class Piece(Once):
    """One of the compiled functions that a `Kernel` consists of, made on first use."""


class Kernel:
    """Base of the kernels, which have a compiled function for each layout of operands."""

    def __init__(self) -> None:
        self._copied = 0

    @classmethod
    def pieces(cls) -> tuple[str, ...]:
        return tuple([name for name in dir(cls) if isinstance(getattr_static(cls, name), Piece)])

    def compile_all(self) -> Iterator[str]:
        """Compile or load every piece and the launcher; yield each name when it is ready."""
        LAUNCHER.load()
        for name in self.pieces():
            getattr(self, name)
            yield name

    def needed(self, layout: str) -> tuple[str, ...]:
        raise NotImplementedError

    @property
    def has_strided_loop(self) -> bool:
        """Whether the loop over operands of any layout has been compiled or loaded."""
        return "tiled_kernel" in self.__dict__

    def copies_first(self, size: int) -> bool:
        """Tell whether a strided call uses contiguous copies, until its loop pays; count it."""
        if size == 0 or self.has_strided_loop:
            return False
        self._copied += max(size, COPIED_PER_CALL)
        return self._copied <= COPIED_FIRST

    def make_ready(self, layout: str, size: int) -> None:
        """Compile or load the pieces that a call of this size will use."""
        for name in self.needed(layout):
            getattr(self, name)
        if size >= PARALLEL_FROM:
            LAUNCHER.load()

    load_launcher = staticmethod(LAUNCHER.load)

    def _counting(self, function: Any) -> Any:
        """Return a compiled function so that its result is counted, in kernels that count."""
        return function

    def _bound(self, function: Any, fixed: Words) -> Callable[..., int]:
        """Return a compiled function with its first argument bound."""
        bound = partial(function, fixed.address)
        bound.__dict__["fixed"] = fixed  # keeps it alive
        counting: Callable[..., int] = self._counting(bound)
        return counting

    def _call(self, function: Any, *arguments: int) -> int:
        """Call a compiled function; if something must be loaded first, load it and call again."""
        function = self._counting(function)
        done: int = function(*arguments)
        while done in _ANSWERS:
            getattr(self, _ANSWERS[done])()
            done = function(*arguments)
        if done == NO_MEMORY:
            raise MemoryError("there is no memory for the buffers of a kernel")
        return done
