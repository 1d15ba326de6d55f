"""The file that stores an unfinished run, so that ``--resume`` can continue it."""

import hashlib
import importlib.metadata
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ...core.errors import OptionError
from ...core.output_files import check_output, is_special, output_file, user_cache
from .sweep import Sweep
from .sweep_result import SweepResult, Tally


def default_state(sweeps: Sequence[Sweep]) -> Path:
    """Return the default file; each run has its own."""
    return user_cache() / f"verify-{_digest(_identity(sweeps))[:16]}.json"


def check_state(path: Path) -> None:
    """Raise OptionError if a file holds something other than an unfinished run."""
    try:
        with suppress(FileNotFoundError):  # a missing folder will be created
            check_output(path)
    except OSError as error:
        raise OptionError("--state", f"cannot write {path}: {error.strerror}") from error
    if is_special(path) or not path.exists() or path.stat().st_size == 0:
        return
    with _read(path, "--state", f"{path} is not the state of an unfinished run") as state:
        state["run"], state["outcomes"]


def discard(path: Path) -> None:
    """Remove the state of a finished run."""
    if not is_special(path):
        path.unlink(missing_ok=True)


def save(path: Path, results: Sequence[SweepResult]) -> None:
    """Write the results so far, atomically."""
    rows = [
        {name: value for name, value in vars(result).items() if name != "sweep"}
        | {"tallies": {name: tally.as_dict() for name, tally in result.tallies.items()}}
        for result in results
        if result.done
    ]
    run = _identity([result.sweep for result in results])
    text = json.dumps({"run": run, "outcomes": rows, "digest": _digest(rows)})
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with output_file(path) as file:
            file.write(text.encode())
    except OSError as error:
        raise OptionError("--state", f"cannot write {path}: {error.strerror}") from error


def load(path: Path, sweeps: Sequence[Sweep]) -> list[SweepResult]:
    """Return the results so far of the same run, or raise OptionError."""
    with _read(path, "--resume", f"cannot resume from {path}") as state:
        if state["run"] != json.loads(json.dumps(_identity(sweeps))):
            raise ValueError("its options or versions are those of another run")
        if state["digest"] != _digest(state["outcomes"]):
            raise ValueError("its results were changed")
        rows = []
        for sweep, row in zip(sweeps, state["outcomes"], strict=False):
            tallies = {name: Tally.from_dict(value) for name, value in row["tallies"].items()}
            rows.append(SweepResult(sweep, **row | {"tallies": tallies}))
    return rows + [SweepResult(sweep) for sweep in sweeps[len(rows) :]]


@contextmanager
def _read(path: Path, argument: str, problem: str) -> Iterator[Any]:
    """Yield the content of a file; any problem with it becomes an error about the argument."""
    try:
        yield json.loads(path.read_bytes())
    except OSError as error:
        raise OptionError(argument, f"{problem}: {error.strerror}") from error
    except Exception as error:  # the file decides what is raised, here and where it is looked at
        raise OptionError(argument, f"{problem}: {error!r}") from error


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


def _identity(sweeps: Sequence[Sweep]) -> list[Any]:
    """Return what must be equal to continue a run: versions and sweeps."""
    versions = [importlib.metadata.version(name) for name in ("ascendref", "numpy", "numba")]
    return versions + [
        [s.operator, s.kind, s.label, list(s.computed), s.exhaustive, s.seed, s.sample]
        for s in sweeps
    ]
