"""Where in the source a place in machine code comes from, for programs in C and C++."""

import os
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

_MAPS: Final = Path("/proc/self/maps")
_PROGRAM: Final = Path("/proc/self/exe")
#: where an ELF file says what it is, and what it says if its addresses are not relative
_ELF_TYPE: Final = slice(16, 18)
_FIXED_ADDRESSES: Final = b"\x02\x00"


#: part of the path of headers whose functions are not the program's
_COMPILER: Final = "/include/c++/"


def places_of(frames: Sequence[int]) -> list[tuple[str, int]]:
    """Return source file and line of a call, then of the calls that led to it.

    Without debugging information (``-g``), or without ``addr2line`` of the binutils, the first is
    the compiled file with an offset, and the function if it is one of the program, and line 0. The
    others are told up to ``main``, or the first that is not known. The frames are the addresses to
    which the calls return, the innermost first.
    """
    places: list[tuple[str, int]] = []
    for address in frames:
        for function, source, line in _lines(address):
            if places and not line:  # the runtime, which called a function of the program
                return places
            if not places or _COMPILER not in source:
                places.append((source, line))
            if function == "main":
                return places
    return places


@cache
def _lines(address: int) -> list[tuple[str, str, int]]:
    """Return function, source and line of a return address, inlined functions first."""
    found = _mapped(address)
    if found is None:
        return [("??", "?", 0)]
    file, base = found
    # the call is before the address to which it returns
    offset = address - 1 - base
    with file.open("rb") as content:
        fixed = content.read(64)[_ELF_TYPE] == _FIXED_ADDRESSES
    answers = _addr2line(file, address - 1 if fixed else offset)
    lines = []
    for function, place in answers:
        source, _, line = place.partition(" ")[0].rpartition(":")
        if line.isdecimal() and line != "0" and source != "??":
            lines.append((function, source, int(line)))
    if not lines:
        function = answers[0][0]
        # of a library, only the functions that it exports may be known, and none may be the one
        known = function != "??" and file.samefile(_PROGRAM)
        lines.append((function, f"{file}+{offset:#x}" + (f" ({function})" if known else ""), 0))
    return lines


def _mapped(address: int) -> tuple[Path, int] | None:
    """Return the file that is mapped at an address, and where it begins."""
    begins: dict[str, int] = {}
    for line in _MAPS.read_text().splitlines():
        span, _, _, _, _, *path = line.split(maxsplit=5)
        if not path or not path[0].startswith("/"):
            continue
        start, end = (int(number, 16) for number in span.split("-"))
        begin = begins.setdefault(path[0], start)
        if start <= address < end:
            return Path(path[0]), begin
    return None


def _addr2line(file: Path, address: int) -> list[tuple[str, str]]:
    """Return functions and places as the binutils print them, with ``??`` for unknown ones."""
    tool = shutil.which("addr2line")
    if tool is None:
        return [("??", "??:0")]
    command = [tool, "--inlines", "--functions", "--demangle", "--exe", str(file), hex(address)]
    # subprocess imports signal, which changes what SIGINT does in a program in C
    receiver, sender = os.pipe()
    child = os.posix_spawn(
        tool, command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, sender, 1)]
    )
    os.close(sender)
    with open(receiver, encoding="utf-8", errors="replace") as output:
        lines = output.read().splitlines()
    os.waitpid(child, 0)
    return list(zip(lines[::2], lines[1::2], strict=False)) or [("??", "??:0")]
