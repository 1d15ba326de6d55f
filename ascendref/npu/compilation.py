"""The fallback's kernel in C++: compiled once for a version of PyTorch and kept in the cache."""

from __future__ import annotations

import hashlib
import shlex
import subprocess
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Final

import torch

from ..cann.root import compiler, publish, words_of
from ..core.errors import OptionError
from ..core.output_files import user_cache

_SOURCE: Final = Path(__file__).with_name("native") / "fallback.cpp"
_FLAGS: Final = "-std=c++20 -O2 -fPIC -fvisibility=hidden -shared -pthread".split()
_LIBRARY: Final = "libfallback.so"
#: the compiler's message, in place of a library that it failed to make
_PROBLEM: Final = "problem.txt"


def compiled_fallback() -> Path | None:
    """Return the library, compiling it if it does not exist; None if that is impossible.

    Warns if the compiler fails. Its message is kept, so that it is not tried again.
    """
    try:
        command = _command()
    except OptionError:  # no compiler
        return None
    folder = _folder(command)
    library, problem = folder / _LIBRARY, folder / _PROBLEM
    if not (library.is_file() or problem.is_file()):
        publish(folder, lambda made: _compile(command, made))
    if library.is_file():
        return library
    warnings.warn(
        f"the fallback to the CPU is slow: its kernel cannot be compiled; {problem} says why",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


def _command() -> list[str]:
    """Return the compiler's command up to the output; ``CXXFLAGS`` come last."""
    package = Path(torch.__file__).parent
    theirs = package.with_name("torch_npu")
    headers = [f"-I{package / 'include'}", f"-isystem{theirs / 'include'}"]
    words = [*compiler("CXX"), *_FLAGS, *words_of("CXXFLAGS"), *headers, str(_SOURCE)]
    return [
        *words,
        f"-L{package / 'lib'}",
        "-lc10",
        "-ltorch_cpu",
        f"-L{theirs / 'lib'}",
        "-ltorch_npu",
    ]


def _folder(command: list[str]) -> Path:
    parts = (command, torch.__version__, version("torch-npu"), _SOURCE.read_text())
    digest = hashlib.sha256(repr(parts).encode()).hexdigest()
    return user_cache() / "npu-fallback" / digest[:16]


def _compile(command: list[str], made: Path) -> None:
    made.mkdir()
    words = [*command, "-o", str(made / _LIBRARY)]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        (made / _PROBLEM).write_text(f"{shlex.join(words)}\n{done.stderr}")
