"""Ctrl-C: one line on stderr, status 130, and what was done so far."""

import json
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ascendref.cli import bench, demo, doctor, run, study

from .command_line import status_of

BENCH = ("bench", "hardshrink_backward", "--dtype", "float32", "--peer", "none", "--size", 16,
         "--seconds", 0.001)  # fmt: skip
#: what is called, module and name of a function that is first called in the first step, what the
#: steps are, and how many of them JSON has
CASES: dict[str, tuple[tuple[object, ...], Any, str, str, Callable[[Any], int]]] = {
    "demo": (("demo",), demo.digits, "adam", "epochs", lambda found: len(found["epochs"])),
    "bench": (BENCH, bench, "measure", "measurements", lambda found: len(found["rows"])),
    "study": (("study",), study, "study", "operators", len),
    "doctor": (
        ("doctor",), doctor, "check_operator", "checks", lambda found: len(found["checks"])
    ),
}  # fmt: skip


@pytest.fixture
def press(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, str], None]:
    """Return a function that has Ctrl-C pressed when a function of a module is first called."""

    def patch(module: Any, name: str) -> None:
        function, presses = getattr(module, name), iter([signal.SIGINT])

        def pressed(*arguments: Any) -> Any:
            for number in presses:
                signal.raise_signal(number)
            return function(*arguments)

        monkeypatch.setattr(module, name, pressed)

    return patch


@pytest.mark.full
@pytest.mark.parametrize("case", CASES)
def test_ctrl_c_ends_a_command_after_its_step(
    case: str, press: Callable[[Any, str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    words, module, function, steps, count = CASES[case]
    press(module, function)
    handler = signal.getsignal(signal.SIGINT)
    assert status_of(*words, "--json") == 130
    assert signal.getsignal(signal.SIGINT) is handler
    out, errors = capsys.readouterr()
    assert re.fullmatch(rf"ascendref: interrupted after 1 of \d+ {steps}\n", errors)
    assert count(json.loads(out)) == 1


def test_ctrl_c_keeps_what_bench_measured_in_its_files(
    press: Callable[[Any, str], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    press(bench, "measure")
    report = tmp_path / "report.md"
    assert status_of(*BENCH, "--report", report) == 130
    errors = capsys.readouterr().err
    assert errors.startswith("ascendref: interrupted after 1 of ")
    assert errors.endswith(f"\nwritten to {report}\n")
    assert "hardshrink_backward" in report.read_text(encoding="utf-8")


def test_ctrl_c_ends_run_without_a_file(
    press: Callable[[Any, str], None],
    inputs: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    press(run, "timed")
    out = tmp_path / "out.npy"
    assert status_of("run", "hardshrink_backward", "--input", inputs, "--output", out) == 130
    assert capsys.readouterr() == ("", "ascendref: interrupted\n")
    assert not out.exists()
