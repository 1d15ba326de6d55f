"""The truth mode: results that are rounded once, from the exact value of the formula.

Every element is computed in float64, with an error below 2**-50 of it. Where both ends of that
interval round to the same number of the result's type, that number is the result; this is Ziv's
test, and all but about one in 2**25 elements of F32 pass it. The others lie next to the middle
between two neighbours, and an operator's judge tells exactly on which side, or that it is a tie,
which goes to the even one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import FLOAT64, ElementType, float_format
from ..arithmetic.binding import compiled
from ..arithmetic.codecs import decoder, encode_bfloat16, encoder, same
from ..arithmetic.formula import Formula
from ..arithmetic.math import bits32, is_near_middle_of_bfloat16, is_near_middle_of_float16
from ..compiler.jit import function_from, helper, inlined, once_each, outlined
from ..runtime.launch import Kernel
from .elementwise import ElementwiseKernel, elementwise

#: elements that are looked through again where one of them is unclear, by the result's type
_BLOCK: Final = {"float16": 512, "bfloat16": 512, "float32": 2048}

#: how far the value of a formula may be off, relative to it
_RELATIVE: Final = 2.0**-50
_LARGEST: Final = np.finfo(np.float64).max
_NOTHING: Final = np.float64(0)

_LOOP: Final = """
for begin in range(first, last, block):
    end = min(last, begin + block)
    if attempt_all({arrays}, target, scalars, begin, end):
        hard += look_through({arrays}, target, scalars, begin, end)
"""

_ATTEMPT_ALL: Final = """
def attempt_all({arrays}, out, scalars, start, stop):
    outlined()
    suspects = 0
    for i in range(start, stop):
        rounded, suspect = attempt(*formula({elements}, *scalars))
        write(out, i * {size}, rounded)
        suspects += suspect
    return suspects
"""

_LOOK_THROUGH: Final = """
def look_through({arrays}, out, scalars, start, stop):
    outlined()
    hard = 0
    for i in range(start, stop):
        value, exact = formula({elements}, *scalars)
        write(out, i * {size}, encode(value))
        hard += differ(value, doubt(value, exact))
    if hard:
        for i in range(start, stop):
            value, exact = formula({elements}, *scalars)
            error = doubt(value, exact)
            if differ(value, error):
                low, high, middle = neighbours(value, error)
                side = decide(middle, {elements}, *scalars)
                value = high if side > 0 else low if side < 0 else middle
                write(out, i * {size}, encode(value))
    return hard
"""


class HardCases(threading.local):
    """How many elements needed an exact decision, counted over all calls of a thread.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> from ascendref.kernels.loops.truth import hard_cases
    >>> x = np.float32(0.25)
    >>> before = hard_cases.count
    >>> ar.logit_grad(x, x, compute_dtype="float64") is not None, hard_cases.count - before
    (True, 0)
    """

    def __init__(self) -> None:
        self.count = 0


hard_cases: Final = HardCases()


def _counted(kernel: Callable[..., int], *operands: int) -> int:
    """Call a kernel and count what it returns."""
    found = kernel(*operands)
    hard_cases.count += max(found, 0)
    return found


class HardCaseCounter(Kernel):
    """Counts what its kernels return: how many elements needed an exact decision."""

    def _call(self, layout: str, *arguments: Any) -> int:
        return _counted(partial(super()._call, layout), *arguments)


class TruthKernel(HardCaseCounter, ElementwiseKernel):
    """Elementwise loops with Ziv's test.

    Parameters
    ----------
    formula : Formula
        What to compute; it has a truth.
    inputs : tuple of ElementType
        Types of the tensors.
    out : ElementType
        Type to which the result is rounded, narrower than F64.
    """

    def __init__(self, formula: Formula, inputs: tuple[ElementType, ...], out: ElementType) -> None:
        super().__init__(formula, inputs, out, out, "float64")
        assert formula.truth is not None
        self.element, self.prepare, self.decide = formula.truth
        self.streams = False

    def bind(self, scalars: tuple[float, ...]) -> Callable[..., int]:
        return partial(_counted, super().bind(scalars))

    def like(
        self, operands: tuple[NDArray[Any], ...], scalars: tuple[float, ...]
    ) -> Callable[..., int]:
        return partial(_counted, super().like(operands, scalars))

    @property
    def _loop(self) -> str:
        return _LOOP

    def _names(self) -> dict[str, Any]:
        names = super()._names() | {
            "outlined": outlined,
            "block": _BLOCK[self.out.name],
            "attempt": _attempt(self.out),
            "doubt": _doubt,
            "differ": differ_in(self.out),
            "neighbours": _neighbours(self.out),
            "decide": compiled(self.decide, self.compute),
        }
        for name, source in (("attempt_all", _ATTEMPT_ALL), ("look_through", _LOOK_THROUGH)):
            names[name] = helper(function_from(self._filled(source), name, names))
        return names


def differ_in(out: ElementType) -> Any:
    """Return the function that tells whether a value and its error leave open what to round to."""
    encode = encoder("float64", out.name, out.name)
    zero = np.float64(0)
    bits = bits32 if out.name == "float32" else same

    @inlined
    def differ(value: Any, error: Any) -> Any:
        # without an error, a sum would take the sign from -0
        ends = bits(encode(value - error)) != bits(encode(value + error))
        return ends & (error != zero)

    return differ


@inlined
def _doubt(value: Any, exact: Any) -> Any:
    """Return how far a value may be off; finite."""
    error = abs(value) * _RELATIVE
    return _NOTHING if exact else error if error < _LARGEST else _LARGEST


def _attempt(out: ElementType) -> Any:
    """Return the function that rounds a value and tells whether that might be wrong.

    For F16 and BF16 it is quicker to look where a middle between two of their numbers would be than
    to round both ends, but not sure. Middles of BF16 are numbers of F32, subnormal ones too, and
    only next to them does it matter that F32 was rounded to first.
    """
    encode, differ = encoder("float64", out.name, out.name), differ_in(out)

    if out.name == "float32":

        @inlined
        def attempt(value: Any, exact: Any) -> Any:
            error = _doubt(value, exact)
            return encode(value - error), differ(value, error)

    elif out.name == "float16":

        @inlined
        def attempt(value: Any, exact: Any) -> Any:
            return encode(value), is_near_middle_of_float16(value) & (not exact)

    else:

        @inlined
        def attempt(value: Any, exact: Any) -> Any:
            close = np.float32(value)
            exact = exact & (np.float64(close) == value)
            return encode_bfloat16(close), is_near_middle_of_bfloat16(close) & (not exact)

    return attempt


def _neighbours(out: ElementType) -> Any:
    """Return the function that gives the elements to both sides of a value, and their middle.

    What follows the largest number is the next power of two, which becomes infinity.
    """
    encode, decode = encoder("float64", out.name, out.name), decoder(out.name, "float64")
    beyond = np.float64(float_format(out).beyond)
    half = np.float64(0.5)

    @helper
    def neighbours(value: Any, error: Any) -> Any:
        low = max(decode(encode(value - error)), -beyond)
        high = min(decode(encode(value + error)), beyond)
        return low, high, half * low + half * high

    return neighbours


@once_each
def true_elementwise(
    formula: Formula, inputs: tuple[ElementType, ...], out: ElementType
) -> ElementwiseKernel:
    """Return the one kernel for a formula and its types that rounds once, from the exact value."""
    if formula.truth is not None and out is not FLOAT64:
        return TruthKernel(formula, inputs, out)
    selects = formula.selects and not any(kind.name in ("float64", "int64") for kind in inputs)
    return elementwise(formula, inputs, out, out, "float32" if selects else "float64")
