"""The table of the library's functions, from which its headers, exports and Python side follow."""

from functools import cache
from typing import Final, NamedTuple

from ..borrowed.known import absent, known
from ..borrowed.table import Borrowed, borrowed
from ..declaration.operator import APIS, Operator
from .prototypes import Prototype, declared, parse


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
    #: whether PyTorch computes its operator; the library for torch_npu leaves these out
    is_borrowed: bool = False
    #: the family under which docs/from-cpp.md lists it; none for functions of operators
    family: str = ""

    @property
    def name(self) -> str:
        return self.prototype.name


ACL: Final = "acl/acl.h"
BASE: Final = "acl/acl_base.h"
RT: Final = "acl/acl_rt.h"
META: Final = "aclnn/acl_meta.h"
ACLNN: Final = "aclnn/aclnn_base.h"

_DIMS: Final = (
    "const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t *stride,"
    " int64_t offset, aclFormat format, const int64_t *storageDims, uint64_t storageDimsNum"
)
_LIST: Final = "size_t irIndex, size_t relativeIndex, aclTensorList *tensors"
_REFRESHERS: Final = "\n".join(
    f"{mark}{a}clSet{kind}TensorAddr(aclOpExecutor *executor, {tensor}, void *addr)"
    for mark, dynamic, tensor in (
        ("", "Dynamic", _LIST),
        ("@", "", "size_t index, aclTensor *tensor"),
    )
    for a in "aA"
    for kind in (f"{dynamic}Input", f"{dynamic}Output", dynamic)
)

