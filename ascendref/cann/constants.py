"""Enumerations and macros of the headers."""

from __future__ import annotations

from typing import Final

from ..core.dtypes import DataType
from ..core.status import Status
from ..device.memory.tensor import Format
from ..device.streams.event import EventFlag
from ..device.streams.stream import FailureMode, StreamFlag

_POLICIES: Final = (
    "HUGE_FIRST",
    "HUGE_ONLY",
    "NORMAL_ONLY",
    "HUGE_FIRST_P2P",
    "HUGE_ONLY_P2P",
    "NORMAL_ONLY_P2P",
    "HUGE1G_ONLY",
    "HUGE1G_ONLY_P2P",
)
_ATTRIBUTES: Final = (
    "DDR_MEM",
    "HBM_MEM",
    "DDR_MEM_HUGE",
    "DDR_MEM_NORMAL",
    "HBM_MEM_HUGE",
    "HBM_MEM_NORMAL",
    "DDR_MEM_P2P_HUGE",
    "DDR_MEM_P2P_NORMAL",
    "HBM_MEM_P2P_HUGE",
    "HBM_MEM_P2P_NORMAL",
    "HBM_MEM_HUGE1G",
    "HBM_MEM_P2P_HUGE1G",
    "MEM_NORMAL",
    "MEM_HUGE",
    "MEM_HUGE1G",
    "MEM_P2P_NORMAL",
    "MEM_P2P_HUGE",
    "MEM_P2P_HUGE1G",
)
_COPIES: Final = (
    "HOST_TO_HOST",
    "HOST_TO_DEVICE",
    "DEVICE_TO_HOST",
    "DEVICE_TO_DEVICE",
    "DEFAULT",
    "HOST_TO_BUF_TO_DEVICE",
    "INNER_DEVICE_TO_DEVICE",
    "INTER_DEVICE_TO_DEVICE",
)
_DEVICE_ATTRIBUTES: Final = {
    "AICPU_CORE_NUM": 1,
    "AICORE_CORE_NUM": 101,
    "CUBE_CORE_NUM": 102,
    "VECTOR_CORE_NUM": 201,
    "WARP_SIZE": 202,
    "MAX_THREAD_PER_VECTOR_CORE": 203,
    "UBUF_PER_VECTOR_CORE": 204,
    "LOCAL_MEM_PER_VECTOR_CORE": 204,
    "MAX_GRID_DIM_X": 205,
    "MAX_GRID_DIM_Y": 206,
    "MAX_GRID_DIM_Z": 207,
    "MAX_BLOCK_PER_GRID": 208,
    "MAX_THREADS_PER_BLOCK": 209,
    "MAX_BLOCK_DIM_X": 210,
    "MAX_BLOCK_DIM_Y": 211,
    "MAX_BLOCK_DIM_Z": 212,
    "TOTAL_GLOBAL_MEM_SIZE": 301,
    "L2_CACHE_SIZE": 302,
    "SMP_ID": 401,
    "PHY_CHIP_ID": 402,
    "SUPER_POD_DEVICE_ID": 403,
    "SUPER_POD_DEVIDE_ID": 403,
    "SUPER_POD_SERVER_ID": 404,
    "SUPER_POD_ID": 405,
    "CUST_OP_PRIVILEGE": 406,
    "MAINBOARD_ID": 407,
    "HD_CONNECT_TYPE": 408,
    "DEVICE_FORM_FACTOR": 409,
    "IS_VIRTUAL": 501,
    "NPU_ARCH": 601,
}

#: enumerations of ``acl/acl_base.h``
BASE_ENUMS: Final[dict[str, dict[str, int]]] = {
    "aclDataType": {kind.name: int(kind) for kind in DataType},
    "aclFormat": {f"ACL_FORMAT_{kind.name}": int(kind) for kind in Format},
    "aclSysParamOpt": {
        "ACL_OPT_DETERMINISTIC": 0,
        "ACL_OPT_ENABLE_DEBUG_KERNEL": 1,
        "ACL_OPT_STRONG_CONSISTENCY": 2,
        "ACL_OPT_ENABLE_KERNEL_EARLY_START": 3,
    },
    "aclCannAttr": {
        "ACL_CANN_ATTR_UNDEFINED": -1,
        "ACL_CANN_ATTR_INF_NAN": 0,
        "ACL_CANN_ATTR_BF16": 1,
        "ACL_CANN_ATTR_JIT_COMPILE": 2,
    },
    "aclDeviceInfo": {
        "ACL_DEVICE_INFO_UNDEFINED": -1,
        "ACL_DEVICE_INFO_AI_CORE_NUM": 0,
        "ACL_DEVICE_INFO_VECTOR_CORE_NUM": 1,
        "ACL_DEVICE_INFO_L2_SIZE": 2,
    },
}

