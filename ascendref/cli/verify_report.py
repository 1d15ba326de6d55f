"""The tables of ``ascendref verify``, and its report for a Markdown file and for a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from ..core.markdown import table
from ..verify.accuracy.rows import Measured, SweepRow
from . import markdown
from .markdown import Table
from .verify_summary import by_class, outside_table, types_table, verdict, verdict_text, wrong


def report_lines(measured: Measured, command: str, figure: Iterable[str]) -> Iterator[str]:
    """Yield the lines of the report; a figure is the lines that show it or say what is drawn."""
    types, outside = types_table(measured), outside_table(measured)
    yield from ("# Accuracy", "", f"**{verdict_text(measured)}**", "")
    yield from table(types.headings, types.rows)
    yield ""
    yield (
        "All operators and settings of an element type together. *Wrong* are results that are not"
        " the exact value rounded once, to nearest even, in the default arithmetic, in float64"
        " arithmetic and in PyTorch; a NaN for a number, or the reverse, and a zero of the wrong"
        " sign count too. Errors are in units in the last place of the exact value. Some bounds"
        " grow with the input, and some are stated for a range of inputs; results outside that"
        " range are counted apart."
    )
    inputs = f"a sample (seed {measured['seed']})"
    if measured["exhaustive"]:
        inputs = "every pair of a datum and a gradient for F16 and BF16, every datum for F32"
    yield from ("", f"Measured by `{command}`: {inputs}.", "")
    yield from markdown.origin_of(measured["date"], measured["versions"], measured["processor"])
    if measured["interrupted"]:
        yield from ("", "**The run was interrupted: rows may be partial.**")
    if measured["broken"]:
        yield from ("", "## Bounds that do not hold", "")
        yield from (f"- {line}" for line in measured["broken"])
    yield from figure
    if outside.rows:
        yield from outside.lines()
    yield from ("", "## How to read the tables", "")
    yield (
        "*Max ulp* and *wrong* are those within the range of the bound. *Hard* counts roundings"
        " that float64 could not decide, and that were decided exactly. Rows with fewer pairs than"
        " others of their type are of a sample (`--sample`). *Seconds* are what the"
        " rows of a setting took together, beside whatever else the machine did."
    )
    for each in tables(measured):
        yield from each.lines()


def tables(measured: Measured) -> Iterator[Table]:
    """Yield tables of all results, as far as there are any."""
    headings = (
        "verdict", "max ulp", "stated", "setting", "in", "wrong", "at input, gradient", "pairs",
        "hard", "seconds",
    )  # fmt: skip
    for key, group in groupby(measured["sweeps"], lambda row: (row["operator"], row["dtype"])):
        yield Table(", ".join(key), headings, list(_sweep_rows(group)))
    totals: dict[tuple[str, ...], list[int]] = {}
    for step in measured["step_by_step"]:
        counts = totals.setdefault((step["operator"], step["dtype"], step["compute_dtype"]), [0, 0])
        counts[0] += step["pairs"]
        counts[1] += step["differing"]
    found = (
        Table(
            "Half-precision arithmetic, step by step",
            ("operator", "type", "in", "pairs", "differing"),
            [(*key, *(f"{count:,}" for count in counts)) for key, counts in totals.items()],
            "Every operation of a formula rounded, on a grid of data and gradients.",
        ),
        Table(
            "F64, sampled",
            ("verdict", "operator", "setting", "pairs", "wrong", "max ulp", "stated"),
            [
                (
                    verdict(row["holds"], row["bound"] is not None), row["operator"],
                    row["setting"], f"{row['pairs']:,}", f"{row['wrongly_rounded']:,}",
                    f"{row['max_ulp']:.4g}", row["bound"] or "–",
                )
                for row in measured["float64"]
            ],
            "F64 data in F64 arithmetic: any bits, numbers near 1, and numbers in [0, 1].",
        ),
        Table(
            "Sums per channel",
            ("verdict", "terms", "type", "in", "how many", "error", "stated"),
            [
                (
                    verdict(row["holds"]), row["what"], row["kind"], row["compute"],
                    f"{row['terms']:,}", f"{row['error']:.3g}", row["stated"],
                )
                for row in measured["grad_weight"]
            ],
            "The error of a sum, relative to the sum of its terms' magnitudes.",
        ),
    )  # fmt: skip
    yield from (table for table in found if table.rows)


def _sweep_rows(rows: Iterable[SweepRow]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the sweeps of an operator and a type."""
    for _, group in groupby(rows, lambda row: row["setting"]):
        for number, row in enumerate(group):
            counts, at = wrong(row), row["at"] if row["max_ulp"] else None
            place = [] if at is None else [x for x in (at["data"], at["gradient"]) if x is not None]
            yield (
                verdict(row["holds"], row["bound"] is not None),
                f"{row['max_ulp']:.6g}",
                row["bound"] or "–",
                row["setting"],
                row["computed"],
                f"{sum(counts.values()):,} ({by_class(counts)})" if counts else "0",
                ", ".join([f"{float(x):.5g}" for x in place]),
                f"{row['pairs']:,}",
                f"{row['hard_cases']:,}",
                "" if number else f"{row['seconds']:.0f}",
            )
