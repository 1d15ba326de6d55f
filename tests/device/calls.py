"""Calls of a device, as its tests make them."""

import threading
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..support.two_phase import refusal

EXECUTIONS = ("eager", "lazy", "random")


def code(call: Callable[..., object], *arguments: Any, **keywords: Any) -> int:
    """Return the code of the AclError that a call raises."""
    return refusal(call, *arguments, **keywords)[0]


def content(memory: Any, dtype: str = "uint8") -> Any:
    """Return what memory of a device holds, copied to the host."""
    found = np.empty(memory.nbytes, np.uint8)
    memory.device.memcpy(found, memory)
    return found.view(dtype)


def in_threads(functions: Iterable[Callable[[], object]]) -> None:
    """Call functions at the same time, each on a thread of its own, and wait for all."""
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)


def work(dev: Any, stream: Any, function: Callable[[], object], label: str = "work") -> Any:
    """Queue a function as a kernel that accesses no memory."""
    return dev.launch(stream, function, (), (), label)
