"""Launching of kernels: as tasks, on the calling thread or on several.

A *task* is a compiled function that takes the address of its arguments and a range of work. A
kernel checks its operands, places the arguments on the stack and calls `run`. For little work,
`run` calls the task directly; otherwise it passes the task's address to the *launcher*, the only
parallel loop (``prange``) of the process. So an operator's code is compiled once for any number of
threads and contains no parallel code.

Only one launch runs at a time: the ``workqueue`` threading layer aborts the process if two threads
launch parallel work at once, and OpenMP crashes in a forked child. If another one is running, a
call does its work on its own thread. The flag for this is set and cleared in compiled code, which
signals do not interrupt.
"""

import os
from collections.abc import Callable
from typing import Any, Final

import numba
import numpy as np
from llvmlite import ir
from numba import prange, types
from numba.extending import intrinsic

from ...core.threads import ELEMENTS_PER_THREAD, LIMIT_ADDRESS
from ..compiler.instructions import instructions
from ..compiler.jit import Once, helper, integer_kernel, merged
from ..compiler.numba_internals import emit_call, get_num_threads, set_num_threads
from ..compiler.target import tune_for_vectors
from .fp_environment import restore_environment, set_default_environment
from .memory import poke, smaller, word
from .threading_layer import start_threads

#: the first words of the argument block, and the start of the operands' words: sum of the tasks'
#: return values, reason why a task could not run, number of results, addresses of the scalars, of
#: the operand table (``array_header.py``), of the plan, and of the task inside a traversal; whether
#: the result may use non-temporal stores, and a zero
RETURNED, FAILURE, SIZE, NUMBERS, TABLE = range(0, 40, 8)
PLAN, INNER_TASK, PAST_CACHES, ZERO, OPERANDS = range(40, 80, 8)
#: in calls of the task inside a traversal: how many rows it computes after the first, as the plan
#: has them
MORE_ROWS: Final = INNER_TASK
#: the operands' words before they are known; its length is the largest number of operands
NO_OPERANDS: Final = (0,) * 12
#: words of the launcher: whether a launch is running, address of the thread limits of the program
#: and PyTorch (``core/threads.py``), number of threads, address of the compiled launcher
RUNNING, LIMIT, THREADS, ENTRY = range(0, 32, 8)
#: returned by a launch if another one is running; returned by a kernel if a task found no memory,
#: or if the launcher, the exact task, the function that copies tiles from buffers or the task that
#: looks up results (``array_header.py``) is not loaded
BUSY: Final = -2
NO_MEMORY: Final = -3
NO_LAUNCHER: Final = -4
NO_EXACT_TASK: Final = -5
NO_SCATTER: Final = -6
NO_LOOKUP: Final = -7
#: returned by a kernel if a task in Python raised an exception
FAILED_IN_PYTHON: Final = -8

_WORD: Final = ir.IntType(64)
_INT: Final = ir.IntType(32)
#: ``task(arguments, start, stop)``; its return values are summed
Task = Callable[[int, int, int], int]
TASK_TYPE: Final = types.int64(*[types.int64] * 3)
_LAUNCH: Final = types.int64(*[types.int64] * 7)

set_word: Final = poke("int64")


def own_address_in(signature: Any, environment: bool = True) -> Any:
    """Return a function that gives the address of the compiled function that calls it.

    The address is that of a C function that calls it, in the default floating-point environment
    if ``environment``.
    """

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.function.attributes.add("noinline")  # otherwise all of it is compiled twice
        tune_for_vectors(builder.function)
        kind = ir.FunctionType(_WORD, [_WORD] * len(signature.args))
        name = builder.module.get_unique_name("ascendref_function")
        function = ir.Function(builder.module, kind, name)
        function.linkage = "internal"
        inside = ir.IRBuilder(function.append_basic_block())
        before = set_default_environment(inside) if environment else None
        returned = emit_call(context, inside, builder.function, signature, function.args)
        if environment:
            restore_environment(inside, before)
        inside.ret(returned)
        return builder.ptrtoint(function, _WORD)

    @intrinsic
    def own_address(typingctx: Any) -> Any:
        return types.int64(), codegen

    return own_address


#: the address of the task, or the launcher, that calls this
own_address: Final = own_address_in(TASK_TYPE)
_launcher_address: Final = own_address_in(_LAUNCH)


def _task(arguments: int, start: int, stop: int) -> int:
    """Give all tasks their parameters and their place in the disk cache."""
    raise NotImplementedError


def task_kernel(make: Callable[[], Task], name: str, formula: Any) -> Any:
    """Compile the task that ``make`` returns; for a negative range it returns `own_address`."""
    return integer_kernel(_task, name, formula=formula, make=make)


def address(task: Any) -> int:
    """Return the address of a compiled task, valid while the task is alive."""
    found: int = task(0, 0, -1)
    return found


