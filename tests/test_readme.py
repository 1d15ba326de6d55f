"""The README: its length, its links, its figures, and the starts that need no compiler."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import ascendref as ar

from .support.processes import ROOT
from .support.readme import README, STARTS, without_numbers

PROJECT = "https://github.com/ascendref/ascendref"
FOLDERS = (f"{PROJECT}/blob/main/", "https://raw.githubusercontent.com/ascendref/ascendref/main/")


def test_it_is_read_in_a_minute() -> None:
    assert len(README.splitlines()) <= 120


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md", "pyproject.toml", "CITATION.cff"])
def test_absolute_links_to_the_project_name_files(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    links = re.findall(r"https://[^\s)\"'>\]]*ascendref/ascendref[^\s)\"'>\]]*", text)
    assert links
    for link in links:
        within = [link.removeprefix(folder) for folder in FOLDERS if link.startswith(folder)]
        if within:
            assert (ROOT / within[0]).is_file(), link
        else:
            assert link in (PROJECT, f"{PROJECT}/issues"), link


def test_its_links_work_on_a_package_index_too() -> None:
    targets = re.findall(r"\]\(([^)]+)\)", README)
    assert targets
    assert [target for target in targets if not target.startswith("https://")] == []


def test_its_figures_are_those_of_the_pages() -> None:
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| (.*/main/(docs/[\w-]+\.md).*) \|$", README, re.M)
    assert len(rows) == len(re.findall(r"^\| .*https://", README, re.MULTILINE))
    for measured, result, _, page in rows:
        text = (ROOT / page).read_text(encoding="utf-8")
        if page == "docs/torch-npu.md":
            ran, refused = (
                len(re.findall(r"\| runs \|", text)),
                len(re.findall(r"\| refused: ", text)),
            )
            assert result == f"{ran} of {ran + refused}; {refused} are refused with the reason"
            continue
        figures = re.findall(r"(?<![\w-])\d[\d,.]*\d", result)
        figures += re.findall(r"\d[\d,]{6,}\d", measured)  # of how many
        assert figures or page == "docs/claims.md"
        for figure in figures:
            assert re.search(rf"(?<![\d.,]){re.escape(figure)}(?![\d,])", text), figure
    cells = (ROOT / "docs" / "performance.md").read_text().split("## ")[1].count("| 1 |\n")
    assert f"the {cells} cells below their goal" in README


def test_there_is_a_start_for_each_use() -> None:
    assert list(STARTS) == [
        "A reference",
        "A faster PyTorch",
        "A C++ program",
        "A torch_npu script",
        "A bug found",
    ]


def test_the_reference_prints_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    exec(STARTS["A reference"].code, {})
    assert capsys.readouterr().out == STARTS["A reference"].output


def test_pytorch_prints_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", reason="it is an extra")
    exec(STARTS["A faster PyTorch"].code, {})
    expected = without_numbers(STARTS["A faster PyTorch"].output)
    assert without_numbers(capsys.readouterr().out) == expected


def test_the_bug_is_found_as_shown() -> None:
    start = STARTS["A bug found"]
    with pytest.raises(ar.HazardError) as info:
        exec(compile(start.code, "/tmp/race.py", "exec"), {})
    kind = type(info.value)
    report = f"{kind.__module__}.{kind.__qualname__}: {info.value}\n"
    # streams and ranges of addresses are counted per process
    shown, found = (
        re.sub(r"(stream |0x)[0-9a-f]+", r"\1", text) for text in (start.output, report)
    )
    assert found == shown


@pytest.mark.exhaustive
@pytest.mark.skipif(shutil.which("c++") is None, reason="needs c++ (apt install g++)")
@pytest.mark.skipif(find_spec("typer") is None, reason="needs the extra cli")
def test_the_command_for_cpp_compiles_and_runs(tmp_path: Path) -> None:
    start = STARTS["A C++ program"]
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", start.code],
        cwd=tmp_path,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (0, start.output), done.stderr
