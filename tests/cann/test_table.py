"""The table of functions: headers, exports and Python side agree, and nothing is forgotten."""

import ctypes
import re
import subprocess

import pytest

import ascendref as ar
from ascendref.cann.functions import ABSENT, functions
from ascendref.cann.root import LIBRARIES
from ascendref.cann.runtime.link import connect, implementations
from ascendref.cann.source import digest, python_functions

from .families import FAMILIES, PAGE, WITHOUT, page_text, runtime_functions

#: a function of C as the library has one, which stays as long as the process
NO_CALLER = ctypes.PYFUNCTYPE(ctypes.c_void_p)(lambda: None)

#: the functions of the vendor's runtime and base library that programs for operators use
SUBSET = """
aclInit aclFinalize aclFinalizeReference aclnnInit aclnnFinalize
aclrtSetDevice aclrtResetDevice aclrtResetDeviceForce aclrtGetDevice aclrtGetDeviceCount
aclrtGetRunMode aclrtCreateContext aclrtDestroyContext aclrtSetCurrentContext
aclrtGetCurrentContext aclrtCtxGetCurrentDefaultStream aclrtGetSocName aclrtGetVersion
aclrtGetMemInfo aclGetCannAttribute aclGetCannAttributeList aclGetDeviceCapability
aclrtGetDeviceInfo aclrtGetDeviceCapability
aclrtMalloc aclrtMallocAlign32 aclrtMallocCached aclrtMallocWithCfg aclrtMallocHost
aclrtMallocHostWithCfg aclrtFree aclrtFreeHost aclrtFreeWithDevSync aclrtFreeHostWithDevSync
aclrtMemcpy aclrtMemcpyAsync aclrtMemcpy2d aclrtMemcpy2dAsync aclrtMemset aclrtMemsetAsync
aclrtMemsetD32 aclrtPointerGetAttributes
aclrtCreateStream aclrtCreateStreamWithConfig aclrtDestroyStream aclrtDestroyStreamForce
aclrtSynchronizeStream aclrtSynchronizeStreamWithTimeout aclrtStreamQuery aclrtStreamAbort
aclrtSynchronizeDevice aclrtSynchronizeDeviceWithTimeout aclrtStreamGetId aclrtStreamGetPriority
aclrtDeviceGetStreamPriorityRange aclrtSetStreamFailureMode
aclrtCreateEvent aclrtCreateEventWithFlag aclrtCreateEventExWithFlag aclrtDestroyEvent
aclrtRecordEvent aclrtStreamWaitEvent aclrtStreamWaitEventWithTimeout aclrtResetEvent
aclrtQueryEvent aclrtQueryEventStatus aclrtQueryEventWaitStatus aclrtSynchronizeEvent
aclrtSynchronizeEventWithTimeout aclrtEventElapsedTime aclrtEventGetTimestamp aclrtGetEventId
aclrtSetOpWaitTimeout aclrtSetOpExecuteTimeOut aclrtSetDeviceSatMode
aclrtCreateNotify aclrtDestroyNotify aclrtRecordNotify aclrtWaitAndResetNotify aclrtGetNotifyId
aclrtDeviceCanAccessPeer aclrtDeviceEnablePeerAccess aclrtDeviceDisablePeerAccess
aclrtDevicePeerAccessStatus aclrtDeviceGetBareTgid
aclrtMallocPhysical aclrtFreePhysical aclrtReserveMemAddress aclrtReleaseMemAddress aclrtMapMem
aclrtUnmapMem aclrtMemGetAllocationGranularity aclrtMemGetAllocationPropertiesFromHandle
aclrtMemGetAddressRange
aclrtIpcMemGetExportKey aclrtIpcMemSetImportPid aclrtIpcMemImportByKey aclrtIpcMemClose
aclrtReduceAsync aclrtRandomNumAsync aclrtStreamGetFlags
aclsysGetVersionStr aclsysGetVersionNum aclrtGetErrorVerbose
aclrtSetDeviceResLimit aclrtGetDeviceResLimit aclrtResetDeviceResLimit
aclrtSetStreamResLimit aclrtGetStreamResLimit aclrtResetStreamResLimit
aclrtUseStreamResInCurrentThread aclrtUnuseStreamResInCurrentThread aclrtGetResInCurrentThread
aclrtSubscribeReport aclrtUnSubscribeReport aclrtProcessReport aclrtLaunchCallback
aclrtLaunchHostFunc aclrtSetExceptionInfoCallback
aclrtGetLastError aclrtPeekAtLastError aclGetRecentErrMsg
aclrtSetSysParamOpt aclrtGetSysParamOpt aclrtCtxSetSysParamOpt aclrtCtxGetSysParamOpt
aclDataTypeSize aclFloat16ToFloat aclFloatToFloat16
aclCreateTensor aclInitTensor aclDestroyTensor aclCreateScalar aclDestroyScalar
aclCreateIntArray aclCreateFloatArray aclCreateBoolArray aclCreateTensorList aclCreateScalarList
aclDestroyIntArray aclDestroyFloatArray aclDestroyBoolArray aclDestroyTensorList
aclDestroyScalarList aclGetIntArraySize aclGetFloatArraySize aclGetBoolArraySize
aclGetTensorListSize aclGetScalarListSize
aclGetViewShape aclGetStorageShape aclGetViewStrides aclGetViewOffset aclGetFormat aclGetDataType
aclGetRawTensorAddr aclSetRawTensorAddr
aclSetAclOpExecutorRepeatable aclDestroyAclOpExecutor
aclSetInputTensorAddr aclSetOutputTensorAddr aclSetTensorAddr
aclSetDynamicInputTensorAddr aclSetDynamicOutputTensorAddr aclSetDynamicTensorAddr
AclSetInputTensorAddr AclSetOutputTensorAddr AclSetTensorAddr
AclSetDynamicInputTensorAddr AclSetDynamicOutputTensorAddr AclSetDynamicTensorAddr
""".split()


