"""The array door: how an operator is called on arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from operator import attrgetter
from types import CodeType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import import_array
from .dtypes import BY_NUMPY, FLOAT64, FLOATS, ElementType, names, promote
from .errors import ArgumentTypeError, ArgumentValueError
from .forks import LOCK
from .layout import PARALLEL_FROM, maps_indices_to_one_address, meets, same_view
from .spec import Operator, Shape, Types, check_rank, check_scalar

if TYPE_CHECKING:
    from .kernels.elementwise import BoundKernel, ElementwiseKernel
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
    # what an earlier call decided still holds for equal arguments, and its kernel looks at the rest
    known = _LATEST.get(operator)
    if known is not None:
        result = known(tensors, scalars, out, compute_dtype)
        if result is not None:
            return result
    recalled = _recall(operator, tensors, scalars, compute_dtype)
    if recalled is not None and recalled is not known:
        result = recalled(tensors, scalars, out, compute_dtype)
        if result is not None:
            return result
    return _checked_call(operator, tensors, scalars, out, compute_dtype)


#: a call whose types and scalars were found to be right: ``known(tensors, scalars, out,
#: compute_dtype)`` computes dense arrays; it returns None, and nothing is done, if scalars or
#: compute type are others or the arrays are not dense
_Known = Callable[[tuple[Any, ...], tuple[Any, ...], Any, Any], Any]

_DENSE_ELEMENTWISE: Final = """
def known(tensors, scalars, out, compute_dtype):
    {tensors} = tensors
    {scalars} = scalars
    if {unlike}:
        return None
    if out is None:
        out = empty(a0.shape, result)
    twin = kernel.small if a0.size < PARALLEL_FROM else kernel.large
    return out if twin({ids}, id(out)) >= 0 else None
"""


_OTHER: Final = (
    "compute_dtype is not compute and (type(compute_dtype) is not str or compute_dtype != compute)"
)


@cache
def _code(tensors: int, scalars: int) -> CodeType:
    """Return that source for so many tensors and scalars, compiled."""
    operands = [f"a{k}" for k in range(tensors)]
    numbers = range(scalars)
    # a number of another type may equal one without being allowed
    unlike = [
        f"s{k} is not given{k} and (type(s{k}) is not kind{k} or s{k} != given{k})" for k in numbers
    ]
    source = _DENSE_ELEMENTWISE.format(
        tensors=", ".join(operands),
        scalars=f"({''.join([f's{k}, ' for k in numbers])})",
        unlike=" or ".join(f"({test})" for test in ("type(a0) is not ndarray", _OTHER, *unlike)),
        ids=", ".join([f"id({name})" for name in operands]),
    )
    return compile(source, __file__, "exec")


def _dense_elementwise(
    kernel: BoundKernel,
    result: np.dtype[Any],
    tensors: int,
    scalars: tuple[Any, ...],
    compute_dtype: str | None,
) -> _Known:
    """Return an elementwise call with everything decided that does not depend on the arrays."""
    names: dict[str, Any] = {
        "kernel": kernel,
        "result": result,
        "compute": compute_dtype,
        "ndarray": np.ndarray,
        "empty": np.empty,
        "PARALLEL_FROM": PARALLEL_FROM,
    }
    for k, scalar in enumerate(scalars):
        names |= {f"given{k}": scalar, f"kind{k}": type(scalar)}
    exec(_code(tensors, len(scalars)), names)
    known: _Known = names["known"]
    return known


def _dense_channel_sum(
    kernel: ChannelSumKernel, result: np.dtype[Any], compute: str | None
) -> _Known:
    """Return a call with channel sums; a weight of another rank than 1 is not dense."""

    def known(
        tensors: tuple[Any, ...], scalars: tuple[Any, ...], out: Any, compute_dtype: Any
    ) -> Any:
        grad, data, weight = tensors
        if (
            (
                compute_dtype is not compute
                and (type(compute_dtype) is not str or compute_dtype != compute)
            )
            or type(data) is not np.ndarray
            or type(weight) is not np.ndarray
            or not data.size
        ):
            return None
        shape, count = data.shape, weight.size
        if count != 1 and (len(shape) < 2 or shape[1] != count):
            return None
        if out is None:
            out = np.empty(shape, result), np.empty(count, result)
        elif type(out) is not tuple or len(out) != 2:
            return None
        return out if kernel.dense((grad, data, weight, out[0]), out[1]) else None

    return known


_KNOWN: Final[dict[tuple[Any, ...], _Known]] = {}
#: scalars are part of what is remembered, so there must be an end to it
_KNOWN_LIMIT: Final = 4096
#: types of scalars and compute types that may be part of it; others equal one of these without
#: being the same, or change
_PLAIN: Final = frozenset((float, int, str, type(None)))
#: the one that each operator used last
_LATEST: Final[dict[Operator, _Known]] = {}


def _recall(
    operator: Operator, tensors: tuple[Any, ...], scalars: tuple[Any, ...], compute_dtype: Any
) -> _Known | None:
    """Return what is known about a call like this one, if anything."""
    if not all([type(tensor) is np.ndarray for tensor in tensors]):
        return None
    if not _PLAIN.issuperset(map(type, (*scalars, compute_dtype))):
        return None
    known = _KNOWN.get((operator, compute_dtype, scalars, *map(_type_of, tensors)))
    if known is not None:
        _LATEST[operator] = known
    return known


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
    if (
        all([type(tensor) is np.ndarray for tensor in tensors])
        and outs[0].dtype == default.numpy
        and _PLAIN.issuperset(map(type, (*scalars, compute_dtype)))
    ):
        key = (operator, compute_dtype, scalars, *map(_type_of, arrays))
        if key not in _KNOWN:
            if len(_KNOWN) >= _KNOWN_LIMIT:
                _KNOWN.clear()
            if operator.channel_term is not None:
                known = _dense_channel_sum(kernel, default.numpy, compute_dtype)
            else:
                known = _dense_elementwise(
                    kernel.bind(values), default.numpy, len(types), scalars, compute_dtype
                )
            _KNOWN[key] = _LATEST[operator] = known
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
    make = _makers()
    if operator.channel_term is not None:
        formulas = operator.formula, operator.channel_term
        if compute == "float64":
            return make.true_channel_sum(*formulas, types[0])
        return make.channel_sum(*formulas, types[0], compute)
    if compute == "float64":
        return make.true_elementwise(operator.formula, types, out)
    result = operator.result(types)
    formula = operator.formula.suited(compute, result.name, values)
    return make.elementwise(formula, types, result, out, compute)


class _Makers(NamedTuple):
    """What makes kernels."""

    elementwise: Callable[..., ElementwiseKernel]
    channel_sum: Callable[..., ChannelSumKernel]
    true_elementwise: Callable[..., ElementwiseKernel]
    true_channel_sum: Callable[..., ChannelSumKernel]


@cache
def _makers() -> _Makers:
    """Import the kernels, and with them Numba, when the first call needs them."""
    with LOCK:
        from .kernels.elementwise import elementwise
        from .kernels.reduction import channel_sum
        from .kernels.true_sum import true_channel_sum
        from .kernels.truth import true_elementwise

    return _Makers(elementwise, channel_sum, true_elementwise, true_channel_sum)


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
