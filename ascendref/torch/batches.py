"""Rules for ``torch.func.vmap``: one call computes the whole batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..differentiable import Function

#: axis of the batch in each tensor; None in tensors that all elements share
Axes = tuple[int | None, ...]


def vmap_rule(
    function: Function, op: Any, count: int, *, is_gradient: bool
) -> Callable[..., tuple[Any, Any]]:
    """Return the rule for an operator of so many tensors: a function's value or its gradient."""

    def rule(info: Any, axes: Axes, *args: Any) -> tuple[Any, Any]:
        moved = [
            tensor.expand(info.batch_size, *tensor.shape)
            if axis is None
            else tensor.movedim(axis, 0)
            for axis, tensor in zip(axes[:count], args[:count], strict=True)
        ]
        if not function.operator.per_channel:
            return _batch_elements(function, op, is_gradient, moved, args[count:])
        return _batch_channels(op, info.batch_size, moved, args[count:])

    return rule


def _batch_elements(
    function: Function, op: Any, is_gradient: bool, tensors: list[Any], rest: tuple[Any, ...]
) -> tuple[Any, int]:
    """Compute with the batch as first axis; tensors of rank 0 broadcast."""
    rank = max(tensor.dim() for tensor in tensors)
    moved = [t.reshape(*t.shape, *[1] * (rank - t.dim())) for t in tensors]
    *scalars, compute = rest
    value = op(*moved, *function.for_batches(scalars), compute)
    reduction = function.reduction(scalars)
    each = value.flatten(1) if value.dim() > 1 else value[:, None]
    # the mean is taken for each element of the batch
    counts = {"mean": each.shape[1], "batchmean": value.shape[1] if value.dim() > 1 else 1}
    if is_gradient:
        return (value / counts[reduction] if reduction in counts else value), 0
    if reduction == "none":
        return value, 0
    if reduction == "batchmean":
        return each.sum(1) / counts[reduction], 0
    return getattr(each, reduction)(1), 0


def _batch_channels(
    op: Any, size: int, tensors: list[Any], rest: tuple[Any, ...]
) -> tuple[Any, Any]:
    """Each element of the batch gets its own channels, so one call computes all sums."""
    *data, weight = tensors
    shape, weight_shape = data[-1].shape[1:], weight.shape[1:]
    single = weight_shape.numel() == 1
    if single:
        joined = [t.reshape(1, size, -1) for t in data]
    else:
        joined = [t.movedim(0, 1).reshape(t.shape[1], -1, *t.shape[3:]) for t in data]
    found = op(*joined, weight.reshape(-1), *rest)
    result, *sums = found if isinstance(found, tuple) else (found,)
    if single:
        result = result.reshape(size, *shape)
    else:
        result = result.reshape(shape[0], size, *shape[1:]).movedim(1, 0)
    if not sums:
        return result, 0
    return (result, sums[0].reshape(size, *weight_shape)), (0, 0)
