"""The page of ``ascendref check --html``: hazards, each with its place in the timeline.

A timeline shows the order of calls, not of time: what was queued later is further to the right.
"""

from __future__ import annotations

from html import escape
from typing import Any, Final

from ..device.checker.hazards import Site
from . import html_page

#: tasks of a picture before the first and after the last of a pair
_AROUND: Final = 4
#: tasks of a picture at most; the pair stays in it
_MOST: Final = 40
#: width and height of a task's place in pixels, and of the margin for the streams' names
_WIDTH, _HEIGHT, _LEFT = 150, 54, 90

_STYLE: Final = """
.kind { color: light-dark(#b00, #f77) }
.timeline { overflow-x: auto } svg { background: #fff; font: 11px system-ui, sans-serif }
rect { fill: #dde6f0; stroke: #9ab } rect.marked { fill: #fbd0d0; stroke: #b00; stroke-width: 2 }
line { stroke: #9ab } path { fill: none; stroke: #678 }
path.missing { stroke: #b00; stroke-width: 2; stroke-dasharray: 6 4 }
"""


def page(program: str, devices: list[dict[str, Any]]) -> str:
    """Return the page."""
    found = [(device, hazard) for device in devices for hazard in device["hazards"]]
    title = f"ascendref check {program}"
    parts = [
        f"<h1>{escape(title)}</h1><p>{len(found)} found.</p>",
        *[_section(device, hazard) for device, hazard in found],
    ]
    return html_page.page(title, "\n".join(parts), _STYLE)


def _section(device: dict[str, Any], hazard: dict[str, Any]) -> str:
    sites = [(name, hazard[name]) for name in ("first", "second") if hazard[name] is not None]
    places = "".join(f"<li>{name}: {_place(site)}</li>" for name, site in sites)
    return (
        f'<h2><span class="kind">{hazard["kind"]}</span> on {escape(device["device"])}</h2>'
        f"<p>{escape(hazard['problem'])}</p><ul>{places}</ul>"
        f"<p>Remedy: {escape(hazard['missing'])}</p>"
        f'<div class="timeline">{_picture(device["tasks"], [site for _, site in sites])}</div>'
    )


def _place(site: dict[str, Any]) -> str:
    found = Site(**site)
    return f"{escape(found.call)} on {found.where}, <code>{escape(found.route)}</code>"


def _picture(tasks: list[dict[str, Any]], sites: list[dict[str, Any]]) -> str:
    """Return the tasks around a pair as SVG; the pair marked, the missing edge dashed."""
    marked = [(site["stream"], site["position"]) for site in sites if site["stream"] is not None]
    keys = [(task["stream"], task["position"]) for task in tasks]
    columns = [keys.index(key) for key in marked if key in keys]
    if not columns:
        return ""
    near = set(range(max(0, min(columns) - _AROUND), max(columns) + _AROUND + 1))
    if len(near) > _MOST:  # only what is around each of the two
        near = {k for column in columns for k in range(column - _AROUND, column + _AROUND + 1)}
    shown = [k for k in sorted(near) if 0 <= k < len(tasks)]
    streams = sorted({tasks[k]["stream"] for k in shown})
    x = {keys[k]: _LEFT + number * _WIDTH for number, k in enumerate(shown)}
    y = {stream: 10 + row * _HEIGHT for row, stream in enumerate(streams)}
    width = _LEFT + len(shown) * _WIDTH + 10
    parts = [
        f'<svg width="{width}" height="{len(streams) * _HEIGHT + 10}" role="img">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8"'
        ' markerHeight="8" orient="auto"><path d="M0 0 L8 4 L0 8"/></marker></defs>',
    ]
    for stream in streams:
        middle = y[stream] + 17
        parts.append(f'<line x1="{_LEFT}" y1="{middle}" x2="{width}" y2="{middle}"/>')
        parts.append(f'<text x="4" y="{middle + 4}">stream {stream}</text>')
    for k in shown:
        key, label = keys[k], escape(tasks[k]["label"])
        mark = ' class="marked"' if key in marked else ""
        left, top = x[key], y[key[0]]
        parts.append(f'<rect{mark} x="{left}" y="{top}" width="{_WIDTH - 12}" height="34" rx="4"/>')
        parts.append(f'<text x="{left + 6}" y="{top + 21}">{label}</text>')
        after = tasks[k]["after"]
        if after is not None and tuple(after) in x and after[0] != key[0]:
            parts.append(_arrow(x, y, (after[0], after[1]), key, ""))
    pair = [key for key in marked if key in x]
    if len(pair) == 2 and pair[0][0] != pair[1][0]:
        parts.append(_arrow(x, y, pair[0], pair[1], ' class="missing"'))
    return "".join([*parts, "</svg>"])


def _arrow(
    x: dict[tuple[int, int], int],
    y: dict[int, int],
    begin: tuple[int, int],
    end: tuple[int, int],
    mark: str,
) -> str:
    x1, y1 = x[begin] + _WIDTH - 12, y[begin[0]] + 17
    x2, y2 = x[end], y[end[0]] + 17
    middle = (x1 + x2) // 2
    curve = f"M{x1} {y1} C{middle} {y1} {middle} {y2} {x2} {y2}"
    return f'<path{mark} d="{curve}" marker-end="url(#tip)"/>'
