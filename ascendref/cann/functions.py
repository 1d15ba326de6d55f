"""The table of the library's functions, from which its headers, exports and Python side follow."""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

from ..declaration.operator import OPERATORS, Operator, vendor_name
from .prototypes import Prototype, parse


class Function(NamedTuple):
    """A function of the library."""

    prototype: Prototype
    #: header that declares it
    header: str
    #: whether it is written in C; otherwise it is a function in `runtime`
    native: bool = False
    #: whether the first handle among its parameters becomes invalid with its object
    ends_handle: bool = False
    #: whether it binds its tensor to its address
    moves_tensor: bool = False

    @property
    def name(self) -> str:
        """Its name in C."""
        return self.prototype.name


ACL: Final = "acl/acl.h"
BASE: Final = "acl/acl_base.h"
RT: Final = "acl/acl_rt.h"
META: Final = "aclnn/acl_meta.h"
ACLNN: Final = "aclnn/aclnn_base.h"

_DIMS: Final = (
    "const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t *stride,"
    " int64_t offset, aclFormat format, const int64_t *storageDims, uint64_t storageDimsNum, "
)
_REFRESHED: Final = "aclOpExecutor *executor, size_t index, aclTensor *tensor, void *addr"
_REFRESHED_LIST: Final = (
    "aclOpExecutor *executor, size_t irIndex, size_t relativeIndex, aclTensorList *tensors,"
    " void *addr"
)

