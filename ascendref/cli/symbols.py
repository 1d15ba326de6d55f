"""``ascendref check --symbols``: whether the functions that a program needs are here."""

from importlib.util import find_spec
from pathlib import Path

from rich.console import Console

from ..cann.functions import ABSENT
from ..core.extras import install_command
from .console import print_json, print_row
from .needed import KINDS, Need, kind_of, needed_functions


def symbols(paths: list[Path], as_json: bool) -> bool:
    """Print which functions files need and which of them are here; tell whether all are."""
    found: dict[Need, list[str]] = {kind: [] for kind in KINDS}
    for name in needed_functions(paths):
        found[kind_of(name)].append(name)
    if as_json:
        functions = [
            {"name": name, "presence": kind, "reason": ABSENT.get(name)}
            for kind, names in found.items()
            for name in names
        ]
        counts = {kind: len(names) for kind, names in found.items()}
        print_json(
            {"files": [str(path) for path in paths], "counts": counts, "functions": functions}
        )
    else:
        show(found)
    return not (found["absent"] or found["unknown"])


def show(found: dict[Need, list[str]]) -> None:
    """Print how many functions are needed, then their names."""
    print("needed:", ", ".join(f"{len(names)} {kind}" for kind, names in found.items()))
    console = Console()
    for kind, names in found.items():
        if names:
            reasons = [f"{name}: {ABSENT[name]}" for name in names if name in ABSENT]
            others = " ".join(name for name in names if name not in ABSENT)
            print_row(console, kind, [*filter(None, [others]), *reasons], indent=12)
    if found["borrowed"] and find_spec("torch") is None:
        print(f"PyTorch, which computes the borrowed ones, is missing: {install_command('torch')}")
