"""Functions of the C library: versions, figures of the product, limits of cores, errors."""

import ctypes
from ctypes import addressof, c_int32
from typing import Final
from weakref import WeakKeyDictionary

from ...device.streams.stream import Stream
from ..constants import BASE_ENUMS, RT_ENUMS
from ..structures import ErrorInformation, PackageVersion, Utilization
from .arguments import (
    check_either,
    check_given,
    invalid,
    rt_invalid,
    text_at,
    unsupported,
    write_text,
)
from .process import process
from .settings import version_number

#: the packages of an installation
_PACKAGES: Final = (
    "runtime toolkit compiler opbase opp opp_kernel ops_math ops_nn driver firmware".split()
)
_PACKAGE_NUMBERS: Final = RT_ENUMS["aclCANNPackageName"].values()
#: architectures whose devices report errors in detail
_REPORTING: Final = (2201, 3510)
_SECOND: Final = 1_000_000_000
_NO_ERROR, _OTHER_ERROR = 0, 0xFFFF
#: limits of streams: how many cores of either kind operators may use
_stream_limits: Final[WeakKeyDictionary[Stream, dict[int, int]]] = WeakKeyDictionary()


def _check_package(name: int) -> None:
    package = text_at("pkgName", name)
    if package not in _PACKAGES:
        invalid(f"pkgName is {package!r}, which is not installed; there are {', '.join(_PACKAGES)}")


def aclsysGetVersionStr(name: int, text: int) -> None:
    """Write the version of a package; all packages have the same version."""
    _check_package(name)
    write_text("versionStr", text, process.settings.cann_version)


def aclsysGetVersionNum(name: int) -> int:
    """Return the version of a package as a number that increases with the version."""
    _check_package(name)
    return version_number(process.settings.cann_version)


def aclsysGetCANNVersion(name: int, address: int) -> None:
    """Write the version of a package and its three parts."""
    if name not in _PACKAGE_NUMBERS:
        invalid(f"name is {name}, which is no aclCANNPackageName")
    check_given(version=address)
    text = process.settings.cann_version
    parts = text.split(".")
    found = PackageVersion(*[part.encode() for part in (text, *parts)])
    ctypes.memmove(address, ctypes.byref(found), ctypes.sizeof(found))


def aclrtGetErrorVerbose(number: int, address: int) -> None:
    """Report a device's error: none, or the failure of a task that stopped it."""
    check_given(errorInfo=address)
    device = process.slot(number).device
    product = process.settings.product
    if product.npu_arch not in _REPORTING:
        unsupported(f"{product.name} has no detailed errors; Atlas A2, A3 and 950 have")
    stopped = device is not None and device.scheduler.sticky_error is not None
    found = ErrorInformation(error_type=_OTHER_ERROR if stopped else _NO_ERROR)
    ctypes.memmove(address, ctypes.byref(found), ctypes.sizeof(found))


def aclrtGetDeviceUtilizationRate(number: int, address: int) -> None:
    """Report percentages: of the last second in which the device worked, and of memory in use.

    Kernels, queued copies and fills use all cores, and none runs on the device's CPUs.
    """
    check_given(utilizationInfo=address)
    device = process.slot(number).device
    rates = Utilization.from_address(address)
    busy = used = 0
    if device is not None:
        busy = round(100 * device.scheduler.busy(_SECOND) / _SECOND)
        used = round(100 * (1 - device.memory_free / device.memory_total))
    rates.cube, rates.vector, rates.ai_cpu, rates.memory = busy, busy, 0, used


# ---- figures of the product

#: attributes of a product, reported by `aclGetCannAttribute` as 0 or 1
_product: Final = process.settings.product
_CANN: Final = {
    "ACL_CANN_ATTR_INF_NAN": _product.has_inf_nan,
    "ACL_CANN_ATTR_BF16": _product.has_bfloat16,
    "ACL_CANN_ATTR_JIT_COMPILE": True,
}
_CANN_NUMBERS: Final = BASE_ENUMS["aclCannAttr"]
#: the product's attributes as a C array, which lives as long as the process
_available: Final = [_CANN_NUMBERS[name] for name, has in _CANN.items() if has]
_list: Final = (c_int32 * len(_available))(*_available)

