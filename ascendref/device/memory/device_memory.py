"""The part of a device that allocates, copies and fills memory and creates tensors."""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import DTypeLike

from ...core.arrays import import_array
from ...core.errors import fail, fail_argument, shown
from ...core.status import Status
from ..base_device import BaseDevice
from ..checker.hazards import HazardError
from ..scheduling.task import BaseStream, Unwritten, refuse_in_task
from .address_space import AddressSpace, Memory
from .copies import Copy, prepare_copy, prepare_fill, resolve, watch_pinned
from .tensor import Tensor


class DeviceMemory(BaseDevice):
    """The base of `Device` that has memory."""

    address_space: AddressSpace

    @property
    def memory_total(self) -> int:
        """Capacity in bytes."""
        return self.address_space.capacity

    @property
    def memory_free(self) -> int:
        """Free bytes; an allocation takes its size plus padding."""
        return self.address_space.free_bytes

    def malloc(self, nbytes: int) -> Memory:
        """Allocate device memory.

        Parameters
        ----------
        nbytes : int
            Size in bytes.

        Returns
        -------
        Memory
            Uninitialized: every byte is ``0xFF``. It is freed with the last reference to it, if not
            before.

        Raises
        ------
        AclError
            100000 for a size below 1 or near 2**64, 207001 if there is not enough memory.

        Examples
        --------
        >>> dev = ar.Device("Atlas A2", memory=1024)
        >>> memory = dev.malloc(100)
        >>> dev.memory_total - dev.memory_free
        160
        """
        self.check_process()
        return self.address_space.allocate(nbytes)

    def malloc_host(self, nbytes: int) -> Memory:
        """Allocate pinned host memory; `Memory.numpy` returns it as an array.

        Unlike device memory, all of it is taken from the host at once.

        Parameters
        ----------
        nbytes : int
            Size in bytes.

        Raises
        ------
        AclError
            100000 for a size below 1, 207001 if the host does not have enough memory.

        Examples
        --------
        >>> ar.Device("Atlas A2").malloc_host(4).numpy()
        array([255, 255, 255, 255], dtype=uint8)
        """
        self.check_process()
        return self.address_space.allocate_pinned(nbytes)

    def free(self, memory: Memory | int) -> None:
        """Free memory without waiting for work that uses it.

        Parameters
        ----------
        memory : Memory or int
            The memory that `malloc` or `malloc_host` returned, or its address.

        Raises
        ------
        AclError
            100000 for None; 107000 if it has already been freed, belongs to another device, or is
            not the start of an allocation.

        Examples
        --------
        >>> dev = ar.Device("Atlas A2")
        >>> dev.free(dev.malloc(100))
        >>> dev.memory_free == dev.memory_total
        True
        """
        self.check_process()
        found = resolve(self.address_space, "memory", memory, "lifetime")
        if not isinstance(memory, Memory) and found.address != memory:
            fail(
                Status.ACL_ERROR_RT_PARAM_INVALID,
                f"memory is the address {memory:#x} inside {found!r}; only the start of an"
                " allocation can be freed",
            )
        self.address_space.free(found)

    def memcpy(self, dst: object, src: object, nbytes: int | None = None) -> None:
        """Copy bytes now, without waiting for any stream.

        Parameters
        ----------
        dst, src : Memory, int or array
            Device memory, an address inside it, or a C-contiguous host array. Overlapping ranges
            are copied as if through a buffer.
        nbytes : int, optional
            Number of bytes; None for the whole array if one side is an array, else all of ``src``.
            With 0, no other argument is checked.

        Raises
        ------
        AclError
            100000 for None; 107000 for memory that does not exist, more bytes than either side has,
            an array that is not C-contiguous, or a read-only ``dst``. Nothing is written then.
        ArgumentTypeError
            If an argument is not memory, an address or an array of numbers.

        Examples
        --------
        >>> dev = ar.Device("Atlas A2")
        >>> memory = dev.malloc(8)
        >>> dev.memcpy(memory, np.arange(8, dtype=np.uint8))
        >>> tail = np.empty(4, np.uint8)
        >>> dev.memcpy(tail, memory.address + 4)
        >>> tail
        array([4, 5, 6, 7], dtype=uint8)
        """
        self.check_process()
        self.run_copy(prepare_copy(self.address_space, dst, src, nbytes), "Device.memcpy")

    def memset(self, memory: object, value: int, nbytes: int | None = None) -> None:
        """Fill bytes now, without waiting for any stream.

        Parameters
        ----------
        memory : Memory, int or array
            As for `memcpy`.
        value : int
            The low 8 bits are written to every byte.
        nbytes : int, optional
            Number of bytes; None for all.

        Raises
        ------
        AclError
            As for `memcpy`.

        Examples
        --------
        >>> tensor = ar.Device("Atlas A2").empty(2, "int16")
        >>> tensor.memory.device.memset(tensor.memory, 1)
        >>> tensor.numpy()
        array([257, 257], dtype=int16)
        """
        self.check_process()
        self.run_copy(prepare_fill(self.address_space, memory, value, nbytes), "Device.memset")

    def memcpy_async(
        self,
        dst: object,
        src: object,
        nbytes: int | None = None,
        *,
        stream: BaseStream | None = None,
    ) -> None:
        """Queue a copy on a stream.

        Parameters
        ----------
        dst, src, nbytes
            As for `memcpy`. If an array is not in pinned memory, the call waits until the copy is
            done.
        stream : Stream, optional
            None for the default stream.

        Raises
        ------
        AclError
            As for `memcpy`; 107003 for a stream of another device, 107017 for a destroyed stream.

        Examples
        --------
        >>> dev = ar.Device("Atlas A2")
        >>> a, b = dev.malloc(8), dev.malloc(8)
        >>> dev.memcpy_async(a, b)
        >>> dev.synchronize()
        """
        self.check_process()
        copy = prepare_copy(self.address_space, dst, src, nbytes)
        self.queue_copy(copy, "memcpy_async", stream)

    def memset_async(
        self,
        memory: object,
        value: int,
        nbytes: int | None = None,
        *,
        stream: BaseStream | None = None,
    ) -> None:
        """Queue a fill on a stream.

        Parameters
        ----------
        memory, value, nbytes
            As for `memset`.
        stream : Stream, optional
            None for the default stream.

        Raises
        ------
        AclError
            As for `memcpy_async`.

        Examples
        --------
        >>> dev = ar.Device("Atlas A2")
        >>> dev.memset_async(dev.malloc(8), 0)
        >>> dev.synchronize()
        """
        self.check_process()
        fill = prepare_fill(self.address_space, memory, value, nbytes)
        self.queue_copy(fill, "memset_async", stream)

    def tensor(self, array: object) -> Tensor:
        """Copy an array to new device memory and return a tensor for it.

        Parameters
        ----------
        array : array
            A NumPy array, a torch CPU tensor or another array that NumPy can share, in any memory
            layout.

        Returns
        -------
        Tensor
            A contiguous tensor. An empty tensor has one byte of memory.

        Raises
        ------
        ArgumentTypeError
            If it is not an array or the device does not support its dtype.
        AclError
            207001 if there is not enough memory.

        Examples
        --------
        >>> ar.Device("Atlas A2").tensor(np.zeros((2, 3), np.float16)).shape
        (2, 3)
        """
        self.check_process()
        host = import_array("array", array).array
        tensor = self.empty(host.shape, host.dtype)
        if host.size:
            # a tensor is in C order, whatever the order of the array
            self.memcpy(tensor.memory, host if host.flags.c_contiguous else host.copy(order="C"))
        return tensor

    def empty(self, shape: int | Iterable[int], dtype: DTypeLike | int) -> Tensor:
        """Allocate device memory and return a contiguous tensor for it.

        Parameters
        ----------
        shape : int or tuple of int
            Sizes of the axes.
        dtype : dtype, str or int
            A NumPy or ml_dtypes type, or a name or number of ``aclDataType``.

        Returns
        -------
        Tensor
            An uninitialized tensor: every byte is ``0xFF``. An empty tensor has one byte of memory.

        Raises
        ------
        ArgumentTypeError
            If ``shape`` is not a shape or ``dtype`` is not a type.
        AclError
            100000 for negative sizes, 207001 if there is not enough memory.

        Examples
        --------
        >>> ar.Device("Atlas A2", check=False).empty(2, "float32").numpy()
        array([nan, nan], dtype=float32)
        """
        self.check_process()
        described = Tensor(None, (shape,) if isinstance(shape, int | np.integer) else shape, dtype)
        if any(size < 0 for size in described.shape):
            problem = f"is {shown(described.shape)}; sizes must be ≥ 0"
            fail_argument(Status.ACL_ERROR_INVALID_PARAM, "shape", problem)
        memory = self.malloc(max(1, -(-described.size * described.data_type.bits // 8)))
        return Tensor(memory, described.shape, described.data_type)

    def find_leaks(self) -> list[HazardError]:
        """Report memory that was allocated and not freed, for programs that free memory themselves.

        Memory is freed with the last reference to it, so Python programs do not leak. A layer that
        hands out addresses, and so keeps references to all memory, calls this when it ends.

        Returns
        -------
        list of HazardError
            One hazard per remaining allocation, with the place where it was allocated. They are
            added to `hazards`; none is raised. Empty without a checker.

        Examples
        --------
        >>> dev = ar.Device("Atlas A2")
        >>> memory = dev.malloc(8)
        >>> [leak.kind for leak in dev.find_leaks()]
        ['leak']
        """
        self.check_process()
        if self.checker is None:
            return []
        return [self.checker.reports.leak(memory.shadow) for memory in self.address_space.living()]

    def run_copy(self, copy: Copy | None, call: str) -> None:
        if copy is None:
            return
        self.scheduler.captures.check_immediate()
        if self.checker is not None:
            self.checker.access(call, copy.reads, copy.writes, uses=copy.to_host)
        copy.run()

    def queue_copy(self, copy: Copy | None, label: str, stream: BaseStream | None) -> None:
        if copy is None:
            return
        capture = self.scheduler.captures.of(self.own_stream(stream))
        if copy.pageable:
            refuse_in_task(self.checker)
            self.scheduler.captures.check_immediate()
            if capture is not None:
                capture.refuse(capture.origin)
        pinned = []
        if self.checker is not None and capture is None:
            pinned = watch_pinned(copy, self.checker)
        run: Callable[[], None] = copy.run
        for side in pinned:
            run = side.watched(run)
        unwritten = Unwritten.REFUSED if copy.to_host else Unwritten.COPIED
        task = self.launch(stream, run, copy.reads, copy.writes, label, unwritten=unwritten)
        if self.checker is not None and task.operation is not None:
            for side in pinned:
                self.checker.watch_pinned(side, task.operation)
        if copy.pageable:
            self.scheduler.wait((task,), None)
            if task.status is Status.ACL_ERROR_RT_STREAM_ABORT:
                fail(task.status, f"{task.stream!r} was aborted before the copy ran")
            if self.checker is not None and task.operation is not None:
                self.checker.reach(task.operation.knowledge)
