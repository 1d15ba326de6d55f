"""The cost of the checker: ``python -m benchmarks.checker``.

The peer is the same program on a device with ``check=False``. Both take turns, and the least of
many turns counts. The tables give the time of queuing a call of 16 elements (phase 1 and phase 2),
the memory of a queued call, the time per call in a program of many calls, part by part, and the
time of allocating and freeing beside many allocations.
"""

import argparse
import time
import tracemalloc
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import ascendref as ar
from ascendref.core.markdown import table

from .launches import BATCH, QUEUED, Launches


def make_launches(operator: str, *, check: bool) -> Launches:
    """Return calls of an operator on a device."""
    work = Launches()
    work.setup(operator, check=check)
    return work


def ratio(turns: int, checked: Callable[[], float], unchecked: Callable[[], float]) -> Any:
    """Return the least of both, taken in turns, and their ratio."""
    seconds = [(checked(), unchecked()) for _ in range(turns)]
    with_checker, without = (min(column) for column in zip(*seconds, strict=True))
    return with_checker, without, with_checker / without


def queuing(operator: str, turns: int) -> Any:
    """Return the least seconds of queuing a batch of calls with and without, and their ratio."""
    works = [make_launches(operator, check=check) for check in (True, False)]
    found = ratio(turns, works[0].repeated, works[1].repeated)
    for work in works:
        work.teardown(operator)
    return found


def rows(turns: int) -> Iterable[tuple[str, ...]]:
    """Return rows about queuing calls."""
    for operator in QUEUED:
        found = queuing(operator, turns)
        micros = [f"{seconds / BATCH * 1e6:.1f}" for seconds in found[:2]]
        yield operator, *micros, f"{found[2]:.2f}"


def memory(check: bool, count: int = 2000) -> float:
    """Return the bytes that a queued call takes."""
    dev = ar.Device("Atlas A2", execution="lazy", check=check)
    x, out = dev.tensor(np.ones(16, np.float32)), dev.empty(16, "float32")

    def queue(calls: int) -> None:
        for _ in range(calls):
            size, executor = ar.aclnn.aclnnHardshrinkBackwardGetWorkspaceSize(x, x, 0.5, out)
            ar.aclnn.aclnnHardshrinkBackward(None, size, executor, None)

    queue(10)
    dev.synchronize()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    queue(count)
    each = (tracemalloc.get_traced_memory()[0] - before) / count
    tracemalloc.stop()
    dev.synchronize()
    return each


def many_tasks(calls: int, parts: int = 10) -> list[float]:
    """Return the seconds of each part of a program of many fills on linked streams."""
    dev = ar.Device("Atlas A2")
    streams = [dev.create_stream() for _ in range(4)]
    blocks = [dev.malloc(256) for _ in range(64)]
    event = dev.create_event()
    seconds = []
    for _ in range(parts):
        start = time.perf_counter()
        for k in range(calls // parts):
            stream = streams[k // 50 % 4]
            dev.memset_async(blocks[k % 64], k, 8 + k % 200, stream=stream)
            if k % 50 == 49:
                event.record(stream)
                streams[(k // 50 + 1) % 4].wait_event(event)
            if k % 1000 == 999:
                dev.synchronize()
        dev.synchronize()
        seconds.append(time.perf_counter() - start)
    return seconds


def allocating(check: bool, living: int) -> Callable[[], float]:
    """Return a function that takes the seconds of one allocation and its end, beside others."""
    dev = ar.Device("Atlas A2", check=check)
    kept = [dev.malloc(64) for _ in range(living)]

    def take() -> float:
        start = time.perf_counter()
        for _ in range(100):
            dev.free(dev.malloc(64))
        assert kept is not None
        return (time.perf_counter() - start) / 100

    return take


def main() -> None:
    """Print the results in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=50)
    parser.add_argument("--tasks", type=int, default=1_000_000)
    arguments = parser.parse_args()
    headings = ("operator", "checked, µs", "unchecked, µs", "ratio")
    print("\n".join(table(headings, list(rows(arguments.turns)))))
    print(f"\na queued call: {memory(True):.0f} bytes, unchecked {memory(False):.0f}")
    parts = many_tasks(arguments.tasks)
    times = " ".join(f"{seconds / arguments.tasks * len(parts) * 1e6:.1f}" for seconds in parts)
    print(f"\n{arguments.tasks} fills in {len(parts)} parts, µs per fill: {times}")
    for living in (10, 10_000):
        found = ratio(arguments.turns, allocating(True, living), allocating(False, living))
        print(
            f"allocate and free beside {living}: {found[0] * 1e6:.1f} µs, unchecked"
            f" {found[1] * 1e6:.1f} µs, ratio {found[2]:.2f}"
        )


if __name__ == "__main__":
    main()
