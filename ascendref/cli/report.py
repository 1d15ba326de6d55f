"""``ascendref verify --report``: the results as a Markdown page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..verify.sweep import Outcome
from .findings import Findings, double_rows, grid_rows, histogram_text, where_text
from .page import command_line, origin, picture
from .verify import Request


def lines(path: Path, request: Request, findings: Findings, plot: Path | None) -> Iterator[str]:
    """Yield the lines of the page, with a picture if there is one; it says how to make it again."""
    extent = (
        "every pair of a datum and a gradient for F16 and BF16, every datum for F32"
        if request.exhaustive
        else f"a sample (seed {request.seed})"
    )
    yield "# Accuracy"
    yield ""
    yield f"Measured by `{command_line(request.command(), path, plot)}`: {extent}."
    yield ""
    yield from origin()
    yield ""
    yield (
        "*Wrong* counts results that are not the exact value rounded once, to nearest even; a NaN"
        " for a number, or the reverse, and a zero of the wrong sign count too. *Hard* counts"
        " roundings that float64 could not decide and that were decided in integers. Errors are in"
        " units in the last place of the exact value; the largest leaves out what a bound"
        " excepts. *Seconds* are what the rows of a setting took together, beside whatever else the"
        " machine did."
    )
    yield from picture("Largest error against input, for every type and mode", path, plot)
    if findings.interrupted:
        yield ""
        yield "**The run was interrupted: rows may be partial.**"
    last = None
    for outcome in findings.outcomes:
        if not outcome.done:
            continue
        heading = (outcome.plan.operator, outcome.plan.kind)
        if heading != last:
            yield from ("", f"## {heading[0]}, {heading[1]}", "")
            yield (
                "| setting | in | pairs | hard | wrong | max ulp | at input, gradient | stated |"
                " seconds |"
            )
            yield "|---|---|---|---|---|---|---|---|---|"
            last = heading
        yield from sweep_rows(outcome)
    if findings.grids:
        yield from ("", "## Half-precision arithmetic, step by step", "")
        yield "Every operation of a formula rounded, on a grid of data and gradients."
        yield from ("", "| operator | type | in | pairs | differing |", "|---|---|---|---|---|")
        for row in grid_rows(findings.grids):
            yield f"| {' | '.join(row)} |"
    if findings.doubles:
        yield from ("", "## F64, sampled", "")
        yield "F64 data in F64 arithmetic: any bits, numbers near 1, and numbers in [0, 1]."
        yield from (
            "",
            "| operator | setting | pairs | wrong | max ulp | stated |",
            "|---|---|---|---|---|---|",
        )
        for *cells, stated, verdict in double_rows(findings.doubles):
            yield f"| {' | '.join(cells)} | {stated}{' **broken**' if verdict else ''} |"
    if findings.sums:
        yield from ("", "## prelu_backward, the weight's gradient", "")
        yield "The error of a sum, relative to the sum of its terms' magnitudes."
        yield from (
            "",
            "| terms | type | in | how many | error | stated |",
            "|---|---|---|---|---|---|",
        )
        for case in findings.sums:
            yield (
                f"| {case.what} | {case.kind} | {case.compute} | {case.terms:,} | {case.error:.3g}"
                f" | {case.stated}{'' if case.holds else ' **broken**'} |"
            )
    broken = findings.broken()
    yield from ("", "## Bounds that do not hold" if broken else "Every stated bound holds.")
    if broken:
        yield ""
        yield from (f"- {line}" for line in broken)


def sweep_rows(outcome: Outcome) -> Iterator[str]:
    """Yield the rows of one sweep."""
    seconds = f"{outcome.seconds:.0f}"
    for name, tally in outcome.tallies.items():
        bound = outcome.bound(name)
        stated = "–" if bound is None else str(bound)
        if not outcome.holds(name):
            stated += " **broken**"
        wrong = f"{tally.wrong:,}"
        if tally.wrong:
            wrong += f" ({histogram_text(tally)})"
        yield (
            f"| {outcome.plan.label} | {name} | {outcome.pairs:,} | {outcome.hard:,} | {wrong} |"
            f" {tally.max_ulp:.6g} | {where_text(tally)} | {stated} | {seconds} |"
        )
        seconds = ""
