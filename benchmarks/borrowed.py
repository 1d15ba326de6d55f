"""The cost of an operator that PyTorch computes: ``python -m benchmarks.borrowed``.

Compiles ``borrowed.c`` and runs it in turns with ``torch.add(..., out=)``; prints the least of many
turns of both, for F32.
"""

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

import torch

from ascendref.cann.root import install
from ascendref.cli.markdown import table

from .cann import HERE, compiled

SIZES = (1_000, 1 << 20)
#: as in borrowed.c
TURNS, BUDGET = 20, 100_000_000


def own_microseconds(size: int) -> float:
    """Return what PyTorch's own call takes."""
    one, other, out = (torch.zeros(size) for _ in range(3))
    found = []
    batch = BUDGET // TURNS // (size + 100_000)
    for _ in range(TURNS):
        start = time.perf_counter()
        for _ in range(batch):
            torch.add(one, other, out=out)
        found.append((time.perf_counter() - start) / batch)
    return min(found) * 1e6


def main() -> None:
    """Print the results in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=5)
    turns = parser.parse_args().turns
    root = install()
    here: list[list[float]] = []
    own: list[list[float]] = []
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(Path(HERE, "borrowed.c"), folder, root)
        words = [str(program), *map(str, SIZES)]
        for _ in range(turns):
            done = subprocess.run(words, check=True, capture_output=True, text=True)
            here.append([float(line) for line in done.stdout.split()])
            own.append([own_microseconds(size) for size in SIZES])
    rows = [
        (f"{size:,}", f"{min(ours):.1f}", f"{min(theirs):.1f}", f"{min(ours) / min(theirs):.2f}")
        for size, ours, theirs in zip(
            SIZES, zip(*here, strict=True), zip(*own, strict=True), strict=True
        )
    ]
    print("\n".join(table(("elements", "aclnnAdd in C, µs", "torch.add, µs", "ratio"), rows)))


if __name__ == "__main__":
    main()
