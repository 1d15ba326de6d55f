"""Programs that tests run in processes of their own: ``python -m tests.support.programs NAME``."""

import atexit
import importlib
import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import ml_dtypes
import numpy as np

import ascendref as ar
from ascendref.core.fork_safety import run_to_end
from ascendref.core.threads import PARALLEL_FROM

from .changed_numba import change_numba
from .rounding import digest

TYPES = (np.float32, ml_dtypes.bfloat16)


def results() -> str:
    """Digest operators on arrays above the parallel threshold, dense, strided and broadcast."""
    found = []
    rng = np.random.default_rng(5)
    for kind in TYPES:
        rows = PARALLEL_FROM * 3 // 64 + 1
        x = rng.standard_normal((rows, 64)).astype(kind)
        g = rng.standard_normal((rows, 64)).astype(kind)
        weight = rng.standard_normal(64).astype(kind)
        found.append(ar.hardshrink_backward(g, x, 0.3))
        found.append(ar.softplus_backward(g, x[::-1]))
        found.append(ar.smooth_l1_loss_backward(g[:1], x, g))
        found.append(ar.logit_grad(abs(x), g))
        found.extend(ar.prelu_backward(g, x, weight))
        found.extend(ar.prelu_backward(g, np.asfortranarray(x), weight[:1]))
    return digest(found)


def bits() -> None:
    """Print the digest of all results, and the threading layer that made them."""
    import numba

    found = results()
    count = numba.get_num_threads()  # loads the layer if one thread has not needed any
    print(found, numba.threading_layer(), count)


def threads() -> None:
    """Call from eight Python threads at once, and compare with one."""
    expected = results()
    start = threading.Barrier(8)

    def work() -> list[str]:
        start.wait()
        return [results() for _ in range(5)]

    with ThreadPoolExecutor(8) as pool:
        calling = [pool.submit(work) for _ in range(8)]
    found = [one for future in calling for one in future.result()]
    print(len(found), set(found) == {expected})


def fork() -> None:
    """Fork after parallel work, several levels deep, and compute in the children."""
    expected = results()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        inner = os.fork()
        same = results() == expected
        if inner == 0:
            os._exit(0 if same else 1)
        _, status = os.waitpid(inner, 0)
        os._exit(0 if same and status == 0 else 1)
    _, status = os.waitpid(child, 0)
    print(status, results() == expected)


def fork_while_busy() -> None:
    """Fork while other threads compile and run parallel kernels."""
    warnings.simplefilter("ignore", DeprecationWarning)  # Python warns of forks among threads
    stop = threading.Event()
    x = np.linspace(-1, 1, PARALLEL_FROM * 2, dtype=np.float32)

    def work() -> None:
        while not stop.is_set():
            ar.hardshrink_backward(x, x)
            ar.softplus_backward(x[::-1], x)

    statuses = []
    with ThreadPoolExecutor(3) as pool:
        calling = [pool.submit(work) for _ in range(3)]
        for _ in range(5):
            child = os.fork()
            if child == 0:
                passed = ar.hardshrink_backward(x, x, 0.5)
                os._exit(0 if np.array_equal(passed, np.where(abs(x) > 0.5, x, 0)) else 1)
            statuses.append(os.waitpid(child, 0)[1])
        stop.set()
    for future in calling:
        future.result()
    print(statuses)


def spawn() -> None:
    """Compute in a pool of spawned processes after parallel work in the parent."""
    expected = results()
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        found = pool.starmap(results, [()] * 4)
    print(len(found), set(found) == {expected})


@contextmanager
def _printed_kernels() -> Iterator[None]:
    """Print how many kernels were loaded from the cache, how many were compiled, and warnings."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        yield
    rows = ar.kernel_statistics()
    cached = sum(row.cached for row in rows)
    print(cached, len(rows) - cached, [str(entry.message) for entry in seen])


def without_copies() -> None:
    """Let kernels use their loops for any layout from the first call on."""
    from ascendref.kernels.runtime import kernel  # which imports Numba

    kernel.COPIED_FIRST = 0  # type: ignore[misc]


def kernels() -> None:
    """Make kernels of calls: contiguous, strided, again, of three tensors, and large."""
    without_copies()
    with _printed_kernels():
        x = np.linspace(-1, 1, 7, dtype=np.float32)
        ar.hardshrink_backward(x, x)
        for _ in range(2):
            ar.softplus_backward(x[::-1], x)
            ar.softplus_backward(x, x, out=np.empty(14, np.float32)[::2])
        ar.smooth_l1_loss_backward(x, x, x)
        big = np.linspace(0, 1, PARALLEL_FROM, dtype=ml_dtypes.bfloat16)
        ar.logit_grad(big, big)


def copies_first() -> None:
    """Print with which call kernels get their loops for any layout."""
    x = np.linspace(-1, 1, 7, dtype=np.float32)
    found = []
    for _ in range(100):
        ar.hardshrink_backward(x[::-1], x)
        found.append(sum("walk" in row.kernel for row in ar.kernel_statistics()))
    print(found.index(1))


def short_kernels() -> None:
    """Make some kernels that take the least time, and compare what they compute."""
    if len(sys.argv) > 3:
        change_numba(sys.argv[3])
    with _printed_kernels():
        for kind in sys.argv[2].split(","):
            x = np.array([-2, 0.25, 3], kind)
            assert ar.hardshrink_backward(x, x, 0.5).tolist() == [-2, 0, 3]


def short_kernels_at_once() -> None:
    """Make the same kernels in four processes at once, each of which prints its line."""
    import numba

    numba.njit("int64(int64)")(lambda x: x)  # loads the compiler, before there are four processes
    sys.stdout.flush()
    children = []
    for _ in range(4):
        if not (child := os.fork()):
            short_kernels()
            sys.exit()
        children.append(child)
    sys.exit(any(os.waitpid(child, 0)[1] for child in children))


def types() -> None:
    """Print a digest of two operators' results for each of the named types."""
    for kind in sys.argv[2:]:
        rng = np.random.default_rng(6)
        x, g = rng.uniform(-2, 2, (2, 9, 5)).astype(kind)
        found = [*ar.prelu_backward(g, x, x[0]), ar.softplus_backward(g, x[:, ::-1])]
        print(kind, digest(found))


