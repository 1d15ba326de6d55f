"""Threads, threading layers, forked and spawned processes: same bits, no abort, no deadlock."""

from __future__ import annotations

import pytest

from ..support.processes import run_program

LAYERS = ("omp", "tbb", "workqueue")
# OpenMP's threads are those that a fork leaves in the worst state
ONE_LAYER = (
    "omp",
    pytest.param("tbb", marks=pytest.mark.exhaustive),
    pytest.param("workqueue", marks=pytest.mark.exhaustive),
)


@pytest.fixture(scope="module")
def serial_bits() -> str:
    return run_program("bits", NUMBA_NUM_THREADS="1", NUMBA_THREADING_LAYER="workqueue").split()[0]


@pytest.mark.daily(2)
@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("count", ["2", "7"])
def test_bits_do_not_depend_on_threads_or_layer(serial_bits, layer, count):
    found = run_program("bits", NUMBA_NUM_THREADS=count, NUMBA_THREADING_LAYER=layer)
    assert found == f"{serial_bits} {layer} {count}"


@pytest.mark.full
@pytest.mark.parametrize("layer", ONE_LAYER)
def test_many_python_threads_at_once(layer):
    assert run_program("threads", NUMBA_NUM_THREADS="4", NUMBA_THREADING_LAYER=layer) == "40 True"


@pytest.mark.full
@pytest.mark.parametrize("layer", ONE_LAYER)
def test_forked_children_after_parallel_work(layer):
    assert run_program("fork", NUMBA_NUM_THREADS="2", NUMBA_THREADING_LAYER=layer) == "0 True"


@pytest.mark.full
@pytest.mark.parametrize("layer", ONE_LAYER)
def test_fork_while_other_threads_compile_and_run(layer, tmp_path):
    found = run_program(
        "fork_while_busy",
        NUMBA_NUM_THREADS="2",
        NUMBA_THREADING_LAYER=layer,
        NUMBA_CACHE_DIR=str(tmp_path),
    )
    assert found == "[0, 0, 0, 0, 0]"


@pytest.mark.full
@pytest.mark.parametrize("layer", ONE_LAYER)
def test_spawned_processes(layer):
    assert run_program("spawn", NUMBA_NUM_THREADS="2", NUMBA_THREADING_LAYER=layer) == "4 True"
