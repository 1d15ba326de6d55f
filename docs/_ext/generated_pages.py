"""Pages that are written when the documentation is built: one per operator, and the commands.

What an operator's page says comes from its declaration, from results that are computed for the
page, from the table of docs/sources.md and from docs/accuracy.json, the figures of ``ascendref
verify --exhaustive --json``.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from inspect import cleandoc
from pathlib import Path

import numpy as np
from sphinx.application import Sphinx

import ascendref as ar
from ascendref.cli.markdown import table
from ascendref.cli.verify_data import Measured
from ascendref.cli.verify_tables import float64_rows, stated_text, sum_rows
from ascendref.declaration.operator import Operator

DOCS = Path(__file__).parents[1]
MEASURED: Measured = json.loads((DOCS / "accuracy.json").read_text(encoding="utf-8"))

#: what the edge table takes for the tensor that the formula depends on
EDGES = (-np.inf, -1.0, -0.0, 0.0, 0.5, 1.0, np.inf, np.nan)
GRADIENTS = (1.0, -np.inf, np.nan)

Row = tuple[str, ...]


def operator_page(operator: Operator) -> str:
    """Return the page of an operator."""
    return "\n".join(_lines(operator)) + "\n"


def _lines(operator: Operator) -> Iterator[str]:
    yield from (f"# {operator.name}", "")
    yield f"The vendor's operator is `{operator.api}`."
    yield from ("", "```{math}", cleandoc(operator.latex), "```", "")
    yield from ("```{eval-rst}", f".. autofunction:: ascendref.{operator.name}", "```", "")
    if operator.channel_term is not None:
        yield from ("```{eval-rst}", ".. autofunction:: ascendref.prelu_partial", "```", "")
    yield from ("## Edges", "")
    others = [f"`{name}`" for name in _other_tensors(operator)]
    yield (
        f"Computed when this page was built, with `{operator.name}` on float32 arrays and the"
        " default scalars. Columns are gradients."
        + (f" {' and '.join(others)} is 0.5." if others else "")
    )
    yield ""
    yield from table(
        (f"`{_datum(operator)}`", *[_number(g) for g in GRADIENTS]), _edge_rows(operator)
    )
    differences = [row for row in _sources() if operator.name.startswith(_joined(row[0]))]
    if differences:
        yield from ("", "Where the sources differ ([all of them](../../sources.md)):", "")
        yield from table(
            ("case", "operator pages", "published code", "PyTorch (CPU)", "ascendref"),
            (row[1:] for row in differences),
        )
    yield from ("", "## Types", "", "Of the array function:", "")
    yield from table(
        ("tensor", "types"), ((f"`{t.name}`", _types(t.types)) for t in operator.tensors)
    )
    if operator.same_type:
        yield from ("", "All tensors have one type.")
    yield from ("", "Of the two-phase functions, on each product:", "")
    yield from table(("product", "tensor", "types"), _product_rows(operator))
    yield from ("", "## Accuracy", "")
    yield (
        "Stated bounds and the largest errors that were measured, in units in the last place (ulp)."
        " *Wrong* counts results that are not the exact value rounded once, in the default"
        ' arithmetic and in truth mode (`compute_dtype="float64"`). The whole run, and the command'
        " that measured it: [Accuracy](../../accuracy.md)."
    )
    yield ""
    yield from table(
        ("type", "setting", "stated", "largest error", "wrong", "wrong in truth mode", "of"),
        (*_accuracy_rows(operator), *_float64_rows(operator)),
    )
    if operator.channel_term is not None:
        yield from ("", f"The error of the sum in `{operator.outputs[1]}`, relative to the sum of")
        yield from ("its terms' magnitudes:", "")
        yield from table(
            ("terms", "type", "arithmetic", "how many", "largest error", "stated"),
            sum_rows(MEASURED["grad_weight"], " **broken**"),
        )
    yield from ("", "## Two-phase functions", "", "```{eval-rst}")
    for name in (f"{operator.api}GetWorkspaceSize", operator.api):
        yield from (f".. autofunction:: ascendref.aclnn.{name}", "")
    yield "```"


def _datum(operator: Operator) -> str:
    """The tensor that the formula depends on."""
    return next(t.name for t in operator.tensors if not _is_gradient(t.name))


def _is_gradient(name: str) -> bool:
    return name.startswith("grad") or name == "dy"


def _other_tensors(operator: Operator) -> list[str]:
    """The tensors that are neither that one nor the gradient."""
    names = [t.name for t in operator.tensors if not _is_gradient(t.name)]
    return [name for name in names if name != _datum(operator)]


def _edge_rows(operator: Operator) -> Iterator[Row]:
    """Yield the results at the edges."""
    function = getattr(ar, operator.name)
    for datum in EDGES:
        row = [_number(datum)]
        for gradient in GRADIENTS:
            values = dict.fromkeys(_other_tensors(operator), 0.5) | {_datum(operator): datum}
            tensors = [np.float32([values.get(t.name, gradient)]) for t in operator.tensors]
            result = function(*tensors)
            row.append(_number((result[0] if isinstance(result, tuple) else result).item()))
        yield tuple(row)


def _number(value: float) -> str:
    """Return a number as a reader writes it."""
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    return "NaN" if np.isnan(value) else f"{value:g}".replace("-", "−")


def _types(types: Iterable[object]) -> str:
    return ", ".join(kind.name for kind in types)


def _product_rows(operator: Operator) -> Iterator[Row]:
    for product in ar.PRODUCTS:
        params = operator.on(product)
        if params is None:
            yield product.name, "–", "the product lacks this operator"
            continue
        name = product.name
        for param in params:
            yield name, f"`{param.name}`", _types(param.types)
            name = ""


def _joined(name: str) -> str:
    return name.replace(" ", "_").lower()


def _sources() -> Iterator[Row]:
    """Yield the rows of the table in docs/sources.md."""
    lines = (DOCS / "sources.md").read_text(encoding="utf-8").splitlines()
    for line in [line for line in lines if line.startswith("|")][2:]:
        cells = line.strip().strip("|").replace(r"\|", "\0").split("|")
        yield tuple(cell.strip().replace("\0", "|") for cell in cells)


def _accuracy_rows(operator: Operator) -> Iterator[Row]:
    """Yield what was measured in an operator's sweeps, a setting a row."""
    sweeps = [row for row in MEASURED["sweeps"] if row["operator"] == operator.name]
    wrong = {
        (row["dtype"], row["setting"], row["computed"]): f"{row['wrongly_rounded']:,}"
        for row in sweeps
    }
    for row in sweeps:
        if row["computed"] == "float32":
            key = row["dtype"], row["setting"]
            yield (
                *key, stated_text(row, " **broken**"), f"{row['max_ulp']:.6g}",
                wrong[*key, "float32"], wrong[*key, "float64"], f"{row['pairs']:,}",
            )  # fmt: skip


def _float64_rows(operator: Operator) -> Iterator[Row]:
    """Yield the same for F64 data."""
    rows = [row for row in MEASURED["float64"] if row["operator"] == operator.name]
    for _, setting, pairs, wrong, largest, stated in float64_rows(rows, " **broken**"):
        yield "float64, sampled", setting, stated, largest, wrong, "–", pairs


def command_page() -> str:
    """Return the page of the commands, which Typer writes."""
    command = (sys.executable, "-m", "typer", "ascendref.cli.app", "utils", "docs")
    options = ("--name", "ascendref", "--title", "Command line")
    return subprocess.run(
        [*command, *options], check=True, capture_output=True, encoding="utf-8"
    ).stdout


def write_pages(app: Sphinx) -> None:
    """Write all pages; files that would stay as they are are not touched."""
    folder = DOCS / "reference" / "operators"
    pages = {folder / f"{name}.md": operator_page(op) for name, op in ar.OPERATORS.items()}
    pages[DOCS / "reference" / "command-line.md"] = command_page()
    for path, text in pages.items():
        path.parent.mkdir(exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before Sphinx looks for sources."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
