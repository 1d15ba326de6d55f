"""Pictures of errors, with matplotlib (extra ``plot``)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..dtypes import ELEMENT_TYPES, float_format
from .study import COMPUTED, Cost, Study
from .sweep import PROFILE_BITS, Outcome

#: colours that stay apart in print and for the colour-blind (Okabe and Ito)
COLOURS: Final = {
    "float16": "#009E73",
    "bfloat16": "#E69F00",
    "float32": "#0072B2",
    "float64": "#000000",
    "torch": "#D55E00",
}
LABELS: Final = {"float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64"}
_STYLE: Final = {
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
        If matplotlib does not know the suffix, or there is no such folder.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    suffix = path.suffix.removeprefix(".")
    known = FigureCanvasAgg.get_supported_filetypes()
    if suffix not in known:
        raise ValueError(f"is {path}; its name must end in one of .{', .'.join(sorted(known))}")
    if not path.parent.is_dir():
        raise ValueError(f"is {path}; the folder {path.parent} does not exist")


def data_of_profile(kind: str) -> NDArray[np.float64]:
    """Return the datum in the middle of each bin of a profile; NaN for the bins of NaN."""
    numpy = ELEMENT_TYPES[kind].numpy
    raw = np.dtype(f"u{numpy.itemsize}")
    shift = 8 * numpy.itemsize - PROFILE_BITS
    bits = (np.arange(1 << PROFILE_BITS) << shift) + (1 << shift >> 1)
    with np.errstate(all="ignore"):
        middle: NDArray[np.float64] = bits.astype(raw).view(numpy).astype(np.float64)
    return middle


def draw_errors(outcomes: Sequence[Outcome], path: Path) -> None:
    """Draw the largest error against the datum, a panel for every operator and type.

    Settings of one operator and type share a panel: the largest error of all is drawn.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(outcome.plan.operator for outcome in outcomes))
    kinds = list(dict.fromkeys(outcome.plan.kind for outcome in outcomes))
    with mpl.rc_context(_STYLE):  # type: ignore[arg-type]
        figure = Figure(
            figsize=(max(2.3 * len(kinds), 3.4) + 0.5, 1.65 * len(names) + 0.75),
            layout="constrained",
        )
        panels = figure.subplots(len(names), len(kinds), squeeze=False, sharex="col")
        handles: dict[str, Any] = {}
        for row, name in enumerate(names):
            for column, kind in enumerate(kinds):
                chosen = [o for o in outcomes if (o.plan.operator, o.plan.kind) == (name, kind)]
                handles |= _draw_panel(panels[row, column], chosen, kind)
                if row == 0:
                    panels[row, column].set_title(LABELS[kind])
            panels[row, 0].set_ylabel(name.replace("_backward", "").replace("_", " "))
        figure.supxlabel("input", fontsize=8)
        figure.supylabel("largest error in ulp", fontsize=8)
        figure.legend(
            handles.values(), handles.keys(), loc="outside upper center", ncols=len(handles),
            frameon=False,
        )  # fmt: skip
        figure.savefig(path)


def _draw_panel(axes: Any, outcomes: Sequence[Outcome], kind: str) -> dict[str, Any]:
    """Draw one panel; return what the legend is to show."""
    data = data_of_profile(kind)
    order = np.argsort(data)
    order = order[np.isfinite(data[order])]
    handles = {}
    for name in dict.fromkeys(name for outcome in outcomes for name in outcome.tallies):
        profile = np.max([outcome.tallies[name].profile for outcome in outcomes], axis=0)
        values = profile[order]
        met = values > 0
        label = "PyTorch" if name == "torch" else f"in {LABELS[name]}"
        (handles[label],) = axes.plot(
            data[order][met], np.clip(values[met], None, 1e9),
            ".", markersize=1.6, markeredgewidth=0, color=COLOURS[name], label=label,
            zorder=3 if name == "float64" else 2, rasterized=True,
        )  # fmt: skip
    stated = [outcome.bound("float32") for outcome in outcomes]
    limits = [bound.ulp for bound in stated if bound is not None]
    handles["correctly rounded: at most ½"] = axes.axhline(
        0.5, color="0.55", linewidth=0.6, linestyle="-", zorder=1
    )
    if limits and max(limits) > 0.5 and "float32" in outcomes[0].tallies:
        handles["stated bound, in F32"] = axes.axhline(
            max(limits), color=COLOURS["float32"], linewidth=0.7, linestyle="--", zorder=1
        )
    smallest = np.nanmin(np.abs(data[data != 0]))
    decades = 10.0 ** np.ceil(np.log10(max(smallest, 1e-6)))
    axes.set_xscale("symlog", linthresh=decades, linscale=0.4)
    low, high = data[order][0], data[order][-1]
    step = 8 if high < 1e6 else 24
    exponents = [e for e in range(-step, 40, step) if 10.0**e <= high]
    axes.set_xticks([-(10.0**e) for e in exponents] + [0.0] + [10.0**e for e in exponents])
    axes.set_xlim(low, high)
    axes.set_yscale("log")
    axes.grid(True, color="0.9", linewidth=0.4)
    axes.minorticks_off()
    return handles


def draw_study(studies: Sequence[Study], path: Path) -> None:
    """Draw a column for every operator: errors against the input, and what each rounding costs."""
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    with mpl.rc_context(_STYLE):  # type: ignore[arg-type]
        figure = Figure(figsize=(max(2.25 * len(studies), 3.4), 4.4), layout="constrained")
        panels = figure.subplots(2, len(studies), squeeze=False, height_ratios=(3, 2))
        for column, study in enumerate(studies):
            above, below = panels[:, column]
            above.set_title(study.subject.label(study.setting), fontsize=7, pad=3)
            above.set_yscale("log", base=2)
            for compute, errors in study.errors.items():
                met = errors > 0
                above.plot(
                    study.data[met], errors[met], ".", markersize=1.5, markeredgewidth=0,
                    color=COLOURS[compute], label=LABELS[compute], rasterized=True,
                )  # fmt: skip
                half = 2.0 ** -(float_format(ELEMENT_TYPES[compute]).fraction + 1)
                above.axhline(half, color=COLOURS[compute], linewidth=0.6, linestyle="--")
            above.set_ylim(2.0**-66, 2.0**-4)
            above.set_yticks([2.0**-power for power in (8, 11, 24, 53)])
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
            handles=handles, loc="outside upper center", ncols=len(handles), frameon=False
        )
        figure.savefig(path)


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
