"""The fallback's kernel: compiled once for a version of PyTorch and kept in the cache."""

import hashlib
import shlex
import subprocess
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


def compiled_fallback() -> Path:
    """Return the library, compiling it if it does not exist."""
    command = _command()
    folder = _folder(command)
    library = folder / _LIBRARY
    if not library.is_file():
        publish(folder, lambda made: _compile(command, made))
    return library


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
        raise OptionError(
            "CXX", f"cannot compile the fallback's kernel ({shlex.join(words)}): {done.stderr}"
        )
