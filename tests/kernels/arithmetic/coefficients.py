"""Writes `ascendref/kernels/arithmetic/coefficients.py`: Chebyshev fits, made with mpmath.

Run it from the root: ``python -m tests.kernels.arithmetic.coefficients``.
"""

import functools
import pathlib
import textwrap
import warnings
from typing import Any

import mpmath as mp
import numpy as np

import ascendref.kernels.arithmetic
from ascendref.kernels.arithmetic import quick
from ascendref.kernels.arithmetic.normal import (
    CENTRE,
    CONSTANT,
    FARTHEST,
    GELU_FARTHEST,
    HALF_FARTHEST,
    OFFSET,
    SLOPE_FAR,
    SLOPE_OFFSET,
    SQUARED,
    A,
    B,
    K,
)

HEAD = '''"""Coefficients of polynomials for double (True) and float (False), highest power first.

Those of HALF_GELU and HALF_POWER are for the ranges of bfloat16 (True) and float16 (False).
`tests/kernels/arithmetic/coefficients.py` writes this file. Comments give the fits' errors.
"""

from typing import Final
'''


def exponential(r: Any) -> Any:
    """``exp(r)`` is ``1 + r + r**2 * p(r)``."""
    return mp.mpf(1) / 2 + r / 6 if abs(r) < 1e-25 else (mp.expm1(r) - r) / r**2


def power_of_two(r: Any) -> Any:
    """``2**r`` is ``1 + r * p(r)``."""
    return mp.log(2) if abs(r) < 1e-25 else mp.expm1(r * mp.log(2)) / r


def logarithm(z: Any) -> Any:
    """``log((1 + s) / (1 - s))`` is ``s * (2 + z * p(z))`` for ``z = s**2``."""
    s = mp.sqrt(z)
    return mp.mpf(2) / 3 if z < 1e-25 else (mp.log1p(s) - mp.log1p(-s) - 2 * s) / s**3


def tail(y: Any) -> Any:
    """The normal distribution's tail is ``exp(-y**2 / 2) * mills * tail(y)``, see `normal.py`."""
    return mills(y) * (y * (y + A) + B) / (y + A)


def mills(y: Any) -> Any:
    """The normal distribution's tail divided by ``exp(-y**2 / 2)``."""
    return mp.ncdf(-y) * mp.exp(y**2 / 2)


def gelu(y: Any) -> Any:
    """The polynomial of `gelu`, see `normal.py`."""
    return mills(y) * (y + OFFSET)


def gelu_slope(y: Any) -> Any:
    """The polynomial of `gelu_slope`, see `normal.py`."""
    # next to the zero both differences are 0
    y += mp.mpf(2) ** -100 if abs(y - slope_zero()) < mp.mpf(2) ** -100 else 0
    return slope(y) / (slope_zero() - y)


def slope(y: Any) -> Any:
    """The derivative of gelu at -y, divided by ``exp(-y**2 / 2)``."""
    return mills(y) - y / mp.sqrt(2 * mp.pi)


@functools.cache
def slope_zero() -> Any:
    """Where the derivative is 0."""
    return mp.findroot(slope, 0.75)


def fit(function: Any, low: Any, high: Any, count: int, *, wide: bool) -> str:
    """Return a tuple of coefficients as text."""
    with warnings.catch_warnings():
        # newer versions want an ascending order, which older ones do not have
        warnings.simplefilter("ignore", DeprecationWarning)
        values, error = mp.chebyfit(function, [low, high], count, error=True)
    rounded = [float(c) if wide else float(np.float32(float(c))) for c in values]
    text = ", ".join(map(repr, rounded)) + ","
    lines = textwrap.indent(textwrap.fill(text, 92, break_on_hyphens=False), " " * 8)
    return f"(  # {mp.nstr(error, 2)}\n{lines}\n    )"


def fit_tail(function: Any, centre: float, farthest: float, count: int, *, wide: bool) -> str:
    """Return the coefficients for a function of y, as a polynomial of t."""
    k = mp.mpf(centre)
    high = (farthest - k) / (farthest + k)
    return fit(lambda t: function(k * (1 + t) / (1 - t)), -1, high, count, wide=wide)


