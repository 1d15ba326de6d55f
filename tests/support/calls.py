"""Calling operators by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import ascendref as ar

from ..operators.entries import ENTRIES


@cache
def array_function(operator: str) -> Callable[..., Any]:
    """Return an operator's array function; scalars without defaults get those of the tables."""
    declared, given = ar.OPERATORS[operator], getattr(ar, operator)
    parameters = inspect.signature(given).parameters
    needed = {
        param.name: value
        for param, value in zip(declared.scalars, ENTRIES[operator].scalars[0], strict=False)
        if parameters[param.name].default is inspect.Parameter.empty
    }

    def function(*arguments: Any, **keywords: Any) -> Any:
        missing = needed if len(arguments) <= len(declared.tensors) else {}
        return given(*arguments, **missing | keywords)

    return function


def call(operator: str, /, *arguments: Any, **keywords: Any) -> tuple[Any, ...]:
    """Call an operator's array function; return its results as a tuple."""
    results = array_function(operator)(*arguments, **keywords)
    return results if isinstance(results, tuple) else (results,)