#: prototypes of the functions, by header and ``#`` family; a missing result is the header's status.
#: ``out`` marks output parameters, ``~`` functions that may destroy the first handle among their
#: parameters, ``@`` those that bind a tensor to an address, and ``!`` those that are written in C
_PROTOTYPES: Final = {
    ACL: """
# initialization, versions
aclInit(const char *configPath)
aclFinalize()
aclFinalizeReference(uint64_t *refCount)
""",
    RT: """
# initialization, versions
aclrtGetVersion(out int32_t *majorVersion, out int32_t *minorVersion, out int32_t *patchVersion)
const char *aclrtGetSocName()
aclsysGetVersionStr(char *pkgName, char *versionStr)
aclsysGetVersionNum(char *pkgName, out int32_t *versionNum)
aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version)
# devices
aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, out int64_t *value)
aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType, out int32_t *value)
aclrtSetDevice(int32_t deviceId)
aclrtResetDevice(int32_t deviceId)
aclrtResetDeviceForce(int32_t deviceId)
aclrtGetDevice(out int32_t *deviceId)
aclrtGetDeviceCount(out uint32_t *count)
aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo *utilizationInfo)
aclrtGetRunMode(out aclrtRunMode *runMode)
aclrtDeviceGetBareTgid(out int32_t *pid)
aclrtSynchronizeDevice()
aclrtSynchronizeDeviceWithTimeout(int32_t timeout)
aclrtDeviceGetStreamPriorityRange(out int32_t *leastPriority, out int32_t *greatestPriority)
# contexts, parameters
aclrtCreateContext(out aclrtContext *context, int32_t deviceId)
~aclrtDestroyContext(aclrtContext context)
aclrtSetCurrentContext(aclrtContext context)
aclrtGetCurrentContext(out aclrtContext *context)
aclrtCtxGetCurrentDefaultStream(out aclrtStream *stream)
aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value)
aclrtGetSysParamOpt(aclSysParamOpt opt, out int64_t *value)
aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value)
aclrtCtxGetSysParamOpt(aclSysParamOpt opt, out int64_t *value)
# copies between devices
aclrtDeviceCanAccessPeer(out int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId)
aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags)
aclrtDeviceDisablePeerAccess(int32_t peerDeviceId)
aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, out int32_t *status)
# memory
aclrtGetMemInfo(aclrtMemAttr attr, out size_t *free, out size_t *total)
aclrtMalloc(out void **devPtr, size_t size, aclrtMemMallocPolicy policy)
aclrtMallocAlign32(out void **devPtr, size_t size, aclrtMemMallocPolicy policy)
aclrtMallocCached(out void **devPtr, size_t size, aclrtMemMallocPolicy policy)
aclrtMallocHost(out void **hostPtr, size_t size)
aclrtFree(void *devPtr)
aclrtFreeHost(void *hostPtr)
aclrtFreeWithDevSync(void *devPtr)
aclrtFreeHostWithDevSync(void *hostPtr)
# copies and fills
aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)
aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind,
    aclrtStream stream)
aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
    aclrtMemcpyKind kind)
aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
    size_t height, aclrtMemcpyKind kind, aclrtStream stream)
aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)
aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream)
aclrtMemsetD32(void *devPtr, size_t memSize, uint32_t value, size_t count)
# addresses and physical memory
aclrtMallocPhysical(out aclrtDrvMemHandle *handle, size_t size, const aclrtPhysicalMemProp *prop,
    uint64_t flags)
~aclrtFreePhysical(aclrtDrvMemHandle handle)
aclrtReserveMemAddress(out void **virPtr, size_t size, size_t alignment, void *expectPtr,
    uint64_t flags)
aclrtReleaseMemAddress(void *virPtr)
aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags)
aclrtUnmapMem(void *virPtr)
aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop, aclrtMemGranularityOptions option,
    out size_t *granularity)
aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle, aclrtPhysicalMemProp *prop)
aclrtMemGetAddressRange(void *ptr, out void **pbase, out size_t *psize)
# memory shared between processes
aclrtIpcMemGetExportKey(void *devPtr, size_t size, char *key, size_t len, uint64_t flags)
aclrtIpcMemSetImportPid(const char *key, int32_t *pid, size_t num)
aclrtIpcMemImportByKey(out void **devPtr, const char *key, uint64_t flags)
aclrtIpcMemClose(const char *key)
# reductions, random numbers
aclrtReduceAsync(void *dst, const void *src, uint64_t count, aclrtReduceKind kind, aclDataType type,
    aclrtStream stream, void *reserve)
aclrtRandomNumAsync(const aclrtRandomNumTaskInfo *taskInfo, aclrtStream stream, void *reserve)
# streams
aclrtCreateStream(out aclrtStream *stream)
aclrtCreateStreamWithConfig(out aclrtStream *stream, uint32_t priority, uint32_t flag)
~aclrtDestroyStream(aclrtStream stream)
~aclrtDestroyStreamForce(aclrtStream stream)
aclrtSynchronizeStream(aclrtStream stream)
aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)
aclrtStreamQuery(aclrtStream stream, out aclrtStreamStatus *status)
aclrtStreamAbort(aclrtStream stream)
aclrtStreamGetId(aclrtStream stream, out int32_t *streamId)
aclrtStreamGetPriority(aclrtStream stream, out uint32_t *priority)
aclrtStreamGetFlags(aclrtStream stream, out uint32_t *flags)
aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode)
# core limits
aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value)
aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, out uint32_t *value)
aclrtResetDeviceResLimit(int32_t deviceId)
aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value)
aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, out uint32_t *value)
aclrtResetStreamResLimit(aclrtStream stream)
aclrtUseStreamResInCurrentThread(aclrtStream stream)
aclrtUnuseStreamResInCurrentThread(aclrtStream stream)
aclrtGetResInCurrentThread(aclrtDevResLimitType type, out uint32_t *value)
# events
aclrtCreateEvent(out aclrtEvent *event)
aclrtCreateEventWithFlag(out aclrtEvent *event, uint32_t flag)
aclrtCreateEventExWithFlag(out aclrtEvent *event, uint32_t flag)
~aclrtDestroyEvent(aclrtEvent event)
aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
aclrtResetEvent(aclrtEvent event, aclrtStream stream)
aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
aclrtQueryEvent(aclrtEvent event, out aclrtEventStatus *status)
aclrtQueryEventStatus(aclrtEvent event, out aclrtEventRecordedStatus *status)
aclrtQueryEventWaitStatus(aclrtEvent event, out aclrtEventWaitStatus *status)
aclrtSynchronizeEvent(aclrtEvent event)
aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)
aclrtEventElapsedTime(out float *ms, aclrtEvent startEvent, aclrtEvent endEvent)
aclrtEventGetTimestamp(aclrtEvent event, out uint64_t *timestamp)
aclrtGetEventId(aclrtEvent event, out uint32_t *eventId)
# notifies
aclrtCreateNotify(out aclrtNotify *notify, uint64_t flag)
~aclrtDestroyNotify(aclrtNotify notify)
aclrtRecordNotify(aclrtNotify notify, aclrtStream stream)
aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout)
aclrtGetNotifyId(aclrtNotify notify, out uint32_t *notifyId)
# graphs
aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode)
aclmdlRICaptureEnd(aclrtStream stream, out aclmdlRI *modelRI)
aclmdlRICaptureGetInfo(aclrtStream stream, out aclmdlRICaptureStatus *status, out aclmdlRI *modelRI)
aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode)
aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout)
aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream)
~aclmdlRIDestroy(aclmdlRI modelRI)
aclmdlRIGetId(aclmdlRI modelRI, out uint32_t *modelRIId)
aclmdlRIDebugPrint(aclmdlRI modelRI)
aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path, uint32_t flags)
# host functions
aclrtSubscribeReport(uint64_t threadId, aclrtStream stream)
aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream)
aclrtProcessReport(int32_t timeout)
aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType,
    aclrtStream stream)
aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args)
# errors
aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo *errorInfo)
aclrtGetLastError(aclrtLastErrLevel level)
aclrtPeekAtLastError(aclrtLastErrLevel level)
""",
    BASE: """
# devices
aclGetCannAttributeList(out const aclCannAttr **cannAttrList, out size_t *num)
aclGetCannAttribute(aclCannAttr cannAttr, out int32_t *value)
aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, out int64_t *value)
# errors
!const char *aclGetRecentErrMsg()
# types
!size_t aclDataTypeSize(aclDataType dataType)
!float aclFloat16ToFloat(aclFloat16 value)
!aclFloat16 aclFloatToFloat16(float value)
""",
    ACLNN: """
# initialization, versions
aclnnInit(const char *configPath)
aclnnFinalize()
""",
    META: f"""
# tensors, scalars, lists, executors
aclSetAclOpExecutorRepeatable(aclOpExecutor *executor)
~aclDestroyAclOpExecutor(aclOpExecutor *executor)
{_REFRESHERS}
!aclTensor *aclCreateTensor({_DIMS}, void *tensorData)
!aclInitTensor(aclTensor *tensor, {_DIMS}, void *tensorDataAddr)
!aclScalar *aclCreateScalar(void *value, aclDataType dataType)
!aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size)
!aclFloatArray *aclCreateFloatArray(const float *value, uint64_t size)
!aclBoolArray *aclCreateBoolArray(const bool *value, uint64_t size)
!aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size)
!aclScalarList *aclCreateScalarList(const aclScalar *const *value, uint64_t size)
!aclDestroyTensor(const aclTensor *tensor)
!aclDestroyScalar(const aclScalar *scalar)
!aclDestroyIntArray(const aclIntArray *array)
!aclDestroyFloatArray(const aclFloatArray *array)
!aclDestroyBoolArray(const aclBoolArray *array)
!aclDestroyTensorList(const aclTensorList *array)
!aclDestroyScalarList(const aclScalarList *array)
!aclGetIntArraySize(const aclIntArray *array, uint64_t *size)
!aclGetFloatArraySize(const aclFloatArray *array, uint64_t *size)
!aclGetBoolArraySize(const aclBoolArray *array, uint64_t *size)
!aclGetTensorListSize(const aclTensorList *array, uint64_t *size)
!aclGetScalarListSize(const aclScalarList *array, uint64_t *size)
!aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum)
!aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims, uint64_t *storageDimsNum)
!aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue, uint64_t *stridesNum)
!aclGetViewOffset(const aclTensor *tensor, int64_t *offset)
!aclGetFormat(const aclTensor *tensor, aclFormat *format)
!aclGetDataType(const aclTensor *tensor, aclDataType *dataType)
!aclGetRawTensorAddr(const aclTensor *tensor, void **addr)
!aclSetRawTensorAddr(aclTensor *tensor, void *addr)
""",
    "aclnnop/aclnn_trans_matmul_weight.h": """
# weights of matrix products
aclnnCalculateMatmulWeightSize(const aclIntArray *tensorShape, out uint64_t *weightTensorSize)
aclnnCalculateMatmulWeightSizeV2(const aclIntArray *tensorShape, aclDataType dataType,
    out uint64_t *weightTensorSize)
""",
}

