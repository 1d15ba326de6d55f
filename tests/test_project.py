"""The project's own rules: lint, types, layers, and what the README promises."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

import ascendref as ar

from .support.processes import ROOT, run


@pytest.mark.parametrize(
    "command",
    [
        ("-m", "ruff", "check"),
        ("-m", "ruff", "format", "--check"),
        ("-m", "mypy"),
        ("-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"),
    ],
    ids=["lint", "format", "types", "imports"],
)
def test_check(command):
    run(*command)


def test_import_loads_neither_extras_nor_peers():
    loaded = set(run("-c", "import sys, ascendref; print(*sys.modules)").split())
    assert not loaded & {"jax", "numba", "numpy.ma", "rich", "sklearn", "torch", "typer"}


def test_the_first_block_of_the_readme_is_two_commands():
    block = re.search(r"```\w*\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert block is not None
    lines = block[1].splitlines()
    assert len(lines) == 2
    assert all(line.startswith("pip install ") for line in lines)


def test_every_operator_is_public_and_documented():
    for name, operator in ar.OPERATORS.items():
        function = getattr(ar, name)
        assert name in ar.__all__
        assert function.__doc__ is not None
        for section in ("Parameters", "Returns", "Raises", "Notes", "Examples"):
            assert f"{section}\n" in function.__doc__
        assert operator.api in function.__doc__


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
