"""Print what correct rounding costs: ``python -m benchmarks.modes``.

The time of truth mode (``compute_dtype="float64"``) as a ratio of the default mode's, at 1 Mi
elements.
"""

from __future__ import annotations

import argparse

import ascendref as ar

from .calls import pair
from .peers import compare

SIZE = 1 << 20
KINDS = ("float16", "bfloat16", "float32")


def main() -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="per cell")
    arguments = parser.parse_args()
    print(f"| operator | {' | '.join(KINDS)} |")
    print("|---|" + "---|" * len(KINDS))
    for operator in ar.OPERATORS:
        cells = []
        for kind in KINDS:
            truth, _ = pair(operator, kind, SIZE, compute_dtype="float64")
            default, _ = pair(operator, kind, SIZE)
            slow, fast = compare(truth, default, arguments.seconds)
            cells.append(f"{slow * 1e6:.0f} / {fast * 1e6:.0f} = {slow / fast:.2f}")
        print(f"| {operator} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
