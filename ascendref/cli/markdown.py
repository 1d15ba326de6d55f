"""Markdown reports: origin, figures, tables, and writing the file."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..core.output_files import output_file
from .machine import processor, versions
from .outputs import check_writable, report_write_errors


def check_report(path: Path | None) -> None:
    """Raise OptionError if a report cannot be written, before any work is done."""
    if path is not None:
        check_writable("--report", path)


def write_report(path: Path, lines: Iterable[str]) -> None:
    """Write the lines of a report."""
    text = "\n".join(lines) + "\n"
    with report_write_errors("--report", path), output_file(path) as file:
        file.write(text.encode())


def full_command(command: str, path: Path, plot: Path | None) -> str:
    """Return the command that writes a report again, and its figure."""
    return f"{command} --report {path}" + (f" --plot {plot}" if plot else "")


def origin(*packages: str) -> Iterator[str]:
    """Yield a list: the date, the versions, those of more packages too, and the machine."""
    today = datetime.datetime.now(datetime.UTC).date()
    yield from origin_of(today.isoformat(), versions(*packages), processor())


def origin_of(day: str, packages: dict[str, str], chip: dict[str, Any]) -> Iterator[str]:
    """Yield such a list of a day as in ISO 8601, of versions and of a processor."""
    yield f"- {datetime.date.fromisoformat(day):%d %B %Y}"
    yield "- " + ", ".join(f"{name} {version}" for name, version in packages.items())
    yield f"- {chip['name']} ({chip['llvm']}), {chip['cores']} cores"


def figure(text: str, path: Path, plot: Path | None) -> Iterator[str]:
    """Yield the link to the figure of a report, if there is one."""
    if plot is not None:
        yield from ("", f"![{text}]({Path(os.path.relpath(plot, path.parent)).as_posix()})")


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table.

    Examples
    --------
    >>> from ascendref.cli.markdown import table
    >>> print("\\n".join(table(("operator", "stated"), [("softplus", "1 ulp + |z|")])))
    | operator | stated |
    |---|---|
    | softplus | 1 ulp + \\|z\\| |
    """
    yield f"| {' | '.join(headings)} |"
    yield "|---" * len(headings) + "|"
    for row in rows:
        cells = [cell.replace("|", "\\|") for cell in row]  # what a cell holds must not end it
        yield f"| {' | '.join(cells)} |"
