"""Kernels in two layouts, each a serial and a parallel twin with the same bits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, ClassVar, Final

from ..layout import PARALLEL_FROM
from .compile import CORES, Once, at_most

#: the twins of a kernel
TWINS: Final = ("dense_serial", "dense_parallel", "tiled_serial", "tiled_parallel")


class TwinKernel:
    """Base of the kernels, which are compiled twin by twin, each on first use."""

    #: whether parallel work adds up what its parts return, which makes a launch longer
    counts: ClassVar[bool] = False

    @Once
    def dense_serial(self) -> Any:
        """The serial loop over contiguous operands."""
        return self._compile("dense", parallel=False)

    @Once
    def dense_parallel(self) -> Any:
        """The parallel loop over contiguous operands."""
        return self._compile("dense", parallel=True)

    @Once
    def tiled_serial(self) -> Any:
        """The serial loop over operands of any layout."""
        return self._compile("tiled", parallel=False)

    @Once
    def tiled_parallel(self) -> Any:
        """The parallel loop over operands of any layout."""
        return self._compile("tiled", parallel=True)

    def compile_all(self) -> Iterator[str]:
        """Compile, or load, every twin; yield the name of each when it is there."""
        for name in TWINS:
            getattr(self, name)
            yield name

    def make_ready(self, layout: str, size: int) -> None:
        """Compile, or load, the twin that a call of this size will use if the cores are free."""
        getattr(self, f"{layout}_{'serial' if size < PARALLEL_FROM else 'parallel'}")

    def launcher(self, layout: str, size: int, *fixed: Any) -> Any:
        """Return the loop over so many elements, of which only the operands are missing."""
        if size < PARALLEL_FROM:
            return partial(getattr(self, f"{layout}_serial"), *fixed)
        return partial(self._launch, layout, size, *fixed)

    def _launch(self, layout: str, size: int, *arguments: Any) -> Any:
        """Call the parallel twin for large work if the cores are free, else the serial one."""
        threads = CORES.acquire(size)
        if not threads:
            return getattr(self, layout + "_serial")(*arguments)
        try:
            twin = getattr(self, layout + "_parallel")
            if threads == CORES.all:
                return twin(*arguments)
            with at_most(threads):
                return twin(*arguments)
        finally:
            CORES.release()

    def _compile(self, layout: str, *, parallel: bool) -> Any:
        raise NotImplementedError
