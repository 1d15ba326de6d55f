"""Timelines: which tasks a device ran and when, as a table, a plot or a Perfetto file."""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ..core.output_files import output_file
from ..core.status import Status
from .scheduling.task import Task


class TraceRow(NamedTuple):
    """One task; times in milliseconds since its device was created."""

    #: number of its stream
    stream: int
    #: kernel, host, callback, notice, record or wait
    kind: str
    #: its label
    label: str
    #: when it was queued
    submitted: float
    #: when it started
    started: float
    #: when it ended
    ended: float
    #: its status
    status: Status
    #: for a wait: stream of the record that it waited for, and when that record started
    after: tuple[int, float] | None


class Trace:
    """The most recently finished tasks of a device, in the order in which they ended.

    Returned by `Device.trace`; it does not change when more work finishes.

    Attributes
    ----------
    rows : tuple of TraceRow
        The tasks.

    Examples
    --------
    >>> dev = ar.Device("Atlas A2")
    >>> memory = dev.malloc(16)
    >>> dev.memset_async(memory, 0)
    >>> dev.synchronize()
    >>> [row.label for row in dev.trace().rows]
    ['memset_async']
    """

    def __init__(self, name: str, origin: int, tasks: Iterable[Task]) -> None:
        def row(task: Task) -> TraceRow:
            times = (task.submitted, task.started, task.ended)
            submitted, started, ended = [(time - origin) / 1e6 for time in times]
            after, record = None, task.after
            if record is not None and record.started:
                after = record.stream.number, (record.started - origin) / 1e6
            kind = task.kind.name.lower()
            return TraceRow(
                task.stream.number, kind, task.label, submitted, started, ended, task.status, after
            )

        self.name = name
        self.rows = tuple(map(row, tasks))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[TraceRow]:
        return iter(self.rows)

    def table(self) -> str:
        """Return the tasks as a table in plain text, times in milliseconds.

        Examples
        --------
        >>> dev = ar.Device("Atlas A2")
        >>> dev.create_event().record()
        >>> dev.synchronize()
        >>> dev.trace().table().splitlines()[0].split()
        ['stream', 'label', 'submitted', 'started', 'ended', 'status']
        """
        width = max([len("label"), *[len(row.label) for row in self.rows]])
        lines = [f"stream  {'label':{width}}   submitted     started       ended  status"]
        for row in self.rows:
            status = "ok" if row.status is Status.ACL_SUCCESS else row.status.name
            times = "  ".join(f"{x:10.3f}" for x in (row.submitted, row.started, row.ended))
            lines.append(f"{row.stream:6}  {row.label:{width}}  {times}  {status}")
        return "\n".join(lines)

    def to_chrome(self, path: str | os.PathLike[str]) -> None:
        """Write the tasks as JSON for Perfetto (ui.perfetto.dev) or chrome://tracing.

        One row per stream, one slice per task, and an arrow from each record to its waits.

        Parameters
        ----------
        path : path
            The file to write. A regular file is replaced; a FIFO or device is written into.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ar.Device("Atlas A2").trace().to_chrome(pathlib.Path(folder, "trace.json"))
        """
        write_chrome(path, [self])

    def events(self, process: int) -> Iterator[dict[str, object]]:
        """Yield the tasks as events of one Perfetto process."""
        common: dict[str, object] = {"pid": process}
        names = [("process_name", 0, self.name)]
        streams = sorted({row.stream for row in self.rows})
        names += [("thread_name", stream, f"stream {stream}") for stream in streams]
        for what, thread, name in names:
            yield {**common, "ph": "M", "name": what, "tid": thread, "args": {"name": name}}
        for number, row in enumerate(self.rows):
            yield {
                **common,
                "ph": "X",
                "name": row.label,
                "cat": row.kind,
                "tid": row.stream,
                "ts": row.started * 1e3,
                "dur": (row.ended - row.started) * 1e3,
                "args": {"submitted_us": row.submitted * 1e3, "status": row.status.name},
            }
            if row.after is not None:
                arrow = {**common, "name": "event", "cat": "event", "id": f"{process}.{number}"}
                stream, started = row.after
                yield {**arrow, "ph": "s", "tid": stream, "ts": started * 1e3}
                yield {**arrow, "ph": "f", "bp": "e", "tid": row.stream, "ts": row.started * 1e3}

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Draw the tasks as a timeline, one row per stream; arrows lead from records to waits.

        Needs matplotlib (extra ``plot``).

        Parameters
        ----------
        path : path
            The image file to write, replaced if it exists. The suffix sets the format (``.png``,
            ``.svg``, ``.pdf``).

        Examples
        --------
        >>> import tempfile, pathlib
        >>> dev = ar.Device("Atlas A2")
        >>> dev.memset(dev.malloc(16), 0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     dev.trace().plot(pathlib.Path(folder, "trace.png"))
        """
        from matplotlib.figure import Figure

        streams = sorted({row.stream for row in self.rows})
        place = {stream: number for number, stream in enumerate(streams)}
        work = [row for row in self.rows if row.kind not in ("record", "wait")]
        labels = list(dict.fromkeys(row.label for row in work))
        begin = min((row.started for row in self.rows), default=0.0)
        figure = Figure(figsize=(10, 1.4 + 0.6 * len(streams)), layout="constrained")
        axes = figure.subplots()
        for number, label in enumerate(labels):
            rows = [row for row in work if row.label == label]
            axes.barh(
                [place[row.stream] for row in rows],
                [row.ended - row.started for row in rows],
                left=[row.started - begin for row in rows],
                height=0.7,
                label=label,
                color=f"C{number % 10}",
                edgecolor="white",
                linewidth=0.5,
            )
        for row in self.rows:
            if row.after is not None and row.after[0] in place and row.after[0] != row.stream:
                stream, recorded = row.after
                axes.annotate(
                    "",
                    xy=(row.ended - begin, place[row.stream]),
                    xytext=(recorded - begin, place[stream]),
                    arrowprops={"arrowstyle": "->", "color": "0.35", "linewidth": 0.8},
                )
        axes.set_yticks(range(len(streams)), [f"stream {stream}" for stream in streams])
        axes.invert_yaxis()
        axes.set_xlabel("ms")
        axes.set_title(self.name, loc="left", fontsize="medium")
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        if labels:
            figure.legend(loc="outside upper right", ncols=min(5, len(labels)), frameon=False)
        with output_file(Path(path)) as file:
            figure.savefig(file, format=Path(path).suffix[1:] or "png", dpi=150)


def write_chrome(path: str | os.PathLike[str], traces: Iterable[Trace]) -> None:
    """Write the timelines of several devices as JSON for Perfetto or chrome://tracing."""
    events = [event for number, trace in enumerate(traces, 1) for event in trace.events(number)]
    document = {"traceEvents": events, "displayTimeUnit": "ms"}
    with output_file(Path(path)) as file:
        file.write(json.dumps(document, indent=1).encode())
