"""Pictures of errors, with matplotlib (extra ``plot``)."""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..core.dtypes import ELEMENT_TYPES, float_format
from ..core.output_files import output_file
from .study import COMPUTED, Cost, Study
from .sweep import PROFILE_BITS, TORCH, Outcome

#: colours that stay apart in print and for the colour-blind (Okabe and Ito)
COLOURS: Final = {
    "float16": "#009E73",
    "bfloat16": "#E69F00",
    "float32": "#0072B2",
    "float64": "#000000",
    TORCH: "#D55E00",
}
LABELS: Final = {"float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64"}
#: errors in ulp beyond these are drawn at the edge
_FLOOR, _CEILING = 0.1, 12.0
#: names on an axis of inputs
_TICKS: Final = 9
#: sizes of marks, largest first: equal errors show as rings
_SIZES: Final = {TORCH: 3.0, "float32": 2.4, "bfloat16": 1.8, "float16": 1.4, "float64": 1.0}
#: how all pictures look
STYLE: Final = {
    "font.family": "serif",
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.linewidth": 0.6,
    "legend.fontsize": 7,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "savefig.dpi": 300,
    "svg.fonttype": "none",
    "mathtext.fontset": "dejavuserif",
}


def check_plot(path: Path) -> None:
    """Raise before any work is done if a picture cannot be drawn.

    Raises
    ------
    ModuleNotFoundError
        If matplotlib is missing.
    ValueError
        If matplotlib does not know the suffix, or lacks what that format needs.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    suffix = path.suffix.removeprefix(".")
    known = FigureCanvasAgg.get_supported_filetypes()
    if suffix not in known:
        raise ValueError(f"is {path}; its name must end in one of .{', .'.join(sorted(known))}")
    probe = Figure(figsize=(1, 1))
    probe.text(0, 0, "x")
    try:
        probe.savefig(io.BytesIO(), format=suffix)
    except Exception as error:  # each format has needs of its own, such as LaTeX
        raise ValueError(f"is {path}; .{suffix} cannot be drawn here: {error}") from error


def save_picture(figure: Any, path: Path) -> None:
    """Write a picture in the format that the path's suffix names."""
    with output_file(path) as file:
        figure.savefig(file, format=path.suffix.removeprefix("."))


def _place(values: Any, kind: str) -> NDArray[np.float64]:
    """Return where data stand on an axis on which neighbouring numbers are equally far apart.

    It is 0 at zero and logarithmic in both directions, in binades.
    """
    numpy = ELEMENT_TYPES[kind].numpy
    raw = np.dtype(f"u{numpy.itemsize}")
    with np.errstate(over="ignore"):
        bits = np.asarray(values, numpy).view(raw).astype(np.int64)
    half = 1 << (8 * raw.itemsize - 1)
    steps = np.where(bits < half, bits, half - bits)
    placed: NDArray[np.float64] = steps / float(1 << float_format(ELEMENT_TYPES[kind]).fraction)
    return placed


def _profile_places(kind: str) -> NDArray[np.float64]:
    """Return where the middle of each bin of a profile stands; NaN for bins of NaN."""
    numpy = ELEMENT_TYPES[kind].numpy
    raw = np.dtype(f"u{numpy.itemsize}")
    shift = 8 * raw.itemsize - PROFILE_BITS
    bits = (np.arange(1 << PROFILE_BITS) << shift) + (1 << shift >> 1)
    middle = bits.astype(raw).view(numpy)
    with np.errstate(invalid="ignore"):
        return np.where(np.isnan(middle.astype(np.float64)), np.nan, _place(middle, kind))


