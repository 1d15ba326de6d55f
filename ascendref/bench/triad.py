"""The memory's speed: a triad, ``a = b + s * c``, of float32."""

from __future__ import annotations

from functools import cache, partial
from typing import Any, Final

import numpy as np
from numba import prange, types

from ..kernels.compile import CORES, at_most, kernel
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
    call = partial(_launch, a, b, c, np.float32(3))
    call()
    return call


@cache
def _kernel() -> Any:
    array = types.Array(types.float32, 1, "C")
    return kernel(
        _SOURCE,
        "triad_float32",
        lambda: {"prange": prange},
        types.void(array, array, array, types.float32),
        formula=triad,
        parallel=True,
    )


def _launch(a: Any, b: Any, c: Any, s: Any) -> None:
    threads = CORES.acquire(a.size)
    try:
        with at_most(max(threads, 1)):
            _kernel()(a, b, c, s)
    finally:
        if threads:
            CORES.release()
