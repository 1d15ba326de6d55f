"""Accesses that torch_npu makes before it calls HCCL, for the checker."""

from typing import Any, Final

import torch

from ...device.checker.shadow import Span
from ..refusals import NPU, native_kernel
from ..storage import memory_at

_GATHER: Final = "c10d::allgather_"


def register_gather() -> torch.library.Library:
    """Replace torch_npu's kernel that gathers into tensors, while the returned object is alive.

    torch_npu pads short tensors to 512 bytes, those that it gathers into as well. That reads what
    nothing has written, but uses no value of it.
    """
    native = native_kernel(_GATHER)

    def gather(lists: list[list[torch.Tensor]], *others: Any) -> Any:
        for tensor in [tensor for tensors in lists for tensor in tensors]:
            _mark_written(tensor.untyped_storage())
        return native(lists, *others)

    library = torch.library.Library("c10d", "IMPL")
    library.impl(_GATHER.removeprefix("c10d::"), gather, NPU, allow_override=True)
    return library


def _mark_written(storage: torch.UntypedStorage) -> None:
    if not storage.nbytes():
        return
    memory = memory_at(storage.data_ptr())
    if memory.device.checker is not None:
        span = Span(storage.data_ptr() - memory.address, storage.nbytes(), "output_tensors")
        memory.shadow.mark_written(span)
