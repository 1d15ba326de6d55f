"""``python -m benchmarks.scale``: gradients of zarr stores on a cluster, beside NumPy and PyTorch.

A cluster of two worker processes with one thread each computes the gradients of softplus and prelu.
First on chunks in the workers' memory, where the time is that of dask and of the arithmetic. Then
from store to store, where the data are larger than the memory of both workers: peak memory, the
bits beside one call on the whole, and the time, most of which reading and writing takes. All sides
take turns in one run; the best of a few turns counts. Ratios are the time of the other side divided
by ours. It runs on Linux, and the folder for the stores must have room for three of them.
"""

import argparse
import pickle
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
import zarr
from distributed import Client, LocalCluster, wait

import ascendref as ar

#: elements of a chunk: images × channels × height × width
CHUNK = (16, 64, 64, 64)
MIB = 2**20
#: function of gradient, data and weight that returns lazy results
Side = Callable[[Any, Any, Any], tuple[Any, ...]]


def ours_softplus(grad: Any, x: Any, weight: Any) -> tuple[Any, ...]:
    return (ar.softplus_backward(grad, x),)


def numpy_softplus(grad: Any, x: Any, weight: Any) -> tuple[Any, ...]:
    return (da.where(x > 20, grad, grad / (1 + da.exp(-x))),)


def torch_softplus(grad: Any, x: Any, weight: Any) -> tuple[Any, ...]:
    return (da.map_blocks(_torch_softplus, grad, x, dtype=x.dtype),)


def _torch_softplus(grad: Any, x: Any) -> Any:
    import torch

    tensors = map(torch.from_numpy, (grad, x))
    return torch.ops.aten.softplus_backward(*tensors, 1.0, 20.0).numpy()


def ours_prelu(grad: Any, x: Any, weight: Any) -> tuple[Any, ...]:
    result: tuple[Any, ...] = ar.prelu_backward(grad, x, weight)
    return result


def numpy_prelu(grad: Any, x: Any, weight: Any) -> tuple[Any, ...]:
    positive = x > 0
    result = da.where(positive, grad, grad * weight[:, None, None])
    return result, da.where(positive, x.dtype.type(0), grad * x).sum(axis=(0, 2, 3))


def torch_prelu(grad: Any, x: Any, weight: Any) -> tuple[Any, ...]:
    pairs = da.map_blocks(
        _torch_prelu, grad, x, weight=weight, dtype=object, meta=np.empty((0,) * 4, object)
    )
    result = pairs.map_blocks(lambda pair: pair[0], dtype=x.dtype, meta=x._meta)
    parts = pairs.map_blocks(
        lambda pair: pair[1][None, :, None, None],
        dtype=x.dtype,
        meta=x._meta,
        chunks=((1,) * x.numblocks[0], *[(size,) for size in (x.shape[1], 1, 1)]),
    )
    return result, parts.sum(axis=(0, 2, 3))


def _torch_prelu(grad: Any, x: Any, weight: Any) -> Any:
    import torch

    tensors = map(torch.from_numpy, (grad, x))
    factors = torch.from_numpy(weight)[:, None, None]
    result, products = torch.ops.aten._prelu_kernel_backward(*tensors, factors)
    return result.numpy(), products.sum(dim=(0, 2, 3)).numpy()


SIDES: dict[str, dict[str, Side]] = {
    "softplus_backward": {
        "ascendref": ours_softplus,
        "NumPy": numpy_softplus,
        "PyTorch": torch_softplus,
    },
    "prelu_backward": {"ascendref": ours_prelu, "NumPy": numpy_prelu, "PyTorch": torch_prelu},
}


def cluster(limit: int) -> LocalCluster:
    """Start two worker processes with one thread each, and a limit in MiB."""
    return LocalCluster(
        n_workers=2, threads_per_worker=1, memory_limit=limit * MIB, dashboard_address=":0"
    )


def make_store(folder: Path, name: str, images: int, kind: str, seed: int) -> zarr.Array:
    """Make a store of normally distributed numbers, chunk after chunk."""
    made = empty_store(folder, name, images, kind)
    source = np.random.default_rng(seed)
    for first in range(0, images, CHUNK[0]):
        made[first : first + CHUNK[0]] = source.standard_normal(CHUNK, np.float32).astype(kind)
    return made


def empty_store(folder: Path, name: str, images: int, kind: str) -> zarr.Array:
    """Make an empty store."""
    return zarr.create_array(
        folder / name,
        shape=(images, *CHUNK[1:]),
        chunks=CHUNK,
        dtype=kind,
        compressors=None,
        overwrite=True,
    )


def run(side: Side, grad: Any, x: Any, weight: Any, target: Any) -> tuple[float, Any]:
    """Compute from store to store; return the seconds, and the sums."""
    lazy = side(da.from_zarr(grad), da.from_zarr(x), weight)
    start = time.perf_counter()
    stored = da.store(lazy[0], target, lock=False, compute=False)
    _, *sums = dask.compute(stored, *lazy[1:])
    return time.perf_counter() - start, sums


def peak_memory() -> int:
    """Return the most memory that this process has had, in MiB."""
    # what `resource` tells includes that of the process which started this one
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) // 1024


