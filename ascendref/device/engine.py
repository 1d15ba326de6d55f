"""The threads of the process that run queued work."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING, Final

from .task import Kind, Task

if TYPE_CHECKING:
    from .schedule import Scheduler
    from .stream import Stream


class Engine:
    """One thread for the device's own work, and as many as it takes for functions of the host.

    One kernel runs at a time, for each may use every core. Functions of the host may wait for one
    another and for the program, so one that blocks holds up nothing but its stream. The threads
    start with the first work, block while there is none, and end at exit.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin anew, as a forked child must."""
        #: streams whose first task may be ready
        self.ready: SimpleQueue[tuple[Scheduler, Stream] | None] = SimpleQueue()
        self._host: SimpleQueue[Task | None] = SimpleQueue()
        #: counts the threads that wait for functions of the host
        self._idle = threading.Semaphore(0)
        self._threads: list[threading.Thread] = []
        self._starting = threading.Lock()

    def start(self) -> None:
        """Start the device's thread unless it runs."""
        if not self._threads:
            with self._starting:
                if not self._threads:
                    self._add_thread(self._serve_device)

    def stop(self, deadline: float) -> None:
        """End the threads; later work starts new ones."""
        threads = tuple(self._threads)
        self.ready.put(None)
        for _ in threads:
            self._host.put(None)
        for thread in threads:
            thread.join(max(0.0, deadline - monotonic()))
        self.reset()

    def _add_thread(self, serve: Callable[[], None]) -> None:
        # a daemon: a task that never returns must not keep the process from ending
        thread = threading.Thread(target=serve, name="ascendref", daemon=True)
        thread.start()
        self._threads.append(thread)

    def _serve_device(self) -> None:
        for scheduler, stream in iter(self.ready.get, None):
            task = scheduler.take(stream)
            if task is not None:
                if task.kind is Kind.HOST:
                    self._call_host(task)
                else:
                    scheduler.run(task)
            del scheduler, stream, task  # an idle thread holds on to nothing

    def _call_host(self, task: Task) -> None:
        self._host.put(task)
        if not self._idle.acquire(blocking=False):
            with suppress(RuntimeError):  # there are no more threads: it waits for one of these
                self._add_thread(self._serve_host)

    def _serve_host(self) -> None:
        idle = self._idle  # not that of a later beginning
        for task in iter(self._host.get, None):
            task.stream.scheduler.run(task)
            del task
            idle.release()


engine: Final = Engine()
