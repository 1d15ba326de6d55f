"""What a type checker says of a program that uses the library."""

import re
from pathlib import Path

import mypy.api

ROOT = Path(__file__).parents[2]


def checked_lines(program: str, folder: Path) -> dict[int, str]:
    """Return what mypy reports, by the number of the line."""
    file = folder / "program.py"
    file.write_text(program, encoding="utf-8")
    config = str(ROOT / "pyproject.toml")
    cache = str(ROOT / ".mypy_cache")
    report, failure, _ = mypy.api.run(
        ["--config-file", config, "--cache-dir", cache, "--no-error-summary", str(file)]
    )
    assert not failure
    found: dict[int, str] = {}
    for line in report.splitlines():
        # mypy's cache has a report of the same program under the path that it had then
        match = re.match(r".*program\.py:(\d+): (.*)", line)
        assert match, line
        number = int(match[1])
        found[number] = f"{found.get(number, '')}{match[2]}\n"
    return found


def assert_types(program: str, folder: Path) -> None:
    """Assert that mypy reports what the comments say that begin with ``# note`` or ``# error``."""
    found = checked_lines(program, folder)
    expected = {
        number: line.split("  # ", 1)[1]
        for number, line in enumerate(program.splitlines(), 1)
        if "  # note: " in line or "  # error: " in line
    }
    assert found.keys() == expected.keys(), found
    for number, text in expected.items():
        kind, words = text.split(": ", 1)
        assert found[number].startswith(f"{kind}: "), found[number]
        assert words in found[number], found[number]
