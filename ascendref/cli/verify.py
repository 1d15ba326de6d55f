"""``ascendref verify``: the accuracy of every operator, measured on this machine."""

import datetime
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import Progress

from ..core.dtypes import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, STEPS
from ..core.errors import OptionError
from ..declaration.operator import OPERATORS, Operator
from ..verify import SAMPLED
from ..verify.accuracy.channel_sums import measure_sums
from ..verify.accuracy.checkpoint import check_state, default_state, discard, load, save
from ..verify.accuracy.float64 import measure_float64
from ..verify.accuracy.pytorch import has_torch
from ..verify.accuracy.rows import Measured
from ..verify.accuracy.runner import run
from ..verify.accuracy.steps import measure_steps
from ..verify.accuracy.sweep import TORCH, Sweep
from ..verify.accuracy.sweep_result import SweepResult
from ..verify.figures.errors import error_panels
from ..verify.setting import Setting, given_settings, settings
from .console import (
    DIFFERENCE,
    INTERRUPTED,
    interruptible,
    print_error,
    print_json,
    progress,
    wrapped,
)
from .kit import write_kit
from .markdown import command_text, figure, processor, versions, write_report
from .options import operator_named, parse_attributes
from .outputs import check_different, check_outputs, keep_stdout_for, write_figure
from .verify_report import broken, outside_table, report_lines, tables, types_table, verdict_text

#: the element types that are swept; F64 can only be sampled
_SWEPT: Final = (FLOAT16.name, BFLOAT16.name, FLOAT32.name)
#: the compute types unless others are asked for: F32, and correct rounding; what
#: arithmetic step by step gives is checked apart, and how far it is off is for ``ascendref study``
_COMPUTED: Final = ("float32", "float64")
#: what the summary means
_ABOUT_SUMMARY: Final = (
    "wrong: not the exact value rounded once, in the default arithmetic, within the range of the"
    " bounds"
)
#: columns that a terminal has no room for
_REPORTED: Final = ("at input, gradient", "pairs", "hard", "seconds")
#: results outside the range of a bound that are shown unless everything is asked for
_OUTSIDE_SHOWN: Final = 3
#: seconds between two records of how far a run has come
_SAVE_EVERY: Final = 30.0


@dataclass(frozen=True)
class Request:
    """What is to be verified, as it was asked for, and where the results go."""

    operator: str | None = None
    kinds: tuple[str, ...] = ()
    computed: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    exhaustive: bool = False
    seed: int = 0
    sample: int = SAMPLED
    torch: bool = True
    resume: bool = False
    state: Path | None = None
    as_json: bool = False
    plot: Path | None = None
    report: Path | None = None
    everything: bool = False

    def operators(self) -> tuple[Operator, ...]:
        if self.operator is None:
            return tuple(OPERATORS.values())
        return (operator_named(self.operator),)

    def settings(self, operator: Operator) -> tuple[Setting, ...]:
        if not self.attributes:
            return settings(operator.name)
        if self.operator is None:
            raise OptionError("--attr", "needs an OPERATOR")
        return given_settings(operator.name, parse_attributes(operator, list(self.attributes)))

    def sweeps(self) -> list[Sweep]:
        sample = self.exhaustive, self.seed, self.sample
        return [
            Sweep(setting, kind, self._computations(operator), *sample)
            for operator in self.operators()
            for kind in _SWEPT
            if kind in (self.kinds or _SWEPT)
            for setting in self.settings(operator)
        ]

    def _computations(self, operator: Operator) -> tuple[str, ...]:
        computed = self.computed or _COMPUTED
        with_torch = self.torch and operator.torch is not None and has_torch()
        return (*computed, TORCH) if with_torch else computed

    def float64(self) -> list[Setting]:
        """Return the samples of F64 to be taken."""
        if any(names and FLOAT64.name not in names for names in (self.kinds, self.computed)):
            return []
        return [x for operator in self.operators() for x in self.settings(operator)]

    def command(self) -> str:
        """Return the command that asks for this."""
        return command_text(
            "ascendref verify",
            *([] if self.operator is None else [self.operator]),
            dtype=self.kinds,
            compute=self.computed,
            attr=self.attributes,
            exhaustive=self.exhaustive,
            seed=None if self.exhaustive else self.seed,
            sample=None if self.exhaustive or self.sample == SAMPLED else self.sample,
            no_torch=not self.torch,
        )


