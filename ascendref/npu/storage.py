"""Host tensors that share the memory of the emulated device."""

import torch

from ..core.errors import fail
from ..core.status import Status
from ..device.checker.checker import Access
from ..device.checker.shadow import Span, gaps_of
from ..device.memory.address_space import Memory, find_memory


def shared_bytes(address: int, nbytes: int) -> torch.Tensor:
    """Return a host tensor of bytes that shares living memory of a device."""
    memory = memory_at(address)
    return bytes_of(memory, address - memory.address, nbytes)


def bytes_of(memory: Memory, start: int, nbytes: int) -> torch.Tensor:
    """Return a host tensor of bytes that shares a part of memory."""
    return torch.from_numpy(memory.content(start, nbytes)[start : start + nbytes])


def memory_at(address: int) -> Memory:
    """Return the living memory that contains an address, or raise 107000."""
    memory = find_memory(address)
    if memory is None:
        fail(
            Status.ACL_ERROR_RT_PARAM_INVALID,
            f"a tensor lies at {address:#x}, which is not in living memory of any device",
        )
    return memory


def with_bits(tensor: torch.Tensor, is_conj: bool, is_neg: bool) -> torch.Tensor:
    """Return a view that is conjugated and negated when it is read."""
    tensor = torch._conj(tensor) if is_conj else tensor
    return torch._neg_view(tensor) if is_neg else tensor


def access_of(
    memory: Memory,
    address: int,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    itemsize: int,
    name: str,
) -> Access:
    """Return the access of a tensor with elements in a memory, for the checker."""
    steps = tuple([stride * itemsize for stride in strides])
    nbytes = itemsize + sum((size - 1) * step for size, step in zip(shape, steps, strict=True))
    gaps = gaps_of(shape, steps, itemsize)
    return memory.shadow, Span(address - memory.address, nbytes, name, gaps)
