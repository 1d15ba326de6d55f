"""The memory's speed: a triad, ``a = b + s * c``, of float32."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np
from numba import prange, types

from ..kernels.compile import kernel
from ..kernels.twins import DenseKernel
from .work import Call

_SOURCE: Final = """
def kernel(a, b, c, s):
    for i in prange(a.size):
        a[i] = b[i] + s * c[i]
"""


def triad(moved: int) -> Call:
    """Return a call that reads and writes so many bytes, two thirds and one."""
    size = moved // 12
    a, b, c = (np.ones(size, np.float32) for _ in range(3))
    call = partial(_TRIAD.launch, a, b, c, np.float32(3))
    call()
    return call


class Triad(DenseKernel):
    """The loop, on as many threads as the operators would use."""

    def launch(self, a: Any, b: Any, c: Any, s: Any) -> None:
        """Write ``b + s * c`` to ``a``."""
        self._launch("dense", a.size, a, b, c, s)

    def _compile(self, layout: str, *, parallel: bool) -> Any:
        array = types.Array(types.float32, 1, "C")
        return kernel(
            _SOURCE,
            f"triad_float32_{'parallel' if parallel else 'serial'}",
            lambda: {"prange": prange},
            types.void(array, array, array, types.float32),
            formula=triad,
            parallel=parallel,
        )


_TRIAD: Final = Triad()
