"""Reports: tables for a terminal and for Markdown, versions, figures, and writing the file."""

import datetime
import importlib.metadata
import os
import platform
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import llvmlite.binding
import rich.table
from rich.text import Text

from ..core.markdown import table
from ..core.output_files import output_file
from .outputs import print_written, report_write_errors


class Table(NamedTuple):
    """A table of a report; what is between ``**`` is bold in Markdown, and red in a terminal."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    #: what stands above it in a report
    note: str = ""

    def lines(self) -> Iterator[str]:
        """Yield the lines of its section in Markdown."""
        yield from ("", f"## {self.title}", "")
        if self.note:
            yield from (self.note, "")
        yield from table(self.headings, self.rows)

    def in_terminal(self, *hidden: str) -> rich.table.Table:
        """Return it for a terminal, without columns that there is no room for."""
        shown = [k for k, name in enumerate(self.headings) if name not in hidden]
        # names that differ at their end alone are continued on the next line, not cut
        headings = [rich.table.Column(self.headings[k], overflow="fold") for k in shown]
        made = rich.table.Table(*headings, title=self.title or None, title_justify="left")
        for row in self.rows:
            made.add_row(*[_text(row[k]) for k in shown])
        return made


def _text(cell: str) -> Text:
    parts = cell.split("**")
    return Text.assemble(*[(part, "bold red" if k % 2 else "") for k, part in enumerate(parts)])


def write_report(path: Path, lines: Iterable[str]) -> None:
    text = "\n".join(lines) + "\n"
    with report_write_errors("--report", path), output_file(path) as file:
        file.write(text.encode())
    print_written(path)


def command_text(command: str, *words: str, **options: Any) -> str:
    """Return a command for a shell, with more words and the options that are given."""
    found = [*words]
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            found.append(option)
        elif isinstance(value, tuple):
            found += [word for one in value for word in (option, str(one))]
        elif value is not None and value is not False:
            found += [option, str(value)]
    return " ".join([command, *map(shlex.quote, found)])


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
