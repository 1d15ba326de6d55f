"""The report of ``ascendref bench``, for a Markdown file and for a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..bench.breakdown import Breakdown
from ..bench.cases import SIZES
from ..bench.results import (
    SUMMARY_HEADINGS,
    Grid,
    Row,
    largest_beside_triad,
    noise,
    sections,
    size_text,
    summary,
    summary_rows,
    verdict_text,
)
from . import markdown


def report_lines(
    rows: Sequence[Row],
    calls: Sequence[Breakdown],
    command: str,
    peer: str,
    figure: Iterable[str],
) -> Iterator[str]:
    """Yield the lines of the report.

    Parameters
    ----------
    rows : sequence of Row
        The cells of the tables.
    calls : sequence of Breakdown
        Where the time of small calls goes.
    command, peer : str
        The command that writes it, and the peer.
    figure : iterable of str
        The lines that show the figure or are headings of plots, if anything is drawn.
    """
    found = summary(rows)
    yield from ("# Performance", "", f"**{verdict_text(found)}**", "")
    if found:
        yield from markdown.table(("below goal", "type", *SUMMARY_HEADINGS), summary_rows(found))
        yield from ("", "Medians of all operators, sizes and numbers of threads.", "")
    yield (
        f"Ratios are the time of {peer} divided by the time of `ascendref`: above 1, `ascendref`"
        " is faster. Both take turns on the same data with the same number of threads; the fastest"
        " of many turns counts. **Bold** ratios are below their goal."
    )
    yield from ("", f"Measured by `{command}`.", "")
    yield from markdown.origin(peer)
    yield f"- the median turn took {noise(rows):.0%} longer than the fastest one"
    yield from figure
    yield from _cells_below_goal(rows)
    for title, mine in sections(rows):
        yield from ("", f"## {title[0].upper()}{title[1:]}", "")
        yield from _ratios(mine)
    yield from _memory(largest_beside_triad(rows))
    yield from _small_calls(calls)


def _cells_below_goal(rows: Sequence[Row]) -> Iterator[str]:
    below = [row for row in rows if row.below_goal]
    yield from ("", "## Cells below their goal", "")
    if not below:
        yield "There are none."
        return
    yield from markdown.table(
        (
            "ratio", "goal", "section", "operator", "type", "elements", "layout", "result",
            "threads",
        ),
        (
            (
                f"{row.ratio:.2f}", f"{row.goal:g}",
                row.job.section, row.job.case.operator, row.job.case.kind,
                size_text(row.job.case.size), row.job.case.layout,
                "given" if row.job.case.out else "made", str(row.job.threads),
            )
            for row in sorted(below, key=lambda row: (row.ratio or 0) / (row.goal or 1))
        ),
    )  # fmt: skip


def _ratios(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the ratios of a section."""
    grid = Grid.of(rows)
    lines = [
        [*key, *(" / ".join(map(_ratio, found)) for found in cells)]
        for key, cells in grid.lines.items()
    ]
    lines.append(["geometric mean", "", *(f"{mean:.2f}" for mean in grid.means)])
    yield from markdown.table(*grid.ordered(lines))


def _ratio(row: Row) -> str:
    """Return a ratio, bold where it is below its goal."""
    if row.ratio is None:
        return "–"
    return f"**{row.ratio:.2f}**" if row.below_goal else f"{row.ratio:.2f}"


def _memory(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the bytes per second of the largest arrays."""
    if not rows or rows[0].job.case.size < max(SIZES.values()):
        return
    yield from ("", f"## Bytes per second, {size_text(rows[0].job.case.size)} elements", "")
    yield (
        "Each byte that is read or written counts once. The triad (a = b + s·c) moves as many bytes"
        " with ordinary stores; large results of the operators use non-temporal stores."
    )
    yield ""
    lines = []
    for row in rows:
        roof = row.roof or 0
        part = f"{roof:.2f}" if roof >= row.roof_goal else f"**{roof:.2f}**"
        case = row.job.case
        bandwidth = f"{row.bandwidth / 1e9:.1f}"
        lines.append((part, bandwidth, case.operator, case.kind, str(row.job.threads)))
    yield from markdown.table(("of the triad", "GB/s", "operator", "type", "threads"), lines)


def _small_calls(calls: Sequence[Breakdown]) -> Iterator[str]:
    """Yield where the time of a small call goes."""
    yield from ("", "## Where the time of a small call goes", "")
    yield (
        "A call on 16 elements with `out=`, in nanoseconds. *Arguments* is the array function's"
        " handling of its arguments, *dispatch* the entry into compiled code and its checks, *loop*"
        " the computation of the 16 elements."
    )
    yield ""
    yield from markdown.table(
        ("call", "arguments", "dispatch", "loop", "operator", "type"),
        (
            (
                *(f"{t * 1e9:.0f}" for t in (call.call, call.arguments, call.dispatch, call.loop)),
                call.operator,
                call.kind,
            )
            for call in calls
        ),
    )
