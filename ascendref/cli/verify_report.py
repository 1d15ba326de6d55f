"""The report of ``ascendref verify``, for a Markdown file and for a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from . import markdown
from .verify_data import Measured, SweepRow
from .verify_tables import (
    float64_rows,
    half_precision_rows,
    histogram_text,
    location_text,
    stated_text,
    sum_rows,
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
    yield "# Accuracy"
    yield ""
    yield f"Measured by `{command}`: {_inputs(measured)}."
    yield ""
    yield from markdown.origin_of(measured["date"], measured["versions"], measured["processor"])
    yield ""
    yield (
        "*Wrong* counts results that are not the exact value rounded once, to nearest even; a NaN"
        " for a number, or the reverse, and a zero of the wrong sign count too. *Hard* counts"
        " roundings that float64 could not decide and that were decided in integers. Errors are in"
        " units in the last place of the exact value; the largest leaves out what a bound"
        " excepts. *Seconds* are what the rows of a setting took together, beside whatever else the"
        " machine did."
    )
    yield from figure
    if measured["interrupted"]:
        yield ""
        yield "**The run was interrupted: rows may be partial.**"
    for key, group in groupby(measured["sweeps"], lambda row: (row["operator"], row["dtype"])):
        yield from ("", f"## {heading(*key)}", "")
        yield from markdown.table(
            (
                "setting", "in", "pairs", "hard", "wrong", "max ulp", "at input, gradient",
                "stated", "seconds",
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
    if measured["float64"]:
        yield from ("", "## F64, sampled", "")
        yield "F64 data in F64 arithmetic: any bits, numbers near 1, and numbers in [0, 1]."
        yield ""
        yield from markdown.table(
            ("operator", "setting", "pairs", "wrong", "max ulp", "stated"),
            float64_rows(measured["float64"], " **broken**"),
        )
    if measured["grad_weight"]:
        yield from ("", "## prelu_backward, the weight's gradient", "")
        yield "The error of a sum, relative to the sum of its terms' magnitudes."
        yield ""
        yield from markdown.table(
            ("terms", "type", "in", "how many", "error", "stated"),
            sum_rows(measured["grad_weight"], " **broken**"),
        )
    broken = measured["broken"]
    yield from ("", "## Bounds that do not hold" if broken else "Every stated bound holds.")
    if broken:
        yield ""
        yield from (f"- {line}" for line in broken)


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
            wrong = f"{row['wrongly_rounded']:,}"
            if row["wrongly_rounded"]:
                wrong += f" ({histogram_text(row)})"
            yield (
                row["setting"],
                row["computed"],
                f"{row['pairs']:,}",
                f"{row['hard_cases']:,}",
                wrong,
                f"{row['max_ulp']:.6g}",
                location_text(row),
                stated_text(row, " **broken**"),
                "" if number else f"{row['seconds']:.0f}",
            )
