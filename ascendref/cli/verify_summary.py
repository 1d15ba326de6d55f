"""What ``ascendref verify`` concludes: a verdict, a row per type, and results without a bound."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Final

from ..verify.accuracy.sweep import TORCH
from .verify_data import CLASSES_ABOVE, Measured, SweepRow

#: headings of `type_rows`
TYPE_HEADINGS: Final = (
    "verdict",
    "type",
    "max ulp",
    "wrong",
    "outside the range",
    "wrong, float64",
    "wrong, PyTorch",
)
#: headings of `outside_rows`
OUTSIDE_HEADINGS: Final = ("results", "operator", "type", "setting", "in", "bound", "by ulp")


def verdict_text(measured: Measured) -> str:
    """Return in one line whether all bounds hold."""
    broken = len(measured["broken"])
    if broken:
        return f"{broken} stated bound{' is' if broken == 1 else 's are'} broken."
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


def by_class(counts: dict[str, int], separator: str = ", ") -> str:
    """Return counts with the classes that they are of."""
    return separator.join(f"{name}: {count:,}" for name, count in counts.items())


def type_rows(measured: Measured) -> Iterator[tuple[str, ...]]:
    """Yield a row for every element type, all operators and settings together."""
    for kind in dict.fromkeys(row["dtype"] for row in measured["sweeps"]):
        sweeps = [row for row in measured["sweeps"] if row["dtype"] == kind]
        computed = {
            name: [row for row in sweeps if row["computed"] == name]
            for name in ("float32", "float64", TORCH)
        }
        fine = (
            all(row["holds"] for row in sweeps)
            and all(row["holds"] for row in measured["grad_weight"] if row["kind"] == kind)
            and not any(
                row["differing"] for row in measured["step_by_step"] if row["dtype"] == kind
            )
        )
        default = computed["float32"]
        pairs = sum(row["pairs"] for row in default)
        yield (
            verdict(fine),
            kind,
            _largest(row["max_ulp"] for row in default),
            _share(sum(sum(wrong(row).values()) for row in default), pairs),
            _share(sum(sum(outside(row).values()) for row in default), pairs),
            *(
                _share(sum(row["wrongly_rounded"] for row in rows), sum(r["pairs"] for r in rows))
                for rows in (computed["float64"], computed[TORCH])
            ),
        )
    if measured["float64"]:
        rows = measured["float64"]
        share = _share(sum(row["wrongly_rounded"] for row in rows), sum(r["pairs"] for r in rows))
        yield (
            verdict(all(row["holds"] for row in rows)),
            "float64",
            _largest(row["max_ulp"] for row in rows),
            share,
            "–",
            share,
            "–",
        )


def outside_rows(measured: Measured) -> Iterator[tuple[str, ...]]:
    """Yield the results outside the range of a bound, a row for every sweep that has some."""
    for row in measured["sweeps"]:
        if counts := outside(row):
            yield (
                f"{sum(counts.values()):,}",
                row["operator"],
                row["dtype"],
                row["setting"],
                row["computed"],
                row["bound"] or "",
                by_class(counts),
            )


def _largest(errors: Iterable[float]) -> str:
    largest = max(errors, default=math.nan)
    return "–" if math.isnan(largest) else f"{largest:.4g}"


def _share(count: int, total: int) -> str:
    """Return a part of a total in percent; 0 and – are exact."""
    if not total:
        return "–"
    return "0" if not count else f"{100 * count / total:.2g} %"
