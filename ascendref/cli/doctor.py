"""``ascendref doctor``: what is installed, what is in force, and whether it computes right."""

from __future__ import annotations

import importlib
import os
import platform
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import llvmlite.binding
import numba
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..core.errors import CacheWarning
from ..declaration.operator import OPERATORS
from ..kernels.compiler import disk_cache
from .checks import CHECKS, check_threads, check_truth
from .screen import print_json, progress

_PACKAGES: Final = ("ascendref", "numpy", "numba", "llvmlite", "ml_dtypes")
_LAYERS: Final = {"tbb": "tbbpool", "omp": "omppool", "workqueue": "workqueue"}


def doctor(as_json: bool) -> bool:
    """Print the report; return whether all checks hold."""
    checks = check_operators()
    report = {
        "versions": versions(),
        "processor": processor(),
        "threads": threads(),  # after the checks: Numba starts its threads at the first launch
        "cache": cache_folder(),
        "checks": checks,
        "ok": all(row["ok"] for row in checks),
    }
    if as_json:
        print_json(report)
    else:
        show(report)
    return bool(report["ok"])


def check_operators() -> list[dict[str, Any]]:
    """Check every operator."""
    with progress() as bar, warnings.catch_warnings():
        warnings.simplefilter("ignore", CacheWarning)  # the report has a line for the cache
        return [check_operator(name) for name in bar.track(OPERATORS, description="checking")]


def check_operator(name: str) -> dict[str, Any]:
    """Check one operator; one that cannot run, or that has no check, fails."""
    exact, same, error = {}, False, None
    try:
        if name not in CHECKS:
            raise LookupError("there is no check for it")
        exact = check_truth(name)
        same = check_threads(name)
    except Exception as problem:  # a report on what is broken must not break by it
        error = f"{type(problem).__name__}: {problem}"
    return {
        "operator": name,
        "exact": exact,
        "serial_equals_parallel": same,
        "error": error,
        "ok": error is None and same and all(exact.values()),
    }


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


def threads() -> dict[str, Any]:
    """Return Numba's threading layers and number of threads."""
    layer, count = None, None
    with suppress(ValueError):  # no layer can be loaded, or nothing has run in parallel
        count = numba.get_num_threads()
        layer = numba.threading_layer()
    return {
        "layer": layer,
        "available": [name for name, module in _LAYERS.items() if _imports(module)],
        "asked_for": numba.config.THREADING_LAYER,
        "count": count,
    }


def _imports(module: str) -> bool:
    try:
        importlib.import_module(f"numba.np.ufunc.{module}")
    except ImportError:
        return False
    return True


def cache_folder() -> dict[str, Any]:
    """Return where kernels are kept between processes, and whether that works."""
    asked = numba.config.CACHE_DIR
    if asked and not _writable(asked):  # Numba would look elsewhere, the kernels do not
        return {"folder": asked, "writable": False}
    folder = disk_cache.cache_folder()
    return {"folder": folder, "writable": folder is not None and _writable(folder)}


def _writable(folder: str) -> bool:
    try:
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def show(report: dict[str, Any]) -> None:
    """Print the report for people."""
    chip, pool, cache = report["processor"], report["threads"], report["cache"]
    facts = Table.grid(padding=(0, 2))
    for name, version in report["versions"].items():
        facts.add_row(name, version)
    facts.add_row("processor", f"{chip['name']} ({chip['llvm']}), {chip['cores']} cores")
    facts.add_row(
        "threads",
        f"{pool['count']}, layer {pool['layer']} (available: {', '.join(pool['available'])};"
        f" asked for: {pool['asked_for']})",
    )
    facts.add_row(
        "kernel cache",
        f"{escape(cache['folder'] or 'none')}{'' if cache['writable'] else ' (cannot be written)'}",
    )
    checks = Table("operator", "exact in F16, BF16, F32", "serial = parallel")
    for row in report["checks"]:
        wrong = [name for name, right in row["exact"].items() if not right]
        if row["error"]:
            checks.add_row(row["operator"], escape(f"NO: {row['error']}"))
        else:
            checks.add_row(
                row["operator"],
                f"NO: {', '.join(wrong)}" if wrong else "yes",
                "yes" if row["serial_equals_parallel"] else "NO",
            )
    console = Console()
    console.print(facts, checks, "all checks hold" if report["ok"] else "a check FAILS", sep="\n")
