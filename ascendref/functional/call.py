"""Calls of operators on arrays: the check of the arguments, the choice of a kernel, the results."""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import (
    Array,
    ImportedArray,
    export_results,
    import_array,
    note_written,
    write_problem,
)
from ..core.dtypes import (
    BY_NUMPY,
    FLOAT64,
    FLOATS,
    DTypeLike,
    ElementType,
    floating_type,
    promote,
)
from ..core.errors import ArgumentTypeError, ArgumentValueError
from ..core.fork_safety import import_to_end
from ..core.layout import has_internal_overlap, overlap, same_view
from ..declaration.operator import Operator, Shape, Types
from ..declaration.scalars import check_array_scalar
from ..declaration.shapes import check_rank
from ..kernels.arithmetic.formula import Formula
from .call_cache import LAST_USED, Call, run_cached, store_channel_sum, store_elementwise

if TYPE_CHECKING:  # at run time they would import Numba before the first call
    from ..kernels.loops.channel_sums import ChannelSumKernel
    from ..kernels.loops.elementwise import ElementwiseKernel

#: an array, or a tuple of arrays
ResultT = TypeVar("ResultT")


def array_call(
    operator: Operator,
    tensors: tuple[Array, ...],
    scalars: tuple[object, ...],
    out: ResultT | None,
    compute_dtype: DTypeLike | None,
) -> ResultT:
    """Call an operator on arrays.

    Parameters
    ----------
    operator : Operator
        What to call.
    tensors : tuple of array
        Its tensors, in order.
    scalars : tuple
        Its scalars, in order.
    out : array, tuple of arrays or None
        Where the results go.
    compute_dtype : dtype or None
        The type in which the formula is evaluated.

    Returns
    -------
    array or tuple of arrays
        The results, as the caller's kind of array; ``out`` itself where it was given.

    Raises
    ------
    ArgumentTypeError, ArgumentValueError
        Before anything is written.
    """
    result: ResultT | None
    last_used = LAST_USED.get(operator)
    if last_used is not None:
        result = last_used(tensors, scalars, out, compute_dtype)
        if result is not None:
            return result
    result = run_cached(operator, tensors, scalars, out, compute_dtype)
    if result is not None:
        return result
    checked: ResultT = _checked_call(Call(operator, tensors, scalars, out, compute_dtype))
    return checked


def _checked_call(call: Call) -> Any:
    """Check every argument, compute, and cache the call."""
    operator = call.operator
    inputs = [
        import_array(tensor.name, value, tensor.types)
        for tensor, value in zip(operator.tensors, call.tensors, strict=True)
    ]
    arrays = tuple([tensor.array for tensor in inputs])
    types = tuple([BY_NUMPY[array.dtype] for array in arrays])
    operator.check_types(types)
    for tensor, array in zip(operator.tensors, arrays, strict=True):
        check_rank(tensor.name, array.ndim)
    values = tuple(map(check_array_scalar, operator.scalars, call.scalars))
    shapes = operator.shapes(operator, tuple([array.shape for array in arrays]))
    default = types[0] if operator.same_type else promote(*types)
    compute = _compute_type(call.compute_dtype, types)
    outs = _outputs(operator, call.out, shapes, default)
    in_place = _check_overlaps(operator, arrays, outs) if call.out is not None else False
    result = outs[0]
    # the type of ``out`` is not part of a key of the cache
    cacheable = result.dtype == default.numpy
    if operator.channel_term is None:
        elementwise = elementwise_kernel(operator, types, BY_NUMPY[result.dtype], compute, values)
        elementwise((*arrays, result), values, in_place)
        if cacheable:
            store_elementwise(call, elementwise, values, result, in_place)
            if _are_torch(call.tensors):
                _torch_calls().store_elementwise(call, elementwise, values)
    else:
        grad, data, weight = arrays
        sums = outs[1]
        channel_sum = channel_sum_kernel(operator, types[0], compute)
        if data.size:
            channel_sum((grad, data, weight, result), sums, in_place)
        else:
            sums[...] = 0  # there is nothing to add up
        if cacheable:
            store_channel_sum(call, channel_sum, result)
            if _are_torch(call.tensors):
                _torch_calls().store_channel_sum(call, channel_sum)
    if call.out is None:
        return _export(operator, inputs, outs)
    note_written((call.out,) if len(outs) == 1 else tuple(call.out))
    return call.out


def _are_torch(tensors: tuple[Any, ...]) -> bool:
    """Tell whether tensors are torch's own, of no derived class."""
    kind = getattr(sys.modules.get("torch"), "Tensor", None)
    return all([type(tensor) is kind for tensor in tensors])


@cache
def _torch_calls() -> Any:
    """Return the cache of calls on torch tensors, which imports torch."""
    return import_to_end("ascendref.functional.torch_calls")


