"""``ascendref bench``: the time of the operators beside a peer's and beside the memory."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..bench.breakdown import Breakdown, measure_breakdown
from ..bench.cases import KINDS, SIZES, kinds_of
from ..bench.measure import jobs, measure
from ..bench.results import (
    EVEN,
    SUMMARY_HEADINGS,
    Grid,
    Row,
    largest_beside_triad,
    noise,
    sections,
    size_text,
    summary,
    summary_rows,
    threads_text,
    verdict_text,
)
from ..core.errors import OptionError
from ..core.threads import get_num_threads
from ..declaration.operator import OPERATORS
from .bench_report import report_lines
from .console import print_json, progress
from .html_page import ABOUT_ZOOM, check_page, write_page
from .machine import processor, versions
from .markdown import check_report, figure, full_command, write_report
from .outputs import check_plot, keep_stdout_for, report_write_errors

#: sizes and seconds per cell of a quick run, and seconds per cell of others
_QUICK_SIZES: Final = (16, 1 << 16, 1 << 20)
_QUICK_SECONDS: Final = 0.02
_SECONDS: Final = 0.4
#: seconds to take the time of one small call apart
_BREAKDOWN_SECONDS: Final = 0.3
#: the heading of the plots, and what a Markdown file says about the page that has them
_FIGURE: Final = "Ratio and bytes per second against the number of elements"
_ABOUT_HTML: Final = (
    "With `--html FILE`, `ascendref bench` writes such a report as one self-contained page with"
    " interactive plots of every operator: pointing at a mark shows both times, the ratio and the"
    " bytes per second (extra `plot`)."
)
#: most elements of F64 that memory can be addressed for
_MOST: Final = sys.maxsize // 8


@dataclass(frozen=True)
class Request:
    """What is to be measured, as it was asked for."""

    operators: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    threads: tuple[int, ...] = ()
    peer: str = "none"
    quick: bool = False
    seconds: float | None = None

    @property
    def budget(self) -> float:
        """Seconds per cell."""
        return self.seconds or (_QUICK_SECONDS if self.quick else _SECONDS)

    def command(self) -> str:
        """Return the command that asks for this."""
        words = ["ascendref", "bench", *self.operators]
        words += [f"--dtype {kind}" for kind in self.kinds]
        words += [f"--size {size}" for size in self.sizes]
        words += [f"--threads {count}" for count in self.threads]
        words += [f"--peer {self.peer}"] if self.peer != "torch" else []
        words += ["--quick"] if self.quick else []
        words += [f"--seconds {self.seconds:g}"] if self.seconds else []
        return " ".join(words)


def bench(
    request: Request,
    *,
    as_json: bool,
    plot: Path | None,
    report: Path | None,
    html: Path | None,
) -> None:
    """Measure, print, draw."""
    check_plot(plot)
    check_report(report)
    check_page(html)
    threads = check_threads(request)
    if max(request.sizes, default=0) > _MOST:
        raise OptionError(
            "--size", f"{max(request.sizes)} is too large; at most {_MOST} elements are possible"
        )
    sizes = request.sizes or (_QUICK_SIZES if request.quick else tuple(SIZES.values()))
    operators, kinds = request.operators or tuple(OPERATORS), request.kinds or KINDS
    cells = list(jobs(operators, kinds, sizes, threads))
    rows, breakdowns = [], []
    with progress(thread=False, long=True) as bar:
        task = bar.add_task("", total=len(cells))
        for job in cells:
            bar.update(task, description=f"{job.case.operator} {job.case.kind} {job.section}")
            bar.refresh()
            rows.append(measure(job, request.peer, request.budget))
            bar.advance(task)
        if report is not None or html is not None:
            pairs = [(name, kind) for name in operators for kind in kinds_of(name, kinds)]
            for name, kind in bar.track(pairs, description="small calls"):
                breakdowns.append(measure_breakdown(name, kind, _BREAKDOWN_SECONDS))
    if plot is not None:
        from ..bench.figure import draw_benchmarks

        with report_write_errors("--plot", plot):
            draw_benchmarks(rows, plot, request.peer)
    if report is not None:
        command = full_command(request.command(), report, plot)
        picture = [*figure(_FIGURE, report, plot), "", _ABOUT_HTML]
        write_report(report, report_lines(rows, breakdowns, command, request.peer, picture))
    if html is not None:
        write_sizes_page(request, rows, breakdowns, html)
    with keep_stdout_for(plot, report, html):
        if as_json:
            print_json(as_dict(request, rows))
        else:
            show(request, rows)


def write_sizes_page(
    request: Request, rows: Sequence[Row], calls: Sequence[Breakdown], html: Path
) -> None:
    """Write the report as a page with interactive plots of contiguous arrays."""
    from ..bench.plots import size_plots

    plots = {
        f"{_FIGURE}; {threads_text(threads)}": figures
        for threads, figures in size_plots(rows, request.peer).items()
    }
    about = (
        "Results are written to a given array (`out=`) or to a newly made one. The peer's line is"
        f" that for given results, the triad's line that for as many bytes. {ABOUT_ZOOM}"
    )
    headings = ["", about, *(line for heading in plots for line in ("", f"## {heading}"))]
    command = f"{request.command()} --html {html}"
    write_page(html, report_lines(rows, calls, command, request.peer, headings), plots)


def check_threads(request: Request) -> tuple[int, ...]:
    """Return the numbers of threads, or raise OptionError if one is impossible."""
    most = get_num_threads()
    threads = request.threads or (most,)
    if max(threads) > most:
        raise OptionError("--threads", f"{max(threads)} is too many; at most {most} are available")
    if request.peer == "jax" and threads != (os.cpu_count(),):
        raise OptionError(
            "--threads", f"JAX always uses all {os.cpu_count()} cores; allowed is {os.cpu_count()}"
        )
    return threads


def as_dict(request: Request, rows: Sequence[Row]) -> dict[str, Any]:
    """Return for programs what the tables hold."""
    return {
        "command": request.command(),
        "versions": versions(),
        "processor": processor(),
        "peer": request.peer,
        "noise": noise(rows),
        "rows": [
            {
                "section": row.job.section,
                "operator": row.job.case.operator,
                "dtype": row.job.case.kind,
                "elements": row.job.case.size,
                "layout": row.job.case.layout,
                "out": row.job.case.out,
                "threads": row.job.threads,
                "seconds": row.ours.seconds,
                "other_seconds": None if row.other is None else row.other.seconds,
                "ratio": row.ratio,
                "goal": row.goal,
                "bytes_per_second": row.bandwidth,
                "triad_seconds": None if row.triad is None else row.triad.seconds,
                "roof": row.roof,
                "noise": row.ours.noise,
            }
            for row in rows
        ],
    }


def show(request: Request, rows: Sequence[Row]) -> None:
    """Print a table for every section."""
    console = Console()
    found = summary(rows)
    print(verdict_text(found))
    other = "no peer" if request.peer == "none" else f"time of {request.peer} ÷ time of ascendref"
    if found:
        title = f"medians: {other}"
        made = Table("below goal", "type", *SUMMARY_HEADINGS, title=title, title_justify="left")
        for row in summary_rows(found):
            made.add_row(*row)
        console.print(made)
    for title, mine in sections(rows):
        console.print(table(mine, title))
    if largest := largest_beside_triad(rows):
        console.print(memory_table(largest))
    console.print(f"{other}; the median turn took {noise(rows):.0%} longer than the fastest one")


def table(rows: Sequence[Row], title: str) -> Table:
    """Return the ratios of a section: a row for every operator and type."""
    grid = Grid.of(rows)
    lines: list[list[str | Text]] = []
    for key, cells in grid.lines.items():
        texts = [[coloured(row.ratio, row.goal) for row in found] for found in cells]
        lines.append([*key, *[Text(" / ").join(text) for text in texts]])
    lines.append(["geometric mean", "", *[f"{mean:.2f}" for mean in grid.means]])
    headings, ordered = grid.ordered(lines)
    made = Table(*headings, title=title, title_justify="left")
    for number, line in enumerate(ordered, start=1):
        made.add_row(*line, end_section=number == len(ordered) - 1)
    return made


def memory_table(rows: Sequence[Row]) -> Table:
    """Return the bytes per second of the largest arrays beside the triad's."""
    size = rows[0].job.case.size
    made = Table(
        "of the triad", "GB/s", "triad", "operator", "type", "threads",
        title=f"memory, {size_text(size)} elements", title_justify="left",
    )  # fmt: skip
    for row in rows:
        goal = row.roof_goal if size == max(SIZES.values()) else None
        made.add_row(
            coloured(row.roof, goal),
            f"{row.bandwidth / 1e9:.1f}",
            f"{(row.triad_bandwidth or 0) / 1e9:.1f}",
            row.job.case.operator,
            row.job.case.kind,
            str(row.job.threads),
        )
    return made


def coloured(ratio: float | None, goal: float | None) -> Text:
    """Return a ratio: green where it reaches its goal, yellow nearly, else red."""
    if ratio is None:
        return Text("–")
    style = ""
    if goal is not None:
        style = "green" if ratio >= goal else "yellow" if ratio >= EVEN * goal else "red"
    return Text(f"{ratio:.2f}", style=style)
