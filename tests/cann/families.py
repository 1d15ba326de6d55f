"""The functions of the C library by family, as docs/from-cpp.md lists them.

``python -m tests.cann.families`` prints the tables; ``--write`` puts them into the page.
"""

import re
import sys
from pathlib import Path

from ascendref.cann.functions import ABSENT, functions
from ascendref.core.markdown import table

PAGE = Path(__file__).parents[2] / "docs" / "from-cpp.md"
_TABLES = re.compile(r"(<!-- families -->\n).*?(<!-- end -->)", re.DOTALL)
#: what the library lacks of each family: names in backticks, with an ellipsis for any ending
LACKS = {
    "initialization, versions": "callbacks at initialization and finalization",
    "devices": "topology, overflow flags, device state callbacks, conversions of device ids",
    "core limits": "–",
    "copies between devices": "–",
    "contexts, parameters": "–",
    "streams": "stream attributes, stream state callbacks",
    "events": "events of other processes (`aclrtIpcGetEvent…`)",
    "notifies": "keys for other processes (`aclrtNotifyGetExportKey`, `aclrtNotifyImportByKey`),"
    " `aclrtNotifyBatchReset`, counting notifies (`aclrtCntNotify…`)",
    "graphs": "task groups and updates (`aclmdlRICaptureTask…`), building without a capture"
    " (`aclmdlRIBuild…`), conditional tasks (`aclmdlRICond…`), names, `aclmdlRIAbort`, lists"
    " of streams and tasks",
    "host functions": "`aclrtSubscribeHostFunc`",
    "memory": "allocation configurations, registered host memory (`aclrtHostRegister…`), managed"
    " memory, pools, custom allocators",
    "copies and fills": "batched copies, value writes and waits (`aclrtValueWrite`,"
    " `aclrtValueWait`), cache hints (`aclrtCmo…`)",
    "addresses and physical memory": "handles for other processes"
    " (`aclrtMemExportToShareableHandle…`, `aclrtMemImportFromShareableHandle…`), access rights"
    " (`aclrtMemSetAccess`), links (`aclrtMemMap…`), `aclrtMemRetainAllocationHandle`",
    "memory shared between processes": "processes on other machines"
    " (`aclrtIpcMemImportPidInterServer`), `aclrtIpcMemSetAttr`",
    "reductions, random numbers": "`aclrtTaskUpdateAsync`",
    "errors": "callbacks for failed tasks (`aclrtExceptionInfoCallback…`), memory errors"
    " (`aclrtGetMemUceInfo`, `aclrtMemUceRepair`), `aclrtDeviceTaskAbort`, `aclrtRepairError`",
    "types": "–",
    "tensors, scalars, lists, executors": "–",
    "weights of matrix products": "–",
    "binary kernels": "`aclrtBinary…`, `aclrtLaunchKernel…`, `aclrtKernelArgs…`",
    "models": "`aclmdlLoad…`, `aclmdlExecute…`, dumps",
    "compiled or loaded operators": "`aclop…`",
    "labels, core groups": "`aclrtCreateLabel…`, `aclrtSetGroup`",
    "data queues and channels": "`acltdt…`",
    "profiling, dumps, snapshots": "`aclprof…`, `aclrtSnapShot…`",
}


def text() -> str:
    """Return the tables of the page."""
    families: dict[str, list[str]] = {name: [] for name in LACKS}
    for name, function in functions().items():
        if function.family:
            families[function.family].append(f"`{name}`")
    rows = [(name, " ".join(families[name]) or "–", lacks) for name, lacks in LACKS.items()]
    count = sum(map(len, families.values()))
    return "\n".join(
        [
            f"{count} functions of the vendor's runtime and base library are available, plus two"
            " for each operator:",
            "",
            *table(("family", "available", "not available"), rows),
            "",
            "A program that calls a function that is not available does not compile or link, and"
            " `dlsym` returns NULL for it. For these, which `--allow-absent` lets programs link"
            " with, the reason is:",
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
