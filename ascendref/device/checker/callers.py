"""Where in the program a call comes from."""

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Final, NamedTuple

from . import machine_code


class MachineCall(NamedTuple):
    """A call of a library of machine code, which calls this package."""

    function: str
    #: where the program goes on after it, and where its functions do, the innermost first
    frames: tuple[int, ...]
    #: code of the program that called it, if that is Python
    code: CodeType | None


#: code of the program that calls, or the call that it makes, and the place in the code
Caller = tuple[CodeType | MachineCall | None, int]

#: source file and line; the line is 0 if only the compiled file is known
Place = tuple[str, int]

#: folders of code between the program and a device: this package, and those that are added
_packages: Final = [str(Path(__file__).parents[2])]

#: source files that lie in them, and those that do not, as far as they were looked at
_inside: Final[set[str]] = set()
_outside: Final[set[str]] = set()
#: call -> how far up the stack the first frame of the program was last time
_depths: Final[dict[str, int]] = {}
#: functions that return function and frames of the call that this thread is in, or None
_machine_callers: Final[list[Callable[[], tuple[str, tuple[int, ...]] | None]]] = []


def add_machine_caller(find: Callable[[], tuple[str, tuple[int, ...]] | None]) -> None:
    """Have a function asked which call of a library of machine code the thread is in."""
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
    code, place = _find_python(call)
    for find in _machine_callers:
        if (made := find()) is not None:
            # what begins a thread of this package is no program
            own = code is None or code.co_filename == threading.__file__
            return MachineCall(*made, None if own else code), place
    return code, place


def _find_python(call: str) -> tuple[CodeType | None, int]:
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
            return None, 0
        depth, frame = depth + 1, back
    _depths[call] = depth - 1
    return frame.f_code, frame.f_lasti


def _is_ours(frame: FrameType) -> bool:
    file = frame.f_code.co_filename
    if file not in _inside and file not in _outside:
        (_inside if file.startswith(tuple(_packages)) else _outside).add(file)
    return file in _inside


def places_of(caller: Caller) -> list[Place]:
    """Return where a caller is, then where it was called from as far as that is known."""
    code, place = caller
    if isinstance(code, MachineCall):
        if code.code is None:
            return machine_code.places_of(code.frames)
        code = code.code
    if code is None:
        return [("?", 0)]
    lines = (n for a, b, n in code.co_lines() if a <= place < b and n is not None)
    return [(code.co_filename, next(lines, 0))]
