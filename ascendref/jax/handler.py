"""The handler that XLA calls for every gradient: compiled code that finds a kernel and runs it.

A call runs no Python and does not need the GIL. The *directory* holds what Python has prepared for
compiled code: error messages, and kernels by their keys. A key is a digest of the kernel's name,
not an address, so programs that JAX stores on disk find their kernels in another process.
"""

import hashlib
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ..kernels.compiler.jit import helper, integer_kernel
from ..kernels.loops.array_kernels import PART
from ..kernels.loops.reduction_launch import run_reduction
from ..kernels.runtime.array_header import COUNT, ITEMSIZE, ROWS
from ..kernels.runtime.launch import (
    LAUNCHER,
    NO_MEMORY,
    NO_OPERANDS,
    OPERANDS,
    Words,
    own_address_in,
    run,
    set_word,
)
from ..kernels.runtime.memory import allocate, half_word, in_memory, release, word
from .call_frame import (
    ATTRIBUTES_COUNT,
    ELEMENTS,
    EXECUTE,
    EXTENSION,
    FAILED_PRECONDITION,
    INVALID_ARGUMENT,
    NUMBER,
    RESOURCE_EXHAUSTED,
    SIZE,
    STAGE,
    argument,
    attribute,
    describe,
    error,
    is_known,
    result,
    result_size,
)

#: attributes of a call, sorted by name: the kernel's key, its scalars, its plan
ATTRIBUTES: Final = ("kernel", "numbers", "plan")
_KEY, _NUMBERS, _PLAN = range(3)
#: layout of the directory in words: messages about frames, kernels and memory, then slots, each
#: with a kernel's key and the address of its record
_MESSAGES: Final = (
    "the call does not come from ascendref.jax: its frame or attributes have another form",
    "the kernel of this call was not prepared in this process; trace the function here, with"
    " ascendref.jax imported, instead of loading a compiled one",
    "there is no memory for the buffers of a kernel",
    "a part of the kernel is not loaded",
)
_FRAME, _KERNEL, _MEMORY, _PART, _SLOTS = range(0, 40, 8)
_CAPACITY: Final = 4096
#: record of a kernel: addresses of its operand table, of its task, of the task that sums blocks (0
#: without sums) and of the launcher's record
_TABLE, _TASK, _TOTAL, _LAUNCHER = range(0, 32, 8)
#: record of a plan: elements of an unbatched result; then, with sums per channel, the number of
#: channels, the bytes of partial sums, and the start of the kernel's plan
_ELEMENTS, _CHANNELS, _PARTIAL, _KERNEL_PLAN = range(0, 32, 8)
_LINE: Final = 64


_own_address: Final = own_address_in(types.int64(types.int64))


@intrinsic
def _directory(typingctx: Any) -> Any:
    """Return the address of the word that holds the directory's address."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        name, kind = "ascendref_directory", ir.IntType(64)
        place = builder.module.globals.get(name)
        if place is None:
            place = ir.GlobalVariable(builder.module, kind, name)
            place.linkage, place.initializer = "internal", kind(0)
        return builder.ptrtoint(place, kind)

    return types.int64(), codegen


@helper
def _find(directory: int, key: int) -> Any:
    """Return the address of a kernel's record; 0 if there is none."""
    slot = key & (_CAPACITY - 1)
    while True:
        found = word(directory, _SLOTS + 16 * slot)
        if found == key:
            return word(directory, _SLOTS + 16 * slot + 8)
        if found == 0:
            return 0
        slot = (slot + 1) & (_CAPACITY - 1)


@helper
def _elements(frame: int, kernel: int, numbers: int, plan: int) -> Any:
    """Compute the elements of all batches together."""
    table, total = word(kernel, _TABLE), result_size(frame)
    arguments = in_memory((0, 0, word(plan, _ELEMENTS), numbers, table, 0, 0, 1, 0, *NO_OPERANDS))
    inputs = word(table, COUNT) - 1
    for k in range(inputs):
        set_word(arguments, OPERANDS + 8 * k, argument(frame, k))
    set_word(arguments, OPERANDS + 8 * inputs, result(frame, 0))
    return run(word(kernel, _TASK), arguments, total, 0, PART, total, word(kernel, _LAUNCHER))


