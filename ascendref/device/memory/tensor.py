"""Tensors: views over device memory, with the checks and strides that operators need."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from functools import lru_cache
from math import prod
from operator import index
from typing import Any, Final, NoReturn

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...core.dtypes import DataType, is_integer
from ...core.errors import ArgumentTypeError, fail, fail_argument, shown
from ...core.status import Status
from ..arguments import integer
from ..base_device import BaseDevice
from ..checker.checker import Access
from ..checker.shadow import Span, gaps_of
from ..handle import Handle
from .address_space import Memory, find_memory

#: bytes and axes that NumPy can address in one array
_MOST_BYTES: Final = 2**63 - 1
_MOST_AXES: Final = 64


class Format(IntEnum):
    """The vendor's ``aclFormat``: how a tensor lies in memory. Operators here take ND as given."""

    UNDEFINED = -1
    NCHW = 0
    NHWC = 1
    ND = 2
    NC1HWC0 = 3
    FRACTAL_Z = 4
    NC1HWC0_C04 = 12
    HWCN = 16
    NDHWC = 27
    FRACTAL_NZ = 29
    NCDHW = 30
    NDC1HWC0 = 32
    FRACTAL_Z_3D = 33
    NC = 35
    NCL = 47
    FRACTAL_NZ_C0_16 = 50
    FRACTAL_NZ_C0_32 = 51
    FRACTAL_NZ_C0_2 = 52
    FRACTAL_NZ_C0_4 = 53
    FRACTAL_NZ_C0_8 = 54

    @classmethod
    def of(cls, value: object) -> Format:
        """Return the format of a number, or of a name with or without ``ACL_FORMAT_``."""
        try:
            if isinstance(value, str):
                return cls[value.removeprefix("ACL_").removeprefix("FORMAT_")]
            return cls(value)  # type: ignore[arg-type]  # the check itself
        except Exception:  # whatever another library's __eq__ raises
            allowed = ", ".join(cls.__members__)
        fail_argument(
            Status.ACLNN_ERR_PARAM_INVALID, "format", f"is {shown(value)}; allowed are {allowed}"
        )


