"""The module ``acl``, the vendor's Python interface (pyACL): the C library's functions by ctypes.

Names, results and conversions follow from the functions' prototypes. Handles and addresses are
numbers, the same for every client of the library in the process.
"""

import ctypes
import logging
import os
import re
import sys
import threading
import warnings
from collections.abc import Callable
from ctypes import CDLL, CFUNCTYPE, byref, c_char_p, c_void_p
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from itertools import count
from operator import index
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..core.layout import array_at
from ..device.memory.address_space import FIRST_ADDRESS
from .constants import BASE_ENUMS, BASE_MACROS, META_MACROS, RT_ENUMS, RT_MACROS
from .functions import ABSENT, Function, functions
from .prototypes import Parameter

#: functions of the modules, whose names in C follow by `_name`
_ACL: Final = """
init finalize finalize_reference get_version get_soc_name get_recent_err_msg get_cann_attribute
get_device_capability data_type_size float16_to_float float_to_float16
"""
_RT: Final = """
set_device reset_device reset_device_force get_device get_device_count get_run_mode get_device_info
get_device_capability device_get_bare_tgid synchronize_device synchronize_device_with_timeout
device_get_stream_priority_range device_can_access_peer device_enable_peer_access
device_disable_peer_access device_peer_access_status create_context destroy_context set_context
get_context ctx_get_current_default_stream set_sys_param_opt get_sys_param_opt ctx_set_sys_param_opt
ctx_get_sys_param_opt get_mem_info malloc malloc_align32 malloc_cached malloc_host free free_host
memcpy memcpy_async memcpy2d memcpy2d_async memset memset_async reserve_mem_address
release_mem_address map_mem unmap_mem free_physical ipc_mem_import_by_key ipc_mem_close reduce_async
create_stream create_stream_with_config destroy_stream destroy_stream_force synchronize_stream
synchronize_stream_with_timeout stream_query stream_abort stream_get_id set_stream_failure_mode
set_device_res_limit get_device_res_limit reset_device_res_limit set_stream_res_limit
get_stream_res_limit reset_stream_res_limit use_stream_res_in_current_thread
unuse_stream_res_in_current_thread get_res_in_current_thread create_event create_event_with_flag
create_event_ex_with_flag destroy_event record_event reset_event stream_wait_event query_event
query_event_status query_event_wait_status synchronize_event synchronize_event_with_timeout
event_elapsed_time event_get_timestamp get_event_id create_notify destroy_notify record_notify
wait_and_reset_notify get_notify_id subscribe_report unsubscribe_report process_report
get_last_error peek_at_last_error
"""
#: what the rule makes of a name in C -> the name in Python
_OTHER_NAMES: Final = {
    "set_current_context": "set_context",
    "get_current_context": "get_context",
    "un_subscribe_report": "unsubscribe_report",
}
#: functions of the runtime that are in ``acl`` itself
_TOP_LEVEL: Final = ("aclrtGetVersion", "aclrtGetSocName")
#: parameters that may be left out, and outputs that C programs may leave out
_OPTIONAL: Final = ("configPath",)
_ALSO_OUTPUTS: Final = {"refCount": "UINT64"}

#: kinds of parameters -> types of ctypes; all others are addresses
_TYPES: Final[dict[str, Any]] = {
    "INT32": ctypes.c_int32,
    "UINT32": ctypes.c_uint32,
    "INT64": ctypes.c_int64,
    "UINT64": ctypes.c_uint64,
    "FLOAT": ctypes.c_float,
    "DOUBLE": ctypes.c_double,
    "TEXT": c_char_p,
}
#: C types of results that are no status
_RESULTS: Final[dict[str, Any]] = {
    "const char *": c_char_p,
    "size_t": ctypes.c_size_t,
    "float": ctypes.c_float,
    "aclFloat16": ctypes.c_uint16,
}
#: types of arrays by their number in NumPy's interface for C
_ARRAY_TYPES: Final = dict(zip((*range(13), 23), "?bBhHiIlLqQfde", strict=True))
_CALLBACK: Final = CFUNCTYPE(None, c_void_p)


def module(library: Path, folder: Path | None = None) -> ModuleType:
    """Return the module for a library; or, if there is one outside of a folder, the vendor's."""
    if folder is not None:
        others = [path for path in sys.path if Path(path or ".").resolve() != folder.resolve()]
        spec = PathFinder.find_spec("acl", others)
        if spec is not None and spec.loader is not None:
            found = sys.modules["acl"] = module_from_spec(spec)
            spec.loader.exec_module(found)
            return found
    loaded = CDLL(str(library))
    top = _module("acl", loaded, _ACL, _More)
    for group in (*BASE_ENUMS.values(), *RT_ENUMS.values(), BASE_MACROS, META_MACROS, RT_MACROS):
        vars(top).update(group)
    vars(top).update(rt=_module("acl.rt", loaded, _RT, _Callbacks))
    vars(top).update(util=_module("acl.util", loaded, "", _Util))
    return top


