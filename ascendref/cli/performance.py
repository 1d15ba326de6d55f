"""``ascendref bench --report``: the results as a Markdown page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ..bench.measure import Row, noise
from ..bench.split import split
from ..bench.work import KINDS, SIZES, cases_of
from ..declaration.operator import OPERATORS
from .bench import EVEN, Grid, Request, sections, size_text
from .page import command_line, origin, picture

#: seconds to measure where the time of one small call goes
_SPLIT_SECONDS = 0.3


def lines(path: Path, request: Request, rows: Sequence[Row], plot: Path | None) -> Iterator[str]:
    """Yield the lines of the page, with a picture if there is one; it says how to make it again."""
    yield from ("# Performance", "")
    yield from (f"Measured by `{command_line(request.command(), path, plot)}`.", "")
    yield from origin(request.peer)
    yield f"- a usual turn took {noise(rows):.0%} longer than the best one"
    yield ""
    yield (
        f"Numbers without a unit are the time of {request.peer} as a multiple of the time of"
        " `ascendref`: above 1, `ascendref` is the faster one. Both sides take turns on the same"
        " numbers with the same number of threads, and the least of many turns counts. **Bold**"
        " cells miss what is aimed at."
    )
    yield from picture("Ratio and bytes per second against the number of elements", path, plot)
    yield from below(rows)
    for title, mine in sections(rows):
        yield from ("", f"## {title[0].upper()}{title[1:]}", "")
        yield from table(mine)
    yield from memory(rows)
    yield from parts(request)


def below(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the cells that miss what is aimed at."""
    missed = [row for row in rows if misses(row)]
    yield from ("", "## Cells that miss what is aimed at", "")
    if not missed:
        yield "There are none."
        return
    yield "| section | operator | type | elements | layout | result | threads | ratio | goal |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for row in sorted(missed, key=lambda row: (row.ratio or 0) / (row.goal or 1)):
        case = row.job.case
        yield (
            f"| {row.job.section} | {case.operator} | {case.kind} | {size_text(case.size)} |"
            f" {case.layout} | {'given' if case.out else 'made'} | {row.job.threads} |"
            f" {row.ratio:.2f} | {row.goal:g} |"
        )


def misses(row: Row) -> bool:
    """Tell whether a ratio is below its goal, and not for the memory's sake."""
    if row.ratio is None or row.goal is None:
        return False
    at_the_roof = row.roof is not None and row.roof >= row.roof_goal
    return row.ratio < row.goal * (EVEN if at_the_roof else 1)


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the ratios of a section."""
    grid = Grid.of(rows)
    yield f"| operator | type | {' | '.join(grid.columns)} |"
    yield "|---|---|" + "---|" * len(grid.columns)
    for (operator, kind), cells in grid.lines.items():
        texts = [" / ".join([cell(row) for row in found]) for found in cells]
        yield f"| {operator} | {kind} | {' | '.join(texts)} |"
    yield f"| geometric mean | | {' | '.join(f'{mean:.2f}' for mean in grid.means)} |"


def cell(row: Row) -> str:
    """Return a ratio, bold where it misses."""
    if row.ratio is None:
        return "–"
    return f"**{row.ratio:.2f}**" if misses(row) else f"{row.ratio:.2f}"


def memory(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the bytes per second of the largest arrays."""
    roofs = [row for row in rows if row.roof is not None]
    most = max((row.job.case.size for row in roofs), default=0)
    if most < max(SIZES.values()):
        return
    yield from ("", f"## Bytes per second, {size_text(most)} elements", "")
    yield (
        "Every read and every write counts once; the triad (a = b + s·c) moves as many. It stores"
        " through the caches, large results of the operators go past them."
    )
    yield from ("", "| operator | type | threads | GB/s | of the triad |", "|---|---|---|---|---|")
    for row in roofs:
        case = row.job.case
        if case.size == most:
            part = f"{row.roof:.2f}"
            part = part if (row.roof or 0) >= row.roof_goal else f"**{part}**"
            yield (
                f"| {case.operator} | {case.kind} | {row.job.threads} |"
                f" {row.bandwidth / 1e9:.1f} | {part} |"
            )


def parts(request: Request) -> Iterator[str]:
    """Yield where the time of a small call goes."""
    yield from ("", "## Where the time of a small call goes", "")
    yield (
        "A call on 16 elements with `out=`, in nanoseconds. *Arguments* is what the array function"
        " does around its kernel, *dispatch* the way into compiled code and what it checks there,"
        " *loop* the 16 elements."
    )
    yield from (
        "",
        "| operator | type | call | arguments | dispatch | loop |",
        "|---|---|---|---|---|---|",
    )
    for operator in request.operators or tuple(OPERATORS):
        for kind in cases_of(operator, request.kinds or KINDS):
            row = split(operator, kind, _SPLIT_SECONDS)
            numbers = (row.call, row.arguments, row.dispatch, row.loop)
            yield f"| {operator} | {kind} | {' | '.join(f'{n * 1e9:.0f}' for n in numbers)} |"
