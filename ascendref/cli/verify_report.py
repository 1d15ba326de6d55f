"""The tables of ``ascendref verify``, and its report for a Markdown file and for a page."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from ..core.dtypes import BFLOAT16, FLOAT16, FLOAT32
from ..core.markdown import table
from ..verify.accuracy.rows import Measured, SweepRow, location
from ..verify.accuracy.sweep import TORCH
from ..verify.figures.panels import LABELS
from . import markdown
from .markdown import Table
from .verify_summary import (
    by_class,
    grows,
    outside_table,
    share,
    types_table,
    verdict,
    verdict_text,
    wrong,
)

#: the types of the table of operators
_KINDS: Final = (FLOAT32.name, FLOAT16.name, BFLOAT16.name)
#: what the columns of the tables of settings are
ABOUT_TABLES: Final = (
    "*Max ulp* and *wrong* are those within the range of the bound. *Hard* counts roundings"
    " that float64 could not decide, and that were decided exactly. Rows with fewer pairs than"
    " others of their type are of a sample (`--sample`). *Seconds* are what the"
    " rows of a setting took together, beside whatever else the machine did."
)


def report_lines(
    measured: Measured, command: str, figure: Iterable[str], details: bool = True
) -> Iterator[str]:
    """Yield the lines of the report, with its figure's; details are tables of all settings."""
    types, outside = types_table(measured), outside_table(measured)
    yield from ("# Accuracy", "", f"**{verdict_text(measured)}**", "")
    yield from table(types.headings, types.rows)
    yield ""
    yield (
        "*Max ulp* is the largest error of a result, in units in the last place (ulp) of the exact"
        " value. *Wrong* results are not the exact value rounded once, to nearest even: in the"
        " default arithmetic, in float64 arithmetic, and in PyTorch. A NaN for a number, or the"
        " reverse, and a zero of the wrong sign count too. Results outside the range of inputs that"
        " a bound is stated for are counted apart."
    )
    yield from _growing(measured["sweeps"])
    yield from ("", *_other_results(measured))
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
    operators = operators_table(measured)
    if operators.rows:
        yield from operators.lines()
    if not details:
        yield ""
        yield (
            "A report of one operator (`ascendref verify OPERATOR --report FILE`) has a row for"
            " every setting; `--json` has those of all."
        )
        return
    if outside.rows:
        yield from outside.lines()
    yield from ("", "## How to read the tables", "")
    yield ABOUT_TABLES
    for each in tables(measured):
        yield from each.lines()


def _growing(sweeps: Sequence[SweepRow]) -> Iterator[str]:
    """Yield why large errors hold, with the largest one, if there are any."""
    rows = [row for row in sweeps if row["computed"] == FLOAT32.name and grows(row)]
    if not rows:
        return
    worst = max(rows, key=lambda row: row["max_ulp"])
    yield ""
    yield (
        "*Where the bound grows*: where terms cancel, as next to a zero of a derivative, a result"
        " and its ulp are much smaller than the terms, whose rounding errors remain; and the"
        " exponential of a large number amplifies its rounding. There the bound is a number of ulp"
        " and a term that depends on the input, and an error *holds* if it is within the bound for"
        f" its input. The largest one, {worst['max_ulp']:.4g} ulp, is that of"
        f" `{worst['operator']}` in {worst['dtype']}{location(worst['at'])}; the bound is"
        f" {worst['bound']}."
    )


def _other_results(measured: Measured) -> Iterator[str]:
    """Yield in a line each what else was compared."""
    steps, sums = measured["step_by_step"], measured["grad_weight"]
    if steps:
        differing, count = (sum(row[key] for row in steps) for key in ("differing", "pairs"))
        yield (
            "- Arithmetic step by step (`compute_dtype`), each operation of the formula rounded:"
            f" {differing:,} of {count:,} results differ."
        )
    if sums:
        broken = sum(not row["holds"] for row in sums)
        yield (
            f"- Sums per channel, of up to {max(row['terms'] for row in sums):,} terms:"
            f" {broken:,} of {len(sums):,} break their bound, or correct rounding in float64."
        )


def operators_table(measured: Measured) -> Table:
    """Return a row for every operator, in the default arithmetic, its settings together."""
    found = []
    for operator in dict.fromkeys(row["operator"] for row in measured["sweeps"]):
        mine = [row for row in measured["sweeps"] if row["operator"] == operator]
        own = [row for row in mine if row["computed"] == FLOAT32.name]
        if not own:
            continue
        torch = [row for row in mine if row["computed"] == TORCH]
        single = [row for row in own if row["dtype"] == FLOAT32.name]
        half = [row for row in own if row["dtype"] != FLOAT32.name]
        found.append(
            (
                operator, *_largest(single), *_largest(half),
                *(f"{_wrong(own, kind)} / {_wrong(torch, kind)}" for kind in _KINDS),
            )
        )  # fmt: skip
    note = (
        "Default arithmetic, all settings together. *Stated* is the bound in the setting with the"
        " largest error, without the range of inputs that it is for. Wrong results are those of"
        " ascendref within that range / those of PyTorch."
    )
    headings = ("operator", "F32, max ulp", "stated", "F16, BF16, max ulp", "stated",
                *(f"wrong, {LABELS[kind]}" for kind in _KINDS))  # fmt: skip
    return Table("Operators", headings, found, note)


def _largest(rows: Sequence[SweepRow]) -> tuple[str, str]:
    """Return the largest error, and the bound that is stated there, without its range."""
    if not rows:
        return "–", "–"
    worst = max(rows, key=lambda row: row["max_ulp"])
    return f"{worst['max_ulp']:.4g}", without_range(worst["bound"] or "–")


def without_range(bound: str) -> str:
    """Return a bound in words without the inputs that it is stated for."""
    return re.sub(",? (for|where) .*", "", bound)


def _wrong(rows: Iterable[SweepRow], kind: str) -> str:
    """Return the part of the results of a type that is wrong, in percent."""
    mine = [row for row in rows if row["dtype"] == kind]
    return share(sum(sum(wrong(x).values()) for x in mine), sum(x["pairs"] for x in mine))


def tables(measured: Measured) -> Iterator[Table]:
    """Yield tables of all results, as far as there are any."""
    yield from sweep_tables(measured)
    yield from other_tables(measured)


def sweep_tables(measured: Measured) -> Iterator[Table]:
    """Yield a table of settings for every operator and type."""
    headings = (
        "verdict", "max ulp", "stated", "setting", "in", "wrong", "at input, gradient", "pairs",
        "hard", "seconds",
    )  # fmt: skip
    for key, group in groupby(measured["sweeps"], lambda row: (row["operator"], row["dtype"])):
        yield Table(", ".join(key), headings, list(_sweep_rows(group)))


def other_tables(measured: Measured) -> Iterator[Table]:
    """Yield the tables of half-precision arithmetic, F64 and sums."""
    totals: dict[tuple[str, ...], list[int]] = {}
    for step in measured["step_by_step"]:
        counts = totals.setdefault((step["operator"], step["dtype"], step["compute_dtype"]), [0, 0])
        counts[0] += step["pairs"]
        counts[1] += step["differing"]
    found = (
        Table(
            "Arithmetic step by step",
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
