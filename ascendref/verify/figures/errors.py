"""The figure of `ascendref verify`: the largest errors against the input."""

import math
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from ...core.dtypes import ELEMENT_TYPES, float_format
from ..accuracy.sweep import TORCH
from ..accuracy.sweep_result import SweepResult
from ..setting import Doubles
from .panels import LABELS, Level, Marks, Panel, Tick, computed_label

#: the vertical axis, in ulp
_RANGE: Final = (0.08, 12.0)
#: sizes of marks, largest first: equal errors show as rings
_SIZES: Final = {TORCH: 3.0, "float32": 2.4, "bfloat16": 1.8, "float16": 1.4, "float64": 1.0}
#: powers of two up to which an exponent of ten is the more important the more of them it contains
_MOST_TWOS: Final = 5
#: bins of a binade in the panel of a result
_BINS: Final = 16
_SUPERSCRIPTS: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def error_panels(results: Sequence[SweepResult]) -> dict[tuple[str, str], Panel]:
    """Return a panel for every operator and type, which all settings share."""
    groups: dict[tuple[str, str], list[SweepResult]] = {}
    for result in results:
        groups.setdefault((result.sweep.operator, result.sweep.kind), []).append(result)
    return {(name, kind): _panel(name, kind, group) for (name, kind), group in groups.items()}


def _panel(operator: str, kind: str, results: Sequence[SweepResult]) -> Panel:
    """Return the panel of an operator and a type: each bin of data has its largest error."""
    marks, levels = [], [Level(0.5, "one rounding, at most")]
    for name in (n for n in _SIZES if n in results[0].tallies):
        profiles = np.array([result.tallies[name].profile for result in results])
        owners = profiles[:, :, 1].argmax(0)
        data, errors = profiles[owners, np.arange(len(owners))].T
        if (seen := errors > 0).any():
            x, y = place(data[seen], kind), errors[seen]
            marks.append(Marks(computed_label(name), name, x, y, size=_SIZES[name]))
        limits = [bound.ulp for result in results if (bound := result.bound(name)) is not None]
        if limits and max(limits) > 0.5:
            levels.append(Level(max(limits), f"largest stated bound, {computed_label(name)}", name))
    edge = float(place([math.inf], kind)[0])
    return Panel(
        f"{operator.replace('_backward', '')}, {LABELS[kind]}" + ("" if marks else ": exact"),
        "input, by its place among the numbers of the type",
        "largest error, in ulp",
        marks,
        levels,
        list(_ticks(kind, edge)),
        _RANGE,
    )


def judged_panel(title: str, kind: str, data: Doubles, errors: Doubles, limit: float) -> Panel:
    """Return the panel of a judged result: the largest error of each bin of data of a type.

    The limit is the bound of the errors, which finite ones may exceed.
    """
    x = np.round(place(data.reshape(-1), kind) * _BINS) / _BINS
    y = np.where(np.isfinite(errors), errors, 2 * _RANGE[1]).reshape(-1)
    order = np.lexsort((y, x))
    chosen = order[np.append(np.diff(x[order]) != 0, True)]
    chosen = chosen[y[chosen] > 0]
    marks = [Marks("the result", TORCH, x[chosen], y[chosen])] if chosen.size else []
    levels = [Level(0.5, "one rounding, at most")]
    if limit > 0.5:
        levels.append(Level(limit, "stated bound, F32 arithmetic", "float32"))
    edge = float(place([math.inf], kind)[0])
    words = "input, by its place among the numbers of the type", "largest error, in ulp"
    return Panel(title, *words, marks, levels, list(_ticks(kind, edge)), _RANGE)


def place(values: ArrayLike, kind: str) -> Doubles:
    """Return where data stand on an axis that is logarithmic, in binades, on both sides of 0."""
    numpy = ELEMENT_TYPES[kind].numpy
    raw = np.dtype(f"u{numpy.itemsize}")
    with np.errstate(over="ignore"):
        bits = np.asarray(values, numpy).view(raw).astype(np.int64)
    half = 1 << (8 * raw.itemsize - 1)
    steps = np.where(bits < half, bits, half - bits)
    placed: Doubles = steps / float(1 << float_format(ELEMENT_TYPES[kind]).fraction)
    return placed


def _ticks(kind: str, edge: float) -> Iterator[Tick]:
    """Yield ticks at zero and at 1, 2 and 5 times the powers of ten that are normal numbers."""
    yield Tick(0.0, "0", _MOST_TWOS + 2)
    form = float_format(ELEMENT_TYPES[kind])
    for power in range(math.ceil(math.log10(form.normal)), math.ceil(math.log10(form.largest))):
        twos = _MOST_TWOS if power == 0 else min((power & -power).bit_length() - 1, _MOST_TWOS - 1)
        for digit, level in ((1, twos + 1), (2, 0), (5, 0)):
            spot = float(place([digit * 10.0**power], kind)[0])
            text = f"{digit}·" * (digit > 1) + "10" + str(power).translate(_SUPERSCRIPTS)
            if -3 <= power <= 3:
                text = f"{digit * 10.0**power:g}"
            if spot < edge:
                yield Tick(spot, text, level)
                yield Tick(-spot, f"−{text}", level)