#: known functions of the runtime that are absent -> reason
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


#: begins the symbols of absent functions, with which programs link that may call them
ABSENT_SYMBOL: Final = "ascendref_absent_"


class Absent(NamedTuple):
    """A known function that nothing computes: it does not compile, or refuses every call."""

    name: str
    #: the headers that declare it
    headers: tuple[str, ...]
    #: what the compiler says, or a call
    text: str

    @property
    def result(self) -> str:
        """The type of its status."""
        return "aclnnStatus" if self.name.startswith("aclnn") else "aclError"


@cache
def absent_functions() -> tuple[Absent, ...]:
    """Return the known functions that the library does not have."""
    found = [Absent(name, (RT,), f"{name} is not available: {why}") for name, why in ABSENT.items()]
    for api, row in absent().items():
        text = f"{api} is not available; `ascendref ops --all` lists what is"
        headers = tuple([f"aclnnop/{header}" for header in row.headers])
        found += [Absent(name, headers, text) for name in (f"{api}GetWorkspaceSize", api)]
    return tuple(found)


def operator_functions(operator: Operator) -> tuple[Function, Function]:
    """Return the two functions of an operator, from its declaration."""
    named = dict(
        zip(operator.vendor_parameters[len(operator.tensors) :], operator.scalars, strict=False)
    )
    parameters = [
        declared(named[name].c_type if name in named else "const aclTensor *", name)
        for name in operator.arguments
    ]
    return _two_phases(operator.api, f"aclnnop/{operator.header}", parameters)


