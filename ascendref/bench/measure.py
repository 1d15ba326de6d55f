"""The cells of a run, and the measurement of one."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numba
import numpy as np
from numba import prange

from ..core.dtypes import FLOAT64
from ..core.threads import num_threads
from ..declaration.operator import OPERATORS
from ..verify.judge import compiled
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

#: elements where one size has to do
_USUAL: Final = SIZES["1 Mi"]
#: elements from which sums per channel are measured in all shapes
_MANY: Final = SIZES["64 Ki"]


def jobs(
    operators: Sequence[str], kinds: tuple[str, ...], sizes: Sequence[int], threads: Sequence[int]
) -> Iterator[Job]:
    """Yield the cells to be measured."""
    for count in threads:
        for operator in operators:
            summed = OPERATORS[operator].per_channel
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
    """Measure one cell beside one of `peers.PEERS`, for so many seconds."""
    set_threads(peer, job.threads)
    with num_threads(job.threads):
        calls = _calls(job, peer)
        times = iter(take_turns([call for call in calls if call is not None], budget))
        return Row(job, next(times), *[call and next(times) for call in calls[1:]])


def _calls(job: Job, peer: str) -> tuple[Call, Call | None, Call | None]:
    """Return the call of a cell, the other side's, and a triad, if they are to be timed."""
    case = job.case
    arrays = tensors(case)
    if job.section == "truth":
        wide = tuple([array.astype(np.float64) for array in arrays])
        wide_out = np.empty(case.whole(case.declared.result_view))
        other = peer_call(peer, case._replace(kind=FLOAT64.name), wide, wide_out)
        return own_call(case, arrays, compute_dtype="float64"), other, None
    if job.section == "rounding":
        return own_call(case, arrays), own_call(case, arrays, compute_dtype="float64"), None
    if job.section == "threads":
        call = own_call(case, arrays)

        def alone() -> None:
            with num_threads(1):
                call()

        return call, alone, None
    # both sides write to the same memory: its alignment makes a difference of up to a third
    out = results(case, arrays) if case.out else None
    with_triad = job.section == "sizes" and case.out and case.size == max(SIZES.values())
    return (
        own_call(case, arrays, out=out),
        peer_call(peer, case, arrays, out),
        triad(bytes_moved(case), job.threads) if with_triad else None,
    )


def triad(moved: int, threads: int) -> Call:
    """Return the memory's benchmark: a call that moves so many bytes, two thirds of them read.

    It is the triad of STREAM, ``a = b + s * c``, in float32; the call returns ``a``.
    """
    a, b, c = (np.ones(moved // 12, np.float32) for _ in range(3))

    def call() -> Any:
        before = numba.get_num_threads()
        numba.set_num_threads(threads)
        _triad(a, b, c, np.float32(3))
        numba.set_num_threads(before)
        return a

    call()
    return call


@compiled(parallel=True)
def _triad(a: Any, b: Any, c: Any, s: Any) -> None:
    for i in prange(a.size):
        a[i] = b[i] + s * c[i]
