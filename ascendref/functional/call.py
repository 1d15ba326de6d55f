"""Calls of operators on arrays: checks the arguments, chooses a kernel, returns the results."""

from __future__ import annotations

import sys
from math import prod
from operator import is_
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import (
    Array,
    ImportedArray,
    export_results,
    import_array,
    is_of,
    lazy_problem,
    note_written,
    write_problem,
)
from ..core.dtypes import BY_NUMPY, DTypeLike, ElementType, promote
from ..core.errors import ArgumentTypeError, ArgumentValueError
from ..core.fork_safety import import_to_end
from ..core.layout import has_internal_overlap, overlap, same_view
from ..core.threads import follow_torch
from ..declaration.fields import Types
from ..declaration.operator import Operator, Shape
from ..declaration.scalars import check_array_scalar
from ..declaration.shapes import check_rank
from .call_cache import LAST_USED, ArrayCall, Computed, remember, run_cached
from .kernels import compute_parts, compute_type, elementwise_kernels, kernels_for, of_no_terms

#: libraries whose arrays are more than memory: module, array class, and our module that calls
#: operators on them (imported at the first such array)
_OTHER_LIBRARIES: Final = (
    ("xarray", "DataArray", "xarray_arrays"),
    ("dask.array", "Array", "dask_arrays"),
)
#: an array, or a tuple of arrays
ResultT = TypeVar("ResultT")


def array_call(
    operator: Operator,
    tensors: tuple[Array, ...],
    scalars: tuple[object, ...],
    out: ResultT | None,
    compute_dtype: DTypeLike | None,
) -> ResultT:
    """Call an operator on arrays; return ``out``, or results of the caller's kind of array.

    If an argument is invalid, an ArgumentError is raised, and nothing has been written.
    """
    result: ResultT | None
    cached = LAST_USED.get(operator)
    if cached is not None and cached.compute is compute_dtype:
        if cached.direct is not None:
            result = cached.direct(tensors, scalars, out)
            if result is not None:
                return result
        latest, numbers, run = cached.latest
        if not all(map(is_, scalars, latest)):
            numbers, run = cached.find(scalars)
        result = run(tensors, numbers, out)
        if result is not None:
            return result
    result = run_cached(operator, tensors, scalars, out, compute_dtype)
    if result is not None:
        return result
    checked: ResultT = _checked_call(ArrayCall(operator, tensors, scalars, out, compute_dtype))
    return checked


class CheckedCall(NamedTuple):
    """The checked arguments of a call."""

    #: the tensors, and the same as NumPy arrays
    inputs: list[ImportedArray]
    arrays: tuple[NDArray[Any], ...]
    #: their types
    types: Types
    #: the values of the scalars
    values: tuple[float, ...]
    #: shape of the elementwise result, or of the terms of a reduction
    terms: Shape
    #: shapes of the results, and their type unless ``out`` has another
    shapes: tuple[Shape, ...]
    default: ElementType
    #: compute type
    compute: str


def check_call(call: ArrayCall) -> CheckedCall:
    """Check all arguments except ``out``; raise an ArgumentError."""
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
    if operator.check_scalars is not None:
        operator.check_scalars(*values)
    tensor_shapes = tuple([array.shape for array in arrays])
    terms = operator.shapes(operator, tensor_shapes, values)[0]
    shapes = operator.result_shapes(tensor_shapes, values)
    default = types[0] if operator.same_type else promote(*types)
    compute = compute_type(operator, call.compute_dtype, types)
    return CheckedCall(inputs, arrays, types, values, terms, shapes, default, compute)


def _checked_call(call: ArrayCall) -> Any:
    """Check every argument, compute, and cache the call."""
    for module, name, ours in _OTHER_LIBRARIES:
        if any([is_of(tensor, module, name) for tensor in call.tensors]):
            return import_to_end(f"ascendref.functional.{ours}").call_operator(call)
    follow_torch()
    operator = call.operator
    checked = check_call(call)
    arrays, values, compute = checked.arrays, checked.values, checked.compute
    outs = empty_outputs(operator, checked) if call.out is None else _given_outputs(call, checked)
    in_place = _check_overlaps(operator, arrays, outs) if call.out is not None else False
    result = outs[0]
    mode = operator.mode(values)
    kind = BY_NUMPY[result.dtype]
    kernels: tuple[Any, ...] = kernels_for(operator, checked.types, kind, compute, values)
    if mode == "none":
        compute_parts(operator, kernels, (*arrays, result), values, in_place)
    elif prod(checked.terms):
        kernels[0]((*arrays, *outs), values, in_place)
    else:
        outs[-1][...] = of_no_terms(mode)
    usual = operator.divisor(values, result.shape) in (None, result.size)
    # cache keys do not include the type of ``out``
    if usual and result.dtype == checked.default.numpy:
        if _are_torch(call.tensors):
            import_to_end("ascendref.functional.torch_calls")
        remember(call, Computed(values, compute, kernels, (*arrays, *outs), in_place))
    if call.out is None:
        return export(operator, checked.inputs, outs)
    note_written((call.out,) if len(outs) == 1 else tuple(call.out))
    return call.out


