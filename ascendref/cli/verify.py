"""``ascendref verify``: the accuracy of every operator, measured on this machine."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Final

from rich.console import Console
from rich.progress import Progress

from ..core.dtypes import BFLOAT16, FLOAT16, FLOAT32, FLOAT64
from ..core.errors import OptionError
from ..verify.accuracy.channel_sums import measure_sums
from ..verify.accuracy.checkpoint import check_state, default_state, discard, load, save
from ..verify.accuracy.float64 import measure_float64
from ..verify.accuracy.half_precision import measure_half_precision
from ..verify.accuracy.pytorch import has_torch
from ..verify.accuracy.results import Results
from ..verify.accuracy.runner import run
from ..verify.accuracy.sweep import TORCH, Sweep
from ..verify.accuracy.sweep_result import SweepResult
from ..verify.oracles.reference import Reference, Setting
from ..verify.oracles.rounding import HALF
from ..verify.references import REFERENCES, find_reference
from .attributes import parse_attributes
from .console import DIFFERENCE, INTERRUPTED, print_error, print_json, progress, wrapped
from .html_page import ABOUT_ZOOM, check_page, write_page
from .markdown import check_report, write_report
from .outputs import check_plot, keep_stdout_for, report_write_errors
from .verify_data import Measured, measured
from .verify_report import heading, report_lines, report_words
from .verify_summary import outside_rows, verdict_text
from .verify_tables import detail_tables, summary_table

#: the element types that are swept; F64 can only be sampled
_SWEPT: Final = (FLOAT16.name, BFLOAT16.name, FLOAT32.name)
#: the compute types unless others are asked for: F32, and correct rounding; what
#: half-precision arithmetic gives is checked step by step, and how far it is off is for
#: ``ascendref study``
_COMPUTED: Final = ("float32", "float64")
#: what the page says about its plots
_ABOUT_PLOTS: Final = (
    "",
    "Each mark is the largest error of all settings among data with the same upper 12 bits (sign,"
    " exponent and first digits), and stands where that datum stands, on an axis on which"
    " neighbouring numbers of the type are equally far apart. Where there is no error there is no"
    f" mark; a triangle at the upper edge is an error beyond the axis. {ABOUT_ZOOM}",
)
#: what the summary means
_ABOUT_SUMMARY: Final = (
    "wrong: not the exact value rounded once, in the default arithmetic, within the range of the"
    " bounds"
)
#: seconds between two records of how far a run has come
_SAVE_EVERY: Final = 30.0


@dataclass(frozen=True)
class Request:
    """What is to be verified, as it was asked for."""

    operator: str | None = None
    kinds: tuple[str, ...] = ()
    computed: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    exhaustive: bool = False
    seed: int = 0
    torch: bool = True

    def references(self) -> tuple[Reference, ...]:
        """Return the operators."""
        if self.operator is None:
            return tuple(REFERENCES.values())
        return (find_reference(self.operator),)

    def settings(self, reference: Reference) -> tuple[Setting, ...]:
        """Return the settings of an operator."""
        if not self.attributes:
            return reference.settings
        if self.operator is None:
            raise OptionError("--attr", "needs an OPERATOR")
        return reference.given(parse_attributes(reference.operator, list(self.attributes)))

    def sweeps(self) -> list[Sweep]:
        """Return the sweeps to be made."""
        return [
            Sweep(
                reference.name,
                kind,
                setting,
                self._computations(reference),
                self.exhaustive,
                self.seed,
            )
            for reference in self.references()
            for kind in _SWEPT
            if kind in (self.kinds or _SWEPT)
            for setting in self.settings(reference)
        ]

    def _computations(self, reference: Reference) -> tuple[str, ...]:
        computed = self.computed or _COMPUTED
        with_torch = self.torch and reference.torch is not None and has_torch()
        return (*computed, TORCH) if with_torch else computed

    def half_precision(self) -> tuple[str, ...]:
        """Return the half-precision compute types to check step by step."""
        return tuple(name for name in HALF if name in (self.computed or HALF))

    def float64(self) -> list[tuple[Reference, Setting]]:
        """Return the samples of F64 to be taken."""
        if any(names and FLOAT64.name not in names for names in (self.kinds, self.computed)):
            return []
        return [
            (reference, setting)
            for reference in self.references()
            for setting in self.settings(reference)
        ]

    def sums(self) -> tuple[str, ...]:
        """Return the compute types of the sums to be checked."""
        return tuple(name for name in self.computed or _COMPUTED if name not in HALF)

    def command(self) -> str:
        """Return the command that asks for this."""
        words = ["ascendref", "verify"]
        words += [] if self.operator is None else [self.operator]
        words += [f"--dtype {kind}" for kind in self.kinds]
        words += [f"--compute {name}" for name in self.computed]
        words += [f"--attr {attribute}" for attribute in self.attributes]
        words += ["--exhaustive"] if self.exhaustive else [f"--seed {self.seed}"]
        return " ".join(words)


def verify(
    request: Request,
    *,
    resume: bool,
    state: Path | None,
    as_json: bool,
    plot: Path | None,
    report: Path | None,
    html: Path | None,
) -> int:
    """Measure, print, draw; return the exit status."""
    sweeps = request.sweeps()
    check_plot(plot)
    if plot is not None and not sweeps:
        raise OptionError(
            "--plot", f"nothing to draw; types that are drawn are {', '.join(_SWEPT)}"
        )
    check_report(report)
    check_page(html)
    state = state or default_state(sweeps)
    check_state(state)
    results = Results(load(state, sweeps) if resume else [SweepResult(s) for s in sweeps])
    with progress(long=True) as bar, interruptible() as stop:
        run_sweeps(results.sweeps, bar, stop, state)
        if not stop.is_set():
            run_other_checks(request, results, bar, stop)
        results.interrupted = stop.is_set()
    if results.interrupted:
        save(state, results.sweeps)
    found = measured(results, request.command(), request.exhaustive, request.seed)
    if plot is not None:
        draw(results, plot)
    if report is not None:
        write_report(report, report_lines(found, *report_words(request.command(), report, plot)))
    if html is not None:
        write_errors_page(results, found, html)
    with keep_stdout_for(plot, report, html):
        if as_json:
            print_json(found)
        else:
            show(results, found, state)
    if results.interrupted:
        return INTERRUPTED
    discard(state)
    return DIFFERENCE if found["broken"] else 0


@contextmanager
def interruptible() -> Iterator[threading.Event]:
    """Let the first Ctrl-C set an event instead of raising; a second one raises."""
    stop = threading.Event()

    def ask(number: int, frame: FrameType | None) -> None:
        stop.set()
        signal.signal(signal.SIGINT, before)

    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, ask)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def run_sweeps(
    results: list[SweepResult], bar: Progress, stop: threading.Event, state: Path
) -> None:
    """Do the sweeps until they are done or a stop is asked for."""
    total = sum(result.sweep.pairs for result in results)
    task = bar.add_task("", total=total, completed=sum(result.pairs for result in results))
    saved = time.monotonic()
    for result in run(results):
        sweep = result.sweep
        bar.update(
            task,
            completed=sum(result.pairs for result in results),
            description=f"{sweep.operator} {sweep.kind} {sweep.label}",
        )
        if stop.is_set():
            return
        if sweep.exhaustive and time.monotonic() - saved > _SAVE_EVERY:
            save(state, results)
            saved = time.monotonic()


def run_other_checks(
    request: Request, results: Results, bar: Progress, stop: threading.Event
) -> None:
    """Check the half-precision compute types, F64 and the sums."""
    sweeps = [result.sweep for result in results.sweeps]
    pairs = [(sweep, compute) for sweep in sweeps for compute in request.half_precision()]
    for sweep, compute in bar.track(pairs, description="step by step"):
        results.half_precision.append(measure_half_precision(sweep, compute))
        if stop.is_set():
            return
    for reference, setting in bar.track(request.float64(), description="F64"):
        results.float64.append(
            measure_float64(reference, setting, request.seed, request.exhaustive)
        )
        if stop.is_set():
            return
    kinds = tuple(dict.fromkeys(s.kind for s in sweeps if s.operator == "prelu_backward"))
    if computed := request.sums():
        for result in measure_sums(kinds, computed, request.seed, request.exhaustive):
            results.sums.append(result)
            if stop.is_set():
                return


def draw(results: Results, plot: Path) -> None:
    """Draw what has been swept."""
    from ..verify.figures.errors import draw_errors

    done = [result for result in results.sweeps if result.done]
    if not done:
        print_error(f"--plot: {plot} is not written: nothing was measured before the interruption")
        return
    with report_write_errors("--plot", plot):
        draw_errors(done, plot)


def write_errors_page(results: Results, found: Measured, html: Path) -> None:
    """Write the report as a page with interactive plots of what has been swept."""
    from ..verify.figures.error_plots import error_plots

    plots = error_plots([result for result in results.sweeps if result.done])
    lines = report_lines(found, f"{found['command']} --html {html}", _ABOUT_PLOTS)
    write_page(html, lines, {heading(*key): [plot] for key, plot in plots.items()})


def show(results: Results, found: Measured, state: Path) -> None:
    """Print the results, what they come to first."""
    console = Console()
    print(verdict_text(found))
    for line in found["broken"]:
        print("BROKEN:", line)
    if results.interrupted:
        done = sum(result.pairs for result in results.sweeps)
        total = sum(result.sweep.pairs for result in results.sweeps)
        print(f"interrupted after {done:,} of {total:,} pairs; --resume goes on from {state}")
    console.print(summary_table(found))
    print(wrapped(_ABOUT_SUMMARY, console.width, "", ""))
    for line in _outside_lines(found, console.width):
        print(line)
    for table in detail_tables(found):
        console.print(table)


def _outside_lines(found: Measured, width: int) -> Iterator[str]:
    """Yield lines about results that no bound covers, if there are any."""
    rows = list(outside_rows(found))
    if rows:
        yield "Outside the range of a stated bound:"
    for count, operator, kind, setting, computed, bound, classes in rows:
        text = f"{count} of {operator} {kind} {setting} in {computed}: {bound} ({classes})"
        yield wrapped(text, width, "  ", "    ")
