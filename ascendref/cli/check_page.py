"""The page of ``ascendref check --html``: hazards, each with its place in the order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape
from shlex import join
from typing import Any, Final

from ..device.checker.hazards import Site
from . import html_page, timeline

_STYLE: Final = """
.kind { color: light-dark(#b00, #f77) }
.picture { overflow-x: auto }
p, li { overflow-wrap: anywhere }
"""


def page(command: Sequence[str], devices: list[dict[str, Any]]) -> str:
    """Return the page of what the devices of a program found.

    Parameters
    ----------
    command : sequence of str
        The program and its arguments.
    devices : list of dict
        What `ascendref.device.check_output` writes of each device.
    """
    found = [(device, hazard) for device in devices for hazard in device["hazards"]]
    title = f"ascendref check {join(command)}"
    parts = [
        f"<h1>{escape(title)}</h1><p>{summary([hazard for _, hazard in found], len(devices))}</p>",
        *[_section(device, hazard) for device, hazard in found],
    ]
    return html_page.page(title, "\n".join(parts), _STYLE)


def summary(hazards: Sequence[dict[str, Any]], devices: int) -> str:
    """Return how many hazards of which kinds were found on how many devices."""
    kinds = Counter(hazard["kind"] for hazard in hazards)
    of_kinds = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    text = f"{_counted(len(hazards), 'hazard')} on {_counted(devices, 'device')}"
    return f"{text}: {of_kinds}" if hazards else text


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _section(device: dict[str, Any], hazard: dict[str, Any]) -> str:
    sites = [(name, hazard[name]) for name in ("first", "second") if hazard[name] is not None]
    places = "".join(f"<li>{name}: {escape(str(Site(**site)))}</li>" for name, site in sites)
    picture = timeline.svg([("", timeline.draw(device["tasks"], hazard))])
    name = escape(device["device"].strip("<>"))
    return (
        f'<h2><span class="kind">{hazard["kind"]}</span> on {name}</h2>'
        f"<p>{escape(hazard['problem'])}</p><ul>{places}</ul>"
        f"<p>Fix: {escape(hazard['missing'])}</p>"
        f'<div class="picture">{picture}</div>'
    )
