"""``ascendref study``: the error of each compute type's arithmetic."""

import textwrap
from pathlib import Path
from typing import Any

from rich.console import Console

from ..core.dtypes import ELEMENT_TYPES, float_format
from ..core.errors import OptionError
from ..declaration.operator import OPERATORS
from ..verify.figures.panels import Level, Marks, Panel, Tick, computed_label
from ..verify.setting import data_name, given_settings
from ..verify.study import COMPUTED, PAIRS, Study, study
from .console import INTERRUPTED, json_number, print_json, run_steps
from .markdown import Table
from .options import operator_named, parse_attributes
from .outputs import check_outputs, keep_stdout_for, write_figure


def study_operators(
    operator: str | None, attributes: list[str], seed: int, as_json: bool, plot: Path | None
) -> int:
    """Send the same data through every compute type, print and draw; return the exit status."""
    check_outputs(plot)
    if attributes and operator is None:
        raise OptionError("--attr", "needs an OPERATOR")
    operators = list(OPERATORS.values()) if operator is None else [operator_named(operator)]
    chosen = [
        given_settings(declared.name, parse_attributes(declared, attributes))[0]
        for declared in operators
    ]
    studies = run_steps(
        chosen,
        lambda setting: study(setting, seed),
        "operators",
        lambda setting: setting.operator.name,
    )
    status = 0 if len(studies) == len(chosen) else INTERRUPTED
    if plot is not None:
        write_figure(plot, [[_panel(row) for row in studies]])
    with keep_stdout_for(plot):
        if as_json:
            print_json([as_dict(row) for row in studies])
            return status
        console = Console()
        for row in studies:
            console.print(table(row).in_terminal())
        print(
            f"{PAIRS:,} pairs of numbers that every compute type holds, and F64 results: what is"
            " lost is lost in between"
        )
    return status


def as_dict(row: Study) -> dict[str, Any]:
    types = {
        compute: {
            "max_relative_error": json_number(float(row.relative[compute].max())),
            "mean_relative_error": json_number(float(row.relative[compute].mean())),
            "max_ulp": json_number(float(row.ulps[compute].max())),
            "mean_ulp": json_number(float(row.ulps[compute].mean())),
        }
        for compute in COMPUTED
    }
    name, label = row.setting.operator.name, row.setting.label
    return {"operator": name, "setting": label, "pairs": row.data.size, "compute_dtypes": types}


def table(row: Study) -> Table:
    lines = [
        (compute, f"{float(found['mean_ulp']):.2f}", f"{float(found['max_ulp']):.2f}",
         f"{float(found['max_relative_error']):.1e}")
        for compute, found in as_dict(row)["compute_dtypes"].items()
    ]  # fmt: skip
    title = f"{row.setting.operator.name}, {row.setting.label}"
    headings = ("computed in", "mean, in ulp of the type", "largest", "largest, relative")
    return Table(title, headings, lines)


def _panel(row: Study) -> Panel:
    """Return relative errors against the input."""
    operator = row.setting.operator
    marks = [
        Marks(computed_label(c), c, row.data[errors > 0], errors[errors > 0], size=1.5)
        for c, errors in row.relative.items()
    ]
    levels = [
        Level(2.0 ** -(float_format(ELEMENT_TYPES[c]).fraction + 1), "one rounding, at most", c)
        for c in COMPUTED
    ]
    low, high = operator.interval
    ticks = [Tick(x, f"{x:g}") for x in (low, (low + high) / 2, high)]
    title = textwrap.fill(f"{operator.name} {row.setting.label}", 22)
    y_range = 2.0**-66, 2.0**-3
    return Panel(title, data_name(operator), "relative error", marks, levels, ticks, y_range)
