"""The figure of `ascendref verify`: the largest errors against the input."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ..accuracy.sweep import TORCH
from ..accuracy.sweep_result import SweepResult
from .input_axis import edge, place, powers_of_ten, profile_places
from .style import COLOURS, LABELS, computed_label, figure_style, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: errors in ulp beyond these are drawn at the edge
_FLOOR, CEILING = 0.1, 12.0
#: most labels on an axis of inputs
_TICKS: Final = 9
#: sizes of marks, largest first: equal errors show as rings
SIZES: Final = {TORCH: 3.0, "float32": 2.4, "bfloat16": 1.8, "float16": 1.4, "float64": 1.0}


def draw_errors(results: Sequence[SweepResult], path: Path) -> None:
    """Draw the largest error against the datum, a panel for every operator and type.

    Settings of one operator and type share a panel: the largest error of all is drawn.
    """
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(result.sweep.operator for result in results))
    kinds = list(dict.fromkeys(result.sweep.kind for result in results))
    with figure_style():
        figure = Figure(
            figsize=(max(2.3 * len(kinds) + 0.5, 4.4), 1.75 * len(names) + 1.25),
            layout="constrained",
        )
        panels = figure.subplots(len(names), len(kinds), squeeze=False)
        handles: dict[str, Any] = {}
        for row, name in enumerate(names):
            for column, kind in enumerate(kinds):
                chosen = [o for o in results if (o.sweep.operator, o.sweep.kind) == (name, kind)]
                handles |= _draw_panel(panels[row, column], chosen, kind)
                if row == 0:
                    panels[row, column].set_title(f"{LABELS[kind]} data")
            panels[row, 0].set_ylabel(name.replace("_backward", "").replace("_", " "))
        figure.supxlabel("input, by its place among the numbers of the type", fontsize=8)
        figure.supylabel("largest error, in ulp", fontsize=8)
        figure.legend(
            handles.values(), handles.keys(), loc="outside upper center",
            ncols=2 if len(kinds) == 1 else 3, markerscale=2, frameon=False,
        )  # fmt: skip
        save_figure(figure, path)


def _draw_panel(axes: Axes, results: Sequence[SweepResult], kind: str) -> dict[str, Any]:
    """Draw one panel; return what the legend is to show."""
    places = profile_places(kind)
    handles: dict[str, Any] = {}
    highest, drawn = 0.0, list[float]()
    for depth, name in enumerate(n for n in SIZES if n in results[0].tallies):
        profile = np.max([result.tallies[name].profile for result in results], axis=0)
        met = (profile > 0) & np.isfinite(places)
        label = computed_label(name)
        (handles[label],) = axes.plot(
            places[met], np.maximum(profile[met], _FLOOR), "o", markersize=SIZES[name],
            markeredgewidth=0, color=COLOURS[name], zorder=2 + depth, rasterized=True,
        )  # fmt: skip
        beyond = met & (profile > CEILING)
        if beyond.any():
            (handles[f"{label}, beyond the axis"],) = axes.plot(
                places[beyond], np.full(beyond.sum(), 0.97), "^", markersize=2.6,
                markeredgewidth=0, color=COLOURS[name], transform=axes.get_xaxis_transform(),
            )  # fmt: skip
        highest = max(highest, float(profile.max()))
        drawn += places[met].tolist()
    axes.set_yscale("log")
    axes.set_ylim(_FLOOR / 1.2, CEILING)
    ticks = (0.1, 0.5, 1, 2, 4, 8)
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.axhline(0.5, color="0.6", linewidth=0.6, zorder=1)
    limits = [bound.ulp for o in results if (bound := o.bound("float32")) is not None]
    if "float32" in results[0].tallies and limits and max(limits) > 0.5:
        handles["largest stated bound, F32"] = axes.axhline(
            max(limits), color=COLOURS["float32"], linewidth=0.8, linestyle="--", zorder=1
        )
    if highest == 0:
        axes.text(0.5, 0.15, "exact", transform=axes.transAxes, ha="center", color="0.4")
    low, high = (min(drawn), max(drawn)) if drawn else (-edge(kind), edge(kind))
    margin = 0.04 * max(high - low, 1.0)
    axes.set_xlim(low - margin, high + margin)
    _set_ticks(axes, kind)
    axes.grid(True, axis="x", color="0.92", linewidth=0.4)
    return handles


def _set_ticks(axes: Axes, kind: str) -> None:
    """Label zero and as many powers of ten as are easily read."""
    low, high = axes.get_xlim()
    for step in (1, 2, 4, 5, 10, 20):
        powers = [power for power in powers_of_ten(kind) if power % step == 0]
        values = [0.0, *(sign * 10.0**power for power in powers for sign in (1, -1))]
        places = place(values, kind)
        # what stands too close to zero would be written over it
        near = 0.05 * (high - low)
        seen = [
            k
            for k, spot in enumerate(places)
            if low <= spot <= high and (spot == 0 or abs(spot) > near)
        ]
        if len(seen) <= _TICKS:
            break
    names = [f"${value:g}$" if abs(value) in (0, 1) else _power_name(value) for value in values]
    axes.set_xticks([places[k] for k in seen], [names[k] for k in seen], rotation=90)


def _power_name(value: float) -> str:
    return f"${'-' if value < 0 else ''}10^{{{math.log10(abs(value)):.0f}}}$"