def fit_slope(count: int) -> str:
    """Return the coefficients for the derivative of gelu, as a polynomial of t."""
    high = SLOPE_FAR / mp.mpf(SLOPE_FAR + SLOPE_OFFSET)
    return fit(lambda t: gelu_slope(SLOPE_OFFSET * t / (1 - t)), 0, high, count, wide=False)


def fit_half_gelu(count: int, *, wide: bool) -> str:
    """Return the coefficients of `gelu_half`, for the range of float32 or float16."""
    half = mp.mpf(HALF_FARTHEST[wide]) / 2

    def function(t: Any) -> Any:
        y = half * (1 + t)
        if y < 1e-25:
            return mp.diff(mills, 0) / (mills(0) * mp.log(2))
        # what the square's factor loses when it is rounded is made up for
        lost = y**2 * (-1 / (2 * mp.log(2)) - SQUARED)
        return (mp.log(2 * mills(y), 2) + lost) / y

    return fit(function, -1, 1, count, wide=False)


def fit_exp(count: int, *, wide: bool) -> str:
    half_ln2 = mp.log(2) / 2 * mp.mpf("1.0005")
    return fit(exponential, -half_ln2, half_ln2, count, wide=wide)


def fit_log(count: int, *, wide: bool, farthest: float = 0.5) -> str:
    """Return the coefficients for quotients up to that power of two."""
    quotient = mp.mpf(2) ** farthest
    largest = ((quotient - 1) / (quotient + 1)) ** 2 * mp.mpf("1.001")
    return fit(logarithm, 0, largest, count, wide=wide)


def fits(*, wide: bool) -> dict[str, str]:
    """Return the coefficients for double or float."""
    return {
        "EXP": fit_exp(11 if wide else 6, wide=wide),
        "LOG": fit_log(8 if wide else 4, wide=wide),
        "NORMAL_TAIL": fit_tail(
            lambda y: tail(y) - CONSTANT, K[wide], FARTHEST[wide], 24 if wide else 12, wide=wide
        ),
    }


def tables() -> str:
    """Return the file."""
    with mp.workprec(300):
        by_type = {"True": fits(wide=True), "False": fits(wide=False)}
        by_type["False"] |= {
            "GELU": fit_tail(gelu, CENTRE, GELU_FARTHEST, 11, wide=False),
            "GELU_SLOPE": fit_slope(10),
            "HALF_EXP": fit_exp(5, wide=False),
            "HALF_GELU": fit_half_gelu(10, wide=False),
            "HALF_POWER": fit(power_of_two, -0.5, 0.5, 5, wide=False),
            "HALF_SLOPE": fit_slope(6),
        }
        by_type["True"] |= {
            "HALF_GELU": fit_half_gelu(9, wide=True),
            "HALF_POWER": fit(power_of_two, -0.5, 0.5, 4, wide=False),
        }
    text = HEAD
    for name in by_type["False"]:
        rows = [f"    {kind}: {made[name]},\n" for kind, made in by_type.items() if name in made]
        text += f"\n{name}: Final = {{\n{''.join(rows)}}}  # fmt: skip\n"
    with mp.workprec(300):
        quick_fits = {
            "EXP": fit_exp(8, wide=True),
            # the bits of two numbers tell the logarithm of their quotient within 0.0861
            "LOG": fit_log(6, wide=True, farthest=0.5861),
            "TAIL": fit_tail(tail, quick.K, quick.FARTHEST, 19, wide=True),
        }
    for name, made in quick_fits.items():
        shifted = made.replace("        ", "    ").replace("    )", ")")
        text += f"\nQUICK_{name}: Final = {shifted}  # fmt: skip\n"
    return text


if __name__ == "__main__":
    folder = pathlib.Path(ascendref.kernels.arithmetic.__file__).parent
    (folder / "coefficients.py").write_text(tables())
