"""The results of ``ascendref verify`` as plain data: what ``--json`` prints and reports show."""

from __future__ import annotations

import datetime
import math
from typing import Any, Final, NotRequired, TypedDict

from ..verify.accuracy.results import Results
from ..verify.accuracy.sweep_result import Element
from ..verify.oracles.judge import EDGES, EXACT, FIRST_WRONG, NAN, ROUNDED, ZERO_SIGN
from .machine import processor, versions


class ElementData(TypedDict):
    """One element; "nan", "inf" and "-inf" stand for what JSON has no numbers for."""

    data: float | str
    gradient: float | str
    actual: NotRequired[float | str]
    golden: NotRequired[float | str]


class SweepRow(TypedDict):
    """What one computation of a sweep has shown."""

    operator: str
    dtype: str
    setting: str
    computed: str
    pairs: int
    of: int
    hard_cases: int
    seconds: float
    wrongly_rounded: int
    max_ulp: float
    at: ElementData | None
    #: class of results (`CLASSES`) -> how many there are
    histogram: dict[str, int]
    bound: str | None
    holds: bool


class StepByStepRow(TypedDict):
    """How many results differ from a formula rounded after every operation."""

    operator: str
    dtype: str
    setting: NotRequired[str]
    compute_dtype: str
    pairs: int
    differing: int
    at: NotRequired[ElementData | None]


class Float64Row(TypedDict):
    """What a sample of F64 has shown."""

    operator: str
    setting: str
    pairs: int
    wrongly_rounded: int
    max_ulp: float
    at: NotRequired[ElementData | None]
    bound: str
    holds: bool


class SumRow(TypedDict):
    """What one sum over a channel has shown."""

    kind: str
    compute: str
    what: str
    terms: int
    error: float
    bound: NotRequired[float | None]
    rounded: NotRequired[bool]
    stated: str
    holds: bool


class Measured(TypedDict):
    """All results of a run."""

    #: the day of the run, as in ISO 8601
    date: str
    #: the command that measures all this again
    command: str
    versions: dict[str, str]
    processor: dict[str, Any]
    exhaustive: bool
    seed: int
    interrupted: bool
    sweeps: list[SweepRow]
    step_by_step: list[StepByStepRow]
    float64: list[Float64Row]
    grad_weight: list[SumRow]
    broken: list[str]


def _class_names() -> tuple[str, ...]:
    """Return the names of the classes of results (see ``ascendref.verify.oracles.judge``)."""
    names = [""] * (ZERO_SIGN + 1)
    names[EXACT], names[ROUNDED] = "exact", "rounded"
    low = ""
    for number, edge in enumerate(EDGES):
        names[FIRST_WRONG + number] = f"≤{edge:.4g}" if math.isfinite(edge) else f">{low}"
        low = f"{edge:.4g}"
    names[NAN], names[ZERO_SIGN] = "NaN", "sign of 0"
    return tuple(names)


#: the classes of results, the exact ones first
CLASSES: Final = _class_names()
#: the wrong ones, and the error in ulp above which each begins
CLASSES_ABOVE: Final = dict(
    zip(CLASSES[FIRST_WRONG:], (0.5, *EDGES[:-1], math.inf, math.inf), strict=True)
)


def measured(results: Results, command: str, exhaustive: bool, seed: int) -> Measured:
    """Return results as plain data."""
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "command": command,
        "versions": versions(),
        "processor": processor(),
        "exhaustive": exhaustive,
        "seed": seed,
        "interrupted": results.interrupted,
        "sweeps": [
            {
                "operator": result.sweep.operator,
                "dtype": result.sweep.kind,
                "setting": result.sweep.label,
                "computed": name,
                "pairs": result.pairs,
                "of": result.sweep.pairs,
                "hard_cases": result.hard,
                "seconds": round(result.seconds, 1),
                "wrongly_rounded": tally.wrong,
                "max_ulp": tally.max_ulp,
                "at": _element(tally.at),
                "histogram": dict(zip(CLASSES, tally.histogram, strict=True)),
                "bound": None if (bound := result.bound(name)) is None else str(bound),
                "holds": result.holds(name),
            }
            for result in results.sweeps
            if result.done
            for name, tally in result.tallies.items()
        ],
        "step_by_step": [
            {
                "operator": result.sweep.operator,
                "dtype": result.sweep.kind,
                "setting": result.sweep.label,
                "compute_dtype": result.compute,
                "pairs": result.pairs,
                "differing": result.differing,
                "at": _element(result.at),
            }
            for result in results.half_precision
        ],
        "float64": [
            {
                "operator": result.reference.name,
                "setting": result.reference.label(result.setting),
                "pairs": result.pairs,
                "wrongly_rounded": result.wrong,
                "max_ulp": result.max_ulp,
                "at": _element(result.at),
                "bound": str(result.bound),
                "holds": result.holds,
            }
            for result in results.float64
        ],
        "grad_weight": [
            {
                "kind": result.kind,
                "compute": result.compute,
                "what": result.what,
                "terms": result.terms,
                "error": result.error,
                "bound": result.bound,
                "rounded": result.rounded,
                "stated": result.stated,
                "holds": result.holds,
            }
            for result in results.sums
        ],
        "broken": results.broken(),
    }


def _element(element: Element | None) -> ElementData | None:
    """Return an element for JSON."""
    if element is None:
        return None
    data, gradient, actual, golden = (x if math.isfinite(x) else str(x) for x in element)
    return {"data": data, "gradient": gradient, "actual": actual, "golden": golden}
