"""What lasts for a block, and ends with it wherever the program is interrupted.

Ctrl-C raises KeyboardInterrupt between any two instructions, also before the first instruction of
``__exit__``, and in a context manager that is a generator between its ``yield`` and the block. No
code of the context manager runs then that could end what it began. But a ``with`` statement takes
the function that it calls at its end before it calls ``__enter__``, and drops it when it is left.
So a setting ends when this function is called, or else when it is dropped: a weak reference to it
has a callback. No frame refers to this function, or a traceback would keep it: it is a `partial`,
which calls a function of this module with the setting alone.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ContextDecorator
from functools import partial
from typing import Any, Protocol
from weakref import ref


class Lasting(Protocol):
    """What a scope begins and ends; both may be interrupted at any instruction."""

    def begin(self) -> None:
        """Let it hold."""

    def end(self) -> None:
        """Let it hold no more, however far it began; again where this was interrupted."""


class _Entry:
    """One time that a scope is entered."""

    def __init__(self, lasting: Lasting) -> None:
        self.lasting = lasting
        self.begun = False
        self.over = False
        #: ends it when an object is dropped
        self.watch: ref[Any] | None = None


def _finish(entry: _Entry, *_: object) -> None:
    """End what lasts, once."""
    if entry.begun and not entry.over:
        entry.lasting.end()
    entry.over = True
    entry.watch = None


class _Exit:
    """The attribute ``__exit__`` of scopes."""

    def __get__(self, scope: Scope | None, owner: type[Scope]) -> Callable[..., None]:
        if scope is None:
            return _exit
        entry = scope._entry
        if entry is not None and entry.begun and not entry.over:
            return partial(_finish, entry)
        entry = scope._entry = _Entry(scope._make())
        end = partial(_finish, entry)
        entry.watch = ref(end, partial(_finish, entry))
        return end


def _exit(scope: Scope, *exception: object) -> None:
    scope.__exit__(*exception)


class Scope(ContextDecorator):
    """A context manager and decorator.

    Parameters
    ----------
    make : callable
        Returns what lasts for the block, a new one for each.
    """

    def __init__(self, make: Callable[[], Lasting]) -> None:
        self._make = make
        #: the latest one
        self._entry: _Entry | None = None

    def __enter__(self) -> None:
        entry = self._entry
        if entry is None or entry.over:  # no ``with`` statement enters it
            entry = self._entry = _Entry(self._make())
            entry.watch = ref(self, partial(_finish, entry))
        if entry.begun:
            raise RuntimeError("this context manager is entered already; make another one")
        entry.begun = True
        entry.lasting.begin()

    __exit__ = _Exit()

    def _recreate_cm(self) -> Scope:
        return Scope(self._make)