def refused() -> None:
    """Print whether calls are refused with a reason where Numba must not compile."""
    x = np.linspace(0, 1, 7, dtype=np.float32)
    dev = ar.Device("Atlas A2")
    tensor = dev.tensor(x)
    for call in (
        lambda: ar.hardshrink_backward(x, x),
        lambda: ar.hardshrink_backward(x, x),
        lambda: ar.prelu_backward(x, x, x[:1], compute_dtype="float64"),
        lambda: ar.cast(x, "float16"),
        lambda: ar.aclnn.aclnnLogitGradGetWorkspaceSize(tensor, tensor, -1.0, tensor),
    ):
        try:
            call()
        except RuntimeError as error:
            print("NUMBA_DISABLE_JIT is set" in str(error), end=" ")
    print(len(ar.kernel_statistics()))


def float16() -> None:
    """Print a digest of conversions from every F16 number, and to F16 from numbers around each."""
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    singles = ar.cast(halves, "float32")
    finite = np.append(singles[:0x7C00], np.float32(65536))
    middles = (finite[1:] + finite[:-1]) / 2
    middles = np.concatenate([middles, -middles])
    near = [
        np.nextafter(values, np.float32(towards))
        for values in (singles, middles)
        for towards in (-np.inf, np.inf)
    ]
    nans = np.arange(0x7F800000, 0x7F800000 + (1 << 23), 4093, dtype=np.uint32).view(np.float32)
    given = np.concatenate([singles, middles, *near, nans, -nans])
    made = ar.cast(given, "float16")
    plain = ~np.isnan(given)
    with np.errstate(over="ignore"):
        assert np.array_equal(
            made[plain].view(np.uint16), given[plain].astype(np.float16).view(np.uint16)
        )
    whole = singles.view(np.uint32), halves.astype(np.float32).view(np.uint32)
    assert np.array_equal(*[bits[~np.isnan(halves)] for bits in whole])
    wide = ar.cast(given[plain].astype(float), "float16")
    print(digest([singles, made, ar.logit_grad(halves, halves), wide]))


def in_place() -> None:
    """Compute in place, first of all on arrays of other layouts, on one thread and on several."""
    without_copies()
    for kind, size in ((np.float32, 7), (ml_dtypes.bfloat16, 4 * PARALLEL_FROM)):
        grad = np.linspace(-3, 3, 2 * size).astype(kind)[::2]
        data = np.flip(grad).copy()
        want = ar.softplus_backward(grad.copy(), data)
        ar.softplus_backward(grad, data, out=grad)
        print(digest([grad]) == digest([want]))


def small_call() -> list[float]:
    x = np.float32([-2, 0.25, 3])
    return ar.hardshrink_backward(x, x, 0.5).tolist()


def small_stacks() -> None:
    """Make the first call where threads get small stacks."""
    threading.stack_size(65536)
    print(small_call(), threading.stack_size())


def import_module() -> None:
    """Make the first call in a module that is being imported."""
    print(importlib.import_module(sys.argv[2]).result)


def at_exit() -> None:
    """Make the first call when the program ends."""
    ar.get_num_threads()  # imports Numba, which may import what cannot be imported then
    atexit.register(lambda: print(small_call()))


def exit_meanwhile() -> None:
    """End while a thread still does the work that the main thread was interrupted in."""
    begun = threading.Event()

    def work() -> None:
        begun.set()
        time.sleep(0.2)
        print("finished", flush=True)

    def interrupt() -> None:
        begun.wait()
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    try:
        run_to_end(work)
    except KeyboardInterrupt:
        print("interrupted", flush=True)


def nothing() -> None:
    """Import the package; print how many kernels that made."""
    print(len(ar.kernel_statistics()))


if __name__ == "__main__":
    globals()[sys.argv[1]]()
