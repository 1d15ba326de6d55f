"""The execution modes of a device: eager, lazy and random."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from time import monotonic, sleep
from typing import Final

from ...core.errors import fail_argument, shown
from ...core.status import Status
from .deadlock import prerequisites
from .scheduler import Scheduler
from .task import BaseStream, State, Task
from .task_context import refuse_in_task
from .worker_threads import workers

#: the names of the modes
EXECUTION_MODES: Final = ("eager", "lazy", "random")

#: seconds that a query waits for a host function that it has started
POLL_TIMEOUT: Final = 0.001


def make_scheduler(execution: object, history: int, seed: int) -> Scheduler:
    """Return a scheduler for a named execution mode."""
    if isinstance(execution, str):
        if execution == "eager":
            return EagerScheduler(history)
        if execution == "lazy":
            return LazyScheduler(history)
        if execution == "random":
            return RandomScheduler(history, seed)
    fail_argument(
        Status.ACL_ERROR_INVALID_PARAM,
        "execution",
        f"is {shown(execution)}; allowed are {', '.join(map(repr, EXECUTION_MODES))}",
    )


class EagerScheduler(Scheduler):
    """Tasks run as soon as they are ready."""

    eager = True

    def advance(self, task: Task, prerequisites: Collection[Task] = ()) -> Task:
        """Return the task itself, after making sure that the worker threads work toward it."""
        super().advance(task)
        return task

    def _poll(self, task: Task) -> None:
        """Yield the interpreter to the worker threads, because programs query in loops."""
        self.advance(task)
        workers.run_if_closed((task,), None)
        sleep(0)

    def _work_was_queued(self, stream: BaseStream) -> None:
        workers.wake(stream)


class LazyScheduler(Scheduler):
    """A task runs when the host waits for it or for a task that depends on it."""

    def advance(self, task: Task, prerequisites: Collection[Task] = ()) -> Task:
        """Request one more task, unless one that the task depends on is already running."""
        refuse_in_task(self.checker)
        return super().advance(task, prerequisites)

    def _poll(self, task: Task) -> None:
        """Run one task, so that a program that queries in a loop reaches its end."""
        running = self.advance(task)
        # wait for its end, or the order of tasks would depend on the number of queries
        deadline = monotonic() + POLL_TIMEOUT if running.depends_on_host else None
        self.block((running,), deadline)

    def _work_was_queued(self, stream: BaseStream) -> None:
        """Do nothing: a task is requested when something waits for it."""

    def _request(self, ready: Task, prerequisites: Collection[Task]) -> Task:
        if not ready.requested:
            ready = self._choose(ready, prerequisites)
            ready.requested = True
        workers.wake(ready.stream)  # again, in case an interrupt came before
        return ready

    def _choose(self, ready: Task, prerequisites: Collection[Task]) -> Task:
        """Return the task to run next."""
        return ready

    def _may_run(self, task: Task) -> bool:
        return task.requested


class RandomScheduler(LazyScheduler):
    """Like lazy, but any ready task may run first; a seed decides."""

    def __init__(self, history: int, seed: int) -> None:
        super().__init__(history)
        self._random = random.Random(seed)

    def _prerequisites(self, tasks: Sequence[Task]) -> Collection[Task]:
        return prerequisites(tasks)

    def _choose(self, ready: Task, prerequisites: Collection[Task]) -> Task:
        choices = [ready]
        for stream in list(self.streams.values()):
            first = stream.first()
            if (
                first is not None
                and first is not ready
                and first.state is State.QUEUED
                and not first.requested
                and (first.after is None or first.after.state is State.DONE)
                # one that depends on the host may need a call that the program makes after this
                # wait
                and (not first.depends_on_host or first in prerequisites)
            ):
                choices.append(first)
        return self._random.choice(choices)
