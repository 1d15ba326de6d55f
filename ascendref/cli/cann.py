"""``ascendref cann``, ``ascendref cc`` and ``ascendref c++``: programs in C and C++."""

from __future__ import annotations

from pathlib import Path

from ..cann.compilers import run_compiler
from ..cann.root import LIBRARIES, install
from .console import print_json
from .programs import starting


def write_root(prefix: Path | None, as_json: bool) -> None:
    """Write an install root and print where it is."""
    root = install(prefix)
    if as_json:
        print_json(
            {
                "root": str(root),
                "include": str(root / "include"),
                "lib": str(root / "lib64"),
                "libraries": list(LIBRARIES),
                "set_env": str(root / "set_env.sh"),
            }
        )
        return
    print(root)


def compile_program(variable: str, arguments: list[str]) -> None:
    """Become the user's compiler."""
    with starting(variable):
        run_compiler(variable, arguments)
