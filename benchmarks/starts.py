"""Imports and first calls, each in a process of its own."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from ascendref.bench.cases import SIZES

from . import OPERATORS

ROOT = Path(__file__).parents[1]


class Import:
    """Seconds to import the package, in a process that has NumPy."""

    unit = "seconds"

    def track_import(self) -> float:
        """The least of five processes."""
        program = "import numpy, time; t = time.perf_counter(); import ascendref"
        command = ["-c", f"{program}; print(time.perf_counter() - t)"]
        return min(run(command, {}) for _ in range(5))


class FirstCall:
    """CPU seconds of an operator's first call, beyond importing Numba."""

    params = (OPERATORS, [SIZES["16"], SIZES["1 Mi"]], ["contiguous", "strided"])
    param_names = ("operator", "elements", "layout")
    unit = "seconds"
    timeout = 120

    def track_from_the_cache(self, operator: str, size: int, layout: str) -> float:
        """A process that finds its kernel in the cache; the least of six."""
        return min(first_call(operator, size, layout) for _ in range(6))

    def track_compiling(self, operator: str, size: int, layout: str) -> float:
        """A process with an empty cache; the least of three."""
        times = []
        for _ in range(3):
            with tempfile.TemporaryDirectory() as folder:
                times.append(first_call(operator, size, layout, folder))
        return min(times)


def first_call(operator: str, size: int, layout: str, cache: str | None = None) -> float:
    """Return the CPU seconds of a call in a new process, perhaps with a cache of its own."""
    program = f"""
import time, numba, ascendref as ar
from ascendref.bench.cases import Case, tensors
first, *rest = tensors(Case({operator!r}, "float32", {size}))
if {layout!r} == "strided":
    first = first[..., ::-1]
start = time.process_time()
ar.{operator}(first, *rest)
print(time.process_time() - start)
"""
    return run(["-c", program], {"NUMBA_CACHE_DIR": cache} if cache else {})


def run(arguments: list[str], variables: dict[str, str]) -> float:
    """Run Python in a new process and return the number that it prints."""
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env=os.environ | variables,
    )
    return float(done.stdout)
