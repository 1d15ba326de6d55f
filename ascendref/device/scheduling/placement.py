"""Reports to the checker when a task is queued: its place in program order, and its accesses."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence

from ..checker.callers import Caller
from ..checker.checker import Access, Checker
from .task import BaseStream, Kind, Promise, Task, Unwritten


def check_and_queue(
    streams: Mapping[int, BaseStream], checker: Checker, task: Task, caller: Caller | None
) -> None:
    """Give a task its place in program order, and queue it; HazardError if it must not run.

    A task that waits for a promise, directly or behind others, gets its place when it is kept.
    """
    stream, after = task.stream, task.after
    last = stream.last
    if (last is not None and last.unplaced) or (after is not None and after.unplaced):
        task.held = checker.submit(stream.timeline, task.label, caller)
        stream.queue.append(task)
        _place_held(streams, checker)  # another thread may have kept the promise meanwhile
    else:
        _place(streams, checker, task, caller, then=stream.queue.append)


def check_and_queue_all(
    streams: Mapping[int, BaseStream], checker: Checker, tasks: Sequence[tuple[Task, Caller | None]]
) -> None:
    """Give tasks their places in program order, and queue them; none if one must not run."""
    checked: list[Task] = []
    last = {task.stream: task.stream.last for task, _ in tasks}
    try:
        for task, caller in tasks:
            before, stream = (last[task.stream], task.after), task.stream
            checked.append(task)
            if any(other is not None and other.unplaced for other in before):
                task.held = checker.submit(stream.timeline, task.label, caller)
            else:
                _place(streams, checker, task, caller)
            last[stream] = task
    except BaseException:
        for task in checked:
            if task.operation is not None:
                checker.functions.end(task.operation)
                task.operation.cancel()
        raise
    # one step, which no signal interrupts
    deque(map(deque.append, [task.stream.queue for task in checked], checked), 0)
    if any(task.held is not None for task in checked):
        _place_held(streams, checker)


def _place(
    streams: Mapping[int, BaseStream],
    checker: Checker,
    task: Task,
    caller: Caller | None = None,
    then: Callable[[Task], object] | None = None,
) -> None:
    timeline, held = task.stream.timeline, task.held
    record = None if task.after is None else task.after.operation
    if held is None:
        if record is not None:
            checker.join(timeline, record)
        operation = task.operation = checker.begin(timeline, task.label, caller)
    else:
        if record is not None and not record.abandoned:
            held.timeline.join(record.knowledge, record.host_index)
        operation = task.operation = held.place()
    try:
        if task.reads or task.writes:
            late = False
            for reads, writes, uses in _accesses(task):
                late = checker.record(operation, reads, writes, uses=uses) or late
            if late and task.function is not None:
                task.function = _settled(checker, task, task.function)
        elif task.kind in (Kind.HOST, Kind.CALLBACK):
            checker.functions.launch(operation)
        if isinstance(task, Promise):
            _place_held(streams, checker)  # before it runs, and so before they can
        if then is not None:
            then(task)
    except BaseException:
        operation.cancel()
        raise


def _accesses(task: Task) -> list[tuple[tuple[Access, ...], tuple[Access, ...], bool]]:
    """Return a task's reads and writes, in parts, and whether it uses the bytes it reads."""
    if task.unwritten is Unwritten.ALLOWED:  # what it writes is written all the same
        return [(task.reads, (), False), ((), task.writes, True)]
    return [(task.reads, task.writes, task.unwritten is Unwritten.REFUSED)]


def _place_held(streams: Mapping[int, BaseStream], checker: Checker) -> None:
    """Give places to the tasks whose promise has been kept."""
    found = True
    while found:  # another stream may wait for one of them
        found = False
        for stream in list(streams.values()):
            for task in list(stream.queue):
                if task.unplaced:
                    if task.after is not None and task.after.unplaced:
                        break
                    _place(streams, checker, task)
                    found = True


def _settled(checker: Checker, task: Task, function: Callable[[], object]) -> Callable[[], object]:
    """Return a task's function, preceded by a check of bytes that host functions may write."""

    def run() -> None:
        assert task.operation is not None
        for reads, writes, uses in _accesses(task):
            checker.settle(task.operation, reads, writes, uses=uses)
        function()

    return run
