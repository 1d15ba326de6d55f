"""Programs in C and C++, compiled once per session with a root of the working tree."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from ascendref.cann.compilers import command
from ascendref.cann.root import install

PROGRAMS = Path(__file__).with_name("programs")
#: seconds after which a program counts as hanging
HANG = 120
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-g", "-pthread")


def pytest_collection_modifyitems(items):
    """Without a compiler there is nothing to test here; CI has one."""
    if shutil.which("cc") is None or shutil.which("c++") is None:
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="needs cc and c++ (apt install g++)"))


class Programs:
    """Compiles test programs and runs them."""

    def __init__(self, folder, root, flags=()):
        self.folder = folder
        self.root = root
        self.flags = flags
        self.compiled = cache(self._compile)

    def _compile(self, source):
        target = self.folder / Path(source).stem
        variable = "CC" if source.endswith(".c") else "CXX"
        words = [*WARNINGS, *self.flags, str(PROGRAMS / source), "-o", str(target)]
        done = subprocess.run(command(variable, words, self.root), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return target

    def start(self, source, *arguments, **environment):
        """Start a program, which is compiled on first use."""
        return subprocess.Popen(
            [self.compiled(source), *map(str, arguments)],
            env=os.environ | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, source, *arguments, status=0, **environment):
        """Run a program to its end; return what it printed on stdout and on stderr."""
        process = self.start(source, *arguments, **environment)
        try:
            out, errors = process.communicate(timeout=HANG)
        finally:
            process.kill()
        assert process.returncode == status, (process.returncode, out, errors)
        return out, errors


@pytest.fixture(scope="session")
def root(tmp_path_factory):
    """An install root of this tree."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CFLAGS", "-Wall -Wextra -Werror")
        return install(tmp_path_factory.mktemp("cann") / "root")


@pytest.fixture(scope="session")
def programs(tmp_path_factory, root):
    return Programs(tmp_path_factory.mktemp("programs"), root)


@pytest.fixture(scope="session")
def python():
    """Run a Python program in a process of its own."""

    def run(text, **environment):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", text],
            env=os.environ | environment,
            capture_output=True,
            text=True,
            timeout=HANG,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
