"""Which steps of a program come before which: the transitive closure of a graph of all of them.

It shares nothing with the checker, which compares counters. Every call is a node, and so are the
beginning and the end of every task. A host function is a row of nodes between the beginning
and the end of its task. Edges say what comes before what:

- the calls of the program, and those of a function, one after the other;
- a task begins after the call that submits it;
- two tasks of a stream run one after the other if the calls that submit them do;
- a stream that waits for a record goes on after it;
- a call that waits for streams returns after those of their tasks that were submitted before it.

The third and the last rule need to know the closure, so edges are added until there are no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np


class Part(NamedTuple):
    """Some bytes of a block."""

    block: int
    start: int
    count: int

    def meets(self, other: Part) -> bool:
        """Tell whether two parts share a byte."""
        return (
            self.block == other.block
            and self.start < other.start + other.count
            and other.start < self.start + self.count
        )


class Step(NamedTuple):
    """A call of the program, or of a host function."""

    #: tasks: fill, copy, record, wait, function, callback, notice (a callback that nothing waits
    #: for); accesses of the caller: set, move, read; waits of the host: synchronize, await (an
    #: event), finish (all streams), report (a callback); ends of streams: destroy, close (in a
    #: function), force
    what: str
    #: the stream of a task, or that is waited for or ends
    stream: int = -1
    event: int = -1
    value: int = 0
    read: Part | None = None
    written: Part | None = None
    #: calls of the function
    body: tuple[Step, ...] = ()


TASKS = ("fill", "copy", "record", "wait", "function", "callback", "notice")


class Access(NamedTuple):
    """Bytes that a node reads and writes."""

    node: int
    read: Part | None
    written: Part | None
    #: what it writes if it reads nothing
    value: int
    #: number of the task that it is, if it is one
    task: int | None = None
    #: for one of a callback: its place before the end of the task, which the calls of the program
    #: before it do not share, for a callback counts as run at any time until they return
    inside: int | None = None


def conflict(one: Step | Access, other: Step | Access) -> bool:
    """Tell whether the order of two accesses matters."""
    pairs = ((one.written, other.written), (one.written, other.read), (one.read, other.written))
    return any(a is not None and b is not None and a.meets(b) for a, b in pairs)


class Task(NamedTuple):
    """A task: its stream, the node of the call that submits it, its beginning and its end."""

    stream: int
    call: int
    begin: int
    end: int


class Order:
    """The graph of a program."""

    def __init__(self, program: list[Step]) -> None:
        self.edges: list[set[int]] = []
        self.tasks: list[Task] = []
        self.accesses: list[Access] = []
        self._records: dict[int, int] = {}
        #: calls that wait: where they begin and return, and for which stream, -1 for all
        self._waits: list[tuple[int, int, int]] = []
        self._callback: tuple[Task, Step] | None = None
        self._inside: int | None = None
        #: streams destroyed by force, and the calls that did it
        self.forced: dict[int, int] = {}
        last = self._node()
        for step in program:
            last = self._call(step, last)
        self._close()

    def before(self, first: int, second: int) -> bool:
        """Tell whether a node comes before another."""
        return bool(self.closure[first, second])

    def races(self) -> list[tuple[Access, Access]]:
        """Return the accesses whose order matters, and that nothing orders."""
        return [
            (one, other)
            for k, other in enumerate(self.accesses)
            for one in self.accesses[:k]
            if conflict(one, other) and not (self.precedes(one, other) or self.precedes(other, one))
        ]

    def precedes(self, one: Access, other: Access) -> bool:
        """Tell whether an access comes before another."""
        return self.before(one.node, other.node) or (
            one.inside is not None and self.before(one.inside, other.node)
        )

    def in_order(self) -> Iterator[Access]:
        """Return the accesses so that each comes after those before it."""
        left = list(self.accesses)
        while left:
            first = next(
                one for one in left if not any(self.precedes(x, one) for x in left if x is not one)
            )
            left.remove(first)
            yield first

    def reads_dropped(self) -> bool:
        """Tell whether anything reads what a task wrote that may have been dropped; without races.

        Its stream was destroyed by force, and nothing had waited for it before.
        """
        writers: dict[tuple[int, int], Access] = {}
        for access in self.in_order():
            if access.read is not None:
                for k in range(access.read.start, access.read.start + access.read.count):
                    writer = writers.get((access.read.block, k))
                    if writer is not None and self.is_dropped(writer, access):
                        return True
            if access.written is not None:
                for k in range(access.written.start, access.written.start + access.written.count):
                    writers[access.written.block, k] = access
        return False

    def reads_unwritten(self, written: int) -> bool:
        """Tell whether a call reads what nothing wrote; without races and dropped tasks.

        So many bytes at the beginning of every block are written before.
        """
        known: dict[tuple[int, int], bool] = {}
        found = False
        for access in self.in_order():
            brought = None
            if access.read is not None:
                block, start, count = access.read
                places = [(block, k) for k in range(start, start + count)]
                brought = [known.get(place, place[1] < written) for place in places]
                found |= access.written is None and not all(brought)
            if access.written is not None:
                block, start, count = access.written
                for k in range(count):
                    known[block, start + k] = brought is None or brought[k]
        return found

    def is_dropped(self, access: Access, reader: Access) -> bool:
        """Tell whether an access is by a task that may have been dropped before another's call."""
        if access.task is None or self.tasks[access.task].stream not in self.forced:
            return False
        task = self.tasks[access.task]
        drop = self.forced[task.stream]
        call = reader.node if reader.task is None else self.tasks[reader.task].call
        return self.before(drop, call) and not self.before(task.end, drop)

    def _node(self, *before: int) -> int:
        node = len(self.edges)
        self.edges.append(set())
        for other in before:
            self.edges[other].add(node)
        return node

    def _call(self, step: Step, last: int) -> int:
        """Add the nodes of a call, and return the one that the next call follows."""
        call = self._node(last)
        if step.what in TASKS:
            begin = self._node(call)
            end = self._node(begin)
            task = Task(step.stream, call, begin, end)
            number = len(self.tasks)
            self.tasks.append(task)
            if step.what in ("callback", "notice"):
                self._callback = task, step
            elif step.what == "function":
                inner, inside = begin, self._inside
                self._inside = None
                for part in step.body:
                    inner = self._call(part, inner)
                self._inside = inside
                self.edges[inner].add(end)
            elif step.what == "record":
                self._records[step.event] = end
            elif step.what == "wait":
                if step.event in self._records:
                    self.edges[self._records[step.event]].add(begin)
            else:
                self.accesses.append(Access(begin, step.read, step.written, step.value, number))
        elif step.what in ("set", "move", "read"):
            inside = self._inside
            self.accesses.append(Access(call, step.read, step.written, step.value, inside=inside))
        elif step.what == "report" and self._callback is not None:
            task, called = self._callback
            self._callback = None
            self.edges[task.begin].add(call)
            if called.what == "callback":
                self._inside = self._node(task.begin)
                self.edges[self._inside].add(task.end)
            for part in called.body:
                call = self._call(part, call)
            self._inside = None
        elif step.what == "await":
            self.edges[self._records[step.event]].add(call)
        elif step.what in ("synchronize", "destroy", "finish"):
            begin, call = call, self._node(call)
            self._waits.append((begin, call, step.stream))
        elif step.what == "force":
            self.forced[step.stream] = call
        return call

    def _close(self) -> None:
        """Find what comes before what."""
        while True:
            self._find_closure()
            added = False
            for k, one in enumerate(self.tasks):
                for other in self.tasks[:k]:
                    if one.stream == other.stream:
                        for first, second in ((one, other), (other, one)):
                            if self.before(first.call, second.call):
                                added |= self._add(first.end, second.begin)
            for begin, end, stream in self._waits:
                for task in self.tasks:
                    if stream in (-1, task.stream) and self.before(task.call, begin):
                        added |= self._add(task.end, end)
            if not added:
                return

    def _add(self, first: int, second: int) -> bool:
        if self.before(first, second):
            return False
        self.edges[first].add(second)
        return True

    def _find_closure(self) -> None:
        #: for every two nodes, whether the second comes after the first
        self.closure = np.zeros((len(self.edges), len(self.edges)), bool)
        for node, after in enumerate(self.edges):
            self.closure[node, list(after)] = True
        for middle in range(len(self.edges)):
            self.closure |= np.outer(self.closure[:, middle], self.closure[middle])
