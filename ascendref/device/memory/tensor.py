"""Tensors: views of device memory, with the checks and strides that operators need."""

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
from ..checker.shadow import Span, gaps_of
from ..handle import Handle
from .address_space import Memory, find_memory

#: most bytes and axes of a NumPy array
_MOST_BYTES: Final = 2**63 - 1
_MOST_AXES: Final = 64


class Format(IntEnum):
    """The vendor's ``aclFormat``: memory format of a tensor.

    Operators treat every format as ND. A few that PyTorch computes know others: weights of matrix
    products in FRACTAL_NZ, and pictures to be resized in NHWC.
    """

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
        """Return the format for a number, or for a name with or without ``ACL_FORMAT_``."""
        try:
            if isinstance(value, str):
                return cls[value.removeprefix("ACL_").removeprefix("FORMAT_")]
            return cls(value)  # type: ignore[arg-type]  # the check itself
        except Exception:  # raised by another library's __eq__
            allowed = ", ".join(cls.__members__)
        fail_argument(
            Status.ACLNN_ERR_PARAM_INVALID, "format", f"is {shown(value)}; allowed are {allowed}"
        )


class Tensor(Handle):
    """A view of device memory.

    As with ``aclCreateTensor``, creating one checks almost nothing; the operator that uses an
    invalid view refuses it.

    Parameters
    ----------
    memory : Memory, int or None
        The allocation that holds it, or an address inside an allocation of any device. Offsets
        count from the start of the allocation or from that address.
    shape : tuple of int
        Sizes of the axes; ``()`` for a single element.
    dtype : dtype, str or int
        A NumPy or ml_dtypes type, or a name or number of ``aclDataType``.
    strides : tuple of int, optional
        Distance between neighbours along each axis, in elements; None for C order.
    offset : int, optional
        Offset of the first element, in elements.
    format : str or int, optional
        A name or number of ``aclFormat``.
    storage_shape : tuple of int, optional
        Shape of the storage, of any rank; None for ``shape``. It is stored but not used: that of
        a format follows from the shape.

    Raises
    ------
    AclError
        161001 if the shape is None; 161002 for an unknown format, strides of another length than
        the shape, or an address that is not in living memory.
    ArgumentTypeError
        If an argument is not memory, a shape or a type.

    Attributes
    ----------
    memory : Memory or None
        The memory, given directly or by address.
    start : int
        The byte of the memory from which offsets count; 0 unless an address was given.
    shape, strides, storage_shape : tuple of int
        As given, or the defaults.
    offset : int
        As given.
    dtype : dtype
        The NumPy element type; raw bytes (``void``) for the vendor's types that NumPy does not
        have.
    data_type : DataType
        The element type in the vendor's API.
    format : Format
        As given.

    Examples
    --------
    >>> dev = ar.Device("Atlas A2")
    >>> rows = dev.tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    >>> ar.Tensor(rows.memory, (3, 2), "float32", strides=(1, 3)).numpy().tolist()
    [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]
    """

    __slots__ = (
        "data_type", "dtype", "format", "memory", "offset", "shape", "start", "storage_shape",
        "strides",
    )  # fmt: skip

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
        place, sizes, data_type = _storage(memory), _integers("shape", shape), DataType.of(dtype)
        steps = None if strides is None else _integers("strides", strides)
        if steps is not None and len(steps) != len(sizes):
            problem = f"has {len(steps)} entries; shape has {len(sizes)}"
            fail_argument(Status.ACLNN_ERR_PARAM_INVALID, "strides", problem)
        offset, form = integer("offset", offset), Format.of(format)
        storage = sizes if storage_shape is None else _integers("storage_shape", storage_shape)
        self._set(*place, sizes, data_type, steps, offset, form, storage)

    @classmethod
    def of_c(cls, *values: Any) -> Tensor:
        """Return a tensor from values that already have the right types; five times faster."""
        self = cls.__new__(cls)
        self._set(*values)
        return self

    def _set(
        self,
        memory: Memory | None,
        start: int,
        shape: tuple[int, ...],
        data_type: DataType,
        strides: tuple[int, ...] | None,
        offset: int,
        format: Format,
        storage_shape: tuple[int, ...],
    ) -> None:
        self.memory = memory
        self.start = start
        self.shape = shape
        self.data_type = data_type
        self.dtype = data_type.numpy
        self.strides = contiguous_strides(shape) if strides is None else strides
        self.offset = offset
        self.format = format
        self.storage_shape = storage_shape

    @property
    def device(self) -> BaseDevice | None:
        """The device of its memory."""
        return None if self.memory is None else self.memory.device

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def first_byte(self) -> int:
        """The byte of the memory in which the element with indices 0 begins."""
        return self.start + (self.offset and self.offset * self.data_type.bits // 8)

    def __repr__(self) -> str:
        where = "without memory" if self.memory is None else f"in {self.memory!r}"
        return f"<tensor {shown(self.shape)} of {self.data_type.name} {where}>"

    def check(self, name: str = "tensor") -> tuple[int, int]:
        """Check that the view is valid, without accessing its memory.

        Parameters
        ----------
        name : str, optional
            Its name in messages.

        Returns
        -------
        first, after_last : int
            The first byte and the one after the last, as offsets in the memory.

        Raises
        ------
        AclError
            161002 if it is not: negative sizes, elements outside the memory, no memory or freed
            memory, or a type without a size.

        Examples
        --------
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
            self._refuse(name, f"has shape {shown(self.shape)}; sizes must be ≥ 0")
        bits = self.data_type.bits
        itemsize = max(1, bits // 8)
        if bits == 0:
            self._refuse(name, f"has type {self.data_type.name}, whose elements have no size")
        size = self.size
        if memory is not None and not memory.alive:
            checker = memory.device.checker
            problem = f"lies in {memory!r}; free memory only after its last use"
            if checker is not None:
                status = Status.ACLNN_ERR_PARAM_INVALID
                checker.find_freed(status, "use-after-free", f"{name} {problem}", memory.shadow)
            self._refuse(name, problem)
        if memory is None:
            if size:
                self._refuse(name, "has no memory; allocate it with Device.malloc or Device.empty")
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
            self._refuse(name, f"has shape {shown(self.shape)}, which is too large to address")
        return low, high

    def view(self, name: str = "tensor") -> NDArray[Any]:
        """Return an array that shares the device memory, for work that runs on the device.

        Accesses to the array are not checked, and its bytes count as written.

        Parameters
        ----------
        name : str, optional
            Its name in messages.

        Raises
        ------
        AclError
            As for `check`.

        Examples
        --------
        >>> ar.Device("Atlas A2").empty(2, "float32").view()
        array([nan, nan], dtype=float32)
        """
        low, high = self._check_elements(name)
        if self.memory is not None and self.size:
            self.memory.shadow.mark_written(Span(low, high - low, name))
        return self._array(low, high)

    def _check_elements(self, name: str) -> tuple[int, int]:
        """Return what `check` returns for elements that an array can have."""
        if self.data_type.bits % 8:
            self._refuse(
                name,
                f"has type {self.data_type.name}, of which several share a byte; read the bytes"
                " through a tensor of UINT8",
            )
        return self.check(name)

    def _array(self, low: int, high: int) -> NDArray[Any]:
        """Return an array that shares the device memory."""
        if self.memory is None or self.size == 0:
            return np.empty(self.shape, self.dtype)
        content = self.memory.content(low, high - low)
        return np.ndarray(self.shape, self.dtype, content, self.first_byte, self.byte_strides())

    def byte_strides(self) -> tuple[int, ...]:
        """Return the strides in bytes; 0 along axes with fewer than two elements."""
        return _geometry(self.shape, self.strides, self.data_type.bits)[2]

    def numpy(self) -> NDArray[Any]:
        """Copy the elements to the host.

        Like every synchronous copy, it does not wait for streams: synchronize first with the work
        that writes the tensor, or the old bytes are copied.

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
        >>> ar.Device("Atlas A2").tensor(np.float32([1, 2])).numpy()
        array([1., 2.], dtype=float32)
        """
        low, high = self._check_elements("tensor")
        memory = self.memory
        if memory is not None and self.size:
            checker = memory.device.checker
            if checker is not None:
                gaps = gaps_of(self.shape, self.byte_strides(), self.dtype.itemsize)
                read = memory.shadow, Span(low, high - low, "tensor", gaps)
                checker.access("Tensor.numpy", (read,), (), uses=True)
        return self._array(low, high).copy(order="C")

    def extent(self) -> tuple[int, int]:
        """Return the first byte and the one after the last, as offsets in the memory.

        Gaps between elements are included.
        """
        bits = self.data_type.bits
        low, high, _ = _geometry(self.shape, self.strides, bits, self.offset * bits % 8)
        first = self.first_byte if low < high else 0
        return first + low, first + high

    def _refuse(self, name: str, problem: str) -> NoReturn:
        fail(Status.ACLNN_ERR_PARAM_INVALID, f"{name} {problem}")


@lru_cache(maxsize=4096)
def _geometry(
    shape: tuple[int, ...], strides: tuple[int, ...], bits: int, phase: int = 0
) -> tuple[int, int, tuple[int, ...]]:
    """Return the first byte and the one after the last, and the byte strides.

    Bytes are counted from the one in which the element with indices 0 begins, at the bit ``phase``.
    """
    steps = tuple(
        [stride * bits if size > 1 else 0 for size, stride in zip(shape, strides, strict=True)]
    )
    in_bytes = tuple([step // 8 for step in steps])
    if 0 in shape:
        return 0, 0, in_bytes
    low = high = phase
    for size, step in zip(shape, steps, strict=True):
        reach = (size - 1) * step
        if reach < 0:
            low += reach
        else:
            high += reach
    return low // 8, -(-(high + bits) // 8), in_bytes


def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of C order, in elements."""
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def _storage(memory: object) -> tuple[Memory | None, int]:
    """Return the allocation that an argument names, and its byte at which the storage begins."""
    if memory is None or isinstance(memory, Memory):
        return memory, 0
    if not is_integer(memory):
        raise ArgumentTypeError(
            "memory",
            f"is a {type(memory).__name__}; a Memory or an address is expected (Device.malloc"
            " allocates one, Device.tensor copies an array)",
        )
    found = find_memory(int(memory))
    if found is None:
        problem = f"is the address {memory:#x}, which is not in living memory of any device"
        fail_argument(Status.ACLNN_ERR_PARAM_INVALID, "memory", problem)
    return found, int(memory) - found.address


def _integers(argument: str, values: Iterable[int] | None) -> tuple[int, ...]:
    if values is None:
        problem = f"{argument} is None; a sequence of integers is expected"
        fail(Status.ACLNN_ERR_PARAM_NULLPTR, problem)
    try:
        return tuple([index(value) for value in values])
    except Exception:  # raised by another library's __iter__ or __index__
        raise ArgumentTypeError(
            argument, f"is {shown(values)}; a sequence of integers is expected"
        ) from None
