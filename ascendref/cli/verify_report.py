"""The report of ``ascendref verify``, for a Markdown file and for a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from . import markdown
from .verify_data import Measured, SweepRow
from .verify_summary import (
    OUTSIDE_HEADINGS,
    TYPE_HEADINGS,
    by_class,
    outside_rows,
    type_rows,
    verdict,
    verdict_text,
    wrong,
)
from .verify_tables import (
    float64_rows,
    half_precision_rows,
    location_text,
    sum_rows,
    with_verdicts,
)


def report_lines(measured: Measured, command: str, figure: Iterable[str]) -> Iterator[str]:
    """Yield the lines of the report.

    Parameters
    ----------
    measured : Measured
        What the report is about.
    command : str
        The command that writes it.
    figure : iterable of str
        The lines that show the figure or say what is drawn, if anything is.
    """
    yield from ("# Accuracy", "", f"**{verdict_text(measured)}**", "")
    yield from markdown.table(TYPE_HEADINGS, type_rows(measured))
    yield ""
    yield (
        "All operators and settings of an element type together. *Wrong* are results that are not"
        " the exact value rounded once, to nearest even, in the default arithmetic, in float64"
        " arithmetic and in PyTorch; a NaN for a number, or the reverse, and a zero of the wrong"
        " sign count too. Errors are in units in the last place of the exact value. Some bounds"
        " grow with the input, and some are stated for a range of inputs; results outside that"
        " range are counted apart."
    )
    yield from ("", f"Measured by `{command}`: {_inputs(measured)}.", "")
    yield from markdown.origin_of(measured["date"], measured["versions"], measured["processor"])
    if measured["interrupted"]:
        yield from ("", "**The run was interrupted: rows may be partial.**")
    if measured["broken"]:
        yield from ("", "## Bounds that do not hold", "")
        yield from (f"- {line}" for line in measured["broken"])
    yield from figure
    if outside := list(outside_rows(measured)):
        yield from ("", "## Outside the range of a stated bound", "")
        yield "Results further off than the largest error within the range that a bound names."
        yield ""
        yield from markdown.table(OUTSIDE_HEADINGS, outside)
    yield from ("", "## How to read the tables", "")
    yield (
        "*Max ulp* and *wrong* are those within the range of the bound. *Hard* counts roundings"
        " that float64 could not decide and that were decided in integers. *Seconds* are what the"
        " rows of a setting took together, beside whatever else the machine did."
    )
    for key, group in groupby(measured["sweeps"], lambda row: (row["operator"], row["dtype"])):
        yield from ("", f"## {heading(*key)}", "")
        yield from markdown.table(
            (
                "verdict", "max ulp", "stated", "setting", "in", "wrong", "at input, gradient",
                "pairs", "hard", "seconds",
            ),
            _sweep_rows(group),
        )  # fmt: skip
    if measured["step_by_step"]:
        yield from ("", "## Half-precision arithmetic, step by step", "")
        yield "Every operation of a formula rounded, on a grid of data and gradients."
        yield ""
        yield from markdown.table(
            ("operator", "type", "in", "pairs", "differing"),
            half_precision_rows(measured["step_by_step"]),
        )
    if float64 := measured["float64"]:
        yield from ("", "## F64, sampled", "")
        yield "F64 data in F64 arithmetic: any bits, numbers near 1, and numbers in [0, 1]."
        yield ""
        yield from markdown.table(
            ("verdict", "operator", "setting", "pairs", "wrong", "max ulp", "stated"),
            with_verdicts(float64, float64_rows(float64, "")),
        )
    if sums := measured["grad_weight"]:
        yield from ("", "## prelu_backward, the weight's gradient", "")
        yield "The error of a sum, relative to the sum of its terms' magnitudes."
        yield ""
        yield from markdown.table(
            ("verdict", "terms", "type", "in", "how many", "error", "stated"),
            with_verdicts(sums, sum_rows(sums, "")),
        )


def _inputs(measured: Measured) -> str:
    """Return in words which inputs were taken."""
    if measured["exhaustive"]:
        return "every pair of a datum and a gradient for F16 and BF16, every datum for F32"
    return f"a sample (seed {measured['seed']})"


def report_words(command: str, report: Path, plot: Path | None) -> tuple[str, Iterable[str]]:
    """Return the command that writes a report, and the lines that show its figure."""
    picture = markdown.figure("Largest error against input, for every type and mode", report, plot)
    return markdown.full_command(command, report, plot), picture


def heading(operator: str, kind: str) -> str:
    """Return the heading of an operator and a type."""
    return f"{operator}, {kind}"


def _sweep_rows(rows: Iterable[SweepRow]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the sweeps of an operator and a type."""
    for _, group in groupby(rows, lambda row: row["setting"]):
        for number, row in enumerate(group):
            counts = wrong(row)
            yield (
                verdict(row["holds"], row["bound"] is not None),
                f"{row['max_ulp']:.6g}",
                row["bound"] or "–",
                row["setting"],
                row["computed"],
                f"{sum(counts.values()):,} ({by_class(counts)})" if counts else "0",
                location_text(row),
                f"{row['pairs']:,}",
                f"{row['hard_cases']:,}",
                "" if number else f"{row['seconds']:.0f}",
            )
