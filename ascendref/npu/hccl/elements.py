"""The elements that calls of HCCL move: their types, and where they lie."""

from __future__ import annotations

from typing import Final, NamedTuple, NoReturn

import torch

from ...core.errors import fail
from ...core.status import Status
from ...device.checker.checker import Access
from ...device.checker.shadow import Span
from ...device.memory.address_space import Memory
from ..storage import bytes_of, memory_at


class ElementType(NamedTuple):
    """An element type of HCCL."""

    name: str
    nbytes: int
    #: PyTorch's type, and the type that Gloo reduces it in; None for types that are only moved
    dtype: torch.dtype | None = None
    computed: torch.dtype | None = None


#: by HcclDataType
TYPES: Final = {
    0: ElementType("INT8", 1, torch.int8, torch.int8),
    1: ElementType("INT16", 2, torch.int16, torch.int32),
    2: ElementType("INT32", 4, torch.int32, torch.int32),
    3: ElementType("FP16", 2, torch.float16, torch.float16),
    4: ElementType("FP32", 4, torch.float32, torch.float32),
    5: ElementType("INT64", 8, torch.int64, torch.int64),
    6: ElementType("UINT64", 8),
    7: ElementType("UINT8", 1),
    8: ElementType("UINT16", 2),
    9: ElementType("UINT32", 4),
    10: ElementType("FP64", 8),
    11: ElementType("BFP16", 2, torch.bfloat16, torch.bfloat16),
    12: ElementType("INT128", 16),
    14: ElementType("HIF8", 1),
    15: ElementType("FP8E4M3", 1),
    16: ElementType("FP8E5M2", 1),
    17: ElementType("FP8E8M0", 1),
}


def refuse(call: str, problem: str) -> NoReturn:
    """Raise 107000 for an argument of a call."""
    fail(Status.ACL_ERROR_RT_PARAM_INVALID, f"{call}: {problem}")


def element_type(call: str, number: int) -> ElementType:
    """Return the type that an argument ``dataType`` names."""
    found = TYPES.get(number)
    if found is None:
        refuse(call, f"dataType is {number}; allowed are {', '.join(map(str, TYPES))}")
    return found


def described(count: int, number: int) -> str:
    """Return elements in words: how many, and their type."""
    return f"{count} elements of {TYPES[number].name}"


class Buffer(NamedTuple):
    """Elements in device memory; none have no memory."""

    memory: Memory | None
    start: int
    nbytes: int
    #: name of the argument
    name: str

    @classmethod
    def at(cls, call: str, address: int, nbytes: int, name: str) -> Buffer:
        """Find the elements at the address that an argument of a call has."""
        if not nbytes:
            return cls(None, 0, 0, name)
        memory = memory_at(address)
        start = address - memory.address
        if start + nbytes > memory.nbytes:
            left = memory.nbytes - start
            refuse(call, f"{name} needs {nbytes} bytes; its memory ends after {left} bytes")
        return cls(memory, start, nbytes, name)

    def access(self) -> tuple[Access, ...]:
        """Return the access for the checker."""
        if self.memory is None:
            return ()
        return ((self.memory.shadow, Span(self.start, self.nbytes, self.name)),)

    def tensor(self, dtype: torch.dtype = torch.uint8) -> torch.Tensor:
        """Return a host tensor that shares the memory."""
        if self.memory is None:
            return torch.empty(0, dtype=dtype)
        return bytes_of(self.memory, self.start, self.nbytes).view(dtype)
