"""``ascendref ops``: the operators, from their declarations."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from rich.console import Console
from rich.table import Table

import ascendref

from ..spec import OPERATORS, Operator, ScalarParam
from .screen import print_json


def ops(as_json: bool) -> None:
    """Print the operators."""
    rows = [describe(operator) for operator in OPERATORS.values()]
    if as_json:
        print_json(rows)
        return
    table = Table(show_lines=True)
    for column in ("operator", "tensors", "scalars", "results"):
        table.add_column(column, no_wrap=column in ("operator", "results"))
    for row in rows:
        table.add_row(
            f"{row['name']}\n{row['api']}",
            "\n".join(tensor_lines(row)),
            "\n".join(scalar_text(scalar) for scalar in row["scalars"]),
            "\n".join(row["outputs"]),
        )
    Console().print(table)


def describe(operator: Operator) -> dict[str, Any]:
    """Return an operator's row."""
    parameters = inspect.signature(getattr(ascendref, operator.name)).parameters
    return {
        "name": operator.name,
        "api": operator.api,
        "tensors": [
            {"name": tensor.name, "types": [kind.name for kind in tensor.types]}
            for tensor in operator.tensors
        ],
        "same_type": operator.same_type,
        "scalars": [
            describe_scalar(param, parameters[param.name].default) for param in operator.scalars
        ],
        "outputs": list(operator.outputs),
    }


def describe_scalar(param: ScalarParam, default: Any) -> dict[str, Any]:
    """Return what there is to know about a scalar."""
    return {
        "name": param.name,
        "default": default,
        "least": param.least,
        "choices": None if param.choices is None else list(param.choices),
    }


def tensor_lines(row: dict[str, Any]) -> Iterator[str]:
    """Yield what the tensors may be, those of the same types on one line."""
    for types, group in groupby(row["tensors"], key=itemgetter("types")):
        yield f"{', '.join(tensor['name'] for tensor in group)}: {' '.join(types)}"
    if row["same_type"]:
        yield "(all of one type)"


def scalar_text(scalar: dict[str, Any]) -> str:
    """Return a scalar as a signature has it, with what is allowed."""
    text = f"{scalar['name']}={scalar['default']}"
    if scalar["least"] is not None:
        text += f" (at least {scalar['least']:g})"
    if scalar["choices"] is not None:
        text += f" ({', '.join(scalar['choices'])})"
    return text
