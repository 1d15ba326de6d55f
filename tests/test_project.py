"""The project's own rules: lint, types, layers, and what the README promises."""

import inspect
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

import ascendref as ar
from ascendref.verify.setting import settings

from .support.processes import ROOT, run


@pytest.mark.full
@pytest.mark.parametrize(
    "command",
    [
        ("-m", "ruff", "check"),
        ("-m", "ruff", "format", "--check"),
        pytest.param(("-m", "mypy"), marks=pytest.mark.full),
        pytest.param(
            ("-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"),
            marks=pytest.mark.full,
        ),
    ],
    ids=["lint", "format", "types", "imports"],
)
def test_check(command):
    run(*command)


def test_import_loads_neither_extras_nor_peers():
    loaded = set(run("-c", "import sys, ascendref; print(*sys.modules)").split())
    assert not loaded & {"jax", "numba", "numpy.ma", "rich", "sklearn", "torch", "typer"}


def test_the_first_block_of_the_readme_is_two_commands_which_pull_requests_run():
    block = re.search(r"```\w*\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert block is not None
    lines = block[1].splitlines()
    assert len(lines) == 2
    assert all(line.startswith("pip install ") for line in lines)
    workflow = (ROOT / ".github" / "workflows" / "test.yml").read_text()
    assert re.findall(r"^ +- run: (.*)$", workflow, re.MULTILINE) == lines


SECTION = re.compile(r"^(\w+)\n-+\n", re.MULTILINE)


def sections(text: str) -> dict[str, str]:
    """Return the sections of a docstring, the summary as that of no name."""
    parts = ["", *SECTION.split(text)]
    return {name: body.strip() for name, body in zip(parts[::2], parts[1::2], strict=True)}


def test_every_operator_is_public_and_documented():
    for name in ar.OPERATORS:
        function = getattr(ar, name)
        assert name in ar.__all__
        found = sections(inspect.getdoc(function))
        assert re.match(r"Return [^\n]*\.(\n\n|$)", found[""]), name
        names = re.findall(r"^([a-z]\w*(?:, \w+)*) : .", found["Parameters"], re.MULTILINE)
        assert ", ".join(names).split(", ") == list(inspect.signature(function).parameters)
        assert "common rules of array functions" in found["Parameters"], name
        assert found["Returns"], name
        assert f"ar.{name}(" in found["Examples"]


def notes(name: str) -> str:
    return " ".join(sections(inspect.getdoc(getattr(ar, name)))["Notes"].split())


def test_notes_name_the_source_of_the_formula_and_the_bound():
    for name, operator in ar.OPERATORS.items():
        text = notes(name)
        assert (operator.api or "Formula: PyTorch's") in text
        if other := re.search(r"F32: as for `(\w+)`", text):
            text = notes(other[1])
        bound = settings(name)[0].bound("float32", "float32", 1)
        rounded = bound.rounded or bound.ulp <= 0.5
        words = "[Cc]orrectly rounded|Exact" if rounded else rf"\b{bound.ulp:g} ulp"
        assert re.search(words, text), f"{name}: {bound}"


def test_the_types_are_published():
    spec = find_spec("ascendref")
    assert spec is not None
    assert Path(str(spec.origin)).with_name("py.typed").is_file()


def test_the_citation_has_the_version_of_the_package():
    text = (ROOT / "CITATION.cff").read_text()
    assert re.findall(r"^version: (.*)$", text, re.MULTILINE) == [ar.__version__]


def test_the_newest_section_of_the_changelog_is_this_version():
    first = re.search(
        r"^## \[(.*?)\] - (\d{4}-\d\d-\d\d)$", (ROOT / "CHANGELOG.md").read_text(), re.M
    )
    assert first is not None
    assert first[1] == ar.__version__
    assert f'date-released: "{first[2]}"' in (ROOT / "CITATION.cff").read_text()
