"""Imports and first calls, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

import ascendref as ar
from ascendref.bench.work import SIZES

_CALL = """
import time, numpy as np, ascendref as ar
from ascendref.bench.work import Case, ours, tensors
case = Case("{operator}", "float32", {size})
arrays = tensors(case)
if "{layout}" == "strided":
    arrays = [arrays[0][..., ::-1], *arrays[1:]]
function = getattr(ar, case.operator)
import numba
start = time.process_time()
function(*arrays)
print(time.process_time() - start)
"""


class Import:
    """Seconds to import the package, in a process that has NumPy."""

    unit = "seconds"

    def track_import(self) -> float:
        """The least of five processes."""
        program = "import numpy, time; t = time.perf_counter(); import ascendref"
        return min(run(f"{program}; print(time.perf_counter() - t)") for _ in range(5))


class FirstCall:
    """CPU seconds of an operator's first call, beyond importing Numba."""

    params = (list(ar.OPERATORS), [SIZES["16"], SIZES["1 Mi"]], ["contiguous", "strided"])
    param_names = ("operator", "elements", "layout")
    unit = "seconds"
    timeout = 120

    def track_from_the_cache(self, operator: str, size: int, layout: str) -> float:
        """A process that finds its kernel in the cache; the least of five."""
        program = _CALL.format(operator=operator, size=size, layout=layout)
        return min(run(program) for _ in range(6))

    def track_compiling(self, operator: str, size: int, layout: str) -> float:
        """A process with an empty cache; the least of three."""
        times = []
        for _ in range(3):
            with tempfile.TemporaryDirectory() as folder:
                program = _CALL.format(operator=operator, size=size, layout=layout)
                times.append(run(program, folder))
        return min(times)


def run(program: str, cache: str | None = None) -> float:
    """Run a program in a new process and return the number that it prints."""
    environment = os.environ | ({"NUMBA_CACHE_DIR": cache} if cache else {})
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )
    return float(done.stdout)