@helper
def _with_sums(frame: int, kernel: int, plan: int) -> Any:
    """Compute every element and the sums per channel, batch by batch."""
    table, size, channels = word(kernel, _TABLE), word(plan, _ELEMENTS), word(plan, _CHANNELS)
    width, room, partial, hard = word(table, ROWS + ITEMSIZE), word(plan, _PARTIAL), 0, 0
    if room:
        partial = allocate(room, _LINE)
        if partial == 0:
            return NO_MEMORY
    for batch in range(result_size(frame) // size):
        element, channel = batch * size * width, batch * channels * width
        operands = in_memory(
            (
                argument(frame, 0) + element,
                argument(frame, 1) + element,
                argument(frame, 2) + channel,
                result(frame, 0) + element,
                result(frame, 1) + channel,
            )
        )
        done = run_reduction(kernel, plan + _KERNEL_PLAN, partial, 0, operands)
        hard = done if done < 0 else hard
    if partial:
        release(partial)
    return hard


def _handle(frame: int) -> Any:
    """Answer a call of XLA: a handler.

    A frame of size 0 comes from Python, not XLA: its next word is the directory's address, and the
    handler's address is returned.
    """
    if word(frame, SIZE) == 0:
        set_word(_directory(), 0, word(frame, 8))
        return _own_address()
    if word(frame, EXTENSION):
        return describe(frame)
    directory = word(_directory(), 0)
    if not is_known(frame):
        return error(frame, word(directory, _FRAME), INVALID_ARGUMENT)
    if half_word(frame, STAGE) != EXECUTE:
        return 0
    if word(frame, ATTRIBUTES_COUNT) != 3:
        return error(frame, word(directory, _FRAME), INVALID_ARGUMENT)
    kernel = _find(directory, word(word(attribute(frame, _KEY), NUMBER), 0))
    if kernel == 0:
        return error(frame, word(directory, _KERNEL), FAILED_PRECONDITION)
    numbers = word(attribute(frame, _NUMBERS), ELEMENTS)
    plan = word(attribute(frame, _PLAN), ELEMENTS)
    if word(kernel, _TOTAL):
        done = _with_sums(frame, kernel, plan)
    else:
        done = _elements(frame, kernel, numbers, plan)
    if done == NO_MEMORY:
        return error(frame, word(directory, _MEMORY), RESOURCE_EXHAUSTED)
    if done < 0:
        return error(frame, word(directory, _PART), FAILED_PRECONDITION)
    return 0


class Handler:
    """The handler of this process and its directory."""

    def __init__(self) -> None:
        self._messages = [np.frombuffer(f"{text}\0".encode(), np.uint8) for text in _MESSAGES]
        self._kernels: dict[int, Words] = {}
        self._words = np.zeros(len(_MESSAGES) + 2 * _CAPACITY, np.int64)
        self._words[: len(_MESSAGES)] = [text.ctypes.data for text in self._messages]
        #: address of the C function
        self.address: int = integer_kernel(_handle, "xla_handler")(
            Words((0, self._words.ctypes.data)).address
        )

    def add(self, name: str, table: int, task: int, total: int = 0) -> int:
        """Register a kernel, which must live as long as the process, and return its key.

        The name is unique; the numbers are addresses of the table of operands, of the task and,
        with sums per channel, of the task that sums blocks.
        """
        key = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True) or 1
        if key not in self._kernels:
            if len(self._kernels) >= _CAPACITY // 2:
                raise RuntimeError(f"there are more than {_CAPACITY // 2} kernels")
            words = Words((table, task, total, LAUNCHER.address))
            slots = self._words[len(_MESSAGES) :].reshape(-1, 2)
            slot = key % _CAPACITY
            while slots[slot, 0]:
                slot = (slot + 1) % _CAPACITY
            slots[slot, 1] = words.address
            slots[slot, 0] = key  # written last: from now on the kernel is found
            self._kernels[key] = words
        return key
