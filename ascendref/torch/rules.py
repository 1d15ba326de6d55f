"""Rules of custom operators: derivatives in PyTorch's own arithmetic, batches, autocast."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import reduce
from typing import Any, Final

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.library import Library

from ..declaration.scalars import single
from ..differentiable import Function


def value(function: Function, operands: Sequence[Any], scalars: Sequence[float | None]) -> Any:
    """Return the value; types narrower than F32 are computed in F32 and rounded once."""
    return _evaluated(function, function.evaluate, operands, scalars)


def gradients(
    function: Function, grad: Any, operands: Sequence[Any], scalars: Sequence[float | None]
) -> tuple[Any, ...]:
    """Return the gradients of a function for its operands, or by its result in place of one.

    They can be differentiated again if the backward pass is recorded.
    """
    recorded = torch.is_grad_enabled()
    with torch.enable_grad(), _mode(grad):
        apart = [_apart(operand) for operand in operands]
        return _gradients(function, grad, apart, scalars, recorded=recorded)


def second_derivatives(
    function: Function,
    seeds: Sequence[Any],
    grad: Any,
    operands: Sequence[Any],
    scalars: Sequence[float | None],
) -> tuple[Any, ...]:
    """Return the derivatives of the gradients for the result's gradient and the operands.

    The seeds are factors of the gradients, or of the first of them.
    """
    recorded = torch.is_grad_enabled()
    with torch.enable_grad(), _mode(grad):
        first, *rest = [_apart(tensor) for tensor in (grad, *operands)]
        found = _gradients(function, first, rest, scalars, recorded=True)
        return _derivatives(found[: len(seeds)], (first, *rest), tuple(seeds), recorded)


def _derivatives(results: Any, operands: Any, seeds: Any, recorded: bool) -> tuple[Any, ...]:
    """Return derivatives; those for operands without influence are zeros."""
    options = {"create_graph": recorded, "allow_unused": True, "materialize_grads": True}
    found: tuple[Any, ...] = torch.autograd.grad(results, operands, seeds, **options)
    return found


def _gradients(
    function: Function,
    grad: Any,
    operands: Sequence[Any],
    scalars: Sequence[float | None],
    *,
    recorded: bool,
) -> tuple[Any, ...]:
    if function.forward.of_result:
        return (_evaluated(function, function.evaluate_gradient, (grad, *operands), scalars),)
    result = value(function, operands, scalars)
    return _derivatives(result, operands, grad.expand(result.shape), recorded)


def _evaluated(
    function: Function,
    evaluate: Callable[..., Any],
    tensors: Sequence[Any],
    scalars: Sequence[float | None],
) -> Any:
    """Evaluate a formula of a function in F32, or F64 for F64 data."""
    kind = reduce(torch.promote_types, [tensor.dtype for tensor in tensors])
    wide = [tensor.to(torch.promote_types(kind, torch.float32)) for tensor in tensors]
    numbers = function.numbers(scalars)
    if kind is not torch.float64:
        numbers = tuple(map(single, numbers))
    return evaluate(torch, wide, numbers).to(kind)


def _mode(tensor: Any) -> AbstractContextManager[Any]:
    """Return the mode of a fake tensor: PyTorch's derivatives of selections make new tensors."""
    return tensor.fake_mode if isinstance(tensor, FakeTensor) else nullcontext()


def _apart(tensor: Any) -> Any:
    """Return a tensor for derivatives that do not include those of where it comes from."""
    return tensor.view_as(tensor) if tensor.requires_grad else tensor.detach().requires_grad_()


# ---- `torch.func.vmap`: one call computes the whole batch

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


# ---- autocast

#: dispatch key of autocast -> its device type
_KEYS: Final = {
    "AutocastCPU": "cpu",
    "AutocastCUDA": "cuda",
    "AutocastMPS": "mps",
    "AutocastXPU": "xpu",
}
#: functions that autocast runs in its own type; it runs its other functions in F32
_REDUCED: Final = ("prelu",)
_LIBRARY: Final = Library("ascendref", "FRAGMENT")


def follow_autocast(name: str, op: Any) -> None:
    """Make autocast cast a custom operator's operands as for PyTorch's function of that name.

    Otherwise PyTorch's function would cast them inside the custom operator, where the operator's
    autograd does not see the cast, and gradients would differ in type from their tensors.
    """
    if not hasattr(torch.ops.aten, name):
        return
    for key, device in _KEYS.items():
        if torch._C._dispatch_has_kernel_for_dispatch_key(f"aten::{name}", key):
            _register(name, op, key, device)


def _register(name: str, op: Any, key: str, device: str) -> None:
    keys = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, key))

    def kernel(*args: Any) -> Any:
        kind = torch.get_autocast_dtype(device) if name in _REDUCED else torch.float32
        with torch._C._ExcludeDispatchKeyGuard(keys):
            return op(*[_cast(value, device, kind) for value in args])

    _LIBRARY.impl(name, kernel, key)


def _cast(value: Any, device: str, kind: Any) -> Any:
    """Return a value cast as by autocast; F64 is not changed."""
    if (
        isinstance(value, torch.Tensor)
        and value.is_floating_point()
        and value.dtype is not torch.float64
        and value.device.type == device
    ):
        return value.to(kind)
    return value
