"""The cost of an operator that PyTorch computes: ``python -m benchmarks.borrowed``.

Compiles ``borrowed.c`` and runs it in turns with ``torch.add(..., out=)``; prints the least of many
turns of both, for F32. The stream is synchronised after each call, and after all calls of a turn.
"""

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

import torch

from ascendref.cann.root import install
from ascendref.core.markdown import table

from .cann import HERE, compiled

#: elements, calls in a turn, calls after which the stream is synchronised
CALLS = [(1_000, 50, 1), (1_000, 50, 50), (1 << 20, 20, 1), (1 << 20, 20, 20)]
#: turns of the calls within one run of the program
TURNS = 20


def own_microseconds(size: int, calls: int) -> float:
    """Return what PyTorch's own call takes."""
    one, other, out = (torch.zeros(size) for _ in range(3))
    found = []
    for _ in range(TURNS):
        start = time.perf_counter()
        for _ in range(calls):
            torch.add(one, other, out=out)
        found.append((time.perf_counter() - start) / calls)
    return min(found) * 1e6


def main() -> None:
    """Print the results in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=5)
    turns = parser.parse_args().turns
    root = install()
    here: list[list[float]] = []
    theirs: list[list[float]] = []
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(Path(HERE, "borrowed.c"), folder, root)
        words = [str(program), str(TURNS), *[str(x) for turn in CALLS for x in turn]]
        for _ in range(turns):
            done = subprocess.run(words, check=True, capture_output=True, text=True)
            here.append([float(line) for line in done.stdout.split()])
            theirs.append([own_microseconds(size, calls) for size, calls, _ in CALLS])
    rows = [
        (
            f"{size:,}",
            str(queued),
            f"{(a := min(ours)):.1f}",
            f"{(b := min(own)):.1f}",
            f"{a / b:.2f}",
        )
        for (size, _, queued), ours, own in zip(
            CALLS, zip(*here, strict=True), zip(*theirs, strict=True), strict=True
        )
    ]
    names = (
        "elements",
        "calls before synchronisation",
        "aclnnAdd in C, µs",
        "torch.add, µs",
        "ratio",
    )
    print("\n".join(table(names, rows)))


if __name__ == "__main__":
    main()
