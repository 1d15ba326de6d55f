"""``ascendref verify``: the accuracy of every operator, measured on this machine."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import Progress, TaskID
from rich.table import Table

from ..dtypes import BFLOAT16, FLOAT16, FLOAT32
from ..errors import ArgumentValueError
from ..verify.grid import HALF, GridCase, measure_grid
from ..verify.peers import has_torch
from ..verify.state import default_state, load, save
from ..verify.subjects import SUBJECTS, Subject, find_subject
from ..verify.sums import SumCase, measure_sums
from ..verify.sweep import TORCH, Outcome, Place, Plan, Tally, run
from ..verify.truth import EDGES, EXACT, FIRST_WRONG, NAN, ROUNDED, ZERO_SIGN
from .run import parse_attributes
from .screen import print_json, progress

#: exit status after Ctrl-C, as shells have it
INTERRUPTED: Final = 130
#: element types that can be swept, and compute types
KINDS: Final = (FLOAT16.name, BFLOAT16.name, FLOAT32.name)
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
        subjects = self.subjects()
        if self.attributes and self.operator is None:
            raise ArgumentValueError("--attr", "needs an OPERATOR whose attribute it is")
        return [
            Plan(subject.operator.name, kind, setting, computed, self.exhaustive, self.seed)
            for subject in subjects
            for kind in self.kinds or KINDS
            for setting in (
                subject.given(parse_attributes(subject.operator, list(self.attributes)))
                if self.attributes
                else subject.settings
            )
        ]

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


@dataclass
class Findings:
    """Everything that is known, finished or not."""

    outcomes: list[Outcome]
    grids: list[GridCase] = field(default_factory=list)
    sums: list[SumCase] = field(default_factory=list)
    interrupted: bool = False

    def broken(self) -> list[str]:
        """Return a line for everything stated that does not hold."""
        lines = [
            f"{outcome.plan.operator} {outcome.plan.kind} {outcome.plan.label} in {computed}:"
            f" {outcome.bound(computed)} is stated, {measured(outcome.tallies[computed])}"
            for outcome in self.outcomes
            for computed in outcome.plan.computed
            if not outcome.holds(computed)
        ]
        lines += [
            f"{case.plan.operator} {case.plan.kind} {case.plan.label} in {case.compute}:"
            f" {case.differing:,} of {case.pairs:,} differ from the step-by-step oracle,"
            f" first {place_text(case.at)}"
            for case in self.grids
            if not case.holds
        ]
        lines += [
            f"prelu_backward grad_weight {case.kind} ({case.what}, {case.terms:,} terms) in"
            f" {case.compute}: error {case.error:.3g} of the sum of magnitudes, {case.bound:.3g} is"
            " stated"
            for case in self.sums
            if not case.holds
        ]
        return lines


def measured(tally: Tally) -> str:
    """Return what was found, in a few words."""
    text = f"found {tally.wrong:,} wrongly rounded, at most {tally.max_ulp:.6g} ulp"
    if tally.at is not None:
        text += f" at {place_text(tally.at)}"
    if tally.mismatches:
        text += f", {tally.mismatches:,} with another NaN or sign of zero"
    return text


def place_text(place: Place | None) -> str:
    """Return where an error is."""
    if place is None:
        return ""
    return (
        f"input {place.data:.9g}, gradient {place.gradient:.9g}: {place.actual:.9g} for"
        f" {place.golden:.9g}"
    )


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
    prepare_plot(plot)
    if report is not None and not report.parent.is_dir():
        raise ArgumentValueError("--report", f"is {report}; there is no such folder")
    findings = Findings(load(state, plans) if resume else [Outcome(plan) for plan in plans])
    with progress(long=True) as bar, interruptible() as stop:
        sweep(findings, bar, stop, state)
        if not stop.is_set():
            check_the_rest(request, findings, bar, stop)
        findings.interrupted = stop.is_set()
    if findings.interrupted:
        save(state, findings.outcomes)
    else:
        state.unlink(missing_ok=True)
    if plot is not None:
        from ..verify.pictures import draw_errors

        draw_errors([o for o in findings.outcomes if o.done], plot)
    if report is not None:
        from .report import write_report

        write_report(report, request, findings)
    if as_json:
        print_json(as_dict(request, findings))
    else:
        show(findings, state)
    if findings.interrupted:
        return INTERRUPTED
    return 1 if findings.broken() else 0


def prepare_plot(plot: Path | None) -> None:
    """Raise before any work is done if there can be no picture."""
    if plot is None:
        return
    from ..verify.pictures import check_plot

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
    """Check the half-precision compute types and the sums."""
    plans = [outcome.plan for outcome in findings.outcomes]
    cases = [(plan, compute) for plan in plans for compute in request.half()]
    for plan, compute in bar.track(cases, description="step by step"):
        findings.grids.append(measure_grid(plan, compute))
        if stop.is_set():
            return
    computed = tuple(name for name in request.computed or _DEFAULT if name not in HALF)
    if computed and any(plan.operator == "prelu_backward" for plan in plans):
        kinds = tuple(dict.fromkeys(plan.kind for plan in plans))
        for case in measure_sums(kinds, computed, request.seed, request.exhaustive):
            findings.sums.append(case)
            if stop.is_set():
                return


def class_names() -> list[str]:
    """Return what the classes of results are called."""
    names = [""] * (ZERO_SIGN + 1)
    names[EXACT], names[ROUNDED] = "exact", "rounded"
    low = ""
    for number, edge in enumerate(EDGES):
        names[FIRST_WRONG + number] = f"≤{edge:.4g}" if math.isfinite(edge) else f">{low}"
        low = f"{edge:.4g}"
    names[NAN], names[ZERO_SIGN] = "NaN", "sign of 0"
    return names


def as_dict(request: Request, findings: Findings) -> dict[str, Any]:
    """Return for programs what ``show`` prints for people."""
    from .doctor import processor, versions

    return {
        "versions": versions(),
        "processor": processor(),
        "exhaustive": request.exhaustive,
        "seed": request.seed,
        "interrupted": findings.interrupted,
        "sweeps": [
            {
                "operator": outcome.plan.operator,
                "dtype": outcome.plan.kind,
                "setting": outcome.plan.label,
                "computed": name,
                "pairs": outcome.pairs,
                "of": outcome.plan.pairs,
                "hard_cases": outcome.hard,
                "wrongly_rounded": tally.wrong,
                "max_ulp": tally.max_ulp,
                "at": None if tally.at is None else place_dict(tally.at),
                "histogram": dict(zip(class_names(), tally.histogram, strict=True)),
                "bound": None if (bound := outcome.bound(name)) is None else str(bound),
                "holds": outcome.holds(name),
            }
            for outcome in findings.outcomes
            if outcome.done
            for name, tally in outcome.tallies.items()
        ],
        "step_by_step": [
            {
                "operator": case.plan.operator,
                "dtype": case.plan.kind,
                "setting": case.plan.label,
                "compute_dtype": case.compute,
                "pairs": case.pairs,
                "differing": case.differing,
                "at": None if case.at is None else place_dict(case.at),
            }
            for case in findings.grids
        ],
        "grad_weight": [case._asdict() | {"holds": case.holds} for case in findings.sums],
        "broken": findings.broken(),
    }


def place_dict(place: Place) -> dict[str, float | str]:
    """Return a place for JSON, which has no NaN and no infinity."""
    return {
        name: value if math.isfinite(value) else str(value)
        for name, value in place._asdict().items()
    }


def show(findings: Findings, state: Path) -> None:
    """Print what was found."""
    console = Console()
    tables = [*sweep_tables(findings.outcomes), grid_table(findings), sum_table(findings)]
    for table in tables:
        if table.row_count:
            console.print(table)
    if findings.interrupted:
        done, total = (
            sum(numbers)
            for numbers in zip(*((o.pairs, o.plan.pairs) for o in findings.outcomes), strict=True)
        )
        print(f"interrupted after {done:,} of {total:,} pairs; --resume goes on from {state}")
    broken = findings.broken()
    for line in broken:
        print("BROKEN:", line)
    if not broken:
        print("every stated bound holds" + (" so far" if findings.interrupted else ""))


_HEADINGS: Final = (
    "setting",
    "in",
    "wrong",
    "by ulp",
    "max ulp",
    "at input\nand gradient",
    "stated",
)


def sweep_tables(outcomes: Sequence[Outcome]) -> list[Table]:
    """Return the sweeps as tables, one for each operator and type."""
    tables: dict[tuple[str, str], Table] = {}
    for outcome in outcomes:
        if not outcome.done:
            continue
        plan = outcome.plan
        if (plan.operator, plan.kind) not in tables:
            title = f"{plan.operator}, {plan.kind}: {plan.pairs:,} pairs each"
            table = tables[plan.operator, plan.kind] = Table(
                title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0)
            )
            for heading in _HEADINGS:
                table.add_column(heading, overflow="fold")
        table = tables[plan.operator, plan.kind]
        for number, (name, tally) in enumerate(outcome.tallies.items()):
            head = (
                "\n".join([*plan.label.split(), f"({outcome.hard:,} hard)"]) if number == 0 else ""
            )
            bound = outcome.bound(name)
            verdict = "-" if bound is None else str(bound).replace(" ", "\n")
            if not outcome.holds(name):
                verdict += "\nBROKEN"
            table.add_row(
                head, name, f"{tally.wrong:,}", histogram_text(tally, "\n"),
                f"{tally.max_ulp:.4g}", where_text(tally, "\n"), verdict,
            )  # fmt: skip
        table.add_section()
    return list(tables.values())


def where_text(tally: Tally, separator: str = ", ") -> str:
    """Return where the largest error is: input and gradient."""
    if tally.at is None or tally.max_ulp == 0:
        return ""
    return f"{tally.at.data:.5g}{separator}{tally.at.gradient:.5g}"


def histogram_text(tally: Tally, separator: str = ", ") -> str:
    """Return how many results are wrong by how much."""
    pairs = zip(class_names(), tally.histogram, strict=True)
    return separator.join(
        f"{name}: {count:,}" for name, count in list(pairs)[FIRST_WRONG:] if count
    )


def grid_rows(cases: Sequence[GridCase]) -> list[tuple[str, ...]]:
    """Return the step-by-step checks as cells, settings added up."""
    totals: dict[tuple[str, str, str], list[int]] = {}
    for case in cases:
        counts = totals.setdefault((case.plan.operator, case.plan.kind, case.compute), [0, 0])
        counts[0] += case.pairs
        counts[1] += case.differing
    return [(*key, *(f"{count:,}" for count in counts)) for key, counts in totals.items()]


def grid_table(findings: Findings) -> Table:
    """Return the step-by-step checks as a table."""
    table = Table("step by step", "type", "in", "pairs", "differing")
    for row in grid_rows(findings.grids):
        table.add_row(*row)
    return table


def sum_table(findings: Findings) -> Table:
    """Return the sums as a table."""
    table = Table("prelu grad_weight", "type", "in", "terms", "error / sum of |terms|", "stated")
    for case in findings.sums:
        table.add_row(
            case.what, case.kind, case.compute, f"{case.terms:,}", f"{case.error:.3g}",
            f"{case.bound:.3g}" + ("" if case.holds else ": BROKEN"),
        )  # fmt: skip
    return table
