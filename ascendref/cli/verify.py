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

from rich.progress import Progress, TaskID

from ..core.dtypes import BFLOAT16, FLOAT16, FLOAT32, FLOAT64
from ..core.errors import ArgumentValueError
from ..verify.doubles import measure_doubles
from ..verify.grid import HALF, measure_grid
from ..verify.peers import has_torch
from ..verify.state import check_state, default_state, discard, load, save
from ..verify.subjects import SUBJECTS, Setting, Subject, find_subject
from ..verify.sums import measure_sums
from ..verify.sweep import TORCH, Outcome, Plan, run
from .files import check_writable, unwritable
from .findings import Findings, as_dict, show
from .page import check_page, write_page
from .run import parse_attributes
from .screen import beside, complain, print_json, progress

#: exit status after Ctrl-C, as shells have it
INTERRUPTED: Final = 130
#: element types that can be swept, and compute types
SWEPT: Final = (FLOAT16.name, BFLOAT16.name, FLOAT32.name)
#: and F64, which can only be sampled
KINDS: Final = (*SWEPT, FLOAT64.name)
COMPUTED: Final = ("float16", "bfloat16", "float32", "float64")
#: unless others are asked for: the device's arithmetic and the truth mode; what half-precision
#: arithmetic gives is checked step by step, and how far it is off is for ``ascendref study``
_DEFAULT: Final = ("float32", "float64")
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

    def subjects(self) -> tuple[Subject, ...]:
        """Return the operators."""
        return tuple(SUBJECTS.values()) if self.operator is None else (find_subject(self.operator),)

    def plans(self) -> list[Plan]:
        """Return the sweeps to be made."""
        computed = self.computed or _DEFAULT
        if self.torch and has_torch():
            computed = (*computed, TORCH)
        return [
            Plan(subject.operator.name, kind, setting, computed, self.exhaustive, self.seed)
            for subject in self.subjects()
            for kind in SWEPT
            if kind in (self.kinds or SWEPT)
            for setting in self.settings(subject)
        ]

    def doubles(self) -> list[tuple[Subject, Setting]]:
        """Return the samples of F64 to be taken."""
        wanted = [given or (FLOAT64.name,) for given in (self.kinds, self.computed)]
        if not all(FLOAT64.name in names for names in wanted):
            return []
        subjects = self.subjects()
        return [(subject, setting) for subject in subjects for setting in self.settings(subject)]

    def settings(self, subject: Subject) -> tuple[Setting, ...]:
        """Return the settings of an operator."""
        if not self.attributes:
            return subject.settings
        if self.operator is None:
            raise ArgumentValueError("--attr", "needs an OPERATOR whose attribute it is")
        return subject.given(parse_attributes(subject.operator, list(self.attributes)))

    def command(self) -> str:
        """Return the call that asks for this."""
        words = ["ascendref", "verify"]
        words += [] if self.operator is None else [self.operator]
        words += [f"--dtype {kind}" for kind in self.kinds]
        words += [f"--compute {name}" for name in self.computed]
        words += [f"--attr {attribute}" for attribute in self.attributes]
        words += ["--exhaustive"] if self.exhaustive else [f"--seed {self.seed}"]
        return " ".join(words)

    def half(self) -> tuple[str, ...]:
        """Return the half-precision compute types to check step by step."""
        return tuple(name for name in HALF if name in (self.computed or HALF))


def verify(
    request: Request,
    *,
    resume: bool,
    state: Path | None,
    as_json: bool,
    plot: Path | None,
    report: Path | None,
) -> int:
    """Measure, print, draw; return the exit status."""
    plans = request.plans()
    state = state or default_state(plans)
    check_state(state)
    prepare_plot(plot)
    if plot is not None and not plans:
        raise ArgumentValueError("--plot", f"has nothing to draw; swept are {', '.join(SWEPT)}")
    check_page(report)
    findings = Findings(load(state, plans) if resume else [Outcome(plan) for plan in plans])
    with progress(long=True) as bar, interruptible() as stop:
        sweep(findings, bar, stop, state)
        if not stop.is_set():
            check_the_rest(request, findings, bar, stop)
        findings.interrupted = stop.is_set()
    if findings.interrupted:
        save(state, findings.outcomes)
    if plot is not None:
        from ..verify.pictures import draw_errors

        if drawn := [outcome for outcome in findings.outcomes if outcome.done]:
            with unwritable("--plot", plot):
                draw_errors(drawn, plot)
        else:
            complain(f"--plot is {plot}, which is not drawn: nothing has been swept so far")
    if report is not None:
        from .report import lines

        write_page(report, lines(report, request, findings, plot))
    with beside(plot, report):
        if as_json:
            print_json(as_dict(findings, request.exhaustive, request.seed))
        else:
            show(findings, state)
    if findings.interrupted:
        return INTERRUPTED
    discard(state)
    return 1 if findings.broken() else 0


def prepare_plot(plot: Path | None) -> None:
    """Raise before any work is done if there can be no picture."""
    if plot is None:
        return
    from ..verify.pictures import check_plot

    check_writable("--plot", plot)
    try:
        check_plot(plot)
    except ModuleNotFoundError as error:
        raise ArgumentValueError(
            "--plot", f'needs {error.name}: pip install "ascendref[plot]"'
        ) from None
    except ValueError as error:
        raise ArgumentValueError("--plot", str(error)) from None


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


def sweep(findings: Findings, bar: Progress, stop: threading.Event, state: Path) -> None:
    """Do the sweeps until they are done or a stop is asked for."""
    outcomes = findings.outcomes
    total = sum(outcome.plan.pairs for outcome in outcomes)
    task = bar.add_task("", total=total, completed=sum(outcome.pairs for outcome in outcomes))
    saved = time.monotonic()
    for outcome in run(outcomes):
        update(bar, task, outcome, sum(o.pairs for o in outcomes))
        if stop.is_set():
            return
        if outcome.plan.exhaustive and time.monotonic() - saved > _SAVE_EVERY:
            save(state, outcomes)
            saved = time.monotonic()


def update(bar: Progress, task: TaskID, outcome: Outcome, pairs: int) -> None:
    """Move the progress bar."""
    plan = outcome.plan
    bar.update(task, completed=pairs, description=f"{plan.operator} {plan.kind} {plan.label}")


def check_the_rest(
    request: Request, findings: Findings, bar: Progress, stop: threading.Event
) -> None:
    """Check the half-precision compute types, F64 and the sums."""
    plans = [outcome.plan for outcome in findings.outcomes]
    cases = [(plan, compute) for plan in plans for compute in request.half()]
    for plan, compute in bar.track(cases, description="step by step"):
        findings.grids.append(measure_grid(plan, compute))
        if stop.is_set():
            return
    for pair in bar.track(request.doubles(), description="F64"):
        findings.doubles.append(measure_doubles(*pair, request.seed, request.exhaustive))
        if stop.is_set():
            return
    computed = tuple(name for name in request.computed or _DEFAULT if name not in HALF)
    if computed and any(plan.operator == "prelu_backward" for plan in plans):
        kinds = tuple(dict.fromkeys(plan.kind for plan in plans))
        for case in measure_sums(kinds, computed, request.seed, request.exhaustive):
            findings.sums.append(case)
            if stop.is_set():
                return
