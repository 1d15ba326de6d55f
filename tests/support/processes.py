"""Running the programs of ``worker.py``."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

WORKER = Path(__file__).with_name("worker.py")


def start(program: str, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    """Start a program of the worker in a fresh process, warnings as errors."""
    # pip puts the TBB library where the dynamic linker does not look
    environment["LD_LIBRARY_PATH"] = str(Path(sys.prefix) / "lib")
    return subprocess.Popen(
        [sys.executable, "-W", "error", str(WORKER), program, *arguments],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def run_source(source: str, **environment: str) -> str:
    """Run a program that is given as source to its end; return what it printed."""
    command = [sys.executable, "-W", "error", "-c", source]
    done = subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"exit status {done.returncode}: {done.stderr}"
    return done.stdout.strip()


def finish(process: subprocess.Popen[str]) -> str:
    """Return what a program printed; a hang, an abort or a traceback fails the test."""
    try:
        out, errors = process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # its children hold on to the pipes
        raise AssertionError(f"hangs: {process.communicate()}") from None
    assert process.returncode == 0, f"exit status {process.returncode}: {errors}"
    return out.strip()


def run(program: str, *arguments: str, **environment: str) -> str:
    """Run a program of the worker to its end."""
    return finish(start(program, *arguments, **environment))
