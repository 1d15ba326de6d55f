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

from ..core.fork_safety import import_to_end
from ..core.layout import MAX_RANK
from ..core.packing import pack_words
from .call_cache import (
    KEY_TYPES,
    RUN_MAKERS,
    ArrayCall,
    Computed,
    Direct,
    Key,
    Run,
    ViewedPart,
    scalar_ranges,
    viewed_parts,
)

if TYPE_CHECKING:
    from ..kernels.loops.reduction_kernel import ReductionKernel

_Tensor: Final = torch.Tensor
_CONTIGUOUS: Final = torch.contiguous_format
_empty_like: Final = torch.empty_like
_records: Final = torch.is_grad_enabled
_increment_version: Final = torch._C._increment_version
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


def _make_run(
    key: Key, call: ArrayCall, computed: Computed
) -> tuple[Key, Run, Direct | None] | None:
    """Return the key and what runs a call on contiguous tensors of one type; None if it is not."""
    kernel, values, (kind, *others) = computed.kernels[0], computed.values, key[2:]
    if any([other is not kind for other in others]):
        return None
    if call.operator.mode(values) != "none":
        return key, _reduction(kernel, kind), None
    if not call.operator.is_viewed:
        run, ranges = elementwise_run(kernel.bind_memory(), kind), scalar_ranges(call, values)
        if ranges is None:
            return key, run, None
        return key, run, elementwise_run(kernel.bind_memory(ranges), kind)
    operands = call.tensors if call.out is None else (*call.tensors, call.out)
    if computed.in_place or not all([type(x) is _Tensor and x.is_contiguous() for x in operands]):
        return None
    parts = viewed_parts(call.operator, computed)
    return (key, _viewed(call, values, parts, kind), None) if parts else None


RUN_MAKERS[_Tensor] = _make_run
KEY_TYPES.add(torch.dtype)


def _addresses(tensors: tuple[Any, ...], kind: Any) -> list[int]:
    """Return the addresses of contiguous tensors of a type; empty if one is not or has none."""
    addresses = []
    try:
        for tensor in tensors:
            if (
                type(tensor) is not _Tensor
                or tensor.dtype is not kind
                or not tensor.is_cpu
                or tensor.is_neg()
                or (tensor.requires_grad and _records())
                or not tensor.is_contiguous()
                or not (address := tensor.data_ptr())  # no elements, or no memory
            ):
                return []
            addresses.append(address)
    except RuntimeError:
        return []
    return addresses


def elementwise_run(
    kernel: Callable[[int, int], int], kind: Any
) -> Callable[[tuple[Any, ...], object, Any], Any]:
    """Return what runs a bound kernel on tensors of one shape."""

    def run(tensors: tuple[Any, ...], numbers: object, out: Any) -> Any:
        if _is_followed():
            return None
        operands = tensors if out is None else (*tensors, out)
        addresses = _addresses(operands, kind)
        if not addresses:
            return None
        first = tensors[0]
        shape = first.shape
        if len(shape) > MAX_RANK:
            return None
        for tensor in operands[1:]:
            if tensor.shape != shape:
                return None
        result = _empty_like(first, memory_format=_CONTIGUOUS) if out is None else out
        if out is None:
            addresses.append(result.data_ptr())
        packed = pack_words(*addresses, first.numel())
        if kernel(id(packed), id(numbers)) < 0:
            return None
        if out is not None:
            _increment_version((out,))
        return result

    return run


def _viewed(call: ArrayCall, values: tuple[float, ...], parts: list[ViewedPart], kind: Any) -> Run:
    """Return what runs the kernel of each part of a result on views of tensors of these shapes."""
    shapes = [tensor.shape for tensor in call.tensors]
    (shape,) = call.operator.result_shapes(tuple(map(tuple, shapes)), values)
    # imported late, because it loads Numba
    strides_of = import_to_end("ascendref.kernels.loops.elementwise").strides_of
    bound = [
        (part.kernel.bind_strides(*strides_of(part.operands)), part.places, part.numbers)
        for part in parts
    ]

    def run(tensors: tuple[Any, ...], numbers: bytes, out: Any) -> Any:
        operands = tensors if out is None else (*tensors, out)
        if _is_followed() or not (addresses := _addresses(operands, kind)):
            return None
        if any([t.shape != like for t, like in zip(tensors, shapes, strict=True)]):
            return None
        result = tensors[0].new_empty(shape) if out is None else out
        if out is None:
            addresses.append(result.data_ptr())
        elif out.shape != shape or not _are_apart(operands, len(tensors)):
            return None
        if any([address % kind.itemsize for address in addresses]):
            return None
        for kernel, places, scalars in bound:
            packed = pack_words(*[addresses[place.array] + place.offset for place in places])
            if kernel(id(packed), id(scalars)) < 0:
                return None
        if out is not None:
            _increment_version((out,))
        return result

    return run


def _reduction(kernel: ReductionKernel, kind: Any) -> Run:
    """Return what runs a reduction, whose weight has rank 1 if there are channels."""
    weighted, alone = kernel.weighted, kernel.element is None

    def run(tensors: tuple[Any, ...], numbers: bytes, out: Any) -> Any:
        outs: tuple[Any, ...] = ()
        if out is not None:
            if not alone and (type(out) is not tuple or len(out) != 2):
                return None
            outs = (out,) if alone else out
        if _is_followed() or not (addresses := _addresses((*tensors, *outs), kind)):
            return None
        first, weight = tensors[0], tensors[-1]
        shape, channels = tuple(first.shape), weight.numel() if weighted else 1
        full = tensors[1:-1] if weighted else tensors[1:]
        if (
            len(shape) > MAX_RANK
            or any([tensor.shape != shape for tensor in full])
            or (weighted and weight.dim() != 1)
            or (channels != 1 and (len(shape) < 2 or shape[1] != channels))
        ):
            return None
        results = outs
        if out is None:
            sums = _empty_like(weight) if weighted else first.new_empty(())
            results = (sums,) if alone else (_empty_like(first, memory_format=_CONTIGUOUS), sums)
            addresses += [tensor.data_ptr() for tensor in results]
        else:
            likes = (weight.shape if weighted else ()), shape
            if any([r.shape != like for r, like in zip(results[::-1], likes, strict=False)]):
                return None
            if not _are_apart((*tensors, *results), len(tensors)):
                return None
        if any([address % kind.itemsize for address in addresses]):
            return None
        kernel.in_memory(tuple(addresses), shape, channels, numbers)
        if out is not None:
            _increment_version(outs)
            return out
        return results[0] if alone else results

    return run


def _are_apart(operands: tuple[Any, ...], inputs: int) -> bool:
    """Tell whether the contiguous tensors after the inputs overlap no other."""
    spans = [(t.data_ptr(), t.data_ptr() + t.nbytes, k) for k, t in enumerate(operands)]
    return not any(
        after < end and max(one, other) >= inputs
        for (_, end, one), (after, _, other) in pairwise(sorted(spans))
    )
