"""Functions of the C library: queries of the product's properties."""

from __future__ import annotations

from ctypes import addressof, c_int32
from typing import Final

from ...core.errors import fail
from ...core.status import Status
from ..constants import BASE_ENUMS, RT_ENUMS
from .process import process

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
    fail(Status.ACL_ERROR_INVALID_PARAM, f"{parameter} is {number}; allowed are {allowed}")


def aclGetCannAttributeList() -> tuple[int, int]:
    """Return address and length of the list of the product's attributes."""
    return addressof(_list), len(_list)


def aclGetCannAttribute(attribute: int) -> int:
    """Tell whether the product has an attribute."""
    return int(_CANN[_name(_CANN_NUMBERS, "cannAttr", attribute)])


def aclGetDeviceCapability(number: int, what: int) -> int:
    """Return a figure of a device."""
    process.slot(number)
    return _CAPABILITIES[_name(BASE_ENUMS["aclDeviceInfo"], "deviceInfo", what)]


def aclrtGetDeviceInfo(number: int, attribute: int) -> int:
    """Return a figure of a device; 0 for what its product lacks."""
    process.slot(number)
    name = _name(RT_ENUMS["aclrtDevAttr"], "attr", attribute)
    if name in _ONLY_LATER:
        fail(
            Status.ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            f"attr is {name}, which {_product.name} does not have",
        )
    return number if name in _NUMBERS else _ATTRIBUTES.get(name, 0)


def aclrtGetDeviceCapability(number: int, feature: int) -> int:
    """Return 0: the emulated device has none of these features."""
    process.slot(number)
    _name(RT_ENUMS["aclrtDevFeatureType"], "devFeatureType", feature)
    return 0
