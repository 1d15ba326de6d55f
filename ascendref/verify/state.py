"""Where an unfinished run is kept, so that it can go on."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import ArgumentValueError
from .sweep import Outcome, Plan, Tally


def default_state(plans: Sequence[Plan]) -> Path:
    """Return the file that is used unless another is given: each run has its own."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    digest = hashlib.sha256(json.dumps(identity(plans)).encode()).hexdigest()
    return Path(cache) / "ascendref" / f"verify-{digest[:16]}.json"


def save(path: Path, outcomes: Sequence[Outcome]) -> None:
    """Write what is known, as a whole or not at all."""
    rows = [
        {
            "done": outcome.done,
            "pairs": outcome.pairs,
            "hard": outcome.hard,
            "seconds": outcome.seconds,
            "tallies": {name: tally.as_dict() for name, tally in outcome.tallies.items()},
        }
        for outcome in outcomes
        if outcome.done
    ]
    text = json.dumps({"run": identity([o.plan for o in outcomes]), "outcomes": rows})
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
        partial.write_text(text, encoding="utf-8")
        os.replace(partial, path)
    except OSError as error:
        raise ArgumentValueError(
            "--state", f"is {path}, which cannot be written: {error}"
        ) from error


def load(path: Path, plans: Sequence[Plan]) -> list[Outcome]:
    """Return the outcomes of the same run, as far as it came.

    Raises
    ------
    ArgumentValueError
        If there is no such file, or it is of another run.
    """
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
        same = state["run"] == json.loads(json.dumps(identity(plans)))
        if same:
            rows = [
                _outcome(plan, row) for plan, row in zip(plans, state["outcomes"], strict=False)
            ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ArgumentValueError("--resume", f"cannot go on from {path}: {error}") from error
    if not same:
        raise ArgumentValueError(
            "--resume",
            f"cannot go on from {path}: it is of another run, by its options or by the versions",
        )
    return rows + [Outcome(plan) for plan in plans[len(rows) :]]


def identity(plans: Sequence[Plan]) -> list[Any]:
    """Return what must be the same for a run to go on: versions and sweeps."""
    versions = [importlib.metadata.version(name) for name in ("ascendref", "numpy", "numba")]
    return versions + [
        [p.operator, p.kind, p.label, list(p.computed), p.exhaustive, p.seed] for p in plans
    ]


def _outcome(plan: Plan, row: dict[str, Any]) -> Outcome:
    tallies = {name: Tally.from_dict(value) for name, value in row["tallies"].items()}
    return Outcome(plan, row["done"], row["pairs"], row["hard"], row["seconds"], tallies)
