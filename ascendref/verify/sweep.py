"""Sweeps: which inputs an operator meets, in which blocks, and what came of it."""

from __future__ import annotations

import base64
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.dtypes import ELEMENT_TYPES, ElementType, float_format
from ..declaration.accuracy import Bound
from . import exact
from .bounds import stated
from .peers import peer
from .subjects import SUBJECTS, Setting, Subject
from .truth import (
    CLASSES,
    COLUMNS,
    FIRST_WRONG,
    NAN,
    ZERO_SIGN,
    classify,
    copy,
    judge,
    target,
    widen,
)

#: what is measured beside the compute types: PyTorch's operator on the same inputs
TORCH: Final = "torch"

#: results in a block: no power of two, so that a mean divides by a number that is not one either
BLOCK: Final = 30 * 65536
#: chunks of a block that are judged in parallel
_CHUNKS: Final = 30
#: the upper bits of a datum that say where in the profile of errors it goes
PROFILE_BITS: Final = 12

#: gradients that every F32 datum meets: one, one with a full significand, and one so small that
#: most results are subnormal
F32_GRADIENTS: Final = (1.0, -1.7182817, 2.5e-40)

#: data and gradients of a sample, by the size of an element
_SAMPLED: Final = {2: (256, 4096), 4: (1 << 18, 4)}
#: numbers near which every sample looks, beside the ends of the type's range
_SPECIAL: Final = (0.0, 0.5, 1.0, math.inf)


