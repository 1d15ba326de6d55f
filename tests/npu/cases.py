"""The programs for torch_npu: run one, and write the table of docs/torch-npu.md.

``python -m tests.npu.cases`` runs all and prints the table; ``--write`` puts it into the page.
"""

import ast
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from ascendref.core.markdown import table

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "torch-npu.md"
PROGRAMS = sorted(Path(__file__).with_name("programs").glob("*.py"))
REFUSED = sorted(Path(__file__).with_name("refused").glob("*.py"))
#: seconds after which a program counts as hanging
HANG = 240
_TABLE = re.compile(r"(<!-- cases -->\n).*?(<!-- end -->)", re.DOTALL)


class Outcome(NamedTuple):
    """How a program went."""

    status: int
    out: str
    errors: str
    #: how often operators ran, by place and name
    counts: dict[str, dict[str, int]]


def run(program: Path, *options: str, **environment: str) -> Outcome:
    """Run a program by ``ascendref npu``, on two devices."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        done = subprocess.run(
            [sys.executable, "-m", "ascendref", "npu", "--report-file", report, *options, program],
            cwd=folder,  # a profiler leaves files
            env=os.environ | {"ASCENDREF_DEVICES": "2"} | environment,
            capture_output=True,
            text=True,
            timeout=HANG,
        )
        counts = json.loads(report.read_text()) if report.is_file() else {}
    return Outcome(done.returncode, done.stdout, done.stderr, counts)


def described(program: Path) -> list[str]:
    """Return the parts of a program's docstring: what it tries, then what it is refused with."""
    return (ast.get_docstring(ast.parse(program.read_text())) or "").split("\n\n")


def row(program: Path) -> tuple[str, ...]:
    """Run a program and return its row of the table."""
    what, *refused = described(program)
    outcome = run(program)
    if refused:
        how = (
            f"refused: {refused[0]}" if refused[0] in outcome.out + outcome.errors else "unexpected"
        )
    else:
        how = "runs" if outcome.status == 0 else "fails"
    emulated, fallback = (
        sum(outcome.counts.get(place, {}).values()) for place in ("emulated", "fallback")
    )
    return f"`{program.stem}`", what.removesuffix("."), how, str(emulated), str(fallback)


def main() -> None:
    """Print the table or write it."""
    head = ("program", "what it tries", "how it went", "calls emulated", "calls on the fallback")
    text = "\n".join([*table(head, map(row, [*PROGRAMS, *REFUSED])), ""])
    if "--write" in sys.argv[1:]:
        PAGE.write_text(_TABLE.sub(lambda match: match[1] + text + match[2], PAGE.read_text()))
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