def caller_of(signature: Any) -> Any:
    """Return the function that calls a C function of integers, whose address comes first."""

    @instructions(types.int64, types.int64, *signature.args)
    def call(builder: Any, address: Any, *arguments: Any) -> Any:
        kind = ir.FunctionType(_WORD, [_WORD] * len(arguments))
        return builder.call(builder.inttoptr(address, kind.as_pointer()), arguments)

    return call


#: ``call_task(task, arguments, start, stop)``
call_task: Final = caller_of(TASK_TYPE)
_call_launcher: Final = caller_of(_LAUNCH)


@instructions(types.int64, types.int64)
def _call_for_number(builder: Any, address: Any) -> Any:
    """Call a C function without parameters that returns an ``int``."""
    kind = ir.FunctionType(_INT, [])
    return builder.sext(builder.call(builder.inttoptr(address, kind.as_pointer()), []), _WORD)


@merged
def threads_for(elements: int, launcher: int) -> Any:
    """Return how many threads a launch may use for the elements."""
    limit = word(launcher, LIMIT)
    threads = smaller(word(launcher, THREADS), word(limit, 0))
    threads = smaller(threads, elements // ELEMENTS_PER_THREAD)
    if threads > 1:
        torch_threads = word(limit, 8)
        if torch_threads:
            threads = smaller(threads, _call_for_number(torch_threads))
    return threads


@helper
def run(
    task: int, arguments: int, count: int, lead: int, part: int, elements: int, launcher: int
) -> Any:
    """Run a task on all its work, on one or several threads.

    The work is ``count`` pieces (elements, tiles or others), ``lead`` of them before the first that
    begins a cache line. A call of the task takes ``part`` pieces if several threads share the work;
    0 means four calls per thread. Return the sum of what the task returns, or a negative number.
    """
    threads = threads_for(elements, launcher)
    done = BUSY
    if threads > 1:
        entry = word(launcher, ENTRY)
        if entry == 0:
            return NO_LAUNCHER
        done = _call_launcher(entry, task, arguments, count, lead, part, launcher, threads)
    if done == BUSY:
        done = 0
        if lead:
            done += call_task(task, arguments, 0, lead)
        done += call_task(task, arguments, lead, count)
    failure = word(arguments, FAILURE)
    return failure if failure else done


@instructions(types.boolean, types.int64)
def _take(builder: Any, address: Any) -> Any:
    """Atomically change a word from 0 to 1; tell whether it was 0."""
    place = builder.inttoptr(address, _WORD.as_pointer())
    return builder.extract_value(
        builder.cmpxchg(place, _WORD(0), _WORD(1), "acquire", "monotonic"), 1
    )


@instructions(types.void, types.int64)
def _give_back(builder: Any, address: Any) -> None:
    """Change a word back to 0."""
    builder.store_atomic(_WORD(0), builder.inttoptr(address, _WORD.as_pointer()), "release", 8)


@instructions(types.void, types.int64, types.int64)
def _add(builder: Any, address: Any, number: Any) -> None:
    """Atomically add to a word."""
    builder.atomic_rmw("add", builder.inttoptr(address, _WORD.as_pointer()), number, "monotonic")


def _launch(
    task: int, arguments: int, count: int, lead: int, part: int, launcher: int, threads: int
) -> Any:
    if not threads:
        return _launcher_address()
    if not _take(launcher + RUNNING):
        return BUSY
    before = get_num_threads()
    threads = smaller(threads, before)
    set_num_threads(threads)
    if part == 0:
        part = (count + 4 * threads - 1) // (4 * threads)
    for number in prange((count - lead + part - 1) // part):
        first = lead + number * part if number else 0
        returned = call_task(task, arguments, first, smaller(count, lead + (number + 1) * part))
        if returned:
            _add(arguments + RETURNED, returned)
    set_num_threads(before)
    _give_back(launcher + RUNNING)
    return word(arguments, RETURNED)


class Launcher:
    """The launcher of this process, with the words that kernels read."""

    def __init__(self) -> None:
        self._words = np.array([0, LIMIT_ADDRESS, numba.config.NUMBA_NUM_THREADS, 0], np.int64)
        #: address of the words
        self.address: int = self._words.ctypes.data

    @Once
    def _compiled(self) -> Any:
        start_threads()  # registers the runtime functions with LLVM
        return integer_kernel(_launch, "launcher", parallel=True)

    def load(self) -> None:
        self._words[ENTRY // 8] = self._compiled(*[0] * 7)

    def become_child(self) -> None:
        """Mark this process as a forked child, which has one thread."""
        self._words[RUNNING // 8] = 0
        self._words[THREADS // 8] = 1


LAUNCHER: Final = Launcher()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=LAUNCHER.become_child)


class Words:
    """Words in memory, and the objects whose addresses are among them, which it keeps alive."""

    def __init__(self, words: tuple[int, ...], *memory: Any) -> None:
        self._memory = np.array(words, np.int64), *memory
        #: their address, valid while this object is alive
        self.address: int = self._memory[0].__array_interface__["data"][0]
