"""What `ascendref verify` measures, as rows of plain data: the format of ``--json``."""

import math
from typing import Any, Final, NotRequired, TypedDict

from ..judge import EDGES, EXACT, FIRST_WRONG, NAN, ROUNDED, ZERO_SIGN


class ElementRow(TypedDict):
    """One element; "nan", "inf" and "-inf" stand for numbers that JSON cannot express."""

    data: float | str
    #: None for an operator of one tensor
    gradient: float | str | None
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
    #: the largest error where a bound is stated
    max_ulp: float
    at: ElementRow | None
    #: class of results (`CLASSES`) -> their number
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
    #: the first of them
    at: NotRequired[ElementRow | None]


class Float64Row(TypedDict):
    """The results of a sample of F64."""

    operator: str
    setting: str
    pairs: int
    wrongly_rounded: int
    max_ulp: float
    at: NotRequired[ElementRow | None]
    bound: str | None
    holds: bool


class SumRow(TypedDict):
    """What one sum over a channel has shown."""

    operator: NotRequired[str]
    kind: str
    compute: str
    #: the kind of terms
    what: str
    terms: int
    #: the error, relative to the sum of the terms' magnitudes
    error: float
    #: its stated bound; None for correct rounding
    bound: NotRequired[float | None]
    #: whether it is the exact sum rounded once, to nearest even
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
    #: a line for every stated bound that does not hold
    broken: list[str]


def element_row(data: float, gradient: float | None, actual: float, golden: float) -> ElementRow:
    """Return an element for JSON."""
    row: Any = {"data": data, "gradient": gradient, "actual": actual, "golden": golden}
    plain: Any = {k: x if x is None or math.isfinite(x) else str(x) for k, x in row.items()}
    found: ElementRow = plain
    return found


def _class_names() -> tuple[str, ...]:
    """Return the names of the classes of results (see ``ascendref.verify.judge``)."""
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


def location(element: ElementRow | None) -> str:
    if element is None:
        return ""
    texts = {name: f"{float(x):.9g}" for name, x in element.items() if x is not None}  # type: ignore[arg-type]
    gradient = f", gradient {texts['gradient']}" if "gradient" in texts else ""
    return f" at input {texts['data']}{gradient}: {texts['actual']} for {texts['golden']}"
