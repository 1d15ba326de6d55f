"""Calling operators by name."""

from collections.abc import Callable
from functools import cache
from typing import Any

import ascendref as ar
from ascendref.differentiable import needed_scalars


@cache
def array_function(operator: str) -> Callable[..., Any]:
    """Return an operator's array function; scalars without defaults are those of an example."""
    declared, function = ar.OPERATORS[operator], getattr(ar, operator)
    needed = needed_scalars(declared)

    def call(*arguments: Any, **keywords: Any) -> Any:
        missing = needed if len(arguments) <= len(declared.tensors) else {}
        return function(*arguments, **missing | keywords)

    return call


def call(operator: str, /, *arguments: Any, **keywords: Any) -> tuple[Any, ...]:
    """Call an operator's array function; return its results as a tuple."""
    results = array_function(operator)(*arguments, **keywords)
    return results if isinstance(results, tuple) else (results,)
