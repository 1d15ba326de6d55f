"""PyTorch's functions with our gradients, as custom operators for compiled programs.

``torch.compile`` and ``torch.export`` see two operators per function: ``torch.ops.ascendref.NAME``
computes the same as PyTorch's own function, and ``NAME_backward`` computes its gradient with
ascendref's kernels. Both have rules for fake tensors, for autograd of any order and for
``torch.func.vmap``. ``torch.func.grad`` does not accept custom operators with an autograd rule. On
devices other than the CPU, and for calls that `enable` would leave to PyTorch, the gradient is
PyTorch's.
"""

from __future__ import annotations

from typing import Any, Final

import torch
from torch.library import custom_op

from ..core.dtypes import DTypeLike, compute_type_of
from ..core.errors import ArgumentValueError, shown
from . import autocast, derivatives
from .overrides import OVERRIDES, ElementwiseOverride, PreluOverride

_REDUCTIONS: Final = {"none": 0, "mean": 1, "sum": 2}
aten: Final = torch.ops.aten


@torch.compiler.assume_constant_result
def _compute(compute_dtype: DTypeLike | None) -> str | None:
    """Return the name of a compute type, the form that operators take."""
    if compute_dtype is None:
        return None
    return compute_type_of(compute_dtype)


def _define(name: str, tensors: tuple[str, ...], scalars: str) -> tuple[Any, Any]:
    """Define the two operators of an elementwise function.

    Parameters
    ----------
    name : str
        Name of PyTorch's function.
    tensors : tuple of str
        Names of its tensors.
    scalars : str
        Its scalars, in a schema.
    """
    forward_of, backward_of = getattr(aten, name), getattr(aten, f"{name}_backward")
    second_order = getattr(derivatives, name)
    override = OVERRIDES[name]
    assert isinstance(override, ElementwiseOverride)
    taken = ", ".join(f"Tensor {tensor}" for tensor in tensors)
    count = len(tensors)

    def forward(*args: Any) -> Any:
        return forward_of(*args[:-1])

    def backward(*args: Any) -> Any:
        if all([t.device.type == "cpu" for t in args[: count + 1]]):
            return override.compute(args[: count + 1], args[count + 1 : -1], args[-1])
        return backward_of(*args[:-1])

    def backward_fake(*args: Any) -> Any:
        # rules that support symbolic sizes, which not all of PyTorch's own do
        if count == 2:
            return torch.empty_like(args[1], memory_format=torch.contiguous_format)
        return args[0] * args[1]

    schema = f"{scalars}, str? compute_dtype"
    op = custom_op(
        f"ascendref::{name}", forward, mutates_args=(), schema=f"({taken}, {schema}) -> Tensor"
    )
    backward_op = custom_op(
        f"ascendref::{name}_backward",
        backward,
        mutates_args=(),
        schema=f"(Tensor grad_output, {taken}, {schema}) -> Tensor",
    )
    op.register_fake(forward)
    backward_op.register_fake(backward_fake)

    def save(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        saved = sum([isinstance(value, torch.Tensor) for value in inputs])
        ctx.save_for_backward(*inputs[:saved])
        ctx.scalars = inputs[saved:]

    def gradient(ctx: Any, grad: Any) -> tuple[Any, ...]:
        value = backward_op(grad, *ctx.saved_tensors, *ctx.scalars)
        # the target's gradient is the input's, negated
        values = (value,) if count == 1 else (value, -value)
        return *values, *[None] * len(ctx.scalars)

    def second_gradient(ctx: Any, seed: Any) -> tuple[Any, ...]:
        grad, *data = ctx.saved_tensors
        for_grad = backward_op(seed, *data, *ctx.scalars).sum_to_size(grad.shape)
        for_data = second_order(seed, grad, tuple(data), *ctx.scalars[:-1])
        return for_grad, *for_data, *[None] * len(ctx.scalars)

    op.register_autograd(gradient, setup_context=save)
    backward_op.register_autograd(second_gradient, setup_context=save)
    autocast.follow(name, op)
    return op, backward_op


def _batched(info: Any, in_dims: tuple[Any, ...], tensors: tuple[Any, ...]) -> list[Any]:
    """Return tensors with the batch as first axis; tensors of rank 0 broadcast."""
    moved = []
    for tensor, axis in zip(tensors, in_dims, strict=True):
        if axis is None:
            moved.append(tensor.expand(info.batch_size, *tensor.shape))
        else:
            moved.append(tensor.movedim(axis, 0))
    rank = max(tensor.dim() for tensor in moved)
    return [t.reshape(*t.shape, *[1] * (rank - t.dim())) for t in moved]


def _batch_elementwise(op: Any, count: int) -> None:
    """Register a vmap rule for an operator whose result has the shape of its data."""

    def rule(info: Any, in_dims: tuple[Any, ...], *args: Any) -> tuple[Any, int]:
        return op(*_batched(info, in_dims[:count], args[:count]), *args[count:]), 0

    op.register_vmap(rule)


_hardshrink, _hardshrink_backward = _define("hardshrink", ("self",), "float lambd")
_softplus, _softplus_backward = _define("softplus", ("self",), "float beta, float threshold")
_logit, _logit_backward = _define("logit", ("self",), "float? eps")
_smooth_l1_loss, _smooth_l1_loss_backward = _define(
    "smooth_l1_loss", ("self", "target"), "int reduction, float beta"
)
for _op, _gradient in (
    (_hardshrink, _hardshrink_backward),
    (_softplus, _softplus_backward),
    (_logit, _logit_backward),
):
    _batch_elementwise(_op, 1)
    _batch_elementwise(_gradient, 2)


@_smooth_l1_loss.register_vmap
def _batch_loss(
    info: Any, in_dims: tuple[Any, ...], data: Any, target: Any, reduction: int, *rest: Any
) -> tuple[Any, int]:
    losses = _smooth_l1_loss(*_batched(info, in_dims[:2], (data, target)), 0, *rest)
    if reduction == 0:
        return losses, 0
    each = losses.flatten(1) if losses.dim() > 1 else losses[:, None]
    return (each.mean(1) if reduction == 1 else each.sum(1)), 0


@_smooth_l1_loss_backward.register_vmap
def _batch_loss_backward(
    info: Any,
    in_dims: tuple[Any, ...],
    grad: Any,
    data: Any,
    target: Any,
    reduction: int,
    *rest: Any,
) -> tuple[Any, int]:
    moved = _batched(info, in_dims[:3], (grad, data, target))
    value = _smooth_l1_loss_backward(*moved, 0, *rest)
    # the mean is taken for each element of the batch
    return (value / (value.numel() // info.batch_size) if reduction == 1 else value), 0


# --- PReLU ----------------------------------------------------------------------------------------


def _prelu_forward(x: Any, weight: Any, compute_dtype: str | None) -> Any:
    return torch.prelu(x, weight)


_prelu = custom_op(
    "ascendref::prelu",
    _prelu_forward,
    mutates_args=(),
    schema="(Tensor self, Tensor weight, str? compute_dtype) -> Tensor",
)
_prelu.register_fake(_prelu_forward)


@custom_op(
    "ascendref::prelu_backward",
    mutates_args=(),
    schema="(Tensor grad_output, Tensor self, Tensor weight, str? compute_dtype)"
    " -> (Tensor, Tensor)",
)
def _prelu_backward(grad: Any, x: Any, weight: Any, compute_dtype: str | None) -> Any:
    override = OVERRIDES["prelu"]
    assert isinstance(override, PreluOverride)
    if not all([t.device.type == "cpu" for t in (grad, x, weight)]):
        for_x, terms = aten._prelu_kernel_backward(
            grad, x, weight.reshape(_weight_shape(x, weight))
        )
        return for_x, terms.sum_to_size(_weight_shape(x, weight)).reshape(weight.shape)
    factors = weight.reshape(_weight_shape(x, weight))
    for_x, sums = override.compute(grad, x, factors, compute_dtype)
    return for_x, sums.reshape(weight.shape)


def _weight_shape(x: Any, weight: Any) -> list[int]:
    """Return the shape in which a weight broadcasts to its input."""
    shape = [1] * x.dim()
    if x.dim() > 1:
        shape[1] = weight.numel()
    return shape


@_prelu_backward.register_fake
def _(grad: Any, x: Any, weight: Any, compute_dtype: str | None) -> Any:
    terms = aten._prelu_kernel_backward(grad, x, weight.reshape(_weight_shape(x, weight)))
    return terms[0], torch.empty_like(weight, memory_format=torch.contiguous_format)


def _save_prelu(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    ctx.save_for_backward(*inputs[:-1])
    ctx.compute_dtype = inputs[-1]


def _prelu_gradient(ctx: Any, grad: Any) -> tuple[Any, ...]:
    x, weight = ctx.saved_tensors
    return *_prelu_backward(grad, x, weight, ctx.compute_dtype), None


def _prelu_second_gradient(ctx: Any, *seeds: Any) -> tuple[Any, ...]:
    return *derivatives.prelu((seeds[0], seeds[1]), *ctx.saved_tensors), None


_prelu.register_autograd(_prelu_gradient, setup_context=_save_prelu)
_prelu_backward.register_autograd(_prelu_second_gradient, setup_context=_save_prelu)
autocast.follow("prelu", _prelu)


def _channels_of_batch(
    info: Any, in_dims: tuple[Any, ...], tensors: tuple[Any, ...]
) -> tuple[list[Any], Any]:
    """Return tensors in which the channels of all batch elements are channels, and their weights.

    Each batch element gets its own channels, so one call computes all sums.
    """
    *data, weight = [
        t.expand(info.batch_size, *t.shape) if axis is None else t.movedim(axis, 0)
        for t, axis in zip(tensors, in_dims, strict=True)
    ]
    if weight[0].numel() == 1:
        return [t.reshape(1, info.batch_size, -1) for t in data], weight.reshape(-1)
    joined = [t.movedim(0, 1).reshape(t.shape[1], -1, *t.shape[3:]) for t in data]
    return joined, weight.reshape(-1)


def _separated(result: Any, weight_count: int, info: Any, shape: tuple[int, ...]) -> Any:
    """Return a result with the batch as its first axis again."""
    if weight_count == 1:
        return result.reshape(info.batch_size, *shape)
    parts = result.reshape(shape[0], info.batch_size, *shape[1:])
    return parts.movedim(1, 0)


def _element_shape(tensor: Any, axis: int | None) -> tuple[int, ...]:
    """Return the shape of a tensor for one element of the batch."""
    shape = list(tensor.shape)
    if axis is not None:
        del shape[axis]
    return tuple(shape)


@_prelu.register_vmap
def _batch_prelu(
    info: Any, in_dims: tuple[Any, ...], x: Any, weight: Any, compute_dtype: str | None
) -> tuple[Any, int]:
    shape = _element_shape(x, in_dims[0])
    (data,), weights = _channels_of_batch(info, in_dims[:2], (x, weight))
    result = _prelu(data, weights, compute_dtype)
    return _separated(result, weights.numel() // info.batch_size, info, shape), 0


@_prelu_backward.register_vmap
def _batch_prelu_backward(
    info: Any, in_dims: tuple[Any, ...], grad: Any, x: Any, weight: Any, compute_dtype: str | None
) -> tuple[tuple[Any, Any], tuple[int, int]]:
    shape = _element_shape(x, in_dims[1])
    data, weights = _channels_of_batch(info, in_dims[:3], (grad, x, weight))
    for_x, sums = _prelu_backward(*data, weights, compute_dtype)
    each = info.batch_size, *_element_shape(weight, in_dims[2])
    count = weights.numel() // info.batch_size
    return (_separated(for_x, count, info, shape), sums.reshape(each)), (0, 0)


# --- what users call ------------------------------------------------------------------------------


def hardshrink(input: Any, lambd: float = 0.5, *, compute_dtype: DTypeLike | None = None) -> Any:
    """Return ``torch.nn.functional.hardshrink`` with ascendref's gradient.

    Parameters
    ----------
    input : Tensor
        Any shape; F16, BF16, F32 or F64.
    lambd : float, optional
        Threshold.
    compute_dtype : {None, "float16", "bfloat16", "float32", "float64", "exact"} or dtype, optional
        Type in which the gradient is evaluated; None means F64 for F64 data, else F32.

    Returns
    -------
    Tensor
        A tensor of the same shape and type.

    Raises
    ------
    ArgumentTypeError
        If ``compute_dtype`` is not one of these.

    Examples
    --------
    >>> import torch
    >>> import ascendref.torch as at
    >>> x = torch.tensor([0.25, 1.0], requires_grad=True)
    >>> at.ops.hardshrink(x).sum().backward()
    >>> x.grad
    tensor([0., 1.])
    """
    return _hardshrink(input, lambd, _compute(compute_dtype))


def softplus(
    input: Any,
    beta: float = 1.0,
    threshold: float = 20.0,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Any:
    """Return ``torch.nn.functional.softplus`` with ascendref's gradient.

    Parameters
    ----------
    input : Tensor
        Any shape; F16, BF16, F32 or F64.
    beta, threshold : float, optional
        As for PyTorch's function.
    compute_dtype : dtype, optional
        As for `hardshrink`.

    Returns
    -------
    Tensor
        A tensor of the same shape and type.

    Examples
    --------
    >>> import torch
    >>> import ascendref.torch as at
    >>> x = torch.tensor([0.0, 30.0], requires_grad=True)
    >>> at.ops.softplus(x).sum().backward()
    >>> x.grad
    tensor([0.5000, 1.0000])
    """
    return _softplus(input, beta, threshold, _compute(compute_dtype))


def prelu(input: Any, weight: Any, *, compute_dtype: DTypeLike | None = None) -> Any:
    """Return ``torch.nn.functional.prelu`` with ascendref's gradients for input and weight.

    Parameters
    ----------
    input : Tensor
        Any shape; F16, BF16, F32 or F64. Axis 1 is the channel.
    weight : Tensor
        Same type, rank 0 or 1, with one element or one per channel.
    compute_dtype : dtype, optional
        As for `hardshrink`.

    Returns
    -------
    Tensor
        A tensor of the input's shape and type.

    Examples
    --------
    >>> import torch
    >>> import ascendref.torch as at
    >>> weight = torch.tensor([0.25, 0.5], requires_grad=True)
    >>> at.ops.prelu(torch.tensor([[-1.0, -3.0], [-2.0, 4.0]]), weight).sum().backward()
    >>> weight.grad
    tensor([-3., -3.])
    """
    return _prelu(input, weight, _compute(compute_dtype))


def smooth_l1_loss(
    input: Any,
    target: Any,
    reduction: str = "mean",
    beta: float = 1.0,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Any:
    """Return ``torch.nn.functional.smooth_l1_loss`` with ascendref's gradients.

    Parameters
    ----------
    input, target : Tensor
        F16, BF16, F32 or F64; they broadcast.
    reduction : {"none", "mean", "sum"}, optional
        How the elementwise losses are reduced.
    beta : float, optional
        The ``|input - target|`` at which the loss turns from quadratic to linear; at least 0.
    compute_dtype : dtype, optional
        As for `hardshrink`.

    Returns
    -------
    Tensor
        Of rank 0, or of the broadcast shape for "none".

    Raises
    ------
    ArgumentValueError
        If ``reduction`` is not one of these.

    Examples
    --------
    >>> import torch
    >>> import ascendref.torch as at
    >>> x = torch.tensor([0.5, 3.0], requires_grad=True)
    >>> at.ops.smooth_l1_loss(x, torch.zeros(2), "sum").backward()
    >>> x.grad
    tensor([0.5000, 1.0000])
    """
    if reduction not in _REDUCTIONS:
        allowed = ", ".join(map(repr, _REDUCTIONS))
        raise ArgumentValueError("reduction", f"is {shown(reduction)}; allowed are {allowed}")
    data, aim = torch.broadcast_tensors(input, target)
    return _smooth_l1_loss(data, aim, _REDUCTIONS[reduction], beta, _compute(compute_dtype))


def logit(input: Any, eps: float | None = None, *, compute_dtype: DTypeLike | None = None) -> Any:
    """Return ``torch.logit`` with ascendref's gradient.

    Parameters
    ----------
    input : Tensor
        Any shape; F16, BF16, F32 or F64.
    eps : float, optional
        As for PyTorch's function: the input is clamped to ``eps`` and ``1 - eps``.
    compute_dtype : dtype, optional
        As for `hardshrink`.

    Returns
    -------
    Tensor
        A tensor of the same shape and type.

    Examples
    --------
    >>> import torch
    >>> import ascendref.torch as at
    >>> x = torch.tensor([0.25, 0.5], requires_grad=True)
    >>> at.ops.logit(x).sum().backward()
    >>> x.grad
    tensor([5.3333, 4.0000])
    """
    return _logit(input, eps, _compute(compute_dtype))
