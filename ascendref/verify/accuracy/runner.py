"""The runner of sweeps: computes blocks of results and judges them."""

import math
import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import FLOAT32, FLOAT64, float_format
from ...functional.casting import cast
from ..judge import CLASSES, first_largest, judge
from ..setting import expanded
from .golden import golden_values, settle
from .pytorch import torch_result
from .rows import element_row
from .sweep import TORCH
from .sweep_result import PROFILE_BITS, SweepResult

#: chunks of a block that are judged in parallel
_CHUNKS: Final = 30


class Runner:
    """Runs a sweep block by block."""

    def __init__(self, result: SweepResult) -> None:
        self.result = result
        sweep = self.sweep = result.sweep
        self._actual = np.empty((len(sweep.computed), sweep.rows, sweep.columns), np.float32)

    @np.errstate(all="ignore")
    def step(self) -> None:
        sweep, result = self.sweep, self.result
        patterns = sweep.patterns(result.done)
        data = patterns.view(sweep.element.numpy)
        rows, columns = data.size, sweep.columns
        gradients = sweep.gradients(result.done)
        operands = sweep.setting.operands(data[:, None], gradients)
        tensors = expanded(operands)
        actual = self._actual[:, :rows]
        for m, computed in enumerate(sweep.computed):
            if computed == TORCH:
                found = torch_result(sweep.setting, tensors)
            else:
                found = sweep.setting.call(computed, tensors)
            actual[m] = cast(found, FLOAT32.name)
        doubles = expanded([array.astype(np.float64) for array in operands])
        golden = golden_values(sweep.setting, doubles, sweep.element)
        if FLOAT64.name in sweep.computed:
            rounded = actual[sweep.computed.index(FLOAT64.name)]
            settle(sweep.setting, doubles, sweep.element, golden, rounded)
        values, golden_rounded = golden.values, golden.rounded
        gradients = np.broadcast_to(gradients, values.shape)
        if sweep.setting.bound_has_both:  # then every pair is a row
            patterns, data = np.repeat(patterns, columns), np.repeat(data, columns)
            gradients, values = gradients.reshape(-1, 1), values.reshape(-1, 1)
            golden_rounded = golden_rounded.reshape(-1, 1)
            actual = actual.reshape(len(actual), -1, 1)
            doubles = [array.reshape(-1, 1) for array in doubles]
        shape = len(actual), len(values)
        worst, column = np.empty(shape), np.empty(shape, np.int64)
        histogram = np.zeros((_CHUNKS, len(actual), CLASSES), np.int64)
        form = float_format(sweep.element)
        judge(values, golden_rounded, actual, form, worst, column, histogram)
        elements = [array[:, 0] for array in doubles]
        starts = _starts_of_bins(patterns)
        bins = patterns[starts] >> (8 * patterns.itemsize - PROFILE_BITS)
        first = np.empty_like(starts)
        for m, computed in enumerate(sweep.computed):
            tally = result.tallies[computed]
            tally.histogram = (histogram[:, m].sum(axis=0) + tally.histogram).tolist()
            first_largest(worst[m], starts, first)
            errors = worst[m, first]
            errors[errors == math.inf] = 0
            seen = np.column_stack([data[first], errors]).astype(np.float32)
            larger = seen[:, 1] > tally.profile[bins, 1]
            tally.profile[bins[larger]] = seen[larger]
            i = self._add_worst(computed, worst[m], elements)
            if i is not None:
                j = column[m, i]
                gradient = gradients[i, j].item() if sweep.has_gradients else None
                met_there = actual[m, i, j].item(), golden_rounded[i, j].item()
                tally.at = element_row(float(data[i]), gradient, *met_there)
        result.hard += golden.hard
        result.pairs += rows * columns
        result.done += 1

    def _add_worst(
        self, computed: str, worst: NDArray[np.float64], elements: list[NDArray[np.float64]]
    ) -> int | None:
        """Count the data with results beyond a bound; return the worst, if none was as bad."""
        tally, bound = self.result.tallies[computed], self.result.bound(computed)
        if bound is not None:
            allowed = self.sweep.setting.allowed(bound, elements)
            np.copyto(worst, 0, where=np.equal(allowed, math.inf))  # no bound is stated there
            tally.beyond += int(np.count_nonzero(worst > allowed))
        worst[worst == math.inf] = 0
        i = int(worst.argmax())
        if worst[i] <= tally.max_ulp:
            return None
        tally.max_ulp = float(worst[i])
        return i


def _starts_of_bins(patterns: NDArray[Any]) -> NDArray[np.intp]:
    """Return where the bins that have patterns begin; patterns are in order."""
    shift = 8 * patterns.itemsize - PROFILE_BITS
    first, last = int(patterns[0]) >> shift, int(patterns[-1]) >> shift
    edges = [number << shift for number in range(first, last + 1)]
    return np.unique(np.searchsorted(patterns, np.array(edges, patterns.dtype)))


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
