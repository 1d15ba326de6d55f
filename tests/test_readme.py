"""The README: its length, its example, its figures, and its links on a package index."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path
from statistics import geometric_mean

import pytest

from ascendref.borrowed.table import borrowed

from .site import race_picture
from .support.processes import ROOT
from .support.readme import README, START_PAGES, blocks, shown_output

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SOURCE = PROJECT["project"]["urls"]["Source"]


def test_it_is_read_in_a_minute() -> None:
    assert len(README.splitlines()) <= 110


def test_its_example_prints_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    (program,), (shown,) = blocks(ROOT / "README.md", "python"), blocks(ROOT / "README.md", "text")
    exec(program, {})
    assert capsys.readouterr().out == shown


@pytest.mark.full
@pytest.mark.skipif(find_spec("rich") is None, reason="needs the extra cli")
def test_its_picture_is_what_the_example_does() -> None:
    assert race_picture.PICTURE.read_text(encoding="utf-8") == race_picture.picture()


#: the operators whose speed the README tells, beside prelu_backward
MEASURED = ("hardshrink_backward", "logit_grad", "smooth_l1_loss_backward", "softplus_backward")


def ratios(operators: tuple[str, ...], *kinds: str) -> list[float]:
    """Return the ratios of one thread, 1 Mi elements and the result given."""
    table = (ROOT / "docs" / "performance.tsv").read_text(encoding="utf-8")
    return [
        float(row["given 1 Mi"].strip("~"))
        for row in csv.DictReader(table.splitlines(), delimiter="\t")
        if row["operator"] in operators and row["dtype"] in kinds and row["threads"] == "1"
    ]


def test_its_figures_are_those_of_the_pages() -> None:
    sweeps = json.loads((ROOT / "docs" / "accuracy.json").read_text(encoding="utf-8"))["sweeps"]
    logit = "logit_grad", "float16", "eps=-1"
    rows = {
        row["computed"]: row
        for row in sweeps
        if (row["operator"], row["dtype"], row["setting"]) == logit
    }
    assert rows["float64"]["wrongly_rounded"] == 0
    page = (ROOT / "docs" / "checker.md").read_text(encoding="utf-8")
    (programs,) = re.findall(r"(\d+) of (\d+) programs", page)
    (prelu,) = ratios(("prelu_backward",), "float32")
    section = README[README.index("## What is measured") : README.index("## What it is not")]
    assert re.findall(r"(?<![\w-])\d[\d,.]*\d(?=[ ,;%×])", section) == [
        f"{rows['float32']['pairs']:,}",
        *[f"{rows[name]['wrongly_rounded']:,}" for name in ("torch", "float32")],
        f"{prelu:.0f}",
        f"{geometric_mean(ratios(MEASURED, 'float32')):.1f}",
        f"{geometric_mean(ratios(MEASURED, 'float16', 'bfloat16')):.1f}",
        *programs,
    ]


def test_it_counts_the_functions_that_pytorch_computes() -> None:
    (hundreds,) = re.findall(r"More than (\d)00 other functions", README)
    assert len(borrowed()) // 100 == int(hundreds)


def test_its_links_are_absolute_on_a_package_index() -> None:
    hook = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    text = README
    for substitution in hook["substitutions"]:
        text = re.sub(substitution["pattern"], substitution["replacement"], text)
    targets = re.findall(r"\]\(([^)]+)\)", text)
    assert len(targets) > 20
    for target in targets:
        folder = f"{SOURCE}/raw/main/" if target.endswith(".svg") else f"{SOURCE}/blob/main/"
        assert target.startswith(folder), target
        assert (ROOT / target.removeprefix(folder)).is_file(), target


def test_the_address_of_the_project_stands_in_one_place() -> None:
    places = [*ROOT.glob("*.*"), *(ROOT / ".github").rglob("*.*")]
    for folder in ("ascendref", "benchmarks", "docs", "examples", "tests"):
        places += [path for path in (ROOT / folder).rglob("*.*") if "_build" not in path.parts]
    text = {path.relative_to(ROOT).as_posix(): path for path in places if path.is_file()}
    found = {name for name, path in text.items() if SOURCE.encode() in path.read_bytes()}
    assert found == {"pyproject.toml", "CITATION.cff"}


@pytest.mark.exhaustive
@pytest.mark.skipif(shutil.which("c++") is None, reason="needs c++ (apt install g++)")
@pytest.mark.skipif(find_spec("typer") is None, reason="needs the extra cli")
def test_the_command_for_cpp_compiles_and_runs(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", "".join(blocks(START_PAGES / "cpp.md", "sh"))],
        cwd=tmp_path,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (0, shown_output("cpp")), done.stderr
