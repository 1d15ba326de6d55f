"""The array functions on dask arrays: lazy, one call per block.

An elementwise result is computed block by block. A sum is merged from partial sums (`Partial`) of
the blocks; the summation tree does not depend on how the data are cut. For that, a
block's terms must be consecutive and begin at a block of the tree. If the chunks do not meet this,
the data are rechunked in the order of their terms for the sums; the elementwise result keeps the
caller's chunks.

Chunks of size 0 are dropped first: dask broadcasts an axis of length 1 wrongly if it has one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import dask.array as da
import numpy as np

from ..core.arrays import import_array
from ..core.dtypes import BY_NUMPY, ROUNDED_ONCE, ElementType, promote
from ..core.errors import ArgumentTypeError, ArgumentValueError
from ..declaration.fields import Mode
from ..declaration.operator import Operator, Shape, operator_with
from ..declaration.scalars import check_array_scalar
from ..declaration.shapes import check_rank
from ..declaration.views import HALVES, PER_CHANNEL
from .call import array_call, call_on_part
from .call_cache import ArrayCall
from .dask_chunks import (
    Places,
    UnknownAxes,
    check_blocks,
    check_cuts,
    check_known,
    chunk_starts,
    in_blocks_of,
    in_chunks_for_views,
    in_term_order,
    places_of,
    result_shapes,
    unknown_axes,
    without_empty_chunks,
)
from .kernels import compute_type, of_no_terms
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
    #: how terms are reduced
    mode: Mode


class _Task(NamedTuple):
    """What a block is computed with; it is sent to workers."""

    #: key of the operator
    key: tuple[str, ...]
    scalars: tuple[float, ...]
    compute: str

    def call(self, tensors: tuple[Any, ...]) -> ArrayCall:
        """Return the call on the blocks of tensors."""
        return ArrayCall(operator_with(self.key), tensors, self.scalars, None, self.compute)

    def sums(self, tensors: tuple[Any, ...], first: int | None) -> tuple[Any, Partial]:
        """Return the result, if any, and the partial sums of blocks of tensors."""
        operator = operator_with(self.key)
        return partial_call(operator, tensors, self.scalars, first, self.compute)


def call_operator(call: ArrayCall) -> Any:
    """Call an operator on tensors of which at least one is a dask array.

    Raise the errors of other arrays, as far as they are known before anything is computed, and one
    if ``out`` is given.
    """
    operator = call.operator
    if call.out is not None:
        raise ArgumentValueError(
            "out",
            "is given with dask arrays, whose results are computed later; omit it, and store"
            " what is returned (dask.array.store, to_zarr)",
        )
    checked = _check(call)
    if checked.mode != "none":
        return _reduction(call, checked)
    size = None
    if operator.formula.sized and operator.divisor(checked.scalars, ()) is not None:
        check_known(operator, checked.tensors, "all results are counted")
        size = operator.divisor(checked.scalars, checked.shapes[0])
    return _blockwise(operator, checked, size)


def _check(call: ArrayCall) -> _Checked:
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
    mode = operator.mode(scalars)
    if mode != "none":
        check_known(operator, tensors, "terms are counted")
    unknown = unknown_axes(tensors)
    if operator.is_viewed:
        tensors = in_chunks_for_views(operator, tensors, operator.axis(scalars))
    shapes = result_shapes(operator, tensors, scalars, unknown)
    check_cuts(operator, tensors, unknown)
    compute = compute_type(operator, call.compute_dtype, types)
    return _Checked(tensors, types, scalars, shapes, compute, unknown, mode)


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
    halved = [param.view is HALVES for param in operator.tensors]
    whole = operator.axis(checked.scalars) % len(shape) if any(halved) else None
    for number, (param, tensor) in enumerate(zip(operator.tensors, checked.tensors, strict=True)):
        tensor = without_empty_chunks(tensor)
        own = [*axes[len(shape) - tensor.ndim :]]
        if param.view is PER_CHANNEL:  # next to the channels, or one for all
            own = [] if tensor.size == 1 else [axes[1]]
            tensor = tensor.reshape([tensor.size] * len(own))
        elif whole is not None:  # an axis of its own, in one chunk
            own[whole] = len(shape) + number
        pairs += [tensor, tuple(own)]
    return da.blockwise(
        _element_block,
        axes,
        *pairs,
        new_axes={} if whole is None else {axes[whole]: shape[whole]},
        concatenate=True,
        token=operator.name,
        dtype=dtype,
        meta=np.empty((0,) * len(shape), dtype),
        # dask uses the chunks of another tensor even if its length is 1
        adjust_chunks={k: 0 for k, n in zip(axes, shape, strict=True) if n == 0},
        task=_Task(operator.key, checked.scalars, checked.compute),
        size=size,
        unknown=checked.unknown,
    )


def _element_block(*tensors: Any, task: _Task, size: int | None, unknown: UnknownAxes) -> Any:
    """Compute a block of an elementwise result; a mean is divided by ``size``."""
    call = task.call(tensors)
    check_blocks(call.operator, tensors, unknown)
    return array_call(*call) if size is None else call_on_part(call, size)


# --- reductions -----------------------------------------------------------------------------------


def _reduction(call: ArrayCall, checked: _Checked) -> Any:
    """Return the sums, after the elementwise result if there is one."""
    operator, shape, per_channel = call.operator, checked.shapes[0], call.operator.per_channel
    tensors = [without_empty_chunks(tensor) for tensor in checked.tensors]
    full = tensors[:-1] if per_channel else tensors
    # blocks are those of a tensor that has all elements, of the caller's own if possible
    whole = [k for k, tensor in enumerate(full) if tensor.shape == shape]
    place = ([k for k in whole if isinstance(call.tensors[k], da.Array)] or whole or [0])[-1]
    given, data = checked.tensors[place], da.broadcast_to(full[place], shape)
    sums_shape = checked.shapes[1] if per_channel else ()
    if data.size == 0:
        dtype = promote(*checked.types).numpy
        sums = da.full(sums_shape, of_no_terms(checked.mode), dtype=dtype)
        return (given, sums) if per_channel else sums
    if not shape:  # no axis to sum over
        full, data = [tensor.reshape(1) for tensor in full], data.reshape(1)
    full = [in_blocks_of(data, tensor) for tensor in full]
    axis = 1 if per_channel and tensors[-1].size > 1 else None
    factors = [tensors[-1].reshape(-1)] if per_channel else []
    if axis is not None:  # next to the blocks they belong to
        factors = [factors[0].rechunk((data.chunks[1],)).reshape((-1, *(1,) * (data.ndim - 2)))]
    result, sums = _result_and_merged(operator, checked, full, factors, axis)
    sums = sums.reshape(sums_shape)
    if not per_channel:
        return sums
    return result.rechunk(given.chunks) if shape else result.reshape(()), sums


def _result_and_merged(
    operator: Operator, checked: _Checked, full: list[Any], factors: list[Any], axis: int | None
) -> tuple[Any, Any]:
    """Return the elementwise result and the sums of tensors with the same blocks.

    The weight, if any, stands apart from the full tensors and has a block for each block of
    channels, which are on an axis.
    """
    data = full[-1]
    task = _Task(operator.key, checked.scalars, checked.compute)
    exact, places = checked.compute in ROUNDED_ONCE, places_of(data, axis)
    if exact or places is not None:  # exact sums allow any cut
        pairs = da.map_blocks(
            _result_and_sums,
            *(*full, *factors),
            token=operator.name,
            dtype=object,
            meta=np.empty((0,) * data.ndim, object),
            places=None if exact else places,
            task=task,
        )
        result = pairs.map_blocks(_result_of, dtype=data.dtype, meta=data._meta)
        axes = tuple([k for k in range(data.ndim) if k != axis])
        return result, _merged_sums(pairs, axes, operator, checked)
    result = da.map_blocks(
        _result_block,
        *(*full, *factors),
        token=operator.name,
        dtype=data.dtype,
        meta=data._meta,
        task=task,
    )
    full = [in_term_order(tensor, axis) for tensor in full]
    parts = da.map_blocks(
        _sums_of_terms,
        *full,
        token=f"{operator.name}_terms",
        dtype=object,
        meta=np.empty((0, 0), object),
        starts=chunk_starts(full[0].chunks[1]),
        task=task,
    )
    return result, _merged_sums(parts, (1,), operator, checked)


def _merged_sums(parts: Any, axes: tuple[int, ...], operator: Operator, checked: _Checked) -> Any:
    """Return the sums of all blocks; each block is a tuple that ends with a partial sum."""
    dtype = promote(*checked.types).numpy
    return da.reduction(
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


def _result_and_sums(
    *tensors: Any, task: _Task, places: Places | None, block_id: tuple[int, ...]
) -> tuple[Any, Partial]:
    """Compute a block of the result, if any, and its partial sums."""
    return task.sums(tensors, None if places is None else places.first(block_id))


def _result_block(*tensors: Any, task: _Task) -> Any:
    """Compute a block of the result."""
    return array_call(*task.call(tensors))[0]


def _sums_of_terms(
    *tensors: Any, task: _Task, starts: Sequence[int], block_id: tuple[int, int]
) -> tuple[Partial]:
    """Compute the partial sums of a block of channels × terms."""
    turned = tuple([tensor.T for tensor in tensors])
    if operator_with(task.key).per_channel:
        turned = (*turned, np.ones(len(tensors[0]), tensors[0].dtype))
    _, sums = task.sums(turned, starts[block_id[1]])
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
