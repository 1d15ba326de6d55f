"""The install root: headers, one library under all its names, ``set_env.sh``; and compilers."""

import hashlib
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Final, NoReturn

import ascendref

from ..core.errors import OptionError
from ..core.output_files import user_cache
from .headers import headers
from .source import absent_source, functions_header, table_source

#: the names under which programs link and load the library
LIBRARIES: Final = tuple(
    f"lib{name}.so"
    for name in (
        "ascendcl acl_rt acl_op_compiler nnopbase opapi opapi_nn opapi_math runtime"
    ).split()
)
_NATIVE: Final = Path(__file__).with_name("native")
_FLAGS: Final = "-std=gnu11 -D_GNU_SOURCE -O2 -fPIC -fvisibility=hidden -shared -pthread".split()
#: the beginning of ``set_env.sh``, which shows whose root it is
_FIRST_LINE: Final = (
    "# Source this file: builds and programs find ascendref where they look for CANN."
)
#: variables of the vendor's set_env.sh -> folders of the root
_VARIABLES: Final = {
    "ASCEND_HOME_PATH": "",
    "ASCEND_TOOLKIT_HOME": "",
    "ASCEND_INSTALL_PATH": "",
    "ASCEND_AICPU_PATH": "",
    "ASCEND_OPP_PATH": "/opp",
    "TOOLCHAIN_HOME": "/toolkit",
}
_SEARCH_PATHS: Final = {
    "LD_LIBRARY_PATH": "/lib64",
    "PATH": "/bin",
    "PYTHONPATH": "/python/site-packages",
}
#: folders in which the vendor's components have their own headers and libraries
_ARCHITECTURE: Final = platform.machine()
_COMPONENTS: Final = (
    *"acllib atc compiler fwkacllib runtime toolkit".split(),
    f"{_ARCHITECTURE}-linux",
)
#: folders with the libraries for linking on machines without a device
_STUBS: Final = ("devlib", f"devlib/{_ARCHITECTURE}", f"devlib/linux/{_ARCHITECTURE}")
_FOLDERS: Final = ("lib64", "opp/vendors", *_STUBS)
#: the folder for Python, and the module in it; `pyacl` makes the module
PYTHON: Final = _SEARCH_PATHS["PYTHONPATH"].removeprefix("/")
_ACL: Final = f'''"""The vendor's Python interface (pyACL) to the emulated device of ascendref."""

import sys
from pathlib import Path

from ascendref.cann.pyacl import module

folder = Path(__file__).absolute().parent
sys.modules[__name__] = module(folder.parents[1] / "lib64" / "{LIBRARIES[0]}", folder)
'''


def words_of(variable: str) -> list[str]:
    """Return the words of a variable, as a shell takes them."""
    text = os.environ.get(variable, "")
    try:
        return shlex.split(text)
    except ValueError as error:
        raise OptionError(variable, f"{text!r} is not a list of words: {error}") from None


def compiler(variable: str) -> list[str]:
    """Return the user's compiler, ``CC`` or ``CXX``, or say what to install."""
    command = words_of(variable) or ["cc" if variable == "CC" else "c++"]
    if shutil.which(command[0]) is None:
        raise OptionError(
            variable,
            f"no such compiler: {command[0]}; install a C and C++ compiler (Debian and"
            " Ubuntu: apt install g++; Fedora: dnf install gcc-c++), or set CC and CXX to one",
        )
    return command


def find_libpython() -> Path:
    """Return the path of libpython, or raise an error that says how to install it."""
    for path in _candidates():
        if path.is_file():
            return path.resolve()
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    raise OptionError(
        "Python",
        f"{sys.executable} has no shared library libpython{version}, which programs need to run it;"
        f" install it (Debian and Ubuntu: apt install libpython{version}; pyenv: build Python with"
        " PYTHON_CONFIGURE_OPTS=--enable-shared), or set ASCENDREF_LIBPYTHON to its path",
    )


