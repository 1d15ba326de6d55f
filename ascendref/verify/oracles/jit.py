"""Numba's ``njit`` for the oracles, which share no code with the kernels."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

from numba import njit

#: the folder of all files whose compiled functions may call each other
_VERIFY: Final = Path(__file__).parents[1]


def compiled(**options: bool) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function, and keep the code on disk where that is possible.

    Numba's disk cache looks at the source file of the function alone, not at those of the functions
    that it calls. So the function's name in the cache holds a digest of all files that it may call.
    """

    def wrap(function: Callable[..., Any]) -> Any:
        function.__qualname__ = f"{function.__name__}_{_source_digest()}"
        try:
            return njit(cache=True, error_model="numpy", **options)(function)
        except RuntimeError:  # there is no folder for a cache
            return njit(error_model="numpy", **options)(function)

    return wrap


@cache
def _source_digest() -> str:
    digest = hashlib.sha256()
    for path in sorted(_VERIFY.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:24]