def _module(name: str, library: CDLL, names: str, more: Callable[[CDLL], Any]) -> ModuleType:
    """Return a module with functions of the library and the methods of another object."""
    made = ModuleType(name, "The vendor's Python interface to the emulated device.")
    table = {_name(row.name): row for row in functions().values() if _place(row.name) == name}
    for short in names.split():
        vars(made)[short] = _function(name, short, table[short], library)
    extra = more(library)
    vars(made).update({x: getattr(extra, x) for x in dir(extra) if not x.startswith("_")})
    absent = {_name(x): why for x, why in ABSENT.items() if _place(x) == name}

    def refuse(missing: str) -> Any:
        why = absent.get(missing, f"dir({name}) lists what it has")
        problem = f"module {name!r} of the emulated device has no attribute {missing!r}; {why}"
        raise AttributeError(problem, name=missing, obj=made)

    vars(made)["__getattr__"] = refuse
    sys.modules.setdefault(name, made)
    return made


def _place(name: str) -> str:
    """Return the module of a function of C."""
    return "acl.rt" if name.startswith("aclrt") and name not in _TOP_LEVEL else "acl"


def _name(name: str) -> str:
    """Return the name of a function of C in Python."""
    words = re.sub("(?<=[a-z0-9])(?=[A-Z])", "_", re.sub("^acl(rt)?", "", name)).lower()
    return _OTHER_NAMES.get(words, words)


def _function(place: str, name: str, function: Function, library: CDLL) -> Callable[..., Any]:
    """Return a function: it returns the outputs, then the status; or a result that is none."""
    prototype = function.prototype
    result = _RESULTS.get(prototype.result)
    call = library[function.name]
    call.restype = ctypes.c_int32 if result is None else result
    outputs = [_output(parameter) for parameter in prototype.parameters]
    inputs = [p for p, kind in zip(prototype.parameters, outputs, strict=True) if kind is None]
    least = len(inputs) - sum(p.name in _OPTIONAL for p in inputs)

    def run(*given: Any) -> Any:
        if not least <= len(given) <= len(inputs):
            raise TypeError(
                f"{place}.{name} args parse failed: it takes {len(inputs)} arguments"
                f" ({', '.join(p.name for p in inputs)}), not {len(given)}"
            )
        values = iter((*given, *[None] * (len(inputs) - len(given))))
        arguments, written = [], []
        for parameter, kind in zip(prototype.parameters, outputs, strict=True):
            if kind is None:
                arguments.append(_converted(f"{place}.{name}", parameter, next(values)))
            else:
                written.append(kind())
                arguments.append(byref(written[-1]))
        answer = call(*arguments)
        if isinstance(answer, bytes):
            return answer.decode(errors="replace")
        return (*[x.value or 0 for x in written], answer) if written else answer

    run.__name__ = run.__qualname__ = name
    run.__module__ = place
    run.__doc__ = f"Call {prototype.declaration}."
    return run


def _output(parameter: Parameter) -> Any:
    """Return the type of what an output points to; None for an input."""
    kind = _ALSO_OUTPUTS.get(parameter.name, parameter.kind if parameter.output else None)
    return None if kind is None else _TYPES.get(kind, c_void_p)


def _converted(function: str, parameter: Parameter, value: Any) -> Any:
    """Return an argument as an object of ctypes, or raise TypeError."""
    kind = _TYPES.get(parameter.kind, c_void_p)
    try:
        if kind is c_char_p:
            return c_char_p(value if value is None else os.fsencode(value))
        if kind in (ctypes.c_float, ctypes.c_double):
            return kind(value)
        number = index(value)
        held = kind(number)
        if (held.value or 0) != number:
            raise OverflowError(f"{number} is not one of its values")
        return held
    except (TypeError, OverflowError) as error:
        raise TypeError(
            f"{function} args parse failed: {parameter.name}, of type {parameter.type.strip()},"
            f" was given {value!r}"
        ) from error


class _More:
    """Functions of ``acl`` whose results do not follow from a prototype."""

    def __init__(self, library: CDLL) -> None:
        self._list_attributes = library["aclGetCannAttributeList"]
        self._logger = logging.getLogger("acl")

    def get_cann_attribute_list(self) -> tuple[list[int], int, int]:
        """Return the attributes that `get_cann_attribute` knows, their number, and a code."""
        found, count = ctypes.POINTER(ctypes.c_int32)(), ctypes.c_size_t()
        code: int = self._list_attributes(byref(found), byref(count))
        return found[: count.value], count.value, code

    def app_log(self, level: int, message: str) -> None:
        """Log with Python's logger ``acl``; levels are debug, info, warning, error, from 0 on."""
        self._logger.log(10 * (level + 1), "%s", message)