def from_store_to_store(folder: Path, gib: float, limit: int, turns: int) -> None:
    """Print peak memory, the comparison of bits, seconds and ratios."""
    images = round(gib * 2**30 / 4 / np.prod(CHUNK)) * CHUNK[0]
    x, grad = (make_store(folder, name, images, "float32", k) for k, name in enumerate("xg"))
    target = empty_store(folder, "result", images, "float32")
    weight = np.full(CHUNK[1], 0.25, np.float32)
    print(f"two inputs of {x.nbytes / 2**30:.2f} GiB each, two workers of {limit} MiB each")
    for operator, sides in SIDES.items():
        with cluster(limit) as machines, Client(machines) as client:
            _, sums = run(sides["ascendref"], grad, x, weight, target)
            peaks = client.run(peak_memory)
        whole = getattr(ar, operator)(grad[:], x[:], *([weight] if sums else []))
        result, *others = whole if sums else (whole,)
        same = np.array_equal(target[:], result) and all(map(np.array_equal, sums, others))
        del whole, result
        print(
            f"{operator}: peak memory {' and '.join(map(str, peaks.values()))} MiB;"
            f" bits {'equal to' if same else 'DIFFERENT from'} one call on the whole"
        )
        best = dict.fromkeys(sides, float("inf"))
        # PyTorch alone takes more memory than the limit leaves
        with cluster(4 * limit) as machines, Client(machines):
            for _ in range(turns):
                for name, side in sides.items():
                    best[name] = min(best[name], run(side, grad, x, weight, target)[0])
        print_ratios("from store to store", best)


def in_memory(kind: str, limit: int, turns: int) -> None:
    """Print ratios for chunks that are in the workers' memory, and stay there."""
    chunks = 24
    shape = (chunks * CHUNK[0], *CHUNK[1:])
    weight = np.full(CHUNK[1], 0.25, kind)
    with cluster(8 * limit) as machines, Client(machines) as client:
        source = da.random.default_rng(0)
        x, grad = (
            source.standard_normal(shape, chunks=CHUNK, dtype=np.float32).astype(kind).persist()
            for _ in range(2)
        )
        wait([x, grad])
        for operator, sides in SIDES.items():
            best = dict.fromkeys(sides, float("inf"))
            for _ in range(turns):
                for name, side in sides.items():
                    lazy = side(grad, x, weight)
                    # a number per chunk comes back: the result stays where it is
                    first = lazy[0].map_blocks(_corner, dtype=kind, chunks=(1, 1, 1, 1))
                    start = time.perf_counter()
                    client.compute([first, *lazy[1:]], sync=True)
                    best[name] = min(best[name], time.perf_counter() - start)
            print_ratios(f"{operator}, {kind}, in memory", best)


def _corner(block: Any) -> Any:
    return block[:1, :1, :1, :1]


def costs() -> None:
    """Print what dask and partial sums cost beside the arithmetic."""
    blocks, channels = 2000, CHUNK[1]
    weight = np.full(channels, 0.25, np.float32)
    start = time.perf_counter()
    x = da.ones((blocks * CHUNK[0], *CHUNK[1:]), chunks=CHUNK, dtype=np.float32)
    lazy = ar.prelu_backward(x, x, weight)
    tasks = dask.optimize(*lazy)[0].__dask_graph__()
    built = time.perf_counter() - start
    print(
        f"graph of {blocks} chunks: {1e3 * built:.0f} ms, {len(tasks) / blocks:.1f} tasks a chunk"
    )
    with cluster(600) as machines, Client(machines) as client:
        client.gather(client.map(abs, range(100)))
        start = time.perf_counter()
        client.gather(client.map(abs, range(100, 5100)))
        print(f"a task of the scheduler: {(time.perf_counter() - start) / 5000 * 1e6:.0f} µs")
    data = np.random.default_rng(0).standard_normal(CHUNK, np.float32)
    step = CHUNK[0] * CHUNK[2] * CHUNK[3]
    for compute in (None, "float64"):
        parts = [
            ar.prelu_partial(data, data, weight, first=k * step, compute_dtype=compute)[1]
            for k in range(16)
        ]
        start = time.perf_counter()
        for _ in range(20):
            merged = parts[0].merge(*parts[1:])
        seconds = (time.perf_counter() - start) / 20
        print(
            f"partial sums of {channels} channels in {parts[0].compute_dtype}:"
            f" {len(pickle.dumps(parts[0]))} bytes, merged {len(pickle.dumps(merged))} bytes,"
            f" {seconds / 15 * 1e6:.0f} µs a merge"
        )


def print_ratios(label: str, best: dict[str, float]) -> None:
    mine = best["ascendref"]
    others = ", ".join(
        f"{name} {seconds:.2f} s ({seconds / mine:.2f} times)"
        for name, seconds in best.items()
        if name != "ascendref"
    )
    print(f"{label}: ascendref {mine:.2f} s, {others}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--gib", type=float, default=2.0, help="size of each of two stores")
    parser.add_argument("--limit", type=int, default=600, help="memory of a worker in MiB")
    parser.add_argument("--turns", type=int, default=3, help="turns of all sides")
    parser.add_argument("--folder", help="where the stores go; a temporary folder by default")
    given = parser.parse_args()
    costs()
    for kind in ("float32", "float16"):
        in_memory(kind, given.limit, 5 * given.turns)
    folder = Path(tempfile.mkdtemp(prefix="ascendref-scale-", dir=given.folder))
    try:
        from_store_to_store(folder, given.gib, given.limit, given.turns)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
