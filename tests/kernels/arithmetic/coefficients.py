"""Writes `ascendref/kernels/arithmetic/coefficients.py`: Chebyshev fits, made with mpmath.

Run it from the root: ``python -m tests.kernels.arithmetic.coefficients``.
"""

from __future__ import annotations

import pathlib
import warnings
from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np

import ascendref.kernels.arithmetic
from ascendref.kernels.arithmetic.normal import ERFC, NORMAL, Tail

HEAD = '''"""Coefficients of polynomials for double (True) and float (False), highest power first.

`tests/kernels/arithmetic/coefficients.py` writes this file. Comments give the fits' errors.
"""

from typing import Final
'''


def exponential(r: Any) -> Any:
    """``exp(r)`` is ``1 + r + r**2 * p(r)``."""
    return mp.mpf(1) / 2 + r / 6 if abs(r) < 1e-25 else (mp.expm1(r) - r) / r**2


def logarithm(z: Any) -> Any:
    """``log((1 + s) / (1 - s))`` is ``s * (2 + z * p(z))`` for ``z = s**2``."""
    s = mp.sqrt(z)
    return mp.mpf(2) / 3 if z < 1e-25 else (mp.log1p(s) - mp.log1p(-s) - 2 * s) / s**3


def error_function(z: Any) -> Any:
    """``erf(x)`` is ``x + x * p(z)`` for ``z = x**2``."""
    x = mp.sqrt(z)
    return (2 / mp.sqrt(mp.pi) if z < 1e-40 else mp.erf(x) / x) - 1


def tail(of: Tail, function: Callable[[Any], Any], k: Any) -> Callable[[Any], Any]:
    """``function(y)`` is ``exp(-factor * y**2) * mills * tail(t)``, see `Tail`."""

    def correction(t: Any) -> Any:
        y = k * (1 + t) / (1 - t)
        mills = (y + of.a) / (y * (y + of.a) + of.b)
        return function(y) * mp.exp(of.factor * y**2) / mills

    return correction


def fit(function: Callable[[Any], Any], low: Any, high: Any, count: int, *, wide: bool) -> str:
    """Return a tuple of coefficients as text."""
    with warnings.catch_warnings():
        # newer versions want an ascending order, which older ones do not have
        warnings.simplefilter("ignore", DeprecationWarning)
        values, error = mp.chebyfit(function, [low, high], count, error=True)
    rounded = [float(c) if wide else float(np.float32(float(c))) for c in values]
    lines = "".join(f"        {c!r},\n" for c in rounded)
    return f"(  # {mp.nstr(error, 2)}\n{lines}    )"


def fit_tail(of: Tail, function: Any, start: float, count: int, *, wide: bool) -> str:
    """Return the coefficients for a tail from a number on."""
    k = mp.mpf(of.k[wide])
    low, high = ((y - k) / (y + k) for y in (start, of.farthest[wide]))
    whole = tail(of, function, k)
    return fit(lambda t: whole(t) - of.constant, low, high, count, wide=wide)


def fits(*, wide: bool) -> dict[str, str]:
    """Return the coefficients for double or float."""
    half_ln2 = mp.log(2) / 2 * mp.mpf("1.0005")
    largest = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mp.mpf("1.001")
    return {
        "EXP": fit(exponential, -half_ln2, half_ln2, 11 if wide else 6, wide=wide),
        "LOG": fit(logarithm, 0, largest, 8 if wide else 4, wide=wide),
        "ERF": fit(error_function, 0, mp.mpf("0.25"), 9 if wide else 5, wide=wide),
        "ERF_TAIL": fit_tail(ERFC, mp.erfc, 0.4921875, 20 if wide else 9, wide=wide),
        "NORMAL_TAIL": fit_tail(NORMAL, lambda y: mp.ncdf(-y), 0.0, 24 if wide else 12, wide=wide),
    }


def tables() -> str:
    """Return the file."""
    with mp.workprec(300):
        doubles, floats = fits(wide=True), fits(wide=False)
    return HEAD + "".join(
        f"\n{name}: Final = {{\n    True: {doubles[name]},\n    False: {floats[name]},\n}}\n"
        for name in doubles
    )


if __name__ == "__main__":
    folder = pathlib.Path(ascendref.kernels.arithmetic.__file__).parent
    (folder / "coefficients.py").write_text(tables())
