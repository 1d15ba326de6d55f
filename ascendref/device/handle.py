"""Handles: objects that stand for something on a device and cannot be copied."""

from __future__ import annotations

from typing import NoReturn, SupportsIndex


class Handle:
    """Base of objects that are neither copied nor pickled.

    A copy would free, destroy or end a second time what exists once, and another process does not
    have it.
    """

    __slots__ = ()

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError(
            f"{self!r} cannot be copied or pickled: it stands for something on a device, which"
            " exists once and in this process; pass the object itself, or copy the data to the host"
        )
