"""Enumerations and macros of the headers."""

from typing import Final

from ..core.dtypes import DataType
from ..core.status import Status
from ..device.memory.tensor import Format
from ..device.streams.event import EventFlag
from ..device.streams.stream import FailureMode, StreamFlag


def _enum(prefix: str, names: str, **others: int) -> dict[str, int]:
    """Return members that count from 0, then others with their values."""
    counted = {name: number for number, name in enumerate(names.split())}
    return {prefix + name: number for name, number in (counted | others).items()}


#: enumerations of ``acl/acl_base.h``
BASE_ENUMS: Final[dict[str, dict[str, int]]] = {
    "aclDataType": {kind.name: int(kind) for kind in DataType},
    "aclFormat": {f"ACL_FORMAT_{kind.name}": int(kind) for kind in Format},
    "aclSysParamOpt": _enum(
        "ACL_OPT_", "DETERMINISTIC ENABLE_DEBUG_KERNEL STRONG_CONSISTENCY ENABLE_KERNEL_EARLY_START"
    ),
    "aclCannAttr": _enum("ACL_CANN_ATTR_", "", UNDEFINED=-1, INF_NAN=0, BF16=1, JIT_COMPILE=2),
    "aclDeviceInfo": _enum(
        "ACL_DEVICE_INFO_", "", UNDEFINED=-1, AI_CORE_NUM=0, VECTOR_CORE_NUM=1, L2_SIZE=2
    ),
}