@dataclass(frozen=True)
class Plan:
    """A sweep to be made: everything that its result depends on."""

    operator: str
    #: element type of data, gradients and results
    kind: str
    setting: Setting
    #: what is measured: compute types, and PyTorch
    computed: tuple[str, ...]
    #: every pair (16 bits) or datum (32 bits), instead of a sample
    exhaustive: bool
    seed: int = 0

    @property
    def subject(self) -> Subject:
        """The operator."""
        return SUBJECTS[self.operator]

    @property
    def label(self) -> str:
        """The setting in one line."""
        return self.subject.label(self.setting)

    @property
    def element(self) -> ElementType:
        """The element type."""
        return ELEMENT_TYPES[self.kind]

    @property
    def raw(self) -> np.dtype[Any]:
        """The type of its bits."""
        return np.dtype(f"u{self.element.numpy.itemsize}")

    @cached_property
    def gradients(self) -> NDArray[Any]:
        """The gradients that every datum meets."""
        if self.raw.itemsize == 2:
            patterns = (
                np.arange(1 << 16, dtype=self.raw)
                if self.exhaustive
                else self._sample(_SAMPLED[2][1], ())
            )
            return patterns.view(self.element.numpy)
        extra = () if self.exhaustive else (3.0e38,)
        return np.array([*F32_GRADIENTS, *extra], self.element.numpy)

    @cached_property
    def _sampled_data(self) -> NDArray[Any]:
        """The bits of the data of a sample."""
        return self._sample(_SAMPLED[self.raw.itemsize][0], self._edges())

    def _edges(self) -> list[float]:
        """Return data near which the setting makes a difference."""
        scalars = [value for value in self.setting.scalars.values() if not isinstance(value, str)]
        other = self.setting.other
        offset = other if isinstance(other, float) else 0.0
        edges = [s * v + offset for v in scalars for s in (1, -1)] + [1 - v for v in scalars]
        if self.operator == "softplus_backward":
            edges.append(scalars[1] / scalars[0] if scalars[0] else 0.0)
        return edges

    def grid(self, side: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return some data and some gradients, every pair of which is to be tried."""
        numpy = self.element.numpy
        return self._sample(side, self._edges()).view(numpy), self._sample(side, ()).view(numpy)

    def _sample(self, count: int, edges: Sequence[float]) -> NDArray[Any]:
        form = float_format(self.element)
        special = [*_SPECIAL, form.smallest, form.normal, form.largest]
        with np.errstate(over="ignore", invalid="ignore"):
            near = np.array([*special, *edges], np.float64).astype(self.element.numpy)
        patterns = near.view(self.raw)
        sign = self.raw.type(1 << (8 * self.raw.itemsize - 1))
        steps = [patterns + self.raw.type(step) for step in range(3)]
        steps += [patterns - self.raw.type(step) for step in range(1, 3)]
        chosen = np.concatenate(steps)
        chosen = np.unique(np.concatenate([chosen, chosen ^ sign]))
        rng = np.random.default_rng(self.seed)
        random = rng.integers(0, 1 << (8 * self.raw.itemsize), count - chosen.size, self.raw)
        return np.sort(np.concatenate([chosen, random]))

    @property
    def data(self) -> int:
        """How many data there are."""
        if self.exhaustive:
            return 1 << (8 * self.raw.itemsize)
        return int(self._sampled_data.size)

    @property
    def rows(self) -> int:
        """How many data a block has."""
        return min(max(BLOCK // self.gradients.size, 1), self.data)

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return -(-self.data // self.rows)

    @property
    def pairs(self) -> int:
        """How many pairs of a datum and a gradient there are."""
        return self.data * int(self.gradients.size)

    def patterns(self, block: int) -> NDArray[Any]:
        """Return the bits of a block's data."""
        start = block * self.rows
        stop = min(start + self.rows, self.data)
        if self.exhaustive:
            return np.arange(start, stop, dtype=np.uint64).astype(self.raw)
        return self._sampled_data[start:stop]


class Place(NamedTuple):
    """One result: where the largest error is."""

    data: float
    gradient: float
    actual: float
    golden: float


@dataclass
class Tally:
    """What is known about one computation of a sweep."""

    #: results by class, see `truth.EDGES`
    histogram: list[int] = field(default_factory=lambda: [0] * CLASSES)
    #: the largest error where something is stated, and where it is
    max_ulp: float = 0.0
    at: Place | None = None
    #: data with results that are further off than is stated, or NaN, or zeros of the wrong sign
    beyond: int = 0
    #: largest error in ulp by the upper bits of the datum; NaN where there was none
    profile: NDArray[np.float32] = field(
        default_factory=lambda: np.zeros(1 << PROFILE_BITS, np.float32)
    )

    @property
    def wrong(self) -> int:
        """Results that are not the exact value rounded once."""
        return sum(self.histogram[FIRST_WRONG:])

    @property
    def mismatches(self) -> int:
        """Results that are NaN instead of a number or the reverse, or zeros of the wrong sign."""
        return self.histogram[NAN] + self.histogram[ZERO_SIGN]

    def as_dict(self) -> dict[str, Any]:
        """Return what `from_dict` takes, for JSON."""
        return {
            "histogram": self.histogram,
            "max_ulp": self.max_ulp,
            "at": self.at,
            "beyond": self.beyond,
            "profile": base64.b64encode(self.profile.tobytes()).decode(),
        }

    @classmethod
    def from_dict(cls, value: dict[str, Any]) -> Tally:
        """Return what `as_dict` was made from."""
        profile = np.frombuffer(base64.b64decode(value["profile"]), np.float32).copy()
        at = None if value["at"] is None else Place(*value["at"])
        return cls(list(value["histogram"]), value["max_ulp"], at, value["beyond"], profile)


@dataclass
class Outcome:
    """What is known about a sweep, finished or not."""

    plan: Plan
    #: blocks that are done
    done: int = 0
    pairs: int = 0
    #: roundings that the fast oracle could not decide
    hard: int = 0
    seconds: float = 0.0
    tallies: dict[str, Tally] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.plan.computed:
            self.tallies.setdefault(name, Tally())

    @property
    def finished(self) -> bool:
        """Whether all blocks are done."""
        return self.done == self.plan.blocks

    def bound(self, computed: str) -> Bound | None:
        """Return what is stated for one computation."""
        plan = self.plan
        size = plan.rows * plan.gradients.size
        return stated(plan.operator, plan.kind, computed, plan.setting, size)

    def holds(self, computed: str) -> bool:
        """Tell whether that is so."""
        bound, tally = self.bound(computed), self.tallies[computed]
        if bound is None:
            return True
        return not (tally.wrong if bound.rounded else tally.beyond)


class Runner:
    """Does a sweep, a block at a time; its buffers are as large as a block."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        plan = self.plan = outcome.plan
        self.form = target(plan.element)
        rows, columns, subjects = plan.rows, plan.gradients.size, len(plan.computed)
        self._length = -(-rows // _CHUNKS)
        self._chunks = -(-rows // self._length)
        self._data = np.empty((rows, columns), plan.element.numpy)
        self._other = np.empty_like(self._data)
        self._gradients = np.empty_like(self._data)
        self._gradients[...] = plan.gradients
        self._factors = np.empty((rows, COLUMNS))
        self._actual = np.empty((subjects, rows, columns), np.float32)
        if plan.raw.itemsize == 2:
            patterns = np.arange(1 << 16, dtype=np.uint16)
            #: every number of the type
            self._numbers = patterns.view(plan.element.numpy).astype(np.float32)
        self._worst = np.empty((subjects, rows))
        self._column = np.empty((subjects, rows), np.int64)
        self._hard = np.empty((self._chunks, self._length * columns), np.int64)

    @np.errstate(all="ignore")
    def step(self) -> None:
        """Do the next block."""
        plan, outcome, subject = self.plan, self.outcome, self.plan.subject
        patterns = plan.patterns(outcome.done)
        data = patterns.view(plan.element.numpy)
        other = plan.setting.third(data)
        rows, columns = data.size, plan.gradients.size
        self._data[:rows], self._other[:rows] = data[:, None], other[:, None]
        numbers = subject.numbers(plan.setting, rows * columns)
        factors = self._factors[:rows]
        exact_data, exact_other = data.astype(np.float64), other.astype(np.float64)
        subject.factors(exact_data, exact_other, *numbers, factors)
        actual = self._actual[:, :rows]
        for number, computed in enumerate(plan.computed):
            self._keep(self._compute(computed, rows), actual[number])
        histogram = np.zeros((self._chunks, len(plan.computed), CLASSES), np.int64)
        worst, column = self._worst[:, :rows], self._column[:, :rows]
        gradients = plan.gradients.astype(np.float64)
        found = judge(factors, gradients, actual, *self.form, worst, column, histogram, self._hard)

        def wanted(i: int, j: int) -> exact.Golden:
            factor = subject.exact(exact_data[i].item(), exact_other[i].item(), *numbers)
            return exact.golden(factor, gradients[j].item(), self.form)

        for chunk, count in enumerate(found.tolist()):
            for place in self._hard[chunk, :count].tolist():
                i, j = divmod(place, columns)
                golden = wanted(i, j)
                for m in range(len(plan.computed)):
                    kind, error = self._judge_exactly(actual[m, i, j].item(), golden)
                    histogram[chunk, m, kind] += 1
                    if kind in (NAN, ZERO_SIGN):
                        error = math.inf
                    if error > worst[m, i]:
                        worst[m, i], column[m, i] = error, j
        # patterns are in order, so that a bin is a run of rows
        bins = patterns >> (8 * patterns.itemsize - PROFILE_BITS)
        starts = np.flatnonzero(np.diff(bins, prepend=bins[0] ^ 1))
        for m, computed in enumerate(plan.computed):
            tally = outcome.tallies[computed]
            tally.histogram = (histogram[:, m].sum(axis=0) + tally.histogram).tolist()
            finite = np.where(worst[m] == math.inf, 0, worst[m])
            largest = np.maximum.reduceat(finite, starts).astype(np.float32)
            tally.profile[bins[starts]] = np.maximum(tally.profile[bins[starts]], largest)
            bound = outcome.bound(computed)
            if bound is not None:
                tally.beyond += self._beyond(bound, worst[m], exact_data, exact_other)
            worst[m, worst[m] == math.inf] = 0
            i = int(worst[m].argmax())
            if worst[m, i] > tally.max_ulp:
                j = int(column[m, i])
                pair = exact_data[i].item(), gradients[j].item()
                tally.max_ulp = float(worst[m, i])
                tally.at = Place(*pair, actual[m, i, j].item(), wanted(i, j).rounded)
        outcome.hard += int(found.sum())
        outcome.pairs += rows * columns
        outcome.done += 1

    def _beyond(
        self,
        bound: Bound,
        worst: NDArray[np.float64],
        data: NDArray[np.float64],
        other: NDArray[np.float64],
    ) -> int:
        """Count data with a larger error than is stated; forget errors where nothing is."""
        allowed = self.plan.subject.allowed(bound, data, other)
        np.copyto(worst, 0, where=np.equal(allowed, math.inf))
        return int(np.count_nonzero(worst > allowed))

    def _judge_exactly(self, value: float, golden: exact.Golden) -> tuple[int, float]:
        """Return the class and the error of a hard case."""
        if math.isnan(value):
            return NAN, 0.0
        error = exact.error_in_ulp(value, golden, self.form)
        return classify(value, golden.rounded, error), error

    def _keep(self, results: NDArray[Any], out: NDArray[np.float32]) -> None:
        """Write results as float32."""
        if results.itemsize == out.itemsize:
            copy(results.reshape(-1), out.reshape(-1))
        else:
            widen(results.reshape(-1).view(np.uint16), self._numbers, out.reshape(-1))

    def _compute(self, computed: str, rows: int) -> NDArray[Any]:
        """Return the operator's results."""
        plan, subject = self.plan, self.plan.subject
        tensors = self._gradients[:rows], self._data[:rows], self._other[:rows]
        if computed == TORCH:
            return peer(subject, plan.setting, *tensors)
        return subject.call(plan.setting, computed, *tensors)


def run(outcomes: Sequence[Outcome]) -> Iterator[Outcome]:
    """Go on with unfinished sweeps, one after the other; yield after every block."""
    for outcome in outcomes:
        if outcome.finished:
            continue
        runner = Runner(outcome)
        while not outcome.finished:
            start = time.perf_counter()
            runner.step()
            outcome.seconds += time.perf_counter() - start
            yield outcome
