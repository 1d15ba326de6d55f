"""The interactive plots of `ascendref verify`: the largest errors against the input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ..accuracy.sweep_result import SweepResult
from .errors import CEILING, SIZES
from .input_axis import edge, place, powers_of_ten
from .interactive import SCREEN_COLOURS, new_figure
from .style import computed_label

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

#: the lowest error on the axis at first, in ulp
_FLOOR: Final = 0.08
#: powers of two up to which an exponent of ten is the more important the more of them it contains
_MOST_TWOS: Final = 5


def error_plots(results: Sequence[SweepResult]) -> dict[tuple[str, str], Figure]:
    """Return a plot for every operator and type.

    Settings of one operator and type share a plot: each bin of data shows the largest error of all.
    """
    groups: dict[tuple[str, str], list[SweepResult]] = {}
    for result in results:
        groups.setdefault((result.sweep.operator, result.sweep.kind), []).append(result)
    return {key: _plot(group, key[1]) for key, group in groups.items()}


def _plot(results: Sequence[SweepResult], kind: str) -> Figure:
    figure = new_figure(height=420, meta={"ticks": list(_ticks(kind))})
    for name in (n for n in SIZES if n in results[0].tallies):
        profiles = np.array([result.tallies[name].profile for result in results])
        owners = profiles.argmax(axis=0)
        shown = False
        for number, result in enumerate(results):
            bins = np.flatnonzero((owners == number) & (profiles[number] > 0))
            if not bins.size:
                continue
            errors = profiles[number, bins]
            at = np.column_stack([result.tallies[name].profile_at[bins], errors])
            size, beyond = 2 * SIZES[name] + 1, errors > CEILING
            figure.add_scatter(
                x=place(at[:, 0], kind),
                y=np.minimum(errors, np.float32(CEILING)),
                customdata=at,
                mode="markers",
                marker={
                    "color": SCREEN_COLOURS[name],
                    "size": np.where(beyond, size + 3, size),
                    "symbol": np.where(beyond, "triangle-up", "circle"),
                },
                name=computed_label(name),
                legendgroup=name,
                showlegend=not shown,
                hovertemplate=(
                    "<b>%{customdata[3]:.6g} ulp</b><br>input %{customdata[0]:.9g}"
                    "<br>gradient %{customdata[1]:.9g}<br>result %{customdata[2]:.9g}"
                    f"<br>{computed_label(name)}<br>{result.sweep.label}<extra></extra>"
                ),
            )
            shown = True
    if not figure.data:
        figure.add_annotation(
            text="exact", x=0.5, y=0.2, showarrow=False, xref="paper", yref="paper"
        )
    _add_bounds(figure, results, kind)
    figure.update_layout(legend={"itemsizing": "constant"})
    low, high = np.log10(_FLOOR), np.log10(1.15 * CEILING)
    figure.update_yaxes(title="largest error, in ulp", range=[low, high])
    figure.update_xaxes(title="input", range=[-1.02 * edge(kind), 1.02 * edge(kind)])
    return figure


def _add_bounds(figure: Figure, results: Sequence[SweepResult], kind: str) -> None:
    """Add what is stated, the largest of all settings, and half an ulp, which rounding costs."""
    lines = {"½ ulp": (0.5, "#8a8a8a")}
    for name in results[0].sweep.computed:
        limits = [bound.ulp for o in results if (bound := o.bound(name)) is not None]
        if limits and max(limits) > 0.5:
            text = f"largest stated bound, {computed_label(name)}: {max(limits):.4g} ulp"
            lines[text] = max(limits), SCREEN_COLOURS[name]
    for text, (limit, colour) in lines.items():
        figure.add_scatter(
            x=[-edge(kind), edge(kind)],
            y=[limit, limit],
            mode="lines",
            line={"color": colour, "width": 1, "dash": "dash"},
            name=text,
            hoverinfo="skip",
        )


def _ticks(kind: str) -> Iterator[dict[str, Any]]:
    """Yield labels for the axis with their places; the page shows the most important that fit."""
    yield {"place": 0.0, "text": "0", "level": _MOST_TWOS + 2}
    for power in powers_of_ten(kind):
        twos = _MOST_TWOS if power == 0 else min((power & -power).bit_length() - 1, _MOST_TWOS - 1)
        for digit, level in ((1, twos + 1), (2, 0), (5, 0)):
            value = digit * 10.0**power
            spot = float(place([value], kind)[0])
            if spot >= edge(kind):
                continue
            for sign, mark in ((1, ""), (-1, "−")):
                yield {
                    "place": sign * spot,
                    "text": mark + _name(digit, power),
                    "level": level,
                }


def _name(digit: int, power: int) -> str:
    """Return a multiple of a power of ten as it is written."""
    if -3 <= power <= 3:
        return f"{digit * 10.0**power:g}"
    return ("" if digit == 1 else f"{digit}·") + f"10<sup>{power}</sup>".replace("-", "−")
