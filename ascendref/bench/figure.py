"""The figure of `ascendref bench`: ratios and bytes per second against the number of elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from ..verify.figures.panels import Level, Marks, Panel, Tick
from ..verify.figures.style import LABELS
from .results import Row, size_text

#: columns of panels side by side in a file
_IN_LINE: Final = 8


def size_panels(rows: Sequence[Row], peer: str) -> dict[int, list[list[Panel]]]:
    """Return panels of contiguous arrays by the number of threads: a column for every operator.

    A column has ratios above, if there is a peer, and bandwidths below.
    """
    rows = [row for row in rows if row.job.section == "sizes"]
    compared = any(row.ratio is not None for row in rows)
    groups: dict[int, dict[str, list[Row]]] = {}
    for row in rows:
        columns = groups.setdefault(row.job.threads, {})
        columns.setdefault(row.job.case.operator, []).append(row)
    return {
        threads: [_column(name, mine, peer)[not compared :] for name, mine in columns.items()]
        for threads, columns in groups.items()
    }


def panel_rows(columns: Sequence[Sequence[Panel]]) -> list[tuple[Panel, ...]]:
    """Return the rows of panels of columns that stand in lines of at most `_IN_LINE` columns."""
    lines = [columns[k : k + _IN_LINE] for k in range(0, len(columns), _IN_LINE)]
    return [row for line in lines for row in zip(*line, strict=True)]


def _column(name: str, rows: Sequence[Row], peer: str) -> list[Panel]:
    """Return the panels of one operator."""
    rows = sorted(rows, key=lambda row: row.job.case.size)
    sizes = sorted({row.job.case.size for row in rows})
    ratios, bandwidths = list[Marks](), list[Marks]()

    def add(to: list[Marks], line: str, dash: str, found: list[tuple[Row, float]]) -> None:
        if not found:
            return
        kind = found[0][0].job.case.kind
        places = [math.log2(row.job.case.size) for row, _ in found]
        values, texts = [y for _, y in found], [_hover(row, peer) for row, _ in found]
        label = f"{LABELS[kind]}, {line}"
        to.append(Marks(label, kind, places, values, dash, 2.5, "%{customdata}", texts))

    for kind in dict.fromkeys(row.job.case.kind for row in rows):
        for out, line, dash in ((True, "given", "solid"), (False, "made", "dash")):
            mine = [row for row in rows if (row.job.case.kind, row.job.case.out) == (kind, out)]
            compared = [(row, row.ratio) for row in mine if row.ratio is not None]
            add(ratios, line, dash, compared)
            add(bandwidths, line, dash, [(row, row.bandwidth / 1e9) for row in mine])
            if out:
                peers = [(row, row.bandwidth / 1e9 / ratio) for row, ratio in compared]
                add(bandwidths, peer, "dashdot", peers)
    places = [math.log2(size) for size in sizes]
    ticks = [Tick(x, size_text(size)) for x, size in zip(places, sizes, strict=True)]
    x_range = places[0] - 0.5, places[-1] + 0.5
    title = f"{peer} ÷ ascendref, time"
    return [
        Panel(name, "elements", title, ratios, [Level(1.0)], ticks, x_range),
        Panel(name, "elements", "GB/s", bandwidths, (), ticks, x_range),
    ]


def _hover(row: Row, peer: str) -> str:
    """Return what is known of a cell."""
    case = row.job.case
    lines = [
        f"<b>{size_text(case.size)} elements, {LABELS[case.kind]}</b>",
        f"result {'given' if case.out else 'made'}",
    ]
    if row.ratio is not None and row.other is not None:
        lines.append(f"ratio {row.ratio:.2f}" + (", below its goal" if row.below_goal else ""))
        lines.append(f"{peer}: {_time(row.other.seconds)}")
    lines.append(f"ascendref: {_time(row.ours.seconds)}, {row.bandwidth / 1e9:.1f} GB/s")
    return "<br>".join(lines)


def _time(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds * 1e9:.3g} ns"
