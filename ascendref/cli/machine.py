"""What results depend on besides their inputs: versions and the processor."""

import importlib.metadata
import os
import platform
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import llvmlite.binding

_PACKAGES: Final = ("ascendref", "numpy", "numba", "llvmlite", "ml_dtypes")


def versions(*more: str) -> dict[str, str]:
    """Return the versions of Python, of what the numbers depend on, and of more where there are."""
    found = {"python": platform.python_version()}
    for name in (*_PACKAGES, *more):
        with suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def processor() -> dict[str, Any]:
    """Return the processor's names, its own and LLVM's, and the number of cores."""
    cpuinfo = Path("/proc/cpuinfo")
    text = cpuinfo.read_text() if cpuinfo.exists() else ""
    found = re.search(r"^model name\s*: (.*)", text, re.MULTILINE)
    name = found[1] if found else platform.processor() or platform.machine()
    return {"name": name, "llvm": llvmlite.binding.get_host_cpu_name(), "cores": os.cpu_count()}
