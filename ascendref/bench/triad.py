"""The memory's bandwidth: the triad of the STREAM benchmark, ``a = b + s * c``, in float32."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numba
import numpy as np
from numba import prange, types

from ..core.threads import get_num_threads
from ..kernels.compiler.jit import kernel
from .cases import Call


def triad(moved: int) -> Call:
    """Return a call that moves so many bytes: two thirds read, one third written."""
    size = moved // 12
    a, b, c = (np.ones(size, np.float32) for _ in range(3))
    call = partial(_run, get_num_threads(), a, b, c, np.float32(3))
    call()
    return call


def _run(threads: int, *arguments: Any) -> None:
    """Run the loop on so many threads."""
    before = numba.get_num_threads()
    numba.set_num_threads(threads)
    _kernel(threads > 1)(*arguments)
    numba.set_num_threads(before)


def _triad(a: Any, b: Any, c: Any, s: Any) -> None:
    for i in prange(a.size):
        a[i] = b[i] + s * c[i]


@cache
def _kernel(parallel: bool) -> Any:
    """Return the compiled loop, on one core or on all."""
    array = types.Array(types.float32, 1, "C")
    signature = types.void(array, array, array, types.float32)
    name = f"triad_float32_{'parallel' if parallel else 'serial'}"
    return kernel(_triad, name, signature, formula=_triad, parallel=parallel)
