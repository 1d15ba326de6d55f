"""Where in the program a call comes from."""

from __future__ import annotations

import sys
from pathlib import Path
from types import CodeType, FrameType
from typing import Final

_PACKAGE: Final = str(Path(__file__).parents[2])

#: source file -> whether it belongs to this package
_ours: Final[dict[str, bool]] = {}
#: call -> how far up the stack the first frame of the program was last time
_depths: Final[dict[str, int]] = {}


def find_caller(call: str) -> tuple[CodeType | None, int]:
    """Return code and place in it of the innermost call from outside of this package."""
    # looking at all frames takes as long as a task's check, so try first where it was last time
    try:
        inner = sys._getframe(_depths.get(call, 0))
        outer = inner.f_back
        if outer is not None and _ours.get(inner.f_code.co_filename):
            code = outer.f_code
            if not _ours.get(code.co_filename, True):
                return code, outer.f_lasti
    except ValueError:  # the stack is lower now
        pass
    depth, frame = 0, sys._getframe()
    while _is_ours(frame):
        back = frame.f_back
        if back is None:  # a thread of this package
            return None, 0
        depth, frame = depth + 1, back
    _depths[call] = depth - 1
    return frame.f_code, frame.f_lasti


def _is_ours(frame: FrameType) -> bool:
    file = frame.f_code.co_filename
    return _ours.setdefault(file, file.startswith(_PACKAGE))
