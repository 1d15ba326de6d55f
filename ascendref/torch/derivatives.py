"""Derivatives of functions in PyTorch's own arithmetic, of their formulas, for autograd."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import reduce
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor

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
        derivatives: tuple[Any, ...] = torch.autograd.grad(
            found[: len(seeds)],
            (first, *rest),
            tuple(seeds),
            create_graph=recorded,
            allow_unused=True,
            materialize_grads=True,
        )
    return derivatives


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
    found: tuple[Any, ...] = torch.autograd.grad(
        result,
        operands,
        grad.expand(result.shape),
        create_graph=recorded,
        allow_unused=True,
        materialize_grads=True,
    )
    return found


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
