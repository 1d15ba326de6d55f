"""The cache of checked calls: a call like an earlier one skips the full check.

A full check takes twenty times as long as a kernel on a few elements. So a call that passed it
stores a closure, a *cached call*, that holds the kernel and all decisions. It either runs the
kernel or, if the new call differs, does nothing and returns None; then the new call is checked in
full.

A cached call compares the compute type and the scalars. The compute type must be the same object as
before; a scalar must be the same object or equal and of the same built-in type. An object of
another type may equal a number and still be invalid (``Decimal("0.5")``), or change later (an
array).

The kernel checks the arrays. Kernels returned by `bind`, `like` and `dense` take addresses of
Python objects and read the array headers in compiled code. They reject every object that is not a
plain ``ndarray`` of the expected element type and layout, and every output that is read-only or
overlaps another operand. If NumPy's headers differ from what ``kernels/runtime/array_header.py``
expects, they reject all objects, so every call is checked in full.

The operator's most recent cached call is tried first, because programs mostly repeat their calls.
Then a table is searched: for contiguous arrays of any shape, by operator, compute type, scalars and
element types; for other arrays, by these and all shapes and strides. A call on other arrays is
cached at its second occurrence, once the kernel has its strided loop. The first calls copy instead
(`Kernel.copies_first`), because compiling this loop and the layout check takes longer than some of
them. Calls with scalars that are not Python's own, in-place results or empty results are never
cached. Of other libraries' arrays, only torch tensors are cached (``torch_calls.py``).

Measured with 16 elements and ``out=`` on one thread: hardshrink takes 0.65 µs with the most recent
cached call, 1.7 µs with one from the table, and 16 µs with the full check. There is one closure for
each combination of the numbers of tensors and scalars that occurs; a general one would take 0.95
µs. With 4096 elements each of these takes 0.3 µs more.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy import empty, empty_like, ndarray
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from ..declaration.operator import Operator

if TYPE_CHECKING:  # at run time these imports would load Numba before the first call
    from ..kernels.loops.channel_sums import ChannelSumKernel
    from ..kernels.loops.elementwise import ElementwiseKernel


class Call(NamedTuple):
    """The arguments of a call of an array function, unchecked."""

    operator: Operator
    tensors: tuple[Any, ...]
    scalars: tuple[Any, ...]
    out: Any
    compute_dtype: Any


#: ``cached_call(tensors, scalars, out, compute_dtype)`` returns the result, or does nothing and
#: returns None if it does not apply
CachedCall = Callable[[tuple[Any, ...], tuple[Any, ...], Any, Any], Any]

#: operator -> its most recent cached call
LAST_USED: Final[dict[Operator, CachedCall]] = {}
#: None for layouts that occurred once
_CACHED_CALLS: Final[dict[tuple[Any, ...], CachedCall | None]] = {}
#: keys contain scalars and shapes, so the number of entries must be limited
_CACHE_LIMIT: Final = 4096
#: types of scalars and compute types that a key may contain; ``torch_calls.py`` adds to both
KEY_TYPES: Final[set[type]] = {float, int, str, type(None)}
#: array types that cached calls take
ARRAY_TYPES: Final[set[type]] = {ndarray}


def run_cached(
    operator: Operator,
    tensors: tuple[Any, ...],
    scalars: tuple[Any, ...],
    out: Any,
    compute_dtype: Any,
) -> Any:
    """Run the matching cached call and return its result; None if there is none."""
    key = call_key(operator, tensors, scalars, compute_dtype)
    if key is None:
        return None
    result = None
    cached_call = _CACHED_CALLS.get(key)
    if cached_call is not None:
        result = cached_call(tensors, scalars, out, compute_dtype)
    if result is None and type(tensors[0]) is ndarray:
        cached_call = _CACHED_CALLS.get((*key, *_layouts(tensors, out)))
        if cached_call is not None:
            result = cached_call(tensors, scalars, out, compute_dtype)
    if result is not None and cached_call is not None:
        LAST_USED[operator] = cached_call
    return result


def store_elementwise(
    call: Call,
    kernel: ElementwiseKernel,
    values: tuple[float, ...],
    result: NDArray[Any],
    in_place: bool,
) -> None:
    """Cache an elementwise call that passed the full check, if it can be cached.

    Parameters
    ----------
    call : Call
        The call.
    kernel : ElementwiseKernel
        The kernel that computed it.
    values : tuple of float
        The values of the scalars, for the kernel.
    result : ndarray
        The result.
    in_place : bool
        Whether the result is the same view as an input.
    """
    key = call_key(call.operator, call.tensors, call.scalars, call.compute_dtype)
    if key is None or not _is_cacheable(call, result):
        return
    operands = (*call.tensors, result)
    if kernel.layout(operands, in_place) == "dense":
        store(key, _elementwise(kernel.bind(values), call, result.dtype, None))
    elif not in_place and (call.out is None or type(call.out) is ndarray):
        key = (*key, *_layouts(call.tensors, call.out))
        cached_call = None
        if kernel.has_loop("tiled") and key in _CACHED_CALLS:
            kernel_like = kernel.like(operands, values)
            cached_call = _elementwise(kernel_like, call, result.dtype, _maker(result))
        store(key, cached_call)


def store_channel_sum(
    call: Call, kernel: ChannelSumKernel, outs: tuple[NDArray[Any], ...], in_place: bool
) -> None:
    """Cache a call with channel sums that passed the full check, if it can be cached.

    Parameters
    ----------
    call : Call
        The call.
    kernel : ChannelSumKernel
        The kernel that computed it.
    outs : tuple of ndarray
        The elementwise result and the sums.
    in_place : bool
        Whether one of them is the same view as an input.
    """
    key = call_key(call.operator, call.tensors, call.scalars, call.compute_dtype)
    if key is None or not _is_cacheable(call, outs[0]):
        return
    if kernel.are_contiguous((*call.tensors, *outs), in_place):
        store(key, _channel_sum(kernel, call.compute_dtype, outs[0].dtype))


def call_key(
    operator: Operator, tensors: tuple[Any, ...], scalars: tuple[Any, ...], compute_dtype: Any
) -> tuple[Any, ...] | None:
    """Return the key for calls on contiguous arrays; None if the call is never cached."""
    if (
        ARRAY_TYPES.issuperset(map(type, tensors))
        and (len(ARRAY_TYPES) == 1 or len(set(map(type, tensors))) == 1)
        and KEY_TYPES.issuperset(map(type, (*scalars, compute_dtype)))
    ):
        return (operator, compute_dtype, scalars, *[tensor.dtype for tensor in tensors])
    return None


def _layouts(tensors: tuple[Any, ...], out: Any) -> tuple[Any, ...]:
    """Return what the key for calls on other arrays contains in addition."""
    return (
        *[(tensor.shape, tensor.strides) for tensor in tensors],
        (out.shape, out.strides) if type(out) is ndarray else None,
    )


def _is_cacheable(call: Call, result: NDArray[Any]) -> bool:
    return type(call.tensors[0]) is ndarray is type(result) and result.size > 0


def store(key: tuple[Any, ...], cached_call: CachedCall | None) -> None:
    """Store a cached call under its key; None if the call must occur again first."""
    if len(_CACHED_CALLS) >= _CACHE_LIMIT:
        _CACHED_CALLS.clear()
    _CACHED_CALLS[key] = cached_call
    if cached_call is not None:
        LAST_USED[key[0]] = cached_call


def _maker(result: NDArray[Any]) -> Callable[[], NDArray[Any]]:
    """Return a function that makes arrays with the memory layout of a result."""
    if result.flags.c_contiguous:
        return partial(empty, result.shape, result.dtype)
    # a template that takes the memory of one element
    one = empty((), result.dtype)
    return partial(empty_like, as_strided(one, result.shape, result.strides))


def _elementwise(
    kernel: Callable[..., int],
    call: Call,
    dtype: np.dtype[Any],
    make: Callable[[], Any] | None,
) -> CachedCall:
    """Return the cached call of an elementwise operator.

    Parameters
    ----------
    kernel : callable
        A kernel with its scalars. It takes the addresses of inputs and output, and returns a
        negative number without doing anything if they do not match.
    call : Call
        The call that passed the full check.
    dtype : dtype
        Element type of the result.
    make : callable or None
        Returns an array for the result; None for C order and the first tensor's shape.
    """
    closure = _CLOSURES.get((len(call.tensors), len(call.scalars)), _any_operands)
    return closure(kernel, call.scalars, call.compute_dtype, dtype, make)


# The following differ only in the numbers of tensors and scalars. They are written out because a
# shared function would make a call 5% slower. Scalars are compared by identity first, because NaN
# does not equal itself.


def _two_tensors_one_scalar(
    kernel: Callable[..., int],
    scalars: tuple[Any, ...],
    compute: str | None,
    dtype: np.dtype[Any],
    make: Callable[[], Any] | None,
) -> CachedCall:
    (p,) = scalars
    p_type = type(p)

    def cached_call(
        tensors: tuple[Any, ...], scalars: tuple[Any, ...], out: Any, compute_dtype: Any
    ) -> Any:
        a, b = tensors
        (s,) = scalars
        if compute_dtype is not compute or (s is not p and (type(s) is not p_type or s != p)):
            return None
        if out is None:
            if type(a) is not ndarray:
                return None
            out = empty(a.shape, dtype) if make is None else make()
        return out if kernel(id(a), id(b), id(out)) >= 0 else None

    return cached_call


def _two_tensors_two_scalars(
    kernel: Callable[..., int],
    scalars: tuple[Any, ...],
    compute: str | None,
    dtype: np.dtype[Any],
    make: Callable[[], Any] | None,
) -> CachedCall:
    p, q = scalars
    p_type, q_type = type(p), type(q)

    def cached_call(
        tensors: tuple[Any, ...], scalars: tuple[Any, ...], out: Any, compute_dtype: Any
    ) -> Any:
        a, b = tensors
        s, t = scalars
        if (
            compute_dtype is not compute
            or (s is not p and (type(s) is not p_type or s != p))
            or (t is not q and (type(t) is not q_type or t != q))
        ):
            return None
        if out is None:
            if type(a) is not ndarray:
                return None
            out = empty(a.shape, dtype) if make is None else make()
        return out if kernel(id(a), id(b), id(out)) >= 0 else None

    return cached_call


def _three_tensors_two_scalars(
    kernel: Callable[..., int],
    scalars: tuple[Any, ...],
    compute: str | None,
    dtype: np.dtype[Any],
    make: Callable[[], Any] | None,
) -> CachedCall:
    p, q = scalars
    p_type, q_type = type(p), type(q)

    def cached_call(
        tensors: tuple[Any, ...], scalars: tuple[Any, ...], out: Any, compute_dtype: Any
    ) -> Any:
        a, b, c = tensors
        s, t = scalars
        if (
            compute_dtype is not compute
            or (s is not p and (type(s) is not p_type or s != p))
            or (t is not q and (type(t) is not q_type or t != q))
        ):
            return None
        if out is None:
            if type(a) is not ndarray:
                return None
            out = empty(a.shape, dtype) if make is None else make()
        return out if kernel(id(a), id(b), id(c), id(out)) >= 0 else None

    return cached_call


def _any_operands(
    kernel: Callable[..., int],
    scalars: tuple[Any, ...],
    compute: str | None,
    dtype: np.dtype[Any],
    make: Callable[[], Any] | None,
) -> CachedCall:
    expected = scalars

    def cached_call(
        tensors: tuple[Any, ...], scalars: tuple[Any, ...], out: Any, compute_dtype: Any
    ) -> Any:
        if compute_dtype is not compute:
            return None
        for s, p in zip(scalars, expected, strict=True):
            if s is not p and (type(s) is not type(p) or s != p):
                return None
        if out is None:
            if type(tensors[0]) is not ndarray:
                return None
            out = empty(tensors[0].shape, dtype) if make is None else make()
        return out if kernel(*map(id, tensors), id(out)) >= 0 else None

    return cached_call


#: numbers of tensors and scalars -> function that makes the cached call of such an operator
_CLOSURES: Final = {
    (2, 1): _two_tensors_one_scalar,
    (2, 2): _two_tensors_two_scalars,
    (3, 2): _three_tensors_two_scalars,
}


def _channel_sum(kernel: ChannelSumKernel, compute: str | None, dtype: np.dtype[Any]) -> CachedCall:
    """Return the cached call of an operator with channel sums and a weight of rank 1."""

    def cached_call(
        tensors: tuple[Any, ...], scalars: tuple[Any, ...], out: Any, compute_dtype: Any
    ) -> Any:
        grad, data, weight = tensors
        if (
            compute_dtype is not compute
            or type(data) is not ndarray
            or type(weight) is not ndarray
            or not data.size
        ):
            return None
        shape, count = data.shape, weight.size
        if count != 1 and (len(shape) < 2 or shape[1] != count):
            return None
        if out is None:
            out = empty(shape, dtype), empty(count, dtype)
        elif type(out) is not tuple or len(out) != 2:
            return None
        return out if kernel.dense((grad, data, weight, out[0]), out[1]) else None

    return cached_call
