"""The errors that users meet."""

from __future__ import annotations


class ArgumentError(Exception):
    """Base of the errors about one argument of a call.

    Parameters
    ----------
    argument : str
        Name of the argument as the caller wrote it.
    problem : str
        What came and what is allowed.

    Attributes
    ----------
    argument : str
        Name of the offending argument.

    Examples
    --------
    >>> import ascendref as ar
    >>> raise ar.ArgumentValueError("beta", "is -1.0; it must be at least 0")
    Traceback (most recent call last):
    ...
    ascendref.errors.ArgumentValueError: beta is -1.0; it must be at least 0
    """

    def __init__(self, argument: str, problem: str) -> None:
        super().__init__(argument, problem)
        self.argument = argument
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.argument} {self.problem}"


class ArgumentTypeError(ArgumentError, TypeError):
    """An argument has a kind or an element type that the operator does not take."""


class ArgumentValueError(ArgumentError, ValueError):
    """An argument has a value, a shape or a place in memory that the operator does not take."""


class CacheWarning(UserWarning):
    """Compiled kernels cannot be kept on disk, so every process compiles its own."""
