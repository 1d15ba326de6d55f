"""Names of files that cannot be used: one line about the option, and exit status 2."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import numpy as np
import pytest

from .command_line import status_of

pytestmark = pytest.mark.skipif(os.name == "nt", reason="names and permissions are POSIX's")

RUN = ("run", "hardshrink_backward")
VERIFY = ("verify", "hardshrink_backward", "--dtype", "float16", "--no-torch")
BENCH = ("bench", "hardshrink_backward", "--size", "16", "--seconds", "0.001", "--peer", "none")

#: what is read: name of the argument, and arguments with a place for the file's name
READ = {
    "run --input": ("--input", (*RUN, "--output", "/dev/null", "--input", "{}.npz")),
    "run --input NAME=": ("--input", (*RUN, "--output", "/dev/null", "--input", "self={}.npy")),
    # --state where the file cannot be used at all, else --resume
    "verify --resume": ("--", (*VERIFY, "--resume", "--state", "{}")),
    "judge": ("FILE", ("judge", "hardshrink_backward", "{}.npz")),
    "judge NAME=": ("FILE", ("judge", "hardshrink_backward", "self={}.npy")),
    "check": ("PROGRAM", ("check", "{}.py")),
    "check compiled": ("PROGRAM", ("check", "{}")),
    "npu": ("SCRIPT", ("npu", "{}.py")),
}
#: the same for what is written
WRITTEN = {
    "run --output": ("--output", (*RUN, "--input", "in.npz", "--output", "{}.npz")),
    "check --html": ("--html", ("check", "--html", "{}", "ok.py")),
    "judge --html": ("--html", ("judge", "--html", "{}", "hardshrink_backward", "in.npz")),
    "verify --inputs": ("--inputs", (*VERIFY, "--inputs", "{}.npz")),
    "npu --report-file": ("--report-file", ("npu", "--report-file", "{}", "ok.py")),
    "verify --state": ("--state", (*VERIFY, "--state", "{}")),
    "verify --plot": ("--plot", (*VERIFY, "--plot", "{}.png")),
    "verify --report": ("--report", (*VERIFY, "--report", "{}")),
    "study --plot": ("--plot", ("study", "logit_grad", "--plot", "{}.png")),
    "bench --plot": ("--plot", (*BENCH, "--plot", "{}.png")),
    "bench --report": ("--report", (*BENCH, "--report", "{}")),
    "cann --prefix": ("--prefix", ("cann", "--prefix", "{}")),
}
OPTIONS = {**READ, **WRITTEN}
#: name -> options that can write a file or a folder of this name
NAMES: dict[str, tuple[str, ...]] = {
    "x" * 300: (),
    "/".join(["y" * 200] * 25): (),
    "nul\0byte": (),
    "new\nline": tuple(WRITTEN),
    "new\nline/x": ("verify --state", "cann --prefix"),
    "missing": tuple(WRITTEN),
    "missing/x": ("verify --state", "cann --prefix"),
    "a file/x": (),
    "a folder": ("cann --prefix",),
    "loop": (),
    "loop/x": (),
    "locked/x": (),
}
SUFFIXES = ("", ".npz", ".npy", ".py", ".png")
ROWS = [
    (option, name) for option in OPTIONS for name, taken in NAMES.items() if option not in taken
]


@contextmanager
def without_privileges() -> Iterator[None]:
    """Be a user whom permissions hold back."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def status(arguments: tuple[str, ...], name: str) -> int:
    """Call the command line with a name."""
    return status_of(*[word.replace("{}", name) for word in arguments])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder with files, in which the command line is called."""
    np.savez(tmp_path / "in.npz", grad_output=np.ones(2), self=np.ones(2))
    (tmp_path / "ok.py").touch()
    (tmp_path / "a file").touch()
    for suffix in SUFFIXES:
        (tmp_path / f"a folder{suffix}").mkdir()
        (tmp_path / f"loop{suffix}").symlink_to(f"loop{suffix}")
    (tmp_path / "locked").mkdir(0)
    monkeypatch.chdir(tmp_path)
    # names are relative, as the folders above are not for all users
    tmp_path.chmod(0o777)
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    yield tmp_path
    (tmp_path / "locked").chmod(0o700)


@pytest.mark.daily(3)
@pytest.mark.parametrize(("option", "name"), ROWS, ids=lambda text: text[:20])
def test_a_name_that_cannot_be_used_is_one_line(
    option: str, name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argument, words = OPTIONS[option]
    status(words, "x" * 300)  # imports what the command needs
    capsys.readouterr()
    with without_privileges() if name == "locked/x" else nullcontext():
        found = status(words, name)
    out, errors = capsys.readouterr()
    assert found == 2
    assert errors.startswith("ascendref: ")
    assert argument.lower() in errors.lower()
    assert errors.count("\n") == 1
    assert not out
    kept = {"in.npz", "ok.py", "a file", "locked", "cache"}
    kept |= {f"{name}{suffix}" for name in ("a folder", "loop") for suffix in SUFFIXES}
    assert {path.name for path in folder.iterdir()} <= kept


@pytest.mark.parametrize("command", [("cc", "{}"), ("c++", "{}"), ("check", "ok.py", "{}")])
def test_a_word_that_no_program_can_be_given_is_one_line(
    command: tuple[str, ...],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("ascendref.cann.root.install", lambda **_: folder)
    for name in ("nul\0byte", "x" * 4_000_000):
        assert status(command, name) == 2
        errors = capsys.readouterr().err
        assert "cannot be run: " in errors
        assert errors.count("\n") == 1