_CAPABILITIES: Final = {
    "ACL_DEVICE_INFO_AI_CORE_NUM": _product.cube_cores,
    "ACL_DEVICE_INFO_VECTOR_CORE_NUM": _product.vector_cores,
    "ACL_DEVICE_INFO_L2_SIZE": _product.l2,
}
_ATTRIBUTES: Final = {
    "ACL_DEV_ATTR_AICPU_CORE_NUM": _product.ai_cpus,
    "ACL_DEV_ATTR_AICORE_CORE_NUM": _product.cube_cores,
    "ACL_DEV_ATTR_CUBE_CORE_NUM": _product.cube_cores,
    "ACL_DEV_ATTR_VECTOR_CORE_NUM": _product.vector_cores,
    "ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE": process.settings.memory or _product.memory,
    "ACL_DEV_ATTR_L2_CACHE_SIZE": _product.l2,
    "ACL_DEV_ATTR_NPU_ARCH": _product.npu_arch,
}
#: attributes whose value is the number of the device
_NUMBERS: Final = ("ACL_DEV_ATTR_PHY_CHIP_ID", "ACL_DEV_ATTR_SUPER_POD_DEVICE_ID")
#: attributes that no supported product has, and that the runtime does not answer
_ONLY_LATER: Final = ("ACL_DEV_ATTR_HD_CONNECT_TYPE", "ACL_DEV_ATTR_DEVICE_FORM_FACTOR")


def _name(enumeration: dict[str, int], parameter: str, number: int) -> str:
    for name, member in enumeration.items():
        if member == number and number >= 0:
            return name
    allowed = ", ".join(f"{name} ({k})" for name, k in enumeration.items() if k >= 0)
    invalid(f"{parameter} is {number}; allowed are {allowed}")


def aclGetCannAttributeList() -> tuple[int, int]:
    """Return address and length of the list of the product's attributes."""
    return addressof(_list), len(_list)


def aclGetCannAttribute(attribute: int) -> int:
    return int(_CANN[_name(_CANN_NUMBERS, "cannAttr", attribute)])


def aclGetDeviceCapability(number: int, what: int) -> int:
    process.slot(number)
    return _CAPABILITIES[_name(BASE_ENUMS["aclDeviceInfo"], "deviceInfo", what)]


def aclrtGetDeviceInfo(number: int, attribute: int) -> int:
    """Return a figure of a device; 0 for a missing feature."""
    process.slot(number)
    name = _name(RT_ENUMS["aclrtDevAttr"], "attr", attribute)
    if name in _ONLY_LATER:
        unsupported(f"attr is {name}, which {_product.name} does not have")
    return number if name in _NUMBERS else _ATTRIBUTES.get(name, 0)


def aclrtGetDeviceCapability(number: int, feature: int) -> int:
    """Return 0: the emulated device has none of these features."""
    process.slot(number)
    _name(RT_ENUMS["aclrtDevFeatureType"], "devFeatureType", feature)
    return 0


# ---- numbers of cores: limits are stored and have no effect on results


def _cores(kind: int) -> int:
    names = "ACL_RT_DEV_RES_CUBE_CORE", "ACL_RT_DEV_RES_VECTOR_CORE"
    check_either("type", kind, *names)
    product = process.settings.product
    return product.vector_cores if kind else product.cube_cores


def _checked_limit(kind: int, value: int) -> int:
    cores = _cores(kind)
    if not 0 < value <= cores:
        rt_invalid(f"value is {value}; from 1 to {cores} cores are allowed")
    return value


def aclrtSetDeviceResLimit(number: int, kind: int, value: int) -> None:
    process.slot(number).limits[kind] = _checked_limit(kind, value)


def aclrtGetDeviceResLimit(number: int, kind: int) -> int:
    """Return the process's limit for a device, or else its number of cores of the kind."""
    return process.slot(number).limits.get(kind) or _cores(kind)


def aclrtResetDeviceResLimit(number: int) -> None:
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
    _stream_limits.pop(_living(stream), None)


def aclrtUseStreamResInCurrentThread(stream: Stream | None) -> None:
    """Make `aclrtGetResInCurrentThread` return the limits of a stream."""
    process.thread.limited_by = _living(stream)


def aclrtUnuseStreamResInCurrentThread(stream: Stream | None) -> None:
    if process.thread.limited_by is _living(stream):
        process.thread.limited_by = None


def aclrtGetResInCurrentThread(kind: int) -> int:
    """Return the calling thread's number of cores of a kind, under the limits that it uses."""
    number = process.current().number
    stream = process.thread.limited_by
    limits = {} if stream is None else _stream_limits.get(stream, {})
    return limits.get(kind) or aclrtGetDeviceResLimit(number, kind)


def _living(stream: Stream | None) -> Stream:
    living = process.stream(stream)
    living.check()
    return living