#: enumerations of ``acl/acl_rt.h``
RT_ENUMS: Final[dict[str, dict[str, int]]] = {
    "aclrtRunMode": _enum("ACL_", "DEVICE HOST"),
    "aclCANNPackageName": _enum(
        "ACL_PKG_NAME_", "CANN RUNTIME COMPILER HCCL TOOLKIT OPP OPP_KERNEL DRIVER"
    ),
    "aclrtMemMallocPolicy": _enum(
        "ACL_MEM_",
        "MALLOC_HUGE_FIRST MALLOC_HUGE_ONLY MALLOC_NORMAL_ONLY MALLOC_HUGE_FIRST_P2P"
        " MALLOC_HUGE_ONLY_P2P MALLOC_NORMAL_ONLY_P2P MALLOC_HUGE1G_ONLY MALLOC_HUGE1G_ONLY_P2P",
        TYPE_LOW_BAND_WIDTH=0x0100,
        TYPE_HIGH_BAND_WIDTH=0x1000,
        ACCESS_USER_SPACE_READONLY=0x100000,
    ),
    "aclrtMemAttr": _enum(
        "ACL_",
        "DDR_MEM HBM_MEM DDR_MEM_HUGE DDR_MEM_NORMAL HBM_MEM_HUGE HBM_MEM_NORMAL DDR_MEM_P2P_HUGE"
        " DDR_MEM_P2P_NORMAL HBM_MEM_P2P_HUGE HBM_MEM_P2P_NORMAL HBM_MEM_HUGE1G HBM_MEM_P2P_HUGE1G"
        " MEM_NORMAL MEM_HUGE MEM_HUGE1G MEM_P2P_NORMAL MEM_P2P_HUGE MEM_P2P_HUGE1G",
    ),
    "aclrtMemcpyKind": _enum(
        "ACL_MEMCPY_",
        "HOST_TO_HOST HOST_TO_DEVICE DEVICE_TO_HOST DEVICE_TO_DEVICE DEFAULT HOST_TO_BUF_TO_DEVICE"
        " INNER_DEVICE_TO_DEVICE INTER_DEVICE_TO_DEVICE",
    ),
    "aclrtStreamStatus": _enum("ACL_STREAM_STATUS_", "COMPLETE NOT_READY", RESERVED=0xFFFF),
    "aclrtEventStatus": _enum("ACL_EVENT_STATUS_", "COMPLETE NOT_READY RESERVED"),
    "aclrtEventRecordedStatus": _enum("ACL_EVENT_RECORDED_STATUS_", "NOT_READY COMPLETE"),
    "aclrtEventWaitStatus": _enum("ACL_EVENT_WAIT_STATUS_", "COMPLETE NOT_READY", RESERVED=0xFFFF),
    "aclrtCallbackBlockType": _enum("ACL_CALLBACK_", "NO_BLOCK BLOCK"),
    "aclrtLastErrLevel": _enum("ACL_RT_", "THREAD_LEVEL"),
    "aclrtDevResLimitType": _enum("ACL_RT_DEV_RES_", "CUBE_CORE VECTOR_CORE"),
    "aclrtReduceKind": _enum(
        "ACL_RT_MEMCPY_SDMA_AUTOMATIC_", "", SUM=10, MAX=11, MIN=12, EQUAL=13
    ),
    "aclrtRandomNumFuncType": _enum(
        "ACL_RT_RANDOM_NUM_FUNC_TYPE_",
        "DROPOUT_BITMASK UNIFORM_DIS NORMAL_DIS TRUNCATED_NORMAL_DIS",
    ),
    "aclmdlRICaptureMode": _enum("ACL_MODEL_RI_CAPTURE_MODE_", "GLOBAL THREAD_LOCAL RELAXED"),
    "aclmdlRICaptureStatus": _enum("ACL_MODEL_RI_CAPTURE_STATUS_", "NONE ACTIVE INVALIDATED"),
    "aclrtErrorType": _enum(
        "ACL_RT_",
        "NO_ERROR ERROR_MEMORY ERROR_L2 ERROR_AICORE ERROR_LINK ERROR_L3_PORT",
        ERROR_OTHERS=0xFFFF,
    ),
    "aclrtAicoreErrorType": _enum("ACL_RT_AICORE_ERROR_", "UNKNOWN SW HW_LOCAL"),
    "aclrtMemHandleType": _enum("ACL_MEM_HANDLE_TYPE_", "NONE", POSIX=2),
    "aclrtMemAllocationType": _enum("ACL_MEM_ALLOCATION_TYPE_", "PINNED"),
    "aclrtMemLocationType": _enum(
        "ACL_MEM_LOCATION_TYPE_", "HOST DEVICE UNREGISTERED MANAGED HOST_NUMA"
    ),
    "aclrtMemGranularityOptions": _enum(
        "ACL_RT_MEM_ALLOC_GRANULARITY_", "MINIMUM RECOMMENDED", UNDEF=0xFFFF
    ),
    "aclrtDevAttr": _enum(
        "ACL_DEV_ATTR_",
        "",
        AICPU_CORE_NUM=1,
        AICORE_CORE_NUM=101, CUBE_CORE_NUM=102,
        VECTOR_CORE_NUM=201, WARP_SIZE=202, MAX_THREAD_PER_VECTOR_CORE=203,
        UBUF_PER_VECTOR_CORE=204, LOCAL_MEM_PER_VECTOR_CORE=204,
        MAX_GRID_DIM_X=205, MAX_GRID_DIM_Y=206, MAX_GRID_DIM_Z=207,
        MAX_BLOCK_PER_GRID=208, MAX_THREADS_PER_BLOCK=209,
        MAX_BLOCK_DIM_X=210, MAX_BLOCK_DIM_Y=211, MAX_BLOCK_DIM_Z=212,
        TOTAL_GLOBAL_MEM_SIZE=301, L2_CACHE_SIZE=302,
        SMP_ID=401, PHY_CHIP_ID=402, SUPER_POD_DEVICE_ID=403, SUPER_POD_DEVIDE_ID=403,
        SUPER_POD_SERVER_ID=404, SUPER_POD_ID=405, CUST_OP_PRIVILEGE=406, MAINBOARD_ID=407,
        HD_CONNECT_TYPE=408, DEVICE_FORM_FACTOR=409,
        IS_VIRTUAL=501, NPU_ARCH=601,
    ),
    "aclrtDevFeatureType": _enum(
        "ACL_FEATURE_", "", TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV=1, SYSTEM_MEMQ_EVENT_CROSS_DEV=21
    ),
}  # fmt: skip

#: macros of ``acl/acl_base.h``: the codes, of which those of aclnn are in ``aclnn/acl_meta.h``
BASE_MACROS: Final = {
    name: int(status)
    for name, status in Status.__members__.items()
    if not name.startswith("ACLNN_")
}
META_MACROS: Final = {
    name: int(status) for name, status in Status.__members__.items() if name.startswith("ACLNN_")
}

#: macros of ``acl/acl_rt.h``
RT_MACROS: Final = {
    **{f"ACL_STREAM_{flag.name}": int(flag) for flag in StreamFlag},
    **{f"ACL_EVENT_{flag.name}": int(flag) for flag in EventFlag},
    "ACL_CONTINUE_ON_FAILURE": int(FailureMode.CONTINUE),
    "ACL_STOP_ON_FAILURE": int(FailureMode.STOP),
    "ACL_NOTIFY_DEFAULT": 0,
    "ACL_NOTIFY_DEVICE_USE_ONLY": 1,
    "ACL_PKG_VERSION_MAX_SIZE": 128,
    "ACL_PKG_VERSION_PARTS_MAX_SIZE": 64,
    "ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT": 0,
    "ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION": 1,
    "ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT": 0,
    "ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS": 1,
}
