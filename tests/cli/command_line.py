"""Calling the command line in this process."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from ascendref.cli.app import app, run_app

#: data and gradients of most tests
X = np.array([[-2.0, -0.5, 0.25], [0.75, 3.0, -0.125]], np.float32)
G = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32)


def call(*arguments: object) -> Result:
    """Call the command line."""
    return CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)


def status_of(*arguments: object) -> int:
    """Call the command line as its script does; it prints to the streams of this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["ascendref", *map(str, arguments)])
        return run_app()


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
    assert done.stderr.count("\n") == 1
    assert not done.stdout
