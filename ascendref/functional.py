"""The array door: how an operator is called on arrays."""

from __future__ import annotations

import numbers
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .arrays import Wrap, import_array
from .dtypes import BY_NUMPY, FLOAT64, FLOATS, ElementType, names, promote
from .errors import ArgumentTypeError, ArgumentValueError
from .kernels.elementwise import elementwise
from .kernels.reduction import channel_sum
from .layout import MAX_RANK, maps_indices_to_one_address, meets, same_view
from .spec import Operator, Shape, check_scalar

#: what the functions take as an array and return: the caller's kind
Array = Any

_type_of: Final = attrgetter("dtype")
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
    operator.check_ranks(tuple([array.ndim for array in arrays]), MAX_RANK)
    values = _scalars(operator, scalars)
    shapes = operator.shapes(operator, tuple([array.shape for array in arrays]))
    default = types[0] if operator.same_type else promote(*types)
    compute = _compute_type(compute_dtype, types)
    outs = _outputs(operator, out, shapes, default)
    in_place = _check_overlaps(operator, arrays, outs) if out is not None else False
    _run(operator, arrays, types, values, outs, compute, in_place)
    if out is not None:
        return out
    return _finish(outs, wrap)


def _finish(outs: tuple[NDArray[Any], ...], wrap: Wrap | None) -> Any:
    results = outs if wrap is None else tuple([wrap(array) for array in outs])
    return results[0] if len(results) == 1 else results


def _run(
    operator: Operator,
    arrays: tuple[NDArray[Any], ...],
    types: tuple[ElementType, ...],
    scalars: tuple[float, ...],
    outs: tuple[NDArray[Any], ...],
    compute: str,
    in_place: bool,
) -> None:
    """Compute checked arrays."""
    size = outs[0].size
    if operator.channel_term is not None:
        if size == 0:
            outs[1][...] = 0
            return
        grad, data, weight = arrays
        channel = 1 if weight.size > 1 else None
        channel_sum(operator.formula, operator.channel_term, types[0], compute)(
            (grad, data, weight, outs[0]), outs[1], channel
        )
        return
    if operator.arguments is not None:
        scalars = operator.arguments(scalars, size)
    out = BY_NUMPY[outs[0].dtype]
    elementwise(operator.formula, types, operator.result(types), out, compute)(
        (*arrays, outs[0]), scalars, in_place
    )


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
        [
            check_scalar(param, _number(param.name, value))
            for param, value in zip(operator.scalars, values, strict=True)
        ]
    )


def _number(argument: str, value: Any) -> float:
    """Return the value of a real scalar of any type."""
    if isinstance(value, (float, int)):
        try:
            return float(value)
        except OverflowError:
            return float("inf") if value > 0 else float("-inf")
    if isinstance(value, (numbers.Real, np.generic)) or hasattr(value, "__array__"):
        array = np.asarray(value)
        if array.ndim == 0 and (array.dtype in BY_NUMPY or array.dtype.kind in "biuf"):
            return float(array)
    raise ArgumentTypeError(argument, f"is {value!r}; a real number is expected")


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
