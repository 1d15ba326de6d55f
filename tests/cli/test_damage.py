"""Whatever a file of arrays holds, the command line ends well or with one line and status 2."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from ascendref.cli import run

from ..support.array_files import archives, arrays, damaged_files, odd_files
from ..support.daily import todays
from .command_line import call

pytestmark = pytest.mark.full


@pytest.fixture(autouse=True)
def no_warm_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call is timed once."""
    monkeypatch.setattr(run, "_SECONDS", 0.0)


def survive(files: Iterable[bytes], folder: Path) -> Counter[str]:
    """Run an operator on every file; return how many ended in which way."""
    path, out = folder / "in.npz", folder / "out.npz"
    ends: Counter[str] = Counter()
    for number, content in enumerate(files):
        path.write_bytes(content)
        inputs = ["--input", path]
        if not content.startswith(b"PK"):
            inputs = ["--input", f"dy={path}", "--input", f"x={path}"]
        try:
            status, printed, said = call("run", "logit_grad", *inputs, "--output", out)
        except BaseException as error:
            raise AssertionError(f"file {number}: {content!r}") from error
        lines = said.splitlines(keepends=True)
        told = len(lines) == 1 and said.startswith("ascendref: ") and said.endswith("\n")
        good = (status == 0 and not said) or (status == 2 and told and not printed)
        assert good, f"file {number} ended with {status} and {said!r}: {content!r}"
        assert out.exists() == (status == 0)
        out.unlink(missing_ok=True)
        ends[f"status {status}"] += 1
    return ends


def test_files_that_are_whole_are_read_or_refused(tmp_path: Path) -> None:
    ends = survive([*arrays(), *archives()], tmp_path)
    assert ends["status 0"] > len(archives())


LONG = pytest.mark.exhaustive


@pytest.mark.parametrize(("every", "least"), [(False, 150), pytest.param(True, 600, marks=LONG)])
def test_files_that_no_accident_makes(every: bool, least: int, tmp_path: Path) -> None:
    assert survive(odd_files(every=every), tmp_path)["status 2"] > least


@pytest.mark.parametrize(
    ("count", "seed"),
    [(100, 0), *[pytest.param(1000, seed, marks=LONG) for seed in todays(range(1, 5), 4)]],
)
def test_files_that_are_damaged(count: int, seed: int, tmp_path: Path) -> None:
    assert survive(damaged_files(count, seed), tmp_path)["status 2"] > count // 2
