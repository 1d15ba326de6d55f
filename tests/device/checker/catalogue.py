"""What the programs of the catalogue are made of.

Each program has one bug, and none with ``fixed=True``. The comments ``# first`` and ``# second``
mark the two places that the report must name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import ascendref as ar

from ...support.two_phase import phase_1

#: a program; it is given a device and whether to do it right
Program = Callable[[Any, bool], None]


class Entry(NamedTuple):
    """A program, what is wrong with it, and where."""

    program: Program
    kind: str
    first: int | None
    second: int | None
    #: whether which of the two places comes second depends on when host functions run
    either: bool


CATALOGUE: dict[str, Entry] = {}


def bug(kind: str, *, either: bool = False) -> Callable[[Program], Program]:
    """Enter a program, with the kind of its bug."""

    def enter(program: Program) -> Program:
        lines, begin = inspect.getsourcelines(program)
        marks: dict[str, int] = {}
        for number, line in enumerate(lines, begin):
            for mark in ("first", "second"):
                if line.rstrip().endswith(f"# {mark}"):
                    assert mark not in marks, program.__name__
                    marks[mark] = number
        CATALOGUE[program.__name__] = Entry(
            program, kind, marks.get("first"), marks.get("second"), either
        )
        return program

    return enter


def full(dev: Any, size: int = 16) -> Any:
    """Return a tensor whose elements are written."""
    return dev.tensor(np.ones(size, np.float32))


def hardshrink(g: Any, x: Any, out: Any) -> tuple[Any, ...]:
    """Return what phase 2 of aclnnHardshrinkBackward takes before the stream."""
    size, executor = phase_1("hardshrink_backward", g, x, 0.5, out)
    executor.set_repeatable()
    # one that is not contiguous needs a workspace
    return (out.device.malloc(size) if size else None), size, executor


def prelu(dev: Any, workspace: Any = None) -> tuple[Any, ...]:
    """Return what phase 2 of aclnnPreluBackward takes before the stream, on tensors of its own."""
    x = dev.tensor(np.ones((2, 4), np.float32))
    weight, out, sums = full(dev, 4), dev.empty((2, 4), "float32"), dev.empty(4, "float32")
    size, executor = phase_1("prelu_backward", x, x, weight, out, sums)
    return (dev.malloc(size) if workspace is None else workspace), size, executor


def link(dev: Any, before: Any, after: Any) -> None:
    """Let a stream wait for all that another one was given."""
    event = dev.create_event()
    event.record(before)
    after.wait_event(event)


def streams(dev: Any, count: int = 2) -> list[Any]:
    """Make streams."""
    return [dev.create_stream() for _ in range(count)]


def view(tensor: Any, size: int, stride: int = 1, offset: int = 0) -> Any:
    """Return a view of a tensor's memory."""
    return ar.Tensor(tensor.memory, (size,), "float32", (stride,), offset)
