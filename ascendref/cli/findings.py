"""What `ascendref verify` found: lines, tables, JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from ..verify.doubles import DoubleCase
from ..verify.grid import GridCase
from ..verify.sums import SumCase
from ..verify.sweep import Outcome, Place, Tally
from ..verify.truth import EDGES, EXACT, FIRST_WRONG, NAN, ROUNDED, ZERO_SIGN


@dataclass
class Findings:
    """Everything that is known, finished or not."""

    outcomes: list[Outcome]
    grids: list[GridCase] = field(default_factory=list)
    doubles: list[DoubleCase] = field(default_factory=list)
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
            f"{case.subject.operator.name} float64 {case.subject.label(case.setting)}:"
            f" {case.bound} is stated, found {case.wrong:,} wrongly rounded, {case.beyond:,} beyond"
            f" it, at most {case.max_ulp:.6g} ulp at {place_text(case.at)}"
            for case in self.doubles
            if not case.holds
        ]
        lines += [
            f"prelu_backward grad_weight {case.kind} ({case.what}, {case.terms:,} terms) in"
            f" {case.compute}: error {case.error:.3g} of the sum of magnitudes, {case.stated} is"
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


def as_dict(findings: Findings, exhaustive: bool, seed: int) -> dict[str, Any]:
    """Return for programs what ``show`` prints for people."""
    from .doctor import processor, versions

    return {
        "versions": versions(),
        "processor": processor(),
        "exhaustive": exhaustive,
        "seed": seed,
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
                "seconds": round(outcome.seconds, 1),
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
        "float64": [
            {
                "operator": case.subject.operator.name,
                "setting": case.subject.label(case.setting),
                "pairs": case.pairs,
                "wrongly_rounded": case.wrong,
                "max_ulp": case.max_ulp,
                "at": None if case.at is None else place_dict(case.at),
                "bound": str(case.bound),
                "holds": case.holds,
            }
            for case in findings.doubles
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
    tables = [*sweep_tables(findings.outcomes), grid_table(findings)]
    tables += [double_table(findings), sum_table(findings)]
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
            verdict = "-" if bound is None else str(bound)
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


def double_rows(cases: Sequence[DoubleCase]) -> list[tuple[str, ...]]:
    """Return the samples of F64 as cells."""
    return [
        (
            case.subject.operator.name,
            case.subject.label(case.setting),
            f"{case.pairs:,}",
            f"{case.wrong:,}",
            f"{case.max_ulp:.4g}",
            str(case.bound),
            "" if case.holds else "broken",
        )
        for case in cases
    ]


def double_table(findings: Findings) -> Table:
    """Return the samples of F64 as a table."""
    table = Table("F64, sampled", "setting", "pairs", "wrong", "max ulp", "stated")
    for *cells, stated, verdict in double_rows(findings.doubles):
        table.add_row(*cells, f"{stated}: BROKEN" if verdict else stated)
    return table


def sum_table(findings: Findings) -> Table:
    """Return the sums as a table."""
    table = Table("prelu grad_weight", "type", "in", "terms", "error / sum of |terms|", "stated")
    for case in findings.sums:
        table.add_row(
            case.what, case.kind, case.compute, f"{case.terms:,}", f"{case.error:.3g}",
            case.stated + ("" if case.holds else ": BROKEN"),
        )  # fmt: skip
    return table
