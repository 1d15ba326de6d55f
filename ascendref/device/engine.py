"""The threads of the process that run queued work."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from queue import SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING, Final

from ..core.errors import AclError, fail
from ..core.status import Status
from .inside import marked
from .task import Kind, State, Task

if TYPE_CHECKING:
    from .stream import Stream

#: seconds that work which is queued at exit may take, and that a wait may take afterwards
EXIT_GRACE: Final = 0.7


class Engine:
    """One thread for the device's own work, and as many as it takes for functions of the host.

    One kernel runs at a time, for each may use every core. Functions of the host may wait for one
    another and for the program, so one that blocks holds up nothing but its stream. The threads
    start with the first work, block while there is none, and end at exit; what is queued later is
    run by the thread that waits for it, for no thread can be started then.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin anew, as a forked child must."""
        #: whether the process is about to end
        self.closed = False
        #: streams whose first task may be ready; once too often does no harm
        self._ready: SimpleQueue[Stream | None] = SimpleQueue()
        #: held by whoever starts tasks
        self._role = threading.Lock()
        self._serving = False
        self._host: SimpleQueue[Task | None] = SimpleQueue()
        #: counts the threads that wait for functions of the host
        self._idle = threading.Semaphore(0)
        self._hosts = 0
        self._threads: list[threading.Thread] = []

    def look_at(self, stream: Stream) -> None:
        """Let the first task of a stream run, if it may."""
        self._ready.put(stream)

    def start(self) -> None:
        """Start the device's thread unless it runs."""
        if not (self._serving or self.closed):
            self._start_thread(self._serve_device)  # of several, the first to come serves

    def close(self, deadline: float) -> None:
        """End the threads for good."""
        self.closed = True
        self._ready.put(None)
        threads = list(self._threads)
        for _ in threads:
            self._host.put(None)
        for thread in threads:
            thread.join(max(0.0, deadline - monotonic()))

    def help_out(self, tasks: Iterable[Task], deadline: float | None) -> float | None:
        """Do what the threads did until they ended; return until when to wait for what is left."""
        if not self.closed:
            return deadline
        if self._role.acquire(blocking=False):  # else the device's thread is still at a task
            try:
                marked().run(self._drain, tasks)
            finally:
                self._role.release()
        latest = monotonic() + EXIT_GRACE
        return latest if deadline is None else min(deadline, latest)

    def _drain(self, tasks: Iterable[Task]) -> None:
        while self._ready.qsize() and all(task.state is not State.DONE for task in tasks):
            stream = self._ready.get()
            if stream is not None:
                self._serve(stream)

    def _start_thread(self, serve: Callable[[], None]) -> None:
        def enter() -> None:
            self._threads.append(threading.current_thread())
            marked().run(serve)

        try:
            # a daemon: a task that never returns must not keep the process from ending
            threading.Thread(target=enter, name="ascendref", daemon=True).start()
        except RuntimeError as error:
            fail(
                Status.ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
                f"the system starts no more threads ({error}), and queued work needs one; end"
                " some, or raise the limit (ulimit -u)",
                error,
            )

    def _serve_device(self) -> None:
        role, ready = self._role, self._ready
        if not role.acquire(blocking=False):
            return
        self._serving = True
        turns: dict[Stream | None, None] = {}  # streams take turns, however much each has
        try:
            while not self.closed:
                if not turns:
                    turns[ready.get()] = None
                for _ in range(ready.qsize()):
                    turns[ready.get()] = None
                stream = next(iter(turns))
                del turns[stream]
                if stream is not None:
                    self._serve(stream)
                del stream  # an idle thread holds on to nothing
        finally:
            for stream in turns:
                ready.put(stream)
            role.release()

    def _serve(self, stream: Stream) -> None:
        task = stream.scheduler.take(stream)
        if task is not None:
            if task.kind is Kind.HOST and not self.closed:
                self._call_host(task)
            else:
                stream.scheduler.run(task)

    def _call_host(self, task: Task) -> None:
        if not self._idle.acquire(blocking=False):
            try:
                self._start_thread(self._serve_host)
                self._hosts += 1
            except AclError as error:
                if not threading.main_thread().is_alive():
                    # the process ends and starts no more threads: what was queued waits for this
                    task.stream.scheduler.run(task)
                    return
                if not self._hosts:
                    task.stream.scheduler.finish(task, task.failure(error))
                    return
                # there are no more threads: it waits for one of these
        self._host.put(task)

    def _serve_host(self) -> None:
        idle = self._idle  # not that of a later beginning
        for task in iter(self._host.get, None):
            task.stream.scheduler.run(task)
            del task
            idle.release()


engine: Final = Engine()
