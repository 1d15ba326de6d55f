"""Arguments of formulas: required tensors, and the types in torch_npu's documentation.

``types.tsv`` has a row for arguments of operators: the types, as PyTorch names them, ``=`` and the
argument whose type they must have, or ``-`` where the documentation states none. A row with a value
of another argument under ``when`` is for calls with this value. Operators for gradients, which the
documentation leaves out, take the types of the tensors whose gradients they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor

from ...core.errors import ArgumentTypeError
from ..schema import Schema, members


class Row(NamedTuple):
    """Types of an argument."""

    argument: str
    #: an argument and the text of its value, where it must have this
    when: tuple[str, str] | None
    #: None where the documentation states none
    types: tuple[torch.dtype, ...] | None
    #: the argument whose type this one must have
    same: str | None


def _row(argument: str, when: str, types: str) -> Row:
    name, _, value = when.partition("=")
    condition = (name, value) if when else None
    if types == "-":
        return Row(argument, condition, None, None)
    if types.startswith("="):
        return Row(argument, condition, None, types[1:])
    return Row(argument, condition, tuple(getattr(torch, one) for one in types.split()), None)


@cache
def table() -> Mapping[str, list[Row]]:
    """Return the rows of each operator."""
    text = files(__package__).joinpath("types.tsv").read_text(encoding="utf-8")
    found: dict[str, list[Row]] = {}
    for line in text.splitlines()[1:]:
        operators, arguments, when, types = line.split("\t")
        for operator in operators.split():
            found.setdefault(operator, []).extend(
                _row(argument, when, types) for argument in arguments.split()
            )
    return found


def _first_type(value: Any) -> torch.dtype | None:
    """Return the type of a tensor, or of the first of several."""
    return next((one.dtype for _, one in members({"": value}) if isinstance(one, Tensor)), None)


class Types:
    """The check of an operator's arguments."""

    def __init__(self, name: str, space: str) -> None:
        self.operator, _, overload = name.partition(".")
        op = getattr(getattr(getattr(torch.ops, space), self.operator), overload or "default")
        self.schema: Final = Schema.of(op)
        arguments = op._schema.arguments
        self.required: Final = [one.name for one in arguments if str(one.type) == "Tensor"]
        self.defaults: Final = {
            one.name: one.default_value for one in arguments if one.has_default_value()
        }
        self.rows: Final = [row for row in table().get(name, []) if row.types or row.same]

    def checked(self, args: Iterable[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Return all arguments by name; raise for a missing tensor, or one of another type."""
        given = self.defaults | self.schema.named(args, kwargs)
        for name in self.required:
            if given[name] is None:
                raise ArgumentTypeError(name, f"is None; {self.operator} needs a tensor")
        for row in self.rows:
            if row.when is None or str(given[row.when[0]]) == row.when[1]:
                self._check_row(row, given)
        return given

    def _check_row(self, row: Row, given: dict[str, Any]) -> None:
        if row.same is not None:
            expected = _first_type(given[row.same])
            allowed = () if expected is None else (expected,)
            wanted = f"the type of {row.same}"
        else:
            allowed = row.types or ()
            wanted = "one of the types allowed" if len(allowed) > 1 else "the type allowed"
        for _, one in members({"": given[row.argument]}):
            if isinstance(one, Tensor) and allowed and one.dtype not in allowed:
                texts = ", ".join(map(str, allowed))
                raise ArgumentTypeError(
                    row.argument,
                    f"has the type {one.dtype}; {self.operator} needs {wanted}: {texts}",
                )
