"""Functions of the C library: initialization, devices and contexts, parameters, errors."""

import json
import os
from ctypes import c_uint64
from functools import partial
from pathlib import Path
from typing import Final, NoReturn

from ...core.errors import fail, get_last_error, peek_at_last_error
from ...core.status import Status
from ...device.device import Device
from ...device.streams.stream import PRIORITIES, Stream
from .arguments import invalid, rt_invalid, unsupported
from .process import Context, Slot, process

#: version of the interface that the headers declare
VERSION: Final = (1, 17, 0)
#: how deep groups and lists of a configuration may be nested
_MOST_NESTED: Final = 10
#: number of allowed values of each system parameter
_PARAMETER_VALUES: Final = (4, 2, 2, 2)
#: parameters that a context cannot have
_ONLY_PROCESS: Final = (3,)


class _Lifecycle:
    """The reference count of ``aclInit`` and ``aclFinalize``."""

    references = 0
    finalized = False
    #: text of the first configuration; later ones must be the same
    configuration: str | None = None


_lifecycle: Final = _Lifecycle()
#: parameters of the system that were set
_parameters: Final[dict[int, int]] = {}


def aclInit(config_path: bytes | None) -> None:
    """Add a reference; the first call reads the configuration."""
    path = os.fsdecode(config_path or b"")
    text, default_device = _read_configuration(path)
    with process.lock:
        if _lifecycle.configuration not in (None, text):
            invalid(
                f"configPath is {path!r}, which differs from the configuration of the first aclInit"
            )
        if _lifecycle.references:
            _lifecycle.references += 1
            problem = f"aclInit has already been called; this is call {_lifecycle.references}"
            fail(Status.ACL_ERROR_REPEAT_INITIALIZE, problem)
        if default_device is not None:
            process.slot(default_device)  # that there is one: a call that fails initializes nothing
            process.default_device = default_device
        _lifecycle.configuration = text
        _lifecycle.references = 1
        _lifecycle.finalized = False


def _read_configuration(path: str) -> tuple[str, int | None]:
    """Return the text of a configuration, and the number of the default device that it sets."""
    if not path:
        return "", None
    try:
        content = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        problem = f"configPath is {path!r}, which cannot be read: {reason}"
        fail(Status.ACL_ERROR_INVALID_FILE, problem, error)
    try:
        text = content.decode()  # UTF-8 in every locale
        configuration = json.loads(text, parse_int=float) if text.strip() else {}
        too_deep = _depth(configuration) > _MOST_NESTED
    except UnicodeDecodeError as error:
        _refuse_configuration(path, f"is not UTF-8 at byte {error.start}", error)
    except json.JSONDecodeError as error:
        _refuse_configuration(path, f"is not JSON: {error}", error)
    except RecursionError:
        too_deep = True
    if too_deep:
        _refuse_configuration(path, f"is nested deeper than {_MOST_NESTED} levels")
    default = configuration.get("defaultDevice", {}) if isinstance(configuration, dict) else None
    if not isinstance(default, dict):
        problem = "is no group of settings in braces, or its defaultDevice is none"
        _refuse_configuration(path, problem)
    number = default.get("default_device")
    if number is None:
        return text, None
    try:
        if isinstance(number, bool) or int(number) != float(number):
            raise ValueError
        return text, int(number)
    except (ValueError, TypeError, OverflowError) as error:
        _refuse_configuration(
            path,
            f"has the default_device {json.dumps(number)}; the number of a device is expected",
            error,
        )


def _depth(value: object) -> int:
    if not isinstance(value, dict | list):
        return 0
    return 1 + max(map(_depth, value.values() if isinstance(value, dict) else value), default=0)


def _refuse_configuration(path: str, problem: str, cause: BaseException | None = None) -> NoReturn:
    fail(Status.ACL_ERROR_PARSE_FILE, f"configPath is {path!r}, which {problem}", cause)


