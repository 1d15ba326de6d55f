"""Programs in C and C++, compiled once per session with a root of the working tree."""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from ascendref.cann.root import install, program_command

PROGRAMS = Path(__file__).with_name("programs")
#: a program, not a module of tests
collect_ignore = ["programs/pyacl.py"]
#: seconds after which a program counts as hanging
HANG = 120
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-g", "-pthread")


def pytest_collection_modifyitems(items):
    """Without a compiler there is nothing to test here; CI has one."""
    if shutil.which("cc") is None or shutil.which("c++") is None:
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="needs cc and c++ (apt install g++)"))


def captured(*words, environment=(), **settings):
    """Run a command to its end with more variables; return how it went."""
    return subprocess.run(
        [*map(str, words)],
        env=os.environ | dict(environment),
        capture_output=True,
        text=True,
        **settings,
    )


def output_of(*words, **settings):
    """Run a command that succeeds; return what it printed."""
    done = captured(*words, **settings)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


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
        output_of(*program_command(variable, words, self.root))
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
def root():
    """An install root of this tree, compiled without warnings."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CFLAGS", "-Wall -Wextra -Werror")
        return install()


@pytest.fixture(scope="session")
def programs(tmp_path_factory, root):
    return Programs(tmp_path_factory.mktemp("programs"), root)
