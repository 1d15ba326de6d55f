"""Host tensors that share the memory of the emulated device."""

from __future__ import annotations

import torch

from ..core.errors import fail
from ..core.status import Status
from ..device.checker.checker import Access
from ..device.checker.shadow import Span, gaps_of
from ..device.memory.address_space import Memory, find_memory


def shared_storage(storage: torch.UntypedStorage) -> torch.UntypedStorage:
    """Return a host storage that shares a device storage; it cannot be resized."""
    nbytes, address = storage.nbytes(), storage.data_ptr()
    if not nbytes:
        return torch.UntypedStorage(0)
    return shared_bytes(address, nbytes).untyped_storage()


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


def shared_tensor(tensor: torch.Tensor, storage: torch.UntypedStorage) -> torch.Tensor:
    """Return a host tensor with the elements of a device tensor, in a shared storage."""
    found = torch.empty(0, dtype=tensor.dtype)
    found.set_(storage, tensor.storage_offset(), tensor.size(), tensor.stride())
    return with_bits(found, tensor.is_conj(), tensor.is_neg())


def with_bits(tensor: torch.Tensor, is_conj: bool, is_neg: bool) -> torch.Tensor:
    """Return a view that is conjugated and negated when it is read."""
    tensor = torch._conj(tensor) if is_conj else tensor
    return torch._neg_view(tensor) if is_neg else tensor


def on_host(tensor: torch.Tensor) -> torch.Tensor:
    """Return a host tensor that shares the memory of a device tensor."""
    return shared_tensor(tensor, shared_storage(tensor.untyped_storage()))


def access(name: str, tensor: torch.Tensor) -> Access:
    """Return the access of a device tensor with elements, for the checker."""
    address = tensor.data_ptr()
    shape, strides = tuple(tensor.size()), tuple(tensor.stride())
    return access_of(memory_at(address), address, shape, strides, tensor.element_size(), name)


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