def verify(request: Request) -> int:
    """Measure, print, draw; return the exit status."""
    sweeps = request.sweeps()
    if not (sweeps or request.float64()):
        raise OptionError("--compute", "nothing to measure: F64 data are measured in float64 alone")
    if request.sample > sys.maxsize:
        problem = f"{request.sample} is too large; at most {sys.maxsize} pairs are possible"
        raise OptionError("--sample", problem)
    check_outputs(request.plot, request.report)
    if request.plot is not None and not sweeps:
        raise OptionError("--plot", f"nothing to draw; types to draw are {', '.join(_SWEPT)}")
    state = request.state or default_state(sweeps)
    check_state(state)
    check_different(request.plot, request.report, state)
    results = load(state, sweeps) if request.resume else [SweepResult(s) for s in sweeps]
    found: Measured = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "command": request.command(),
        "versions": versions(),
        "processor": processor(),
        "exhaustive": request.exhaustive,
        "seed": request.seed,
        "interrupted": False,
        "sweeps": [],
        "step_by_step": [],
        "float64": [],
        "grad_weight": [],
        "broken": [],
    }
    with progress(long=True) as bar, interruptible() as stop:
        for _ in measure(request, results, found, bar, state):
            if stop.is_set():
                break
    found["interrupted"] = stop.is_set()
    found["sweeps"] = [row for result in results if result.done for row in result.rows()]
    found["broken"] = list(broken(found))
    try:
        if found["interrupted"]:
            save(state, results)
    finally:  # results that cannot be saved are printed all the same
        write_files(request, results, found)
        with keep_stdout_for(request.plot, request.report):
            if request.as_json:
                print_json(found)
            else:
                show(results, found, state, request.everything)
    if found["interrupted"]:
        return INTERRUPTED
    discard(state)
    return DIFFERENCE if found["broken"] else 0


def write_inputs(request: Request, path: Path) -> None:
    """Write inputs for an NPU, and the script that computes the operators of them."""
    chosen = [(operator, request.settings(operator)) for operator in request.operators()]
    write_kit(
        path, chosen, [kind for kind in _SWEPT if kind in (request.kinds or _SWEPT)], request.seed
    )


def measure(
    request: Request, results: list[SweepResult], found: Measured, bar: Progress, state: Path
) -> Iterator[None]:
    """Do the sweeps, then check half-precision arithmetic, F64 and sums; yield after every step."""
    total = sum(result.sweep.pairs for result in results)
    task = bar.add_task("", total=total)
    saved = time.monotonic()
    for result in run(results):
        sweep = result.sweep
        bar.update(
            task,
            completed=sum(result.pairs for result in results),
            description=f"{sweep.operator} {sweep.kind} {sweep.label}",
        )
        if sweep.exhaustive and time.monotonic() - saved > _SAVE_EVERY:
            save(state, results)
            saved = time.monotonic()
        yield
    steps = [name for name in STEPS if name in (request.computed or STEPS)]
    pairs = [(result.sweep, compute) for result in results for compute in steps]
    for sweep, compute in bar.track(pairs, description="step by step"):
        found["step_by_step"].append(measure_steps(sweep, compute))
        yield
    for setting in bar.track(request.float64(), description="F64"):
        found["float64"].append(measure_float64(setting, request.seed, request.exhaustive))
        yield
    kinds = tuple(dict.fromkeys(result.sweep.kind for result in results))
    computed = tuple(name for name in request.computed or _COMPUTED if name not in STEPS)
    for operator in request.operators():
        if operator.per_channel:
            for row in measure_sums(operator, kinds, computed, request.seed, request.exhaustive):
                found["grad_weight"].append(row)
                yield


def write_files(request: Request, results: Sequence[SweepResult], found: Measured) -> None:
    plot, report = request.plot, request.report
    if report is not None:
        words = command_and_picture(found, report, plot)
        write_report(report, report_lines(found, *words, request.operator is not None))
    if plot is None:
        return
    panels = error_panels([result for result in results if result.done])
    if not panels:
        print_error(f"--plot: {plot} is not written: nothing was measured before the interruption")
        return
    rows = [
        [panel for (name, _), panel in panels.items() if name == operator]
        for operator in dict.fromkeys(name for name, _ in panels)
    ]
    write_figure(plot, rows)


def command_and_picture(
    found: Measured, report: Path, plot: Path | None
) -> tuple[str, Iterator[str]]:
    """Return the command that writes a report again, and the lines that show its figure."""
    command = command_text(found["command"], report=report, plot=plot)
    return command, figure("Largest error against input, for every type and mode", report, plot)


def show(results: Sequence[SweepResult], found: Measured, state: Path, everything: bool) -> None:
    """Print what the results come to, and then every setting if everything is asked for."""
    console = Console()
    print(verdict_text(found))
    for line in found["broken"]:
        print("BROKEN:", line)
    if found["interrupted"]:
        done = sum(result.pairs for result in results)
        total = sum(result.sweep.pairs for result in results)
        print(f"interrupted after {done:,} of {total:,} pairs; --resume goes on from {state}")
    console.print(types_table(found).in_terminal())
    print(wrapped(_ABOUT_SUMMARY, console.width, "", ""))
    outside = outside_table(found)
    if outside.rows:
        print(f"{outside.title}:")
    shown = outside.rows if everything else outside.rows[:_OUTSIDE_SHOWN]
    for count, operator, kind, setting, computed, bound, classes in shown:
        text = f"{count} of {operator} {kind} {setting} in {computed}: {bound} ({classes})"
        print(wrapped(text, console.width, "  ", "    "))
    if not everything:
        more = len(outside.rows) - len(shown)
        print(f"{f'{more} more of these, and ' if more else ''}every setting: --all")
        return
    for table in tables(found):
        console.print(table.in_terminal(*_REPORTED))
