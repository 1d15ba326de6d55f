"""How the state of the device changes without locks, and why.

**The problem.** A call to the device can be interrupted between any two bytecode instructions: by
another thread, by a signal handler, by a finalizer (``__del__``) that the garbage collector runs,
or by an exception such as KeyboardInterrupt, after which the call never continues. Handlers and
finalizers run on the interrupted thread and may call the device themselves; they may even wait for
another thread. If the interrupted call held a lock, its own thread would wait for that lock for
ever, and an exception at the wrong instruction would leave half an update behind. So the state of a
device is *lock-free*: whenever a thread stops, and for however long, all others can go on.

**What is atomic.** CPython switches threads and runs signal handlers only between bytecode
instructions, and only at some of them: at calls and at jumps backward. Hence these are atomic:

- one assignment to an attribute;
- one call of a function written in C, on built-in types with built-in keys: `deque.append`,
  `dict.setdefault`, `set.update`, `next` of an iterator, `map` of one C function over another;
- a test and the assignment that follows it, if neither a call nor a loop comes between them.

**The rules.** Everything under ``device/`` follows five:

1. *One atomic step makes a change take effect.* Before it, the call has done nothing; after it, the
   call is done as far as others can see. A task is submitted by one `deque.append`, a stream exists
   from one entry in a dictionary on. Values that change together are one immutable object, which
   is replaced by compare-and-set (`AtomicReference`).
2. *What can be derived is not stored.* A stream is alive while its device lists it; memory counts
   as used while an object refers to it; a thread serves callbacks while a stream names it. There is
   no second copy that could disagree.
3. *Clean-up is idempotent and anybody's job.* What remains to be done after the atomic step (taking
   a finished task off its queue, waking those who wait) may be done twice and by any thread.
   Whoever waits for a task also does what an interrupted call left undone.
4. *Of two racing threads, each writes first and reads afterwards,* so that at least one of them
   sees the other. A task is marked as running before it is looked up among the aborted ones; a
   stream is marked as aborted before the states of its tasks are read.
5. *The host waits in two functions only,* `Scheduler.block` and `Subscription.wait`. Each waits for
   a lock of its own, which serves as a signal: no thread holds it while it changes state.

One thread at a time starts tasks, so the choice of the next task needs no agreement between
threads. Two locks decide which (`scheduling.worker_threads`): nobody waits for the role of the
kernel thread, and only the thread that has it waits for the turn to start a task. A thread of the
program takes a turn that is free, to run a small task itself, and only where no exception can
interrupt it: in a program in C. Code that runs on the kernel thread, host functions and finalizers
included, must not wait for the device and is refused if it tries (`scheduling.task.in_task`).

`tests/device/test_interrupts.py` raises an exception, and calls the device again, before every
bytecode instruction of every call.
"""

from typing import Generic, TypeVar

T = TypeVar("T")


class Snapshot(Generic[T]):
    """The value of an `AtomicReference` at one time."""

    __slots__ = ("successor", "value")

    def __init__(self, value: T) -> None:
        self.value = value
        #: empty while this is the latest; `dict.setdefault` decides which successor enters
        self.successor: dict[str, Snapshot[T]] = {}


class AtomicReference(Generic[T]):
    """A value that is loaded and replaced as a whole."""

    __slots__ = ("_latest",)

    def __init__(self, value: T) -> None:
        self._latest = Snapshot(value)

    def load(self) -> Snapshot[T]:
        """Return the latest value."""
        latest = self._latest
        while latest.successor:
            latest = latest.successor["next"]
        self._latest = latest
        return latest

    def compare_and_set(self, expected: Snapshot[T], value: T) -> bool:
        """Replace the value if ``expected`` is still the latest; return whether it was."""
        new = Snapshot(value)
        return expected.successor.setdefault("next", new) is new
