"""The interactive plots of `ascendref bench`: ratios and bytes per second against elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ..verify.figures.interactive import SCREEN_COLOURS, new_figure
from ..verify.figures.style import LABELS
from .results import Row, size_text

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

#: how lines are drawn, by whether the result is given or made
_DASHES: Final = {True: "solid", False: "dash"}


def size_plots(rows: Sequence[Row], peer: str) -> dict[int, list[Figure]]:
    """Return a plot of contiguous arrays for every operator, by the number of threads."""
    shown = [row for row in rows if row.job.section == "sizes"]
    groups: dict[int, dict[str, list[Row]]] = {}
    for row in shown:
        operators = groups.setdefault(row.job.threads, {})
        operators.setdefault(row.job.case.operator, []).append(row)
    return {
        threads: [_plot(name, mine, peer) for name, mine in operators.items()]
        for threads, operators in groups.items()
    }


def _plot(name: str, rows: Sequence[Row], peer: str) -> Figure:
    """Return the plot of one operator: ratios above, if there is a peer, bandwidths below."""
    compared = any(row.ratio is not None for row in rows)
    figure = new_figure(
        height=640 if compared else 460,
        margin={"t": 64},  # the buttons, and below them the title
        title={"text": name, "x": 0, "xref": "paper", "y": 1, "yanchor": "top", "pad": {"t": 30}},
    )
    for kind in dict.fromkeys(row.job.case.kind for row in rows):
        for out, dash in _DASHES.items():
            line = [row for row in rows if (row.job.case.kind, row.job.case.out) == (kind, out)]
            line.sort(key=lambda row: row.job.case.size)
            common = {
                "x": [row.job.case.size for row in line],
                "line": {"color": SCREEN_COLOURS[kind], "dash": dash, "width": 1.5},
                "legendgroup": f"{kind} {out}",
                "name": f"{LABELS[kind]}, {'given' if out else 'made'}",
                "text": [_hover(row, peer) for row in line],
                "hovertemplate": "%{text}<extra></extra>",
                "mode": "lines+markers",
            }
            bandwidths = [row.bandwidth / 1e9 for row in line]
            figure.add_scatter(y=bandwidths, yaxis="y", **common)
            if compared:
                ratios = [row.ratio for row in line]
                figure.add_scatter(y=ratios, yaxis="y2", showlegend=False, **common)
        _add_others(figure, [r for r in rows if r.job.case.kind == kind and r.job.case.out], peer)
    sizes = sorted({row.job.case.size for row in rows})
    figure.update_xaxes(
        type="log", title="elements", tickvals=sizes, ticktext=[size_text(size) for size in sizes]
    )
    figure.update_layout(yaxis={"title": "GB/s"}, legend={"y": -0.13})
    if compared:
        upper = figure.layout.yaxis.to_plotly_json() | {
            "title": {"text": f"{peer} ÷ ascendref, time"},
            "domain": [0.54, 1],
        }
        figure.update_layout(yaxis={"domain": [0, 0.46]}, yaxis2=upper)
        figure.add_hline(y=1, line={"color": "#8a8a8a", "width": 1}, yref="y2")
    return figure


def _add_others(figure: Figure, rows: Sequence[Row], peer: str) -> None:
    """Add the bytes per second of the peer and of a triad, for the cells of a type."""
    rows = sorted(rows, key=lambda row: row.job.case.size)
    others = (
        (peer, "dashdot", [row.ratio and row.bandwidth / row.ratio for row in rows]),
        ("triad", "dot", [row.triad_bandwidth for row in rows]),
    )
    for name, dash, bandwidths in others:
        measured = [(row, value) for row, value in zip(rows, bandwidths, strict=True) if value]
        if measured:
            figure.add_scatter(
                x=[row.job.case.size for row, _ in measured],
                y=[value / 1e9 for _, value in measured],
                mode="lines",
                line={"color": SCREEN_COLOURS[rows[0].job.case.kind], "dash": dash, "width": 1},
                name=f"{LABELS[rows[0].job.case.kind]}, {name}",
                text=[_hover(row, peer) for row, _ in measured],
                hovertemplate="%{text}<extra></extra>",
            )


def _hover(row: Row, peer: str) -> str:
    """Return what is known of a cell."""
    case = row.job.case
    lines = [
        f"<b>{size_text(case.size)} elements, {LABELS[case.kind]}</b>",
        f"result {'given' if case.out else 'made'}",
    ]
    if row.ratio is not None and row.other is not None:
        lines.append(f"ratio {row.ratio:.2f}" + (", below its goal" if row.below_goal else ""))
        lines.append(f"{peer}: {_time(row.other.seconds)}")
    lines.append(f"ascendref: {_time(row.ours.seconds)}, {row.bandwidth / 1e9:.1f} GB/s")
    if row.roof is not None:
        lines.append(f"{row.roof:.2f} of the triad's bandwidth")
    return "<br>".join(lines)


def _time(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds * 1e9:.3g} ns"
