"""Whether an operator's results are right, by judges that share no code with the kernels.

- In arithmetic step by step, the bits are those of the formula's operations, rounded one by one.
- In F64 arithmetic, results are the exact value, rounded once; F64 results are near it.
- In F32 arithmetic, results are within the operator's stated bound of the exact value.
- Results of integer type are those of Python, truncated.

Extended precision is near the exact value. What it does not decide, FLINT does. Sums have the bits
of the tree of their terms, and are exact in F64 arithmetic.
"""

from math import copysign, inf, isnan
from typing import Any

import numpy as np

import ascendref as ar
from ascendref.core.dtypes import ELEMENT_TYPES, ElementType, promote
from ascendref.declaration import views
from ascendref.declaration.operator import Operator

from ..operators.entries import ENTRIES
from .judge import LIMITS, error_in_ulp, judged
from .rounding import (
    FORMATS,
    array_of,
    as_float,
    assert_bits,
    bits_of,
    compute_type,
    exact,
    round_integers,
    round_to,
    same_bits,
    to_odd,
)
from .stepped import LONG, stepped
from .sums import channels_of, exact_sums, tree_sum

HALVES = ("float16", "bfloat16")
#: compute type in which every operation is rounded -> the type it is rounded to
STEPS = {"float16": "float16", "bfloat16": "bfloat16", "float32-steps": "float32"}
#: a relative error of extended precision, with a large margin
SLACK = LONG(2.0) ** -45
#: relative errors that functions may have before they are rounded to a type
TILTS = {"float16": 2.0**-23, "bfloat16": 2.0**-23, "float32": 2.0**-51}
#: ulp of F64 results, where they are normal numbers and below
WIDE, SUBNORMAL = 0.75, 1.0


def assert_right(
    operator: str,
    tensors: tuple[Any, ...],
    scalars: tuple[Any, ...],
    results: tuple[Any, ...],
    compute: str | None = None,
) -> None:
    """Assert that results have the type to which they are rounded, and are right.

    In F64 arithmetic they may have any type.
    """
    declared = ar.OPERATORS[operator]
    compute = compute or compute_type(tuple([str(tensor.dtype) for tensor in tensors]))
    steps, compute = compute in STEPS, STEPS.get(compute, compute)
    found = np.ravel(results[0])
    value = result_type(operator, tensors)
    # a value that holds what was computed may be cast to the type of the results
    held = compute in ("float64", "exact") or holds(value, compute)
    assert held or str(found.dtype) == value
    if found.size:
        check = _assert_stepped if steps else _assert_near
        if not declared.result(kinds_of(tensors)).floating:
            check = _assert_integers
        elements = [element.ravel() for element in spread(declared, tensors, scalars)]
        for number, part in enumerate(declared.parts(results[0], numbers_for(declared, scalars))):
            check(declared, elements, scalars, np.ravel(part), compute, number)
    if declared.per_channel:
        sums = results[1]
        assert_bits(sums, *sums_of(declared, tensors, compute, str(sums.dtype)))


def holds(kind: str, other: str) -> bool:
    """Tell whether a type holds all numbers of another one."""
    return promote(ELEMENT_TYPES[kind], ELEMENT_TYPES[other]).name == kind


def result_type(operator: str, tensors: tuple[Any, ...]) -> str:
    """Return the type to which results are rounded."""
    return ar.OPERATORS[operator].result(kinds_of(tensors)).name


def kinds_of(tensors: tuple[Any, ...]) -> tuple[ElementType, ...]:
    return tuple([ELEMENT_TYPES[str(tensor.dtype)] for tensor in tensors])


def spread(declared: Operator, tensors: tuple[Any, ...], scalars: tuple[Any, ...]) -> list[Any]:
    """Return what the formula takes for each of its values: every weight for all of its channel."""
    found = []
    for param, tensor in zip(declared.tensors, tensors, strict=True):
        if param.view is views.HALVES:
            (dim,) = scalars
            found += np.split(tensor, 2, dim)
        elif param.view is views.PER_CHANNEL and tensor.size != 1:
            found.append(tensor.reshape(-1, *[1] * (tensors[-2].ndim - 2)))
        else:
            found.append(tensor.reshape(()) if param.view is views.PER_CHANNEL else tensor)
    return list(np.broadcast_arrays(*found))


