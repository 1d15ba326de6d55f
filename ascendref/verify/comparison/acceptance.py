"""The vendor's acceptance rule for results of floating-point operators."""

import warnings
from typing import Any, Final, NamedTuple

import numpy as np

from ...core.dtypes import ELEMENT_TYPES
from .ulp import blocks, import_pair, spacing


class Rule(NamedTuple):
    """The tolerances for a result of one type."""

    #: exponents of two: an element is in tolerance within ``2**atol + 2**rtol * |golden|``
    rtol: int
    atol: int
    #: cap: no element may have an absolute error above this and above ``ULPS`` ulp
    cap: float


#: by type of the result; the vendor has no rule for F64
RULES: Final = {
    "float16": Rule(rtol=-9, atol=-9, cap=0.1),
    "bfloat16": Rule(rtol=-6, atol=-6, cap=1.0),
    "float32": Rule(rtol=-10, atol=-16, cap=0.01),
}
#: error in ulp that the cap always allows
ULPS: Final = 32
#: percentage of the elements that may be out of tolerance
PERCENT: Final = 1


@np.errstate(all="ignore")  # signalling NaNs
def assert_accepted(actual: Any, golden: Any) -> None:
    """Raise unless a result passes the vendor's acceptance rule for floating-point operators.

    Parameters
    ----------
    actual : array
        The result: F16, BF16 or F32.
    golden : array
        The expected values, with the same shape and the same or a wider type (F32 for F16 and BF16,
        F64 for all).

    Raises
    ------
    AssertionError
        If the result is not accepted. The message says which part of the rule failed, for how many
        elements, and where their largest error is.
    ArgumentTypeError
        If an argument is not a floating-point array, golden's type is too narrow, or the result is
        F64, for which there is no rule.
    ArgumentValueError
        If the shapes differ.

    Notes
    -----
    The rule has two parts. At least 99 % of the elements must be in tolerance: ``|actual - golden|
    <= atol + rtol * |golden|``. And no element may have an absolute error above the larger of the
    cap and 32 ulp.

    ======  ========  ========  ====
    type    rtol      atol      cap
    ======  ========  ========  ====
    F16     2**-9     2**-9     0.1
    BF16    2**-6     2**-6     1
    F32     2**-10    2**-16    0.01
    ======  ========  ========  ====

    Ulps are those of the result's type at golden, as defined by `compare`. NaN must match NaN, and
    infinity the same infinity; otherwise the error is infinite. A golden value that rounds to
    infinity in the result's type counts as infinity.

    The tolerance is absolute near 0 and forgives errors of hundreds of ulp there, those of another
    formula for example. If the result is accepted and an element is more than 32 ulp off, a
    UserWarning says so; `compare` has all errors, and the operators' docstrings have their bounds.

    Examples
    --------
    >>> golden = np.ones(1000)
    >>> actual = np.ones(1000, np.float16)
    >>> ar.assert_accepted(actual, golden)
    >>> actual[7] += 0.125
    >>> ar.assert_accepted(actual, golden)
    Traceback (most recent call last):
    ...
    AssertionError: the result is not accepted as float16
    1 of 1,000 elements beyond the cap, none may be: |actual - golden| <= max(0.1, 32 ulp)
      the largest error at (7,): actual 1.125, golden 1.0, error 0.125
    """
    pair = import_pair(actual, golden, tuple([ELEMENT_TYPES[name] for name in RULES]))
    rule, size = RULES[pair.kind.name], pair.actual.size
    atol, rtol = 2.0**rule.atol, 2.0**rule.rtol
    # elements out of tolerance and beyond the cap; index and size of their largest error
    counts, places, largest = [0, 0], [0, 0], [0.0, 0.0]
    coarse, most_ulps = 0, 0.0  # elements more than ULPS ulp off, and the largest such error
    for block in blocks(pair):
        tolerance = atol + rtol * np.abs(block.golden)
        ulp = spacing(block.golden, pair.kind)
        cap = np.maximum(rule.cap, ULPS * ulp)
        ulps = np.where(np.isfinite(block.absolute), block.absolute / ulp, 0)
        coarse += int(np.count_nonzero(ulps > ULPS))
        most_ulps = max(most_ulps, float(ulps.max()))
        for part, allowed in enumerate((tolerance, cap)):
            # beside an infinity or a NaN the tolerance is that too, and the error is infinite
            broken = (block.absolute > allowed) | np.isinf(block.absolute)
            counts[part] += int(np.count_nonzero(broken))
            ranked = np.where(broken, block.absolute, 0)
            worst = int(ranked.argmax())
            if ranked[worst] > largest[part]:
                places[part], largest[part] = block.start + worst, float(ranked[worst])
    texts = (
        f"out of tolerance, {PERCENT} % may be: |actual - golden| <= 2**{rule.atol} +"
        f" 2**{rule.rtol} * |golden|",
        f"beyond the cap, none may be: |actual - golden| <= max({rule.cap:g}, {ULPS} ulp)",
    )
    lines = []
    for part, most in enumerate((PERCENT, 0)):
        if counts[part] * 100 > most * size:
            index = tuple(int(k) for k in np.unravel_index(places[part], pair.actual.shape))
            lines += [
                f"{counts[part]:,} of {size:,} elements {texts[part]}",
                f"  the largest error at {index}: actual {float(pair.actual[index])!r}, golden"
                f" {float(pair.golden[index])!r}, error {largest[part]:g}",
            ]
    if lines:
        raise AssertionError("\n".join([f"the result is not accepted as {pair.kind.name}", *lines]))
    if coarse:
        warnings.warn(
            f"the result is accepted as {pair.kind.name}, but {coarse:,} of {size:,} elements are"
            f" more than {ULPS} ulp off, at most {most_ulps:.4g} ulp: another formula may have been"
            " computed; ascendref.compare has all errors",
            stacklevel=3,
        )
