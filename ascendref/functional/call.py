"""The array door: how an operator is called on arrays."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import import_array, not_to_write, wrapped
from ..core.dtypes import BY_NUMPY, FLOAT64, FLOATS, ElementType, floating_type, promote
from ..core.errors import ArgumentTypeError, ArgumentValueError
from ..core.fork_safety import imported
from ..core.layout import maps_indices_to_one_address, meets, same_view
from ..declaration.operator import Operator, Shape, Types
from ..declaration.scalars import check_named
from ..declaration.shapes import check_rank
from .call_cache import LATEST, recall, remember

if TYPE_CHECKING:
    from ..kernels.loops.channel_sums import ChannelSumKernel
    from ..kernels.loops.elementwise import ElementwiseKernel

#: what the functions take as an array and return: the caller's kind
Array = Any


def array_call(
    operator: Operator,
    tensors: tuple[Any, ...],
    scalars: tuple[Any, ...],
    out: Any,
    compute_dtype: Any,
) -> Any:
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
    compute_dtype : str, dtype or None
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
    known = LATEST.get(operator)
    if known is not None:
        result = known(tensors, scalars, out, compute_dtype)
        if result is not None:
            return result
    for recalled in recall(operator, tensors, scalars, out, compute_dtype):
        if recalled is not known:
            result = recalled(tensors, scalars, out, compute_dtype)
            if result is not None:
                LATEST[operator] = recalled
                return result
    return _checked_call(operator, tensors, scalars, out, compute_dtype)


def _checked_call(
    operator: Operator,
    tensors: tuple[Any, ...],
    scalars: tuple[Any, ...],
    out: Any,
    compute_dtype: Any,
) -> Any:
    """Check everything, then compute."""
    entries = [
        import_array(tensor.name, value, tensor.types)
        for tensor, value in zip(operator.tensors, tensors, strict=True)
    ]
    arrays = tuple([entry.array for entry in entries])
    types = tuple([BY_NUMPY[array.dtype] for array in arrays])
    operator.check_types(types)
    for tensor, array in zip(operator.tensors, arrays, strict=True):
        check_rank(tensor.name, array.ndim)
    values = tuple(map(check_named, operator.scalars, scalars))
    shapes = operator.shapes(operator, tuple([array.shape for array in arrays]))
    default = types[0] if operator.same_type else promote(*types)
    compute = _compute_type(compute_dtype, types)
    outs = _outputs(operator, out, shapes, default)
    in_place = _check_overlaps(operator, arrays, outs) if out is not None else False
    kernel: Any = kernel_for(operator, types, BY_NUMPY[outs[0].dtype], compute, values)
    if operator.channel_term is not None:
        grad, data, weight = arrays
        if data.size:
            channel = 1 if weight.size > 1 else None
            kernel((grad, data, weight, outs[0]), outs[1], channel, in_place)
        else:
            outs[1][...] = 0  # there is nothing to add up
    else:
        kernel((*arrays, outs[0]), values, in_place)
    if outs[0].dtype == default.numpy:
        remember(operator, tensors, scalars, out, compute_dtype, kernel, values, outs[0], in_place)
    if out is not None:
        return out
    results = outs
    for tensor, entry in zip(operator.tensors, entries, strict=True):
        if entry.wrap is not None:
            results = wrapped(tensor.name, entry.wrap, outs)
            break
    return results[0] if len(results) == 1 else results


def kernel_for(
    operator: Operator, types: Types, out: ElementType, compute: str, values: tuple[float, ...]
) -> ElementwiseKernel | ChannelSumKernel:
    """Return the kernel for tensors of some types.

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
    kernel: ElementwiseKernel | ChannelSumKernel
    result = operator.result(types)
    # what is computed in float64 is rounded to the type of the results at once
    rounded = out if compute == "float64" else result
    formula = operator.formula.suited(compute, rounded.name, values)
    if operator.channel_term is not None:
        formulas = formula, operator.channel_term
        if compute == "float64":
            kernel = _maker("exact_sums", "true_channel_sum")(*formulas, types[0])
        else:
            kernel = _maker("channel_sums", "channel_sum")(*formulas, types[0], compute)
    elif compute == "float64":
        kernel = _maker("truth", "true_elementwise")(formula, types, out)
    else:
        kernel = _maker("elementwise", "elementwise")(formula, types, result, out, compute)
    return kernel


@cache
def _maker(module: str, name: str) -> Any:
    """Import what makes kernels, and with it Numba, when the first call needs it."""
    return getattr(imported(f"ascendref.kernels.loops.{module}"), name)


def _compute_type(compute_dtype: Any, types: tuple[ElementType, ...]) -> str:
    if compute_dtype is None:
        return "float64" if FLOAT64 in types else "float32"
    return floating_type("compute_dtype", compute_dtype, "None, ").name


def _outputs(
    operator: Operator, out: Any, shapes: tuple[Shape, ...], default: ElementType
) -> tuple[NDArray[Any], ...]:
    """Return the arrays that the results go to, made or given."""
    if out is None:
        return tuple([np.empty(shape, default.numpy) for shape in shapes])
    given = (out,)
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
        given = tuple(out)
        labels = tuple(f"out[{k}]" for k in range(len(shapes)))
    types = (default,) if operator.same_type else FLOATS
    arrays = []
    for label, value, shape in zip(labels, given, shapes, strict=True):
        array = import_array(label, value, types).array
        if array.shape != shape:
            raise ArgumentValueError(label, f"has shape {array.shape}; {shape} is expected")
        if problem := not_to_write(label, value, array):
            raise ArgumentValueError(label, problem)
        if maps_indices_to_one_address(array):
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
    """Tell whether an output is exactly an input's view; raise where they overlap otherwise."""
    in_place = False
    for k, out in enumerate(outs):
        label = "out" if len(outs) == 1 else f"out[{k}]"
        for tensor, array in zip(operator.tensors, arrays, strict=True):
            if meets(out, array):
                if not same_view(out, array):
                    raise ArgumentValueError(
                        label,
                        f"overlaps {tensor.name}; it must be apart from it or exactly its view",
                    )
                in_place = True
        for other in outs[:k]:
            if meets(out, other):
                raise ArgumentValueError(label, "overlaps out[0]; results must be apart")
    return in_place
