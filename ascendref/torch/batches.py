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
    """Return the rule for an operator that computes a function or its gradient.

    Parameters
    ----------
    function : Function
        The function.
    op : callable
        The operator.
    count : int
        Number of its tensors.
    is_gradient : bool
        Whether it computes the gradient.
    """

    def rule(info: Any, axes: Axes, *args: Any) -> tuple[Any, Any]:
        return _batch_elements(function, op, count, is_gradient, info, axes, args)

    def channel_rule(info: Any, axes: Axes, *args: Any) -> tuple[Any, Any]:
        return _batch_channels(op, count, info, axes, args)

    return rule if not function.operator.per_channel else channel_rule


def _batch_elements(
    function: Function,
    op: Any,
    count: int,
    is_gradient: bool,
    info: Any,
    axes: Axes,
    args: tuple[Any, ...],
) -> tuple[Any, int]:
    """Compute with the batch as first axis; tensors of rank 0 broadcast."""
    moved = [
        _moved(info, axis, tensor) for axis, tensor in zip(axes[:count], args[:count], strict=True)
    ]
    rank = max(tensor.dim() for tensor in moved)
    moved = [t.reshape(*t.shape, *[1] * (rank - t.dim())) for t in moved]
    scalars = args[count:-1]
    value = op(*moved, *function.for_batches(scalars), args[-1])
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
    op: Any, count: int, info: Any, axes: Axes, args: tuple[Any, ...]
) -> tuple[Any, Any]:
    """Each element of the batch gets its own channels, so one call computes all sums."""
    shape, weight_shape = [
        tensor.shape if axis is None else tensor.movedim(axis, 0).shape[1:]
        for axis, tensor in zip(axes[count - 2 : count], args[count - 2 : count], strict=True)
    ]
    *data, weight = [
        _moved(info, axis, tensor) for axis, tensor in zip(axes[:count], args[:count], strict=True)
    ]
    single = weight[0].numel() == 1
    if single:
        joined = [t.reshape(1, info.batch_size, -1) for t in data]
    else:
        joined = [t.movedim(0, 1).reshape(t.shape[1], -1, *t.shape[3:]) for t in data]
    found = op(*joined, weight.reshape(-1), *args[count:])
    result, *sums = found if isinstance(found, tuple) else (found,)
    if single:
        result = result.reshape(info.batch_size, *shape)
    else:
        result = result.reshape(shape[0], info.batch_size, *shape[1:]).movedim(1, 0)
    if not sums:
        return result, 0
    return (result, sums[0].reshape(info.batch_size, *weight_shape)), (0, 0)


def _moved(info: Any, axis: int | None, tensor: Any) -> Any:
    """Return a tensor with the batch as first axis."""
    if axis is None:
        return tensor.expand(info.batch_size, *tensor.shape)
    return tensor.movedim(axis, 0)
