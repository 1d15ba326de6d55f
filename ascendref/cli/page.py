"""What all pages of results have: who measured what on which machine, a picture, a file."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..core.output_files import output_file
from .doctor import processor, versions
from .files import check_writable, unwritable


def check_page(path: Path | None) -> None:
    """Raise before any work is done if there can be no page."""
    if path is not None:
        check_writable("--report", path)


def write_page(path: Path, lines: Iterable[str]) -> None:
    """Write a page of Markdown."""
    text = "\n".join(lines) + "\n"
    with unwritable("--report", path), output_file(path) as file:
        file.write(text.encode())


def command_line(command: str, path: Path, plot: Path | None) -> str:
    """Return the call that makes a page again."""
    return f"{command} --report {path}" + (f" --plot {plot}" if plot else "")


def origin(*packages: str) -> Iterator[str]:
    """Yield a list: the date, the versions, those of more packages too, and the machine."""
    chip = processor()
    yield f"- {datetime.datetime.now(datetime.UTC):%d %B %Y}"
    yield "- " + ", ".join(f"{name} {version}" for name, version in versions(*packages).items())
    yield f"- {chip['name']} ({chip['llvm']}), {chip['cores']} cores"


def picture(text: str, path: Path, plot: Path | None) -> Iterator[str]:
    """Yield the picture of a page, if there is one."""
    if plot is not None:
        yield from ("", f"![{text}]({Path(os.path.relpath(plot, path.parent)).as_posix()})")
