"""Where in the program a call comes from."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Final

from . import machine_code

#: code of the program that calls, and the place of the call in it; machine code has an address only
Caller = tuple[CodeType | None, int]

#: folders of code between the program and a device: this package, and those that are added
_packages: Final = [str(Path(__file__).parents[2])]

#: source files that lie in them, and those that do not, as far as they were looked at
_inside: Final[set[str]] = set()
_outside: Final[set[str]] = set()
#: call -> how far up the stack the first frame of the program was last time
_depths: Final[dict[str, int]] = {}
#: functions that return the address to which a call from machine code returns, or 0
_machine_callers: Final[list[Callable[[], int]]] = []


def add_machine_caller(find: Callable[[], int]) -> None:
    """Have a function asked where a call comes from that no code of Python outside made."""
    _machine_callers.append(find)


def has_machine_callers() -> bool:
    """Tell whether machine code outside of Python calls, which may have threads of its own."""
    return bool(_machine_callers)


def add_package(folder: str) -> None:
    """Have calls looked for outside of a package that programs use the device through."""
    _packages.append(folder)
    _outside.clear()


def find_caller(call: str) -> Caller:
    """Return code and place in it of the innermost call by the program."""
    # looking at all frames takes as long as a task's check, so try first where it was last time
    try:
        inner = sys._getframe(_depths[call])
        outer = inner.f_back
        if outer is not None and inner.f_code.co_filename in _inside:
            code = outer.f_code
            if code.co_filename in _outside:
                return code, outer.f_lasti
    except (KeyError, ValueError):  # the first call, or the stack is lower now
        pass
    depth, frame = 0, sys._getframe()
    while _is_ours(frame):
        back = frame.f_back
        if back is None:  # a thread of this package, or a program in C
            return None, next(filter(None, (find() for find in _machine_callers)), 0)
        depth, frame = depth + 1, back
    _depths[call] = depth - 1
    return frame.f_code, frame.f_lasti


def _is_ours(frame: FrameType) -> bool:
    file = frame.f_code.co_filename
    if file not in _inside and file not in _outside:
        (_inside if file.startswith(tuple(_packages)) else _outside).add(file)
    return file in _inside


def source_of(caller: Caller) -> tuple[str, int]:
    """Return source file and line of a caller; ``?`` and 0 where nothing is known."""
    code, place = caller
    if code is None:
        return machine_code.source_of(place) if place else ("?", 0)
    lines = (n for a, b, n in code.co_lines() if a <= place < b and n is not None)
    return code.co_filename, next(lines, 0)
