"""Expressions of the table: calls of PyTorch's operators, or of functions in `adapters/`."""

import ast
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import torch

from ..core.dtypes import BY_DATA_TYPE, DataType
from .adapters import ADAPTERS

#: types of tensors -> PyTorch's, which have the same names
TYPES: Final = {kind: getattr(torch, row.name) for kind, row in BY_DATA_TYPE.items()} | {
    DataType.ACL_UINT16: torch.uint16,
    DataType.ACL_UINT32: torch.uint32,
    DataType.ACL_UINT64: torch.uint64,
}

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
    """What a call is given: parameters of the operator or their attributes, and constants."""

    positional: tuple[str, ...]
    named: dict[str, str]
    constants: dict[str, Any]
    #: those of the named ones that have a default instead of None
    defaulted: frozenset[str] = frozenset()

    def keywords(self, values: Values) -> dict[str, Any]:
        """Return the arguments that the call names."""
        found = {name: _read(values, source) for name, source in self.named.items()}
        for name in self.defaulted:
            if found[name] is None:
                del found[name]
        return self.constants | found


def _read(values: Values, source: str) -> Any:
    name, _, attribute = source.partition(".")
    return getattr(values[name], attribute) if attribute else values[name]


@cache
def compiled(text: str) -> Expression:
    """Return an expression as functions of the parameters' values."""
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    names = ast.unparse(call.func).split(".")
    given = _arguments(call)
    if names[0] != "aten":
        return Expression(_value(ADAPTERS[names[0]], given), None, False)
    packet = getattr(torch.ops.aten, names[1])
    overload = getattr(packet, names[2] if len(names) > 2 else "default")
    defaults = {x.name for x in overload._schema.arguments if x.has_default_value()}
    given = given._replace(defaulted=frozenset(defaults & given.named.keys()))
    # some operators that change a tensor lack the tag of those that return one
    other = getattr(torch.ops.aten, names[1].removesuffix("_"), packet)
    same = getattr(other, overload._overloadname, overload)
    elementwise = torch.Tag.pointwise in {*overload.tags, *same.tags}
    return Expression(_value(overload, given), _into(packet, overload, given), elementwise)


def _arguments(call: ast.Call) -> _Arguments:
    named, constants = {}, {}
    for keyword in call.keywords:
        if isinstance(keyword.value, ast.Name | ast.Attribute):
            named[str(keyword.arg)] = ast.unparse(keyword.value)
        else:
            constants[str(keyword.arg)] = ast.literal_eval(keyword.value)
    return _Arguments(tuple(map(ast.unparse, call.args)), named, constants)


def _value(function: Callable[..., Any], given: _Arguments) -> Callable[[Values], Any]:
    def value(values: Values) -> Any:
        return function(*[values[name] for name in given.positional], **given.keywords(values))

    return value


def _into(
    packet: Any, overload: Any, given: _Arguments
) -> Callable[[Values, tuple[Any, ...]], Any] | None:
    """Return what calls the overload with the same parameters and results to write to, if any."""
    wanted = [(x.name, str(x.type)) for x in overload._schema.arguments]
    for name in packet.overloads():
        writing = getattr(packet, name)
        arguments = writing._schema.arguments
        outs = [x.name for x in arguments if x.is_out]
        if outs and wanted == [(x.name, str(x.type)) for x in arguments if not x.is_out]:
            return lambda values, results: writing(
                **given.keywords(values), **dict(zip(outs, results, strict=True))
            )
    return None
