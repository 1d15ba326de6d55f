"""The README: its starts, each a block of code and the output that it shows."""

from __future__ import annotations

import re
from typing import NamedTuple

from .processes import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


class Start(NamedTuple):
    """A block of code, and the block of text below it."""

    title: str
    language: str
    code: str
    output: str


STARTS = {
    match[1]: Start(*match.groups())
    for match in re.finditer(
        r"^\*\*([^*]+)\*\*(?:(?!```).)*```(\w+)\n(.*?)^```\n```text\n(.*?)^```",
        README,
        re.MULTILINE | re.DOTALL,
    )
}


def without_numbers(text: str) -> str:
    """Return a text in which every number with a fraction is the same: times and losses."""
    return re.sub(r"\d+\.\d+", "0.0", text)
