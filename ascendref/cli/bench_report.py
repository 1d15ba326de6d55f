"""The tables of ``ascendref bench``, and its report for a Markdown file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ..bench.cases import SIZES
from ..bench.results import Row, geometric_mean, median, noise, size_text
from ..core.markdown import table
from . import markdown
from .markdown import Table

#: what the mark of some ratios means
UNCERTAIN: Final = "~ marks those where the difference is smaller than the noise."
_TITLES: Final = {
    "sizes": "Contiguous arrays, result given / result made",
    "layouts": "Other layouts, 1 Mi elements",
    "channels": "Sums per channel, other shapes",
    "truth": "Float64 arithmetic beside the peer's on float64 arrays, 1 Mi elements",
    "rounding": "What correct rounding costs: float64 arithmetic beside the default, 1 Mi elements",
    "threads": "All threads beside one, 1 Mi elements",
}


def verdict_text(rows: Sequence[Row]) -> str:
    """Return in one line how many ratios reach their goal."""
    judged = [row for row in rows if row.ratio is not None and row.goal is not None]
    if not judged:
        return "Nothing was compared."
    below = sum(row.below_goal for row in judged)
    if below:
        return f"{below} of {len(judged)} ratios are below their goal."
    return f"All {len(judged)} ratios reach their goal."


def summary(rows: Sequence[Row], title: str = "") -> Table:
    """Return what the ratios to a peer come to: a row for every element type."""
    found = []
    for kind in dict.fromkeys(row.job.case.kind for row in rows):
        mine = [row for row in rows if row.job.case.kind == kind and row.ratio is not None]
        judged = [row for row in mine if row.goal is not None]
        sizes = [row for row in mine if row.job.section == "sizes"]
        medians = (
            median(row for row in sizes if row.job.case.out),
            median(row for row in sizes if not row.job.case.out),
            median(row for row in mine if row.job.section == "layouts"),
        )
        texts = ["–" if math.isnan(x) else f"{x:.2f}" for x in medians]
        if sizes:
            below = sum(row.below_goal for row in judged)
            found.append((f"{below} of {len(judged)}", kind, *texts))
    headings = ("below goal", "type", "result given", "result made", "other layouts")
    return Table(title, headings, found)


def tables(rows: Sequence[Row]) -> Iterator[Table]:
    """Yield the tables of all sections that have ratios, and that of the memory's bandwidth."""
    for count in dict.fromkeys(row.job.threads for row in rows):
        for section, title in _TITLES.items():
            mine = [r for r in rows if (r.job.threads, r.job.section) == (count, section)]
            if any(row.ratio is not None for row in mine):
                yield _ratios(f"{title}; {threads_text(count)}", mine)
    measured = [
        (
            _bold(row.roof, row.below_roof), f"{row.bandwidth / 1e9:.1f}",
            row.job.case.operator, row.job.case.kind, str(row.job.threads),
        )
        for row in rows
        if row.roof is not None
    ]  # fmt: skip
    if measured:
        yield Table(
            f"Bytes per second, {size_text(max(SIZES.values()))} elements",
            ("of the triad", "GB/s", "operator", "type", "threads"),
            measured,
            "Each byte that is read or written counts once. The triad (a = b + s·c) moves as many"
            " bytes with ordinary stores; large results of the operators use non-temporal stores.",
        )


def _ratios(title: str, rows: Sequence[Row]) -> Table:
    """Return a table of ratios: a line for every operator and type, and geometric means."""
    columns = list(dict.fromkeys(row.column for row in rows if row.ratio is not None))
    lines: dict[tuple[str, str], dict[str, list[str]]] = {}
    for row in rows:
        line = lines.setdefault((row.job.case.operator, row.job.case.kind), {})
        mark = "~" if row.uncertain else ""
        text = "–" if row.ratio is None else _bold(row.ratio, row.below_goal, mark)
        line.setdefault(row.column, []).append(text)
    found = [
        (*key, *[" / ".join(line.get(name, ())) for name in columns]) for key, line in lines.items()
    ]
    means = [geometric_mean(row for row in rows if row.column == name) for name in columns]
    found.append(("geometric mean", "", *[f"{mean:.2f}" for mean in means]))
    headings = ("operator", "type", *columns)
    if len(columns) == 1:  # one column of ratios comes first, several are a matrix
        headings, found = headings[2:] + headings[:2], [row[2:] + row[:2] for row in found]
    return Table(title, headings, found)


def _bold(number: float, below: bool, mark: str = "") -> str:
    """Return a number behind a mark, in bold if it is below its goal."""
    return f"**{mark}{number:.2f}**" if below else f"{mark}{number:.2f}"


def report_lines(
    rows: Sequence[Row], command: str, peer: str, figure: Iterable[str]
) -> Iterator[str]:
    """Yield the lines of the report; a figure is the lines that show it or are its headings."""
    found = summary(rows)
    yield from ("# Performance", "", f"**{verdict_text(rows)}**", "")
    if found.rows:
        yield from table(found.headings, found.rows)
        yield from ("", "Medians of all operators, sizes and numbers of threads.", "")
    sides = "Both sides of a ratio take turns"
    if peer != "none":
        sides = (
            f"Ratios are the time of {peer} divided by the time of `ascendref`: above 1,"
            " `ascendref` is faster. Both take turns on the same data with the same number of"
            " threads"
        )
    yield (
        f"{sides}; the fastest of many turns counts. **Bold** ratios are below their goal."
        f" {UNCERTAIN}"
    )
    yield from ("", f"Measured by `{command}`.", "")
    yield from markdown.origin(peer)
    yield f"- the median turn took {noise(rows):.0%} longer than the fastest one"
    yield from figure
    yield from _cells_below_goal(rows)
    for each in tables(rows):
        yield from each.lines()


def _cells_below_goal(rows: Sequence[Row]) -> Iterator[str]:
    below = [row for row in rows if row.below_goal]
    yield from ("", "## Cells below their goal", "")
    if not below:
        yield "There are none."
        return
    below.sort(key=lambda row: (row.ratio or 0) / (row.goal or 1))
    cells = [
        (
            f"{'~' if row.uncertain else ''}{row.ratio:.2f}", f"{row.goal:g}",
            row.job.section, row.job.case.operator, row.job.case.kind,
            size_text(row.job.case.size), row.job.case.layout,
            "given" if row.job.case.out else "made", str(row.job.threads),
        )
        for row in below
    ]  # fmt: skip
    headings = (
        "ratio", "goal", "section", "operator", "type", "elements", "layout", "result", "threads",
    )  # fmt: skip
    yield from table(headings, cells)


def threads_text(count: int) -> str:
    """Return a number of threads in words."""
    return "1 thread" if count == 1 else f"{count} threads"
