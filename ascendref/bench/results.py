"""The results of a run: measured cells, their goals, and what they come to."""

import math
import statistics
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from .cases import SIZES, Case, bytes_moved
from .timing import Timing

#: the least ratio that is the goal, by section, of all operators or one
_GOALS: Final[dict[tuple[str, str | None], float]] = {
    ("sizes", None): 1.0,
    ("layouts", None): 1.0,
    ("channels", None): 1.0,
    ("truth", None): 0.5,
    ("threads", "softplus_backward"): 1.8,
}
#: and the least part of the triad's bandwidth, for the largest arrays
_ROOF_GOALS: Final[dict[str | None, float]] = {None: 0.9, "softplus_backward": 0.8}
#: ratio that counts as 1 if both sides are memory-bound
_EVEN: Final = 0.97


class Job(NamedTuple):
    """One cell to be measured."""

    #: what is compared: the peer on contiguous arrays ("sizes"), on other layouts ("layouts"), with
    #: sums per channel ("channels"); float64 arithmetic with the peer's on F64 data ("truth") and
    #: with the default ("rounding"); all threads with one ("threads")
    section: str
    case: Case
    threads: int


class Row(NamedTuple):
    """One cell that was measured."""

    job: Job
    ours: Timing
    #: the other side of the ratio
    other: Timing | None = None
    #: a triad of as many bytes, for the largest arrays
    triad: Timing | None = None

    @property
    def ratio(self) -> float | None:
        """How many times as long the other side takes."""
        return None if self.other is None else self.other.seconds / self.ours.seconds

    @property
    def uncertain(self) -> bool:
        """Whether the difference of both sides is smaller than the noise of one of them."""
        if self.other is None:
            return False
        sides = (self.ours, self.other)
        noise = max(side.seconds * side.noise for side in sides)
        return abs(self.ours.seconds - self.other.seconds) < noise

    @property
    def roof(self) -> float | None:
        """The part of the triad's bandwidth."""
        return None if self.triad is None else self.triad.seconds / self.ours.seconds

    @property
    def bandwidth(self) -> float:
        """Bytes per second, counting each read and each write once."""
        return bytes_moved(self.job.case) / self.ours.seconds

    @property
    def goal(self) -> float | None:
        """The least ratio that is the goal, if there is one."""
        section, operator = self.job.section, self.job.case.operator
        return _GOALS.get((section, operator), _GOALS.get((section, None)))

    @property
    def below_goal(self) -> bool:
        """Whether the ratio is below its goal, although the call is not memory-bound."""
        if self.ratio is None or self.goal is None:
            return False
        memory_bound = self.roof is not None and not self.below_roof
        return self.ratio < self.goal * (_EVEN if memory_bound else 1)

    @property
    def below_roof(self) -> bool:
        """Whether a call on large arrays has less of the triad's bandwidth than is the goal."""
        goal = _ROOF_GOALS.get(self.job.case.operator, _ROOF_GOALS[None])
        return self.roof is not None and self.roof < goal

    @property
    def column(self) -> str:
        """The heading of the column in which the cell stands."""
        case, section = self.job.case, self.job.section
        if section == "sizes":
            return size_text(case.size)
        if section == "layouts":
            return case.layout
        if section == "channels":
            return f"{case.layout}, {size_text(case.size)}"
        return "ratio"


def median(rows: Iterable[Row]) -> float:
    """Return the median of ratios; NaN of none."""
    ratios = [row.ratio for row in rows if row.ratio is not None]
    return statistics.median(ratios) if ratios else math.nan


def geometric_mean(rows: Iterable[Row]) -> float:
    """Return the geometric mean of ratios; NaN of none."""
    ratios = [row.ratio for row in rows if row.ratio is not None]
    return statistics.geometric_mean(ratios) if ratios else math.nan


def noise(rows: Sequence[Row]) -> float:
    """Return the excess of the median over the shortest turn, as the median over all cells."""
    return statistics.median([row.ours.noise for row in rows])


def size_text(size: int) -> str:
    return next((name for name, value in SIZES.items() if value == size), f"{size:,}")
