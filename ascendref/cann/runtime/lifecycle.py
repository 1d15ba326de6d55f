"""Functions of the C library: initialization, devices and contexts, parameters, errors."""

from __future__ import annotations

import json
from operator import index
from pathlib import Path
from typing import Any, Final

from ...core.errors import fail, get_last_error, peek_at_last_error, recent_error_message
from ...core.status import Status
from ...device.streams.stream import PRIORITIES, Stream
from .process import Context, process

#: version of the interface that the headers declare
VERSION: Final = (1, 17, 0)
#: number of allowed values of each system parameter
_PARAMETER_VALUES: Final = (4, 2, 2, 2)
#: parameters that a context cannot have
_ONLY_PROCESS: Final = (3,)


class _Lifecycle:
    """The reference count of ``aclInit`` and ``aclFinalize``."""

    def __init__(self) -> None:
        self.references = 0
        self.finalized = False
        #: text of the first configuration; later ones must be the same
        self.configuration: str | None = None


_lifecycle: Final = _Lifecycle()
#: parameters of the system that were set
_parameters: Final[dict[int, int]] = {}


def aclInit(config_path: bytes | None) -> None:
    """Add a reference; the first call reads the configuration."""
    text, configuration = _read_configuration(config_path)
    if _lifecycle.configuration not in (None, text):
        fail(
            Status.ACL_ERROR_INVALID_PARAM,
            f"configPath is {_path(config_path)}, which differs from the"
            " configuration of the first aclInit",
        )
    if _lifecycle.references:
        _lifecycle.references += 1
        fail(
            Status.ACL_ERROR_REPEAT_INITIALIZE,
            f"aclInit has already been called; this is call {_lifecycle.references}",
        )
    _lifecycle.configuration = text
    _lifecycle.references = 1
    _lifecycle.finalized = False
    number = configuration.get("defaultDevice", {}).get("default_device")
    if number is not None:
        process.slot(int(number))
        process.default_device = int(number)


def _path(config_path: bytes | None) -> str:
    return repr((config_path or b"").decode(errors="replace"))


def _read_configuration(config_path: bytes | None) -> tuple[str, dict[str, Any]]:
    if not config_path:
        return "", {}
    try:
        text = Path(config_path.decode()).read_text()
    except (OSError, ValueError) as error:
        fail(
            Status.ACL_ERROR_INVALID_FILE,
            f"configPath is {_path(config_path)}, which cannot be read: {error}",
            error,
        )
    try:
        configuration = json.loads(text) if text.strip() else {}
        number = configuration.get("defaultDevice", {}).get("default_device")
        if number is not None:
            int(number)
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        fail(
            Status.ACL_ERROR_PARSE_FILE,
            f"configPath is {_path(config_path)}, which is not a JSON configuration: {error}",
            error,
        )
    return text, configuration


def aclFinalize() -> None:
    """Drop all references of `aclInit`."""
    if _lifecycle.finalized:
        fail(Status.ACL_ERROR_REPEAT_FINALIZE, "aclFinalize has already been called")
    _lifecycle.references = 0
    _lifecycle.finalized = True


def aclFinalizeReference(address: int) -> None:
    """Drop a reference; the last one finalizes."""
    from ctypes import c_uint64

    if not _lifecycle.references:
        fail(
            Status.ACL_ERROR_REPEAT_FINALIZE,
            "aclFinalizeReference was called more often than aclInit",
        )
    _lifecycle.references -= 1
    _lifecycle.finalized = not _lifecycle.references
    if address:
        c_uint64.from_address(address).value = _lifecycle.references


def aclnnInit(config_path: bytes | None) -> None:
    """Do nothing: `aclInit` is sufficient, and optional too."""


def aclnnFinalize() -> None:
    """Do nothing."""


def aclrtGetVersion() -> tuple[int, int, int]:
    """Return major, minor and patch number."""
    return VERSION


def aclrtGetSocName() -> str:
    """Return the name of the chip."""
    return process.settings.product.soc_name


# ---- devices and contexts


def aclrtSetDevice(number: int) -> None:
    """Make the primary context of a device current."""
    context = process.primary(number)
    process.slots[number].users += 1
    if process.forgets_failures and process.thread.context is None:
        get_last_error()
        recent_error_message()
    process.thread.context = context


def _reset(number: int, users: int) -> None:
    slot = process.slot(number)
    if not slot.users:
        fail(
            Status.ACL_ERROR_RT_CONTEXT_RELEASE_ERROR,
            f"device {number} is not in use; every aclrtResetDevice undoes one aclrtSetDevice",
        )
    slot.users -= users
    if slot.users:
        return
    context, slot.primary = slot.primary, None
    if context is not None:
        context.end()
        if not slot.contexts:
            process.find_leaks(slot)
        if context.device.scheduler.stop_on_failure:  # which nothing else undoes
            slot.device = None


