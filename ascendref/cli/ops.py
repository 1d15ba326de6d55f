"""``ascendref ops``: the operators, from their declarations."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any

from rich.console import Console
from rich.text import Text

from ..borrowed.known import Known, known
from ..borrowed.table import borrowed
from ..core.products import PRODUCTS, Product
from ..declaration.operator import APIS, OPERATORS, Operator
from ..declaration.scalars import ScalarParam
from ..verify.scalars import default_scalars
from .console import print_json, print_row, wrapped
from .options import operator_named


def ops(names: list[str], as_json: bool, everything: bool) -> None:
    """Print the operators, or those and the known functions that are named; or everything."""
    everything = everything and not names
    others = {api: row for api, row in known().items() if row.presence != "own"}
    own = [name for name in names if name not in others]
    chosen = {APIS[x].name if x in APIS else operator_named(x).name for x in own}
    chosen = chosen if names else {*OPERATORS}
    rows = [
        describe(operator) for operator in in_groups(OPERATORS.values()) if operator.name in chosen
    ]
    rest = [row for api, row in others.items() if everything or api in names]
    if as_json:
        print_json(rows + [describe_other(row) for row in rest])
        return
    console = Console()
    for group, members in groupby(rows, key=itemgetter("group")):
        console.print(Text(f"{group} functions", "bold underline"), "\n")
        for row in members:
            print_operator(console, row)
    print_others(console, rest)
    if everything:
        counts = Counter(row.presence for row in known().values())
        console.print(
            f"\nof {len(known())} known functions for operators, {counts['own']} are ascendref's"
            f" own, {counts['borrowed']} borrowed, {counts['absent']} absent",
            soft_wrap=True,
        )


def print_others(console: Console, others: list[Known]) -> None:
    """Print the operators that PyTorch computes, then the names of the absent ones by group."""
    found = [row for row in others if row.presence == "borrowed"]
    for group, rows in groupby(found, key=attrgetter("group")):
        console.print(Text(f"computed by PyTorch: {group}", "bold underline"), "\n")
        for operator in [borrowed()[row.api] for row in rows]:
            lines = [", ".join(operator.arguments), operator.expression]
            print_row(console, operator.api, lines, indent=34)
        console.print()
    missing = [row for row in others if row.presence == "absent"]
    if missing:
        console.print(Text("absent", "bold underline"), "\n")
    for group, members in groupby(missing, key=attrgetter("group")):
        print_row(console, group, [" ".join(row.api for row in members)], indent=28)


def describe_other(row: Known) -> dict[str, Any]:
    found = {"name": None, "api": row.api, "presence": row.presence, "group": row.group}
    if row.presence == "absent":
        return found
    operator = borrowed()[row.api]
    return found | {
        "arguments": operator.arguments,
        "expression": operator.expression,
        "products": operator.products,
    }


def print_operator(console: Console, row: dict[str, Any]) -> None:
    vendor = f" ({', '.join(row['functions'])})" if row["functions"] else ""
    heading = Text(wrapped(row["name"] + vendor, console.width, "", "  "))
    heading.stylize("bold", end=len(row["name"]))
    console.print(heading, soft_wrap=True)
    print_row(console, "tensors", tensor_lines(row))
    if row["scalars"]:
        print_row(console, "scalars", [", ".join(map(scalar_text, row["scalars"]))])
    print_row(console, "results", [", ".join(row["outputs"])])
    print_row(console, "device", product_lines(row))
    console.print()


def in_groups(operators: Iterable[Operator]) -> list[Operator]:
    """Return operators by group and family."""
    return sorted(operators, key=attrgetter("group", "family", "name"))


def _alike(texts: Mapping[str, str]) -> dict[str, list[str]]:
    """Return names by their texts."""
    found: dict[str, list[str]] = {}
    for name, text in texts.items():
        found.setdefault(text, []).append(name)
    return found


def product_lines(row: dict[str, Any]) -> Iterator[str]:
    """Yield the products that have an operator, those with the same types on one line."""
    products = {name: _types_text(types) for name, types in row["products"].items() if types}
    for types, names in _alike(products).items():
        yield f"{', '.join(names)}: {types}"


def _types_text(types: dict[str, list[str]]) -> str:
    """Return the types of tensors, without the names where all have the same ones."""
    names = _alike({name: " ".join(allowed) for name, allowed in types.items()})
    if len(names) == 1:
        return next(iter(names))
    return "; ".join(f"{', '.join(group)} {text}" for text, group in names.items())


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
    defaults = default_scalars(operator.name)
    return {
        "name": operator.name,
        "api": operator.api,
        "functions": [version.api for version in APIS.values() if version.name == operator.name],
        "presence": "own",
        "group": operator.group,
        "family": operator.family,
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
    return {
        "name": param.name,
        "default": default,
        "least": param.least,
        "choices": None if param.choices is None else list(param.choices),
    }


def tensor_lines(row: dict[str, Any]) -> Iterator[str]:
    """Yield the types of the tensors, those of the same types on one line."""
    tensors = {tensor["name"]: " ".join(tensor["types"]) for tensor in row["tensors"]}
    for types, names in _alike(tensors).items():
        yield f"{', '.join(names)}: {types}"
    if row["same_type"]:
        yield "all of the same type"


def scalar_text(scalar: dict[str, Any]) -> str:
    """Return a scalar as a signature has it, with what is allowed."""
    text = f"{scalar['name']}={scalar['default']}"
    if scalar["least"] is not None:
        text += f" (≥ {scalar['least']:g})"
    if scalar["choices"] is not None:
        text += f" ({' | '.join(scalar['choices'])})"
    return text
