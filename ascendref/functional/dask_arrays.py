"""The array functions on dask arrays: lazily, a call for each block.

The results of an elementwise operator are those of its blocks. A sum per channel is merged from the
partial sums of blocks (`Partial`), whose tree does not depend on how the data are cut. A block is
such a part if its terms follow one another and begin where a block of the tree does. Where the
chunks are not like that, the sums get chunks of their own, of the data in the order of their terms;
the elementwise result keeps the caller's.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import isnan, prod
from typing import Any, Final, NamedTuple

import dask.array as da
import numpy as np

from ..core.arrays import import_array
from ..core.dtypes import BY_NUMPY, FLOAT64, ElementType, promote
from ..core.errors import ArgumentError, ArgumentTypeError, ArgumentValueError
from ..declaration.operator import Operator, Shape, find_operator
from ..declaration.scalars import check_array_scalar
from ..declaration.shapes import check_rank
from ..kernels.loops.channel_plan import BLOCK
from .call import array_call, call_on_part, compute_type
from .call_cache import Call
from .partial_sums import Partial, partial_call

#: what stands for a size that is not known before it is computed, for which dask has NaN: a number
#: that is hardly a size
_UNKNOWN: Final = 1_048_583
#: partial sums that are merged in one task
_MERGED: Final = 16


class _Checked(NamedTuple):
    """What the check of a call found."""

    tensors: list[Any]
    types: tuple[ElementType, ...]
    scalars: tuple[float, ...]
    shapes: tuple[Shape, ...]
    compute: str

    @property
    def unknown(self) -> bool:
        """Whether the size of a tensor is not known before it is computed."""
        return any(isnan(size) for tensor in self.tensors for size in tensor.shape)


def call_operator(call: Call) -> Any:
    """Call an operator on tensors of which at least one is a dask array.

    Raises
    ------
    ArgumentTypeError, ArgumentValueError
        As with other arrays, as far as it is known before anything is computed; if there is an
        ``out``.
    """
    operator = call.operator
    if call.out is not None:
        raise ArgumentValueError(
            "out",
            "is given with dask arrays, whose results are computed later; leave it away, and store"
            " what is returned (dask.array.store, to_zarr)",
        )
    checked = _check(call)
    if operator.channel_term is not None:
        return _channel_sums(operator, checked)
    dtype = promote(*checked.types).numpy
    size = None
    if operator.part_scalars is not None:
        values = checked.scalars
        size = _UNKNOWN if checked.unknown else prod(checked.shapes[0])
        if operator.part_scalars(values, size) == values:
            size = None
        elif checked.unknown:
            raise _unknown_chunks(operator, checked, "all results are counted")
    return _blockwise(operator, checked, dtype, size)


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
    scalars = tuple(map(check_array_scalar, operator.scalars, call.scalars))
    sizes = [tuple([_UNKNOWN if isnan(n) else n for n in tensor.shape]) for tensor in tensors]
    try:
        shapes = operator.shapes(operator, tuple(sizes))
    except ArgumentValueError as error:
        problem = error.problem.replace(str(_UNKNOWN), "nan")
        raise ArgumentValueError(error.argument, problem) from None
    return _Checked(tensors, types, scalars, shapes, compute_type(call.compute_dtype, types))


def _dask_array(argument: str, value: Any, types: tuple[ElementType, ...]) -> Any:
    """Return a tensor as a dask array; others become one of a single chunk."""
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


def _blockwise(
    operator: Operator, checked: _Checked, dtype: np.dtype[Any], size: int | None
) -> Any:
    """Return the elementwise result."""
    rank = max(tensor.ndim for tensor in checked.tensors)
    pairs: list[Any] = []
    for tensor in checked.tensors:
        pairs += [tensor, tuple(range(tensor.ndim))[::-1]]
    try:
        return da.blockwise(
            _element_block,
            tuple(range(rank))[::-1],
            *pairs,
            token=operator.name,
            dtype=dtype,
            meta=np.empty((0,) * rank, dtype),
            operator=operator.name,
            scalars=checked.scalars,
            compute=checked.compute,
            size=size,
        )
    except ValueError as error:  # sizes that are not known, of chunks that do not fit
        first = operator.tensors[0].name
        raise ArgumentValueError(
            first, f"has chunks that do not fit the others': {error}"
        ) from error


def _element_block(
    *tensors: Any, operator: str, scalars: tuple[float, ...], compute: str, size: int | None
) -> Any:
    """Compute a block of an elementwise result, of ``size`` results in all where that matters."""
    found = find_operator(operator)
    if size is None:
        return array_call(found, tensors, scalars, None, compute)
    return call_on_part(Call(found, tensors, scalars, None, compute), size)


# --- sums per channel -----------------------------------------------------------------------------


def _channel_sums(operator: Operator, checked: _Checked) -> Any:
    """Return the elementwise result and the sums."""
    if checked.unknown:
        raise _unknown_chunks(operator, checked, "terms are counted")
    grad, data, weight = checked.tensors
    if data.size == 0:
        return data, da.zeros(checked.shapes[1], dtype=data.dtype)
    if data.ndim == 0:  # which has no axis to sum over
        tensors = [grad.reshape(1), data.reshape(1), weight]
        result, sums = _channel_sums(operator, checked._replace(tensors=tensors))
        return result.reshape(()), sums
    axis = 1 if weight.size > 1 else None
    if data.npartitions == 1 and grad.shape == data.shape:
        data = data.rechunk(grad.chunks)
    grad = _with_chunks_of(data, grad)
    factors = weight.reshape(-1)
    if axis is not None:  # beside the blocks that they belong to
        factors = factors.rechunk((data.chunks[1],)).reshape((-1, *(1,) * (data.ndim - 2)))
    common = {"operator": operator.name, "compute": checked.compute}
    places = _places(data, axis)
    if checked.compute == FLOAT64.name:  # exact sums may be cut anywhere
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
        return result, _merged_sums(pairs, axes, operator, checked)
    result = da.map_blocks(
        _result_block,
        *(grad, data, factors),
        token=operator.name,
        dtype=data.dtype,
        meta=data._meta,
        **common,
    )
    grad, data = (_in_term_order(a, axis) for a in (da.broadcast_to(grad, data.shape), data))
    parts = da.map_blocks(
        _sums_of_terms,
        *(grad, data),
        token=f"{operator.name}_terms",
        dtype=object,
        meta=np.empty((0, 0), object),
        starts=_starts(data.chunks[1]),
        **common,
    )
    return result, _merged_sums(parts, (1,), operator, checked)


def _merged_sums(parts: Any, axes: tuple[int, ...], operator: Operator, checked: _Checked) -> Any:
    """Return the sums of all blocks, each of which is a tuple that ends with a partial sum."""
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
    places: _Places | None,
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
    """Return the sums of a chunk of channels."""
    return _merge(blocks, axis, keepdims).round()


def _only_total(blocks: Any, axis: Any, keepdims: bool) -> Any:
    """Return the sum of the only channel, which has no axis."""
    return _totals(blocks, axis, keepdims).reshape(())


def _flat(blocks: Any) -> list[Partial]:
    if not isinstance(blocks, list):
        return [blocks]
    return [partial for block in blocks for partial in _flat(block)]


class _Places(NamedTuple):
    """Where the blocks of an array stand in the order of its terms."""

    #: the axes that are summed over, the terms that lie between two of their indices, and the first
    #: index of each chunk
    axes: tuple[int, ...]
    steps: tuple[int, ...]
    starts: tuple[Sequence[int], ...]

    def first(self, block: tuple[int, ...]) -> int:
        """Return the position of a block's first term."""
        return sum(
            starts[block[axis]] * step
            for axis, step, starts in zip(self.axes, self.steps, self.starts, strict=True)
        )


