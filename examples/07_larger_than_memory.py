"""
Larger than memory
==================

Gradients of a zarr store on a cluster of worker processes, with dask's progress bar::

    python examples/07_larger_than_memory.py [--gib GIB] [--folder FOLDER] [PICTURE]

It needs the extras ``dask`` and ``plot`` (``docs/install.md``).

Two stores of that size, 0.25 GiB unless another is named, are made in a folder, and the gradients
of PReLU for them are computed by two worker processes with one thread each and 600 MiB. No process
ever holds more than a few chunks. The sums over all images have the bits of one call on the whole,
which a second division into chunks shows. dask's dashboard, whose address is printed, shows the
work while it is done; the picture shows it afterwards, a row for each worker.
"""

import argparse
import tempfile
from pathlib import Path

import dask
import dask.array as da
import numpy as np
import zarr
from distributed import Client, LocalCluster, get_task_stream, progress
from matplotlib.figure import Figure

import ascendref as ar

CHUNK = (16, 16, 64, 64)  # images × channels × height × width: 4 MiB


def make_store(path, images, seed):
    """Make a store of normally distributed numbers, chunk after chunk."""
    store = zarr.create_array(path, shape=(images, *CHUNK[1:]), chunks=CHUNK, dtype="float32")
    source = np.random.default_rng(seed)
    for first in range(0, images, CHUNK[0]):
        store[first : first + CHUNK[0]] = source.standard_normal(CHUNK, np.float32)
    return da.from_zarr(store)


def draw(tasks, picture):
    """Draw what the workers did, as rows of bars."""
    workers = sorted({task["worker"] for task in tasks})
    spans = [(task["worker"], span) for task in tasks for span in task["startstops"]]
    begin = min(span["start"] for _, span in spans)
    figure = Figure(figsize=(10, 2.6), layout="constrained")
    axes = figure.subplots()
    for number, action in enumerate(sorted({span["action"] for _, span in spans})):
        chosen = [(worker, span) for worker, span in spans if span["action"] == action]
        axes.barh(
            [workers.index(worker) for worker, _ in chosen],
            [span["stop"] - span["start"] for _, span in chosen],
            left=[span["start"] - begin for _, span in chosen],
            color=f"C{number}",
            label=action,
        )
    axes.set_yticks(range(len(workers)), [f"worker {k}" for k in range(len(workers))])
    axes.set_xlabel("s")
    figure.legend(loc="outside upper right", ncols=4)
    figure.savefig(picture)


# %%
# The computation
# ---------------
# Stores are read, computed and written chunk by chunk.


def main(gib, folder, picture):
    images = max(1, round(gib * 2**30 / 4 / np.prod(CHUNK))) * CHUNK[0]
    x, grad = (make_store(folder / name, images, k) for k, name in enumerate(("x", "grad")))
    weight = np.full(CHUNK[1], 0.25, np.float32)
    target = zarr.create_array(folder / "result", shape=x.shape, chunks=CHUNK, dtype="float32")
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit="600MiB", dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        print(f"dashboard: {client.dashboard_link}", flush=True)
        result, sums = ar.prelu_backward(grad, x, weight)
        stored = da.store(result, target, lock=False, compute=False)
        with get_task_stream(client) as tasks:
            futures = client.compute([stored, sums])
            progress(futures, notebook=False)
            _, total = client.gather(futures)
        if picture:
            # Picture: what each of the two workers did, over the time of the run.
            draw(tasks.data, picture)
        print(f"\n{x.nbytes / 2**20:.0f} MiB of images, sums {total[:3]} …")
        # images that are cut otherwise, at places that do not suit the tree of the sum
        x, grad = (array.rechunk((11, 5, 64, 32)) for array in (x, grad))
        (other,) = dask.compute(ar.prelu_backward(grad, x, weight)[1])
        print("other chunks:", "the same bits" if np.array_equal(other, total) else "OTHER BITS")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--gib", type=float, default=0.25)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("picture", nargs="?")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        main(options.gib, options.folder or Path(temporary), options.picture)
