"""Which device kernels are replaced: all except those of emulated operators and of memory."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import torch

from ..cann.runtime.process import process
from ..declaration.operator import APIS, OPERATORS, Operator
from .capture import CAPTURE, record
from .compiled import BETWEEN_DEVICES, CompiledFallback
from .copies import copy_kernel
from .layers import BATCH_NORM, RECURRENT, recurrent_kernel, with_statistics
from .randomness import OPERATORS as RANDOM
from .refusals import AUTOGRAD, NO_FALLBACK, NPU, has_kernel, native_kernel, refusal


def _overloads(operator: Operator) -> Iterator[str]:
    """Yield the overloads of PyTorch's operator that torch_npu passes to the C library."""
    theirs = operator.torch
    if operator.in_place is not None:
        yield f"aten::{operator.name if theirs is None else theirs.name}_"
    elif theirs is not None:
        yield f"aten::{theirs.name}"
        if theirs.out is not None:
            yield f"aten::{theirs.name}.{theirs.out}"


#: overload that torch_npu always passes to the C library -> its operator, in its latest version;
#: the last ones have other names or parameters than the operator's counterpart
EMULATED: Final = {
    name: operator
    for operator in (*APIS.values(), *OPERATORS.values())
    if operator.api
    for name in _overloads(operator)
} | {
    f"aten::{name}": OPERATORS[operator]
    for name, operator in {
        "celu": "celu",
        "log_sigmoid_forward": "log_sigmoid",
        "log_sigmoid_forward.output": "log_sigmoid",
        "binary_cross_entropy_with_logits": "binary_cross_entropy_with_logits",
        "_prelu_kernel": "prelu",
        "silu_": "silu",
    }.items()
}
#: overloads that torch_npu implements itself: they create, describe and copy memory
_MEMORY: Final = frozenset(
    "_copy_from_and_resize _has_compatible_shallow_copy_type _lazy_clone"
    " _pin_memory _to_copy as_strided_ contiguous empty empty_like empty_strided is_pinned"
    " is_set_to new_empty_strided quantize_per_channel quantize_per_tensor record_stream"
    " resize_ resize_as_ set_".split()
)
_COPY: Final = "aten::copy_"
#: torch_npu reads a number by a copy to the host, without a fallback; a fallback reads it in place
_ITEM: Final = "aten::_local_scalar_dense"
#: one of its results, the sizes of the batches, is on the CPU for tensors of every device; so it is
#: PyTorch's own kernel that calls others
_PACK: Final = "aten::_pack_padded_sequence"
#: PyTorch's kernel calls others; the fallback has a faster one with the same results
_SAFE_SOFTMAX: Final = "aten::_safe_softmax"
#: it has no gradient, and PyTorch's own kernel, which calls others, refuses INT32
_ONE_HOT: Final = "aten::one_hot"
#: dispatch keys of no device: PyTorch's behaviour if no backend has its own kernel or gradients
_STOCK_KERNEL: Final = "PrivateUse2"
_STOCK: Final = "AutogradPrivateUse2"
#: the kernels that run on the CPU
_CPU: Final = (
    "CPU",
    "CompositeExplicitAutograd",
    "CompositeExplicitAutogradNonFunctional",
    "CompositeImplicitAutograd",
)


def register(fallback: CompiledFallback | None) -> list[torch.library.Library]:
    """Replace torch_npu's kernels while the returned objects are alive.

    Operators that are not emulated run on the CPU, or are refused if there is no fallback.
    """
    library = torch.library.Library("aten", "IMPL")
    for name in _operators():
        op = _overload(name)
        if op is None or _is_about_memory(op) or not _has_host_kernel(name):
            continue
        if name == _ITEM and fallback is None:
            continue
        kernel: Callable[..., Any] = refusal(name, NO_FALLBACK)
        if name == _COPY:
            kernel = copy_kernel(op, kernel)
        if fallback is None:
            library.impl(name, kernel, NPU, allow_override=True)
        elif name == _PACK:
            library.impl(name, native_kernel(name, _STOCK_KERNEL), NPU, allow_override=True)
        else:
            fallback.register(op)
            if name == _COPY:  # within a device, it copies itself
                library.impl(name, kernel, BETWEEN_DEVICES)
            if name in BATCH_NORM:
                inner = native_kernel(op)
                library.impl(name, with_statistics(op, inner), NPU, allow_override=True)
        # torch_npu's own gradients call operators that only torch_npu has
        if name == _ONE_HOT:
            library.impl(name, torch.library.fallthrough_kernel, AUTOGRAD, allow_override=True)
        elif name not in RECURRENT and _has_gradients_of_torch_npu(name):
            library.impl(name, _stock_gradients(op), AUTOGRAD, allow_override=True)
    if fallback is not None:
        for op in RANDOM:
            fallback.register(op)
    for name in RECURRENT:
        op = _overload(name)
        if op is not None and fallback is not None:
            library.impl(name, recurrent_kernel(op), AUTOGRAD, allow_override=True)
    for name, why in _lacking():
        library.impl(name, refusal(name, why), NPU, allow_override=True)
    captures = torch.library.Library("_", "IMPL")
    captures.fallback(record, CAPTURE)
    return [library, captures]


def _lacking() -> Iterator[tuple[str, str]]:
    """Yield the operators that have no kernel to run on, and why."""
    product = process.settings.product
    for name, operator in EMULATED.items():
        if operator.on(product) is None:
            yield name, f"{operator.api} does not exist on {product.name}"
    for name in _operators():
        op = _overload(name)
        if op is not None and not _has_host_kernel(name) and not _is_about_memory(op):
            yield name, "PyTorch has no kernel for the CPU"


def _stock_gradients(op: torch._ops.OpOverload) -> Callable[..., Any]:
    """Return PyTorch's gradient kernel, with the dispatch keys that it may then call."""
    views = ("ADInplaceOrView",) if has_kernel(op.name(), "ADInplaceOrView") else ()
    return native_kernel(op, _STOCK, NPU, AUTOGRAD, *views)


def _operators() -> Iterator[str]:
    """Yield the names of PyTorch's operators that are not emulated."""
    for name in torch._C._dispatch_get_all_op_names():
        # if the device has only some parts of an operator, those are replaced
        if name.startswith("aten::") and name not in EMULATED:
            if has_kernel(name, "CPU") or has_kernel(name, NPU) or name == _SAFE_SOFTMAX:
                yield name


def _has_host_kernel(name: str) -> bool:
    return any(has_kernel(name, key) for key in _CPU)


def _overload(name: str) -> torch._ops.OpOverload | None:
    base, _, overload = name.removeprefix("aten::").partition(".")
    if base.startswith(("npu_", "_npu_")):
        return None
    packet = getattr(torch.ops.aten, base, None)  # names without a schema are listed too
    return None if packet is None else getattr(packet, overload or "default", None)


def _is_about_memory(op: torch._ops.OpOverload) -> bool:
    views = any(
        result.alias_info is not None and not result.alias_info.is_write
        for result in op._schema.returns
    )
    base = op.name().removeprefix("aten::").partition(".")[0]
    return views or base in _MEMORY or torch.Tag.inplace_view in op.tags


def _has_gradients_of_torch_npu(name: str) -> bool:
    if not has_kernel(name, AUTOGRAD):
        return False
    lines = torch._C._dispatch_dump(name).splitlines()
    return any(line.startswith(f"{AUTOGRAD}: ") and "torch_npu" in line for line in lines)
