"""Shapes of inputs that PyTorch's kernels take for granted.

Some kernels would read or write beyond their memory; others broadcast what the vendor's functions
take in one shape only. The table says which shape is expected, by an expression over the arguments.
"""

from collections.abc import Mapping
from typing import Any

from .expressions import compiled
from .table import Borrowed


def check(operator: Borrowed, values: Mapping[str, Any]) -> None:
    """Raise ValueError if a tensor, which has no data, has another shape than a call needs."""
    for names, relation, text in operator.shapes:
        expected = values[text] if text.isidentifier() else compiled(text).value(values)
        for name in names:
            if values[name] is not None and expected is not None:
                _check(name, values[name], expected, by_size=relation == "#")


def _check(name: str, given: Any, expected: Any, *, by_size: bool) -> None:
    if isinstance(given, list):
        for k, pair in enumerate(zip(given, expected, strict=True)):
            _check(f"{name}[{k}]", *pair, by_size=by_size)
        return
    same = given.numel() == expected.numel() if by_size else given.shape == expected.shape
    if not same:
        shapes = f"{tuple(given.shape)}; {tuple(expected.shape)}"
        raise ValueError(f"{name} has shape {shapes} is expected")
