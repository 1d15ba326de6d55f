"""Output files named on the command line: checks before any work, errors, where messages go."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..core.errors import OptionError
from ..core.extras import install_command
from ..core.output_files import check_output, is_special, is_stdout

if TYPE_CHECKING:
    from ..verify.figures.panels import Panel

#: characters of another library's message that are repeated; some quote the whole file
_REASON: Final = 300


def check_writable(argument: str, path: Path) -> None:
    """Raise OptionError if a file cannot be written, as far as that shows by now."""
    with report_write_errors(argument, path):
        check_output(path)


def print_written(path: Path) -> None:
    """Say on stderr that a file was written; what is written into a pipe or device is seen."""
    if not is_special(path):
        print(f"written to {named(path)}", file=sys.stderr)


@contextmanager
def report_write_errors(argument: str, path: Path) -> Iterator[None]:
    """Turn what goes wrong while a file is being written into an error about the argument."""
    try:
        yield
    except OSError as error:
        raise OptionError(argument, f"cannot write {named(path)}: {reason(error)}") from error


def named(path: Path) -> str:
    """Return a path as it is printed, on one line whatever it holds."""
    return str(path) if str(path).isprintable() else repr(str(path))


def reason(error: BaseException) -> str:
    """Return what an error of the system or of a library says, in one short line."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return textwrap.shorten(str(error) or type(error).__name__, _REASON, placeholder=" …")


def check_outputs(plot: Path | None, report: Path | None = None) -> None:
    """Raise OptionError if a figure or a report cannot be written, before any work is done."""
    if report is not None:
        check_writable("--report", report)
    if plot is None:
        return
    from ..verify.figures.panels import check_format

    check_writable("--plot", plot)
    try:
        check_format(plot)
    except ValueError as error:
        raise OptionError("--plot", str(error)) from None
    except ModuleNotFoundError as error:
        needed = f"needs {error.name}: {install_command('plot')}"
        raise OptionError("--plot", needed) from None


def write_figure(path: Path, rows: Sequence[Sequence[Panel]]) -> None:
    from ..verify.figures.panels import draw

    with report_write_errors("--plot", path):
        draw(rows, path)
    print_written(path)


def check_different(plot: Path | None, report: Path | None, state: Path | None = None) -> None:
    """Raise OptionError if one file is named for several outputs, and would have the last alone."""
    found: dict[Path, str] = {}
    for option, path in {"--plot": plot, "--report": report, "--state": state}.items():
        if path is not None and not is_special(path):
            first = found.setdefault(path.resolve(), option)
            if first != option:
                raise OptionError(option, f"{named(path)} is the file for {first} already")


def keep_stdout_for(*outputs: Path | None) -> AbstractContextManager[object]:
    """Print to stderr for a while if an output is sent to where stdout goes."""
    if any(output is not None and is_stdout(output) for output in outputs):
        return redirect_stdout(sys.stderr)
    return nullcontext()
