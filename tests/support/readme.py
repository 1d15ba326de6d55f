"""Programs in the documents, and the output that is shown for them."""

import re
from pathlib import Path

from .processes import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
START_PAGES = ROOT / "docs" / "start"


def blocks(path: Path, language: str) -> list[str]:
    """Return the blocks of a Markdown file that are marked with a language."""
    text = path.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def shown_output(page: str) -> str:
    """Return what a page of docs/start shows as the output of its program."""
    return "".join(blocks(START_PAGES / f"{page}.md", "text"))


def without_numbers(text: str) -> str:
    """Return a text in which every number with a fraction is the same: times and losses."""
    return re.sub(r"\d+\.\d+", "0.0", text)
