"""The tables of ``ascendref bench``, and its report for a Markdown file."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ..bench.cases import KINDS, SIZES
from ..bench.results import Row, geometric_mean, median, noise, size_text
from ..core.markdown import table
from ..verify.figures.panels import LABELS
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


def summary(rows: Sequence[Row], peer: str, title: str = "") -> Table:
    """Return what the ratios to a peer come to: a row for every element type."""
    found = []
    for kind in dict.fromkeys(row.job.case.kind for row in rows):
        mine = [row for row in rows if row.job.case.kind == kind]
        compared = default_cells(mine)
        if compared:
            medians = (
                median(r for r in compared if r.job.section == "sizes" and r.job.case.out),
                median(r for r in compared if r.job.section == "sizes" and not r.job.case.out),
                median(r for r in compared if r.job.section == "layouts"),
                median(r for r in mine if r.job.section == "truth"),
                median(r for r in mine if r.job.section == "rounding"),
            )
            texts = ["–" if math.isnan(x) else f"{x:.2f}" for x in medians]
            found.append((f"{slower(compared)} of {len(compared)}", kind, *texts))
    headings = (
        f"{peer} faster in", "type", "result given", "result made", "other layouts",
        "float64 arithmetic", "cost of float64",
    )  # fmt: skip
    return Table(title, headings, found)


def default_cells(rows: Iterable[Row]) -> list[Row]:
    """Return the cells that compare the default arithmetic with a peer's."""
    sections = ("sizes", "layouts", "channels")
    return [row for row in rows if row.job.section in sections and row.ratio is not None]


def slower(rows: Iterable[Row]) -> int:
    """Return in how many cells the other side is faster."""
    return sum(row.ratio is not None and row.ratio < 1 for row in rows)


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
    return f"**{mark}{number:.2f}**" if below else f"{mark}{number:.2f}"


def report_lines(
    rows: Sequence[Row], command: str, peer: str, figure: Iterable[str], details: bool = True
) -> Iterator[str]:
    """Yield the lines of the report, with its figure's; details are tables of all cells."""
    compared = default_cells(rows)
    yield from ("# Performance", "", f"**{_answer(compared, peer)}**", "")
    sides = "Both sides of a ratio take turns"
    if peer != "none":
        sides = (
            f"Ratios are the time of {peer} divided by the time of `ascendref`: above 1,"
            " `ascendref` is faster. Both take turns on the same data with the same number of"
            " threads"
        )
    yield f"{sides}; the fastest of many turns counts."
    if compared:
        found = summary(rows, peer)
        yield from ("", *table(found.headings, found.rows), "")
        yield (
            "Medians of all operators, sizes and numbers of threads: results in a given array"
            " (`out=`), in a new one, and of transposed, sliced and broadcast arrays. *Float64"
            f" arithmetic* rounds results correctly; it is beside that of {peer} on float64 arrays."
            " *Cost of float64* is its time divided by that of the default arithmetic."
        )
    yield from ("", f"Measured by `{command}`.", "")
    yield from markdown.origin(peer)
    yield f"- the median turn took {noise(rows):.0%} longer than the fastest one"
    yield from figure
    if compared:
        yield from _operators(rows, peer).lines()
    if not details:
        yield ""
        yield (
            "A report of one operator (`ascendref bench OPERATOR --report FILE`) has every cell;"
            " `--json` has those of all."
        )
        return
    yield from ("", f"**Bold** ratios are below their goal. {UNCERTAIN}")
    for each in tables(rows):
        yield from each.lines()


def _answer(compared: Sequence[Row], peer: str) -> str:
    if not compared:
        return "Nothing was compared."
    count = slower(compared)
    return (
        f"`ascendref` is faster than {peer} in {len(compared) - count:,} of {len(compared):,}"
        f" cells, {peer} in {count:,}; the median ratio is {median(compared):.2g}."
    )


def _operators(rows: Sequence[Row], peer: str) -> Table:
    """Return a row for every operator, those first for which a peer is faster most often."""
    groups: dict[str, list[Row]] = {}
    for row in default_cells(rows):
        groups.setdefault(row.job.case.operator, []).append(row)
    ordered = sorted(
        groups.items(), key=lambda group: (-slower(group[1]) / len(group[1]), median(group[1]))
    )
    found = []
    for operator, mine in ordered:
        medians = [median(row for row in mine if row.job.case.kind == kind) for kind in KINDS]
        least = min(mine, key=lambda row: row.ratio or 0)
        found.append(
            (
                operator, f"{slower(mine)} of {len(mine)}",
                *("–" if math.isnan(x) else f"{x:.2f}" for x in medians),
                f"{least.ratio:.2f}", _place(least),
            )
        )  # fmt: skip
    note = "Medians of all cells of an operator and type, and the operator's least ratio."
    alone = [x for x in dict.fromkeys(row.job.case.operator for row in rows) if x not in groups]
    if alone:
        note += f" {peer} has no operator for {', '.join(f'`{name}`' for name in alone)}."
    labels = [LABELS[kind] for kind in KINDS]
    headings = ("operator", f"{peer} faster in", *labels, "least", "where")
    return Table("Operators", headings, found, note)


def _place(row: Row) -> str:
    case = row.job.case
    arrays = ("given" if case.out else "made") if row.job.section == "sizes" else case.layout
    return f"{LABELS[case.kind]}, {size_text(case.size)}, {arrays}, {threads_text(row.job.threads)}"


def threads_text(count: int) -> str:
    return "1 thread" if count == 1 else f"{count} threads"
