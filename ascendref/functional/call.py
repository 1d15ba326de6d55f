"""Calls of operators on arrays: checks the arguments, chooses a kernel, returns the results."""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

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
from ..core.dtypes import (
    BY_NUMPY,
    FLOAT64,
    FLOATS,
    ROUNDED_ONCE,
    DTypeLike,
    ElementType,
    compute_type_of,
    promote,
)
from ..core.errors import ArgumentTypeError, ArgumentValueError
from ..core.fork_safety import import_to_end
from ..core.layout import has_internal_overlap, overlap, same_view
from ..core.threads import follow_torch
from ..declaration.operator import Operator, Shape, Types
from ..declaration.scalars import check_array_scalar
from ..declaration.shapes import check_rank
from ..kernels.arithmetic.formula import Formula
from .call_cache import LAST_USED, Call, run_cached, store_channel_sum, store_elementwise

if TYPE_CHECKING:  # at run time these imports would load Numba before the first call
    from ..kernels.loops.channel_sums import ChannelSumKernel
    from ..kernels.loops.elementwise import ElementwiseKernel
    from ..kernels.loops.partial_sums import PartialSumKernel

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
    """Call an operator on arrays.

    Parameters
    ----------
    operator : Operator
        The operator to call.
    tensors : tuple of array
        Its tensors, in order.
    scalars : tuple
        Its scalars, in order.
    out : array, tuple of arrays or None
        Output arrays for the results, or None.
    compute_dtype : dtype or None
        The type in which the formula is evaluated.

    Returns
    -------
    array or tuple of arrays
        The results, as the caller's kind of array; ``out`` itself if given.

    Raises
    ------
    ArgumentTypeError, ArgumentValueError
        If an argument is invalid. Nothing has been written then.
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


class CheckedCall(NamedTuple):
    """The checked arguments of a call."""

    #: the tensors, and the same as NumPy arrays
    inputs: list[ImportedArray]
    arrays: tuple[NDArray[Any], ...]
    #: their types
    types: Types
    #: the values of the scalars
    values: tuple[float, ...]
    #: shapes of the results, and their type unless ``out`` has another
    shapes: tuple[Shape, ...]
    default: ElementType
    #: compute type
    compute: str


def check_call(call: Call) -> CheckedCall:
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
    shapes = operator.shapes(operator, tuple([array.shape for array in arrays]))
    default = types[0] if operator.same_type else promote(*types)
    compute = compute_type(call.compute_dtype, types)
    return CheckedCall(inputs, arrays, types, values, shapes, default, compute)


def _checked_call(call: Call) -> Any:
    """Check every argument, compute, and cache the call."""
    for module, name, ours in _OTHER_LIBRARIES:
        if any([is_of(tensor, module, name) for tensor in call.tensors]):
            return import_to_end(f"ascendref.functional.{ours}").call_operator(call)
    follow_torch()
    operator = call.operator
    checked = check_call(call)
    arrays, compute = checked.arrays, checked.compute
    outs = empty_outputs(checked) if call.out is None else _given_outputs(call, checked)
    in_place = _check_overlaps(operator, arrays, outs) if call.out is not None else False
    result = outs[0]
    # cache keys do not include the type of ``out``
    cacheable = result.dtype == checked.default.numpy
    if operator.channel_term is None:
        elementwise = _compute_elements(operator, checked, checked.values, result, in_place)
        if cacheable:
            store_elementwise(call, elementwise, checked.values, result, in_place)
            if _are_torch(call.tensors):
                _torch_calls().store_elementwise(call, elementwise, checked.values)
    else:
        grad, data, weight = arrays
        sums = outs[1]
        channel_sum = channel_sum_kernel(operator, checked.types[0], compute)
        if data.size:
            channel_sum((grad, data, weight, result), sums, in_place)
        else:
            sums[...] = 0  # sums of no terms
        if cacheable:
            store_channel_sum(call, channel_sum, outs, in_place)
            if _are_torch(call.tensors):
                _torch_calls().store_channel_sum(call, channel_sum)
    if call.out is None:
        return export(operator, checked.inputs, outs)
    note_written((call.out,) if len(outs) == 1 else tuple(call.out))
    return call.out


def _are_torch(tensors: tuple[Any, ...]) -> bool:
    """Tell whether all tensors are ``torch.Tensor`` exactly, not a subclass."""
    kind = getattr(sys.modules.get("torch"), "Tensor", None)
    return all([type(tensor) is kind for tensor in tensors])


@cache
def _torch_calls() -> Any:
    """Return the cache of calls on torch tensors, which imports torch."""
    return import_to_end("ascendref.functional.torch_calls")


def call_on_part(call: Call, size: int) -> Any:
    """Call an elementwise operator on a part of the data.

    Parameters
    ----------
    call : Call
        The call, with the part's tensors.
    size : int
        The number of all results.
    """
    operator = call.operator
    checked = check_call(call)
    assert operator.part_scalars is not None
    outs = empty_outputs(checked)
    values = operator.part_scalars(checked.values, size)
    _compute_elements(operator, checked, values, outs[0], False)
    return export(operator, checked.inputs, outs)


def _compute_elements(
    operator: Operator,
    checked: CheckedCall,
    values: tuple[float, ...],
    result: NDArray[Any],
    in_place: bool,
) -> ElementwiseKernel:
    """Compute an elementwise operator with these scalars; return the kernel."""
    kind = BY_NUMPY[result.dtype]
    kernel = elementwise_kernel(operator, checked.types, kind, checked.compute, values)
    kernel((*checked.arrays, result), values, in_place)
    return kernel


def kernel_for(
    operator: Operator, types: Types, out: ElementType, compute: str, values: tuple[float, ...]
) -> ElementwiseKernel | ChannelSumKernel:
    """Return the kernel of an operator.

    Parameters
    ----------
    operator : Operator
        The operator.
    types : tuple of ElementType
        Types of the tensors; the operator must take them.
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
    """Return the kernel of an elementwise operator; parameters as for `kernel_for`."""
    result = operator.result(types)
    # correctly rounded results are rounded once, to the type of ``out``
    rounded = out if compute in ROUNDED_ONCE and result is not FLOAT64 else result
    formula = operator.formula.suited(compute, rounded.name, values)
    return formula_kernel(formula, types, result, out, compute)


