"""``ascendref check``: a program with all its devices checked."""

import json
import os
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.text import Text

from ..core.output_files import is_stdout, output_file
from ..core.tracebacks import SHORT, VARIABLE
from ..device.check_output import FOLDER, MODE
from ..device.checker.hazards import Site
from . import timeline
from .console import BAD_CALL, DIFFERENCE, print_error, print_json, print_row, wrapped
from .outputs import check_writable, keep_stdout_for, print_written, report_write_errors
from .page import page
from .programs import check_program, starting


def check(
    program: Path, arguments: list[str], page_file: Path | None, as_json: bool, traceback: bool
) -> int:
    """Run a program, print what its devices found, and return the exit status."""
    command = [*_command(program), *arguments]
    if page_file is not None:
        check_writable("--html", page_file)
    with TemporaryDirectory(prefix="ascendref-check-") as folder:
        environment = {**os.environ, MODE: "report", FOLDER: folder}
        if not traceback:
            environment[VARIABLE] = SHORT
        # the program's output must not mix with JSON or with the page
        page_on_stdout = page_file is not None and is_stdout(page_file)
        stdout = sys.stderr if as_json or page_on_stdout else None
        with starting("PROGRAM"):
            status = subprocess.run(command, env=environment, stdout=stdout, check=False).returncode
        texts = [file.read_text(encoding="utf-8") for file in sorted(Path(folder).glob("*.json"))]
    devices = [device for text in texts if text for device in json.loads(text)]
    hazards = _once([hazard for device in devices for hazard in device["hazards"]])
    if page_file is not None:
        text = hazard_page([str(program), *arguments], devices)
        with report_write_errors("--html", page_file), output_file(page_file) as file:
            file.write(text.encode(errors="backslashreplace"))
        print_written(page_file)
    with keep_stdout_for(page_file):
        if as_json:
            report = {"program": str(program), "status": status, "devices": len(devices)}
            print_json(report | {"hazards": hazards})
        elif devices:
            show(hazards, len(devices))
    if status:
        end = f"exited with status {status}" if status > 0 else f"was killed by signal {-status}"
        print_error(f"{program} {end}")
    lost = texts.count("")
    if lost:
        ends = "ended without exit functions (_exit, exec, a signal)"
        print_error(f"{_counted(lost, 'process')} {ends}: hazards are unknown")
    if hazards or status or lost:
        return DIFFERENCE
    if not devices:
        print_error(f"{program} used no device: nothing was checked")
        return BAD_CALL
    return 0


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
    """Print how many hazards there are, then a block for each."""
    print(summary(hazards, devices))
    console = Console()
    for hazard in hazards:
        title = Text(wrapped(f"{hazard['kind']}: {hazard['problem']}", console.width, "", "  "))
        title.stylize("bold red", 0, len(hazard["kind"]))
        console.print("", title, sep="\n", soft_wrap=True)
        for name in ("first", "second"):
            if hazard[name] is not None:
                print_row(console, name, _place_lines(hazard[name]))
        print_row(console, "fix", [hazard["missing"]])


def _place_lines(site: dict[str, Any]) -> list[str]:
    """Return the operation of a hazard, its bytes and its lines of source, each on a line."""
    found = Site(**site)
    lines = [f"{found.call} on {found.where}"]
    if found.byte_range is not None:
        first, after_last = found.byte_range
        lines.append(f"{found.tensor}, bytes {first:#x} to {after_last - 1:#x}")
    lines.append(found._replace(file=_shown(found.file)).place)
    return lines + [f"called from {_shown(file)}:{line}" for file, line in found.callers]


def _shown(file: str) -> str:
    """Return the path of a source file, relative to the current folder if it is in there."""
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file


def hazard_page(command: Sequence[str], devices: list[dict[str, Any]]) -> str:
    """Return the page of what the devices of a program found (`device.check_output`)."""
    found = [(device, hazard) for device in devices for hazard in device["hazards"]]
    parts = [
        f"<p>{summary([hazard for _, hazard in found], len(devices))}</p>",
        *[_section(device, hazard) for device, hazard in found],
    ]
    return page(f"ascendref check {shlex.join(command)}", parts)


def summary(hazards: Sequence[dict[str, Any]], devices: int) -> str:
    """Return how many hazards of which kinds were found on how many devices."""
    if not devices:
        return "no device was used: nothing was checked"
    kinds = Counter(hazard["kind"] for hazard in hazards)
    of_kinds = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    text = f"{_counted(len(hazards), 'hazard')} on {_counted(devices, 'device')}"
    return f"{text}: {of_kinds}" if hazards else text


def _counted(number: int, noun: str) -> str:
    plural = "es" if noun.endswith("s") else "s"
    return f"{number} {noun}{'' if number == 1 else plural}"


def _section(device: dict[str, Any], hazard: dict[str, Any]) -> str:
    sites = [(name, hazard[name]) for name in ("first", "second") if hazard[name] is not None]
    places = "".join(f"<li>{name}: {escape(str(Site(**site)))}</li>" for name, site in sites)
    picture = timeline.svg([("", timeline.draw(device["tasks"], hazard))])
    name = escape(device["device"].strip("<>"))
    return (
        f'<h2><span class="kind">{hazard["kind"]}</span> on {name}</h2>'
        f"<p>{escape(hazard['problem'])}</p><ul>{places}</ul>"
        f"<p>Fix: {escape(hazard['missing'])}</p>"
        f'<div class="picture">{picture}</div>'
    )
