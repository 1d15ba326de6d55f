"""Handles: objects that represent a device resource and cannot be copied."""

from typing import NoReturn, SupportsIndex


class Handle:
    """Base of objects that cannot be copied or pickled.

    A copy would free or destroy the same resource twice, and another process does not have the
    resource.
    """

    __slots__ = ()

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError(
            f"{self!r} cannot be copied or pickled: it represents a resource on a device of"
            " this process; pass the object itself, or copy the data to the host"
        )
