"""The figure of `ascendref bench`: ratios and bytes per second against the number of elements."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ..verify.figures.style import COLOURS, LABELS, figure_style, save_figure
from .results import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: how lines are drawn: ascendref's, the peer's
_OWN_LINE: Final[dict[str, Any]] = {
    "linestyle": "-", "linewidth": 1.2, "markersize": 2.5, "marker": "o"
}  # fmt: skip
_PEER_LINE: Final[dict[str, Any]] = {
    "linestyle": "--", "linewidth": 0.9, "markersize": 2.5, "marker": "o"
}  # fmt: skip


def draw_benchmarks(rows: Sequence[Row], path: Path, peer: str) -> None:
    """Draw ratios and bytes per second against the number of elements, a column per operator.

    Of several numbers of threads the largest is drawn.
    """
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    most = max(row.job.threads for row in rows)
    shown = [
        r for r in rows if r.job.section == "sizes" and r.job.case.out and r.job.threads == most
    ]
    names = list(dict.fromkeys(row.job.case.operator for row in shown))
    kinds = list(dict.fromkeys(row.job.case.kind for row in shown))
    with figure_style():
        figure = Figure(figsize=(max(1.65 * len(names) + 0.8, 4.4), 4.2), layout="constrained")
        panels: Any = figure.subplots(2, len(names), squeeze=False, sharex=True, sharey="row")
        for place, name in enumerate(names):
            upper, lower = panels[0, place], panels[1, place]
            for kind in kinds:
                line = [r for r in shown if (r.job.case.operator, r.job.case.kind) == (name, kind)]
                _draw(upper, lower, line, COLOURS[kind])
            upper.axhline(1, color="0.6", linewidth=0.6)
            upper.set_title(name.replace("_backward", "").replace("_", " "))
            for panel in (upper, lower):
                panel.set_xscale("log", base=2)
                panel.set_yscale("log")
                panel.grid(which="major", color="0.92", linewidth=0.5)
                panel.set_axisbelow(True)
        panels[0, 0].set_ylabel(f"time of {peer} ÷ time of ascendref")
        panels[1, 0].set_ylabel("GB/s, reads and writes")
        figure.supxlabel("elements", fontsize=8)
        handles = [Line2D([], [], color=COLOURS[kind], label=LABELS[kind]) for kind in kinds]
        handles += [
            Line2D([], [], color="0.3", label="ascendref", linestyle="-"),
            Line2D([], [], color="0.3", label=peer, linestyle="--"),
            Line2D([], [], color="0.6", label="triad of as many bytes", linestyle=":"),
        ]
        columns = 6 if len(names) > 3 else 3
        figure.legend(handles=handles, loc="outside upper center", ncols=columns, frameon=False)
        save_figure(figure, path)


def _draw(upper: Axes, lower: Axes, rows: Sequence[Row], colour: str) -> None:
    """Draw the lines of one operator and type: ratios above, bandwidths below."""
    rows = sorted(rows, key=lambda row: row.job.case.size)
    compared = [(row.job.case.size, row.ratio, row.bandwidth) for row in rows if row.ratio]
    if compared:
        places = [size for size, _, _ in compared]
        upper.plot(places, [ratio for _, ratio, _ in compared], color=colour, **_OWN_LINE)
        peers = [bandwidth / ratio / 1e9 for _, ratio, bandwidth in compared]
        lower.plot(places, peers, color=colour, **_PEER_LINE)
    sizes = [row.job.case.size for row in rows]
    lower.plot(sizes, [row.bandwidth / 1e9 for row in rows], color=colour, **_OWN_LINE)
    triads = [(row.job.case.size, row.triad_bandwidth) for row in rows if row.triad_bandwidth]
    lower.plot(
        [size for size, _ in triads], [bandwidth / 1e9 for _, bandwidth in triads],
        color=colour, linestyle=":", linewidth=0.9,
    )  # fmt: skip
