"""Panels of figures, which matplotlib draws (extra ``plot``).

The vertical axis is logarithmic, the horizontal one is linear and has ticks of its own. A mark
above the range of the vertical axis is a triangle at its upper edge.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import count, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from ...core.output_files import output_file
from ..accuracy.sweep import TORCH

if TYPE_CHECKING:
    from matplotlib.axes import Axes


#: colours that stay apart in print and for the colour-blind (Okabe and Ito)
COLOURS: Final = {
    "float16": "#009E73",
    "bfloat16": "#E69F00",
    "float32": "#0072B2",
    "float64": "#000000",
    TORCH: "#D55E00",
    "grey": "#8a8a8a",
}
LABELS: Final = {"float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64"}


class Tick(NamedTuple):
    """A label of the horizontal axis; where labels are too many, those of the lowest level go."""

    place: float
    text: str
    level: int = 0


class Marks(NamedTuple):
    """Marks of one colour, connected by a line if it has a style."""

    #: entry of the legend; marks of one name share it
    name: str
    #: key of `COLOURS`
    colour: str
    x: Any
    y: Any
    #: style of the line, in matplotlib's words
    line: str = ""
    #: diameter in points
    size: float = 2.5


class Level(NamedTuple):
    """A horizontal line; it has an entry in the legend if it has a name."""

    y: float
    name: str = ""
    #: key of `COLOURS`, or for grey
    colour: str = "grey"


class Panel(NamedTuple):
    """One pair of axes and what is in it."""

    title: str
    x_title: str
    y_title: str
    marks: Sequence[Marks]
    levels: Sequence[Level] = ()
    ticks: Sequence[Tick] = ()
    y_range: tuple[float, float] | None = None


#: most ticks of a panel in a file
_TICKS: Final = 9
_STYLE: Final = {
    "font.family": "serif", "font.size": 8, "axes.titlesize": 8, "axes.linewidth": 0.6,
    "legend.fontsize": 7, "xtick.labelsize": 7, "ytick.labelsize": 7, "savefig.dpi": 300,
    "svg.fonttype": "none",
}  # fmt: skip


def computed_label(name: str) -> str:
    return "PyTorch" if name == TORCH else f"computed in {LABELS[name]}"


def check_format(path: Path) -> None:
    """Raise ValueError before any work is done if matplotlib cannot write such a file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    suffix = path.suffix.removeprefix(".")
    suffixes = FigureCanvasAgg.get_supported_filetypes()
    if suffix not in suffixes:
        raise ValueError(f"the name of {path} must end in one of .{', .'.join(sorted(suffixes))}")
    probe = Figure(figsize=(1, 1))
    probe.text(0, 0, "x")
    try:
        probe.savefig(io.BytesIO(), format=suffix)
    except Exception as error:  # each format has needs of its own, such as LaTeX
        raise ValueError(
            f"cannot write {path}: matplotlib cannot draw .{suffix} here: {error}"
        ) from error


def draw(rows: Sequence[Sequence[Panel]], path: Path) -> None:
    """Draw rows of panels in a file, in the format that the path's suffix names."""
    with output_file(path) as file:
        file.write(picture(rows, path.suffix.removeprefix(".")))


def picture(rows: Sequence[Sequence[Panel]], suffix: str) -> bytes:
    """Return rows of panels as the content of a file in a format."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    columns = max(map(len, rows))
    size = max(1.8 * columns + 0.6, 4.4), 1.75 * len(rows) + 1.4
    with mpl.rc_context(_STYLE):  # type: ignore[arg-type]
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(len(rows), columns, squeeze=False, sharey="row")
        handles: dict[str, Any] = {}
        for row, places in zip(rows, axes, strict=True):
            for panel, place in zip_longest(row, places):
                if panel is None:
                    place.remove()
                else:
                    handles |= _draw_panel(place, panel)
            places[0].set_ylabel(row[0].y_title)
        figure.supxlabel(rows[-1][0].x_title, fontsize=8)
        figure.legend(
            handles.values(), handles.keys(), loc="outside upper center",
            ncols=2 if columns == 1 else 3, frameon=False,
        )  # fmt: skip
        file = io.BytesIO()
        figure.savefig(file, format=suffix)
        return file.getvalue()


def _draw_panel(axes: Axes, panel: Panel) -> dict[str, Any]:
    """Draw one panel; return what the legend is to show."""
    handles: dict[str, Any] = {}
    low, top = panel.y_range or (0, np.inf)
    for marks in panel.marks:
        x, y, colour = np.asarray(marks.x), np.maximum(marks.y, low), COLOURS[marks.colour]
        (handles[marks.name],) = axes.plot(
            x, y, "o" + marks.line, color=colour, markersize=marks.size,
            markeredgewidth=0, linewidth=1, rasterized=not marks.line,
        )  # fmt: skip
        if (y > top).any():
            (handles[f"{marks.name}, beyond the axis"],) = axes.plot(
                x[y > top], np.full(np.count_nonzero(y > top), 0.97), "^", color=colour,
                markersize=2.6, markeredgewidth=0, transform=axes.get_xaxis_transform(),
            )  # fmt: skip
    for level in panel.levels:
        colour = COLOURS[level.colour]
        line = axes.axhline(level.y, color=colour, linewidth=0.7, linestyle="--", zorder=1)
        if level.name:
            handles[level.name] = line
    axes.set_yscale("log")
    if panel.y_range:
        axes.set_ylim(panel.y_range)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_title(panel.title)
    axes.grid(True, which="major", color="0.92", linewidth=0.4)
    axes.set_axisbelow(True)
    low, high = axes.get_xlim()
    near = 0.05 * (high - low)  # a label so close to zero's would cover it
    for least in count():
        seen = [t for t in panel.ticks if t.level >= least and low <= t.place <= high]
        seen = [t for t in seen if t.place == 0 or abs(t.place) > near]
        if len(seen) <= _TICKS:
            break
    if panel.ticks:
        axes.set_xticks([t.place for t in seen], [t.text for t in seen], rotation=90)
    return handles
