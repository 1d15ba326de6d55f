"""What is measured, in which order, and what came of it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from ..core.dtypes import FLOAT64
from ..core.threads import num_threads
from ..declaration.operator import OPERATORS
from .peers import peer_call, set_threads
from .timing import Timing, take_turns
from .triad import triad
from .work import (
    CHANNEL_LAYOUTS,
    LAYOUTS,
    SIZES,
    Call,
    Case,
    cases_of,
    moved,
    ours,
    results,
    tensors,
)

#: elements where one size has to do
_USUAL: Final = SIZES["1 Mi"]
#: elements from which sums per channel are measured in all shapes
_MANY: Final = SIZES["64 Ki"]

#: least ratios that are aimed at, by section, of all operators or one
_GOALS: Final[dict[tuple[str, str | None], float]] = {
    ("sizes", None): 1.0,
    ("layouts", None): 1.0,
    ("channels", None): 1.0,
    ("truth", None): 0.5,
    ("threads", "softplus_backward"): 1.8,
}
#: and least parts of the triad's bytes per second, for the largest arrays
_ROOF: Final[dict[str | None, float]] = {None: 0.9, "softplus_backward": 0.8}


class Job(NamedTuple):
    """One cell to be measured."""

    #: what is beside what: the peer on contiguous arrays ("sizes"), on others ("layouts"), with
    #: sums per channel ("channels"); float64 arithmetic beside the peer's on F64 data ("truth")
    #: and beside the default ("rounding"); all threads beside one ("threads")
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
        """The part of the triad's bytes per second."""
        return None if self.triad is None else self.triad.seconds / self.ours.seconds

    @property
    def bandwidth(self) -> float:
        """Bytes per second, counting each read and each write once."""
        return moved(self.job.case) / self.ours.seconds

    @property
    def goal(self) -> float | None:
        """The least ratio that is aimed at."""
        section, operator = self.job.section, self.job.case.operator
        return _GOALS.get((section, operator), _GOALS.get((section, None)))

    @property
    def roof_goal(self) -> float:
        """The least part of the triad's bytes per second that is aimed at in large arrays."""
        return _ROOF.get(self.job.case.operator, _ROOF[None])


def jobs(
    operators: Sequence[str],
    kinds: tuple[str, ...],
    sizes: Sequence[int],
    threads: Sequence[int],
) -> Iterator[Job]:
    """Yield what is to be measured."""
    for count in threads:
        for operator in operators:
            summed = OPERATORS[operator].channel_term is not None
            for kind in cases_of(operator, kinds):
                case = Case(operator, kind, _USUAL)
                for size in sizes:
                    for out in (True, False):
                        yield Job("sizes", case._replace(size=size, out=out), count)
                for layout in LAYOUTS[1:]:
                    yield Job("layouts", case._replace(layout=layout), count)
                for layout in CHANNEL_LAYOUTS if summed else ():
                    for size in sizes:
                        if size >= _MANY:
                            yield Job("channels", case._replace(size=size, layout=layout), count)
                yield Job("truth", case, count)
                yield Job("rounding", case, count)
                if count > 1:
                    yield Job("threads", case, count)


def measure(job: Job, peer: str, budget: float) -> Row:
    """Measure one cell.

    Parameters
    ----------
    job : Job
        Which.
    peer : str
        One of `peers.PEERS`.
    budget : float
        Seconds.
    """
    set_threads(peer, job.threads)
    with num_threads(job.threads):
        return _MEASURES.get(job.section, _beside_peer)(job, peer, budget)


def _beside_peer(job: Job, peer: str, budget: float) -> Row:
    case = job.case
    arrays = tensors(case)
    # both sides write to the same memory: how it lies makes a difference of up to a third
    out = results(case, arrays) if case.out else None
    calls = [ours(case, arrays, out=out)]
    theirs = peer_call(peer, case, arrays, out)
    if theirs is not None:
        calls.append(theirs)
    with_triad = job.section == "sizes" and case.out
    if with_triad:
        calls.append(triad(moved(case)))
    times = take_turns(calls, budget)
    return Row(
        job,
        times[0],
        times[1] if theirs is not None else None,
        times[-1] if with_triad else None,
    )


def _truth(job: Job, peer: str, budget: float) -> Row:
    case = job.case
    arrays = tensors(case)
    calls = [ours(case, arrays, compute_dtype="float64")]
    wide = tuple([array.astype(np.float64) for array in arrays])
    out = np.empty(case.shape())
    theirs = peer_call(peer, case._replace(kind=FLOAT64.name), wide, out)
    times = take_turns(calls + ([theirs] if theirs is not None else []), budget)
    return Row(job, times[0], times[1] if theirs is not None else None)


def _rounding(job: Job, peer: str, budget: float) -> Row:
    arrays = tensors(job.case)
    correct = ours(job.case, arrays, compute_dtype="float64")
    return Row(job, *take_turns((ours(job.case, arrays), correct), budget))


def _threads(job: Job, peer: str, budget: float) -> Row:
    call = ours(job.case, tensors(job.case))
    return Row(job, *take_turns((call, partial(_alone, call)), budget))


def _alone(call: Call) -> None:
    with num_threads(1):
        call()


_MEASURES: Final[dict[str, Callable[[Job, str, float], Row]]] = {
    "truth": _truth,
    "rounding": _rounding,
    "threads": _threads,
}


def geometric_mean(ratios: Sequence[float]) -> float:
    """Return the geometric mean of some ratios; NaN of none."""
    return statistics.geometric_mean(ratios) if ratios else math.nan


def noise(rows: Iterable[Row]) -> float:
    """Return how much longer a usual turn took than the best one, in the middle of all cells."""
    return statistics.median([row.ours.noise for row in rows])
