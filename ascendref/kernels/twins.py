"""Kernels for some layouts, each a serial and a parallel twin with the same bits, NaN excepted."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from inspect import getattr_static
from typing import Any, ClassVar

from ..layout import PARALLEL_FROM
from .compile import CORES, Once, at_most


class Twin(Once):
    """A kernel's loop, named after the layout that it is for and ``serial`` or ``parallel``."""

    def __init__(self) -> None:
        super().__init__(self._compiled)

    def __set_name__(self, owner: type, name: str) -> None:
        super().__set_name__(owner, name)
        self._layout, _, how = name.partition("_")
        self._parallel = how == "parallel"

    def _compiled(self, kernel: TwinKernel) -> Any:
        return kernel._compile(self._layout, parallel=self._parallel)


class TwinKernel:
    """Base of the kernels, which are compiled twin by twin, each on first use."""

    #: whether parallel work adds up what its parts return, which makes a launch longer
    counts: ClassVar[bool] = False

    @classmethod
    def twins(cls) -> tuple[str, ...]:
        """Return the names of all twins."""
        return tuple([name for name in dir(cls) if isinstance(getattr_static(cls, name), Twin)])

    def compile_all(self) -> Iterator[str]:
        """Compile, or load, every twin; yield the name of each when it is there."""
        for name in self.twins():
            getattr(self, name)
            yield name

    def make_ready(self, layout: str, size: int) -> None:
        """Compile, or load, the twin that a call of this size will use if the cores are free."""
        getattr(self, f"{layout}_{'serial' if size < PARALLEL_FROM else 'parallel'}")

    def launcher(self, layout: str, size: int, *fixed: Any) -> Any:
        """Return the loop over so many elements, of which only the operands are missing."""
        if size < PARALLEL_FROM:
            twin = getattr(self, layout + "_serial")
            return partial(twin, *fixed) if fixed else twin
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


class DenseKernel(TwinKernel):
    """A kernel with loops over contiguous operands of one shape."""

    dense_serial = Twin()
    dense_parallel = Twin()
