"""What ``ascendref verify`` concludes: broken bounds, a row per type, results without a bound."""

import math
from collections.abc import Iterable, Iterator
from typing import Final

from ..verify.accuracy.rows import CLASSES_ABOVE, Measured, SweepRow, location
from ..verify.accuracy.sweep import TORCH
from .markdown import Table

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
                _largest(row["max_ulp"] for row in default if not grows(row)),
                _largest(row["max_ulp"] for row in default if grows(row)),
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
        largest = _largest(row["max_ulp"] for row in samples)
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


def _largest(errors: Iterable[float]) -> str:
    largest = max(errors, default=math.nan)
    return "–" if math.isnan(largest) else f"{largest:.4g}"


def share(count: int, total: int) -> str:
    """Return a part of a total in percent; 0 and – are exact."""
    if not total:
        return "–"
    return "0" if not count else f"{100 * count / total:.2g} %"