#: prototypes of the functions in `runtime`, by header; ``~`` marks those that may destroy the first
#: handle among their parameters
_PYTHON: Final = {
    ACL: (
        "aclError aclInit(const char *configPath)",
        "aclError aclFinalize()",
        "aclError aclFinalizeReference(uint64_t *refCount)",
    ),
    RT: (
        "aclError aclrtGetVersion(out int32_t *majorVersion, out int32_t *minorVersion,"
        " out int32_t *patchVersion)",
        "const char *aclrtGetSocName()",
        "aclError aclsysGetVersionStr(char *pkgName, char *versionStr)",
        "aclError aclsysGetVersionNum(char *pkgName, out int32_t *versionNum)",
        "aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, out int64_t *value)",
        "aclError aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType,"
        " out int32_t *value)",
        # devices and contexts
        "aclError aclrtSetDevice(int32_t deviceId)",
        "aclError aclrtResetDevice(int32_t deviceId)",
        "aclError aclrtResetDeviceForce(int32_t deviceId)",
        "aclError aclrtGetDevice(out int32_t *deviceId)",
        "aclError aclrtGetDeviceCount(out uint32_t *count)",
        "aclError aclrtGetRunMode(out aclrtRunMode *runMode)",
        "aclError aclrtCreateContext(out aclrtContext *context, int32_t deviceId)",
        "~aclError aclrtDestroyContext(aclrtContext context)",
        "aclError aclrtSetCurrentContext(aclrtContext context)",
        "aclError aclrtGetCurrentContext(out aclrtContext *context)",
        "aclError aclrtCtxGetCurrentDefaultStream(out aclrtStream *stream)",
        "aclError aclrtDeviceCanAccessPeer(out int32_t *canAccessPeer, int32_t deviceId,"
        " int32_t peerDeviceId)",
        "aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags)",
        "aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId)",
        "aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId,"
        " out int32_t *status)",
        "aclError aclrtDeviceGetBareTgid(out int32_t *pid)",
        "aclError aclrtSynchronizeDevice()",
        "aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)",
        # memory
        "aclError aclrtGetMemInfo(aclrtMemAttr attr, out size_t *free, out size_t *total)",
        "aclError aclrtMalloc(out void **devPtr, size_t size, aclrtMemMallocPolicy policy)",
        "aclError aclrtMallocAlign32(out void **devPtr, size_t size, aclrtMemMallocPolicy policy)",
        "aclError aclrtMallocCached(out void **devPtr, size_t size, aclrtMemMallocPolicy policy)",
        "aclError aclrtMallocHost(out void **hostPtr, size_t size)",
        "aclError aclrtFree(void *devPtr)",
        "aclError aclrtFreeHost(void *hostPtr)",
        "aclError aclrtFreeWithDevSync(void *devPtr)",
        "aclError aclrtFreeHostWithDevSync(void *hostPtr)",
        "aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count,"
        " aclrtMemcpyKind kind)",
        "aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count,"
        " aclrtMemcpyKind kind, aclrtStream stream)",
        "aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch,"
        " size_t width, size_t height, aclrtMemcpyKind kind)",
        "aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch,"
        " size_t width, size_t height, aclrtMemcpyKind kind, aclrtStream stream)",
        "aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)",
        "aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count,"
        " aclrtStream stream)",
        "aclError aclrtMemsetD32(void *devPtr, size_t memSize, uint32_t value, size_t count)",
        # addresses and physical memory
        "aclError aclrtMallocPhysical(out aclrtDrvMemHandle *handle, size_t size,"
        " const aclrtPhysicalMemProp *prop, uint64_t flags)",
        "~aclError aclrtFreePhysical(aclrtDrvMemHandle handle)",
        "aclError aclrtReserveMemAddress(out void **virPtr, size_t size, size_t alignment,"
        " void *expectPtr, uint64_t flags)",
        "aclError aclrtReleaseMemAddress(void *virPtr)",
        "aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,"
        " uint64_t flags)",
        "aclError aclrtUnmapMem(void *virPtr)",
        "aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop,"
        " aclrtMemGranularityOptions option, out size_t *granularity)",
        "aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle,"
        " aclrtPhysicalMemProp *prop)",
        "aclError aclrtMemGetAddressRange(void *ptr, out void **pbase, out size_t *psize)",
        "aclError aclrtIpcMemGetExportKey(void *devPtr, size_t size, char *key, size_t len,"
        " uint64_t flags)",
        "aclError aclrtIpcMemSetImportPid(const char *key, int32_t *pid, size_t num)",
        "aclError aclrtIpcMemImportByKey(out void **devPtr, const char *key, uint64_t flags)",
        "aclError aclrtIpcMemClose(const char *key)",
        "aclError aclrtReduceAsync(void *dst, const void *src, uint64_t count,"
        " aclrtReduceKind kind, aclDataType type, aclrtStream stream, void *reserve)",
        "aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo *taskInfo, aclrtStream stream,"
        " void *reserve)",
        # streams
        "aclError aclrtCreateStream(out aclrtStream *stream)",
        "aclError aclrtCreateStreamWithConfig(out aclrtStream *stream, uint32_t priority,"
        " uint32_t flag)",
        "~aclError aclrtDestroyStream(aclrtStream stream)",
        "~aclError aclrtDestroyStreamForce(aclrtStream stream)",
        "aclError aclrtSynchronizeStream(aclrtStream stream)",
        "aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)",
        "aclError aclrtStreamQuery(aclrtStream stream, out aclrtStreamStatus *status)",
        "aclError aclrtStreamAbort(aclrtStream stream)",
        "aclError aclrtStreamGetId(aclrtStream stream, out int32_t *streamId)",
        "aclError aclrtStreamGetPriority(aclrtStream stream, out uint32_t *priority)",
        "aclError aclrtDeviceGetStreamPriorityRange(out int32_t *leastPriority,"
        " out int32_t *greatestPriority)",
        "aclError aclrtStreamGetFlags(aclrtStream stream, out uint32_t *flags)",
        "aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode)",
        # numbers of cores
        "aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type,"
        " uint32_t value)",
        "aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type,"
        " out uint32_t *value)",
        "aclError aclrtResetDeviceResLimit(int32_t deviceId)",
        "aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type,"
        " uint32_t value)",
        "aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type,"
        " out uint32_t *value)",
        "aclError aclrtResetStreamResLimit(aclrtStream stream)",
        "aclError aclrtUseStreamResInCurrentThread(aclrtStream stream)",
        "aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream)",
        "aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, out uint32_t *value)",
        # events
        "aclError aclrtCreateEvent(out aclrtEvent *event)",
        "aclError aclrtCreateEventWithFlag(out aclrtEvent *event, uint32_t flag)",
        "aclError aclrtCreateEventExWithFlag(out aclrtEvent *event, uint32_t flag)",
        "~aclError aclrtDestroyEvent(aclrtEvent event)",
        "aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)",
        "aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)",
        "aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)",
        "aclError aclrtQueryEvent(aclrtEvent event, out aclrtEventStatus *status)",
        "aclError aclrtQueryEventStatus(aclrtEvent event, out aclrtEventRecordedStatus *status)",
        "aclError aclrtQueryEventWaitStatus(aclrtEvent event, out aclrtEventWaitStatus *status)",
        "aclError aclrtSynchronizeEvent(aclrtEvent event)",
        "aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)",
        "aclError aclrtEventElapsedTime(out float *ms, aclrtEvent startEvent, aclrtEvent endEvent)",
        "aclError aclrtEventGetTimestamp(aclrtEvent event, out uint64_t *timestamp)",
        "aclError aclrtGetEventId(aclrtEvent event, out uint32_t *eventId)",
        # notifies
        "aclError aclrtCreateNotify(out aclrtNotify *notify, uint64_t flag)",
        "~aclError aclrtDestroyNotify(aclrtNotify notify)",
        "aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream)",
        "aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream,"
        " uint32_t timeout)",
        "aclError aclrtGetNotifyId(aclrtNotify notify, out uint32_t *notifyId)",
        # host functions
        "aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream)",
        "aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream)",
        "aclError aclrtProcessReport(int32_t timeout)",
        "aclError aclrtLaunchCallback(aclrtCallback fn, void *userData,"
        " aclrtCallbackBlockType blockType, aclrtStream stream)",
        "aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args)",
        # errors and parameters
        "aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo *errorInfo)",
        "aclError aclrtGetLastError(aclrtLastErrLevel level)",
        "aclError aclrtPeekAtLastError(aclrtLastErrLevel level)",
        "aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value)",
        "aclError aclrtGetSysParamOpt(aclSysParamOpt opt, out int64_t *value)",
        "aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value)",
        "aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, out int64_t *value)",
    ),
    BASE: (
        "aclError aclGetCannAttributeList(out const aclCannAttr **cannAttrList, out size_t *num)",
        "aclError aclGetCannAttribute(aclCannAttr cannAttr, out int32_t *value)",
        "aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo,"
        " out int64_t *value)",
    ),
    ACLNN: (
        "aclnnStatus aclnnInit(const char *configPath)",
        "aclnnStatus aclnnFinalize()",
    ),
    META: (
        "aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor)",
        "~aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor)",
        *(f"aclnnStatus {a}clSetDynamic{k}TensorAddr({_REFRESHED_LIST})"
          for a in "aA" for k in ("Input", "Output", "")),
    ),
}  # fmt: skip

