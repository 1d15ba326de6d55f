"""How work is launched: with default floating-point settings, on little stack, interruptibly."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba
import numpy as np
import pytest
from numba import types

import ascendref as ar
from ascendref.core.threads import PARALLEL_FROM
from ascendref.kernels.compiler.instructions import instructions
from ascendref.kernels.runtime import fp_environment as environment
from ascendref.kernels.runtime.launch import LAUNCHER, RUNNING

from ..support.alarm import alarm
from ..support.calls import call
from ..support.cases import LAUNCHED, SCALARS, SUMMING, whole_shapes
from ..support.rounding import assert_same_bits

#: flush-to-zero and denormals-are-zero in MXCSR, rounding down as well; flush-to-zero in FPCR
UNUSUAL = 0xFFC0 if environment._X86 else 1 << 24


_settings = instructions(types.int64)(environment._settings)
_set = instructions(types.void, types.int64)(environment._set)


@numba.njit
def exchange(settings: int) -> int:
    """Give this thread other floating-point settings; return those that it had."""
    before = _settings()
    _set(settings)
    return before


@contextmanager
def flushed() -> Iterator[None]:
    """Flush subnormal numbers to zero on this thread."""
    before = exchange(UNUSUAL)
    try:
        yield
    finally:
        assert exchange(before) == UNUSUAL  # calls leave it as it was


def test_the_setting_flushes() -> None:
    @numba.njit
    def product(a: float, b: float) -> float:
        return a * b

    product(1.0, 1.0)
    with flushed():
        found = product(1e-300, 1e-10)
    assert found == 0 < product(1e-300, 1e-10)


def tensors(operator: str, kind: str, size: int) -> list[Any]:
    """Return tensors of numbers next to zero, subnormal ones among them."""
    rng = np.random.default_rng(7)
    least = {"float16": 2.0**-24, "float32": 2.0**-149, "float64": 2.0**-1074}[kind]
    shapes, _ = whole_shapes(operator, (size // 8, 8))
    found = [(rng.integers(-(2**20), 2**20, shape) * least).astype(kind) for shape in shapes]
    if operator in SUMMING:
        found[2] = np.float64([0.25, 0.5, 1, 2, 3, 1e-3, -1, 0.7]).astype(kind)
    return found


@pytest.mark.daily(6)
@pytest.mark.parametrize("size", [64, 2 * PARALLEL_FROM])
@pytest.mark.parametrize("compute", [None, "float64"])
@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
@pytest.mark.parametrize("operator", LAUNCHED)
def test_flushing_changes_no_bits(operator: str, kind: str, compute: Any, size: int) -> None:
    given = tensors(operator, kind, size)
    views = [given, [given[0][:, ::-1][:, ::-1].T.copy().T, *given[1:]]]
    for arrays in views:
        for scalars in [*SCALARS[operator][:1], *_subnormal(operator)]:
            want = call(operator, *arrays, *scalars, compute_dtype=compute)
            with flushed():
                got = call(operator, *arrays, *scalars, compute_dtype=compute)
            assert_same_bits(got, want)


def _subnormal(operator: str) -> list[tuple[Any, ...]]:
    """Return scalars that are subnormal in float32."""
    rows: dict[str, list[tuple[Any, ...]]] = {
        "hardshrink_backward": [(1e-42,)],
        "smooth_l1_loss_backward": [("sum", 1e-42)],
    }
    return rows.get(operator, [])


@pytest.mark.daily(9)
@pytest.mark.parametrize("compute", [None, "float64"])
@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
@pytest.mark.parametrize("operator", LAUNCHED)
def test_a_thread_with_a_small_stack(operator: str, kind: str, compute: Any) -> None:
    given = [np.abs(array) for array in tensors(operator, kind, 4096)]
    results: list[Any] = []

    def work() -> None:
        for arrays in (given, [array[..., ::-1] for array in given]):
            results.append(call(operator, *arrays, compute_dtype=compute))

    work()
    before = threading.stack_size(64 * 1024)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert len(results) == 4
    for got, want in zip(results[2:], results[:2], strict=True):
        assert_same_bits(got, want)


class Interrupted(Exception):
    """What the signal handler raises."""


def interrupt(calls: int) -> int:
    """Interrupt a large call at so many moments; return how many times it did not end."""
    x = np.linspace(-1, 1, 8 * PARALLEL_FROM, dtype=np.float32)
    out = np.empty_like(x)
    start = time.perf_counter()
    for _ in range(10):
        ar.softplus_backward(x, x, out=out)
    duration = (time.perf_counter() - start) / 10
    hits = 0
    with alarm(Interrupted) as after:
        for number in range(calls):
            try:
                after(max(1e-6, 1.2 * duration * number / calls))
                ar.softplus_backward(x, x, out=out)
                after(0)
            except Interrupted:
                hits += 1
            assert not LAUNCHER._words[RUNNING // 8]
    return hits


@pytest.mark.parametrize("calls", [300, pytest.param(20_000, marks=pytest.mark.exhaustive)])
def test_interrupts_leave_the_cores_free(calls: int) -> None:
    threads = numba.get_num_threads()
    assert interrupt(calls)
    assert numba.get_num_threads() == threads