class Tensor(Handle):
    """A view over device memory.

    Creating one checks next to nothing, as with ``aclCreateTensor``: a view that makes no sense is
    refused by the operator that uses it.

    Parameters
    ----------
    memory : Memory, int or None
        The allocation that it lies in, or an address in one of any device. The beginning of the
        allocation, or that address, is where offsets count from.
    shape : tuple of int
        Sizes of the axes; ``()`` for a single element.
    dtype : dtype, str or int
        A NumPy or ml_dtypes type, or a name or number of ``aclDataType``.
    strides : tuple of int, optional
        Distance between neighbours along every axis, in elements; None for C order.
    offset : int, optional
        The first element, counted in elements from the beginning of the memory.
    format : str or int, optional
        A name or number of ``aclFormat``.
    storage_shape : tuple of int, optional
        Shape of the storage, of any rank; None for ``shape``. It is kept as given and not used.

    Raises
    ------
    AclError
        161001 for a shape of None; 161002 for an unknown format, for another number of strides
        than of sizes, and for an address that is not in living memory.
    ArgumentTypeError
        For a value that is no memory, shape or type at all.

    Attributes
    ----------
    memory : Memory or None
        As given, or what the address lies in.
    start : int
        The byte of the memory where offsets count from; 0 unless an address was given.
    shape, strides, storage_shape : tuple of int
        As given, or their defaults.
    offset : int
        As given.
    dtype : dtype
        NumPy's element type; raw bytes (``void``) for the vendor's types that NumPy lacks.
    data_type : DataType
        The element type as the vendor calls it.
    format : Format
        As given.

    Examples
    --------
    >>> import numpy as np
    >>> import ascendref as ar
    >>> dev = ar.Device("Atlas A2")
    >>> rows = dev.tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    >>> ar.Tensor(rows.memory, (3, 2), "float32", strides=(1, 3)).numpy().tolist()
    [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]
    """

    __slots__ = (
        "data_type",
        "dtype",
        "format",
        "memory",
        "offset",
        "shape",
        "start",
        "storage_shape",
        "strides",
    )

    def __init__(
        self,
        memory: Memory | int | None,
        shape: Iterable[int],
        dtype: DTypeLike | int,
        strides: Iterable[int] | None = None,
        offset: int = 0,
        format: str | int = "ND",
        storage_shape: Iterable[int] | None = None,
    ) -> None:
        self.memory, self.start = _storage(memory)
        self.shape = _integers("shape", shape)
        self.data_type = DataType.of(dtype)
        self.dtype = self.data_type.numpy
        if strides is None:
            self.strides = contiguous_strides(self.shape)
        else:
            self.strides = _integers("strides", strides)
        if len(self.strides) != len(self.shape):
            fail_argument(
                Status.ACLNN_ERR_PARAM_INVALID,
                "strides",
                f"has {len(self.strides)} entries; shape has {len(self.shape)}",
            )
        self.offset = integer("offset", offset)
        self.format = Format.of(format)
        self.storage_shape = (
            self.shape if storage_shape is None else _integers("storage_shape", storage_shape)
        )

    @classmethod
    def of_c(
        cls,
        memory: Memory | None,
        start: int,
        shape: tuple[int, ...],
        data_type: DataType,
        strides: tuple[int, ...] | None,
        offset: int,
        format: Format,
        storage_shape: tuple[int, ...],
    ) -> Tensor:
        """Return a tensor of values that have the right types already, in a fifth of the time."""
        self = cls.__new__(cls)
        self.memory = memory
        self.start = start
        self.shape = shape
        self.data_type = data_type
        self.dtype = data_type.numpy
        self.strides = contiguous_strides(shape) if strides is None else strides
        self.offset = offset
        self.format = format
        self.storage_shape = storage_shape
        return self

    @property
    def device(self) -> BaseDevice | None:
        """The device that its memory is on."""
        return None if self.memory is None else self.memory.device

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def first_byte(self) -> int:
        """Where the element with the indices 0 lies, counted from the memory's beginning."""
        return self.start + self.offset * self.dtype.itemsize

    def __repr__(self) -> str:
        where = "without memory" if self.memory is None else f"in {self.memory!r}"
        return f"<tensor {shown(self.shape)} of {self.data_type.name} {where}>"

    def check(self, name: str = "tensor") -> tuple[int, int]:
        """Check that the view is possible; no byte of the memory is touched.

        Parameters
        ----------
        name : str, optional
            Its name in messages.

        Returns
        -------
        first, after_last : int
            Where its first byte is in the memory, and the one after its last.

        Raises
        ------
        AclError
            161002 if it is not: sizes below zero, elements outside the memory, memory that is
            missing or was freed, or a type without a size.

        Examples
        --------
        >>> import numpy as np
        >>> import ascendref as ar
        >>> dev = ar.Device("Atlas A2")
        >>> ar.Tensor(dev.malloc(8), (3,), np.float32).check("self")
        Traceback (most recent call last):
        ...
        ascendref.core.errors.AclError: ACLNN_ERR_PARAM_INVALID (161002): self ...
        """
        memory = self.memory
        if memory is not None:
            memory.device.check_process()
        if min(self.shape, default=0) < 0:
            self._refuse(name, f"has shape {shown(self.shape)}; sizes must be at least 0")
        itemsize = self.dtype.itemsize
        if itemsize == 0:
            self._refuse(name, f"has type {self.data_type.name}, whose elements have no size")
        size = self.size
        if memory is not None and not memory.alive:
            checker = memory.device.checker
            problem = f"lies in {memory!r}; free memory only after its last use"
            if checker is not None:
                checker.find_freed(
                    Status.ACLNN_ERR_PARAM_INVALID,
                    "use-after-free",
                    f"{name} {problem}",
                    memory.shadow,
                )
            self._refuse(name, problem)
        if memory is None:
            if size:
                self._refuse(name, "has no memory; give it some with Device.malloc or Device.empty")
            return 0, 0
        low, high = self.extent()
        if low < 0 or high - low > memory.room(low):
            self._refuse(
                name,
                f"with shape {shown(self.shape)}, strides {shown(self.strides)} and offset"
                f" {shown(self.offset)} covers the bytes {shown(low)} to {shown(high - 1)}; its"
                f" memory has {memory.nbytes} bytes",
            )
        if size and self.start % itemsize:
            self._refuse(
                name,
                f"lies at {memory.address + self.start:#x}; elements of {self.data_type.name} need"
                f" an address that is a multiple of {itemsize}",
            )
        if size * itemsize > _MOST_BYTES or len(self.shape) > _MOST_AXES:
            self._refuse(name, f"has shape {shown(self.shape)}, which cannot be addressed")
        return low, high

    def view(self, name: str = "tensor") -> NDArray[Any]:
        """Return an array that shares the device's memory, for work that runs on the device.

        What is done with the array is not checked, and its bytes count as written.

        Parameters
        ----------
        name : str, optional
            Its name in messages.

        Raises
        ------
        AclError
            As `check`.

        Examples
        --------
        >>> import ascendref as ar
        >>> ar.Device("Atlas A2").empty(2, "float32").view()
        array([nan, nan], dtype=float32)
        """
        low, high = self.check(name)
        if self.memory is not None and self.size:
            self.memory.shadow.mark_written(Span(low, high - low, name))
        return self._array(low, high)

    def _array(self, low: int, high: int) -> NDArray[Any]:
        """Return an array that shares the device's memory."""
        if self.memory is None or self.size == 0:
            return np.empty(self.shape, self.dtype)
        content = self.memory.content(low, high - low)
        return np.ndarray(self.shape, self.dtype, content, self.first_byte, self.byte_strides())

    def byte_strides(self) -> tuple[int, ...]:
        """Return the strides in bytes, 0 along axes of fewer than two elements."""
        return _geometry(self.shape, self.strides, self.first_byte, self.dtype.itemsize)[2]

    def numpy(self) -> NDArray[Any]:
        """Copy the elements to the host.

        Like every plain copy, it does not wait: synchronize with the work that writes the tensor
        first, or the bytes are those from before.

        Returns
        -------
        ndarray
            A new array in C order.

        Raises
        ------
        AclError
            161002 as for `view`.

        Examples
        --------
        >>> import numpy as np
        >>> import ascendref as ar
        >>> ar.Device("Atlas A2").tensor(np.float32([1, 2])).numpy()
        array([1., 2.], dtype=float32)
        """
        low, high = self.check()
        memory = self.memory
        if memory is not None and self.size:
            checker = memory.device.checker
            if checker is not None:
                read = self._access(memory, low, high)
                checker.access("Tensor.numpy", (read,), (), uses=True)
        return self._array(low, high).copy(order="C")

    def _access(self, memory: Memory, low: int, high: int) -> Access:
        """Return the access to its elements, which lie in some bytes, as the checker sees it."""
        gaps = gaps_of(self.shape, self.byte_strides(), self.dtype.itemsize)
        return memory.shadow, Span(low, high - low, "tensor", gaps)

    def extent(self) -> tuple[int, int]:
        """Return the first byte and the one after the last, from the memory's beginning.

        Bytes in between count, whether an element lies there or not.
        """
        return _geometry(self.shape, self.strides, self.first_byte, self.dtype.itemsize)[:2]

    def _refuse(self, name: str, problem: str) -> NoReturn:
        fail(Status.ACLNN_ERR_PARAM_INVALID, f"{name} {problem}")


