"""What interactive plots with Plotly (extra ``plot``) have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .style import COLOURS

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

#: colours that can be seen on white and on black
SCREEN_COLOURS: Final = COLOURS | {"float64": "#8a8a8a"}

_AXIS: Final = {"zeroline": False, "gridcolor": "#8884", "showline": True, "linecolor": "#888"}
_LAYOUT: Final[dict[str, Any]] = {
    "template": "none",
    "paper_bgcolor": "rgba(0,0,0,0)",
    "plot_bgcolor": "rgba(0,0,0,0)",
    "font": {"family": "system-ui, sans-serif", "size": 12},
    "margin": {"l": 60, "r": 12, "t": 36, "b": 44},
    "hovermode": "closest",
    "showlegend": True,
    "legend": {"orientation": "h", "y": -0.22, "yanchor": "top", "x": 0},
    "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": "#888", "activecolor": "#888"},
    "xaxis": _AXIS,
    "yaxis": _AXIS | {"type": "log", "tickformat": "~g", "nticks": 4, "automargin": True},
}


def new_figure(**layout: Any) -> Figure:
    """Return a figure in the common style, which suits a light page and a dark one."""
    from plotly.graph_objects import Figure

    return Figure(layout=_LAYOUT).update_layout(layout)
