"""The report of ``ascendref verify``, for a Markdown file and for a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from ..verify.accuracy.results import Results
from ..verify.accuracy.sweep_result import SweepResult
from . import markdown
from .verify_tables import (
    float64_rows,
    half_precision_rows,
    histogram_text,
    location_text,
    stated_text,
    sum_rows,
)


def report_lines(
    results: Results, command: str, inputs: str, figure: Iterable[str]
) -> Iterator[str]:
    """Yield the lines of the report.

    Parameters
    ----------
    results : Results
        What the report is about.
    command : str
        The command that writes it.
    inputs : str
        Which inputs were taken.
    figure : iterable of str
        The lines that show the figure or say what is drawn, if anything is.
    """
    yield "# Accuracy"
    yield ""
    yield f"Measured by `{command}`: {inputs}."
    yield ""
    yield from markdown.origin()
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
    if results.interrupted:
        yield ""
        yield "**The run was interrupted: rows may be partial.**"
    done = [result for result in results.sweeps if result.done]
    for (operator, kind), group in groupby(done, lambda r: (r.sweep.operator, r.sweep.kind)):
        yield from ("", f"## {heading(operator, kind)}", "")
        yield from markdown.table(
            (
                "setting", "in", "pairs", "hard", "wrong", "max ulp", "at input, gradient",
                "stated", "seconds",
            ),
            (row for result in group for row in _sweep_rows(result)),
        )  # fmt: skip
    if results.half_precision:
        yield from ("", "## Half-precision arithmetic, step by step", "")
        yield "Every operation of a formula rounded, on a grid of data and gradients."
        yield ""
        yield from markdown.table(
            ("operator", "type", "in", "pairs", "differing"),
            half_precision_rows(results.half_precision),
        )
    if results.float64:
        yield from ("", "## F64, sampled", "")
        yield "F64 data in F64 arithmetic: any bits, numbers near 1, and numbers in [0, 1]."
        yield ""
        yield from markdown.table(
            ("operator", "setting", "pairs", "wrong", "max ulp", "stated"),
            float64_rows(results.float64, " **broken**"),
        )
    if results.sums:
        yield from ("", "## prelu_backward, the weight's gradient", "")
        yield "The error of a sum, relative to the sum of its terms' magnitudes."
        yield ""
        yield from markdown.table(
            ("terms", "type", "in", "how many", "error", "stated"),
            sum_rows(results.sums, " **broken**"),
        )
    broken = results.broken()
    yield from ("", "## Bounds that do not hold" if broken else "Every stated bound holds.")
    if broken:
        yield ""
        yield from (f"- {line}" for line in broken)


def heading(operator: str, kind: str) -> str:
    """Return the heading of an operator and a type."""
    return f"{operator}, {kind}"


def _sweep_rows(result: SweepResult) -> Iterator[tuple[str, ...]]:
    """Yield the rows of one sweep."""
    seconds = f"{result.seconds:.0f}"
    for name, tally in result.tallies.items():
        bound = result.bound(name)
        wrong = f"{tally.wrong:,}"
        if tally.wrong:
            wrong += f" ({histogram_text(tally)})"
        yield (
            result.sweep.label,
            name,
            f"{result.pairs:,}",
            f"{result.hard:,}",
            wrong,
            f"{tally.max_ulp:.6g}",
            location_text(tally),
            stated_text("–" if bound is None else str(bound), result.holds(name), " **broken**"),
            seconds,
        )
        seconds = ""
