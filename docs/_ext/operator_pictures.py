"""Pictures on the operators' pages: the function, its error over the input, and measured errors.

Each picture exists twice, in colours for light pages and for dark ones. The errors over the input
are those of a sample that is computed when the documentation is built; those by size are the
results of ``ascendref verify --exhaustive`` in docs/accuracy.json.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ascendref.declaration.operator import Operator
from ascendref.verify.accuracy.rows import CLASSES, SweepRow
from ascendref.verify.figures.panels import LABELS
from ascendref.verify.setting import Setting, data_name, settings

Draw = Callable[[Axes], None]

TEXT, GRID = "#323232", "#d8d8d8"
COLOURS = {"float32": "#0072b2", "bfloat16": "#d55e00", "float16": "#009e73"}
#: the colours of light pages -> those of dark pages
DARK = {
    TEXT: "#ced6dd",
    GRID: "#44494f",
    COLOURS["float32"]: "#56b4e9",
    COLOURS["bfloat16"]: "#e69f00",
    COLOURS["float16"]: "#2fcf9f",
}
STYLE: dict[str, Any] = {
    "font.size": 9, "font.family": "sans-serif", "legend.fontsize": 8, "legend.frameon": False,
    "text.color": TEXT, "axes.labelcolor": TEXT, "axes.edgecolor": TEXT,
    "xtick.color": TEXT, "ytick.color": TEXT, "grid.color": GRID,
    "grid.linewidth": 0.5, "axes.grid": True, "axes.axisbelow": True,
    "axes.spines.top": False, "axes.spines.right": False, "svg.hashsalt": "ascendref",
}  # fmt: skip
#: the picture shows the inputs of this range for which the result is finite
RANGE = (-4.0, 4.0)
INPUTS = 401
#: gradients, or numbers of a second tensor, for each input in the picture of the error
OTHERS = 128


def draw_pictures(operator: Operator, sweeps: Sequence[SweepRow], folder: Path) -> None:
    """Draw the pictures of an operator: ``NAME-PICTURE-THEME.svg``."""
    x = _inputs(operator)
    pictures: dict[str, Draw] = {
        "function": _function(operator, x),
        "error": _error(operator, x),
    }
    if sweeps:
        pictures["measured"] = _measured(sweeps)
    with mpl.rc_context(STYLE):
        for name, draw in pictures.items():
            figure = Figure(figsize=(4.4, 3.2), layout="constrained")
            draw(figure.subplots())
            light = folder / f"{operator.name}-{name}-light.svg"
            figure.savefig(light, transparent=True, metadata={"Date": None})
            text = light.read_text()
            for colour, dark in DARK.items():
                text = text.replace(colour, dark)
            light.with_name(f"{operator.name}-{name}-dark.svg").write_text(text)


def usual_setting(operator: Operator) -> Setting:
    """Return the first setting in which the operator is verified; pictures and tables show it."""
    return settings(operator.name)[0]


def results(operator: Operator, data: Any, others: Any, compute: str = "float32") -> Any:
    """Return first results for every datum (rows) and every number of the other tensor (columns).

    Arrays have the arithmetic's type.
    """
    setting = usual_setting(operator)
    arrays = np.asarray(data, compute)[:, None], np.asarray(others, compute)[None]
    return setting.call(compute, setting.tensors(*arrays))


def _inputs(operator: Operator) -> Any:
    """Return inputs as far as the result is finite."""
    x = np.linspace(*RANGE, INPUTS)
    x = x[np.isfinite(results(operator, x, [1.0])[:, 0])]
    return np.linspace(x.min(), x.max(), INPUTS)


def _function(operator: Operator, x: Any) -> Draw:
    """Return what draws the result for a gradient of 1."""
    y = results(operator, x, [1.0])[:, 0]
    low, high = min(0.0, np.quantile(y, 0.05)), np.quantile(y, 0.95)
    height = (high - low) or 1.0  # a constant
    jumps = np.flatnonzero(np.abs(np.diff(np.clip(y, low, high))) > 0.4 * height) + 1

    def draw(axes: Axes) -> None:
        line = np.insert(x, jumps, np.nan), np.insert(y, jumps, np.nan)
        axes.plot(*line, color=COLOURS["float32"])
        axes.set_ylim(low - 0.1 * height, high + 0.1 * height)
        axes.set(xlabel=data_name(operator), ylabel=operator.outputs[0])

    return draw


def _error(operator: Operator, x: Any) -> Draw:
    """Return what draws the largest error for every input, and the stated bound."""
    generator = np.random.default_rng(0)
    if operator.forward is not None:
        others = generator.standard_normal(OTHERS, np.float32)
    else:
        others = generator.random(OTHERS, np.float32)
    result = results(operator, x.astype(np.float32), others).astype(np.float64)
    exact = results(operator, x.astype(np.float32), others, "float64")
    finite = np.isfinite(result) & np.isfinite(exact)
    exact[~finite] = result[~finite] = 0.0
    ulp = np.spacing(np.abs(exact).astype(np.float32)).astype(np.float64)
    error = (np.abs(result - exact) / ulp).max(axis=1)
    bound = _bound(operator, result.size)

    def draw(axes: Axes) -> None:
        axes.plot(x, error, ".", markersize=3, markeredgewidth=0, color=COLOURS["float32"])
        axes.axhline(
            0.5, linestyle=":", color=COLOURS["float16"], label="rounding alone: at most ½"
        )
        if bound > 0.5:
            label = f"stated: {bound:.4g}"
            axes.axhline(bound, linestyle="--", color=COLOURS["bfloat16"], label=label)
        axes.set_ylim(-0.04 * max(bound, error.max()), 1.3 * max(bound, error.max()))
        axes.set(xlabel=data_name(operator), ylabel="largest error, in ulp")
        axes.legend(loc="upper left", ncols=2)

    return draw


def _bound(operator: Operator, size: int) -> float:
    """Return the bound that is stated for F32; at least ½ ulp."""
    bound = usual_setting(operator).bound("float32", "float32", size)
    return 0.5 if bound is None else bound.ulp


def _measured(sweeps: Sequence[SweepRow]) -> Draw:
    """Return what draws the share of results by their error, all settings of a type together."""
    rows = [row for row in sweeps if row["computed"] == "float32"]
    kinds = [kind for kind in LABELS if any(row["dtype"] == kind for row in rows)]
    classes = [name for name in CLASSES if any(name in row["histogram"] for row in rows)]

    def shares(kind: str) -> list[float]:
        chosen = [row for row in rows if row["dtype"] == kind]
        counts = [sum(row["histogram"].get(name, 0) for row in chosen) for name in classes]
        pairs = sum(row["pairs"] for row in chosen)
        right = pairs - sum(row["wrongly_rounded"] for row in chosen)
        return [count / pairs for count in (right, *counts)]

    def draw(axes: Axes) -> None:
        width = 0.8 / len(kinds)
        for number, kind in enumerate(kinds):
            places = np.arange(len(classes) + 1) + (number - (len(kinds) - 1) / 2) * width
            axes.bar(places, shares(kind), width, color=COLOURS[kind], label=LABELS[kind])
        axes.set_yscale("log")
        axes.set_ylim(1e-11, 50)
        axes.set_yticks([1e-10, 1e-8, 1e-6, 1e-4, 1e-2, 1])
        axes.minorticks_off()
        axes.set_xlim(-0.6, max(len(classes), 3) + 0.6)
        axes.set_xticks(range(len(classes) + 1), ["right", *classes], fontsize=8)
        axes.grid(visible=False, axis="x")
        axes.set(xlabel="error, in ulp", ylabel="share of all results")
        axes.legend(loc="upper right", ncols=3)

    return draw