def _are_torch(tensors: tuple[Any, ...]) -> bool:
    """Tell whether all tensors are ``torch.Tensor`` exactly, not a subclass."""
    kind = getattr(sys.modules.get("torch"), "Tensor", None)
    return all([type(tensor) is kind for tensor in tensors])


def call_on_part(call: ArrayCall, size: int) -> Any:
    """Call an elementwise operator on a part of the data; a mean is divided by ``size``."""
    checked = check_call(call)
    (result,) = empty_outputs(call.operator, checked)
    (kernel,) = elementwise_kernels(
        call.operator, checked.types, BY_NUMPY[result.dtype], checked.compute, checked.values
    )
    kernel.tiled((*checked.arrays, result), checked.values, size=size)
    return export(call.operator, checked.inputs, (result,))


def empty_outputs(operator: Operator, checked: CheckedCall) -> tuple[NDArray[Any], ...]:
    """Return new arrays for the results.

    An elementwise one has the memory layout of the inputs that broadcast to it, or that of the data
    if there are views.
    """
    (first, *rest), dtype = checked.shapes, checked.default.numpy
    if operator.is_viewed and not rest:
        data = [param.name for param in operator.tensors].index("self")
        return (np.empty_like(checked.arrays[data], dtype, subok=False, shape=first),)
    if first != checked.terms:
        return (np.empty(first, dtype),)
    arrays = checked.arrays[:-1] if rest else checked.arrays
    return (empty_result(arrays, first, dtype), *[np.empty(shape, dtype) for shape in rest])


def empty_result(
    arrays: tuple[NDArray[Any], ...], shape: Shape, dtype: np.dtype[Any]
) -> NDArray[Any]:
    """Return a new array with the memory layout that NumPy's functions would choose.

    That is ``order="K"``: the axes have the same order in memory as in the inputs.
    """
    for array in arrays:
        if array.shape != shape or not array.flags.c_contiguous:
            break
    else:
        return np.empty(shape, dtype)
    operands: list[NDArray[Any] | None] = [*arrays, None]
    types: list[np.dtype[Any] | None] = [*[None] * len(arrays), dtype]
    flags: list[Any] = [*[["readonly"]] * len(arrays), ["writeonly", "allocate"]]
    allocated = np.nditer(operands, ["zerosize_ok"], flags, types, "K")
    result: NDArray[Any] = allocated.operands[-1]
    return result


def _given_outputs(call: ArrayCall, checked: CheckedCall) -> tuple[NDArray[Any], ...]:
    """Return the arrays of ``out``."""
    operator, out, shapes, default = call.operator, call.out, checked.shapes, checked.default
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
    types = operator.result_types(default)
    arrays = []
    for label, value, shape in zip(labels, values, shapes, strict=True):
        if problem := lazy_problem(value):
            raise ArgumentValueError(label, problem)
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
    """Tell whether an output is the same view as an input; raise if they overlap otherwise."""
    in_place = False
    for k, out in enumerate(outs):
        label = "out" if len(outs) == 1 else f"out[{k}]"
        for tensor, array in zip(operator.tensors, arrays, strict=True):
            if overlap(out, array):
                if not same_view(out, array):
                    raise ArgumentValueError(
                        label, f"overlaps {tensor.name}; it must not, unless it is the same view"
                    )
                in_place = True
        for other in outs[:k]:
            if overlap(out, other):
                raise ArgumentValueError(label, "overlaps out[0]; results must not overlap")
    return in_place


def export(operator: Operator, inputs: list[ImportedArray], outs: tuple[NDArray[Any], ...]) -> Any:
    """Return results as arrays of the library of the first tensor that is not NumPy's."""
    results: tuple[Any, ...] = outs
    for tensor, imported_array in zip(operator.tensors, inputs, strict=True):
        if imported_array.from_numpy is not None:
            results = export_results(tensor.name, imported_array.from_numpy, outs)
            break
    return results[0] if len(results) == 1 else results
