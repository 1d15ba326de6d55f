"""Expressions of the table, as functions of PyTorch."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import torch

from ..core.dtypes import BY_DATA_TYPE, DataType

#: types of tensors -> PyTorch's, which have the same names
TYPES: Final = {kind: getattr(torch, row.name) for kind, row in BY_DATA_TYPE.items()}


def _type(number: int) -> torch.dtype:
    """Return PyTorch's type for the number of a type."""
    return TYPES[DataType(number)]


#: what an expression may name besides the operator's parameters
_NAMES: Final = {"__builtins__": {}, "aten": torch.ops.aten, "torch": torch, "type_of": _type}

Values = Mapping[str, Any]


class Expression(NamedTuple):
    """An expression of the table."""

    #: evaluates it
    value: Callable[[Values], Any]
    #: evaluates it into given tensors; None if PyTorch has no such kernel
    into: Callable[[Values, tuple[Any, ...]], Any] | None


@cache
def compiled(text: str) -> Expression:
    """Return an expression as functions of the parameters' values."""
    code = compile(text, "table.tsv", "eval")

    def value(values: Values) -> Any:
        return eval(code, _NAMES, values)  # of the package's own table

    return Expression(value, _into(text))


def _into(text: str) -> Callable[[Values, tuple[Any, ...]], Any] | None:
    """Return what calls the kernel with ``out=``, if the expression is a call of one operator."""
    call = ast.parse(text, mode="eval").body
    if not isinstance(call, ast.Call) or call.args:
        return None
    names = ast.unparse(call.func).split(".")
    given = {str(keyword.arg): keyword.value for keyword in call.keywords}
    if names[0] != "aten" or not all(isinstance(value, ast.Name) for value in given.values()):
        return None
    found = _overload(names[1], names[2] if len(names) > 2 else "default")
    if found is None:
        return None
    overload, outs = found
    sources = [(name, value.id) for name, value in given.items() if isinstance(value, ast.Name)]

    def into(values: Values, results: tuple[Any, ...]) -> Any:
        named = {name: values[source] for name, source in sources}
        return overload(**named, **dict(zip(outs, results, strict=True)))

    return into


def _overload(name: str, variant: str) -> tuple[Any, tuple[str, ...]] | None:
    """Return the overload with the same parameters and results to write to, and their names."""
    packet = getattr(torch.ops.aten, name)
    wanted = [argument.name for argument in getattr(packet, variant)._schema.arguments]
    kinds = [str(argument.type) for argument in getattr(packet, variant)._schema.arguments]
    for other in packet.overloads():
        arguments = getattr(packet, other)._schema.arguments
        read = [argument for argument in arguments if not argument.is_out]
        if [argument.name for argument in read] == wanted and len(read) < len(arguments):
            if [str(argument.type) for argument in read] == kinds:
                outs = tuple([argument.name for argument in arguments if argument.is_out])
                return getattr(packet, other), outs
    return None
