"""The results of a run: measured cells, their goals, and their arrangement in tables."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

from .cases import SIZES, Case, bytes_moved
from .timing import Timing

T = TypeVar("T")

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
EVEN: Final = 0.97
_TITLES: Final = {
    "sizes": "contiguous arrays, result given / result made",
    "layouts": "other layouts, 1 Mi elements",
    "channels": "sums per channel, other shapes",
    "truth": "float64 arithmetic beside the peer's on float64 arrays, 1 Mi elements",
    "rounding": "what correct rounding costs: float64 arithmetic beside the default, 1 Mi elements",
    "threads": "all threads beside one, 1 Mi elements",
}


class Job(NamedTuple):
    """One cell to be measured."""

    #: what is compared: the peer on contiguous arrays ("sizes"), on other layouts ("layouts"), with
    #: sums per channel ("channels"); float64 arithmetic with the peer's on F64 data ("truth") and
    #: with the default ("rounding"); all threads with one ("threads")
    section: str
    case: Case
    threads: int


@dataclass(frozen=True)
class Row:
    """One cell that was measured."""

    job: Job
    ours: Timing
    #: the other side of the ratio
    other: Timing | None
    #: a triad of as many bytes, where it was timed too
    triad: Timing | None = None

    @property
    def ratio(self) -> float | None:
        """How many times as long the other side takes."""
        return None if self.other is None else self.other.seconds / self.ours.seconds

    @property
    def roof(self) -> float | None:
        """The part of the triad's bandwidth."""
        return None if self.triad is None else self.triad.seconds / self.ours.seconds

    @property
    def bandwidth(self) -> float:
        """Bytes per second, counting each read and each write once."""
        return bytes_moved(self.job.case) / self.ours.seconds

    @property
    def triad_bandwidth(self) -> float | None:
        """The triad's bytes per second."""
        return None if self.triad is None else bytes_moved(self.job.case) / self.triad.seconds

    @property
    def goal(self) -> float | None:
        """The least ratio that is the goal, if there is one."""
        section, operator = self.job.section, self.job.case.operator
        return _GOALS.get((section, operator), _GOALS.get((section, None)))

    @property
    def roof_goal(self) -> float:
        """The least part of the triad's bandwidth that is the goal for large arrays."""
        return _ROOF_GOALS.get(self.job.case.operator, _ROOF_GOALS[None])

    @property
    def below_goal(self) -> bool:
        """Whether the ratio is below its goal, although the call is not memory-bound."""
        if self.ratio is None or self.goal is None:
            return False
        at_the_roof = self.roof is not None and self.roof >= self.roof_goal
        return self.ratio < self.goal * (EVEN if at_the_roof else 1)

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


def sections(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    """Yield the sections that have ratios, each with its title and its cells."""
    for count in dict.fromkeys(row.job.threads for row in rows):
        for section, title in _TITLES.items():
            mine = [r for r in rows if (r.job.threads, r.job.section) == (count, section)]
            if any(row.ratio is not None for row in mine):
                yield f"{title}; {threads_text(count)}", mine


@dataclass(frozen=True)
class Grid:
    """The cells of a section in lines and columns."""

    columns: tuple[str, ...]
    #: by operator and type, the cells that stand in each column
    lines: dict[tuple[str, str], list[list[Row]]]
    #: geometric means of the columns
    means: list[float]

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Grid:
        """Put cells in order."""
        places: dict[tuple[str, str], dict[str, list[Row]]] = {}
        ratios: dict[str, list[float]] = {}
        for row in rows:
            line = places.setdefault((row.job.case.operator, row.job.case.kind), {})
            line.setdefault(row.column, []).append(row)
            ratios.setdefault(row.column, []).extend(() if row.ratio is None else (row.ratio,))
        lines = {key: [line.get(name, []) for name in ratios] for key, line in places.items()}
        return cls(tuple(ratios), lines, [geometric_mean(found) for found in ratios.values()])

    def ordered(self, lines: Iterable[Sequence[T]]) -> tuple[list[str], list[list[T]]]:
        """Return headings and lines of operator, type and cells; one column of ratios comes first.

        Several columns are a matrix and stand after the operator and the type of each line.
        """
        headings, rows = ["operator", "type", *self.columns], [list(line) for line in lines]
        if len(self.columns) == 1:
            return [headings[2], *headings[:2]], [[row[2], *row[:2]] for row in rows]
        return headings, rows


#: what the medians of a summary are of
SUMMARY_HEADINGS: Final = ("result given", "result made", "other layouts")


class TypeSummary(NamedTuple):
    """What the ratios of an element type come to."""

    kind: str
    #: cells that are below their goal, and cells that have one
    below: int
    judged: int
    #: medians of the ratios to the peer, by `SUMMARY_HEADINGS`; NaN of none
    medians: tuple[float, ...]


def summary(rows: Sequence[Row]) -> list[TypeSummary]:
    """Return what the ratios come to, type by type; nothing if there was no peer."""
    found = []
    for kind in dict.fromkeys(row.job.case.kind for row in rows):
        mine = [row for row in rows if row.job.case.kind == kind and row.ratio is not None]
        judged = [row for row in mine if row.goal is not None]
        medians = (
            _median(r for r in mine if r.job.section == "sizes" and r.job.case.out),
            _median(r for r in mine if r.job.section == "sizes" and not r.job.case.out),
            _median(r for r in mine if r.job.section == "layouts"),
        )
        if not all(map(math.isnan, medians)):
            found.append(TypeSummary(kind, sum(r.below_goal for r in judged), len(judged), medians))
    return found


def _median(rows: Iterable[Row]) -> float:
    """Return the median of ratios; NaN of none."""
    ratios = [row.ratio for row in rows if row.ratio is not None]
    return statistics.median(ratios) if ratios else math.nan


def verdict_text(found: Sequence[TypeSummary]) -> str:
    """Return in one line how many ratios reach their goal."""
    below, judged = sum(row.below for row in found), sum(row.judged for row in found)
    if not judged:
        return "Nothing was compared."
    return (
        f"{below} of {judged} ratios are below their goal."
        if below
        else (f"All {judged} ratios reach their goal.")
    )


def summary_rows(found: Sequence[TypeSummary]) -> Iterator[tuple[str, ...]]:
    """Yield a row of text for each type."""
    for row in found:
        medians = ("–" if math.isnan(median) else f"{median:.2f}" for median in row.medians)
        yield f"{row.below} of {row.judged}", row.kind, *medians


def largest_beside_triad(rows: Sequence[Row]) -> list[Row]:
    """Return the cells of the largest arrays that were timed beside a triad."""
    timed = [row for row in rows if row.triad is not None]
    largest = max((row.job.case.size for row in timed), default=0)
    return [row for row in timed if row.job.case.size == largest]


def size_text(size: int) -> str:
    """Return the name of a number of elements."""
    return next((name for name, value in SIZES.items() if value == size), f"{size:,}")


def threads_text(count: int) -> str:
    """Return a number of threads in words."""
    return "1 thread" if count == 1 else f"{count} threads"


def geometric_mean(ratios: Sequence[float]) -> float:
    """Return the geometric mean of some ratios; NaN of none."""
    return statistics.geometric_mean(ratios) if ratios else math.nan


def noise(rows: Iterable[Row]) -> float:
    """Return the excess of the median over the shortest turn, as the median over all cells."""
    return statistics.median([row.ours.noise for row in rows])