def draw_errors(outcomes: Sequence[Outcome], path: Path) -> None:
    """Draw the largest error against the datum, a panel for every operator and type.

    Settings of one operator and type share a panel: the largest error of all is drawn.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(outcome.plan.operator for outcome in outcomes))
    kinds = list(dict.fromkeys(outcome.plan.kind for outcome in outcomes))
    with mpl.rc_context(STYLE):  # type: ignore[arg-type]
        figure = Figure(
            figsize=(max(2.3 * len(kinds) + 0.5, 4.4), 1.75 * len(names) + 1.25),
            layout="constrained",
        )
        panels = figure.subplots(len(names), len(kinds), squeeze=False)
        handles: dict[str, Any] = {}
        for row, name in enumerate(names):
            for column, kind in enumerate(kinds):
                chosen = [o for o in outcomes if (o.plan.operator, o.plan.kind) == (name, kind)]
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
        save_picture(figure, path)


def _draw_panel(axes: Any, outcomes: Sequence[Outcome], kind: str) -> dict[str, Any]:
    """Draw one panel; return what the legend is to show."""
    places = _profile_places(kind)
    handles: dict[str, Any] = {}
    highest, drawn = 0.0, list[float]()
    for depth, name in enumerate(n for n in _SIZES if n in outcomes[0].tallies):
        profile = np.max([outcome.tallies[name].profile for outcome in outcomes], axis=0)
        met = (profile > 0) & np.isfinite(places)
        label = "PyTorch" if name == TORCH else f"computed in {LABELS[name]}"
        (handles[label],) = axes.plot(
            places[met], np.maximum(profile[met], _FLOOR), "o", markersize=_SIZES[name],
            markeredgewidth=0, color=COLOURS[name], zorder=2 + depth, rasterized=True,
        )  # fmt: skip
        beyond = met & (profile > _CEILING)
        if beyond.any():
            (handles[f"{label}, beyond the axis"],) = axes.plot(
                places[beyond], np.full(beyond.sum(), 0.97), "^", markersize=2.6,
                markeredgewidth=0, color=COLOURS[name], transform=axes.get_xaxis_transform(),
            )  # fmt: skip
        highest = max(highest, float(profile.max()))
        drawn += [float(place) for place in places[met]]
    axes.set_yscale("log")
    axes.set_ylim(_FLOOR / 1.2, _CEILING)
    ticks = (0.1, 0.5, 1, 2, 4, 8)
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.axhline(0.5, color="0.6", linewidth=0.6, zorder=1)
    limits = [bound.ulp for o in outcomes if (bound := o.bound("float32")) is not None]
    if "float32" in outcomes[0].tallies and limits and max(limits) > 0.5:
        handles["largest stated bound, F32"] = axes.axhline(
            max(limits), color=COLOURS["float32"], linewidth=0.8, linestyle="--", zorder=1
        )
    if highest == 0:
        axes.text(0.5, 0.15, "exact", transform=axes.transAxes, ha="center", color="0.4")
    edge = float(_place([math.inf], kind)[0])
    low, high = (min(drawn), max(drawn)) if drawn else (-edge, edge)
    margin = 0.04 * max(high - low, 1.0)
    axes.set_xlim(low - margin, high + margin)
    _set_ticks(axes, kind)
    axes.grid(True, axis="x", color="0.92", linewidth=0.4)
    return handles


def _set_ticks(axes: Any, kind: str) -> None:
    """Name zero and as many powers of ten as are easily read."""
    low, high = axes.get_xlim()
    form = float_format(ELEMENT_TYPES[kind])
    exponents = range(math.ceil(math.log10(form.normal)), math.ceil(math.log10(form.largest)))
    for step in (1, 2, 4, 5, 10, 20):
        powers = [power for power in exponents if power % step == 0]
        values = [0.0, *(sign * 10.0**power for power in powers for sign in (1, -1))]
        places = _place(values, kind)
        # what stands too close to zero would be written over it
        near = 0.05 * (high - low)
        seen = [
            k
            for k, place in enumerate(places)
            if low <= place <= high and (place == 0 or abs(place) > near)
        ]
        if len(seen) <= _TICKS:
            break
    names = [f"${value:g}$" if abs(value) in (0, 1) else _power_name(value) for value in values]
    axes.set_xticks([places[k] for k in seen], [names[k] for k in seen], rotation=90)


def _power_name(value: float) -> str:
    return f"${'-' if value < 0 else ''}10^{{{math.log10(abs(value)):.0f}}}$"


def draw_study(studies: Sequence[Study], path: Path) -> None:
    """Draw a column for every operator: errors against the input, and what each rounding costs."""
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    with mpl.rc_context(STYLE):  # type: ignore[arg-type]
        figure = Figure(figsize=(max(2.25 * len(studies), 4.4), 5.0), layout="constrained")
        panels = figure.subplots(2, len(studies), squeeze=False, height_ratios=(3, 2))
        for column, study in enumerate(studies):
            above, below = panels[:, column]
            above.set_title(textwrap.fill(study.subject.label(study.setting), 26), fontsize=7)
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
            above.set_xlabel(f"{study.subject.operator.name}: {study.subject.data}", fontsize=7)
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
        save_picture(figure, path)


def _draw_costs(axes: Any, study: Study) -> None:
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