def aclFinalize() -> None:
    """Drop all references of `aclInit`."""
    with process.lock:
        if _lifecycle.finalized:
            fail(Status.ACL_ERROR_REPEAT_FINALIZE, "aclFinalize has already been called")
        _finalize()


def aclFinalizeReference(address: int) -> None:
    """Drop a reference; the last one finalizes."""
    with process.lock:
        if not _lifecycle.references:
            problem = "aclFinalizeReference was called more often than aclInit"
            fail(Status.ACL_ERROR_REPEAT_FINALIZE, problem)
        _lifecycle.references -= 1
        if not _lifecycle.references:
            _finalize()
        if address:
            c_uint64.from_address(address).value = _lifecycle.references


def _finalize() -> None:
    _lifecycle.references = 0
    _lifecycle.finalized = True
    process.default_device = None


def aclnnInit(config_path: bytes | None = None) -> None:
    """Do nothing: `aclInit` is sufficient, and optional too."""


aclnnFinalize = aclnnInit


def aclrtGetVersion() -> tuple[int, int, int]:
    return VERSION


def aclrtGetSocName() -> str:
    return process.settings.product.soc_name


# ---- devices and contexts


def aclrtSetDevice(number: int) -> None:
    """Make the primary context of a device current."""
    slot = process.slot(number)
    with process.lock:
        process.thread.context = process.primary(number)
        slot.users += 1


def aclrtResetDevice(number: int, *, force: bool = False) -> None:
    """Undo one `aclrtSetDevice`; the last call waits and destroys the primary context."""
    slot = process.slot(number)
    with process.lock:
        if not slot.users:
            problem = (
                f"device {number} is not in use; every aclrtResetDevice undoes one aclrtSetDevice"
            )
            fail(Status.ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, problem)
        slot.users -= slot.users if force else 1
        if slot.users:
            return
        context, slot.primary = slot.primary, None
    if context is not None:
        context.end()
        _leave(slot, context.device)


def _leave(slot: Slot, device: Device) -> None:
    """Look for leaks of a device that nothing uses any more; replace it if it has failed."""
    with process.lock:
        if slot.primary is not None:  # another thread has begun to use it
            return
        if not slot.contexts:
            process.find_leaks(slot)
        if device.scheduler.stop_on_failure:  # which nothing else undoes
            if process.settings.trace:
                process.replaced.append(device)
            slot.device = None


#: undoes every `aclrtSetDevice`
aclrtResetDeviceForce = partial(aclrtResetDevice, force=True)


def aclrtGetDevice() -> int:
    return process.current().number


def aclrtGetDeviceCount() -> int:
    return len(process.slots)


def aclrtGetRunMode() -> int:
    """Return ACL_HOST: the program runs on the host."""
    return 1


def has_primary_context(number: int) -> bool:
    return process.slot(number).primary is not None


def aclrtCreateContext(number: int) -> Context:
    """Create a context and make it current."""
    context = Context(number, process.device(number), primary=False)
    process.slots[number].contexts.add(context)
    process.thread.context = context
    return context


def aclrtDestroyContext(context: Context) -> None:
    if context.primary or not context.alive:
        problem = f"context is the {context!r}; one created with aclrtCreateContext is expected"
        fail(Status.ACL_ERROR_RT_CONTEXT_NULL, problem)
    context.end()
    process.slots[context.number].contexts.discard(context)


def aclrtSetCurrentContext(context: Context) -> None:
    if not context.alive:
        fail(Status.ACL_ERROR_RT_CONTEXT_NULL, f"context is the {context!r}")
    process.thread.context = context


aclrtGetCurrentContext = process.current


def aclrtCtxGetCurrentDefaultStream() -> Stream:
    return process.current().default_stream


def aclrtSynchronizeDevice(timeout: int | None = None) -> None:
    process.current().device.synchronize(timeout)


aclrtSynchronizeDeviceWithTimeout = aclrtSynchronizeDevice