#: prototypes of the functions in `runtime` that bind a tensor to an address
_MOVING: Final = tuple(
    f"aclnnStatus {a}clSet{k}TensorAddr({_REFRESHED})"
    for a in "aA"
    for k in ("Input", "Output", "")
)

#: prototypes of the functions that are written in C, by header
_NATIVE: Final = {
    BASE: (
        "const char *aclGetRecentErrMsg()",
        "size_t aclDataTypeSize(aclDataType dataType)",
        "float aclFloat16ToFloat(aclFloat16 value)",
        "aclFloat16 aclFloatToFloat16(float value)",
    ),
    META: (
        f"aclTensor *aclCreateTensor({_DIMS}void *tensorData)",
        f"aclnnStatus aclInitTensor(aclTensor *tensor, {_DIMS}void *tensorDataAddr)",
        "aclScalar *aclCreateScalar(void *value, aclDataType dataType)",
        "aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size)",
        "aclFloatArray *aclCreateFloatArray(const float *value, uint64_t size)",
        "aclBoolArray *aclCreateBoolArray(const bool *value, uint64_t size)",
        "aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size)",
        "aclScalarList *aclCreateScalarList(const aclScalar *const *value, uint64_t size)",
        "aclnnStatus aclDestroyTensor(const aclTensor *tensor)",
        "aclnnStatus aclDestroyScalar(const aclScalar *scalar)",
        *(
            f"aclnnStatus aclDestroy{name}(const acl{name} *array)"
            for name in ("IntArray", "FloatArray", "BoolArray", "TensorList", "ScalarList")
        ),
        *(
            f"aclnnStatus aclGet{name}Size(const acl{name} *array, uint64_t *size)"
            for name in ("IntArray", "FloatArray", "BoolArray", "TensorList", "ScalarList")
        ),
        "aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims,"
        " uint64_t *viewDimsNum)",
        "aclnnStatus aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims,"
        " uint64_t *storageDimsNum)",
        "aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue,"
        " uint64_t *stridesNum)",
        "aclnnStatus aclGetViewOffset(const aclTensor *tensor, int64_t *offset)",
        "aclnnStatus aclGetFormat(const aclTensor *tensor, aclFormat *format)",
        "aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType)",
        "aclnnStatus aclGetRawTensorAddr(const aclTensor *tensor, void **addr)",
        "aclnnStatus aclSetRawTensorAddr(aclTensor *tensor, void *addr)",
    ),
}

