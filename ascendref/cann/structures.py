"""Structures of ``acl/acl_rt.h``: C definitions, and ctypes classes for some of them."""

from __future__ import annotations

import ctypes
from typing import Final

from ..core.errors import fail
from ..core.status import Status

#: most addresses of faulty memory in an error
MEMORY_ERRORS: Final = 20

#: their C definitions, placed after the enumerations
STRUCTURES: Final = f"""typedef struct aclrtMemLocation {{
    uint32_t id;
    aclrtMemLocationType type;
}} aclrtMemLocation;
typedef struct aclrtPhysicalMemProp {{
    aclrtMemHandleType handleType;
    aclrtMemAllocationType allocationType;
    aclrtMemAttr memAttr;
    aclrtMemLocation location;
    uint64_t reserve;
}} aclrtPhysicalMemProp;
typedef struct aclrtMemUceInfo {{
    void *addr;
    size_t len;
    size_t reserved[14];
}} aclrtMemUceInfo;
typedef struct {{
    size_t arraySize;
    aclrtMemUceInfo memUceInfoArray[{MEMORY_ERRORS}];
}} aclrtMemUceInfoArray;
typedef union aclrtErrorInfoDetail {{
    aclrtMemUceInfoArray uceInfo;
    aclrtAicoreErrorType aicoreErrType;
}} aclrtErrorInfoDetail;
typedef struct aclrtErrorInfo {{
    uint8_t tryRepair;
    uint8_t hasDetail;
    uint8_t reserved[2];
    aclrtErrorType errorType;
    aclrtErrorInfoDetail detail;
}} aclrtErrorInfo;
typedef struct {{
    uint8_t isAddr;
    uint8_t valueOrAddr[8];
    uint8_t size;
    uint8_t rsv[6];
}} aclrtRandomParaInfo;
typedef struct {{
    aclrtRandomParaInfo dropoutRation;
}} aclrtDropoutBitmaskInfo;
typedef struct {{
    aclrtRandomParaInfo min;
    aclrtRandomParaInfo max;
}} aclrtUniformDisInfo;
typedef struct {{
    aclrtRandomParaInfo mean;
    aclrtRandomParaInfo stddev;
}} aclrtNormalDisInfo;
typedef struct {{
    aclrtRandomNumFuncType funcType;
    union {{
        aclrtDropoutBitmaskInfo dropoutBitmaskInfo;
        aclrtUniformDisInfo uniformDisInfo;
        aclrtNormalDisInfo normalDisInfo;
    }} paramInfo;
}} aclrtRandomNumFuncParaInfo;
typedef struct {{
    aclDataType dataType;
    aclrtRandomNumFuncParaInfo randomNumFuncParaInfo;
    void *randomParaAddr;
    void *randomResultAddr;
    void *randomCounterAddr;
    aclrtRandomParaInfo randomSeed;
    aclrtRandomParaInfo randomNum;
    uint8_t rsv[8];
}} aclrtRandomNumTaskInfo;"""


class Location(ctypes.Structure):
    """``aclrtMemLocation``."""

    _fields_ = (("id", ctypes.c_uint32), ("type", ctypes.c_int32))


class PhysicalProperties(ctypes.Structure):
    """``aclrtPhysicalMemProp``."""

    _fields_ = (
        ("handle_type", ctypes.c_int32),
        ("allocation_type", ctypes.c_int32),
        ("attribute", ctypes.c_int32),
        ("location", Location),
        ("reserve", ctypes.c_uint64),
    )


class ErrorInformation(ctypes.Structure):
    """``aclrtErrorInfo``, whose detail is empty."""

    _fields_ = (
        ("try_repair", ctypes.c_uint8),
        ("has_detail", ctypes.c_uint8),
        ("reserved", ctypes.c_uint8 * 2),
        ("error_type", ctypes.c_int32),
        ("detail", ctypes.c_size_t * (1 + 16 * MEMORY_ERRORS)),
    )


class RandomParameter(ctypes.Structure):
    """``aclrtRandomParaInfo``."""

    _fields_ = (
        ("is_address", ctypes.c_uint8),
        ("value", ctypes.c_uint8 * 8),
        ("size", ctypes.c_uint8),
        ("reserved", ctypes.c_uint8 * 6),
    )


class RandomTask(ctypes.Structure):
    """``aclrtRandomNumTaskInfo``, with that of the function in it."""

    _fields_ = (
        ("data_type", ctypes.c_int32),
        ("function", ctypes.c_int32),
        ("parameters", RandomParameter * 2),
        ("parameter_address", ctypes.c_uint64),
        ("result_address", ctypes.c_uint64),
        ("counter_address", ctypes.c_uint64),
        ("seed", RandomParameter),
        ("count", RandomParameter),
        ("reserved", ctypes.c_uint8 * 8),
    )


def text_at(argument: str, address: int) -> str:
    """Return the text that an argument points to."""
    if not address:
        fail(Status.ACL_ERROR_INVALID_PARAM, f"{argument} is NULL; a string is expected")
    return ctypes.string_at(address).decode(errors="replace")


def write_text(argument: str, address: int, text: str) -> None:
    """Write a text, which ends with a NUL, to where an argument points."""
    if not address:
        fail(
            Status.ACL_ERROR_INVALID_PARAM, f"{argument} is NULL; a buffer for a string is expected"
        )
    ctypes.memmove(address, text.encode() + b"\0", len(text) + 1)
