"""The figure of `ascendref bench`: ratios and bytes per second against the number of elements."""

import math
from collections.abc import Sequence
from typing import Final

from ..verify.figures.panels import LABELS, Level, Marks, Panel, Tick
from .results import Row, size_text

#: columns of panels side by side in a file
_IN_LINE: Final = 8


def size_panels(rows: Sequence[Row], peer: str) -> list[tuple[Panel, ...]]:
    """Return panels of contiguous arrays and the most threads: ratios above bandwidths."""
    rows = [row for row in rows if row.job.section == "sizes"]
    threads = max(row.job.threads for row in rows)
    compared = any(row.ratio is not None for row in rows)
    columns: dict[str, list[Row]] = {}
    for row in rows:
        if row.job.threads == threads:
            columns.setdefault(row.job.case.operator, []).append(row)
    return panel_rows([_column(*column, peer)[not compared :] for column in columns.items()])


def panel_rows(columns: Sequence[Sequence[Panel]]) -> list[tuple[Panel, ...]]:
    """Return the rows of panels of columns that stand in lines of at most `_IN_LINE` columns."""
    lines = [columns[k : k + _IN_LINE] for k in range(0, len(columns), _IN_LINE)]
    return [row for line in lines for row in zip(*line, strict=True)]


def _column(name: str, rows: Sequence[Row], peer: str) -> list[Panel]:
    rows = sorted(rows, key=lambda row: row.job.case.size)
    sizes = sorted({row.job.case.size for row in rows})
    ratios, bandwidths = list[Marks](), list[Marks]()

    def add(to: list[Marks], line: str, style: str, found: list[tuple[Row, float]]) -> None:
        if not found:
            return
        kind = found[0][0].job.case.kind
        places = [math.log2(row.job.case.size) for row, _ in found]
        to.append(Marks(f"{LABELS[kind]}, {line}", kind, places, [y for _, y in found], style))

    for kind in dict.fromkeys(row.job.case.kind for row in rows):
        for out, line, style in ((True, "given", "-"), (False, "made", "--")):
            mine = [row for row in rows if (row.job.case.kind, row.job.case.out) == (kind, out)]
            compared = [(row, row.ratio) for row in mine if row.ratio is not None]
            add(ratios, line, style, compared)
            add(bandwidths, line, style, [(row, row.bandwidth / 1e9) for row in mine])
            if out:
                peers = [(row, row.bandwidth / 1e9 / ratio) for row, ratio in compared]
                add(bandwidths, peer, "-.", peers)
    places = [math.log2(size) for size in sizes]
    ticks = [Tick(x, size_text(size)) for x, size in zip(places, sizes, strict=True)]
    title = f"{peer} ÷ ascendref, time"
    return [
        Panel(name, "elements", title, ratios, [Level(1.0)], ticks),
        Panel(name, "elements", "GB/s", bandwidths, (), ticks),
    ]
