"""``ascendref check``: a program with all its devices checked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..core.output_files import output_file
from ..device.check_output import FOLDER, MODE
from ..device.checker.hazards import Site
from .check_page import page
from .console import print_error, print_json
from .outputs import check_writable, report_write_errors
from .programs import check_program, starting


def check(program: Path, arguments: list[str], page_file: Path | None, as_json: bool) -> bool:
    """Run a program, print what its devices found, and tell whether all was well."""
    command = [*_command(program), *arguments]
    if page_file is not None:
        check_writable("--html", page_file)
    with TemporaryDirectory(prefix="ascendref-check-") as folder:
        environment = {**os.environ, MODE: "report", FOLDER: folder}
        # what the program prints must not mix with JSON
        stdout = sys.stderr if as_json else None
        with starting("PROGRAM"):
            status = subprocess.run(command, env=environment, stdout=stdout, check=False).returncode
        devices = [
            device
            for file in sorted(Path(folder).glob("*.json"))
            for device in json.loads(file.read_text(encoding="utf-8"))
        ]
    hazards = _once([hazard for device in devices for hazard in device["hazards"]])
    if page_file is not None:
        text = page([str(program), *arguments], devices)
        with report_write_errors("--html", page_file), output_file(page_file) as file:
            file.write(text.encode(errors="backslashreplace"))
    if as_json:
        print_json({"program": str(program), "status": status, "hazards": hazards})
    else:
        show(hazards, len(devices))
    if status:
        print_error(f"{program} ended with exit status {status}")
    return not (hazards or status)


def _command(program: Path) -> list[str]:
    if program.suffix == ".py":
        check_program("PROGRAM", program)
        return [sys.executable, str(program)]
    check_program("PROGRAM", program, executable=True)
    return [str(program.absolute())]


def _once(hazards: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return hazards without those that another device or process repeats."""
    found: dict[object, dict[str, Any]] = {}
    for hazard in hazards:
        sites = [site for site in (hazard["first"], hazard["second"]) if site is not None]
        places = [(x["call"], x["file"], x["line"], str(x["callers"])) for x in sites]
        found.setdefault((hazard["kind"], *places), hazard)
    return list(found.values())


def show(hazards: list[dict[str, Any]], devices: int) -> None:
    """Print a table of hazards."""
    if hazards:
        table = Table(show_lines=True)
        for column in ("kind", "first", "second", "remedy"):
            table.add_column(column, overflow="fold")
        for hazard in hazards:
            cells = [hazard["kind"], *map(_place, (hazard["first"], hazard["second"]))]
            # brackets in names are no markup
            table.add_row(*[Text(cell) for cell in (*cells, hazard["missing"])])
        Console().print(table)
    count = f"{len(hazards)} hazard{'' if len(hazards) == 1 else 's'}"
    print(f"{count} on {devices} device{'' if devices == 1 else 's'}")


def _place(site: dict[str, Any] | None) -> str:
    if site is None:
        return ""
    found = Site(**site)
    lines = [f"{found.call} on {found.where}"]
    if found.byte_range is not None:
        first, after_last = found.byte_range
        lines.append(f"{found.tensor} ({first:#x} to {after_last - 1:#x})")
    lines.append(found._replace(file=_shown(found.file)).place)
    lines += [f"from {_shown(file)}:{line}" for file, line in found.callers]
    return "\n".join(lines)


def _shown(file: str) -> str:
    """Return the path of a source file as it is seen from here."""
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file
