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

#: elements -> calls in a turn
CALLS = {1_000: 50, 1 << 20: 5}
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
    own: list[list[float]] = []
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(Path(HERE, "borrowed.c"), folder, root)
        words = [str(program), str(TURNS), *[str(x) for pair in CALLS.items() for x in pair]]
        for _ in range(turns):
            done = subprocess.run(words, check=True, capture_output=True, text=True)
            here.append([float(line) for line in done.stdout.split()])
            own.append([own_microseconds(*pair) for pair in CALLS.items()])
    rows = [
        (f"{size:,}", f"{min(ours):.1f}", f"{min(theirs):.1f}", f"{min(ours) / min(theirs):.2f}")
        for size, ours, theirs in zip(
            CALLS, zip(*here, strict=True), zip(*own, strict=True), strict=True
        )
    ]
    print("\n".join(table(("elements", "aclnnAdd in C, µs", "torch.add, µs", "ratio"), rows)))


if __name__ == "__main__":
    main()
