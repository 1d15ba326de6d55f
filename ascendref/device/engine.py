"""The threads of the process that run eager work."""

from __future__ import annotations

import threading
from contextlib import suppress
from queue import SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING, Final

from .task import Kind, Task

if TYPE_CHECKING:
    from .schedule import EagerScheduler
    from .stream import Stream


class Engine:
    """One thread for kernels, and one for functions of the host so that they hold up no kernel.

    The threads start with the first work, block while there is none, and end at exit.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin anew, as a forked child must."""
        #: held while a kernel runs: one at a time in the process
        self.kernel = threading.Lock()
        #: streams whose first task may be ready
        self.ready: SimpleQueue[tuple[EagerScheduler, Stream] | None] = SimpleQueue()
        self.threads: list[threading.Thread] = []
        self._host: SimpleQueue[Task | None] = SimpleQueue()
        self._starting = threading.Lock()

    def start(self) -> None:
        """Start the threads unless they run."""
        with self._starting:
            if not self.threads:
                for serve in (self._serve_kernels, self._serve_host):
                    # daemons: a task that never returns must not keep the process from ending
                    thread = threading.Thread(target=serve, name="ascendref", daemon=True)
                    thread.start()
                    self.threads.append(thread)

    def stop(self, deadline: float) -> None:
        """End the threads; later work starts new ones."""
        threads = self.threads
        self.ready.put(None)
        self._host.put(None)
        for thread in threads:
            thread.join(max(0.0, deadline - monotonic()))
        self.reset()

    def _serve_kernels(self) -> None:
        for scheduler, stream in iter(self.ready.get, None):
            task = scheduler.take(stream)
            if task is not None:
                if task.kind is Kind.HOST:
                    self._host.put(task)
                else:
                    _run(task)
            del scheduler, stream, task  # an idle thread holds on to nothing

    def _serve_host(self) -> None:
        for task in iter(self._host.get, None):
            _run(task)
            del task


def _run(task: Task) -> None:
    with suppress(BaseException):  # what it raised is kept by its stream
        task.stream.scheduler.run(task)


engine: Final = Engine()
