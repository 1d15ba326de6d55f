"""The Python programs in the documents run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .support.processes import ROOT


@pytest.mark.parametrize(
    "name",
    ["README.md", "docs/from-cpp.md", "docs/torch.md", "docs/jax.md", "docs/scale.md"],
)
def test_the_programs_of_a_document_run_one_after_the_other(name: str) -> None:
    if name in ("docs/jax.md", "docs/torch.md"):
        pytest.importorskip(name[5:-3], reason="it is an extra")
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


def test_the_code_tour_names_what_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    tour = text[text.index("## Code tour") : text.index("## Add an operator")]
    paths = [path for path in (ROOT / "ascendref").rglob("*") if path.suffix in (".c", ".h", ".py")]
    files = {path.as_posix(): path.read_text() for path in paths}
    source = "\n".join(files.values())
    for name in set(re.findall(r"`([\w/.]+)`", tour)):
        if name.endswith((".c", ".py", "/")):
            assert any(f"/{name}" in path for path in files), name
        else:
            assert re.search(rf"\b{name.rpartition('.')[2]}\b", source), name
