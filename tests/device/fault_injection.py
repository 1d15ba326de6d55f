"""Fault injection: an action, such as an interrupt, before the n-th instruction of the library."""

import gc
import sys
from collections.abc import Callable, Iterator
from dis import opname
from pathlib import Path
from typing import Any

import ascendref

#: before these, the interpreter handles nothing else; an exception where one is being handled
#: would keep the frames that it leaves alive for good
_UNBROKEN = ("RETURN_VALUE", "RETURN_CONST", "RETURN_GENERATOR", "PUSH_EXC_INFO", "POP_EXCEPT")

ROOT = str(Path(ascendref.__file__).parent)


def interrupt() -> None:
    """Raise what Ctrl-C raises."""
    raise KeyboardInterrupt


def inject(call: Callable[[], object], instruction: int, action: Callable[[], object]) -> bool:
    """Make a call, and an action before one of its instructions; False if it has fewer.

    Signals, finalizers and other threads may come before some of the instructions; the action comes
    before any of them.
    """
    left = instruction

    def trace(frame: Any, event: str, _: object) -> Any:
        nonlocal left
        if not frame.f_code.co_filename.startswith(ROOT):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode" and opname[frame.f_code.co_code[frame.f_lasti]] not in _UNBROKEN:
            if left == 0:
                sys.settrace(None)
                frame.f_trace = None
                left = -1
                action()
            left -= 1
        return trace

    before = sys.gettrace()
    gc.disable()  # finalizers of other objects are no part of the call
    # when tracing begins, Python 3.12 looks here whether any frame traces instructions
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


class Instruction(int):
    """The number of an instruction of a call."""

    #: whether the call had so many, if anything was injected
    reached = True

    def inject(self, call: Callable[[], object], action: Callable[[], object]) -> bool:
        """Make a call, and an action before this instruction of it; False if it has fewer."""
        self.reached = inject(call, self, action)
        return self.reached


def instructions(step: int = 1) -> Iterator[Instruction]:
    """Count instructions until a call has fewer."""
    for number in range(0, 1_000_000, step):
        instruction = Instruction(number)
        yield instruction
        if not instruction.reached:
            return
