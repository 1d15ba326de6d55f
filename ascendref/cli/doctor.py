"""``ascendref doctor``: a check of operators, and what is installed on this machine."""

import importlib
import os
import shlex
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Final

import numba
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from ..cann.root import compiler, find_libpython
from ..core.dtypes import BFLOAT16, ELEMENT_TYPES, FLOAT16, FLOAT32
from ..core.errors import CacheWarning, OptionError
from ..core.extras import install_command, installed_libraries
from ..core.threads import PARALLEL_FROM, num_threads
from ..declaration.operator import OPERATORS
from ..kernels.arithmetic.arrays import evaluate
from ..kernels.arithmetic.exact import round_fraction
from ..kernels.compiler import disk_cache
from ..kernels.runtime.threading_layer import start_threads
from ..verify.accuracy.channel_sums import exact_sum
from ..verify.setting import Setting, given_settings, settings
from .console import DIFFERENCE, INTERRUPTED, print_json, run_steps
from .markdown import processor, versions

#: the extras that users ask for
_EXTRAS: Final = ("cli", "judge", "plot", "torch", "npu", "jax", "dask")
#: Numba's threading layers, and the modules that they are in
_LAYERS: Final = {"tbb": "tbbpool", "omp": "omppool", "workqueue": "workqueue"}
#: operators that are checked: with each kind of kernel and of elementary functions
_USUAL: Final = (
    "hardshrink_backward", "softplus_backward", "prelu_backward", "smooth_l1_loss_backward",
    "logit_grad", "gelu", "glu", "binary_cross_entropy"
)  # fmt: skip
#: gradients, and positions of data in the operator's interval; a row is a channel
_GRADIENTS: Final = ((1.5, -2.0, 3.0), (0.25, 1.0, -0.7))
_PLACES: Final = ((0.3, 0.45, 0.5), (0.85, 0.1, 0.4))


def doctor(as_json: bool, everything: bool) -> int:
    """Print the report, of all operators or a few; return the exit status."""
    names = tuple(OPERATORS) if everything else _USUAL
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CacheWarning)  # the report has a line for the cache
        checks = run_steps(names, check_operator, "checks", str)
    report = {
        "versions": versions(),
        "processor": processor(),
        "threads": threads(),  # after the checks: Numba starts its threads at the first launch
        "cache": cache_folder(),
        "tools": tools(),
        "extras": extras(),
        "checks": checks,
        "ok": all(row["ok"] for row in checks),
    }
    if as_json:
        print_json(report)
    else:
        show(report)
    if len(checks) < len(names):
        return INTERRUPTED
    return 0 if report["ok"] else DIFFERENCE


def check_operator(name: str) -> dict[str, Any]:
    """Check one operator; one that cannot run fails."""
    exact, same, error = {}, False, None
    try:
        exact = {kind.name: is_exact(name, kind.name) for kind in (FLOAT16, BFLOAT16, FLOAT32)}
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


def is_exact(name: str, kind: str) -> bool:
    """Tell whether an operator's correctly rounded mode gives the exact bits of a type."""
    setting = settings(name)[0]  # of losses, that without a sum
    tensors = _example(setting, ELEMENT_TYPES[kind].numpy)
    found = setting.results("float64", tensors)
    elements = zip(*(array.ravel().tolist() for array in tensors), strict=True)
    golden = [[setting.exact(row, tensors[0].size, kind) for row in elements]]
    if setting.operator.per_channel and (reduction := setting.operator.reduction) is not None:
        operands = [array.astype(np.float64) for array in tensors[: reduction.term.tensors]]
        terms = evaluate(reduction.term.function, np, operands)
        golden.append([float(round_fraction(exact_sum(channel), kind)) for channel in terms])
    return all(
        given.tobytes() == np.array(exact).astype(given.dtype).tobytes()
        for given, exact in zip(found, golden, strict=True)
    )


def check_threads(name: str) -> bool:
    """Tell whether an operator gives the same bits serially and in parallel."""
    setting = given_settings(name, {})[0]
    tensors = [np.tile(array, PARALLEL_FROM) for array in _example(setting, FLOAT32.numpy)]
    parallel = setting.results(None, tensors)
    with num_threads(1):
        serial = setting.results(None, tensors)
    return all(a.tobytes() == b.tobytes() for a, b in zip(parallel, serial, strict=True))


def _example(setting: Setting, dtype: np.dtype[Any]) -> list[NDArray[Any]]:
    low, high = setting.operator.interval
    data = (low + (high - low) * np.array(_PLACES)).astype(dtype)
    tensors = setting.tensors(data, np.array(_GRADIENTS, dtype))
    if setting.operator.per_channel:
        tensors[2] = np.ascontiguousarray(np.broadcast_to(tensors[2][:, :1], data.shape))
    return tensors


def threads() -> dict[str, Any]:
    layer, count = None, None
    with suppress(ValueError):  # no layer can be loaded, or nothing has run in parallel
        count = start_threads()
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


def tools() -> list[dict[str, str | None]]:
    """Return what programs in C and C++ need: where it is, or what to do about it."""
    finders: dict[str, Callable[[], str]] = {
        "C compiler": lambda: shlex.join(compiler("CC")),
        "C++ compiler": lambda: shlex.join(compiler("CXX")),
        "shared libpython": lambda: str(find_libpython()),
    }
    rows: list[dict[str, str | None]] = []
    for name, find in finders.items():
        try:
            rows.append({"name": name, "found": find(), "problem": None})
        except OptionError as error:
            rows.append({"name": name, "found": None, "problem": error.problem})
    return rows


def extras() -> dict[str, dict[str, Any]]:
    """Return the optional libraries by extra, and the command that installs missing ones."""
    libraries = {name: installed_libraries(name) for name in _EXTRAS}
    return {
        name: {
            "libraries": found,
            "install": None if all(found.values()) else install_command(name),
        }
        for name, found in libraries.items()
    }


def show(report: dict[str, Any]) -> None:
    console = Console()
    console.print("all checks hold" if report["ok"] else "a check FAILS")
    headings = ("operator", "exact in F16, BF16, F32", "serial = parallel")
    checks = Table(*[Column(name, overflow="fold") for name in headings])
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
    settings = Table.grid(padding=(0, 2))
    settings.add_column(no_wrap=True)
    settings.add_column(overflow="fold")
    for name, text in _settings(report):
        settings.add_row(name, escape(text))
    console.print(checks, settings, sep="\n")


def _settings(report: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what the report says about this machine: names and texts."""
    chip, pool, cache = report["processor"], report["threads"], report["cache"]
    yield from report["versions"].items()
    yield "processor", f"{chip['name']} ({chip['llvm']}), {chip['cores']} cores"
    yield (
        "threads",
        f"{pool['count']}, layer {pool['layer']} (available: {', '.join(pool['available'])};"
        f" setting: {pool['asked_for']})",
    )
    cannot = "" if cache["writable"] else " (cannot be written)"
    yield "kernel cache", f"{cache['folder'] or 'none'}{cannot}"
    for row in report["tools"]:
        yield row["name"], row["found"] or f"missing: {row['problem']}"
    for name, extra in report["extras"].items():
        libraries = [f"{key} {number or 'missing'}" for key, number in extra["libraries"].items()]
        yield (
            f"extra {name}",
            ", ".join(libraries) + (f": {extra['install']}" if extra["install"] else ""),
        )
