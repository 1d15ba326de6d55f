"""The functions of the C library by family, as docs/from-cpp.md lists them.

``python -m tests.cann.families`` prints the tables; ``--write`` puts them into the page.
"""

import re
import sys
from pathlib import Path
from typing import NamedTuple

from ascendref.cann.functions import ABSENT, functions, operator_functions
from ascendref.core.markdown import table
from ascendref.declaration.operator import APIS

PAGE = Path(__file__).parents[2] / "docs" / "from-cpp.md"
_TABLES = re.compile(r"(<!-- families -->\n).*?(<!-- end -->)", re.DOTALL)


class Family(NamedTuple):
    """Functions that belong together."""

    name: str
    #: pattern of the names
    names: str
    #: what the library lacks of the family; names in backticks, with an ellipsis for any ending
    lacks: str


FAMILIES = (
    Family("initialization, versions",
           r"acl(nn)?(Init|Finalize\w*)|aclsys\w+|aclrtGet(Version|SocName)",
           "callbacks at initialization and finalization"),
    Family("devices",
           r"aclrt(Set|Reset|Get)Device(?!Res)\w*|aclrtGetRunMode|aclrtSynchronizeDevice\w*"
           r"|aclrtDeviceGet(BareTgid|StreamPriorityRange)|aclGet(CannAttribute|DeviceCapability)\w*",
           "topology, overflow flags, device state callbacks,"
           " conversions of device ids"),
    Family("core limits", r"aclrt\w+ResLimit|aclrt\w+ResInCurrentThread", "–"),
    Family("copies between devices", r"aclrtDevice(CanAccess|Enable|Disable)?Peer\w*", "–"),
    Family("contexts, parameters", r"aclrt\w+Context|aclrtCtx\w+|aclrt[GS]etSysParamOpt", "–"),
    Family("streams", r"aclrt(Create|Destroy|Synchronize)Stream\w*|aclrtStream(Query|Abort|Get\w+)"
           r"|aclrtSetStreamFailureMode", "stream attributes, stream state callbacks"),
    Family("events", r"aclrt\w*Event\w*", "events of other processes (`aclrtIpcGetEvent…`)"),
    Family("notifies", r"aclrt\w*Notify\w*",
           "keys for other processes (`aclrtNotifyGetExportKey`, `aclrtNotifyImportByKey`),"
           " `aclrtNotifyBatchReset`, counting notifies (`aclrtCntNotify…`)"),
    Family("graphs", r"aclmdlRI\w+",
           "task groups and updates (`aclmdlRICaptureTask…`), building without a capture"
           " (`aclmdlRIBuild…`), conditional tasks (`aclmdlRICond…`), names, `aclmdlRIAbort`,"
           " lists of streams and tasks"),
    Family("host functions", r"aclrt\w*(Report|Callback|HostFunc)",
           "`aclrtSubscribeHostFunc`"),
    Family("memory", r"aclrt(Malloc(Align32|Cached|Host)?|Free(Host)?(WithDevSync)?|GetMemInfo)",
           "allocation configurations, registered host memory (`aclrtHostRegister…`),"
           " managed memory, pools, custom allocators"),
    Family("copies and fills", r"aclrtMem(cpy|set)\w*",
           "batched copies, value writes and waits (`aclrtValueWrite`,"
           " `aclrtValueWait`), cache hints (`aclrtCmo…`)"),
    Family("addresses and physical memory",
           r"aclrt(Malloc|Free)Physical|aclrt(Reserve|Release)MemAddress|aclrt(Map|Unmap)Mem"
           r"|aclrtMemGetA\w+",
           "handles for other processes (`aclrtMemExportToShareableHandle…`,"
           " `aclrtMemImportFromShareableHandle…`), access rights (`aclrtMemSetAccess`), links"
           " (`aclrtMemMap…`), `aclrtMemRetainAllocationHandle`"),
    Family("memory shared between processes", r"aclrtIpcMem\w+",
           "processes on other machines (`aclrtIpcMemImportPidInterServer`), `aclrtIpcMemSetAttr`"),
    Family("reductions, random numbers", r"aclrt(Reduce|RandomNum)Async", "`aclrtTaskUpdateAsync`"),
    Family("errors", r"aclrt(Get|PeekAt)LastError|aclGetRecentErrMsg|aclrtGetErrorVerbose",
           "callbacks for failed tasks (`aclrtExceptionInfoCallback…`), memory errors"
           " (`aclrtGetMemUceInfo`, `aclrtMemUceRepair`), `aclrtDeviceTaskAbort`,"
           " `aclrtRepairError`"),
    Family("types", r"aclDataTypeSize|aclFloat\w+", "–"),
    Family("tensors, scalars, lists, executors",
           r"acl(Create|Destroy|Init)(Tensor|Scalar|\w*Array)\w*"
           r"|aclGet(View|Storage|\w*Size|Format|DataType|RawTensor)\w*|[aA]clSet\w*Tensor\w*"
           r"|acl\w+AclOpExecutor\w*", "–"),
)  # fmt: skip
#: families that the library lacks entirely
WITHOUT = (
    ("binary kernels", "`aclrtBinary…`, `aclrtLaunchKernel…`, `aclrtKernelArgs…`"),
    ("models", "`aclmdlLoad…`, `aclmdlExecute…`, dumps"),
    ("compiled or loaded operators", "`aclop…`"),
    ("labels, core groups", "`aclrtCreateLabel…`, `aclrtSetGroup`"),
    ("data queues and channels", "`acltdt…`"),
    ("profiling, dumps, snapshots", "`aclprof…`, `aclrtSnapShot…`"),
)


def runtime_functions() -> list[str]:
    """Return the names of the library's functions that belong to no operator."""
    operators = {f.name for operator in APIS.values() for f in operator_functions(operator)}
    operators |= {name for name, function in functions().items() if function.is_borrowed}
    return [name for name in functions() if name not in operators]


def text() -> str:
    """Return the tables of the page."""
    names = runtime_functions()
    rows = [
        (
            family.name,
            " ".join(f"`{name}`" for name in names if re.fullmatch(family.names, name)),
            family.lacks,
        )
        for family in FAMILIES
    ]
    rows += [(name, "–", lacks) for name, lacks in WITHOUT]
    count = len(names)
    return "\n".join(
        [
            f"{count} functions of the vendor's runtime and base library are available, plus two"
            " for each operator:",
            "",
            *table(("family", "available", "not available"), rows),
            "",
            "A program that calls a function that is not available does not compile or link, and"
            " `dlsym` returns NULL for it. For some, the reason is:",
            "",
            *table(
                ("function", "why it is not available"),
                [(f"`{name}`", why) for name, why in ABSENT.items()],
            ),
            "",
        ]
    )


def page_text(page: str) -> str:
    """Return the page with the tables in their place."""
    return _TABLES.sub(lambda match: match[1] + text() + match[2], page)


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page_text(PAGE.read_text()))
    else:
        print(text())
