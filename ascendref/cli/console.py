"""What all commands print in the same way: errors, JSON, progress bars; and exit statuses."""

import json
import math
import signal
import sys
import textwrap
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final, TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

Item = TypeVar("Item")
Result = TypeVar("Result")

#: exit status of a command that found a difference
DIFFERENCE: Final = 1
#: exit status of a bad call
BAD_CALL: Final = 2
#: exit status after Ctrl-C, as shells have it
INTERRUPTED: Final = 130
#: exit status when the reader of standard output has gone, as shells have it
BROKEN_PIPE: Final = 141


def print_error(message: object) -> None:
    """Print one line about a bad call, whatever the message quotes."""
    text = "".join(
        char if char.isprintable() else f"\\x{ord(char):02x}"
        for char in " ".join(str(message).split())
    )
    print("ascendref:", text, file=sys.stderr)


@contextmanager
def interruptible() -> Iterator[threading.Event]:
    """Let the first Ctrl-C set an event instead of raising; a second one raises."""
    stop = threading.Event()

    def ask(number: int, frame: FrameType | None) -> None:
        stop.set()
        signal.signal(signal.SIGINT, before)

    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, ask)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def run_steps(
    items: Sequence[Item],
    step: Callable[[Item], Result],
    names: str,
    describe: Callable[[Item], str],
    *,
    timed: bool = False,
) -> list[Result]:
    """Return the results of all steps, or until Ctrl-C; no thread redraws beside timed ones."""
    results = []
    with progress(thread=not timed, long=timed) as bar, interruptible() as stop:
        task = bar.add_task("", total=len(items))
        for item in items:
            bar.update(task, description=describe(item), refresh=True)
            results.append(step(item))
            bar.advance(task)
            if stop.is_set():
                break
    if len(results) < len(items):
        print_error(f"interrupted after {len(results):,} of {len(items):,} {names}")
    return results


def json_number(number: float) -> float | str:
    """Return a number for JSON, which has none for NaN and infinities: they become text."""
    return number if math.isfinite(number) else str(number)


def print_json(value: Mapping[str, Any] | list[Any]) -> None:
    """Print a value for programs; NaN and infinities are not JSON and are refused."""
    print(json_text(value))


def json_text(value: Mapping[str, Any] | list[Any]) -> str:
    """Return JSON with a line for each entry, and for each row of a list of rows."""
    if isinstance(value, Mapping):
        entries = [f"{json.dumps(key)}: {_rows(entry)}" for key, entry in value.items()]
        return "\n".join(["{", ",\n".join(entries), "}"])
    return _rows(value)


def _rows(value: Any) -> str:
    """Return JSON in one line, or one for each row of a list of rows."""
    if isinstance(value, list) and any(isinstance(row, Mapping) for row in value):
        return "\n".join(["[", ",\n".join(json.dumps(r, allow_nan=False) for r in value), "]"])
    return json.dumps(value, allow_nan=False)


def print_row(console: Console, name: str, lines: Iterable[str], *, indent: int = 10) -> None:
    """Print lines of text to the right of a name."""
    for line in lines:
        text = wrapped(line, console.width, f"  {name:{indent - 2}}", " " * indent)
        console.print(Text(text), soft_wrap=True)
        name = ""


def wrapped(text: str, width: int, first: str, later: str) -> str:
    """Return text in lines of a width; words, addresses and paths stay whole."""
    return textwrap.fill(
        text,
        width,
        initial_indent=first,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )


def progress(*, thread: bool = True, long: bool = False) -> Progress:
    """Return a progress bar on stderr, which pipes do not show; a long one shows the time left."""
    steps = (TaskProgressColumn(), TimeRemainingColumn()) if long else (MofNCompleteColumn(),)
    columns = TextColumn("{task.description}"), BarColumn(), *steps, TimeElapsedColumn()
    console = Console(stderr=True)
    hidden = not console.is_terminal
    return Progress(*columns, console=console, transient=True, auto_refresh=thread, disable=hidden)
