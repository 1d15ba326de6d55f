"""``ascendref bench``: the time of the operators beside a peer's and beside the memory."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from ..bench.cases import KINDS, SIZES
from ..bench.figure import size_panels
from ..bench.measure import jobs, measure
from ..bench.results import Row, noise
from ..core.errors import OptionError
from ..core.threads import get_num_threads
from ..declaration.operator import OPERATORS
from .bench_report import UNCERTAIN, report_lines, summary, tables, verdict_text
from .console import INTERRUPTED, print_json, run_steps
from .markdown import command_text, figure, processor, versions, write_report
from .outputs import check_different, check_outputs, keep_stdout_for, write_figure

#: sizes and seconds per cell of a quick run, and seconds per cell of others
_QUICK_SIZES: Final = (16, 1 << 16, 1 << 20)
_QUICK_SECONDS: Final = 0.02
_SECONDS: Final = 0.4
#: what the picture shows
_FIGURE: Final = "Ratio and bytes per second against the number of elements"
#: most elements of F64 that memory can be addressed for
_MOST: Final = sys.maxsize // 8


@dataclass(frozen=True)
class Request:
    """What is to be measured, as it was asked for, and where the results go."""

    operators: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    threads: tuple[int, ...] = ()
    peer: str = "none"
    quick: bool = False
    seconds: float | None = None
    as_json: bool = False
    plot: Path | None = None
    report: Path | None = None

    def command(self, **outputs: Path | None) -> str:
        """Return the command that asks for this and some outputs."""
        return command_text(
            "ascendref bench",
            *self.operators,
            dtype=self.kinds,
            size=self.sizes,
            threads=self.threads,
            peer=None if self.peer == "torch" else self.peer,
            quick=self.quick,
            seconds=self.seconds and f"{self.seconds:g}",
            **outputs,
        )


def bench(request: Request) -> int:
    """Measure, print, draw; return the exit status."""
    check_outputs(request.plot, request.report)
    check_different(request.plot, request.report)
    threads = check_threads(request)
    if max(request.sizes, default=0) > _MOST:
        problem = f"{max(request.sizes)} is too large; at most {_MOST} elements are possible"
        raise OptionError("--size", problem)
    sizes = request.sizes or (_QUICK_SIZES if request.quick else tuple(SIZES.values()))
    operators, kinds = request.operators or tuple(OPERATORS), request.kinds or KINDS
    budget = request.seconds or (_QUICK_SECONDS if request.quick else _SECONDS)
    cells = list(jobs(operators, kinds, sizes, threads))
    rows = run_steps(
        cells,
        lambda job: measure(job, request.peer, budget),
        "measurements",
        lambda job: f"{job.case.operator} {job.case.kind} {job.section}",
        timed=True,
    )
    write_files(request, rows)
    with keep_stdout_for(request.plot, request.report):
        if request.as_json:
            print_json(as_dict(request, rows))
        else:
            show(request, rows)
    return 0 if len(rows) == len(cells) else INTERRUPTED


def write_files(request: Request, rows: Sequence[Row]) -> None:
    """Write the figure of contiguous arrays, and the report."""
    plot, report = request.plot, request.report
    if report is not None:
        command = request.command(report=report, plot=plot)
        picture, details = figure(_FIGURE, report, plot), len(request.operators) == 1
        write_report(report, report_lines(rows, command, request.peer, picture, details))
    if plot is not None:
        write_figure(plot, size_panels(rows, request.peer))


def check_threads(request: Request) -> tuple[int, ...]:
    """Return the numbers of threads, or raise OptionError if one is impossible."""
    most = get_num_threads()
    threads = request.threads or (most,)
    if max(threads) > most:
        raise OptionError("--threads", f"{max(threads)} is too many; at most {most} are available")
    cores = os.cpu_count()
    if request.peer == "jax" and threads != (cores,):
        given = ", ".join(map(str, threads))
        raise OptionError(
            "--threads",
            f"{given} is not allowed: JAX always uses all {cores} cores, which"
            " NUMBA_NUM_THREADS must allow",
        )
    return threads


def as_dict(request: Request, rows: Sequence[Row]) -> dict[str, Any]:
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
                "uncertain": row.uncertain,
            }
            for row in rows
        ],
    }


def show(request: Request, rows: Sequence[Row]) -> None:
    console = Console()
    other = "no peer" if request.peer == "none" else f"time of {request.peer} ÷ time of ascendref"
    print(verdict_text(rows))
    found = summary(rows, request.peer, f"medians: {other}")
    for table in ([found] if found.rows else []) + list(tables(rows)):
        console.print(table.in_terminal())
    console.print(f"{other}; the median turn took {noise(rows):.0%} longer than the fastest one")
    if any(row.uncertain for row in rows):
        print(UNCERTAIN)
