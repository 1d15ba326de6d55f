"""The array door: how an operator is called on arrays."""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import import_array
from .dtypes import BY_NUMPY, FLOAT64, FLOATS, ElementType, names, promote
from .errors import ArgumentTypeError, ArgumentValueError
from .forks import LOCK
from .layout import MAX_RANK, maps_indices_to_one_address, meets, same_view
from .spec import Operator, Shape, check_rank, check_scalar

if TYPE_CHECKING:
    from .kernels.elementwise import ElementwiseKernel
    from .kernels.reduction import ChannelSumKernel

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
    for array in tensors:
        if type(array) is not np.ndarray:
            break
    else:
        # types and scalars may have been decided by an earlier call: dense arrays go straight on
        if _PLAIN.issuperset(map(type, (*scalars, compute_dtype))):
            known = _KNOWN.get((operator, compute_dtype, scalars, *map(_type_of, tensors)))
            if known is not None:
                result = known(tensors, out)
                if result is not None:
                    return result
    return _checked_call(operator, tensors, scalars, out, compute_dtype)


class _DenseElementwise(NamedTuple):
    """An elementwise call whose types and scalars are known to be right."""

    kernel: ElementwiseKernel
    scalars: tuple[float, ...]
    type: np.dtype[Any]

    def __call__(self, tensors: tuple[Any, ...], out: Any) -> Any:
        """Compute dense arrays of one shape; None, and nothing done, for anything else."""
        shape = tensors[0].shape
        if not _dense(tensors, shape):
            return None
        if out is None:
            out = np.empty(shape, self.type)
        elif not _dense_apart(out, tensors, shape, self.type):
            return None
        self.kernel.dense((*tensors, out), self.scalars)
        return out


class _DenseChannelSum(NamedTuple):
    """A call of an operator with channel sums whose types are known to be right."""

    kernel: ChannelSumKernel
    type: np.dtype[Any]

    def __call__(self, tensors: tuple[Any, ...], out: Any) -> Any:
        """Compute dense arrays with a weight of rank 1; None, and nothing done, for others."""
        grad, data, weight = tensors
        shape, count = data.shape, weight.size
        if not (
            _dense((grad, data), shape)
            and data.size
            and _dense((weight,), (count,))
            and (count == 1 or (len(shape) > 1 and count == shape[1]))
        ):
            return None
        if out is None:
            result, sums = out = np.empty(shape, self.type), np.empty(count, self.type)
        else:
            if type(out) is not tuple or len(out) != 2:
                return None
            result, sums = out
            if not (
                _dense_apart(result, (*tensors, sums), shape, self.type)
                and _dense_apart(sums, tensors, (count,), self.type)
            ):
                return None
        self.kernel.dense((grad, data, weight, result), sums)
        return out


def _dense(arrays: tuple[Any, ...], shape: Shape) -> bool:
    """Tell whether arrays of NumPy have one shape and a layout that a dense kernel takes."""
    for array in arrays:
        if array.shape != shape or not array.flags.carray:
            return False
    return len(shape) <= MAX_RANK


def _dense_apart(out: Any, others: tuple[Any, ...], shape: Shape, kind: np.dtype[Any]) -> bool:
    """Tell at a glance whether an output fits, is dense, and owns memory that no other shares."""
    if (
        type(out) is not np.ndarray
        or out.shape != shape
        or out.dtype != kind
        or out.base is not None
        or not out.flags.carray
    ):
        return False
    for array in others:
        if array is out or getattr(array, "base", array) is not None:
            return False
    return True


_KNOWN: Final[dict[tuple[Any, ...], _DenseElementwise | _DenseChannelSum]] = {}
#: scalars are part of what is remembered, so there must be an end to it
_KNOWN_LIMIT: Final = 4096
#: types of scalars and compute types that may be part of it; others equal one of these without
#: being the same, or change
_PLAIN: Final = frozenset((float, int, str, type(None)))


def _checked_call(
    operator: Operator,
    tensors: tuple[Any, ...],
    scalars: tuple[Any, ...],
    out: Any,
    compute_dtype: Any,
) -> Any:
    """Check everything, then compute."""
    with LOCK:
        # the kernels, and with them Numba, are imported when the first call needs them
        from .kernels.elementwise import elementwise
        from .kernels.reduction import channel_sum
        from .kernels.true_sum import true_channel_sum
        from .kernels.truth import true_elementwise

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
    known: _DenseElementwise | _DenseChannelSum
    if operator.channel_term is not None:
        formulas = operator.formula, operator.channel_term
        if compute == "float64":
            sums = true_channel_sum(*formulas, types[0])
        else:
            sums = channel_sum(*formulas, types[0], compute)
        known = _DenseChannelSum(sums, default.numpy)
        grad, data, weight = arrays
        if data.size:
            channel = 1 if weight.size > 1 else None
            sums((grad, data, weight, outs[0]), outs[1], channel, in_place)
        else:
            outs[1][...] = 0  # there is nothing to add up
    else:
        result, given = operator.result(types), BY_NUMPY[outs[0].dtype]
        if compute == "float64":
            kernel = true_elementwise(operator.formula, types, given)
        else:
            formula = operator.formula.suited(compute, result.name, values)
            kernel = elementwise(formula, types, result, given, compute)
        known = _DenseElementwise(kernel, values, default.numpy)
        kernel((*arrays, outs[0]), values, in_place)
    if (
        all([type(tensor) is np.ndarray for tensor in tensors])
        and outs[0].dtype == default.numpy
        and _PLAIN.issuperset(map(type, (*scalars, compute_dtype)))
    ):
        if len(_KNOWN) >= _KNOWN_LIMIT:
            _KNOWN.clear()
        _KNOWN[operator, compute_dtype, scalars, *map(_type_of, arrays)] = known
    if out is not None:
        return out
    results = outs if wrap is None else tuple([wrap(array) for array in outs])
    return results[0] if len(results) == 1 else results


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