def test_every_function_is_there_or_absent_for_a_reason():
    operators = {
        name
        for operator in ar.OPERATORS.values()
        for name in (operator.api, f"{operator.api}GetWorkspaceSize")
    }
    assert set(SUBSET) == (set(functions()) | set(ABSENT)) - operators
    assert operators <= set(functions())
    assert not set(functions()) & set(ABSENT)
    assert all(ABSENT.values())


def test_headers_exports_and_python_agree(root):
    declared = set()
    for header in (root / "include").rglob("*.h"):
        declared |= set(re.findall(r"\b(\w+)\([^()]*\);", header.read_text()))
    library = root / "lib64" / LIBRARIES[0]
    symbols = subprocess.run(
        ["nm", "-D", "--defined-only", library], capture_output=True, text=True
    )
    exported = {line.split()[-1] for line in symbols.stdout.splitlines()}
    assert declared == exported == set(functions())
    assert set(implementations()) == set(python_functions())


def test_a_library_of_another_version_is_refused():
    find_caller = ctypes.cast(NO_CALLER, ctypes.c_void_p).value
    assert len(connect(",".join(python_functions()), digest(), find_caller)) > len(
        python_functions()
    )
    with pytest.raises(ar.ArgumentValueError, match="run `ascendref cann` again"):
        connect("aclInit", "0" * 16, find_caller)


def test_every_header_compiles_alone_in_c_and_cpp(root, tmp_path):
    for header in sorted((root / "include").rglob("*.h")):
        name = header.relative_to(root / "include")
        for suffix, words in (("c", ["cc", "-std=c11"]), ("cpp", ["c++", "-std=c++11"])):
            source = tmp_path / f"one.{suffix}"
            source.write_text(f'#include "{name}"\nint one;\n')
            flags = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
            done = subprocess.run(
                [*words, *flags, f"-I{root / 'include'}", source], capture_output=True, text=True
            )
            assert done.returncode == 0, (name, done.stderr)


def test_the_page_lists_every_function_in_one_family():
    for name in runtime_functions():
        found = [family.name for family in FAMILIES if re.fullmatch(family.names, name)]
        assert len(found) == 1, (name, found)
    page = PAGE.read_text()
    assert page == page_text(page), "python -m tests.cann.families --write"
    lacks = " ".join([*[family.lacks for family in FAMILIES], *[text for _, text in WITHOUT]])
    for name, ending in re.findall(r"`(\w+)(…?)`", lacks):
        wrong = [x for x in functions() if x == name or (ending and x.startswith(name))]
        assert not wrong, name
