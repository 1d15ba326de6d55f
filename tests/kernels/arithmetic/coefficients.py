"""Writes `ascendref/kernels/arithmetic/coefficients.py`: Chebyshev fits, made with mpmath.

Run it from the root: ``python -m tests.kernels.arithmetic.coefficients``.
"""

from __future__ import annotations

import pathlib
import warnings
from typing import Any

import mpmath as mp
import numpy as np

import ascendref.kernels.arithmetic
from ascendref.kernels.arithmetic.normal import CONSTANT, FARTHEST, A, B, K

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


def tail(y: Any) -> Any:
    """The normal distribution's tail is ``exp(-y**2 / 2) * mills * tail(y)``, see `normal.py`."""
    mills = (y + A) / (y * (y + A) + B)
    return mp.ncdf(-y) * mp.exp(y**2 / 2) / mills


def fit(function: Any, low: Any, high: Any, count: int, *, wide: bool) -> str:
    """Return a tuple of coefficients as text."""
    with warnings.catch_warnings():
        # newer versions want an ascending order, which older ones do not have
        warnings.simplefilter("ignore", DeprecationWarning)
        values, error = mp.chebyfit(function, [low, high], count, error=True)
    rounded = [float(c) if wide else float(np.float32(float(c))) for c in values]
    lines = "".join(f"        {c!r},\n" for c in rounded)
    return f"(  # {mp.nstr(error, 2)}\n{lines}    )"


def fit_tail(count: int, *, wide: bool) -> str:
    """Return the coefficients for the tail, as a polynomial of t."""
    k = mp.mpf(K[wide])
    low, high = ((y - k) / (y + k) for y in (0.0, FARTHEST[wide]))
    return fit(lambda t: tail(k * (1 + t) / (1 - t)) - CONSTANT, low, high, count, wide=wide)


def fits(*, wide: bool) -> dict[str, str]:
    """Return the coefficients for double or float."""
    half_ln2 = mp.log(2) / 2 * mp.mpf("1.0005")
    largest = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mp.mpf("1.001")
    return {
        "EXP": fit(exponential, -half_ln2, half_ln2, 11 if wide else 6, wide=wide),
        "LOG": fit(logarithm, 0, largest, 8 if wide else 4, wide=wide),
        "NORMAL_TAIL": fit_tail(24 if wide else 12, wide=wide),
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