def loaded(array: Any, compute: str) -> Any:
    """Return data in the compute type, rounded once, as float64; integers exactly for F64."""
    if array.dtype.kind in "biu":
        return array if compute == "float64" else round_integers(compute, array)
    return exact(array) if str(array.dtype) == compute else round_to(compute, exact(array))


def numbers_for(declared: Operator, scalars: tuple[Any, ...]) -> list[float]:
    """Return scalars as numbers."""
    numbers = []
    for param, scalar in zip(declared.scalars, scalars, strict=True):
        value = param.choices[scalar] if param.choices and isinstance(scalar, str) else scalar
        numbers.append(float(as_float(value)) if declared.formula.narrows else float(value))
    return numbers


def numbers_of(declared: Operator, scalars: tuple[Any, ...], size: int, part: int) -> list[float]:
    """Return what the formula gets beside the tensors, for a part of so many results."""
    numbers = declared.part_scalars(numbers_for(declared, scalars))[part]
    return [*numbers, float(size)] if declared.formula.sized else numbers


def truncated(value: float, kind: str) -> int:
    """Return a number without its fraction, at most the nearest of an integer type; 0 for NaN."""
    limits = np.iinfo(kind)
    if isnan(value):
        return 0
    return int(min(max(value, int(limits.min)), int(limits.max)))


def _assert_integers(
    declared: Operator, elements: list[Any], scalars: tuple[Any, ...], found: Any, compute: str,
    part: int,
) -> None:  # fmt: skip
    function, kind = ENTRIES[declared.name].of_integers, str(found.dtype)
    assert function is not None
    if compute == "exact" and declared.integers == "truncated":
        compute = "float32"
    if compute == "exact":
        numbers = [truncated(scalar, str(elements[0].dtype)) for scalar in scalars]
        held = [element.tolist() for element in elements]
    else:
        numbers = [float(round_to(compute, as_float(scalar))) for scalar in scalars]
        held = [round_integers(compute, element).tolist() for element in elements]
    rows = list(zip(*held, strict=True))
    values = [function(*row, *numbers) for row in rows]
    if declared.integers == "exact":
        want = [truncated(value, kind) for value in values]
        assert found.tolist() == want, (declared.name, scalars, kind, compute)
    else:  # no operator has more than four roundings, or more than twice their error
        slack = 2.0 ** (3 - FORMATS[compute].fraction)
        for row, value, result in zip(rows, values, found.tolist(), strict=True):
            ends = sorted(
                truncated(float(round_to(compute, np.float64(value * factor))), kind)
                for factor in (1 - slack, 1 + slack)
            )
            assert ends[0] <= result <= ends[1], (declared.name, row, result, ends)


def _assert_stepped(
    declared: Operator, elements: list[Any], scalars: tuple[Any, ...], found: Any, compute: str,
    part: int,
) -> None:  # fmt: skip
    numbers = numbers_of(declared, scalars, found.size, part)
    held = [loaded(element, compute) for element in elements]
    function = ENTRIES[declared.name].steps or declared.formula.function

    def alternative(tilt: float) -> Any:
        values = stepped(function, held, numbers, compute, tilt)
        return array_of(str(found.dtype), values)

    want = alternative(0.0)
    if not same_bits(found, want).all():
        tilt = TILTS[compute]
        assert_bits(found, want, alternative(tilt), alternative(-tilt))


@np.errstate(all="ignore")
def _assert_near(
    declared: Operator, elements: list[Any], scalars: tuple[Any, ...], found: Any, compute: str,
    part: int,
) -> None:  # fmt: skip
    function, kind = declared.formula.function, str(found.dtype)
    numbers = numbers_of(declared, scalars, found.size, part)
    held = [loaded(element, compute) for element in elements]
    if compute == "float32" and kind == "float64":
        found, kind = found.astype(np.float32), "float32"
    near = stepped(function, held, numbers, None)
    bound = _bound(declared, scalars, held, near, kind, compute, part)
    if bound is None:
        want = rounded(near, kind)
        low, high = (bits_of(rounded(near * side, kind)) for side in (1 - SLACK, 1 + SLACK))
        unclear = ~same_bits(found, want) | ((low != high) & ~np.isnan(near))
    else:
        unclear = (errors(exact(found), near, kind) > bound - 2.0**-8) & (bound < inf)
    actual = exact(found)
    for at in np.flatnonzero(unclear):
        row = tuple([element[at].item() for element in held])
        expected = judged(function, row, numbers, kind)
        message = f"{declared.name}{row} with {numbers} is {actual[at]}, expected {expected}"
        if bound is not None and not (isnan(actual[at]) or isnan(expected)):
            # the bound of a value next to 0 may reach beyond it
            assert expected or copysign(1, actual[at]) == copysign(1, expected), message
            error = error_in_ulp(float(actual[at]), function, row, numbers, kind)
            assert error <= bound[at], f"{message}: {error} ulp"
        else:
            assert str(actual[at]) == str(expected), message


