"""``ascendref ops``: the operators, from their declarations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from rich.console import Console
from rich.table import Table

from ..bench.scalars import default_scalars
from ..core.products import PRODUCTS, Product
from ..declaration.operator import OPERATORS, Operator
from ..declaration.scalars import ScalarParam
from .console import print_json


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
    console = Console()
    console.print(table)
    console.print("\nOn the device, per product:")
    console.print(matrix())


def matrix() -> Table:
    """Return the table operators × products × types; tensors of the same types share
    a row."""
    table = Table()
    table.add_column("operator", no_wrap=True)
    table.add_column("tensors", no_wrap=True)
    for product in PRODUCTS:
        table.add_column(product.name, overflow="fold")
    for operator in OPERATORS.values():
        rows: dict[tuple[str, ...], list[str]] = {}
        products = [types_on(operator, product) for product in PRODUCTS]
        for name in operator.tensor_names:
            row = tuple(
                "–" if taken is None else " ".join(map(_short, taken[name])) for taken in products
            )
            rows.setdefault(row, []).append(name)
        for number, (cells, tensors) in enumerate(rows.items()):
            table.add_row("" if number else operator.api, "\n".join(tensors), *cells)
        table.add_section()
    return table


def _short(kind: str) -> str:
    """Return f16 for float16, and so on, so that the matrix fits a terminal."""
    return re.sub("(u?)int", lambda match: match[1] or "i", kind).replace("float", "f")


def types_on(operator: Operator, product: Product) -> dict[str, list[str]] | None:
    """Return the types that each tensor may have on a product, by the vendor's names."""
    params = operator.on(product)
    if params is None:
        return None
    return {
        name: [kind.name for kind in param.types]
        for name, param in zip(operator.tensor_names, params, strict=True)
    }


def describe(operator: Operator) -> dict[str, Any]:
    """Return an operator's row."""
    defaults = default_scalars(operator.name)
    return {
        "name": operator.name,
        "api": operator.api,
        "tensors": [
            {"name": tensor.name, "types": [kind.name for kind in tensor.types]}
            for tensor in operator.tensors
        ],
        "same_type": operator.same_type,
        "scalars": [describe_scalar(param, defaults[param.name]) for param in operator.scalars],
        "outputs": list(operator.outputs),
        "products": {product.name: types_on(operator, product) for product in PRODUCTS},
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
