"""The Python programs in the documents run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .support.processes import ROOT


@pytest.mark.parametrize("name", ["README.md", "docs/from-cpp.md"])
def test_the_programs_of_a_document_run_one_after_the_other(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    programs = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert programs
    exec(compile("\n".join(programs), name, "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize(
    "path", [ROOT / "README.md", *(ROOT / "docs").glob("*.md")], ids=lambda path: path.name
)
def test_links_between_documents_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target