@lru_cache(maxsize=4096)
def _geometry(
    shape: tuple[int, ...], strides: tuple[int, ...], first: int, itemsize: int
) -> tuple[int, int, tuple[int, ...]]:
    """Return the first byte, the one after the last (as `Tensor.extent`), and the byte strides."""
    steps = tuple(
        [stride * itemsize if size > 1 else 0 for size, stride in zip(shape, strides, strict=True)]
    )
    if 0 in shape:
        return 0, 0, steps
    low = high = first
    for size, step in zip(shape, steps, strict=True):
        reach = (size - 1) * step
        if reach < 0:
            low += reach
        else:
            high += reach
    return low, high + itemsize, steps


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of C order, in elements."""
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def _storage(memory: object) -> tuple[Memory | None, int]:
    """Return the allocation that an argument names, and the byte of it where the storage begins."""
    if memory is None or isinstance(memory, Memory):
        return memory, 0
    if not is_integer(memory):
        raise ArgumentTypeError(
            "memory",
            f"is a {type(memory).__name__}; a Memory or an address is expected (Device.malloc"
            " makes one, Device.tensor copies an array)",
        )
    found = find_memory(int(memory))
    if found is None:
        fail_argument(
            Status.ACLNN_ERR_PARAM_INVALID,
            "memory",
            f"is the address {memory:#x}, which is not in living memory of any device",
        )
    return found, int(memory) - found.address


def _integers(argument: str, values: Iterable[int] | None) -> tuple[int, ...]:
    if values is None:
        fail(Status.ACLNN_ERR_PARAM_NULLPTR, f"{argument} is None; whole numbers are expected")
    try:
        return tuple([index(value) for value in values])
    except Exception:  # whatever another library's __iter__ and __index__ raise
        raise ArgumentTypeError(
            argument, f"is {shown(values)}; a sequence of whole numbers is expected"
        ) from None
