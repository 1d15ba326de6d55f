"""The number of threads: set by a call or the environment, and at most what the work needs."""

from typing import Any

import numpy as np
import pytest

import ascendref as ar
from ascendref.core.threads import ELEMENTS_PER_THREAD, PARALLEL_FROM

from ..support.processes import run

PROBLEM = r"{} is .*; it must be an integer ≥ 1"


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
    with pytest.raises((TypeError, ValueError), match=PROBLEM.format("count")):
        ar.set_num_threads(count)
    with pytest.raises(ar.ArgumentError, match=PROBLEM.format("count")), ar.num_threads(count):
        pass
    assert ar.get_num_threads() == before


def test_one_thread_needs_no_parallel_kernel() -> None:
    program = f"""
import numpy as np, ascendref as ar
x = np.ones({PARALLEL_FROM}, np.float32)
ar.hardshrink_backward(x, x)
ar.hardshrink_backward(x[::-1], x)
print(ar.get_num_threads(), "launcher" in [row.kernel for row in ar.kernel_statistics()])
"""
    assert run("-c", program, ASCENDREF_NUM_THREADS="1") == "1 False"


@pytest.mark.parametrize("text", ["0", "many", "1.5"])
def test_a_bad_environment_says_so(text: str) -> None:
    with pytest.raises(AssertionError, match=PROBLEM.format("ASCENDREF_NUM_THREADS")):
        run("-c", "import ascendref", ASCENDREF_NUM_THREADS=text)


@pytest.mark.full
def test_work_is_shared_among_no_more_threads_than_it_keeps_busy() -> None:
    program = f"""
import numba, numpy as np, ascendref as ar
from ascendref.kernels.runtime.memory import in_memory, word
from ascendref.kernels.runtime.launch import *
from ascendref.kernels.compiler.numba_internals import get_num_threads

@numba.njit
def threads(arguments, start, stop):
    if stop < start:
        return own_address()
    set_word(arguments, SIZE, get_num_threads())
    return 0

@numba.njit
def shared(task, elements, cores):
    arguments = in_memory((0, 0, 1))
    run(task, arguments, 100, 0, 1, elements, cores)
    return word(arguments, SIZE)

LAUNCHER.load()
task = threads(0, 0, -1)
share = {ELEMENTS_PER_THREAD}
sizes = share, {PARALLEL_FROM}, 3 * share, 100 * share
found = [shared(task, size, LAUNCHER.address) for size in sizes[1:]]
with ar.num_threads(2):
    found.append(shared(task, sizes[-1], LAUNCHER.address))
print(*found, numba.get_num_threads())
"""
    assert run("-c", program, NUMBA_NUM_THREADS="4") == "2 3 4 2 4"


def test_bits_are_the_same_for_every_number() -> None:
    x = np.linspace(-9, 9, 5 * ELEMENTS_PER_THREAD).astype(np.float32)
    want = ar.softplus_backward(x, x)
    for count in range(1, ar.get_num_threads() + 1):
        with ar.num_threads(count):
            np.testing.assert_array_equal(ar.softplus_backward(x, x), want)


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("variables", "threads"),
    [
        ({"OMP_NUM_THREADS": "1"}, 1),
        ({"OMP_NUM_THREADS": "1,4"}, 1),
        ({"OMP_NUM_THREADS": "1", "ASCENDREF_NUM_THREADS": "2"}, 2),
        ({"OMP_NUM_THREADS": "0"}, 2),  # which OpenMP ignores, with a warning
        ({"OMP_NUM_THREADS": "many"}, 2),
        ({"OMP_NUM_THREADS": "7"}, 2),
    ],
)
def test_variables_bound_the_number(variables: dict[str, str], threads: int) -> None:
    program = "import ascendref as ar; print(ar.get_num_threads())"
    assert run("-c", program, NUMBA_NUM_THREADS="2", **variables) == str(threads)


def test_torch_bounds_the_threads_of_kernels() -> None:
    pytest.importorskip("torch")
    program = f"""
import numpy as np, ascendref as ar
x = np.ones({PARALLEL_FROM}, np.float32)
launched = lambda: "launcher" in [row.kernel for row in ar.kernel_statistics()]
import torch
torch.set_num_threads(1)
ar.hardshrink_backward(x, x)
ar.hardshrink_backward(x, x)
print(ar.get_num_threads(), launched(), end=" ")
torch.set_num_threads(2)
ar.hardshrink_backward(x, x)
print(ar.get_num_threads(), launched())
"""
    got = run("-c", program, NUMBA_NUM_THREADS="2", OMP_NUM_THREADS="2")
    assert got == "1 False 2 True"