def _bound(
    declared: Operator, scalars: tuple[Any, ...], held: list[Any], near: Any, kind: str,
    compute: str, part: int,
) -> Any:  # fmt: skip
    """Return the allowed errors in ulp, for each element; None for correct rounding."""
    if compute == "float64" != kind:
        return None
    names = [param.name for param in declared.scalars]
    assert declared.accuracy is not None
    known = dict(zip(names, scalars, strict=True))
    if declared.result_view is not None:
        known["part"] = part
    stated = declared.accuracy(ELEMENT_TYPES[kind], known, near.size)
    if stated.rounded and compute != "float64":
        return None
    data = [
        array for name, array in zip(declared.operand_names, held, strict=True)
        if not is_gradient(name)
    ]  # fmt: skip
    more = stated.more(*data) if stated.more is not None else 0.0
    if compute == "float64":
        wide = np.where(abs(near) < 2.0**-1018, SUBNORMAL, WIDE)
        return wide + more  # infinite where nothing is stated
    return np.broadcast_to(stated.ulp + more, near.shape)


def is_gradient(name: str) -> bool:
    """Tell whether a tensor is the gradient of the result of the forward operator."""
    return name.startswith("grad") or name == "dy"


def rounded(values: Any, kind: str) -> Any:
    """Round numbers of extended precision to a type, once."""
    near = values.astype(np.float64)
    rest = np.where(np.isfinite(near), values - near, 0)
    return array_of(kind, near if kind == "float64" else to_odd(near, rest))


def errors(found: Any, near: Any, kind: str) -> Any:
    """Return errors in ulp; infinite where NaN, infinities or signs differ."""
    digits, least, top = LIMITS[kind]
    limit = LONG(2.0) ** top
    actual = np.where(np.isinf(found), np.copysign(limit, found), found)
    value = np.clip(near, -limit, limit)
    exponent = np.where(value == 0, least, np.maximum(np.frexp(value)[1] - digits, least))
    ulps = np.ldexp(abs(actual - value), -exponent)
    strange = (np.isinf(near) & ~np.isinf(found)) | (np.signbit(near) != np.signbit(found))
    nan = np.isnan(near) | np.isnan(found)
    alike = np.isnan(near) & np.isnan(found)
    return np.where(nan, np.where(alike, 0.0, inf), np.where(strange, inf, ulps))


@np.errstate(all="ignore")
def sums_of(
    declared: Operator, tensors: tuple[Any, ...], compute: str, kind: str, stored: str | None = None
) -> list[Any]:
    """Return what the sums of tensors may be, as arrays of a type.

    The device rounds terms to the type ``stored`` before they are added.
    """
    assert declared.reduction is not None
    term, (grad, x, weight) = declared.reduction.term, tensors
    assert term.factors is not None
    held = [loaded(element, compute).ravel() for element in np.broadcast_arrays(grad, x)]
    shape = weight.shape if weight.size == 1 else (x.shape[1],)

    def rows(function: Any, in_type: str | None) -> Any:
        values = stepped(function, held, (), in_type)
        if stored is not None:
            values = round_to(stored, values)
        return channels_of(values.reshape(x.shape), weight)

    if compute != "float64":
        return [array_of(kind, tree_sum(rows(term.function, compute), compute).reshape(shape))]
    factors = [rows(lambda *data, k=k: term.factors(*data)[k], None) for k in (0, 1)]
    return [
        bits.reshape(shape).view(array_of(kind, np.zeros(1)).dtype)
        for bits in exact_sums(*factors, kind)
    ]
