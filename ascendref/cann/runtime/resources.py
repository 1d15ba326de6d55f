"""Functions of the C library: versions, numbers of cores and their limits, errors of a device."""

from __future__ import annotations

import ctypes
from typing import Final
from weakref import WeakKeyDictionary

from ...core.errors import fail
from ...core.products import Product
from ...core.status import Status
from ...device.streams.stream import Stream
from ..structures import ErrorInformation, text_at, write_text
from .process import process

#: version of CANN whose interface the headers declare
CANN_VERSION: Final = (9, 0, 0)
#: the packages of an installation
_PACKAGES: Final = (
    "runtime",
    "toolkit",
    "compiler",
    "opbase",
    "opp",
    "opp_kernel",
    "ops_math",
    "ops_nn",
    "driver",
    "firmware",
)
#: architectures whose devices report errors in detail
_REPORTING: Final = (2201, 3510)
_NO_ERROR, _OTHER_ERROR = 0, 0xFFFF
#: limits of streams: how many cores of either kind operators may use
_stream_limits: Final[WeakKeyDictionary[Stream, dict[int, int]]] = WeakKeyDictionary()


def _check_package(name: int) -> None:
    package = text_at("pkgName", name)
    if package not in _PACKAGES:
        fail(
            Status.ACL_ERROR_INVALID_PARAM,
            f"pkgName is {package!r}, which is not installed; there are {', '.join(_PACKAGES)}",
        )


def aclsysGetVersionStr(name: int, text: int) -> None:
    """Write the version of a package; all packages have the same version."""
    _check_package(name)
    write_text("versionStr", text, ".".join(map(str, CANN_VERSION)))


def aclsysGetVersionNum(name: int) -> int:
    """Return the version of a package as a number that increases with the version."""
    _check_package(name)
    major, minor, patch = CANN_VERSION
    return (major * 100 + minor) * 1_000_000 + patch * 10_000


def aclrtGetErrorVerbose(number: int, address: int) -> None:
    """Report a device's error: none, or the failure of a task that stopped it."""
    if not address:
        fail(Status.ACL_ERROR_INVALID_PARAM, "errorInfo is NULL; an aclrtErrorInfo is expected")
    device = process.slot(number).device
    product = process.settings.product
    if product.npu_arch not in _REPORTING:
        fail(
            Status.ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            f"{product.name} has no detailed errors; Atlas A2, A3 and 950 have",
        )
    stopped = device is not None and device.scheduler.sticky_error is not None
    found = ErrorInformation(error_type=_OTHER_ERROR if stopped else _NO_ERROR)
    ctypes.memmove(address, ctypes.byref(found), ctypes.sizeof(found))


# ---- numbers of cores: limits are stored and have no effect on results


def _cores(product: Product, kind: int) -> int:
    if kind not in (0, 1):
        fail(
            Status.ACL_ERROR_INVALID_PARAM,
            f"type is {kind}; ACL_RT_DEV_RES_CUBE_CORE (0) and ACL_RT_DEV_RES_VECTOR_CORE (1) are"
            " allowed",
        )
    cores = product.vector_cores if kind else product.cube_cores
    if cores is None:
        fail(
            Status.ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            f"how many cores {product.soc_name} has is not published",
        )
    return cores


def _checked_limit(kind: int, value: int) -> int:
    cores = _cores(process.settings.product, kind)
    if not 0 < value <= cores:
        fail(
            Status.ACL_ERROR_RT_PARAM_INVALID,
            f"value is {value}; from 1 to {cores} cores are allowed",
        )
    return value


def aclrtSetDeviceResLimit(number: int, kind: int, value: int) -> None:
    """Limit the process's number of cores of a kind on a device."""
    process.slot(number).limits[kind] = _checked_limit(kind, value)


def aclrtGetDeviceResLimit(number: int, kind: int) -> int:
    """Return the process's limit for a device, or else its number of cores of the kind."""
    slot = process.slot(number)
    return slot.limits.get(kind) or _cores(process.settings.product, kind)


def aclrtResetDeviceResLimit(number: int) -> None:
    """Undo `aclrtSetDeviceResLimit`."""
    process.slot(number).limits.clear()


def aclrtSetStreamResLimit(stream: Stream | None, kind: int, value: int) -> None:
    """Limit a stream's number of cores of a kind, for threads that use its limits."""
    limits = _stream_limits.setdefault(_living(stream), {})
    limits[kind] = _checked_limit(kind, value)


def aclrtGetStreamResLimit(stream: Stream | None, kind: int) -> int:
    """Return the limit of a stream, or else the process's limit for its device."""
    limit = _stream_limits.get(_living(stream), {}).get(kind)
    return limit or aclrtGetDeviceResLimit(process.current().number, kind)


def aclrtResetStreamResLimit(stream: Stream | None) -> None:
    """Undo `aclrtSetStreamResLimit`."""
    _stream_limits.pop(_living(stream), None)


def aclrtUseStreamResInCurrentThread(stream: Stream | None) -> None:
    """Make `aclrtGetResInCurrentThread` return the limits of a stream."""
    process.thread.limited_by = _living(stream)


def aclrtUnuseStreamResInCurrentThread(stream: Stream | None) -> None:
    """Undo `aclrtUseStreamResInCurrentThread`."""
    if process.thread.limited_by is _living(stream):
        process.thread.limited_by = None


def aclrtGetResInCurrentThread(kind: int) -> int:
    """Return the calling thread's number of cores of a kind, under the limits that it uses."""
    number = process.current().number
    stream = process.thread.limited_by
    limits = {} if stream is None else _stream_limits.get(stream, {})
    return limits.get(kind) or aclrtGetDeviceResLimit(number, kind)


def _living(stream: Stream | None) -> Stream:
    found = process.stream(stream)
    found.check()
    return found
