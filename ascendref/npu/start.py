"""Start: loads the libraries, sets variables, imports torch_npu and replaces its kernels."""

from __future__ import annotations

import atexit
import ctypes
import os
import sys
from typing import TYPE_CHECKING, Any, Final

from ..core.errors import ArgumentError, ArgumentValueError
from ..core.extras import install_command
from ..core.tracebacks import shorten_tracebacks
from .root import LIBRARY, NAMES, install

if TYPE_CHECKING:
    from .compiled import CompiledFallback

#: the version of CANN that torch-npu 2.13 is for
_CANN_VERSION: Final = "9.1.0"
#: objects that live as long as the process
_kept: Final[list[Any]] = []


def start() -> None:
    """Start torch_npu in this process, once."""
    if _kept:
        return
    if "torch_npu" in sys.modules:
        raise ArgumentValueError(
            "ascendref.npu", "was imported after torch_npu; import it first, before torch as well"
        )
    shorten_tracebacks()
    fallback = os.environ.get("ASCENDREF_NPU_FALLBACK") or "1"
    if fallback not in ("0", "1"):
        raise ArgumentValueError("ASCENDREF_NPU_FALLBACK", f"is {fallback!r}; it must be 0 or 1")
    # a device for each process that torchrun starts, unless the program's user sets some
    if not os.environ.get("ASCENDREF_DEVICES"):
        os.environ["ASCENDREF_DEVICES"] = os.environ.get("LOCAL_WORLD_SIZE", "")
    os.environ["ASCENDREF_CANN_VERSION"] = os.environ.get("ASCENDREF_CANN_VERSION") or _CANN_VERSION
    root = install()
    os.environ["ASCEND_HOME_PATH"] = str(root)
    os.environ["ASCEND_OPP_PATH"] = str(root / "opp")
    for name in (LIBRARY, *NAMES):
        _kept.append(ctypes.CDLL(str(root / "lib64" / name), mode=ctypes.RTLD_GLOBAL))
    _import_torch_npu()
    from ..cann.runtime.process import process
    from ..device.checker.callers import add_package
    from .casts import CASTS, register_casts
    from .hccl.padding import register_gather
    from .operators.formulas import FORMULAS
    from .operators.registration import register_formulas
    from .profiler import replace_profilers
    from .quantized import register_quantized
    from .refusals import refuse_collectives, refuse_functions, register_refusals
    from .registration import register
    from .report import write_report
    from .transforms import register_batches, register_derivatives

    _keep_threads_awake()
    process.finds_leaks = False  # torch_npu keeps memory for reuse
    process.forgets_failures = True
    for name in ("torch", "torch_npu"):
        add_package(os.path.dirname(sys.modules[name].__file__ or ""))
    has_fallback = fallback == "1"
    _kept.append(register(_compiled() if has_fallback else None))
    _kept.append(register_refusals(CASTS.keys() | FORMULAS.keys()))
    _kept.append(register_casts())
    _kept.append(register_quantized())
    _kept.extend(register_formulas())
    if has_fallback:
        _kept.extend([register_batches(), register_derivatives(), register_gather()])
    else:
        _kept.extend(refuse_collectives())
    refuse_functions()
    replace_profilers()
    _switch_task_queue_off()
    _wait_without_lock()
    report = os.environ.get("ASCENDREF_NPU_REPORT")
    if report:
        atexit.register(write_report, report)


def _keep_threads_awake() -> None:
    """Choose the threads, before the first kernel, so that PyTorch's stay awake between its loops.

    GNU OpenMP counts the threads of every thread's loops together. Once there are more than
    processors, it lets them sleep as soon as a loop ends, and each loop of PyTorch begins with
    waking them: the steps of a small network take up to twice as long. Therefore the backward pass
    runs on the thread that calls it, as on the CPU, and kernels of ascendref run in TBB's threads.
    """
    import torch

    from ..kernels.runtime.threading_layer import load_tbb

    torch.autograd.set_multithreading_enabled(False)
    load_tbb()


def _compiled() -> CompiledFallback:
    """Return the fallback's kernel, compiling it if necessary."""
    from .compiled import CompiledFallback, compiled_fallback
    from .report import more_calls

    compiled = CompiledFallback(compiled_fallback())
    more_calls.append(compiled.calls)
    return compiled


def _import_torch_npu() -> None:
    try:
        import torch_npu  # noqa: F401
    except ImportError as error:
        raise ArgumentError(
            "torch_npu",
            f"cannot be imported: {error}; install torch and torch-npu of the same version"
            f" ({install_command('npu')})",
        ) from error


def _switch_task_queue_off() -> None:
    """Make torch_npu launch on the calling thread, whatever the program sets.

    The task queue is a thread of torch_npu that calls the C library and needs the GIL for it. A
    fallback kernel would hold the GIL while waiting for that thread: a deadlock. torch_npu reads
    the setting when it initializes the device.
    """
    import torch_npu

    initialize = torch_npu._C._npu_init

    def without_task_queue() -> None:
        os.environ["TASK_QUEUE_ENABLE"] = "0"
        initialize()

    torch_npu._C._npu_init = without_task_queue


def _wait_without_lock() -> None:
    """Have threads wait for mutexes without the interpreter's lock, which others may need."""
    library = ctypes.CDLL(LIBRARY)
    for part_of_path in (b"torch_npu", b"libtorch_python", b"libfallback"):
        if library.ascendref_wait_without_lock(part_of_path):
            problem = "cannot be changed in memory, which the system does not allow"
            raise ArgumentError("torch_npu", problem)
