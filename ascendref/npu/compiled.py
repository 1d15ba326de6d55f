"""The fallback's kernel (``native/fallback.cpp``), and the functions that it calls."""

import ctypes
import hashlib
import shlex
import subprocess
import threading
from collections.abc import Iterator
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_int32, c_int64, c_uint64, c_void_p
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import torch

from ..cann.root import compiler, publish, words_of
from ..core.errors import OptionError, message_of
from ..core.output_files import user_cache
from ..device.check_output import mode_from_environment
from ..device.checker.checker import Access
from ..device.memory.address_space import Memory
from ..device.scheduling.scheduler import submissions
from .capture import note_drawing
from .schema import Schema
from .storage import access_of, memory_at
from .streams import current_stream, tell_checker, wait_for

#: the dispatch key of the kernel that copies between devices
BETWEEN_DEVICES: Final = "PrivateUse3"
_LOCATE: Final = CFUNCTYPE(c_void_p, c_uint64, c_uint64, POINTER(c_uint64))
_CAPTURED: Final = CFUNCTYPE(c_int32, c_int32, c_int64)
_DRAW: Final = CFUNCTYPE(None, c_uint64, c_uint64, c_uint64)
_WAIT: Final = CFUNCTYPE(c_void_p, c_int32, c_int64)
_TELL: Final = CFUNCTYPE(c_void_p, c_int32, c_int64, c_int32, POINTER(c_int64), c_int64, c_int32)

#: reads and writes
_Accesses = tuple[list[Access], list[Access]]
#: calls whose accesses are kept
_MOST_KNOWN: Final = 2**14


_SOURCE: Final = Path(__file__).with_name("native") / "fallback.cpp"
_FLAGS: Final = "-std=c++20 -O2 -fPIC -fvisibility=hidden -shared -pthread".split()
_LIBRARY: Final = "libfallback.so"


def compiled_fallback() -> Path:
    """Return the library, compiling it if it does not exist."""
    command = _command()
    parts = (command, torch.__version__, version("torch-npu"), _SOURCE.read_text())
    digest = hashlib.sha256(repr(parts).encode()).hexdigest()
    folder = user_cache() / "npu-fallback" / digest[:16]
    library = folder / _LIBRARY
    if not library.is_file():
        publish(folder, lambda made: _compile(command, made))
    return library


def _command() -> list[str]:
    """Return the compiler's command up to the output; ``CXXFLAGS`` come last."""
    package = Path(torch.__file__).parent
    theirs = package.with_name("torch_npu")
    headers = [f"-I{package / 'include'}", f"-isystem{theirs / 'include'}"]
    words = [*compiler("CXX"), *_FLAGS, *words_of("CXXFLAGS"), *headers, str(_SOURCE)]
    words += [f"-L{package / 'lib'}", "-lc10", "-ltorch_cpu"]
    return [*words, f"-L{theirs / 'lib'}", "-ltorch_npu"]


def _compile(command: list[str], made: Path) -> None:
    made.mkdir()
    words = [*command, "-o", str(made / _LIBRARY)]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        raise OptionError(
            "CXX", f"cannot compile the fallback's kernel ({shlex.join(words)}): {done.stderr}"
        )


class _Hooks(ctypes.Structure):
    """``struct Hooks`` of the source."""

    _fields_ = (
        ("locate", _LOCATE),
        ("captured", _CAPTURED),
        ("draw", _DRAW),
        ("wait", _WAIT),
        ("tell", _TELL),
        ("interrupt", c_void_p),
        ("queued", POINTER(c_uint64)),
        ("checked", c_int32),
    )


class _Thread(threading.local):
    """The message of the last failure of a thread, for C++ to read."""

    message: ctypes.Array[ctypes.c_char] | None = None


_thread: Final = _Thread()


def _failed(error: BaseException) -> int:
    """Return the address of an exception's message; for an interrupt, it is empty."""
    message = "" if isinstance(error, KeyboardInterrupt) else message_of(error) or repr(error)
    _thread.message = ctypes.create_string_buffer(message.encode(errors="backslashreplace"))
    return ctypes.addressof(_thread.message)


