"""The array functions on dask arrays: lazy, one call per block.

An elementwise result is computed block by block. A sum per channel is merged from partial sums
(`Partial`) of the blocks; the summation tree does not depend on how the data are cut. For that, a
block's terms must be consecutive and begin at a block of the tree. If the chunks do not meet this,
the data are rechunked in the order of their terms for the sums; the elementwise result keeps the
caller's chunks.

Chunks of size 0 are dropped first: dask broadcasts an axis of length 1 wrongly if it has one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final, NamedTuple

import dask.array as da
import numpy as np

from ..core.arrays import import_array
from ..core.dtypes import BY_NUMPY, ROUNDED_ONCE, ElementType, promote
from ..core.errors import ArgumentTypeError, ArgumentValueError
from ..declaration.operator import Operator, Shape, find_operator
from ..declaration.scalars import check_array_scalar
from ..declaration.shapes import check_rank
from .call import array_call, call_on_part, compute_type
from .call_cache import Call
from .dask_chunks import (
    Places,
    UnknownAxes,
    check_blocks,
    check_cuts,
    check_known,
    chunk_starts,
    in_blocks_of,
    in_term_order,
    places_of,
    result_shapes,
    unknown_axes,
    without_empty_chunks,
)
from .partial_sums import Partial, partial_call

#: number of partial sums merged in one task
_MERGED: Final = 16


class _Checked(NamedTuple):
    """The checked arguments of a call."""

    tensors: list[Any]
    types: tuple[ElementType, ...]
    scalars: tuple[float, ...]
    shapes: tuple[Shape, ...]
    compute: str
    unknown: UnknownAxes


def call_operator(call: Call) -> Any:
    """Call an operator on tensors of which at least one is a dask array.

    Raises
    ------
    ArgumentTypeError, ArgumentValueError
        As for other arrays, as far as it is known before anything is computed; also if ``out`` is
        given.
    """
    operator = call.operator
    if call.out is not None:
        raise ArgumentValueError(
            "out",
            "is given with dask arrays, whose results are computed later; omit it, and store"
            " what is returned (dask.array.store, to_zarr)",
        )
    checked = _check(call)
    if operator.channel_term is not None:
        grad, data, _ = checked.tensors
        if not isinstance(call.tensors[1], da.Array) and grad.shape == data.shape:
            checked.tensors[1] = data.rechunk(grad.chunks)
        return _channel_sums(operator, checked)
    size = None
    if operator.part_scalars is not None:
        size = prod(checked.shapes[0])
        if operator.part_scalars(checked.scalars, size) == checked.scalars:
            size = None
        else:
            check_known(operator, checked.tensors, "all results are counted")
    return _blockwise(operator, checked, size)


def _check(call: Call) -> _Checked:
    """Check a call as far as that is possible before anything is computed."""
    operator = call.operator
    tensors = [
        _dask_array(param.name, value, param.types)
        for param, value in zip(operator.tensors, call.tensors, strict=True)
    ]
    types = tuple([BY_NUMPY[tensor.dtype] for tensor in tensors])
    operator.check_types(types)
    for param, tensor in zip(operator.tensors, tensors, strict=True):
        check_rank(param.name, tensor.ndim)
    if operator.channel_term is not None:
        check_known(operator, tensors, "terms are counted")
    scalars = tuple(map(check_array_scalar, operator.scalars, call.scalars))
    unknown = unknown_axes(tensors)
    shapes = result_shapes(operator, tensors, unknown)
    check_cuts(operator, tensors, unknown)
    compute = compute_type(call.compute_dtype, types)
    return _Checked(tensors, types, scalars, shapes, compute, unknown)


def _dask_array(argument: str, value: Any, types: tuple[ElementType, ...]) -> Any:
    """Return a tensor as a dask array; an array of another library becomes a single chunk."""
    if not isinstance(value, da.Array):
        return da.from_array(import_array(argument, value, types).array, chunks=-1)
    if type(value._meta) is not np.ndarray:
        raise ArgumentTypeError(
            argument,
            f"is a dask array of {type(value._meta).__name__} blocks; blocks of numpy.ndarray are"
            " expected",
        )
    import_array(argument, value._meta, types)  # checks the type
    return value


def _blockwise(operator: Operator, checked: _Checked, size: int | None) -> Any:
    """Return the elementwise result."""
    shape, dtype = checked.shapes[0], promote(*checked.types).numpy
    axes = tuple(range(len(shape)))[::-1]
    pairs: list[Any] = []
    for tensor in checked.tensors:
        pairs += [without_empty_chunks(tensor), axes[len(shape) - tensor.ndim :]]
    return da.blockwise(
        _element_block,
        axes,
        *pairs,
        token=operator.name,
        dtype=dtype,
        meta=np.empty((0,) * len(shape), dtype),
        # dask uses the chunks of another tensor even if its length is 1
        adjust_chunks={k: 0 for k, n in zip(axes, shape, strict=True) if n == 0},
        operator=operator.name,
        scalars=checked.scalars,
        compute=checked.compute,
        size=size,
        unknown=checked.unknown,
    )


def _element_block(
    *tensors: Any,
    operator: str,
    scalars: tuple[float, ...],
    compute: str,
    size: int | None,
    unknown: UnknownAxes,
) -> Any:
    """Compute a block of an elementwise result; ``size`` is the number of all results if needed."""
    found = find_operator(operator)
    check_blocks(found, tensors, unknown)
    if size is None:
        return array_call(found, tensors, scalars, None, compute)
    return call_on_part(Call(found, tensors, scalars, None, compute), size)


# --- sums per channel -----------------------------------------------------------------------------


def _channel_sums(operator: Operator, checked: _Checked) -> Any:
    """Return the elementwise result and the sums."""
    given = checked.tensors[1]
    if given.size == 0:
        return given, da.zeros(checked.shapes[1], dtype=given.dtype)
    grad, data, weight = map(without_empty_chunks, checked.tensors)
    if data.ndim == 0:  # no axis to sum over
        tensors = [grad.reshape(1), data.reshape(1), weight]
        result, sums = _channel_sums(operator, checked._replace(tensors=tensors))
        return result.reshape(()), sums
    axis = 1 if weight.size > 1 else None
    grad = in_blocks_of(data, grad)
    factors = weight.reshape(-1)
    if axis is not None:  # next to the blocks they belong to
        factors = factors.rechunk((data.chunks[1],)).reshape((-1, *(1,) * (data.ndim - 2)))
    common = {"operator": operator.name, "compute": checked.compute}
    places = places_of(data, axis)
    if checked.compute in ROUNDED_ONCE:  # exact sums allow any cut
        places, whole = None, True
    else:
        whole = places is not None
    if whole:
        pairs = da.map_blocks(
            _result_and_sums,
            *(grad, data, factors),
            token=operator.name,
            dtype=object,
            meta=np.empty((0,) * data.ndim, object),
            places=places,
            **common,
        )
        result = pairs.map_blocks(_result_of, dtype=data.dtype, meta=data._meta)
        axes = tuple([k for k in range(data.ndim) if k != axis])
        return result.rechunk(given.chunks), _merged_sums(pairs, axes, operator, checked)
    result = da.map_blocks(
        _result_block,
        *(grad, data, factors),
        token=operator.name,
        dtype=data.dtype,
        meta=data._meta,
        **common,
    )
    grad, data = (in_term_order(array, axis) for array in (grad, data))
    parts = da.map_blocks(
        _sums_of_terms,
        *(grad, data),
        token=f"{operator.name}_terms",
        dtype=object,
        meta=np.empty((0, 0), object),
        starts=chunk_starts(data.chunks[1]),
        **common,
    )
    return result.rechunk(given.chunks), _merged_sums(parts, (1,), operator, checked)


def _merged_sums(parts: Any, axes: tuple[int, ...], operator: Operator, checked: _Checked) -> Any:
    """Return the sums of all blocks; each block is a tuple that ends with a partial sum."""
    dtype = checked.types[0].numpy
    sums = da.reduction(
        parts,
        chunk=_sums_of,
        combine=_merge,
        aggregate=_only_total if parts.ndim == len(axes) else _totals,
        axis=axes,
        dtype=dtype,
        meta=np.empty((0,) * (parts.ndim - len(axes)), dtype),
        concatenate=False,
        split_every=_MERGED,
        name=f"{operator.name}_sums",
    )
    return sums.reshape(checked.shapes[1])


def _result_and_sums(
    grad: Any,
    data: Any,
    factors: Any,
    *,
    operator: str,
    compute: str,
    places: Places | None,
    block_id: tuple[int, ...],
) -> tuple[Any, Partial]:
    """Compute a block of the result, and its partial sums."""
    first = None if places is None else places.first(block_id)
    return partial_call(find_operator(operator), (grad, data, factors), first, compute)


def _result_block(grad: Any, data: Any, factors: Any, *, operator: str, compute: str) -> Any:
    """Compute a block of the result."""
    return array_call(find_operator(operator), (grad, data, factors), (), None, compute)[0]


def _sums_of_terms(
    grad: Any,
    data: Any,
    *,
    operator: str,
    compute: str,
    starts: Sequence[int],
    block_id: tuple[int, int],
) -> tuple[Partial]:
    """Compute the partial sums of a block of channels × terms."""
    factors, first = np.ones(len(data), data.dtype), starts[block_id[1]]
    _, sums = partial_call(find_operator(operator), (grad.T, data.T, factors), first, compute)
    return (sums,)


def _result_of(pair: tuple[Any, Partial]) -> Any:
    return pair[0]


def _sums_of(block: tuple[Any, ...], axis: Any, keepdims: bool) -> Partial:
    sums: Partial = block[-1]
    return sums


def _merge(blocks: Any, axis: Any, keepdims: bool) -> Partial:
    """Merge the partial sums of nested lists."""
    first, *others = _flat(blocks)
    return first.merge(*others)


def _totals(blocks: Any, axis: Any, keepdims: bool) -> Any:
    """Return the sums of a chunk of channels; a single channel's has the weight's shape."""
    return _merge(blocks, axis, keepdims).round().reshape(-1)


def _only_total(blocks: Any, axis: Any, keepdims: bool) -> Any:
    """Return the sum of the only channel, which has no axis."""
    return _totals(blocks, axis, keepdims).reshape(())


def _flat(blocks: Any) -> list[Partial]:
    if not isinstance(blocks, list):
        return [blocks]
    return [partial for block in blocks for partial in _flat(block)]
