"""A cluster of worker processes: stores on disk, lost workers, memory."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import ascendref as ar

from ..support.cases import numbers
from ..support.rounding import assert_bits, assert_same_bits

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")
zarr = pytest.importorskip("zarr")

pytestmark = [
    # what the event loops of a cluster that is being closed leave to the garbage collector
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:Sending large graph"),
]

MIB = 2**20


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two worker processes with one thread each and 600 MiB."""
    with (
        # the workers' bounds on threads stay in the environment of the process that starts them
        patch.dict(os.environ),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit=600 * MIB, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def store(path: Path, values: Any, chunks: tuple[int, ...]) -> Any:
    """Store an array and return it, as dask reads it."""
    made = zarr.create_array(path, shape=values.shape, chunks=chunks, dtype=values.dtype)
    made[:] = values
    return da.from_zarr(made)


@pytest.mark.parametrize("compute", [None, "float64"])
def test_stores_have_the_bits_of_one_call(client: Any, tmp_path: Path, compute: str | None) -> None:
    shape, chunks = (32, 6, 32, 32), (7, 4, 32, 32)  # which do not line up with the tree
    grad, x, target = (numbers("float32", shape, seed, tame=True) for seed in (1, 2, 3))
    weight = numbers("float32", (6,), 4, tame=True)
    lazy = [store(tmp_path / f"{k}", a, chunks) for k, a in enumerate((grad, x, target))]
    whole = ar.prelu_backward(grad, x, weight, compute_dtype=compute)
    got = dask.compute(*ar.prelu_backward(*lazy[:2], weight, compute_dtype=compute))
    assert_same_bits(got, whole)
    out = zarr.create_array(tmp_path / "out", shape=shape, chunks=chunks, dtype="float32")
    da.store(ar.smooth_l1_loss_backward(*lazy, compute_dtype=compute), out, lock=False)
    assert_bits(out[:], ar.smooth_l1_loss_backward(grad, x, target, compute_dtype=compute))


def test_a_worker_with_one_thread_uses_one(client: Any) -> None:
    assert set(client.run(ar.get_num_threads).values()) == {1}


def slow(block: Any) -> Any:
    time.sleep(0.05)
    return block


@pytest.mark.full
def test_tasks_of_a_lost_worker_run_again(client: Any) -> None:
    shape = (4096 * 16, 4)
    grad, x = (numbers("float32", shape, seed, tame=True) for seed in (1, 2))
    weight = numbers("float32", (4,), 3, tame=True)
    lazy = [
        da.from_array(array, chunks=(4096, 1)).map_blocks(slow, meta=array[:0])
        for array in (grad, x)
    ]
    before = client.run(os.getpid)
    futures = client.compute(list(ar.prelu_backward(*lazy, weight)))
    deadline = time.monotonic() + 60
    while not any(client.has_what().values()) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(next(iter(before.values())), signal.SIGKILL)
    got = client.gather(futures)
    assert_same_bits(got, ar.prelu_backward(grad, x, weight))
    client.wait_for_workers(2, timeout=60)
    assert set(client.run(os.getpid).values()) != set(before.values())


def most_memory() -> int:
    """Return the most memory that this process has had, in MiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) // 1024


@pytest.mark.exhaustive
def test_data_larger_than_the_memory_of_the_workers(client: Any, tmp_path: Path) -> None:
    shape, chunks = (352, 64, 64, 64), (8, 64, 64, 64)  # 352 MiB each; 8 MiB
    images = 5 * shape[0]
    paths = [tmp_path / name for name in "xg"]
    source = np.random.default_rng(0)
    for path in paths:
        made = zarr.create_array(
            path, shape=(images, *shape[1:]), chunks=chunks, dtype="float32", compressors=None
        )
        for first in range(0, images, chunks[0]):
            made[first : first + chunks[0]] = source.standard_normal(chunks, np.float32)
    x, grad = (da.from_zarr(path) for path in paths)
    assert x.nbytes > 2 * 600 * MIB
    weight = np.full(64, 0.25, np.float32)
    out = zarr.create_array(
        tmp_path / "out", shape=x.shape, chunks=chunks, dtype="float32", compressors=None
    )
    result, sums = ar.prelu_backward(grad, x, weight)
    _, total = dask.compute(da.store(result, out, lock=False, compute=False), sums)
    assert max(client.run(most_memory).values()) < 600
    whole = ar.prelu_backward(zarr.open_array(paths[1])[:], zarr.open_array(paths[0])[:], weight)
    assert_bits(total, whole[1])
    assert np.array_equal(out[:], whole[0])
