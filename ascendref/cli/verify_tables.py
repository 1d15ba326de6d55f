"""The results of ``ascendref verify`` as rows of text, and as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.table import Table

from .verify_data import Float64Row, Measured, StepByStepRow, SumRow, SweepRow
from .verify_summary import (
    TYPE_HEADINGS,
    by_class,
    type_rows,
    verdict,
    wrong,
)

_SWEEP_HEADINGS: Final = (
    "verdict",
    "max ulp,\nat input,\ngradient",
    "stated",
    "in",
    "setting",
    "wrong",
)


def location_text(row: SweepRow, separator: str = ", ") -> str:
    """Return where the largest error is: input and gradient."""
    at = row["at"]
    if at is None or row["max_ulp"] == 0:
        return ""
    return separator.join(f"{float(x):.5g}" for x in (at["data"], at["gradient"]))


def stated_text(row: SweepRow | Float64Row, broken: str) -> str:
    """Return what is stated, followed by a word if it does not hold."""
    return (row["bound"] or "–") + ("" if row["holds"] else broken)


def half_precision_rows(rows: Sequence[StepByStepRow]) -> Iterator[tuple[str, ...]]:
    """Yield the half-precision checks, settings added up: operator, type, in, pairs, differing."""
    totals: dict[tuple[str, str, str], list[int]] = {}
    for row in rows:
        key = row["operator"], row["dtype"], row["compute_dtype"]
        counts = totals.setdefault(key, [0, 0])
        counts[0] += row["pairs"]
        counts[1] += row["differing"]
    for key, counts in totals.items():
        yield (*key, *(f"{count:,}" for count in counts))


def float64_rows(rows: Sequence[Float64Row], broken: str) -> Iterator[tuple[str, ...]]:
    """Yield the samples of F64: operator, setting, pairs, wrong, max ulp, stated."""
    for row in rows:
        yield (
            row["operator"],
            row["setting"],
            f"{row['pairs']:,}",
            f"{row['wrongly_rounded']:,}",
            f"{row['max_ulp']:.4g}",
            stated_text(row, broken),
        )


def sum_rows(rows: Sequence[SumRow], broken: str) -> Iterator[tuple[str, ...]]:
    """Yield the sums: what, type, in, number of terms, error, stated."""
    for row in rows:
        yield (
            row["what"],
            row["kind"],
            row["compute"],
            f"{row['terms']:,}",
            f"{row['error']:.3g}",
            row["stated"] + ("" if row["holds"] else broken),
        )


def with_verdicts(
    rows: Sequence[Float64Row] | Sequence[SumRow], texts: Iterable[tuple[str, ...]]
) -> Iterator[tuple[str, ...]]:
    """Yield rows of text, each after its verdict."""
    for row, text in zip(rows, texts, strict=True):
        yield verdict(row["holds"]), *text


def summary_table(measured: Measured) -> Table:
    """Return the table of what all results come to, a row per type."""
    table = Table(*TYPE_HEADINGS)
    for row in type_rows(measured):
        table.add_row(*row)
    return table


def detail_tables(measured: Measured) -> Iterator[Table]:
    """Yield tables of all results, as far as there are any."""
    yield from _sweep_tables(measured["sweeps"])
    float64, sums = measured["float64"], measured["grad_weight"]
    parts = [
        (
            ("step by step", "type", "in", "pairs", "differing"),
            half_precision_rows(measured["step_by_step"]),
        ),
        (
            ("verdict", "F64, sampled", "setting", "pairs", "wrong", "max ulp", "stated"),
            with_verdicts(float64, float64_rows(float64, "")),
        ),
        (
            ("verdict", "prelu grad_weight", "type", "in", "terms", "error", "stated"),
            with_verdicts(sums, sum_rows(sums, "")),
        ),
    ]
    for headings, rows in parts:
        table = Table(*headings)
        for row in rows:
            table.add_row(*row)
        if table.row_count:
            yield table


def _sweep_tables(rows: Sequence[SweepRow]) -> Iterator[Table]:
    """Yield the sweeps as tables, one for each operator and type."""
    for (operator, kind), group in groupby(rows, lambda row: (row["operator"], row["dtype"])):
        sweeps = list(group)
        table = Table(
            title=f"{operator}, {kind}: {sweeps[0]['of']:,} pairs each",
            title_justify="left",
            box=SIMPLE_HEAD,
            padding=(0, 1, 0, 0),
        )
        for heading in _SWEEP_HEADINGS:
            table.add_column(heading, no_wrap=heading != "stated")
        for setting, sweep in groupby(sweeps, lambda row: row["setting"]):
            for number, row in enumerate(sweep):
                label = "\n".join([*setting.split(), f"({row['hard_cases']:,} hard)"])
                table.add_row(
                    verdict(row["holds"], row["bound"] is not None),
                    f"{row['max_ulp']:.4g}\n" + location_text(row, "\n"),
                    row["bound"] or "–",
                    row["computed"],
                    "" if number else label,
                    by_class(wrong(row), "\n") or "0",
                )
            table.add_section()
        yield table
