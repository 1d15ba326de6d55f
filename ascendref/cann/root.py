"""The install root: headers, one library under all its names, ``set_env.sh``."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

import ascendref

from ..core.errors import OptionError
from .headers import headers
from .libpython import find_libpython
from .source import functions_header, table_source

#: the names under which programs link and load the library
LIBRARIES: Final = (
    "libascendcl.so",
    "libacl_rt.so",
    "libnnopbase.so",
    "libopapi.so",
    "libopapi_nn.so",
    "libopapi_math.so",
)
_NATIVE: Final = Path(__file__).with_name("native")
_FLAGS: Final = (
    "-std=gnu11",
    "-D_GNU_SOURCE",
    "-O2",
    "-fPIC",
    "-fvisibility=hidden",
    "-shared",
    "-pthread",
)
_ENVIRONMENT: Final = """# Source this file: programs find the headers and libraries of ascendref.
export ASCEND_HOME_PATH={root}
export ASCEND_TOOLKIT_HOME={root}
export ASCEND_INSTALL_PATH={root}
export LD_LIBRARY_PATH={root}/lib64${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}
"""


def compiler(variable: str) -> list[str]:
    """Return the user's compiler, ``CC`` or ``CXX``, or say what to install."""
    command = shlex.split(os.environ.get(variable, "")) or ["cc" if variable == "CC" else "c++"]
    if shutil.which(command[0]) is None:
        raise OptionError(
            variable,
            f"no such compiler: {command[0]}; install a C and C++ compiler (Debian and"
            " Ubuntu: apt install g++; Fedora: dnf install gcc-c++), or set CC and CXX to one",
        )
    return command


def default_root() -> Path:
    """Return the folder in the user's cache for a library of this version, Python and compiler."""
    return cached_root("cann")


def cached_root(name: str, more_sources: Mapping[str, str] = MappingProxyType({})) -> Path:
    """Return the folder in the user's cache for what is made of all sources and of some more."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    digest = hashlib.sha256()
    for source, text in sorted({**_sources(find_libpython()), **more_sources}.items()):
        digest.update(f"{source}\n{text}\n".encode())
    digest.update(repr(compile_command()).encode())
    return cache / "ascendref" / name / f"{ascendref.__version__}-{digest.hexdigest()[:16]}"


def compile_command() -> list[str]:
    """Return the compiler's command up to the names of files; ``CFLAGS`` come last."""
    return [*compiler("CC"), *_FLAGS, *shlex.split(os.environ.get("CFLAGS", ""))]


def install(root: Path | None = None) -> Path:
    """Write an install root and return it; the default one only where it is missing.

    Parameters
    ----------
    root : Path, optional
        Where; None for a folder in the user's cache.
    """
    if root is None:
        root = default_root()
        if (root / "set_env.sh").is_file():
            return root
    root = root.absolute()
    try:
        publish(root, lambda made: _write(made, root))
    except OSError as error:
        raise OptionError("--prefix", f"cannot write {root}: {error}") from None
    return root


def publish(root: Path, write: Callable[[Path], None]) -> None:
    """Have a folder written beside a root, then put it in the root's place."""
    root.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root.parent, prefix=f".{root.name}.") as folder:
        made = Path(folder, "root")
        write(made)
        _move(made, root)


def _write(made: Path, root: Path) -> None:
    """Write everything below a folder that is going to be the root."""
    write_headers(made)
    (made / "lib64").mkdir()
    compile_library(made / "include", made / "lib64" / LIBRARIES[0])
    for name in LIBRARIES[1:]:
        # one file: a program that links several gets one library
        (made / "lib64" / name).symlink_to(LIBRARIES[0])
    (made / "set_env.sh").write_text(_ENVIRONMENT.format(root=shlex.quote(str(root))))


def write_headers(made: Path) -> None:
    """Write the headers below a folder."""
    for name, text in headers().items():
        path = made / "include" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _sources(libpython: Path) -> dict[str, str]:
    """Return all sources by name: those of the package, and those made from the table."""
    found = {
        path.name: path.read_text() for path in _NATIVE.iterdir() if path.suffix in (".c", ".h")
    }
    config = {"RECORDED_LIBPYTHON": str(libpython), "RECORDED_PYTHON": sys.executable}
    found["config.h"] = "".join(
        f"#define {name} {_quoted(text)}\n" for name, text in config.items()
    )
    found["functions.h"] = functions_header()
    found["table.c"] = table_source()
    return found


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def compile_library(
    include: Path,
    target: Path,
    more_sources: Mapping[str, str] = MappingProxyType({}),
    flags: Sequence[str] = (),
) -> None:
    """Compile the library of all sources and of some more."""
    with tempfile.TemporaryDirectory() as folder:
        sources = {**_sources(find_libpython()), **more_sources}
        for name, text in sources.items():
            Path(folder, name).write_text(text)
        files = [str(Path(folder, name)) for name in sorted(sources) if name.endswith(".c")]
        link([f"-I{include}", *files, *flags], target)


def link(words: Sequence[str], target: Path) -> None:
    """Make a shared library with the user's compiler, or raise an error that has its message."""
    command = [*compile_command(), *words, "-ldl", *shlex.split(os.environ.get("LDFLAGS", ""))]
    command += ["-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise OptionError(
            "CC", f"cannot compile the library ({shlex.join(command)}): {done.stderr}"
        )


def _move(made: Path, root: Path) -> None:
    """Put what was made in the place of what is there; other files there stay."""
    if not root.exists():
        try:
            made.rename(root)
            return
        except OSError:  # another process was first
            pass
    for path in sorted(made.rglob("*")):
        target = root / path.relative_to(made)
        if path.is_dir() and not path.is_symlink():
            target.mkdir(parents=True, exist_ok=True)
        else:
            path.replace(target)
