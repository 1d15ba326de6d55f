"""The runner of sweeps: computes blocks of results and judges them."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..oracles import exact
from ..oracles.factors import COLUMNS
from ..oracles.formats import format_of
from ..oracles.judge import CLASSES, NAN, ZERO_SIGN, classify, copy, judge, widen
from .pytorch import torch_result
from .sweep import TORCH, Sweep
from .sweep_result import PROFILE_BITS, Element, SweepResult

#: chunks of a block that are judged in parallel
_CHUNKS: Final = 30


class Block:
    """Some data of a sweep with all gradients, as float64."""

    def __init__(self, sweep: Sweep, data: NDArray[Any], others: NDArray[Any]) -> None:
        self.data, self.others = data.astype(np.float64), others.astype(np.float64)
        self.gradients = sweep.gradients.astype(np.float64)
        self.prepared = sweep.reference.prepared(sweep.setting, data.size * self.gradients.size)
        self._exact = sweep.reference.exact
        self._form = format_of(sweep.element)

    def golden(self, i: int, j: int) -> exact.Golden:
        """Return the golden result for a datum and a gradient."""
        factor = self._exact(self.data[i].item(), self.others[i].item(), *self.prepared)
        return exact.golden(factor, self.gradients[j].item(), self._form)


class Runner:
    """Runs a sweep block by block, in buffers of a block's size."""

    def __init__(self, result: SweepResult) -> None:
        self.result = result
        sweep = self.sweep = result.sweep
        self.form = format_of(sweep.element)
        rows, columns, computations = sweep.rows, sweep.gradients.size, len(sweep.computed)
        self._length = -(-rows // _CHUNKS)
        self._chunks = -(-rows // self._length)
        self._data = np.empty((rows, columns), sweep.element.numpy)
        self._others = np.empty_like(self._data)
        self._gradients = np.empty_like(self._data)
        self._gradients[...] = sweep.gradients
        self._factors = np.empty((rows, COLUMNS))
        self._actual = np.empty((computations, rows, columns), np.float32)
        if sweep.raw.itemsize == 2:
            patterns = np.arange(1 << 16, dtype=np.uint16)
            #: every number of the type
            self._numbers = patterns.view(sweep.element.numpy).astype(np.float32)
        self._worst = np.empty((computations, rows))
        self._column = np.empty((computations, rows), np.int64)
        self._hard = np.empty((self._chunks, self._length * columns), np.int64)

    @np.errstate(all="ignore")
    def step(self) -> None:
        """Run the next block."""
        sweep, result = self.sweep, self.result
        patterns = sweep.patterns(result.done)
        data = patterns.view(sweep.element.numpy)
        others = sweep.setting.others(data)
        rows = data.size
        self._data[:rows], self._others[:rows] = data[:, None], others[:, None]
        for m, computed in enumerate(sweep.computed):
            self._store(self._compute(computed, rows), self._actual[m, :rows])
        block = Block(sweep, data, others)
        histogram, hard = self._judge(block)
        # patterns are in order, so that a bin is a run of rows
        bins = patterns >> (8 * patterns.itemsize - PROFILE_BITS)
        starts = np.flatnonzero(np.diff(bins, prepend=bins[0] ^ 1))
        for m in range(len(sweep.computed)):
            self._record(m, block, histogram[m], bins[starts], starts)
        result.hard += hard
        result.pairs += rows * sweep.gradients.size
        result.done += 1

    def _judge(self, block: Block) -> tuple[NDArray[np.int64], int]:
        """Compare results with exact ones; return histograms and the number of hard cases."""
        rows, columns, computations = block.data.size, block.gradients.size, len(self._actual)
        factors, actual = self._factors[:rows], self._actual[:, :rows]
        worst, column = self._worst[:, :rows], self._column[:, :rows]
        histogram = np.zeros((self._chunks, computations, CLASSES), np.int64)
        self.sweep.reference.factors(block.data, block.others, *block.prepared, factors)
        found = judge(
            factors, block.gradients, actual, self.form, worst, column, histogram, self._hard
        )
        for chunk, count in enumerate(found.tolist()):
            for place in self._hard[chunk, :count].tolist():
                i, j = divmod(place, columns)
                golden = block.golden(i, j)
                for m in range(computations):
                    kind, error = self._judge_exactly(actual[m, i, j].item(), golden)
                    histogram[chunk, m, kind] += 1
                    if kind in (NAN, ZERO_SIGN):
                        error = math.inf
                    if error > worst[m, i]:
                        worst[m, i], column[m, i] = error, j
        return histogram.sum(axis=0), int(found.sum())

    def _record(
        self,
        m: int,
        block: Block,
        histogram: NDArray[np.int64],
        bins: NDArray[Any],
        starts: NDArray[np.intp],
    ) -> None:
        """Add the findings of one computation to its tally."""
        computed, worst = self.sweep.computed[m], self._worst[m, : block.data.size]
        tally, bound = self.result.tallies[computed], self.result.bound(computed)
        tally.histogram = (histogram + tally.histogram).tolist()
        finite = np.where(worst == math.inf, 0, worst)
        largest = np.maximum.reduceat(finite, starts)
        lengths = np.diff(starts, append=finite.size)
        # the first row of each run that has the largest error of the run
        rows = np.flatnonzero(finite == np.repeat(largest, lengths))
        rows = rows[np.searchsorted(rows, starts)]
        larger = largest.astype(np.float32) > tally.profile[bins]
        bins, rows = bins[larger], rows[larger]
        columns = self._column[m, rows]
        tally.profile[bins] = largest[larger]
        tally.profile_at[bins, 0] = block.data[rows]
        tally.profile_at[bins, 1] = block.gradients[columns]
        tally.profile_at[bins, 2] = self._actual[m, rows, columns]
        if bound is not None:
            allowed = self.sweep.reference.allowed(bound, block.data, block.others)
            np.copyto(worst, 0, where=np.equal(allowed, math.inf))  # no bound is stated there
            tally.beyond += int(np.count_nonzero(worst > allowed))
        worst[worst == math.inf] = 0
        i = int(worst.argmax())
        if worst[i] > tally.max_ulp:
            j = int(self._column[m, i])
            tally.max_ulp = float(worst[i])
            tally.at = Element(
                block.data[i].item(),
                block.gradients[j].item(),
                self._actual[m, i, j].item(),
                block.golden(i, j).rounded,
            )

    def _judge_exactly(self, value: float, golden: exact.Golden) -> tuple[int, float]:
        """Return the class and the error of a hard case."""
        if math.isnan(value):
            return NAN, 0.0
        error = exact.error_in_ulp(value, golden, self.form)
        return classify(value, golden.rounded, error), error

    def _store(self, results: NDArray[Any], out: NDArray[np.float32]) -> None:
        """Write results as float32."""
        if results.itemsize == out.itemsize:
            copy(results.reshape(-1), out.reshape(-1))
        else:
            widen(results.reshape(-1).view(np.uint16), self._numbers, out.reshape(-1))

    def _compute(self, computed: str, rows: int) -> NDArray[Any]:
        """Return the operator's results."""
        sweep, reference = self.sweep, self.sweep.reference
        tensors = self._gradients[:rows], self._data[:rows], self._others[:rows]
        if computed == TORCH:
            return torch_result(reference, sweep.setting, *tensors)
        return reference.call(sweep.setting, computed, *tensors)


def run(results: Sequence[SweepResult]) -> Iterator[SweepResult]:
    """Continue unfinished sweeps, one after another; yield after every block."""
    for result in results:
        if result.finished:
            continue
        runner = Runner(result)
        while not result.finished:
            start = time.perf_counter()
            runner.step()
            result.seconds += time.perf_counter() - start
            yield result