def aclrtResetDevice(number: int) -> None:
    """Undo one `aclrtSetDevice`; the last call waits and destroys the primary context."""
    _reset(number, 1)


def aclrtResetDeviceForce(number: int) -> None:
    """Undo every `aclrtSetDevice`."""
    _reset(number, process.slot(number).users)


def aclrtGetDevice() -> int:
    """Return the number of the current context's device."""
    return process.current().number


def aclrtGetDeviceCount() -> int:
    """Return the number of devices."""
    return len(process.slots)


def aclrtGetRunMode() -> int:
    """Return ACL_HOST: the program runs on the host."""
    return 1


def has_primary_context(number: int) -> bool:
    """Tell whether the primary context of a device exists."""
    return process.slot(number).primary is not None


def aclrtCreateContext(number: int) -> Context:
    """Create a context and make it current."""
    context = Context(number, process.device(number), primary=False)
    process.slots[number].contexts.add(context)
    process.thread.context = context
    return context


def aclrtDestroyContext(context: Context | None) -> None:
    """Destroy a context created with `aclrtCreateContext`."""
    context = _given(context)
    if context.primary or not context.alive:
        fail(
            Status.ACL_ERROR_RT_CONTEXT_NULL,
            f"context is the {context!r}; one created with aclrtCreateContext is expected",
        )
    context.end()
    process.slots[context.number].contexts.discard(context)


def aclrtSetCurrentContext(context: Context | None) -> None:
    """Make a context current."""
    context = _given(context)
    if not context.alive:
        fail(Status.ACL_ERROR_RT_CONTEXT_NULL, f"context is the {context!r}")
    process.thread.context = context


def aclrtGetCurrentContext() -> Context:
    """Return the current context."""
    return process.current()


def aclrtCtxGetCurrentDefaultStream() -> Stream:
    """Return the default stream of the current context."""
    return process.current().default_stream


def aclrtSynchronizeDevice() -> None:
    """Wait for all streams of the device."""
    process.current().device.synchronize()


def aclrtSynchronizeDeviceWithTimeout(timeout: int) -> None:
    """Wait at most so many milliseconds for all streams of the device."""
    process.current().device.synchronize(timeout)


def aclrtDeviceGetStreamPriorityRange() -> tuple[int, int]:
    """Return the lowest and the highest priority of streams."""
    process.current()
    highest, lowest = PRIORITIES
    return lowest, highest


def _given(context: Context | None) -> Context:
    if context is None:
        fail(Status.ACL_ERROR_INVALID_PARAM, "context is NULL")
    return context


# ---- errors and parameters


def aclrtGetLastError(level: int) -> int:
    """Return the thread's last code of the runtime and clear it."""
    _check_level(level)
    return int(get_last_error())


def aclrtPeekAtLastError(level: int) -> int:
    """Return the thread's last code of the runtime."""
    _check_level(level)
    return int(peek_at_last_error())


def _check_level(level: int) -> None:
    if level != 0:
        fail(Status.ACL_ERROR_INVALID_PARAM, f"level is {level}; ACL_RT_THREAD_LEVEL is expected")


def _check_parameter(opt: int) -> None:
    if not 0 <= opt < len(_PARAMETER_VALUES):
        fail(
            Status.ACL_ERROR_INVALID_PARAM,
            f"opt is {opt}; a number below {len(_PARAMETER_VALUES)} is expected",
        )


def _checked_value(opt: int, value: int) -> int:
    _check_parameter(opt)
    if not 0 <= index(value) < _PARAMETER_VALUES[opt]:
        fail(
            Status.ACL_ERROR_RT_PARAM_INVALID,
            f"value is {value}; a number below {_PARAMETER_VALUES[opt]} is expected",
        )
    return value


def aclrtSetSysParamOpt(opt: int, value: int) -> None:
    """Set a parameter of the process; all operators are deterministic for every value."""
    _parameters[opt] = _checked_value(opt, value)


def aclrtGetSysParamOpt(opt: int) -> int:
    """Return a parameter of the process."""
    _check_parameter(opt)
    return _parameters.get(opt, 0)


def aclrtCtxSetSysParamOpt(opt: int, value: int) -> None:
    """Set a parameter of the current context and of the process."""
    _check_parameter(opt)
    if opt in _ONLY_PROCESS:
        fail(Status.ACL_ERROR_INVALID_PARAM, f"opt is {opt}, which contexts do not have")
    parameters = process.current().parameters
    parameters[opt] = _parameters[opt] = _checked_value(opt, value)


def aclrtCtxGetSysParamOpt(opt: int) -> int:
    """Return a parameter of the current context."""
    _check_parameter(opt)
    parameters = process.current().parameters
    if opt not in parameters:
        fail(
            Status.ACL_ERROR_RT_SYSPARAMOPT_NOT_SET,
            f"opt is {opt}, which was not set for the current context",
        )
    return parameters[opt]
