"""``ascendref study``: what each rounding of a formula costs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ..core.errors import OptionError
from ..verify.references import REFERENCES, find_reference
from ..verify.study import COMPUTED, PAIRS, Cost, Study, study
from .attributes import parse_attributes
from .console import print_json, progress
from .outputs import check_plot, keep_stdout_for, report_write_errors


def study_operators(
    operator: str | None, attributes: list[str], seed: int, as_json: bool, plot: Path | None
) -> None:
    """Send the same data through every compute type, print and draw."""
    check_plot(plot)
    if attributes and operator is None:
        raise OptionError("--attr", "needs an OPERATOR")
    references = list(REFERENCES.values()) if operator is None else [find_reference(operator)]
    chosen = [
        (reference, reference.given(parse_attributes(reference.operator, attributes))[0])
        for reference in references
    ]
    with progress() as bar:
        studies = [study(*pair, seed) for pair in bar.track(chosen, description="studying")]
    if plot is not None:
        from ..verify.figures.study import draw_study

        # an operator that only selects loses nothing and has nothing to show
        with report_write_errors("--plot", plot):
            draw_study([s for s in studies if any(s.points.values())] or studies, plot)
    with keep_stdout_for(plot):
        if as_json:
            print_json([as_dict(row) for row in studies])
            return
        for row in studies:
            Console().print(study_table(row))
        print(
            f"{PAIRS:,} pairs of numbers that every compute type holds, and F64 results:"
            " what is lost is lost in between"
        )


def as_dict(row: Study) -> dict[str, Any]:
    """Return for programs what the table holds."""
    return {
        "operator": row.reference.name,
        "setting": row.reference.label(row.setting),
        "pairs": PAIRS,
        "compute_dtypes": {
            compute: {
                "max_relative_error": float(row.errors[compute].max()),
                "mean_relative_error": float(row.errors[compute].mean()),
                "max_ulp": row.costs[compute].max_ulp,
                "mean_ulp": row.costs[compute].mean_ulp,
                "points": {
                    point: {"max_ulp": cost.max_ulp, "mean_ulp": cost.mean_ulp}
                    for point, cost in row.points.get(compute, {}).items()
                },
            }
            for compute in COMPUTED
        },
    }


def study_table(row: Study) -> Table:
    """Return a table: a row for each rounding point, a column for each compute type."""
    table = Table(
        "mean and largest error\nin ulp of the compute type",
        *COMPUTED,
        title=f"{row.reference.name}, {row.reference.label(row.setting)}",
        title_justify="left",
    )
    points = dict.fromkeys(point for costs in row.points.values() for point in costs)
    for point in points:
        cells = []
        for compute in COMPUTED:
            cost = row.points.get(compute, {}).get(point)
            cells.append("" if cost is None else ulps(cost))
        table.add_row(f"{point} alone", *cells)
    table.add_section()
    table.add_row("all roundings", *(ulps(row.costs[compute]) for compute in COMPUTED))
    largest = (f"{row.errors[compute].max():.1e}" for compute in COMPUTED)
    table.add_row("largest relative error", *largest)
    return table


def ulps(cost: Cost) -> str:
    """Return a mean and a largest error."""
    return f"{cost.mean_ulp:.2f} {cost.max_ulp:.2f}"
