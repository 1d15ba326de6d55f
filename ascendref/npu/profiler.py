"""torch_npu's profiler: PyTorch's own profiler for the CPU, and the timelines of the devices.

torch_npu would have a library of CANN collect data, and a program of CANN parse them. Here the
recorded trace is a file in the format of Chrome, in the folder that torch_npu makes for the data.
"""

import json
import shutil
import warnings
from collections.abc import Container, Iterator
from pathlib import Path
from time import perf_counter_ns, time_ns
from typing import Any, Final, NamedTuple

import torch

from ..cann.runtime.process import process
from ..core.output_files import output_file
from ..device.device import Device
from ..device.scheduling.task import State
from ..device.trace import Trace
from .refusals import refusal

#: the recorded trace, and what is made of it, in the folder of a recording
_RECORDED: Final = "trace.json"
_OUTPUT: Final = "ASCEND_PROFILER_OUTPUT/trace_view.json"
#: Perfetto's numbers for devices begin above those of processes
_DEVICES: Final = 1_000_000_000


class Settings(NamedTuple):
    """The arguments of torch_npu's ``NpuProfilerConfig``."""

    folder: str
    record_shapes: bool
    profile_memory: bool
    with_stack: bool
    with_flops: bool
    with_modules: bool
    more: object


class Recording:
    """A recording, from the start to the stop of a profiler."""

    def __init__(self, settings: Settings, on_host: bool, on_device: bool) -> None:
        self._path = Path(settings.folder, _RECORDED)
        self._on_device = on_device
        self._host: Any = None
        if on_host:
            self._host = torch.profiler.profile(
                activities=[torch.profiler.ProfilerActivity.CPU],
                record_shapes=settings.record_shapes,
                profile_memory=settings.profile_memory,
                with_stack=settings.with_stack,
                with_flops=settings.with_flops,
                with_modules=settings.with_modules,
            )
            self._host.start()
        self._begin = perf_counter_ns()

    def stop(self) -> None:
        """Write the trace of the CPU, if it was asked for, and add that of the devices."""
        document: dict[str, Any] = {"traceEvents": [], "displayTimeUnit": "ms"}
        if self._host is not None:
            self._host.stop()
            self._host.export_chrome_trace(str(self._path))
            document = json.loads(self._path.read_text())
        # times in the document count from its base, those of the devices from the clock's start
        start_of_clock = time_ns() - perf_counter_ns()
        origin = document.setdefault("baseTimeNanoseconds", start_of_clock) - start_of_clock
        if self._on_device:
            for slot in process.slots:
                if slot.device is not None:
                    document["traceEvents"] += self._events(slot.number, slot.device, origin)
        with output_file(self._path) as file:
            file.write(json.dumps(document).encode())

    def _events(self, number: int, device: Device, origin: int) -> Iterator[dict[str, object]]:
        history = device.scheduler.history
        tasks = [task for task in list(history) if task.started >= self._begin]
        if len(history) == history.maxlen == len(tasks):
            warnings.warn(
                f"the profiler has only the last {len(tasks)} tasks of device {number}; record"
                " fewer steps",
                RuntimeWarning,
                stacklevel=2,
            )
        done = [task for task in dict.fromkeys(tasks) if task.state is State.DONE]
        return Trace(f"NPU {number}: {device.soc_name}", origin, done).events(_DEVICES + number)


class _Profiler:
    """The process's profiler; one runs at a time."""

    recording: Recording | None = None


_profiler: Final = _Profiler()


def _start(settings: Settings, activities: Container[Any]) -> None:
    from torch_npu.profiler import ProfilerActivity

    if _profiler.recording is not None:
        raise RuntimeError("torch_npu.profiler records already; stop the other profiler first")
    _profiler.recording = Recording(
        settings, ProfilerActivity.CPU in activities, ProfilerActivity.NPU in activities
    )


def _stop() -> None:
    recording, _profiler.recording = _profiler.recording, None
    if recording is not None:
        recording.stop()


def _supported() -> set[Any]:
    """Return what PyTorch's profiler can record; of devices it would ask a library of CANN."""
    return {torch.profiler.ProfilerActivity.CPU}


def _supported_with_device() -> set[Any]:
    """Return the same to a profiler that was asked for a device."""
    warnings.warn(
        "torch.profiler does not record the emulated device; torch_npu.profiler does",
        RuntimeWarning,
        stacklevel=2,
    )
    return _supported()


def _nothing(*arguments: Any) -> None:
    """Prepare or end nothing: devices keep their timelines anyway."""


def _write(folder: str, kind: str, output: str | None) -> None:
    """Write the trace of a recording, or of all recordings in a folder, to where it is expected."""
    from torch_npu.profiler.analysis.prof_common_func._constant import Constant

    if kind not in (Constant.TENSORBOARD_TRACE_HANDLER, Constant.EXPORT_CHROME_TRACE):
        refusal(f"torch_npu.profiler ({kind})", "the profiler records timelines only")()
    recorded = [Path(folder, _RECORDED), *Path(folder).glob(f"*_ascend_pt/{_RECORDED}")]
    recorded = [path for path in recorded if path.is_file()]
    if not recorded:
        raise FileNotFoundError(f"{folder} holds no recording of torch_npu.profiler")
    for path in recorded:
        target = Path(output) if output else path.parent / _OUTPUT
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(path, target)


def replace_profilers() -> None:
    """Have torch_npu's profiler record timelines, and PyTorch's the CPU."""
    import torch_npu
    from torch_npu.profiler import profiler_interface
    from torch_npu.profiler.analysis._npu_profiler import NpuProfiler
    from torch_npu.profiler.analysis.prof_common_func._constant import Constant

    # a table of the memory that CANN's modules use, which a library of CANN would write
    torch_npu._C._npu_saveDevMemUsageInfo = lambda device: True
    torch.autograd._supported_activities = _supported
    torch.autograd.profiler._supported_activities = _supported_with_device
    for name, function in (
        ("NpuProfilerConfig", Settings),
        ("_init_profiler", _nothing),
        ("_warmup_profiler", _nothing),
        ("_start_profiler", _start),
        ("_stop_profiler", _stop),
        ("_finalize_profiler", _nothing),
        ("_get_syscnt_enable", bool),  # the device has no clock of its own
    ):
        setattr(profiler_interface, name, function)

    def analyse(
        folder: str,
        analysis_type: str = Constant.TENSORBOARD_TRACE_HANDLER,
        output_path: str | None = None,
        **options: Any,
    ) -> None:
        _write(folder, analysis_type, output_path)

    NpuProfiler.analyse = staticmethod(analyse)
