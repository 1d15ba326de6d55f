"""Calling the command line in this process."""

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from ascendref.cli import main

#: data and gradients of most tests
X = np.array([[-2.0, -0.5, 0.25], [0.75, 3.0, -0.125]], np.float32)
G = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32)


class Result(NamedTuple):
    """How a call ended, and what it printed."""

    exit_code: int
    stdout: str
    stderr: str


def call(*arguments: object) -> Result:
    """Call the command line."""
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as errors:
        status = status_of(*arguments)
    return Result(status, out.getvalue(), errors.getvalue())


def status_of(*arguments: object) -> int:
    """Call the command line as its script does; it prints to the streams of this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["ascendref", *map(str, arguments)])
        return main()


def python(
    *words: object, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run Python in a new process, with more variables; return how it went."""
    return subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=cwd,
        env=os.environ | {"PYTHONUTF8": "1"} | environment,
        capture_output=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )


def assert_bad_call(done: Result, words: str) -> None:
    """Assert that a call ended with one line about it, and status 2."""
    assert done.exit_code == 2
    assert words in done.stderr
    assert done.stderr.startswith("ascendref: ")
    assert done.stderr.count("\n") == 1
    assert not done.stdout
