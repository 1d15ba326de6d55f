"""The colours and labels of all figures; the style of those with matplotlib, and writing them."""

from __future__ import annotations

import io
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ...core.output_files import output_file
from ..accuracy.sweep import TORCH

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: colours that stay apart in print and for the colour-blind (Okabe and Ito)
COLOURS: Final = {
    "float16": "#009E73",
    "bfloat16": "#E69F00",
    "float32": "#0072B2",
    "float64": "#000000",
    TORCH: "#D55E00",
}
LABELS: Final = {"float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64"}
#: settings of matplotlib
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


def computed_label(name: str) -> str:
    """Return the label of one computation of a sweep."""
    return "PyTorch" if name == TORCH else f"computed in {LABELS[name]}"


def figure_style() -> AbstractContextManager[None]:
    """Return a context in which figures are drawn in the common style."""
    import matplotlib as mpl

    return mpl.rc_context(_STYLE)  # type: ignore[arg-type]


def check_format(path: Path) -> None:
    """Raise before any work is done if a figure cannot be drawn in the format of a path's suffix.

    Raises
    ------
    ModuleNotFoundError
        If matplotlib is not installed.
    ValueError
        If matplotlib does not know the suffix, or lacks what that format needs.
    """
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


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure in the format that the path's suffix names."""
    with output_file(path) as file:
        figure.savefig(file, format=path.suffix.removeprefix("."))
