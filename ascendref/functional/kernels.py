"""The choice of a kernel: for an operator, the types of its tensors and its scalars."""

from __future__ import annotations

from functools import cache
from math import nan
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from ..core.dtypes import (
    FLOAT32,
    FLOAT64,
    FLOATS,
    ROUNDED_ONCE,
    ElementType,
    compute_type_of,
    names,
)
from ..core.errors import ArgumentValueError
from ..core.fork_safety import import_to_end
from ..declaration.fields import Mode, Types
from ..declaration.operator import Operator
from ..kernels.arithmetic.formula import Formula

if TYPE_CHECKING:  # at run time these imports would load Numba before the first call
    from ..kernels.loops.elementwise import ElementwiseKernel
    from ..kernels.loops.reduction_kernel import ReductionKernel


def compute_type(operator: Operator, compute_dtype: Any, types: Types) -> str:
    """Return the compute type of a call; None means the default for the tensors' types."""
    if compute_dtype is None:
        return operator.compute_type(types)
    compute = compute_type_of(compute_dtype)
    if compute == "exact" and operator.truncates(types):
        raise ArgumentValueError(
            "compute_dtype",
            "is 'exact'; results of integer type are truncated, for which allowed are None,"
            f" {names(FLOATS)}",
        )
    return compute


def kernels_for(
    operator: Operator, types: Types, out: ElementType, compute: str, values: tuple[float, ...]
) -> tuple[ElementwiseKernel, ...] | tuple[ReductionKernel, ...]:
    """Return the kernels of an operator for tensors of types that it takes, and results of one."""
    mode = operator.mode(values)
    if mode == "none":
        return elementwise_kernels(operator, types, out, compute, values)
    return (reduction_kernel(operator, types, out, compute, mode),)


def elementwise_kernels(
    operator: Operator,
    types: Types,
    out: ElementType,
    compute: str,
    values: tuple[float, ...],
    *,
    result: ElementType | None = None,
) -> tuple[ElementwiseKernel, ...]:
    """Return the kernel for each part of an elementwise result, or one for all parts.

    Parameters are as for `kernels_for`.

    ``result`` is the type to which the formula's value is rounded; None for the operator's.
    """
    result = operator.result(types) if result is None else result
    # correctly rounded results are rounded once, to the type of ``out``
    once = compute in ROUNDED_ONCE and result.floating and result is not FLOAT64
    rounded = out if once else result
    types = operator.each_operand(types)
    if operator.formula.together and compute == FLOAT32.name:
        formulas = [operator.formula.together]
    else:
        formulas = [
            operator.formula.suited(compute, rounded.name, numbers)
            for numbers in operator.part_scalars(values)
        ]
    return tuple([formula_kernel(f, types, result, out, compute) for f in formulas])


def formula_kernel(
    formula: Formula, types: Types, result: ElementType, out: ElementType, compute: str
) -> ElementwiseKernel:
    """Return the kernel of a formula whose value is rounded to one type, then cast to another."""
    kernel: ElementwiseKernel
    if compute in ROUNDED_ONCE and result.floating:
        kernel = _loop("correctly_rounded", "rounded_elementwise")(formula, types, out, compute)
    else:
        kernel = _loop("elementwise", "elementwise")(formula, types, result, out, compute)
    return kernel


def reduction_kernel(
    operator: Operator,
    types: Types,
    out: ElementType,
    compute: str,
    mode: Mode,
    *,
    stored: bool = False,
) -> ReductionKernel:
    """Return the kernel of an operator with a reduction; parameters as for `kernels_for`.

    ``stored`` tells whether the terms are rounded to the result's type before they are summed.
    """
    assert operator.reduction is not None
    kind = operator.result(types)
    element = operator.formula.suited(compute, kind.name, ()) if operator.per_channel else None
    kernel: ReductionKernel = _loop("reduction", "reduction")(
        operator.reduction.term,
        element,
        types,
        kind,
        out,
        compute,
        weighted=operator.per_channel,
        mean=mode == "mean",
        stored=stored,
    )
    return kernel


@cache
def _loop(module: str, name: str) -> Any:
    """Return a function of ``kernels.loops``, imported here because that imports Numba."""
    return getattr(import_to_end(f"ascendref.kernels.loops.{module}"), name)


def compute_parts(
    operator: Operator,
    kernels: tuple[ElementwiseKernel, ...],
    arrays: tuple[NDArray[Any], ...],
    values: tuple[float, ...],
    in_place: bool,
) -> None:
    """Compute every part of an elementwise result, the last array, from the tensors before it."""
    *tensors, result = arrays
    if in_place and operator.result_view:  # no part may overwrite what another one reads
        tensors, in_place = [array.copy() for array in tensors], False
    operands = operator.operands(tuple(tensors), values)
    size = operator.divisor(values, result.shape)
    found = operator.grouped_parts(result, values, [kernel.results for kernel in kernels])
    for kernel, (parts, numbers) in zip(kernels, found, strict=True):
        kernel((*operands, *parts), numbers, in_place, size)


def of_no_terms(mode: Mode) -> float:
    """Return the sum or the mean of no terms."""
    return nan if mode == "mean" else 0.0
