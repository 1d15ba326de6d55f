"""The call frame of XLA's foreign function interface (FFI), read and answered by compiled code.

XLA calls a *handler*, a C function that takes the address of a frame and returns the address of an
error, or 0. The offsets are those of ``xla/ffi/api/c_api.h``, which jaxlib contains. Versions 0.1
to 0.3 of the interface have the same frame; its sizes are checked before anything is read.
"""

from typing import Any, Final

from numba import types

from ..kernels.compiler.jit import helper
from ..kernels.runtime.launch import caller_of, set_word
from ..kernels.runtime.memory import half_word, in_memory, poke, word

#: every structure begins with its size and the address of its extensions
SIZE, EXTENSION = 0, 8
#: the frame: the interface's functions; the stage; number and addresses of arguments, of results
#: and of attributes (sorted by name); its minimum size
API, STAGE = 16, 32
ARGUMENTS, RESULTS, ATTRIBUTES_COUNT, ATTRIBUTES = 72, 112, 136, 160
_FRAME_SIZE: Final = 168
#: the stage in which a handler executes
EXECUTE: Final = 3
#: a buffer: the address of its elements, its rank, the address of its sizes
DATA, RANK, SIZES = 24, 32, 40
#: an attribute that is a number: its address; one that is an array: the address of its elements
NUMBER, ELEMENTS = 8, 16
#: the interface: its version and the function that makes errors
_MAJOR, _MINOR, _MAKE_ERROR = 32, 36, 48
#: an extension's kind, always a query about the handler, and the fields to fill in: the version,
#: the handler's traits, and from version 0.3 on the type of its state
_METADATA: Final = 24
_OWN_MAJOR, _OWN_MINOR, _PROMISES, _STATE_TYPE = 24, 28, 32, 40
#: the first and the last version of the interface whose structures are known
OLDEST: Final = 1
NEWEST: Final = 3
#: error codes
INVALID_ARGUMENT: Final = 3
RESOURCE_EXHAUSTED: Final = 8
FAILED_PRECONDITION: Final = 9

_set_half: Final = poke("int32")


_call_error_maker: Final = caller_of(types.int64(types.int64))


@helper
def error(frame: int, message: int, code: int) -> Any:
    """Return an error for XLA, from the address of a C string."""
    arguments = in_memory((32, 0, message, code))
    return _call_error_maker(word(word(frame, API), _MAKE_ERROR), arguments)


@helper
def is_known(frame: int) -> Any:
    """Tell whether a frame has all fields that a call reads."""
    api = word(frame, API)
    return (
        word(frame, SIZE) >= _FRAME_SIZE
        and half_word(api, _MAJOR) == 0
        and half_word(api, _MINOR) >= OLDEST
    )


@helper
def describe(frame: int) -> Any:
    """Answer XLA's query for the handler's version of the interface.

    The answer is the newest version that both sides know; XLA refuses handlers of unknown versions.
    A frame without the interface's functions is of version 0.1. A frame of another major version is
    not answered.
    """
    api, known = word(frame, API), OLDEST
    if api:
        if half_word(api, _MAJOR) != 0:
            return 0
        known = NEWEST if half_word(api, _MINOR) >= NEWEST else OLDEST
    metadata = word(word(frame, EXTENSION), _METADATA)
    _set_half(metadata, _OWN_MAJOR, types.int32(0))
    _set_half(metadata, _OWN_MINOR, types.int32(known))
    _set_half(metadata, _PROMISES, types.int32(0))
    if known == NEWEST:
        set_word(metadata, _STATE_TYPE, 0)
    return 0


@helper
def attribute(frame: int, number: int) -> Any:
    """Return the address of an attribute."""
    return word(word(frame, ATTRIBUTES), 8 * number)


@helper
def argument(frame: int, number: int) -> Any:
    """Return the address of an argument's elements."""
    return word(word(word(frame, ARGUMENTS), 8 * number), DATA)


@helper
def result(frame: int, number: int) -> Any:
    """Return the address of a result's elements."""
    return word(word(word(frame, RESULTS), 8 * number), DATA)


@helper
def result_size(frame: int) -> Any:
    """Return the number of elements of the first result."""
    buffer, size = word(word(frame, RESULTS), 0), 1
    for axis in range(word(buffer, RANK)):
        size *= word(word(buffer, SIZES), 8 * axis)
    return size
