"""How many threads a call may use: set, given by the environment, and never more than its work."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import ascendref as ar
from ascendref.layout import PARALLEL_FROM, SHARE


def run(program: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_number_holds_until_the_block_ends() -> None:
    before = ar.get_num_threads()
    with ar.num_threads(1):
        assert ar.get_num_threads() == 1
        ar.set_num_threads(10_000)  # there are not so many
        assert ar.get_num_threads() == before
    assert ar.get_num_threads() == before
    with pytest.raises(ZeroDivisionError), ar.num_threads(1):
        raise ZeroDivisionError
    assert ar.get_num_threads() == before


@pytest.mark.parametrize("count", [0, -3, 1.5, "2", None])
def test_bad_numbers(count: Any) -> None:
    before = ar.get_num_threads()
    with pytest.raises((TypeError, ValueError), match=r"count is .*expected"):
        ar.set_num_threads(count)
    with pytest.raises(ar.ArgumentError, match=r"count is .*expected"), ar.num_threads(count):
        pass
    assert ar.get_num_threads() == before


def test_one_thread_needs_no_parallel_kernel() -> None:
    program = f"""
import numpy as np, ascendref as ar
x = np.ones({PARALLEL_FROM}, np.float32)
ar.hardshrink_backward(x, x)
ar.hardshrink_backward(x[::-1], x)
print(ar.get_num_threads(), *[row.kernel.rsplit("_", 1)[1] for row in ar.kernel_statistics()])
"""
    done = run(program, ASCENDREF_NUM_THREADS="1")
    assert done.stdout.split() == ["1", "serial", "serial"], done.stderr


@pytest.mark.parametrize("text", ["0", "many", "1.5"])
def test_a_bad_environment_says_so(text: str) -> None:
    done = run("import ascendref", ASCENDREF_NUM_THREADS=text)
    assert done.returncode == 1
    assert f"ASCENDREF_NUM_THREADS is '{text}'" in done.stderr or "is 0; at least 1" in done.stderr


def test_work_is_shared_among_no_more_threads_than_it_keeps_busy() -> None:
    program = f"""
import numba, numpy as np, ascendref as ar
from ascendref.kernels.compile import CORES
found = []
for size in ({PARALLEL_FROM}, {3 * SHARE}, {100 * SHARE}):
    found.append(CORES.acquire(size))
    CORES.release()
    x = np.ones(size, np.float32)
    ar.hardshrink_backward(x, x)
with ar.num_threads(2):
    found.append(CORES.acquire({100 * SHARE}))
    CORES.release()
print(*found, numba.get_num_threads())
"""
    done = run(program, NUMBA_NUM_THREADS="4")
    assert done.stdout.split() == ["2", "3", "4", "2", "4"], done.stderr


def test_bits_are_the_same_for_every_number() -> None:
    x = np.linspace(-9, 9, 5 * SHARE).astype(np.float32)
    want = ar.softplus_backward(x, x)
    for count in range(1, ar.get_num_threads() + 1):
        with ar.num_threads(count):
            np.testing.assert_array_equal(ar.softplus_backward(x, x), want)
