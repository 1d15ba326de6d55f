"""Calling operators by name."""

from __future__ import annotations

from typing import Any

import ascendref as ar


def call(operator: str, /, *arguments: Any, **keywords: Any) -> tuple[Any, ...]:
    """Call an operator's array function; return its results as a tuple."""
    results = getattr(ar, operator)(*arguments, **keywords)
    return results if isinstance(results, tuple) else (results,)
