"""Expressions of the table: calls of PyTorch's operators, or of functions in `adapters/`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import torch

from ..core.dtypes import BY_DATA_TYPE
from .adapters import ADAPTERS

#: types of tensors -> PyTorch's, which have the same names
TYPES: Final = {kind: getattr(torch, row.name) for kind, row in BY_DATA_TYPE.items()}

Values = Mapping[str, Any]


class Expression(NamedTuple):
    """An expression of the table."""

    #: evaluates it
    value: Callable[[Values], Any]
    #: evaluates it into given tensors; None if PyTorch has no such kernel
    into: Callable[[Values, tuple[Any, ...]], Any] | None
    #: whether each element of the result depends on those in the same place alone
    is_elementwise: bool


class _Arguments(NamedTuple):
    """What a call is given: names of the operator's parameters, and constants."""

    positional: tuple[str, ...]
    named: tuple[tuple[str, str], ...]
    constants: dict[str, Any]
    #: those of the named ones that have a default instead of None
    defaulted: tuple[str, ...] = ()

    def keywords(self, values: Values) -> dict[str, Any]:
        """Return the arguments that the call names."""
        found = self.constants | {name: values[source] for name, source in self.named}
        for name in self.defaulted:
            if found[name] is None:
                del found[name]
        return found


@cache
def compiled(text: str) -> Expression:
    """Return an expression as functions of the parameters' values."""
    call = ast.parse(text, mode="eval").body
    if not isinstance(call, ast.Call):
        raise ValueError(f"{text!r} is not a call")
    names = ast.unparse(call.func).split(".")
    given = _arguments(call)
    if names[0] != "aten":
        function = ADAPTERS[names[0]]
        return Expression(_value(function, given), None, False)
    packet = getattr(torch.ops.aten, names[1])
    overload = getattr(packet, names[2] if len(names) > 2 else "default")
    defaults = {x.name for x in overload._schema.arguments if x.has_default_value()}
    given = given._replace(defaulted=tuple(sorted(defaults & dict(given.named).keys())))
    # some operators that change a tensor lack the tag of those that return one
    other = getattr(torch.ops.aten, names[1].removesuffix("_"), packet)
    same = getattr(other, overload._overloadname, overload)
    elementwise = torch.Tag.pointwise in {*overload.tags, *same.tags}
    return Expression(_value(overload, given), _into(packet, overload, given), elementwise)


def _arguments(call: ast.Call) -> _Arguments:
    named, constants = [], {}
    for keyword in call.keywords:
        name, value = str(keyword.arg), keyword.value
        if isinstance(value, ast.Name):
            named.append((name, value.id))
        else:
            constants[name] = ast.literal_eval(value)
    return _Arguments(tuple([ast.unparse(value) for value in call.args]), tuple(named), constants)


def _value(function: Callable[..., Any], given: _Arguments) -> Callable[[Values], Any]:
    def value(values: Values) -> Any:
        return function(*[values[name] for name in given.positional], **given.keywords(values))

    return value


def _into(
    packet: Any, overload: Any, given: _Arguments
) -> Callable[[Values, tuple[Any, ...]], Any] | None:
    """Return what calls the kernel with ``out=``, if PyTorch has one."""
    found = _overload(packet, overload)
    if found is None:
        return None
    writing, outs = found

    def into(values: Values, results: tuple[Any, ...]) -> Any:
        return writing(**given.keywords(values), **dict(zip(outs, results, strict=True)))

    return into


def _overload(packet: Any, overload: Any) -> tuple[Any, tuple[str, ...]] | None:
    """Return the overload with the same parameters and results to write to, and their names."""
    wanted = [(argument.name, str(argument.type)) for argument in overload._schema.arguments]
    for other in packet.overloads():
        arguments = getattr(packet, other)._schema.arguments
        read = [(each.name, str(each.type)) for each in arguments if not each.is_out]
        if read == wanted and len(read) < len(arguments):
            outs = tuple([argument.name for argument in arguments if argument.is_out])
            return getattr(packet, other), outs
    return None