def _places(data: Any, axis: int | None) -> _Places | None:
    """Return where blocks stand; None if the sum of one would not be part of the tree."""
    axes = tuple([k for k in range(data.ndim) if k != axis])
    sizes = [data.shape[k] for k in axes]
    steps = tuple([prod(sizes[k + 1 :]) for k in range(len(sizes))])
    starts = tuple([_starts(data.chunks[k]) for k in axes])
    cut = [k for k in range(len(axes)) if len(starts[k]) > 1]
    # terms of a block follow one another if before the last axis that is cut it has one index each
    if cut and any(n != 1 for axis in axes[: cut[-1]] for n in data.chunks[axis]):
        return None
    if any(start * steps[k] % BLOCK for k in cut for start in starts[k]):
        return None
    return _Places(axes, steps, starts)


def _starts(chunks: tuple[int, ...]) -> Sequence[int]:
    """Return the first index of each chunk; briefly where all but the last have one size."""
    if len(set(chunks[:-1])) == 1 and chunks[0] > 0:
        return range(0, chunks[0] * len(chunks), chunks[0])
    return tuple(accumulate(chunks[:-1], initial=0))


def _with_chunks_of(data: Any, grad: Any) -> Any:
    """Return a gradient that broadcasts with the chunks of the data, where it has their size."""
    lead = data.ndim - grad.ndim
    chunks = [
        data.chunks[lead + axis] if size == data.shape[lead + axis] else (1,)
        for axis, size in enumerate(grad.shape)
    ]
    return grad.rechunk(tuple(chunks))


def _in_term_order(array: Any, axis: int | None) -> Any:
    """Return an array of channels × terms, cut at block borders of the tree.

    Chunks are about as large as they were.
    """
    elements = prod(array.chunksize)
    array = array[None] if axis is None else da.moveaxis(array, axis, 0)
    terms = elements // max(array.chunksize[0], 1) // BLOCK * BLOCK
    return _flattened(array, elements).rechunk({1: max(terms, BLOCK)})


def _flattened(array: Any, elements: int) -> Any:
    """Return an array whose axes but the first are one, in chunks of about so many elements."""
    if array.ndim == 1:
        return array[:, None]
    if array.ndim == 2:
        return array
    # dask makes all but the first of the axes whole
    if array.chunksize[0] * prod(array.shape[2:]) > 4 * elements:
        rows = [_flattened(array[:, k], elements) for k in range(array.shape[1])]
        return da.concatenate(rows, axis=1)
    return array.reshape(array.shape[0], -1)


def _unknown_chunks(operator: Operator, checked: _Checked, why: str) -> ArgumentError:
    argument, shape = next(
        (param.name, tensor.shape)
        for param, tensor in zip(operator.tensors, checked.tensors, strict=True)
        if any(isnan(size) for size in tensor.shape)
    )
    return ArgumentValueError(
        argument,
        f"has shape {shape}, which is not known before it is computed; {why}, so call its"
        " compute_chunk_sizes() before",
    )
