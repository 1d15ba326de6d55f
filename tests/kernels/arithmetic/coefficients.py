"""Writes `ascendref/kernels/arithmetic/coefficients.py`: Chebyshev fits, made with mpmath.

Run it from the root: ``python -m tests.kernels.arithmetic.coefficients``.
"""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np

import ascendref.kernels.arithmetic
from ascendref.kernels.arithmetic.normal import ERFC, NORMAL, Tail

HEAD = '''"""Coefficients of polynomials, the highest power first, for double (True) and float (False).

`tests/kernels/arithmetic/coefficients.py` writes this file; comments give the fits' largest errors.
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


def tail(of: Tail, function: Callable[[Any], Any], *, wide: bool) -> Callable[[Any], Any]:
    """Return the polynomial's value in ``exp(-factor * y**2) * mills * (constant + p(t))``."""
    k = mp.mpf(of.k[wide])

    def correction(t: Any) -> Any:
        y = k * (1 + t) / (1 - t)
        mills = (y + of.a) / (y * (y + of.a) + of.b)
        return function(y) * mp.exp(of.factor * y**2) / mills - mp.mpf(of.constant[wide])

    return correction


def fit(function: Callable[[Any], Any], low: Any, high: Any, count: int, *, wide: bool) -> str:
    """Return the lines of a tuple of coefficients."""
    values, error = mp.chebyfit(function, [low, high], count, error=True)
    print(wide, mp.nstr(error, 3), flush=True)
    rounded = [float(c) if wide else float(np.float32(float(c))) for c in values]
    lines = "".join(f"        {c!r},\n" for c in rounded)
    return f"    {wide}: (  # {mp.nstr(error, 2)}\n{lines}    ),\n"


def table(name: str, *counts: int, one: Callable[..., Any], low: Any = 0, high: Any = 0) -> str:
    """Return a constant: tuples for a double and for a float."""
    print(name)
    lines = [
        fit(one, low, high, count, wide=wide)
        for wide, count in zip((True, False), counts, strict=True)
    ]
    return f"\n{name}: Final = {{\n{''.join(lines)}}}\n"


def tail_table(name: str, *counts: int, of: Tail, function: Any, start: float) -> str:
    """Return the constant of a tail from a number on."""
    print(name)
    lines = []
    for wide, count in zip((True, False), counts, strict=True):
        low, high = (
            (mp.mpf(y) - of.k[wide]) / (y + of.k[wide]) for y in (start, of.farthest[wide])
        )
        lines.append(fit(tail(of, function, wide=wide), low, high, count, wide=wide))
    return f"\n{name}: Final = {{\n{''.join(lines)}}}\n"


def tables() -> str:
    """Return the file."""
    half_ln2 = mp.log(2) / 2 * mp.mpf("1.0005")
    largest = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mp.mpf("1.001")
    return HEAD + "".join(
        [
            table("EXP", 11, 6, one=exponential, low=-half_ln2, high=half_ln2),
            table("LOG", 8, 4, one=logarithm, high=largest),
            table("ERF", 9, 5, one=error_function, high=mp.mpf("0.25")),
            tail_table("ERF_TAIL", 18, 8, of=ERFC, function=mp.erfc, start=0.4921875),
            tail_table("NORMAL_TAIL", 25, 12, of=NORMAL, function=lambda y: mp.ncdf(-y), start=0.0),
        ]
    )


if __name__ == "__main__":
    mp.mp.prec = 300
    folder = pathlib.Path(ascendref.kernels.arithmetic.__file__).parent
    (folder / "coefficients.py").write_text(tables())