def _candidates() -> Iterator[Path]:
    chosen = os.environ.get("ASCENDREF_LIBPYTHON")
    if chosen:
        yield Path(chosen)
        return
    variables = sysconfig.get_config_vars()
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    names = [variables.get(name) for name in ("INSTSONAME", "LDLIBRARY")]
    names += [f"libpython{version}.so.1.0", f"libpython{version}.so"]
    folder, multiarch = variables.get("LIBDIR"), variables.get("MULTIARCH")
    folders = [folder, f"{sys.base_prefix}/lib", f"{folder}/{multiarch}", f"/usr/lib/{multiarch}"]
    for place, name in product(folders, names):
        if place and name and ".so" in str(name):
            yield Path(str(place), str(name))


def cached_root(name: str, more_sources: Mapping[str, str] = MappingProxyType({})) -> Path:
    """Return the folder in the user's cache for these sources, this Python and this compiler."""
    digest = hashlib.sha256()
    texts = {**_sources(find_libpython()), **headers(), "acl.py": _ACL, **more_sources}
    for source, text in sorted(texts.items()):
        digest.update(f"{source}\n{text}\n".encode())
    command = compile_command(), words_of("LDFLAGS")
    digest.update(repr((command, _links(), set_env(Path()))).encode())
    return user_cache() / name / f"{ascendref.__version__}-{digest.hexdigest()[:16]}"


def compile_command() -> list[str]:
    """Return the compiler's command up to the names of files; ``CFLAGS`` come last."""
    return [*compiler("CC"), *_FLAGS, *words_of("CFLAGS")]


def install(root: Path | None = None, *, allow_absent: bool = False) -> Path:
    """Write an install root, or None for one in the user's cache unless it exists; return it.

    With ``allow_absent``, programs that call absent functions compile and link with it.
    """
    option = "--prefix"
    if root is None:
        root, option = cached_root("cann", _absent(allow_absent)), "XDG_CACHE_HOME"
        if (root / "set_env.sh").is_file():
            return root
    root = root.absolute()
    try:
        if option == "--prefix" and not _may_be_written(root):
            raise OptionError(
                option,
                f"{root} has files of others; a new or empty folder, or one that has been the"
                " prefix before, is expected",
            )
        publish(root, lambda made: _write(made, root, allow_absent))
    except OSError as error:
        raise OptionError(option, f"cannot write {root}: {error.strerror or error}") from None
    return root


def _may_be_written(root: Path) -> bool:
    """Tell whether nothing in a folder, if it exists, belongs to others."""
    script = root / "set_env.sh"
    if script.is_file():
        return script.read_text(errors="replace").startswith(_FIRST_LINE)
    return not root.exists() or not any(root.iterdir())


def publish(root: Path, write: Callable[[Path], None]) -> None:
    """Write a folder beside a root, then move it to the root's place."""
    root.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root.parent, prefix=f".{root.name}.") as folder:
        made = Path(folder, "root")
        write(made)
        _move(made, root)


def _write(made: Path, root: Path, allow_absent: bool) -> None:
    write_headers(made, allow_absent=allow_absent)
    for folder in _FOLDERS:
        (made / folder).mkdir(parents=True, exist_ok=True)
    compile_library(made / "include", made / "lib64" / LIBRARIES[0], _absent(allow_absent))
    for place, target in _links().items():
        (made / place).parent.mkdir(parents=True, exist_ok=True)
        (made / place).symlink_to(os.path.relpath(target, Path(place).parent))
    (made / PYTHON).mkdir(parents=True)
    (made / PYTHON / "acl.py").write_text(_ACL)
    (made / "set_env.sh").write_text(set_env(root))


def _absent(allow_absent: bool) -> dict[str, str]:
    return {"absent.c": absent_source(allow_absent=allow_absent)}


