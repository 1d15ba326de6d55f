"""The worker threads of the process, which run the tasks of all devices."""

import threading
from collections.abc import Callable, Iterable
from contextvars import Context
from queue import SimpleQueue
from time import monotonic
from typing import Final

from ...core.errors import AclError, fail
from ...core.status import Status
from .spinning import DEVICE, HOST, Spinner
from .task import BaseStream, Kind, State, Task, in_task, task_context

#: seconds that queued work may take when the process exits, and seconds for waits after that
EXIT_TIMEOUT: Final = 0.7


class WorkerThreads:
    """One thread that runs kernels, and as many as needed for host functions and collectives.

    Kernels run one at a time, because each may use every core. A host function may wait for another
    one or for the program, and a collective for other processes; meanwhile it blocks only its own
    stream. The threads start with the first task, block while idle, and end when the process exits.
    After that no thread can be started, and a wait runs the tasks on its own thread.
    """

    def __init__(self) -> None:
        #: shortens waits of the host for the kernel thread, and of that thread for work
        self.spinner: Final = Spinner()
        #: whether a thread that waits runs small tasks itself while no other runs: waking a thread
        #: takes longer. An interrupt of that thread would leave the task half done, so this is for
        #: programs in which none can come
        self.lends_turns = False
        self.reset()

    def reset(self) -> None:
        """Start over without threads, as a forked child must."""
        #: whether the process is exiting
        self.closed = False
        #: streams whose first task may be ready, possibly listed twice; None to end
        self._ready: SimpleQueue[BaseStream | None] = SimpleQueue()
        #: held by the thread that starts tasks; never waited for
        self._device_role = threading.Lock()
        self._device_thread_runs = False
        #: held while a task is started, and while a kernel runs
        self._turn = threading.Lock()
        #: what `run_here` runs tasks in, by the number of a thread
        self._contexts: dict[int, Context] = {}
        #: host functions to run; None to end a thread
        self._host_tasks: SimpleQueue[Task | None] = SimpleQueue()
        #: counts the threads that wait for host functions
        self._idle_host_threads = threading.Semaphore(0)
        self._host_threads = 0
        self._threads: list[threading.Thread] = []

    def wake(self, stream: BaseStream) -> None:
        """Run the first task of a stream if it may run."""
        self._ready.put(stream)

    def run_here(self, task: Task) -> bool:
        """Run a task here if nothing runs or precedes it; return whether it has ended."""
        stream = task.stream
        if self.closed or in_task() or not self._turn.acquire(blocking=False):
            return False
        try:
            if stream.first() is not task or task.state is not State.QUEUED:
                return False
            thread = threading.get_ident()
            context = self._contexts.get(thread)
            if context is None:
                context = self._contexts[thread] = task_context()
            context.run(self._start_first, stream)
            return bool(task.ended)
        finally:
            self._turn.release()

    def owns(self, thread: threading.Thread) -> bool:
        return thread in self._threads

    def start(self) -> None:
        """Start the kernel thread unless it is running."""
        if not (self._device_thread_runs or self.closed):
            self._start_thread(self._run_device)  # if several start, the first takes the role

    def close(self, deadline: float) -> None:
        """End the threads for good."""
        self.closed = True
        self._ready.put(None)
        threads = list(self._threads)
        for _ in threads:
            self._host_tasks.put(None)
        for thread in threads:
            if thread is not threading.current_thread():  # a host function may exit the process
                thread.join(max(0.0, deadline - monotonic()))

    def run_if_closed(self, tasks: Iterable[Task], deadline: float | None) -> float | None:
        """Before a wait: if the threads have ended, run ready tasks until one of these is done.

        Returns the deadline for the wait, which is then short because nothing else runs tasks.
        """
        if not self.closed:
            return deadline
        # otherwise the thread is still running its last task
        if self._device_role.acquire(blocking=False):
            try:
                task_context().run(self._run_until_done, tasks)
            finally:
                self._device_role.release()
        latest = monotonic() + EXIT_TIMEOUT
        return latest if deadline is None else min(deadline, latest)

    def _run_until_done(self, tasks: Iterable[Task]) -> None:
        while self._ready.qsize() and all(task.state is not State.DONE for task in tasks):
            stream = self._ready.get()
            if stream is not None:
                self._run_first(stream)

    def _start_thread(self, run: Callable[[], None]) -> None:
        def enter() -> None:
            self._threads.append(threading.current_thread())
            task_context().run(run)

        try:
            # a daemon: a task that never returns must not keep the process from ending
            threading.Thread(target=enter, name="ascendref", daemon=True).start()
        except RuntimeError as error:
            fail(
                Status.ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
                f"the system cannot start another thread ({error}) for queued work; end"
                " some, or raise the limit (ulimit -u)",
                error,
            )

    def _run_device(self) -> None:
        role, ready = self._device_role, self._ready  # keep those of before a reset
        if not role.acquire(blocking=False):
            return
        self._device_thread_runs = True
        # round robin over the streams, independent of their numbers of tasks; a dict is an ordered
        # set
        turns: dict[BaseStream | None, None] = {}
        try:
            while not self.closed:
                if not turns:
                    seen = self.spinner.turns(HOST)  # before the queue is looked at
                    if ready.empty():
                        self.spinner.spin(DEVICE, seen)
                    turns[ready.get()] = None
                for _ in range(ready.qsize()):
                    turns[ready.get()] = None
                stream = next(iter(turns))
                del turns[stream]
                if stream is not None:
                    self._run_first(stream)
                del stream  # an idle thread keeps no stream alive
        finally:
            for stream in turns:
                ready.put(stream)
            role.release()

    def _run_first(self, stream: BaseStream) -> None:
        with self._turn:
            self._start_first(stream)

    def _start_first(self, stream: BaseStream) -> None:
        task = stream.scheduler.take(stream)
        if task is not None:
            if task.kind in (Kind.HOST, Kind.COLLECTIVE) and not self.closed:
                self._pass_to_host_thread(task)
            else:
                stream.scheduler.run(task)

    def _pass_to_host_thread(self, task: Task) -> None:
        if not self._idle_host_threads.acquire(blocking=False):
            try:
                self._start_thread(self._run_host)
                self._host_threads += 1
            except AclError as error:
                if not threading.main_thread().is_alive():
                    # the process is exiting and starts no more threads: run it here
                    task.stream.scheduler.run(task)
                    return
                if not self._host_threads:
                    task.stream.scheduler.finish(task, task.failure(error))
                    return
                # no thread can be started: the task waits for an existing one
        self._host_tasks.put(task)

    def _run_host(self) -> None:
        idle = self._idle_host_threads  # the one of before a reset
        for task in iter(self._host_tasks.get, None):
            task.stream.scheduler.run(task)
            del task
            idle.release()


workers: Final = WorkerThreads()
