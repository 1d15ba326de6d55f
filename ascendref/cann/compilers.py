"""The user's compilers with the flags that programs for the device need."""

import os
from pathlib import Path
from typing import Final, NoReturn

from .root import compiler, install

#: options after which nothing is linked
_NO_LINK: Final = frozenset(("-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"))


def command(variable: str, arguments: list[str], root: Path) -> list[str]:
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
    words = command(variable, arguments, install(allow_absent=allow_absent))
    os.execvp(words[0], words)