class CompiledFallback:
    """The library with the kernel, and the operators that it is registered for."""

    def __init__(self, path: Path) -> None:
        # with the interpreter's lock: calls take no longer than giving it away
        self._library = ctypes.PyDLL(str(path))
        self._library.ascendref_remember.argtypes = [c_uint64, c_uint64, c_uint64]
        self._library.ascendref_forget.argtypes = [c_uint64]
        self._library.ascendref_register.argtypes = [c_char_p, c_char_p, c_int32, c_int32]
        self._library.ascendref_calls.argtypes = [c_int32]
        self._library.ascendref_calls.restype = c_uint64
        #: the overloads by the number of their kernel, and the names of their arguments
        self._overloads: list[tuple[str, list[str]]] = []
        #: accesses by the number of a kernel and the words that describe them, while their memory
        #: lives; a program that repeats itself makes the same ones
        self._known: dict[tuple[int, ...], _Accesses] = {}
        self._hooks = _Hooks(
            _LOCATE(self._locate),
            _CAPTURED(lambda device, stream: current_stream(device, stream).captured),
            _DRAW(note_drawing),
            _WAIT(_wait),
            _TELL(self._tell),
            ctypes.cast(ctypes.pythonapi.PyErr_SetInterrupt, c_void_p),
            ctypes.pointer(submissions),
            bool(mode_from_environment(False)),
        )
        self._library.ascendref_start(byref(self._hooks))

    def register(self, op: torch._ops.OpOverload) -> None:
        """Make it the kernel of an overload for the device."""
        name, _, overload = op.name().partition(".")
        self._overloads.append((op.name(), [x.name for x in op._schema.arguments]))
        schema = Schema.of(op)
        self._library.ascendref_register(
            name.encode(), overload.encode(), schema.same_device, schema.shape_from
        )

    def calls(self) -> Iterator[tuple[str, int]]:
        """Yield the overloads that were called, and how often."""
        for number, (name, _) in enumerate(self._overloads):
            count = self._library.ascendref_calls(number)
            if count:
                yield name, count

    # ---- called by C++

    def _locate(self, address: int, nbytes: int, found: Any) -> int:
        try:
            memory = memory_at(address)
            start = address - memory.address
            memory.when_moved = self._forget
            if type(memory) is Memory:
                place = _place(memory.content())
                self._library.ascendref_remember(memory.address, memory.nbytes, place)
            else:  # reserved addresses, of which parts are mapped
                place = _place(memory.content(start, nbytes))
            found[0] = place + start
        except BaseException as error:
            return _failed(error)
        return 0

    def _forget(self, memory: Memory) -> None:
        self._known.clear()
        self._library.ascendref_forget(memory.address)

    def _tell(
        self, device: int, stream: int, kernel: int, accesses: Any, count: int, waits: int
    ) -> int:
        try:
            known = self._accesses((kernel, *accesses[:count]))
            queue, call = current_stream(device, stream), self._overloads[kernel][0]
            tell_checker(queue, call, *known, waits=bool(waits))
        except BaseException as error:
            return _failed(error)
        return 0

    def _accesses(self, words: tuple[int, ...]) -> _Accesses:
        """Return the reads and writes, which C++ describes in words after a kernel's number."""
        known = self._known.get(words)
        if known is not None:
            return known
        arguments = self._overloads[words[0]][1]
        found: _Accesses = ([], [])
        at = 1
        while at < len(words):
            argument, written, address, itemsize, dims = words[at : at + 5]
            shape, strides = words[at + 5 : at + 5 + dims], words[at + 5 + dims : at + 5 + 2 * dims]
            at += 5 + 2 * dims
            name = arguments[argument] if argument >= 0 else "result"
            access = access_of(memory_at(address), address, shape, strides, itemsize, name)
            found[written].append(access)
        if len(self._known) < _MOST_KNOWN:
            self._known[words] = found
        return found


def _wait(device: int, stream: int) -> int:
    try:
        wait_for(current_stream(device, stream))
    except BaseException as error:
        return _failed(error)
    return 0


def _place(content: Any) -> int:
    """Return the address of an array in the process."""
    place: int = content.__array_interface__["data"][0]
    return place
