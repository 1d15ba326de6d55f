"""Deadlocks: a thread waits for work that only a waiting thread can run."""

import threading
from collections.abc import Sequence
from threading import get_ident
from typing import Final

from ..checker.callers import has_machine_callers
from ..checker.checker import Checker
from ..checker.ordering import Operation
from .task import Kind, State, Task
from .worker_threads import workers

#: thread -> tasks that it waits for
_waits: Final[dict[int, Sequence[Task]]] = {}


def prerequisites(tasks: Sequence[Task]) -> set[Task]:
    """Return these tasks and all tasks that must be done before them."""
    found: set[Task] = set()
    pending = list(tasks)
    while pending:
        end = pending.pop()  # the last task of a stream comes first and covers those before it
        if end.state is State.DONE or end in found:
            continue
        if end.promised:
            found.add(end)
            continue
        for task in list(end.stream.queue):
            if task not in found:
                found.add(task)
                if task.after is not None:
                    pending.append(task.after)
            if task is end:
                break
    return found


def begin_wait(checker: Checker, tasks: Sequence[Task]) -> Task | None:
    """Note that the calling thread waits for tasks; report it if the wait can never end.

    A record among their prerequisites that another thread may, or may never, submit is returned.
    """
    thread = get_ident()
    cycle = _cycle(tasks, thread, {thread})
    if cycle:
        checker.reports.deadlock(cycle, checker.begin_on_host("wait"))
    _waits[thread] = tasks
    needed = prerequisites(tasks)
    promise = next((task for task in needed if task.promised), None)
    if promise is not None and not _may_be_kept(promise, needed):
        checker.reports.lost_wait(promise.label, checker.begin_on_host("wait"))
    return promise


def end_wait() -> None:
    """Note that the calling thread no longer waits."""
    _waits.pop(get_ident(), None)


def _may_be_kept(promise: Task, needed: set[Task]) -> bool:
    """Tell whether any other thread may submit a record that the calling thread waits for."""
    if has_machine_callers():  # threads of other languages are unknown
        return True
    others = [t for t in threading.enumerate() if t.ident != get_ident() and not workers.owns(t)]
    # a host function may submit it, too
    busy = [
        task
        for stream in list(promise.stream.scheduler.streams.values())
        for task in list(stream.queue)
        if task.depends_on_host and task.state is not State.DONE and task not in needed
    ]
    return bool(others or busy)


def _cycle(tasks: Sequence[Task], waiter: int, visited: set[int]) -> list[Operation]:
    """Return the callbacks through which tasks depend on a thread; empty if they do not."""
    for task in prerequisites(tasks):
        thread = None if task.callback is None else task.callback.thread()
        if task.kind is not Kind.CALLBACK or thread is None or task.operation is None:
            continue
        if thread == waiter:
            return [task.operation]
        if thread in visited or thread not in _waits:
            continue
        rest = _cycle(_waits[thread], waiter, visited | {thread})
        if rest:
            return [task.operation, *rest]
    return []