#: enumerations of ``acl/acl_rt.h``
RT_ENUMS: Final[dict[str, dict[str, int]]] = {
    "aclrtRunMode": {"ACL_DEVICE": 0, "ACL_HOST": 1},
    "aclrtMemMallocPolicy": {
        **{f"ACL_MEM_MALLOC_{name}": number for number, name in enumerate(_POLICIES)},
        "ACL_MEM_TYPE_LOW_BAND_WIDTH": 0x0100,
        "ACL_MEM_TYPE_HIGH_BAND_WIDTH": 0x1000,
        "ACL_MEM_ACCESS_USER_SPACE_READONLY": 0x100000,
    },
    "aclrtMemAttr": {f"ACL_{name}": number for number, name in enumerate(_ATTRIBUTES)},
    "aclrtMemcpyKind": {f"ACL_MEMCPY_{name}": number for number, name in enumerate(_COPIES)},
    "aclrtStreamStatus": {
        "ACL_STREAM_STATUS_COMPLETE": 0,
        "ACL_STREAM_STATUS_NOT_READY": 1,
        "ACL_STREAM_STATUS_RESERVED": 0xFFFF,
    },
    "aclrtEventStatus": {
        "ACL_EVENT_STATUS_COMPLETE": 0,
        "ACL_EVENT_STATUS_NOT_READY": 1,
        "ACL_EVENT_STATUS_RESERVED": 2,
    },
    "aclrtEventRecordedStatus": {
        "ACL_EVENT_RECORDED_STATUS_NOT_READY": 0,
        "ACL_EVENT_RECORDED_STATUS_COMPLETE": 1,
    },
    "aclrtEventWaitStatus": {
        "ACL_EVENT_WAIT_STATUS_COMPLETE": 0,
        "ACL_EVENT_WAIT_STATUS_NOT_READY": 1,
        "ACL_EVENT_WAIT_STATUS_RESERVED": 0xFFFF,
    },
    "aclrtCallbackBlockType": {"ACL_CALLBACK_NO_BLOCK": 0, "ACL_CALLBACK_BLOCK": 1},
    "aclrtLastErrLevel": {"ACL_RT_THREAD_LEVEL": 0},
    "aclrtDevResLimitType": {"ACL_RT_DEV_RES_CUBE_CORE": 0, "ACL_RT_DEV_RES_VECTOR_CORE": 1},
    "aclrtReduceKind": {
        "ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM": 10,
        "ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX": 11,
        "ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN": 12,
        "ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL": 13,
    },
    "aclrtRandomNumFuncType": {
        "ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK": 0,
        "ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS": 1,
        "ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS": 2,
        "ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS": 3,
    },
    "aclrtErrorType": {
        "ACL_RT_NO_ERROR": 0,
        "ACL_RT_ERROR_MEMORY": 1,
        "ACL_RT_ERROR_L2": 2,
        "ACL_RT_ERROR_AICORE": 3,
        "ACL_RT_ERROR_LINK": 4,
        "ACL_RT_ERROR_L3_PORT": 5,
        "ACL_RT_ERROR_OTHERS": 0xFFFF,
    },
    "aclrtAicoreErrorType": {
        "ACL_RT_AICORE_ERROR_UNKNOWN": 0,
        "ACL_RT_AICORE_ERROR_SW": 1,
        "ACL_RT_AICORE_ERROR_HW_LOCAL": 2,
    },
    "aclrtMemHandleType": {"ACL_MEM_HANDLE_TYPE_NONE": 0, "ACL_MEM_HANDLE_TYPE_POSIX": 2},
    "aclrtMemAllocationType": {"ACL_MEM_ALLOCATION_TYPE_PINNED": 0},
    "aclrtMemLocationType": {
        "ACL_MEM_LOCATION_TYPE_HOST": 0,
        "ACL_MEM_LOCATION_TYPE_DEVICE": 1,
        "ACL_MEM_LOCATION_TYPE_UNREGISTERED": 2,
        "ACL_MEM_LOCATION_TYPE_MANAGED": 3,
        "ACL_MEM_LOCATION_TYPE_HOST_NUMA": 4,
    },
    "aclrtMemGranularityOptions": {
        "ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM": 0,
        "ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED": 1,
        "ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF": 0xFFFF,
    },
    "aclrtDevAttr": {f"ACL_DEV_ATTR_{name}": number for name, number in _DEVICE_ATTRIBUTES.items()},
    "aclrtDevFeatureType": {
        "ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV": 1,
        "ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV": 21,
    },
}

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
    "ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT": 0,
    "ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION": 1,
    "ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT": 0,
    "ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS": 1,
}
