"""The table of the documentation, from a run of ``ascendref bench --json``::

    ascendref bench --threads 1 --threads 2 --report docs/performance.md --json \\
        | python -m tests.bench.performance > docs/performance.tsv

A line has what was measured of an operator, a type and a number of threads: the peer's time divided
by that of ascendref (``~``: the difference is smaller than the noise), for results in given and in
newly made arrays of several sizes, and for other layouts and arithmetics of 1 Mi elements.
"""

import csv
import json
import sys
from collections.abc import Iterable, Iterator
from math import floor
from typing import Any, TextIO

from ascendref.bench.results import size_text

KEYS = ("operator", "dtype", "threads")
#: columns of sections that have one
SECTIONS = {
    "truth": "float64 beside the peer's",
    "rounding": "float64 beside the default",
    "threads": "threads beside one",
}


def cells(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the columns that a row of JSON has, and what stands there."""
    size = size_text(row["elements"])
    if row["ratio"] is not None:
        names = {
            "sizes": f"{'given' if row['out'] else 'made'} {size}",
            "layouts": row["layout"],
            "channels": f"{row['layout']} {size}",
        }
        name = (names | SECTIONS)[row["section"]]
        # rounded down: a ratio below 1 stays below it
        yield name, f"{'~' if row['uncertain'] else ''}{floor(row['ratio'] * 100) / 100:.2f}"
    if row["roof"] is not None:
        yield "GB/s", f"{row['bytes_per_second'] / 1e9:.1f}"
        yield "of the triad", f"{row['roof']:.2f}"


def write(rows: Iterable[dict[str, Any]], file: TextIO) -> None:
    """Write the table."""
    lines: dict[tuple[Any, ...], dict[str, str]] = {}
    for row in rows:
        line = lines.setdefault(tuple(row[key] for key in KEYS), {})
        line |= {key: row[key] for key in KEYS} | dict(cells(row))
    names = dict.fromkeys(name for line in lines.values() for name in line)
    writer = csv.DictWriter(file, names, delimiter="\t", lineterminator="\n")
    writer.writeheader()
    writer.writerows(line for line in lines.values() if len(line) > len(KEYS))


if __name__ == "__main__":
    write(json.load(sys.stdin)["rows"], sys.stdout)
