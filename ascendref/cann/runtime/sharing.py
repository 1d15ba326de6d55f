"""Functions of the C library: device memory shared by processes of one machine.

The bytes of an exported allocation move to a file in the machine's shared memory; the file name is
the key. The first page describes them and lists the processes that may import them.
"""

import atexit
import ctypes
import mmap
import os
import secrets
from pathlib import Path
from typing import Final, NamedTuple

from ...core.errors import fail
from ...core.status import Status
from ...device.memory.address_space import Memory, find_memory
from ...device.memory.storage import Storage
from .arguments import check_flag, check_given, invalid, rt_invalid, write_text
from .process import process

#: where the machine's shared memory is
_FOLDER: Final = Path("/dev/shm")
_PREFIX: Final = "ascendref-ipc-"
#: bytes of a key, including the NUL
_KEY: Final = 65
_PEER: Final = 1
#: most processes that may import an allocation
_MOST: Final = 1000


class _Header(ctypes.Structure):
    """The first page."""

    _fields_ = (
        ("nbytes", ctypes.c_uint64),
        ("offset", ctypes.c_uint64),
        ("anybody", ctypes.c_uint64),
        ("count", ctypes.c_uint32),
        ("processes", ctypes.c_int32 * _MOST),
    )


class _Export(NamedTuple):
    memory: Memory
    header: _Header


#: what this process exports and imports, by key; one entry per import
_exports: Final[dict[str, _Export]] = {}
_imports: Final[dict[str, list[Memory]]] = {}
os.register_at_fork(after_in_child=_exports.clear)


def aclrtIpcMemGetExportKey(address: int, size: int, key: int, length: int, flags: int) -> None:
    """Share an allocation with other processes, and write its key."""
    check_given(devPtr=address, key=key)
    if length < _KEY:
        invalid(f"len is {length}; {_KEY} bytes are expected")
    check_flag(flags)
    process.current()
    memory = find_memory(address)
    if memory is None or memory.pinned or memory.address not in process.memories:
        rt_invalid(f"devPtr is {address:#x}, which is not in memory that aclrtMalloc allocated")
    offset = address - memory.address
    if not 0 < size <= memory.nbytes - offset:
        rt_invalid(
            f"size is {size}, but {memory!r} has {memory.nbytes - offset} bytes from devPtr on"
        )
    if any(export.memory is memory for export in _exports.values()):
        rt_invalid(f"devPtr is {address:#x}, whose allocation already has a key")
    memory.device.synchronize()  # the bytes move
    name = f"{_PREFIX}{os.getpid()}-{secrets.token_hex(8)}"
    mapped = _create(name, mmap.PAGESIZE + memory.nbytes)
    header = _Header.from_buffer(mapped.header)
    header.nbytes, header.offset, header.anybody = size, offset, flags
    memory.share(Storage(memory.nbytes, shared=mapped.content))
    _exports[name] = _Export(memory, header)
    write_text("key", key, name)


class _Mapped(NamedTuple):
    header: mmap.mmap
    content: mmap.mmap


def _map(descriptor: int, nbytes: int) -> _Mapped:
    return _Mapped(
        mmap.mmap(descriptor, mmap.PAGESIZE),
        mmap.mmap(descriptor, nbytes - mmap.PAGESIZE, offset=mmap.PAGESIZE),
    )


def _create(name: str, nbytes: int) -> _Mapped:
    try:
        descriptor = os.open(_FOLDER / name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.posix_fallocate(descriptor, 0, nbytes)  # a full folder would raise SIGBUS later
            return _map(descriptor, nbytes)
        except BaseException:
            (_FOLDER / name).unlink()
            raise
        finally:
            os.close(descriptor)
    except OSError as error:
        problem = f"Failed to allocate {nbytes} bytes of the machine's shared memory: {error}"
        fail(Status.ACL_ERROR_RT_MEMORY_ALLOCATION, problem, error)


def _text(key: bytes | None) -> str:
    if not key:
        invalid("key is NULL or empty")
    return key.decode(errors="replace")


def _exported(name: str) -> _Export:
    export = _exports.get(name)
    if export is None:
        rt_invalid(f"key is {name!r}, which this process does not export")
    return export


def aclrtIpcMemSetImportPid(key: bytes | None, address: int, count: int) -> None:
    header = _exported(_text(key)).header
    check_given(pid=address)
    if not 0 < count <= _MOST - header.count:
        rt_invalid(f"num is {count}; from 1 to {_MOST - header.count} more processes are allowed")
    numbers = (ctypes.c_int32 * count).from_address(address)
    header.processes[header.count : header.count + count] = list(numbers)
    header.count += count


def aclrtIpcMemImportByKey(key: bytes | None, flags: int) -> int:
    """Return an address in this process for memory that this or another process exports."""
    name = _text(key)
    check_flag(flags)
    space = process.current().device.address_space
    own = _exports.get(name)
    if own is not None and own.memory.alive:
        memory, header = own
        if flags == _PEER and memory.space is not space:
            space.peers.add(memory.space.number)
    else:
        mapped = _open(name)
        header = _Header.from_buffer(mapped.header)
        if not header.anybody and os.getpid() not in header.processes[: header.count]:
            fail(
                Status.ACL_ERROR_RT_NO_PERMISSION,
                f"key is {name!r}, which process {os.getpid()} must not import; the exporting"
                " process allows it with aclrtIpcMemSetImportPid",
            )
        memory = space.allocate(
            len(mapped.content), Storage(len(mapped.content), shared=mapped.content)
        )
    _imports.setdefault(name, []).append(memory)
    return int(memory.address + header.offset)


def _open(name: str) -> _Mapped:
    try:
        if not name.startswith(_PREFIX) or "/" in name:
            raise FileNotFoundError
        descriptor = os.open(_FOLDER / name, os.O_RDWR)
        try:
            return _map(descriptor, os.fstat(descriptor).st_size)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        rt_invalid(
            f"key is {name!r}, which no process exports any more, or to which this process"
            " has no access",
            error,
        )


def aclrtIpcMemClose(key: bytes | None) -> None:
    """Undo an import, or else the export; other importers keep the memory."""
    name = _text(key)
    imported = _imports.get(name)
    if imported:
        memory = imported.pop()
        if name not in _exports and memory.address not in process.memories:
            memory.space.free(memory)
        return
    _exported(name)
    (_FOLDER / name).unlink(missing_ok=True)
    del _exports[name]


@atexit.register
def _unlink_all() -> None:
    """Leave no files; the process may still close its keys, as torch_npu does when it ends."""
    for name in list(_exports):
        (_FOLDER / name).unlink(missing_ok=True)
