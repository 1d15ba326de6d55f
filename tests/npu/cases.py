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
from typing import Any, NamedTuple

from ascendref.core.markdown import table

from ..support.processes import communicate, start

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "torch-npu.md"
PROGRAMS = sorted(Path(__file__).with_name("programs").glob("*.py"))
BY_NAME = {program.stem: program for program in PROGRAMS}
REFUSED = sorted(Path(__file__).with_name("refused").glob("*.py"))
#: seconds after which a program counts as hanging; on a busy machine, one whose kernels are not in
#: the cache takes more than 240
HANG = 600
_TABLE = re.compile(r"(<!-- cases -->\n).*?(<!-- end -->)", re.DOTALL)


class Outcome(NamedTuple):
    """How a program went."""

    status: int
    out: str
    errors: str
    #: how often operators ran, by place and name
    counts: dict[str, dict[str, int]]


def python(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python to its end; return how it went."""
    return subprocess.run(
        [sys.executable, *map(str, words)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=HANG,
    )


def run(program: Path, *options: str, **environment: str) -> Outcome:
    """Run a program by ``ascendref npu``, on two devices."""
    with tempfile.TemporaryDirectory() as folder:
        return _run(Path(folder), HANG, *options, program, **environment)


def run_forked(
    programs: dict[Any, Path | str], *options: str, **environment: str
) -> dict[Any, Outcome]:
    """Run programs, files or texts, in forks of one process; counts are those of all together."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = []
        for number, program in enumerate(programs.values()):
            files.append(program if isinstance(program, Path) else folder / f"{number}.py")
            if isinstance(program, str):
                files[-1].write_text(program)
        forked = Path(__file__).with_name("forked.py")
        timeout = HANG + 60 * len(files)
        done = _run(folder, timeout, *options, forked, *files, **environment)
        assert done.status == 0, done.errors
        return {
            name: Outcome(
                int(line.split()[-1]),
                (folder / f"{number}.out").read_text(),
                (folder / f"{number}.err").read_text(),
                done.counts,
            )
            for number, (name, line) in enumerate(zip(programs, done.out.splitlines(), strict=True))
        }


def _run(folder: Path, timeout: float, *words: str | Path, **environment: str) -> Outcome:
    report = folder / "report.json"
    process = start(
        *("-W", "default", "-m", "ascendref", "npu", "--report-file", report, *words),
        cwd=folder,  # a profiler leaves files
        **{"ASCENDREF_DEVICES": "2", **environment},
    )
    out, errors = communicate(process, timeout)
    counts = json.loads(report.read_text()) if report.is_file() else {}
    return Outcome(process.returncode, out, errors, counts)


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
