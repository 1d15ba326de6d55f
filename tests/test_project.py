"""The project's own rules: lint, types, layers, and what the README promises."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import ascendref as ar

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "command",
    [
        ("ruff", "check"),
        ("ruff", "format", "--check"),
        ("mypy",),
        ("importlinter.cli", "lint"),
    ],
    ids=" ".join,
)
def test_check(command):
    program = (
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"]
        if command[0] == "importlinter.cli"
        else [sys.executable, "-m", *command]
    )
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_import_loads_neither_extras_nor_peers():
    program = "import sys, ascendref; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert not loaded & {"numba", "numpy.ma", "rich", "sklearn", "torch", "typer"}


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
