"""Verdicts on casts, to the types of ``ascendref.cast`` and to those of ``ml_dtypes`` and HiFloat8.

The narrow types of eight bits and fewer are those of libraries, whose casts are the reference.
"""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import BY_NUMPY, FLOATS
from ...core.errors import ArgumentTypeError, ArgumentValueError
from ...functional.casting import ROUND_MODES, cast
from .calls import Truth
from .judging import ROUNDED, Fit, Judged, Verdict, judge_result, worst_elements

#: the only mode of each type that a library casts to
_NEAREST: Final = "rint"
_AWAY: Final = "round"


@np.errstate(all="ignore")  # signalling NaNs
def judge_cast(array: NDArray[Any], out: NDArray[Any], mode: str) -> Judged:
    """Judge one array as the cast of another, F16, BF16, F32 or F64, in a rounding mode."""
    if BY_NUMPY.get(array.dtype) not in FLOATS:
        problem = f"has type {array.dtype}; allowed are float16, bfloat16, float32, float64"
        raise ArgumentTypeError("array", problem)
    if array.shape != out.shape:
        raise ArgumentValueError("out", f"has shape {out.shape}; {array.shape} is expected")
    attrs: dict[str, float | str] = {"dtype": out.dtype.name, "round_mode": mode}
    if BY_NUMPY.get(out.dtype) in FLOATS:
        verdict = _of_wide(array, out, mode)
        others = [] if verdict.right else [m for m in ROUND_MODES if _of_wide(array, out, m).right]
        return Judged("cast", "cast", attrs, [verdict], [f"round_mode={m!r}" for m in others])
    if out.dtype.kind != "V" or out.dtype.names is not None or out.dtype.itemsize > 1:
        raise ArgumentTypeError("out", f"has type {out.dtype}, to which no float is cast")
    own = _AWAY if out.dtype.name == "hifloat8" else _NEAREST
    if mode not in (own, _NEAREST):
        problem = f"is {mode!r}; {out.dtype.name} is rounded in one way alone, {own!r}"
        raise ArgumentValueError("round_mode", problem)
    attrs["round_mode"] = own
    verdict, notes = _of_narrow(array, out)
    return Judged("cast", "cast", attrs, [verdict], notes=notes)


def _of_wide(array: NDArray[Any], out: NDArray[Any], mode: Any) -> Verdict:
    rounded = cast(array, out.dtype, mode)
    # errors are distances from what the mode gives: there is no other bound
    truth = Truth(rounded.astype(np.float64), rounded)
    none: Iterator[Fit] = iter(())
    flat = array.astype(np.float64).reshape(-1)
    return judge_result("out", out, truth, lambda _: none, lambda k: {"array": flat[k].item()})


def _of_narrow(array: NDArray[Any], out: NDArray[Any]) -> tuple[Verdict, list[str]]:
    """Compare with the cast of a library; errors are steps through the numbers of the type."""
    # the library rounds float64 to float32 on its way, which loses nothing if that is to odd
    narrow = cast(array, np.float32, "odd") if array.dtype == np.float64 else array
    golden = narrow.astype(out.dtype)
    actual, rounded = out.astype(np.float64), golden.astype(np.float64)
    verdict = Verdict("out", out, Truth(rounded, rounded.astype(np.float32)))
    same = (actual == rounded) & (np.signbit(actual) == np.signbit(rounded))
    same |= np.isnan(actual) & np.isnan(rounded)
    verdict.wrong = int(np.count_nonzero(~same))
    every = np.arange(256, dtype=np.uint8).view(out.dtype).astype(np.float64)
    numbers = np.unique(every[~np.isnan(every)])
    places = np.searchsorted(numbers, actual) - np.searchsorted(numbers, rounded)
    steps = abs(places).astype(np.float64)
    steps[np.isnan(actual) != np.isnan(rounded)] = np.inf
    steps[~same & (actual == rounded)] = np.inf
    steps[same] = 0.0
    verdict.measure(steps)
    verdict.fits.append(Fit(ROUNDED, verdict.wrong, f"the cast of {type(golden[()]).__module__}"))
    flat = array.astype(np.float64).reshape(-1)
    verdict.worst = worst_elements(verdict, ~same, lambda k: {"array": flat[k].item()})
    return verdict, list(_notes(array.astype(np.float64), rounded, out.dtype.name))


def _notes(array: NDArray[Any], rounded: NDArray[Any], name: str) -> Iterator[str]:
    """Yield what becomes of numbers that a type does not have, where the array has them."""
    nan, zero = np.isnan(array), array == 0
    for what, mask in (
        ("NaN", nan & ~np.isnan(rounded)),
        ("0", zero & (rounded != 0)),
        ("-0", zero & np.signbit(array) & (rounded == 0) & ~np.signbit(rounded)),
        ("infinity", np.isinf(array) & ~np.isinf(rounded)),
    ):
        if mask.any():
            becomes = ", ".join(dict.fromkeys(f"{x:g}" for x in rounded[mask].tolist()))
            yield f"{name} has no {what}, which becomes {becomes} ({np.count_nonzero(mask):,})"