def aclrtDeviceGetStreamPriorityRange() -> tuple[int, int]:
    """Return the lowest and the highest priority of streams."""
    process.current()
    highest, lowest = PRIORITIES
    return lowest, highest


#: the architecture without copies between devices
_ALONE: Final = 3002


def _check_pair(number: int, peer: int) -> None:
    process.slot(number)
    process.slot(peer)
    if number == peer:
        invalid(f"peerDeviceId is {peer}, which is the device itself; another one is expected")


def aclrtDeviceCanAccessPeer(number: int, peer: int) -> int:
    _check_pair(number, peer)
    return int(process.settings.product.npu_arch != _ALONE)


def _current_and(peer: int) -> tuple[set[int], int]:
    """Return the peers of the current device, and the number of an address space."""
    context = process.current()
    _check_pair(context.number, peer)
    if process.settings.product.npu_arch == _ALONE:
        unsupported(f"devices of {process.settings.product.name} cannot copy to each other")
    return context.device.address_space.peers, process.device(peer).address_space.number


def aclrtDeviceEnablePeerAccess(peer: int, flags: int) -> None:
    if flags:
        fail(Status.ACL_ERROR_FEATURE_UNSUPPORTED, f"flags is {flags:#x}; 0 is expected")
    peers, number = _current_and(peer)
    peers.add(number)


def aclrtDeviceDisablePeerAccess(peer: int) -> None:
    peers, number = _current_and(peer)
    peers.discard(number)


def aclrtDevicePeerAccessStatus(number: int, peer: int) -> int:
    count = len(process.slots)
    if not (0 <= number < count and 0 <= peer < count):
        rt_invalid(
            f"deviceId is {number}, peerDeviceId is {peer}; there are {count} devices, from 0 on"
        )
    one, other = process.slots[number].device, process.slots[peer].device
    if one is None or other is None:
        return 0
    return int(other.address_space.number in one.address_space.peers)


#: the number by which other processes refer to this one
aclrtDeviceGetBareTgid = os.getpid


# ---- errors and parameters


def aclrtGetLastError(level: int) -> int:
    """Return the thread's last code of the runtime and clear it."""
    _check_level(level)
    return get_last_error()


def aclrtPeekAtLastError(level: int) -> int:
    _check_level(level)
    return peek_at_last_error()


def _check_level(level: int) -> None:
    if level != 0:
        invalid(f"level is {level}; ACL_RT_THREAD_LEVEL is expected")


def _check_parameter(opt: int, value: int | None = None) -> None:
    if not 0 <= opt < len(_PARAMETER_VALUES):
        invalid(f"opt is {opt}; a number below {len(_PARAMETER_VALUES)} is expected")
    if value is not None and not 0 <= value < _PARAMETER_VALUES[opt]:
        rt_invalid(f"value is {value}; a number below {_PARAMETER_VALUES[opt]} is expected")


def aclrtSetSysParamOpt(opt: int, value: int) -> None:
    """Set a parameter of the process; all operators are deterministic for every value."""
    _check_parameter(opt, value)
    _parameters[opt] = value


def aclrtGetSysParamOpt(opt: int) -> int:
    _check_parameter(opt)
    return _parameters.get(opt, 0)


def aclrtCtxSetSysParamOpt(opt: int, value: int) -> None:
    """Set a parameter of the current context and of the process."""
    if opt in _ONLY_PROCESS:
        invalid(f"opt is {opt}, which contexts do not have")
    _check_parameter(opt)
    parameters = process.current().parameters
    aclrtSetSysParamOpt(opt, value)
    parameters[opt] = value


def aclrtCtxGetSysParamOpt(opt: int) -> int:
    _check_parameter(opt)
    parameters = process.current().parameters
    if opt not in parameters:
        problem = f"opt is {opt}, which was not set for the current context"
        fail(Status.ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, problem)
    return parameters[opt]
