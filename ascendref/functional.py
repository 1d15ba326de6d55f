"""The array door: how an operator is called on arrays."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from .arrays import import_array
from .dtypes import BY_NUMPY, FLOAT64, FLOATS, ElementType, names, promote
from .errors import ArgumentTypeError, ArgumentValueError
from .forks import imported
from .layout import maps_indices_to_one_address, meets, same_view
from .recall import LATEST, recall, remember
from .spec import Operator, Shape, Types, check_rank, check_scalar

if TYPE_CHECKING:
    from .kernels.elementwise import ElementwiseKernel
    from .kernels.reduction import ChannelSumKernel

#: what the functions take as an array and return: the caller's kind
Array = Any

_COMPUTE: Final = tuple(kind.name for kind in FLOATS)


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
    imported = [
        import_array(tensor.name, value)
        for tensor, value in zip(operator.tensors, tensors, strict=True)
    ]
    arrays = tuple([entry.array for entry in imported])
    wrap = next((entry.wrap for entry in imported if entry.wrap is not None), None)
    types = tuple(
        [
            _element_type(tensor.name, array)
            for tensor, array in zip(operator.tensors, arrays, strict=True)
        ]
    )
    operator.check_types(types)
    for tensor, array in zip(operator.tensors, arrays, strict=True):
        check_rank(tensor.name, array.ndim)
    values = _scalars(operator, scalars)
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
    results = outs if wrap is None else tuple([wrap(array) for array in outs])
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
            kernel = _maker("true_sum", "true_channel_sum")(*formulas, types[0])
        else:
            kernel = _maker("reduction", "channel_sum")(*formulas, types[0], compute)
    elif compute == "float64":
        kernel = _maker("truth", "true_elementwise")(formula, types, out)
    else:
        kernel = _maker("elementwise", "elementwise")(formula, types, result, out, compute)
    return kernel


@cache
def _maker(module: str, name: str) -> Any:
    """Import what makes kernels, and with it Numba, when the first call needs it."""
    return getattr(imported(f".kernels.{module}", __package__), name)


def _element_type(argument: str, array: NDArray[Any]) -> ElementType:
    kind = BY_NUMPY.get(array.dtype)
    if kind is None:
        raise ArgumentTypeError(
            argument,
            f"has type {array.dtype!s}; allowed are {names(tuple(BY_NUMPY.values()))} in native"
            " byte order",
        )
    return kind


@lru_cache(maxsize=64)
def _compute_name(compute_dtype: Any) -> str:
    try:
        kind = BY_NUMPY.get(np.dtype(compute_dtype))
    except TypeError:
        kind = None
    if kind is None or kind not in FLOATS:
        raise ArgumentTypeError(
            "compute_dtype", f"is {compute_dtype!r}; allowed are None, {', '.join(_COMPUTE)}"
        )
    return kind.name


def _compute_type(compute_dtype: Any, types: tuple[ElementType, ...]) -> str:
    if compute_dtype is None:
        return "float64" if FLOAT64 in types else "float32"
    if isinstance(compute_dtype, str) and compute_dtype in _COMPUTE:
        return compute_dtype
    try:
        hash(compute_dtype)
    except TypeError:
        raise ArgumentTypeError(
            "compute_dtype", f"is {compute_dtype!r}; allowed are None, {', '.join(_COMPUTE)}"
        ) from None
    return _compute_name(compute_dtype)


def _scalars(operator: Operator, values: tuple[Any, ...]) -> tuple[float, ...]:
    return tuple(
        [check_scalar(param, value) for param, value in zip(operator.scalars, values, strict=True)]
    )


def _outputs(
    operator: Operator, out: Any, shapes: tuple[Shape, ...], default: ElementType
) -> tuple[NDArray[Any], ...]:
    """Return the arrays that the results go to, made or given."""
    if out is None:
        return tuple([np.empty(shape, default.numpy) for shape in shapes])
    given = (out,)
    labels: tuple[str, ...] = ("out",)
    if len(shapes) > 1:
        if not isinstance(out, (tuple, list)) or len(out) != len(shapes):
            raise ArgumentTypeError(
                "out",
                f"is {type(out).__name__}; a tuple of {len(shapes)} arrays is expected:"
                f" {', '.join(operator.outputs)}",
            )
        given = tuple(out)
        labels = tuple(f"out[{k}]" for k in range(len(shapes)))
    arrays = []
    for label, value, shape in zip(labels, given, shapes, strict=True):
        array = import_array(label, value).array
        kind = _element_type(label, array)
        if operator.same_type and kind is not default:
            raise ArgumentTypeError(label, f"has type {kind.name}; {default.name} is expected")
        if kind not in FLOATS:
            raise ArgumentTypeError(label, f"has type {kind.name}; allowed are {names(FLOATS)}")
        if array.shape != shape:
            raise ArgumentValueError(label, f"has shape {array.shape}; {shape} is expected")
        if not array.flags.writeable:
            raise ArgumentValueError(
                label, "is read-only; an array that can be written is expected"
            )
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
