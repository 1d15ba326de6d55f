"""Threads, threading layers, forked and spawned processes: same bits, no abort, no deadlock."""

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
@pytest.mark.parametrize(
    ("program", "threads", "printed"),
    [
        ("threads", "4", "40 True"),  # many Python threads at once
        ("fork", "2", "0 True"),  # after parallel work
        ("fork_while_busy", "2", "[0, 0, 0, 0, 0]"),  # while other threads compile and run
        ("spawn", "2", "4 True"),
    ],
)
def test_threads_and_processes(program, threads, printed, layer, tmp_path):
    variables = {"NUMBA_NUM_THREADS": threads, "NUMBA_THREADING_LAYER": layer}
    if program == "fork_while_busy":
        variables["NUMBA_CACHE_DIR"] = str(tmp_path)
    assert run_program(program, **variables) == printed
