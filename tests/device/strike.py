"""Interrupts at chosen moments: something happens before the n-th instruction of the library."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from dis import opname
from pathlib import Path
from typing import Any

import ascendref

ROOT = str(Path(ascendref.__file__).parent)


def interrupt() -> None:
    """What Ctrl-C does."""
    raise KeyboardInterrupt


def strike(call: Callable[[], object], moment: int, happen: Callable[[], object]) -> bool:
    """Call, and let something happen before an instruction; False if there are not so many.

    Signals, finalizers and other threads come at some of these moments; here, one comes at each.
    """
    left = moment

    def trace(frame: Any, event: str, _: object) -> Any:
        nonlocal left
        if not frame.f_code.co_filename.startswith(ROOT):
            return None
        frame.f_trace_opcodes = True
        # on its way back from a call, the interpreter looks at nothing else
        if event == "opcode" and opname[frame.f_code.co_code[frame.f_lasti]][:6] != "RETURN":
            if left == 0:
                sys.settrace(None)
                frame.f_trace = None
                left = -1
                happen()
            left -= 1
        return trace

    before = sys.gettrace()
    gc.disable()  # what the garbage collector ends is no part of the call
    # Python 3.12 looks here whether any frame wants instructions, when tracing begins
    sys._getframe().f_trace_opcodes = True
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
        gc.enable()
    return left < 0


def moments(step: int = 1) -> Iterator[int]:
    """Count the moments; who strikes at one that is not there any more ends it."""
    return iter(range(0, 1_000_000, step))
