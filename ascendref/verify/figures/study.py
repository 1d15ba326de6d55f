"""The figure of `ascendref study`: errors against the input, and what each rounding costs."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.dtypes import ELEMENT_TYPES, float_format
from ..study import COMPUTED, Cost, Study
from .style import COLOURS, LABELS, figure_style, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_study(studies: Sequence[Study], path: Path) -> None:
    """Draw a column for every operator: errors against the input, and what each rounding costs."""
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    with figure_style():
        figure = Figure(figsize=(max(2.25 * len(studies), 4.4), 5.0), layout="constrained")
        panels = figure.subplots(2, len(studies), squeeze=False, height_ratios=(3, 2))
        for column, study in enumerate(studies):
            above, below = panels[:, column]
            above.set_title(textwrap.fill(study.reference.label(study.setting), 26), fontsize=7)
            above.set_yscale("log", base=2)
            for compute, errors in study.errors.items():
                met = errors > 0
                above.plot(
                    study.data[met], errors[met], ".", markersize=1.5, markeredgewidth=0,
                    color=COLOURS[compute], label=LABELS[compute], rasterized=True,
                )  # fmt: skip
                half = 2.0 ** -(float_format(ELEMENT_TYPES[compute]).fraction + 1)
                above.axhline(half, color=COLOURS[compute], linewidth=0.6, linestyle="--")
            above.set_ylim(2.0**-66, 2.0**-3)
            halves = [float_format(ELEMENT_TYPES[c]).fraction + 1 for c in COMPUTED]
            above.set_yticks([2.0**-half for half in halves])
            above.set_xlabel(f"{study.reference.name}: {study.reference.data}", fontsize=7)
            above.grid(True, axis="x", color="0.9", linewidth=0.4)
            _draw_costs(below, study)
        panels[0, 0].set_ylabel("relative error")
        handles = [
            Line2D([], [], marker="o", linestyle="", markersize=3, color=COLOURS[c],
                   label=f"computed in {LABELS[c]}")
            for c in COMPUTED
        ]  # fmt: skip
        handles.append(
            Line2D(
                [], [], color="0.3", linestyle="--", linewidth=0.8, label="one rounding, at most"
            )
        )
        figure.legend(
            handles=handles, loc="outside upper center", ncols=min(len(handles), 2 * len(studies)),
            frameon=False,
        )  # fmt: skip
        save_figure(figure, path)


def _draw_costs(axes: Axes, study: Study) -> None:
    """Draw what each rounding point costs alone, and all together, in ulp of the compute type."""
    names = list(dict.fromkeys(point for points in study.points.values() for point in points))
    rows = [*names, "all"]
    computed = list(study.points)
    height = 0.8 / len(computed)
    for number, compute in enumerate(computed):
        costs = {**study.points[compute], "all": study.costs[compute]}
        places = [row + (number - (len(computed) - 1) / 2) * height for row in range(len(rows))]
        nothing = Cost(0.0, 0.0)
        means = [costs.get(name, nothing).mean_ulp for name in rows]
        worst = [costs.get(name, nothing).max_ulp for name in rows]
        axes.barh(places, means, height, color=COLOURS[compute])
        axes.plot(worst, places, "|", color=COLOURS[compute], markersize=4, markeredgewidth=1)
    axes.set_yticks(range(len(rows)), rows)
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.set_xlabel("ulp: mean (bar), largest (tick)", fontsize=7)
    axes.grid(True, axis="x", color="0.9", linewidth=0.4)
    axes.set_axisbelow(True)