def kernel_for(
    operator: Operator, types: Types, out: ElementType, compute: str, values: tuple[float, ...]
) -> ElementwiseKernel | ChannelSumKernel:
    """Return the kernel of an operator.

    Parameters
    ----------
    operator : Operator
        The operator.
    types : tuple of ElementType
        Types of the tensors, which the operator takes.
    out : ElementType
        Type of the results.
    compute : str
        Compute type.
    values : tuple of float
        The scalars.
    """
    if operator.channel_term is None:
        return elementwise_kernel(operator, types, out, compute, values)
    return channel_sum_kernel(operator, types[0], compute)


def elementwise_kernel(
    operator: Operator, types: Types, out: ElementType, compute: str, values: tuple[float, ...]
) -> ElementwiseKernel:
    """Return the kernel of an elementwise operator, with the parameters of `kernel_for`."""
    result = operator.result(types)
    # in truth mode results are rounded once, to the type of ``out``
    rounded = out if compute == "float64" else result
    formula = operator.formula.suited(compute, rounded.name, values)
    return formula_kernel(formula, types, result, out, compute)


def formula_kernel(
    formula: Formula, types: Types, result: ElementType, out: ElementType, compute: str
) -> ElementwiseKernel:
    """Return the kernel of a formula, whose value is rounded to a type and then cast to another."""
    kernel: ElementwiseKernel
    if compute == "float64":
        kernel = _loop("truth", "true_elementwise")(formula, types, out)
    else:
        kernel = _loop("elementwise", "elementwise")(formula, types, result, out, compute)
    return kernel


def channel_sum_kernel(operator: Operator, kind: ElementType, compute: str) -> ChannelSumKernel:
    """Return the kernel of an operator with channel sums, whose tensors have one type."""
    kernel: ChannelSumKernel
    formulas = operator.formula.suited(compute, kind.name, ()), operator.channel_term
    if compute == "float64":
        kernel = _loop("exact_sums", "true_channel_sum")(*formulas, kind)
    else:
        kernel = _loop("channel_sums", "channel_sum")(*formulas, kind, compute)
    return kernel


@cache
def _loop(module: str, name: str) -> Any:
    """Return a function of ``kernels.loops``, imported here because that imports Numba."""
    return getattr(import_to_end(f"ascendref.kernels.loops.{module}"), name)


def _compute_type(compute_dtype: Any, types: tuple[ElementType, ...]) -> str:
    if compute_dtype is None:
        return "float64" if FLOAT64 in types else "float32"
    return floating_type("compute_dtype", compute_dtype, "None, ").name


def _outputs(
    operator: Operator, out: Any, shapes: tuple[Shape, ...], default: ElementType
) -> tuple[NDArray[Any], ...]:
    """Return the arrays for the results: new ones, or those of ``out``."""
    if out is None:
        return tuple([np.empty(shape, default.numpy) for shape in shapes])
    values: tuple[Any, ...] = (out,)
    labels: tuple[str, ...] = ("out",)
    if len(shapes) > 1:
        sequence = issubclass(type(out), tuple | list)
        if not sequence or len(out) != len(shapes):
            size = f" of {len(out)}" if sequence else ""
            raise ArgumentTypeError(
                "out",
                f"is a {type(out).__name__}{size}; a tuple of {len(shapes)} arrays is expected:"
                f" {', '.join(operator.outputs)}",
            )
        values = tuple(out)
        labels = tuple(f"out[{k}]" for k in range(len(shapes)))
    types = (default,) if operator.same_type else FLOATS
    arrays = []
    for label, value, shape in zip(labels, values, shapes, strict=True):
        array = import_array(label, value, types).array
        if array.shape != shape:
            raise ArgumentValueError(label, f"has shape {array.shape}; {shape} is expected")
        if problem := write_problem(label, value, array):
            raise ArgumentValueError(label, problem)
        if has_internal_overlap(array):
            raise ArgumentValueError(
                label,
                f"has strides {array.strides}, which map two indices to one address; every element"
                " must have its own",
            )
        arrays.append(array)
    return tuple(arrays)


def _check_overlaps(
    operator: Operator, arrays: tuple[NDArray[Any], ...], outs: tuple[NDArray[Any], ...]
) -> bool:
    """Tell whether an output is exactly an input's view; raise if they overlap otherwise."""
    in_place = False
    for k, out in enumerate(outs):
        label = "out" if len(outs) == 1 else f"out[{k}]"
        for tensor, array in zip(operator.tensors, arrays, strict=True):
            if overlap(out, array):
                if not same_view(out, array):
                    raise ArgumentValueError(
                        label,
                        f"overlaps {tensor.name}; it must be apart from it or exactly its view",
                    )
                in_place = True
        for other in outs[:k]:
            if overlap(out, other):
                raise ArgumentValueError(label, "overlaps out[0]; results must be apart")
    return in_place


def _export(operator: Operator, inputs: list[ImportedArray], outs: tuple[NDArray[Any], ...]) -> Any:
    """Return the results as arrays of the library of the first tensor that is not NumPy's."""
    results: tuple[Any, ...] = outs
    for tensor, imported_array in zip(operator.tensors, inputs, strict=True):
        if imported_array.from_numpy is not None:
            results = export_results(tensor.name, imported_array.from_numpy, outs)
            break
    return results[0] if len(results) == 1 else results