def formula_kernel(
    formula: Formula, types: Types, result: ElementType, out: ElementType, compute: str
) -> ElementwiseKernel:
    """Return the kernel of a formula whose value is rounded to one type, then cast to another."""
    kernel: ElementwiseKernel
    if compute in ROUNDED_ONCE:
        kernel = _loop("correctly_rounded", "rounded_elementwise")(formula, types, out, compute)
    else:
        kernel = _loop("elementwise", "elementwise")(formula, types, result, out, compute)
    return kernel


def channel_sum_kernel(operator: Operator, kind: ElementType, compute: str) -> ChannelSumKernel:
    """Return the kernel of an operator with channel sums, for tensors of one type."""
    kernel: ChannelSumKernel
    formulas = operator.formula.suited(compute, kind.name, ()), operator.channel_term
    if compute in ROUNDED_ONCE:
        kernel = _loop("exact_sums", "true_channel_sum")(*formulas, kind)
    else:
        kernel = _loop("channel_sums", "channel_sum")(*formulas, kind, compute)
    return kernel


def partial_sum_kernel(operator: Operator, kind: ElementType, compute: str) -> PartialSumKernel:
    """Return the kernel of partial channel sums, for a part of the data."""
    kernel: PartialSumKernel
    formula = operator.formula.suited(compute, kind.name, ())
    kernel = _loop("partial_sums", "partial_sum")(
        formula, operator.channel_term, kind, "float64" if compute in ROUNDED_ONCE else compute
    )
    return kernel


@cache
def _loop(module: str, name: str) -> Any:
    """Return a function of ``kernels.loops``, imported here because that imports Numba."""
    return getattr(import_to_end(f"ascendref.kernels.loops.{module}"), name)


def compute_type(compute_dtype: Any, types: Types) -> str:
    """Return the compute type of a call; None means the default for the tensors' types."""
    if compute_dtype is None:
        return "float64" if FLOAT64 in types else "float32"
    return compute_type_of(compute_dtype)


def empty_outputs(checked: CheckedCall) -> tuple[NDArray[Any], ...]:
    """Return new arrays for the results.

    The first has the memory layout of the inputs that broadcast to it.
    """
    first, *rest = checked.shapes
    arrays = checked.arrays[:2] if rest else checked.arrays
    dtype = checked.default.numpy
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


def _given_outputs(call: Call, checked: CheckedCall) -> tuple[NDArray[Any], ...]:
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
    types = (default,) if operator.same_type else FLOATS
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
                        label,
                        f"overlaps {tensor.name}; it must not, unless it is the same view",
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
