"""
Larger than memory
==================

Gradients of a zarr store on a cluster of worker processes, with dask's progress bar::

    pip install "ascendref[dask]"
    python examples/07_larger_than_memory.py [GIB] [FOLDER]

Two stores of that size, 0.25 GiB unless another is named, are made in a folder, and the gradients
of PReLU for them are computed by two worker processes with one thread each and 600 MiB. No process
ever holds more than a few chunks. The sums over all images have the bits of one call on the whole,
which a second division into chunks shows. dask's dashboard, whose address is printed, shows the
work while it is done.
"""

import sys
import tempfile
from pathlib import Path

import dask
import dask.array as da
import numpy as np
import zarr
from distributed import Client, LocalCluster, progress

import ascendref as ar

CHUNK = (16, 16, 64, 64)  # images × channels × height × width: 4 MiB


def make_store(path, images, seed):
    """Make a store of normally distributed numbers, chunk after chunk."""
    store = zarr.create_array(path, shape=(images, *CHUNK[1:]), chunks=CHUNK, dtype="float32")
    source = np.random.default_rng(seed)
    for first in range(0, images, CHUNK[0]):
        store[first : first + CHUNK[0]] = source.standard_normal(CHUNK, np.float32)
    return da.from_zarr(store)


def main(gib, folder):
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
        futures = client.compute([stored, sums])
        progress(futures, notebook=False)
        _, total = client.gather(futures)
        print(f"\n{x.nbytes / 2**20:.0f} MiB of images, sums {total[:3]} …")
        # images that are cut otherwise, at places that do not suit the tree of the sum
        x, grad = (array.rechunk((11, 5, 64, 32)) for array in (x, grad))
        (other,) = dask.compute(ar.prelu_backward(grad, x, weight)[1])
        print("other chunks:", "the same bits" if np.array_equal(other, total) else "OTHER BITS")


if __name__ == "__main__":
    size = float(sys.argv[1]) if len(sys.argv) > 1 else 0.25
    if len(sys.argv) > 2:
        main(size, Path(sys.argv[2]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(size, Path(temporary))
