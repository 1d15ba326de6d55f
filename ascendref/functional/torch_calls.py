"""Cached calls on torch tensors.

A cached call takes contiguous tensors of one type that have memory of their own, and passes the
addresses to the kernel. Tensors of a subclass, negated tensors and tensors that record operations
go through the full check. A sparse or nested tensor, or one batched by ``torch.func.vmap``, raises
an error when asked for its shape or address.

If PyTorch's functions do more than call their kernels, because of a mode, a transform or a trace,
all tensors go through the full check.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import torch
from torch.autograd import forward_ad

from .call_cache import ARRAY_TYPES, KEY_TYPES, CachedCall, Call, call_key, store

if TYPE_CHECKING:
    from ..kernels.loops.channel_sums import ChannelSumKernel
    from ..kernels.loops.elementwise import ElementwiseKernel

ARRAY_TYPES.add(torch.Tensor)
KEY_TYPES.add(torch.dtype)


_CONTIGUOUS: Final = torch.contiguous_format
_dispatch_modes: Final = torch._C._len_torch_dispatch_stack
_function_modes: Final = torch._C._len_torch_function_stack
_level: Final = torch._C._functorch.maybe_current_level
_trace: Final = torch._C._get_tracing_state


def _is_followed() -> bool:
    """Tell whether PyTorch's functions now do more than call their kernels.

    Then ``torch.empty_like`` may return a tensor without memory, and numbers may be tensors.
    """
    return (
        forward_ad._current_level >= 0
        or _dispatch_modes() > 0
        or _function_modes() > 0
        or _level() is not None
        or _trace() is not None
    )


def store_elementwise(call: Call, kernel: ElementwiseKernel, values: tuple[float, ...]) -> None:
    """Cache an elementwise call on torch tensors of one type that passed the full check.

    Parameters
    ----------
    call : Call
        The call.
    kernel : ElementwiseKernel
        The kernel that computed it.
    values : tuple of float
        The values of the scalars, for the kernel.
    """
    kinds = {tensor.dtype for tensor in call.tensors}
    key = call_key(call.operator, call.tensors, call.scalars, call.compute_dtype)
    if key is not None and len(kinds) == 1:
        store(key, _elementwise(kernel.bind_memory(values), call, kinds.pop()))


def store_channel_sum(call: Call, kernel: ChannelSumKernel) -> None:
    """Cache a call with channel sums on torch tensors that passed the full check."""
    key = call_key(call.operator, call.tensors, call.scalars, call.compute_dtype)
    if key is not None:
        store(key, _channel_sum(kernel, call.compute_dtype, call.tensors[0].dtype))


def _elementwise(kernel: Callable[..., int], call: Call, kind: Any) -> CachedCall:
    """Return the cached call of an elementwise operator."""
    compute, expected = call.compute_dtype, call.scalars
    tensor_type, contiguous, records = torch.Tensor, _CONTIGUOUS, torch.is_grad_enabled
    empty_like, increment_version = torch.empty_like, torch._C._increment_version

    def cached_call(
        tensors: tuple[Any, ...], scalars: tuple[Any, ...], out: Any, compute_dtype: Any
    ) -> Any:
        if compute_dtype is not compute or _is_followed():
            return None
        for s, p in zip(scalars, expected, strict=True):
            if s is not p and (type(s) is not type(p) or s != p):
                return None
        first = tensors[0]
        if type(first) is not tensor_type:
            return None
        addresses = []
        try:
            shape = first.shape
            for tensor in tensors if out is None else (*tensors, out):
                if (
                    type(tensor) is not tensor_type
                    or tensor.dtype is not kind
                    or not tensor.is_cpu
                    or tensor.is_neg()
                    or (tensor.requires_grad and records())
                    or not tensor.is_contiguous()
                    or (tensor is not first and tensor.shape != shape)
                ):
                    return None
                addresses.append(tensor.data_ptr())
            count = first.numel()
        except RuntimeError:
            return None
        if not all(addresses):
            return None  # no elements, or no memory
        if out is None:
            out = empty_like(first, memory_format=contiguous)
            return out if kernel(*addresses, out.data_ptr(), count) >= 0 else None
        if kernel(*addresses, count) < 0:
            return None
        increment_version((out,))
        return out

    return cached_call


def _channel_sum(kernel: ChannelSumKernel, compute: Any, kind: Any) -> CachedCall:
    """Return the cached call of an operator with channel sums and a weight of rank 1."""
    tensor_type, contiguous, records = torch.Tensor, _CONTIGUOUS, torch.is_grad_enabled
    empty_like, increment_version = torch.empty_like, torch._C._increment_version

    def cached_call(
        tensors: tuple[Any, ...], scalars: tuple[Any, ...], out: Any, compute_dtype: Any
    ) -> Any:
        if compute_dtype is not compute or _is_followed():
            return None
        if out is not None and (type(out) is not tuple or len(out) != 2):
            return None
        operands = tensors if out is None else (*tensors, *out)
        try:
            for tensor in operands:
                if (
                    type(tensor) is not tensor_type
                    or tensor.dtype is not kind
                    or not tensor.is_cpu
                    or tensor.is_neg()
                    or (tensor.requires_grad and records())
                    or not tensor.is_contiguous()
                    or not tensor.data_ptr()
                ):
                    return None
            grad, data, weight = tensors
            shape, channels = tuple(data.shape), weight.numel()
            if (
                grad.shape != shape
                or weight.dim() != 1
                or (channels != 1 and (len(shape) < 2 or shape[1] != channels))
            ):
                return None
        except RuntimeError:
            return None
        if out is None:
            made = [empty_like(like, memory_format=contiguous) for like in (data, weight)]
            operands = (*tensors, *made)
        elif out[0].shape != shape or out[1].shape != weight.shape or not _are_apart(operands):
            return None
        addresses = tuple([tensor.data_ptr() for tensor in operands])
        if any([address % kind.itemsize for address in addresses]):
            return None
        kernel.in_memory(addresses, shape, channels)
        if out is None:
            return operands[3], operands[4]
        increment_version(out)
        return out

    return cached_call


def _are_apart(operands: tuple[Any, ...]) -> bool:
    """Tell whether the last two of these contiguous tensors overlap no other."""
    spans = [(t.data_ptr(), t.data_ptr() + t.nbytes, k) for k, t in enumerate(operands)]
    results = len(operands) - 2
    return not any(
        after < end and max(one, other) >= results
        for (_, end, one), (after, _, other) in pairwise(sorted(spans))
    )
