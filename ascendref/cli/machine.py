"""What results depend on besides their inputs: versions and the processor."""

from __future__ import annotations

import importlib.metadata
import os
import platform
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
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                name = line.partition(":")[2].strip()
                break
    return {"name": name, "llvm": llvmlite.binding.get_host_cpu_name(), "cores": os.cpu_count()}