class _Callbacks:
    """Functions of ``acl.rt`` that take functions of Python."""

    def __init__(self, library: CDLL) -> None:
        self._launch = library["aclrtLaunchCallback"]
        self._launch.argtypes = (_CALLBACK, c_void_p, ctypes.c_int32, c_void_p)
        self._function = _CALLBACK(lambda number: self._run(number))
        #: those that have not run, by number
        self._pending: dict[int, tuple[Callable[[Any], object], Any]] = {}
        self._numbers = count(1)

    def _run(self, number: int) -> None:
        function, argument = self._pending.pop(number)
        function(argument)

    def launch_callback(self, function: Any, argument: Any, block_type: int, stream: int) -> int:
        """Have a thread that serves the stream call a function with an argument; return a code."""
        if not callable(function):
            raise TypeError(
                f"acl.rt.launch_callback args parse failed: {function!r} is no function"
            )
        number = next(self._numbers)
        self._pending[number] = function, argument
        code: int = self._launch(self._function, number, block_type, stream)
        if code:
            del self._pending[number]
        return code


class _Util:
    """Functions of ``acl.util``."""

    def __init__(self, library: CDLL) -> None:
        #: threads that have not been stopped, and what they raised
        self._threads: dict[int, tuple[threading.Thread, list[BaseException]]] = {}

    def bytes_to_ptr(self, data: bytes) -> int:
        """Return the address of an object's bytes, which must live as long as that is used."""
        if not isinstance(data, bytes):
            raise ValueError(f"acl.util.bytes_to_ptr needs bytes, not a {type(data).__name__}")
        return ctypes.cast(c_char_p(data), c_void_p).value or 0

    def ptr_to_bytes(self, pointer: int, size: int) -> bytes:
        """Return a copy of the host's bytes at an address."""
        _check_pointer("ptr_to_bytes", pointer, size)
        return ctypes.string_at(pointer, size)

    def numpy_to_ptr(self, array: NDArray[Any]) -> int:
        """Return the address of an array's first element."""
        _warn("numpy_to_ptr", "bytes_to_ptr")
        _check_array("numpy_to_ptr", array)
        if not array.flags.c_contiguous:
            problem = "the array is not contiguous; use acl.util.numpy_contiguous_to_ptr instead"
            warnings.warn(problem, stacklevel=2)
        return int(array.ctypes.data)

    def numpy_contiguous_to_ptr(self, array: NDArray[Any]) -> tuple[int, NDArray[Any]]:
        """Return the address of a contiguous array, and the array: this one or a copy."""
        _warn("numpy_contiguous_to_ptr", "bytes_to_ptr")
        _check_array("numpy_contiguous_to_ptr", array)
        contiguous = np.ascontiguousarray(array)
        return int(contiguous.ctypes.data), contiguous

    def ptr_to_numpy(self, pointer: int, shape: tuple[int, ...], kind: int) -> NDArray[Any]:
        """Return an array over the host's memory at an address; ``kind`` is a number of NumPy's."""
        _warn("ptr_to_numpy", "ptr_to_bytes")
        if kind not in _ARRAY_TYPES:
            known = ", ".join(map(str, _ARRAY_TYPES))
            raise ValueError(f"acl.util.ptr_to_numpy takes the types {known}, not {kind!r}")
        dtype = np.dtype(_ARRAY_TYPES[kind])
        _check_pointer("ptr_to_numpy", pointer, int(np.prod(shape, dtype=object)))
        return array_at(pointer, tuple(shape), dtype)

    def start_thread(self, function: Callable[[Any], object], argument: Any) -> tuple[int, int]:
        """Start a thread that calls a function with an argument; return its number and 0."""
        errors: list[BaseException] = []

        def run() -> None:
            try:
                function(argument)
            except BaseException as error:  # raised where the thread is stopped
                errors.append(error)

        thread = threading.Thread(target=run, name="acl.util.start_thread", daemon=True)
        thread.start()
        number = thread.ident or 0
        self._threads[number] = thread, errors
        return number, 0

    def stop_thread(self, number: int) -> int:
        """Wait until a thread has ended; return 0, or raise RuntimeError if its function raised."""
        if number not in self._threads:
            raise RuntimeError(f"acl.util.stop_thread: no thread {number!r} was started")
        thread, errors = self._threads.pop(number)
        thread.join()
        if errors:
            raise RuntimeError(f"the thread's function raised {errors[0]!r}") from errors[0]
        return 0


def _warn(name: str, other: str) -> None:
    warnings.warn(f"acl.util.{name} is deprecated; use acl.util.{other}", Warning, stacklevel=3)


def _check_array(name: str, array: object) -> None:
    if not isinstance(array, np.ndarray):
        raise ValueError(f"acl.util.{name} needs an ndarray, not a {type(array).__name__}")


def _check_pointer(name: str, pointer: int, size: int) -> None:
    """Refuse an address that the host cannot read, where Python would crash."""
    if not 0 < index(pointer) < FIRST_ADDRESS or size < 0:
        raise ValueError(
            f"acl.util.{name} needs an address of the host and a size, not {pointer!r} and"
            f" {size!r}; acl.rt.memcpy copies memory of the device"
        )
