"""Tensors of the host that share the memory of the emulated device."""

from __future__ import annotations

import torch

from ..core.errors import fail
from ..core.status import Status
from ..device.memory.address_space import find_memory


def shared_storage(storage: torch.UntypedStorage) -> torch.UntypedStorage:
    """Return the storage of the host that is a device's storage; it cannot grow."""
    nbytes, address = storage.nbytes(), storage.data_ptr()
    if not nbytes:
        return torch.UntypedStorage(0)
    memory = find_memory(address)
    if memory is None:
        fail(
            Status.ACL_ERROR_RT_PARAM_INVALID,
            f"a tensor lies at {address:#x}, which is not in living memory of any device",
        )
    start = address - memory.address
    content = memory.content(start, nbytes)[start : start + nbytes]
    return torch.from_numpy(content).untyped_storage()


def shared_tensor(tensor: torch.Tensor, storage: torch.UntypedStorage) -> torch.Tensor:
    """Return a tensor of the host with the elements of one of the device, in its shared storage."""
    found = torch.empty(0, dtype=tensor.dtype)
    found.set_(storage, tensor.storage_offset(), tensor.size(), tensor.stride())
    if tensor.is_conj():
        found = torch._conj(found)
    return torch._neg_view(found) if tensor.is_neg() else found


def on_host(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor of the host that shares the memory of one of the device."""
    return shared_tensor(tensor, shared_storage(tensor.untyped_storage()))
