"""Running Python in processes of its own, with warnings as errors."""

import os
import signal
import subprocess
import sys
from pathlib import Path

#: the folder that holds the package ``tests``
ROOT = Path(__file__).parents[2]


def start(*arguments: object, cwd: Path = ROOT, **environment: str) -> subprocess.Popen[str]:
    """Start Python with some arguments and variables of the environment."""
    # pip puts the TBB library where the dynamic linker does not look
    environment["LD_LIBRARY_PATH"] = str(Path(sys.prefix) / "lib")
    return subprocess.Popen(
        [sys.executable, "-W", "error", *map(str, arguments)],
        cwd=cwd,
        env=os.environ | {"PYTHONUTF8": "1"} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )


def start_program(name: str, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    """Start one of the programs in ``programs.py``."""
    return start("-m", "tests.support.programs", name, *arguments, **environment)


def communicate(process: subprocess.Popen[str], timeout: float = 240) -> tuple[str, str]:
    """Return what a process printed until its end, and its errors; a hang fails the test."""
    try:
        return process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired as expired:
        os.killpg(process.pid, signal.SIGKILL)
        # not what comes later: those of its children that have sessions of their own hold the pipes
        raise AssertionError(f"hangs: {expired.stdout!r} {expired.stderr!r}") from None


def finish(process: subprocess.Popen[str], timeout: float = 240) -> str:
    """Return what a process printed; a hang, an abort or a traceback fails the test."""
    out, errors = communicate(process, timeout)
    assert process.returncode == 0, f"exit status {process.returncode}: {out}{errors}"
    return out.strip()


def run(*arguments: object, cwd: Path = ROOT, timeout: float = 240, **environment: str) -> str:
    """Run Python to its end; return what it printed."""
    return finish(start(*arguments, cwd=cwd, **environment), timeout)


def run_program(name: str, *arguments: str, **environment: str) -> str:
    """Run one of the programs in ``programs.py`` to its end; return what it printed."""
    return finish(start_program(name, *arguments, **environment))
