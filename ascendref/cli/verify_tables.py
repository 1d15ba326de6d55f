"""The results of ``ascendref verify`` as rows of text, and as tables for a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.table import Table

from ..verify.accuracy.channel_sums import SumResult
from ..verify.accuracy.float64 import Float64Result
from ..verify.accuracy.half_precision import HalfPrecisionResult
from ..verify.accuracy.results import Results
from ..verify.accuracy.sweep_result import SweepResult, Tally
from ..verify.oracles.judge import EDGES, EXACT, FIRST_WRONG, NAN, ROUNDED, ZERO_SIGN

_SWEEP_HEADINGS: Final = (
    "setting",
    "in",
    "wrong",
    "by ulp",
    "max ulp",
    "at input\nand gradient",
    "stated",
)


def class_names() -> list[str]:
    """Return the names of the classes of results (see ``ascendref.verify.oracles.judge``)."""
    names = [""] * (ZERO_SIGN + 1)
    names[EXACT], names[ROUNDED] = "exact", "rounded"
    low = ""
    for number, edge in enumerate(EDGES):
        names[FIRST_WRONG + number] = f"≤{edge:.4g}" if math.isfinite(edge) else f">{low}"
        low = f"{edge:.4g}"
    names[NAN], names[ZERO_SIGN] = "NaN", "sign of 0"
    return names


def histogram_text(tally: Tally, separator: str = ", ") -> str:
    """Return how many results are wrong by how much."""
    pairs = zip(class_names(), tally.histogram, strict=True)
    return separator.join(
        f"{name}: {count:,}" for name, count in list(pairs)[FIRST_WRONG:] if count
    )


def location_text(tally: Tally, separator: str = ", ") -> str:
    """Return where the largest error is: input and gradient."""
    if tally.at is None or tally.max_ulp == 0:
        return ""
    return f"{tally.at.data:.5g}{separator}{tally.at.gradient:.5g}"


def stated_text(stated: str, holds: bool, broken: str) -> str:
    """Return what is stated, followed by a word if it does not hold."""
    return stated if holds else stated + broken


def half_precision_rows(results: Sequence[HalfPrecisionResult]) -> Iterator[tuple[str, ...]]:
    """Yield the half-precision checks, settings added up: operator, type, in, pairs, differing."""
    totals: dict[tuple[str, str, str], list[int]] = {}
    for result in results:
        key = result.sweep.operator, result.sweep.kind, result.compute
        counts = totals.setdefault(key, [0, 0])
        counts[0] += result.pairs
        counts[1] += result.differing
    for key, counts in totals.items():
        yield (*key, *(f"{count:,}" for count in counts))


def float64_rows(results: Sequence[Float64Result], broken: str) -> Iterator[tuple[str, ...]]:
    """Yield the samples of F64: operator, setting, pairs, wrong, max ulp, stated."""
    for result in results:
        yield (
            result.reference.name,
            result.reference.label(result.setting),
            f"{result.pairs:,}",
            f"{result.wrong:,}",
            f"{result.max_ulp:.4g}",
            stated_text(str(result.bound), result.holds, broken),
        )


def sum_rows(results: Sequence[SumResult], broken: str) -> Iterator[tuple[str, ...]]:
    """Yield the sums: what, type, in, number of terms, error, stated."""
    for result in results:
        yield (
            result.what,
            result.kind,
            result.compute,
            f"{result.terms:,}",
            f"{result.error:.3g}",
            stated_text(result.stated, result.holds, broken),
        )


def tables(results: Results) -> Iterator[Table]:
    """Yield tables of all results, as far as there are any."""
    yield from _sweep_tables(results.sweeps)
    parts = [
        (
            ("step by step", "type", "in", "pairs", "differing"),
            half_precision_rows(results.half_precision),
        ),
        (
            ("F64, sampled", "setting", "pairs", "wrong", "max ulp", "stated"),
            float64_rows(results.float64, ": BROKEN"),
        ),
        (
            ("prelu grad_weight", "type", "in", "terms", "error / sum of |terms|", "stated"),
            sum_rows(results.sums, ": BROKEN"),
        ),
    ]
    for headings, rows in parts:
        table = Table(*headings)
        for row in rows:
            table.add_row(*row)
        if table.row_count:
            yield table


def _sweep_tables(results: Sequence[SweepResult]) -> list[Table]:
    """Return the sweeps as tables, one for each operator and type."""
    tables: dict[tuple[str, str], Table] = {}
    for result in results:
        if not result.done:
            continue
        sweep = result.sweep
        if (sweep.operator, sweep.kind) not in tables:
            title = f"{sweep.operator}, {sweep.kind}: {sweep.pairs:,} pairs each"
            table = tables[sweep.operator, sweep.kind] = Table(
                title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0)
            )
            for heading in _SWEEP_HEADINGS:
                table.add_column(heading, overflow="fold")
        table = tables[sweep.operator, sweep.kind]
        label = "\n".join([*sweep.label.split(), f"({result.hard:,} hard)"])
        for name, tally in result.tallies.items():
            bound = result.bound(name)
            table.add_row(
                label,
                name,
                f"{tally.wrong:,}",
                histogram_text(tally, "\n"),
                f"{tally.max_ulp:.4g}",
                location_text(tally, "\n"),
                stated_text("-" if bound is None else str(bound), result.holds(name), "\nBROKEN"),
            )
            label = ""
        table.add_section()
    return list(tables.values())