def borrowed_functions(operator: Borrowed) -> tuple[Function, Function]:
    """Return the two functions of an operator that PyTorch computes."""
    parameters = [declared(param.c_type, param.name) for param in operator.parameters]
    first, second = _two_phases(
        operator.api, f"aclnnop/{known()[operator.api].headers[0]}", parameters
    )
    return first._replace(is_borrowed=True), second._replace(is_borrowed=True)


def _two_phases(api: str, header: str, parameters: list[str]) -> tuple[Function, Function]:
    results = ["out uint64_t *workspaceSize", "out aclOpExecutor **executor"]
    return (
        _written(f"{api}GetWorkspaceSize({', '.join([*parameters, *results])})", header),
        _written(
            f"~{api}(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,"
            " aclrtStream stream)",
            header,
        ),
    )


def _written(prototype: str, header: str) -> Function:
    """Return the function for a row of the table."""
    bare, mark = prototype.lstrip("~@!"), prototype[:1]
    if " " not in bare.partition("(")[0]:
        bare = f"{'aclnnStatus' if header.startswith('aclnn') else 'aclError'} {bare}"
    return Function(parse(bare), header, mark == "!", mark == "~", mark == "@")


@cache
def functions() -> dict[str, Function]:
    rows = []
    for header, text in _PROTOTYPES.items():
        for row in text.replace("\n    ", " ").split("\n")[1:-1]:
            if row.startswith("# "):
                family = row[2:]
            else:
                rows.append(_written(row, header)._replace(family=family))
    for operator in APIS.values():
        rows += operator_functions(operator)
    for other in borrowed().values():
        rows += borrowed_functions(other)
    return {row.name: row for row in rows}
