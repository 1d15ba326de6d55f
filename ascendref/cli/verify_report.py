"""The tables of ``ascendref verify``, and its report for a Markdown file and for a page."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from ..core.dtypes import BFLOAT16, FLOAT16, FLOAT32
from ..core.markdown import table
from ..verify.accuracy.rows import CLASSES_ABOVE, Measured, SweepRow, location
from ..verify.accuracy.sweep import TORCH
from ..verify.figures.panels import LABELS
from . import markdown
from .markdown import Table

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


_TYPE_HEADINGS: Final = (
    "verdict", "type", "max ulp", "where the bound grows", "wrong", "outside the range",
    "wrong, float64", "wrong, PyTorch",
)  # fmt: skip
_OUTSIDE_HEADINGS: Final = ("results", "operator", "type", "setting", "in", "bound", "by ulp")


def broken(measured: Measured) -> Iterator[str]:
    """Yield a line for every bound that does not hold."""
    for row in measured["sweeps"]:
        if not row["holds"]:
            mismatches = row["histogram"]["NaN"] + row["histogram"]["sign of 0"]
            yield (
                f"{row['operator']} {row['dtype']} {row['setting']} in {row['computed']}:"
                f" {row['bound']} is stated, found {row['wrongly_rounded']:,} wrongly rounded, at"
                f" most {row['max_ulp']:.6g} ulp{location(row['at'])}"
                + (f", {mismatches:,} with another NaN or sign of zero" if mismatches else "")
            )
    for step in measured["step_by_step"]:
        if step["differing"]:
            yield (
                f"{step['operator']} {step['dtype']} {step['setting']} in {step['compute_dtype']}:"
                f" {step['differing']:,} of {step['pairs']:,} differ from the formula, rounded step"
                f" by step, first{location(step['at'])}"
            )
    for sample in measured["float64"]:
        if not sample["holds"]:
            yield (
                f"{sample['operator']} float64 {sample['setting']}: {sample['bound']} is stated,"
                f" found {sample['wrongly_rounded']:,} wrongly rounded, at most"
                f" {sample['max_ulp']:.6g} ulp{location(sample['at'])}"
            )
    for total in measured["grad_weight"]:
        if not total["holds"]:
            yield (
                f"{total['operator']} sum of {total['kind']} ({total['what']},"
                f" {total['terms']:,} terms) in {total['compute']}: error {total['error']:.3g} of"
                f" the sum of magnitudes, {total['stated']} is stated"
            )


def verdict_text(measured: Measured) -> str:
    """Return in one line whether all bounds hold."""
    count = len(measured["broken"])
    if count:
        return f"{count} stated bound{' is' if count == 1 else 's are'} broken."
    return "Every stated bound holds" + (" so far." if measured["interrupted"] else ".")


def verdict(holds: bool, stated: bool = True) -> str:
    """Return a verdict for a table: whether what is stated, if anything is, holds."""
    return ("holds" if holds else "BROKEN") if stated else "–"


def outside(row: SweepRow) -> dict[str, int]:
    """Return the results that a bound does not cover, by class.

    They are those further off than the largest error within the range that the bound is stated for.
    Of a bound that is broken, nothing is known to be outside its range.
    """
    if row["bound"] is None or not row["holds"]:
        return {}
    return {
        name: count
        for name, above in CLASSES_ABOVE.items()
        if above >= row["max_ulp"] and (count := row["histogram"].get(name, 0))
    }


def wrong(row: SweepRow) -> dict[str, int]:
    """Return the wrongly rounded results by class, without those outside a bound's range."""
    apart = outside(row)
    return {
        name: count
        for name in CLASSES_ABOVE
        if name not in apart and (count := row["histogram"].get(name, 0))
    }


def grows(row: SweepRow) -> bool:
    """Tell whether the largest error is where the bound is more than the number it begins with."""
    first = (row["bound"] or "").partition(" ulp")[0]
    return row["holds"] and first[:1].isdigit() and row["max_ulp"] > float(first)


def by_class(counts: dict[str, int]) -> str:
    return ", ".join(f"{name}: {count:,}" for name, count in counts.items())


def types_table(measured: Measured) -> Table:
    """Return a row for every element type, all operators and settings together."""
    rows = []
    for kind in dict.fromkeys(row["dtype"] for row in measured["sweeps"]):
        sweeps = [row for row in measured["sweeps"] if row["dtype"] == kind]
        default, rounded, torch = (
            [row for row in sweeps if row["computed"] == name]
            for name in ("float32", "float64", TORCH)
        )
        fine = (
            all(row["holds"] for row in sweeps)
            and all(row["holds"] for row in measured["grad_weight"] if row["kind"] == kind)
            and not any(x["differing"] for x in measured["step_by_step"] if x["dtype"] == kind)
        )
        pairs = sum(row["pairs"] for row in default)
        rows.append(
            (
                verdict(fine),
                kind,
                _greatest(row["max_ulp"] for row in default if not grows(row)),
                _greatest(row["max_ulp"] for row in default if grows(row)),
                share(sum(sum(wrong(row).values()) for row in default), pairs),
                share(sum(sum(outside(row).values()) for row in default), pairs),
                *(
                    share(sum(x["wrongly_rounded"] for x in part), sum(x["pairs"] for x in part))
                    for part in (rounded, torch)
                ),
            )
        )
    if samples := measured["float64"]:
        rate = share(
            sum(row["wrongly_rounded"] for row in samples), sum(row["pairs"] for row in samples)
        )
        fine = all(row["holds"] for row in samples)
        largest = _greatest(row["max_ulp"] for row in samples)
        rows.append((verdict(fine), "float64", largest, "–", rate, "–", rate, "–"))
    return Table("", _TYPE_HEADINGS, rows)


def outside_table(measured: Measured) -> Table:
    """Return the results outside the range of a bound, a row for every sweep that has some."""
    rows = [
        (
            f"{sum(counts.values()):,}", row["operator"], row["dtype"], row["setting"],
            row["computed"], row["bound"] or "", by_class(counts),
        )
        for row in measured["sweeps"]
        if (counts := outside(row))
    ]  # fmt: skip
    note = "Results further off than the largest error within the range that a bound names."
    return Table("Outside the range of a stated bound", _OUTSIDE_HEADINGS, rows, note)


def _greatest(errors: Iterable[float]) -> str:
    largest = max(errors, default=math.nan)
    return "–" if math.isnan(largest) else f"{largest:.4g}"


def share(count: int, total: int) -> str:
    """Return a part of a total in percent; 0 and – are exact."""
    if not total:
        return "–"
    return "0" if not count else f"{100 * count / total:.2g} %"
