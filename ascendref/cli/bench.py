"""``ascendref bench``: how fast the operators are beside a peer, in one run."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..bench.measure import Row, geometric_mean, jobs, measure, noise
from ..bench.work import KINDS, SIZES
from ..core.errors import ArgumentValueError
from ..core.threads import get_num_threads
from ..declaration.operator import OPERATORS
from .doctor import processor, versions
from .files import unwritable
from .page import check_page, write_page
from .screen import beside, print_json, progress
from .verify import prepare_plot

#: what a quick run leaves out, and seconds of its cells
_QUICK_SIZES: Final = (16, 1 << 16, 1 << 20)
_QUICK_SECONDS: Final = 0.02
_SECONDS: Final = 0.4
#: elements that an address can tell apart in F64
_MOST: Final = sys.maxsize // 8
#: as good as 1 where both sides wait for the memory
EVEN: Final = 0.97
TITLES: Final = {
    "sizes": "contiguous arrays, result given / result made",
    "layouts": "other layouts, 1 Mi elements",
    "channels": "sums per channel, other shapes",
    "truth": "float64 arithmetic beside the peer's on float64 arrays, 1 Mi elements",
    "rounding": "what correct rounding costs: float64 arithmetic beside the default, 1 Mi elements",
    "threads": "all threads beside one, 1 Mi elements",
}


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
        """Return the call that asks for this."""
        words = ["ascendref", "bench", *self.operators]
        words += [f"--dtype {kind}" for kind in self.kinds]
        words += [f"--size {size}" for size in self.sizes]
        words += [f"--threads {count}" for count in self.threads]
        words += [f"--peer {self.peer}"] if self.peer != "torch" else []
        words += ["--quick"] if self.quick else []
        words += [f"--seconds {self.seconds:g}"] if self.seconds else []
        return " ".join(words)


def bench(request: Request, *, as_json: bool, plot: Path | None, report: Path | None) -> None:
    """Measure, print, draw."""
    prepare_plot(plot)
    check_page(report)
    most = get_num_threads()
    threads = request.threads or (most,)
    if max(threads) > most:
        raise ArgumentValueError("--threads", f"is {max(threads)}; there are {most}")
    if request.peer == "jax" and threads != (os.cpu_count(),):
        raise ArgumentValueError(
            "--threads", f"are {threads}; JAX always uses all {os.cpu_count()} cores"
        )
    if max(request.sizes, default=0) > _MOST:
        raise ArgumentValueError("--size", f"is {max(request.sizes)}; at most {_MOST} is possible")
    sizes = request.sizes or (_QUICK_SIZES if request.quick else tuple(SIZES.values()))
    chosen = request.operators or tuple(OPERATORS)
    wanted = list(jobs(chosen, request.kinds or KINDS, sizes, threads))
    rows = []
    with progress(thread=False, long=True) as bar:
        task = bar.add_task("", total=len(wanted))
        for job in wanted:
            bar.update(task, description=f"{job.case.operator} {job.case.kind} {job.section}")
            bar.refresh()
            rows.append(measure(job, request.peer, request.budget))
            bar.advance(task)
    if plot is not None:
        from ..bench.pictures import draw

        with unwritable("--plot", plot):
            draw(rows, plot, request.peer)
    if report is not None:
        from .performance import lines

        write_page(report, lines(report, request, rows, plot))
    with beside(plot, report):
        if as_json:
            print_json(as_dict(request, rows))
        else:
            show(request, rows)


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
    for title, mine in sections(rows):
        console.print(table(mine, title))
    roofs = [row for row in rows if row.roof is not None]
    if roofs:
        console.print(roof_table(roofs))
    other = "no peer" if request.peer == "none" else f"time of {request.peer} ÷ time of ascendref"
    console.print(f"{other}; a usual turn took {noise(rows):.0%} longer than the best one")


def sections(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    """Yield the sections that have ratios, each with its title and its cells."""
    for count in dict.fromkeys(row.job.threads for row in rows):
        threads = "1 thread" if count == 1 else f"{count} threads"
        for section, title in TITLES.items():
            mine = [r for r in rows if (r.job.threads, r.job.section) == (count, section)]
            if any(row.ratio is not None for row in mine):
                yield f"{title}; {threads}", mine


@dataclass(frozen=True)
class Grid:
    """The cells of a section in lines and columns."""

    columns: tuple[str, ...]
    #: by operator and type, the cells that stand in each column
    lines: dict[tuple[str, str], list[list[Row]]]
    #: geometric means of the columns
    means: list[float]

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Grid:
        """Put cells in order."""
        places: dict[tuple[str, str], dict[str, list[Row]]] = {}
        ratios: dict[str, list[float]] = {}
        for row in rows:
            line = places.setdefault((row.job.case.operator, row.job.case.kind), {})
            line.setdefault(column(row), []).append(row)
            ratios.setdefault(column(row), []).extend(() if row.ratio is None else (row.ratio,))
        lines = {key: [line.get(name, []) for name in ratios] for key, line in places.items()}
        return cls(tuple(ratios), lines, [geometric_mean(found) for found in ratios.values()])


def table(rows: Sequence[Row], title: str) -> Table:
    """Return the ratios of a section: a row for every operator and type."""
    grid = Grid.of(rows)
    made = Table("operator", "type", *grid.columns, title=title, title_justify="left")
    for key, cells in grid.lines.items():
        texts = [[coloured(row.ratio, row.goal) for row in found] for found in cells]
        made.add_row(*key, *[Text(" / ").join(text) for text in texts])
    made.add_section()
    made.add_row("geometric mean", "", *[f"{mean:.2f}" for mean in grid.means])
    return made


def roof_table(rows: Sequence[Row]) -> Table:
    """Return the bytes per second of the largest arrays beside the triad's."""
    most = max(row.job.case.size for row in rows)
    made = Table(
        "operator", "type", "threads", "GB/s", "triad", "of it",
        title=f"memory, {size_text(most)} elements", title_justify="left",
    )  # fmt: skip
    for row in rows:
        if row.job.case.size == most and row.roof is not None:
            goal = row.roof_goal if most == max(SIZES.values()) else None
            made.add_row(
                row.job.case.operator, row.job.case.kind, str(row.job.threads),
                f"{row.bandwidth / 1e9:.1f}", f"{row.bandwidth / row.roof / 1e9:.1f}",
                coloured(row.roof, goal),
            )  # fmt: skip
    return made


def column(row: Row) -> str:
    """Return where a cell stands."""
    case, section = row.job.case, row.job.section
    if section == "sizes":
        return size_text(case.size)
    if section == "layouts":
        return case.layout
    if section == "channels":
        return f"{case.layout}, {size_text(case.size)}"
    return "ratio"


def size_text(size: int) -> str:
    """Return a number of elements as it is called."""
    return next((name for name, value in SIZES.items() if value == size), f"{size:,}")


def coloured(ratio: float | None, goal: float | None) -> Text:
    """Return a ratio: green where it reaches what is aimed at, yellow nearly, else red."""
    if ratio is None:
        return Text("–")
    style = ""
    if goal is not None:
        style = "green" if ratio >= goal else "yellow" if ratio >= EVEN * goal else "red"
    return Text(f"{ratio:.2f}", style=style)
