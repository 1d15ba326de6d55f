"""Print ascendref's time as a ratio of PyTorch's: ``python -m benchmarks.peers``.

Both sides run on two threads and write to given outputs. They take turns, and the minimum of many
turns counts, so a busy machine slows both alike. Below 1.00 ascendref is the faster one.
"""

from __future__ import annotations

import argparse
import os
import time

os.environ.setdefault("NUMBA_NUM_THREADS", "2")

import torch

import ascendref as ar

from .calls import Call, pair

SIZES = {"16": 16, "64 Ki": 1 << 16, "1 Mi": 1 << 20, "16 Mi": 1 << 24}


def _seconds(call: Call, repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats


def compare(ours: Call, theirs: Call, budget: float) -> tuple[float, float]:
    """Return the least seconds per call of both sides, measured in turns."""
    ours(), theirs()
    repeats = max(1, min(2000, int(0.005 / max(_seconds(ours, 3), 1e-7))))
    best = [float("inf"), float("inf")]
    end = time.perf_counter() + budget
    while time.perf_counter() < end:
        for side, call in enumerate((ours, theirs)):
            best[side] = min(best[side], _seconds(call, repeats))
    return best[0], best[1]


def main() -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="per cell")
    parser.add_argument("--layout", choices=("dense", "transposed"), default="dense")
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    print(f"| operator | type | {' | '.join(SIZES)} |")
    print("|---|---|" + "---|" * len(SIZES))
    for operator in ar.OPERATORS:
        for kind in ("float32", "bfloat16"):
            cells = []
            for size in SIZES.values():
                ours, theirs = compare(
                    *pair(operator, kind, size, arguments.layout), arguments.seconds
                )
                cells.append(f"{ours * 1e6:.1f} / {theirs * 1e6:.1f} = {ours / theirs:.2f}")
            print(f"| {operator} | {kind} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
