"""What the programs of the catalogue are made of.

Each program has one bug, and none with ``fixed=True``. The comments ``# first`` and ``# second``
mark the two places that the report must name; or a program has parameters of these names, which are
functions of a line that it calls there.
"""

import inspect
from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np

import ascendref as ar
from ascendref.aclnn import aclnnHardshrinkBackward

from ...support.two_phase import phase_1

#: a program; it is given a device, whether to do it right, and what it asks for of ``MADE``
Program = Callable[..., None]
#: source file and line
Place = tuple[str, int]


class Entry(NamedTuple):
    """A program, what is wrong with it, and where."""

    program: Program
    #: those of its arguments that tell it from others
    given: dict[str, Any]
    kind: str
    places: list[Place | None]
    #: whether which of the two places comes second depends on when host functions run
    either: bool

    def run(self, dev: Any, fixed: bool) -> None:
        _, _, *names = inspect.signature(self.program).parameters
        made = {name: MADE[name](dev) for name in names if name not in self.given}
        self.program(dev, fixed, **made, **self.given)


CATALOGUE: dict[str, Entry] = {}


def bug(
    kind: str, *, either: bool = False, **choices: dict[str, Any]
) -> Callable[[Program], Program]:
    """Enter a program, with the kind of its bug, for every choice of some arguments."""

    def enter(program: Program) -> Program:
        lines, begin = inspect.getsourcelines(program)
        marks: dict[str, Place] = {}
        for number, line in enumerate(lines, begin):
            for mark in ("first", "second"):
                if line.rstrip().endswith(f"# {mark}"):
                    assert mark not in marks, program.__name__
                    marks[mark] = program.__code__.co_filename, number
        for names in product(*choices.values()):
            given = {key: choices[key][name] for key, name in zip(choices, names, strict=True)}
            places = [marks.get(mark) or _place(given.get(mark)) for mark in ("first", "second")]
            name = ", ".join((program.__name__, *names))
            assert name not in CATALOGUE
            CATALOGUE[name] = Entry(program, given, kind, places, either)
        return program

    return enter


def _place(function: Any) -> Place | None:
    if function is None:
        return None
    return function.__code__.co_filename, function.__code__.co_firstlineno


def full(dev: Any, size: int = 16) -> Any:
    """Return a tensor whose elements are written."""
    return dev.tensor(np.ones(size, np.float32))


#: name of a parameter -> what makes the argument
MADE: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("one", "two", "three", "stream"), lambda dev: dev.create_stream()),
    "event": lambda dev: dev.create_event(),
    "old_event": lambda dev: dev.create_event(ex=False),
    **dict.fromkeys(("memory", "other"), lambda dev: dev.malloc(64)),
    "written": lambda dev: full(dev).memory,
    "pinned": lambda dev: dev.malloc_host(64),
    "found": lambda dev: np.zeros(64, np.uint8),
    **dict.fromkeys(("x", "y"), full),
    "eight": lambda dev: full(dev, 8),
    "out": lambda dev: dev.empty(16, "float32"),
}


def hardshrink(g: Any, x: Any, out: Any) -> tuple[Any, ...]:
    """Return what phase 2 of aclnnHardshrinkBackward takes before the stream."""
    size, executor = phase_1("hardshrink_backward", g, x, 0.5, out)
    executor.set_repeatable()
    # one that is not contiguous needs a workspace
    return (out.device.malloc(size) if size else None), size, executor


def prelu(dev: Any, workspace: Any = None, sums: Any = None) -> tuple[Any, ...]:
    """Return what phase 2 of aclnnPreluBackward takes before the stream, on tensors of its own."""
    x = dev.tensor(np.ones((2, 4), np.float32))
    weight, out = full(dev, 4), dev.empty((2, 4), "float32")
    sums = dev.empty(4, "float32") if sums is None else sums
    size, executor = phase_1("prelu_backward", x, x, weight, out, sums)
    return (dev.malloc(size) if workspace is None else workspace), size, executor


def link(dev: Any, before: Any, after: Any) -> None:
    """Let a stream wait for all that another one was given."""
    event = dev.create_event()
    event.record(before)
    after.wait_event(event)


def streams(dev: Any, count: int = 2) -> list[Any]:
    return [dev.create_stream() for _ in range(count)]


def view(tensor: Any, size: int, stride: int = 1, offset: int = 0) -> Any:
    """Return a view of a tensor's memory."""
    return ar.Tensor(tensor.memory, (size,), "float32", (stride,), offset)


#: what tasks of a stream do with a tensor
READS: dict[str, Callable[..., object]] = {
    "input": lambda dev, x, s: aclnnHardshrinkBackward(*hardshrink(x, x, MADE["out"](dev)), s),
    "source": lambda dev, x, s: dev.memcpy_async(dev.malloc(64), x.memory, stream=s),
}
WRITES: dict[str, Callable[..., object]] = {
    "filled": lambda dev, x, s: dev.memset_async(x.memory, 0, stream=s),
    "target": lambda dev, x, s: dev.memcpy_async(x.memory, full(dev).memory, stream=s),
    "result": lambda dev, x, s: aclnnHardshrinkBackward(*hardshrink(full(dev), full(dev), x), s),
    "in place": lambda dev, x, s: aclnnHardshrinkBackward(*hardshrink(x, x, x), s),
}
#: what calls of the host do with it
CALLS_THAT_READ: dict[str, Callable[..., object]] = {
    "numpy": lambda dev, x: x.numpy(),
    "memcpy from it": lambda dev, x: dev.memcpy(np.zeros(64, np.uint8), x.memory),
}
CALLS_THAT_WRITE: dict[str, Callable[..., object]] = {
    "memset": lambda dev, x: dev.memset(x.memory, 0),
    "memcpy to it": lambda dev, x: dev.memcpy(x.memory, np.zeros(16, np.float32)),
}
