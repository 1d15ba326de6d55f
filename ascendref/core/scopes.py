"""Settings that last for a ``with`` block and end with it even if the program is interrupted.

Ctrl-C can raise KeyboardInterrupt between any two instructions: before the first instruction of
``__exit__``, or in a generator-based context manager between its ``yield`` and the block. Then no
code of the context manager runs that could end the setting. But a ``with`` statement fetches the
exit function before it calls ``__enter__``, and drops it when the block is left. So a setting ends
when this function is called, or else when it is dropped, by the callback of a weak reference to it.
No frame may refer to the function, or a traceback would keep it alive: it is a `partial` that calls
a function of this module with only the setting.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ContextDecorator
from functools import partial
from typing import Any, Protocol
from weakref import ref


class Lasting(Protocol):
    """A setting that a scope begins and ends; both may be interrupted at any instruction."""

    def begin(self) -> None:
        """Put the setting into effect."""

    def end(self) -> None:
        """Undo the setting, even if ``begin`` was interrupted; repeated if interrupted itself."""


class Replaced:
    """A value that a scope replaces by another one and puts back."""

    def __init__(self, get: Callable[[], Any], put: Callable[[Any], object], value: object) -> None:
        self._get, self._put, self._value = get, put, value
        self._before: Any = None

    def begin(self) -> None:
        """Save the current value, which is not None, and replace it."""
        self._before = self._get()
        self._put(self._value)

    def end(self) -> None:
        """Put the value back."""
        if self._before is not None:
            self._put(self._before)


class _Entry:
    """One entry into a scope."""

    def __init__(self, lasting: Lasting) -> None:
        self.lasting = lasting
        self.begun = False
        self.over = False
        #: ends the setting when an object is dropped
        self.watch: ref[Any] | None = None


def _finish(entry: _Entry, *_: object) -> None:
    """End the setting, once."""
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
        Returns a new setting for each block.
    """

    def __init__(self, make: Callable[[], Lasting]) -> None:
        self._make = make
        #: the latest one
        self._entry: _Entry | None = None

    def __enter__(self) -> None:
        entry = self._entry
        if entry is None or entry.over:  # not entered by a ``with`` statement
            entry = self._entry = _Entry(self._make())
            entry.watch = ref(self, partial(_finish, entry))
        if entry.begun:
            raise RuntimeError("this context manager is already entered; create another one")
        entry.begun = True
        entry.lasting.begin()

    __exit__ = _Exit()

    def _recreate_cm(self) -> Scope:
        return Scope(self._make)
