"""The cells of a run, and the measurement of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

import numpy as np

from ..core.dtypes import FLOAT64
from ..core.threads import num_threads
from ..declaration.operator import OPERATORS
from .cases import (
    CHANNEL_LAYOUTS,
    LAYOUTS,
    SIZES,
    Call,
    Case,
    bytes_moved,
    kinds_of,
    own_call,
    results,
    tensors,
)
from .peers import peer_call, set_threads
from .results import Job, Row
from .timing import take_turns
from .triad import triad

#: elements where one size has to do
_USUAL: Final = SIZES["1 Mi"]
#: elements from which sums per channel are measured in all shapes
_MANY: Final = SIZES["64 Ki"]


def jobs(
    operators: Sequence[str],
    kinds: tuple[str, ...],
    sizes: Sequence[int],
    threads: Sequence[int],
) -> Iterator[Job]:
    """Yield the cells to be measured."""
    for count in threads:
        for operator in operators:
            summed = OPERATORS[operator].channel_term is not None
            for kind in kinds_of(operator, kinds):
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
        The cell.
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
    # both sides write to the same memory: its alignment makes a difference of up to a third
    out = results(case, arrays) if case.out else None
    calls = [own_call(case, arrays, out=out)]
    theirs = peer_call(peer, case, arrays, out)
    if theirs is not None:
        calls.append(theirs)
    with_triad = job.section == "sizes" and case.out
    if with_triad:
        calls.append(triad(bytes_moved(case)))
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
    calls = [own_call(case, arrays, compute_dtype="float64")]
    wide = tuple([array.astype(np.float64) for array in arrays])
    out = np.empty(case.shape())
    theirs = peer_call(peer, case._replace(kind=FLOAT64.name), wide, out)
    times = take_turns(calls + ([theirs] if theirs is not None else []), budget)
    return Row(job, times[0], times[1] if theirs is not None else None)


def _rounding(job: Job, peer: str, budget: float) -> Row:
    arrays = tensors(job.case)
    correct = own_call(job.case, arrays, compute_dtype="float64")
    return Row(job, *take_turns((own_call(job.case, arrays), correct), budget))


def _threads(job: Job, peer: str, budget: float) -> Row:
    call = own_call(job.case, tensors(job.case))
    return Row(job, *take_turns((call, partial(_alone, call)), budget))


def _alone(call: Call) -> None:
    with num_threads(1):
        call()


_MEASURES: Final[dict[str, Callable[[Job, str, float], Row]]] = {
    "truth": _truth,
    "rounding": _rounding,
    "threads": _threads,
}