def _links() -> dict[str, str]:
    """Return the symbolic links: scripts for the vendor's releases look in different places."""
    # one file: a program that links several gets one library
    links = {f"lib64/{name}": f"lib64/{LIBRARIES[0]}" for name in LIBRARIES[1:]}
    links |= {f"{folder}/{name}": f"lib64/{name}" for folder in _STUBS for name in LIBRARIES}
    links |= {"lib64/stub": "devlib", "bin/setenv.bash": "set_env.sh"}
    for component in _COMPONENTS:
        links |= {f"{component}/{name}": name for name in ("bin", "devlib", "include", "lib64")}
    return links


def set_env(root: Path) -> str:
    """Return the POSIX shell script that makes builds and programs use a root."""
    lines = [_FIRST_LINE]
    for name, folder in _VARIABLES.items():
        lines.append(f"export {name}={shlex.quote(f'{root}{folder}')}")
    for name, folder in _SEARCH_PATHS.items():
        place = shlex.quote(f"{root}{folder}")
        lines += [
            f'case ":${{{name}:-}}:" in',
            f"    *:{place}:*) ;;",
            f'    *) export {name}={place}"${{{name}:+:${name}}}" ;;',
            "esac",
        ]
    return "\n".join([*lines, ""])


def write_headers(made: Path, *, allow_absent: bool = False) -> None:
    for name, text in headers(allow_absent=allow_absent).items():
        path = made / "include" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _sources(libpython: Path) -> dict[str, str]:
    """Return all sources by name: the package's, and those generated from the table."""
    found = {
        path.name: path.read_text() for path in _NATIVE.iterdir() if path.suffix in (".c", ".h")
    }
    config = {"RECORDED_LIBPYTHON": str(libpython), "RECORDED_PYTHON": sys.executable}
    found["config.h"] = "".join(
        f"#define {name} {json.dumps(text, ensure_ascii=False)}\n" for name, text in config.items()
    )
    found["functions.h"] = functions_header()
    found["table.c"] = table_source()
    return found


def compile_library(
    include: Path,
    target: Path,
    more_sources: Mapping[str, str] = MappingProxyType({}),
    flags: Sequence[str] = (),
) -> None:
    """Compile the library from all sources and these additional ones."""
    with tempfile.TemporaryDirectory() as folder:
        sources = {**_sources(find_libpython()), **more_sources}
        for name, text in sources.items():
            Path(folder, name).write_text(text)
        files = [str(Path(folder, name)) for name in sorted(sources) if name.endswith(".c")]
        link([f"-I{include}", *files, *flags], target)


def link(words: Sequence[str], target: Path) -> None:
    """Link a shared library with the user's compiler, or raise an error with its message."""
    command = [*compile_command(), *words, "-ldl", "-lm"]
    command += [*words_of("LDFLAGS"), "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        problem = f"cannot compile the library ({shlex.join(command)}): {done.stderr}"
        raise OptionError("CC", problem)


def _move(made: Path, root: Path) -> None:
    """Replace the files of a root by the new ones; other files stay."""
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


#: options after which nothing is linked
_NO_LINK: Final = frozenset(("-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"))


def program_command(variable: str, arguments: list[str], root: Path) -> list[str]:
    """Return the command that compiles a program with a root."""
    # the checker names lines of the program; a later -g0 leaves them out
    found = [*compiler(variable), "-g", *arguments]
    found += [f"-I{root / 'include'}", f"-I{root / 'include' / 'aclnn'}"]
    if not _NO_LINK.intersection(arguments):
        library = root / "lib64"
        found += [f"-L{library}", f"-Wl,-rpath,{library}", "-lascendcl", "-lnnopbase", "-lopapi"]
    return found


def run_compiler(variable: str, arguments: list[str], *, allow_absent: bool) -> NoReturn:
    """Replace this process by the user's compiler."""
    words = program_command(variable, arguments, install(allow_absent=allow_absent))
    os.execvp(words[0], words)
