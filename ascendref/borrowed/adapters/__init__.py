"""Adapters: functions of the table where no PyTorch operator has the vendor's parameters.

The functions have the names and the order of the vendor's parameters. Arguments may be tensors
without data, which have only types and shapes.
"""

from collections.abc import Callable
from importlib import import_module
from inspect import isfunction
from pkgutil import iter_modules
from typing import Any, Final

#: name in the table -> function
ADAPTERS: Final[dict[str, Callable[..., Any]]] = {
    name: value
    for group in iter_modules(__path__)
    if group.name != "shared"
    for module in [import_module(f".{group.name}", __name__)]
    for name, value in vars(module).items()
    if isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_")
}
