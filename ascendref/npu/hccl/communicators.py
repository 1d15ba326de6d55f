"""Communicators of HCCL: groups of processes, each a process group of Gloo."""

import itertools
import os
import re
import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Final, NoReturn

import torch
from torch.distributed import ProcessGroupGloo, TCPStore

from ...cann.runtime.process import process
from ...core.errors import AclError, ArgumentValueError
from ...core.status import Status
from ...device.checker.checker import Access
from ...device.scheduling.task import Kind
from .elements import refuse

#: communicators connect the processes of one machine
_HOST: Final = "127.0.0.1"
#: longest timeout, for 0, which means none: about 68 years
_LONGEST: Final = 2**31 - 1


def _timeout(name: str, default: int) -> timedelta:
    """Return the limit of time that a variable of the environment sets."""
    text = os.environ.get(name) or str(default)
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else -1
    if not 0 <= number <= _LONGEST:
        allowed = f"it must be a number of seconds from 0 (no limit) to {_LONGEST}"
        raise ArgumentValueError(name, f"is {text!r}; {allowed}")
    return timedelta(seconds=number or _LONGEST)


def mismatch(problem: str) -> NoReturn:
    """Raise the failure of a task whose ranks do not fit together."""
    raise AclError(Status.ACL_ERROR_RT_PARAM_INVALID, problem)


class Communicator:
    """One rank of a group of processes; its calls run one after another."""

    def __init__(self, name: str, size: int, rank: int) -> None:
        self.name = name
        self.size = size
        self.rank = rank
        self._lock = threading.Lock()
        host, _, port = name.partition(":")
        timeout = _timeout("HCCL_CONNECT_TIMEOUT", 120)
        store = TCPStore(host, int(port), is_master=False, timeout=timeout)
        options = ProcessGroupGloo._Options()
        options._devices = [ProcessGroupGloo.create_device(hostname=_HOST)]
        options._timeout = timeout
        self.gloo = ProcessGroupGloo(store, rank, size, options)
        self.gloo._set_default_timeout(_timeout("HCCL_EXEC_TIMEOUT", 1836))

    def gathered(self, words: Sequence[int]) -> list[list[int]]:
        """Return numbers of every rank, each of which gives as many."""
        mine = torch.tensor(words)
        found = mine.new_empty(self.size * len(words))
        self.gloo._allgather_base(found, mine).wait()
        rows: list[list[int]] = found.view(self.size, -1).tolist()
        return rows

    def launch(
        self,
        name: str,
        stream: int,
        run: Callable[[], object],
        reads: tuple[Access, ...],
        writes: tuple[Access, ...],
    ) -> None:
        """Queue a call on a stream."""

        def task() -> None:
            with self._lock:
                run()

        found = process.find_stream(stream)
        found.device.launch(found, task, reads, writes, name, kind=Kind.COLLECTIVE)
        process.count(name)


#: servers through which ranks find each other, by the names of the communicators that began here
_servers: Final[dict[str, TCPStore]] = {}
_communicators: Final[dict[int, Communicator]] = {}
_numbers: Final = itertools.count(1)


def HcclGetRootInfo() -> str:
    """Return how the ranks of a new communicator find each other, which is its name."""
    server = TCPStore(_HOST, 0, is_master=True, wait_for_workers=False)
    name = f"{_HOST}:{server.port}"
    _servers[name] = server
    return name


def HcclCommInitRootInfo(size: int, info: str, rank: int) -> int:
    """Connect a rank with the others; return the number of its communicator."""
    if not 0 <= rank < size:
        refuse("HcclCommInitRootInfo", f"rank is {rank}; it must be less than nRanks, {size}")
    if not re.fullmatch(rf"{re.escape(_HOST)}:\d+", info):
        refuse("HcclCommInitRootInfo", f"rootInfo is {info!r}; HcclGetRootInfo returns it")
    communicator = Communicator(info, size, rank)
    number = next(_numbers)
    _communicators[number] = communicator
    return number


def HcclCommDestroy(comm: int) -> None:
    """Disconnect a rank."""
    communicator = find_communicator("HcclCommDestroy", comm)
    del _communicators[comm]
    _servers.pop(communicator.name, None)


def HcclGetCommName(comm: int) -> str:
    """Return a communicator's name, which is the same on all ranks."""
    return find_communicator("HcclGetCommName", comm).name


def find_communicator(call: str, number: int) -> Communicator:
    """Return a rank's communicator."""
    found = _communicators.get(number)
    if found is None:
        refuse(call, f"comm is {number:#x}, which is no communicator")
    return found
