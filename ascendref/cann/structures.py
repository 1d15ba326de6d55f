"""Structures of ``acl/acl_rt.h``: C definitions, and ctypes classes for some of them."""

from ctypes import Structure, c_char, c_int32, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from typing import Any, Final

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
typedef struct aclrtUtilizationExtendInfo aclrtUtilizationExtendInfo;
typedef struct aclrtUtilizationInfo {{
    int32_t cubeUtilization;
    int32_t vectorUtilization;
    int32_t aicpuUtilization;
    int32_t memoryUtilization;
    aclrtUtilizationExtendInfo *utilizationExtend;
}} aclrtUtilizationInfo;
typedef struct aclCANNPackageVersion {{
    char version[ACL_PKG_VERSION_MAX_SIZE];
    char majorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char minorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char releaseVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char patchVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char reserved[ACL_PKG_VERSION_MAX_SIZE];
}} aclCANNPackageVersion;
typedef struct {{
    uint8_t isAddr;
    uint8_t valueOrAddr[8];
    uint8_t size;
    uint8_t rsv[6];
}} aclrtRandomParaInfo;
typedef struct {{ aclrtRandomParaInfo dropoutRation; }} aclrtDropoutBitmaskInfo;
typedef struct {{ aclrtRandomParaInfo min, max; }} aclrtUniformDisInfo;
typedef struct {{ aclrtRandomParaInfo mean, stddev; }} aclrtNormalDisInfo;
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


def _fields(**types: Any) -> tuple[tuple[str, Any], ...]:
    return tuple(types.items())


class Location(Structure):
    """``aclrtMemLocation``."""

    _fields_ = _fields(id=c_uint32, type=c_int32)


class PhysicalProperties(Structure):
    """``aclrtPhysicalMemProp``."""

    _fields_ = _fields(
        handle_type=c_int32, allocation_type=c_int32, attribute=c_int32, location=Location,
        reserve=c_uint64,
    )  # fmt: skip


class ErrorInformation(Structure):
    """``aclrtErrorInfo``, whose detail is empty."""

    _fields_ = _fields(
        try_repair=c_uint8, has_detail=c_uint8, reserved=c_uint8 * 2, error_type=c_int32,
        detail=c_size_t * (1 + 16 * MEMORY_ERRORS),
    )  # fmt: skip


class Utilization(Structure):
    """``aclrtUtilizationInfo``."""

    _fields_ = _fields(
        cube=c_int32, vector=c_int32, ai_cpu=c_int32, memory=c_int32, extension=c_void_p
    )


class PackageVersion(Structure):
    """``aclCANNPackageVersion``."""

    _fields_ = _fields(
        version=c_char * 128, major=c_char * 64, minor=c_char * 64, release=c_char * 64,
        patch=c_char * 64, reserved=c_char * 128,
    )  # fmt: skip


class RandomParameter(Structure):
    """``aclrtRandomParaInfo``."""

    _fields_ = _fields(is_address=c_uint8, value=c_uint8 * 8, size=c_uint8, reserved=c_uint8 * 6)


class RandomTask(Structure):
    """``aclrtRandomNumTaskInfo``, with that of the function in it."""

    _fields_ = _fields(
        data_type=c_int32, function=c_int32, parameters=RandomParameter * 2,
        parameter_address=c_uint64, result_address=c_uint64, counter_address=c_uint64,
        seed=RandomParameter, count=RandomParameter, reserved=c_uint8 * 8,
    )  # fmt: skip