#: known functions that the library lacks -> reason; linking with them fails
ABSENT: Final = {
    "aclrtMallocWithCfg": "the layout of its configuration is not emulated",
    "aclrtMallocHostWithCfg": "the layout of its configuration is not emulated",
    "aclrtPointerGetAttributes": "the layout of its result is not emulated",
    "aclrtSetExceptionInfoCallback": "no task of the emulated device has exception records",
    "aclrtSetDeviceSatMode": "results are always those of the mode INFNAN",
    "aclrtSetOpExecuteTimeOut": "tasks of the emulated device have no time limit",
    "aclrtSetOpWaitTimeout": "waits on the emulated device have no time limit",
    "aclrtStreamWaitEventWithTimeout": "waits on the emulated device have no time limit",
}


def operator_functions(operator: Operator) -> tuple[Function, Function]:
    """Return the two functions of an operator, from its declaration."""
    header = f"aclnnop/{operator.header}"
    inputs = len(operator.tensors)
    tensors = [f"const aclTensor *{name}" for name in operator.tensor_names]
    scalars = [
        f"{param.c_type}{'' if param.c_type.endswith('*') else ' '}{vendor_name(param.name)}"
        for param in operator.scalars
    ]
    results = ["out uint64_t *workspaceSize", "out aclOpExecutor **executor"]
    parameters = ", ".join([*tensors[:inputs], *scalars, *tensors[inputs:], *results])
    return (
        Function(parse(f"aclnnStatus {operator.api}GetWorkspaceSize({parameters})"), header),
        Function(
            parse(
                f"aclnnStatus {operator.api}(void *workspace, uint64_t workspaceSize,"
                " aclOpExecutor *executor, aclrtStream stream)"
            ),
            header,
            ends_handle=True,
        ),
    )


@cache
def functions() -> dict[str, Function]:
    """Return all functions by name."""
    rows = [
        Function(parse(text.lstrip("~")), header, ends_handle=text.startswith("~"))
        for header, texts in _PYTHON.items()
        for text in texts
    ]
    rows += [Function(parse(text), META, moves_tensor=True) for text in _MOVING]
    rows += [
        Function(parse(text), header, native=True)
        for header, texts in _NATIVE.items()
        for text in texts
    ]
    for operator in OPERATORS.values():
        rows += operator_functions(operator)
    return {row.name: row for row in rows}
