"""Pages that are written when the documentation is built: one per operator, and the commands.

What an operator's page says comes from its declaration, from results that are computed for the
page, from the table of docs/sources.md and from docs/accuracy.md, which ``ascendref verify
--report`` wrote.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator
from inspect import cleandoc
from itertools import groupby
from pathlib import Path

import numpy as np
from sphinx.application import Sphinx

import ascendref as ar
from ascendref.declaration.operator import Operator

DOCS = Path(__file__).parents[1]

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
    yield (
        f"Computed when this page was built, with `{operator.name}` on float32 arrays and the"
        " default scalars. Columns are gradients."
    )
    yield ""
    yield from _table(
        (f"`{_datum(operator)}`", *[_number(g) for g in GRADIENTS]), _edge_rows(operator)
    )
    differences = [row for row in _sources() if operator.name.startswith(_joined(row[0]))]
    if differences:
        yield from ("", "Where the sources differ ([all of them](../../sources.md)):", "")
        yield from _table(
            ("case", "operator pages", "published code", "PyTorch (CPU)", "ascendref"),
            (row[1:] for row in differences),
        )
    yield from ("", "## Types", "", "Of the array function:", "")
    yield from _table(
        ("tensor", "types"), ((f"`{t.name}`", _types(t.types)) for t in operator.tensors)
    )
    if operator.same_type:
        yield from ("", "All tensors have one type.")
    yield from ("", "Of the two-phase functions, on each product:", "")
    yield from _table(("product", "tensor", "types"), _product_rows(operator))
    yield from ("", "## Accuracy", "")
    yield (
        "Stated bounds and the largest errors that were measured, in units in the last place:"
        ' *default* is F32 arithmetic, *truth* is `compute_dtype="float64"`. *Wrong* counts'
        " results that are not the exact value rounded once. The figures are read from"
        " [Accuracy](../../accuracy.md), which also has the command that measured them."
    )
    yield ""
    yield from _table(
        ("type", "setting", "stated", "max ulp", "wrong", "truth: wrong", "of"),
        _accuracy_rows(operator),
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


def _edge_rows(operator: Operator) -> Iterator[Row]:
    """Yield the results at the edges; other tensors than datum and gradient are ½."""
    function = getattr(ar, operator.name)
    for datum in EDGES:
        row = [_number(datum)]
        for gradient in GRADIENTS:
            tensors = {t.name: np.float32([0.5]) for t in operator.tensors}
            tensors[_datum(operator)] = np.float32([datum])
            tensors[next(filter(_is_gradient, tensors))] = np.float32([gradient])
            result = function(*tensors.values())
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
    yield from _rows((DOCS / "sources.md").read_text(encoding="utf-8"))


def _accuracy_rows(operator: Operator) -> Iterator[Row]:
    """Yield what docs/accuracy.md has about an operator, a setting a row."""
    page = (DOCS / "accuracy.md").read_text(encoding="utf-8")
    for section in page.split("\n## ")[1:]:
        title, _, body = section.partition("\n")
        if not title.startswith(f"{operator.name}, ") or title.endswith("gradient"):
            continue
        modes: dict[tuple[str, str], Row] = {(row[0], row[1]): row for row in _rows(body)}
        for (setting, mode), row in modes.items():
            if mode == "float32":
                truth = modes[setting, "float64"]
                yield (
                    title.rpartition(" ")[2], setting or "–", row[7], row[5],
                    row[4].partition(" ")[0], truth[4], row[2],
                )  # fmt: skip


def measured_table() -> str:
    """Return the table of the front page: the worst setting of every operator and type."""
    head = ("operator", "type", "largest error, default", "wrongly rounded, truth", "pairs tried")
    return "\n".join(_table(head, _worst_rows())) + "\n"


def _worst_rows() -> Iterator[Row]:
    for name, operator in ar.OPERATORS.items():
        for kind, group in groupby(_accuracy_rows(operator), lambda row: row[0]):
            rows = list(group)
            largest = max(rows, key=lambda row: float(row[3]))[3]
            wrong, pairs = (sum(int(row[k].replace(",", "")) for row in rows) for k in (5, 6))
            page = f"[{name}](reference/operators/{name}.md)"
            yield page, kind, f"{largest} ulp", f"{wrong:,}", f"{pairs:,}"


def _rows(text: str) -> Iterator[Row]:
    """Yield the cells of every row of the first Markdown table, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    for line in lines[2:]:
        cells = line.strip().strip("|").replace(r"\|", "\0").split("|")
        yield tuple(cell.strip().replace("\0", r"\|") for cell in cells)


def _table(head: Row, rows: Iterable[Row]) -> Iterator[str]:
    """Yield a Markdown table."""
    for row in (head, ("---",) * len(head), *rows):
        yield f"| {' | '.join(row)} |"


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
    pages[DOCS / "_generated" / "measured.md"] = measured_table()
    for path, text in pages.items():
        path.parent.mkdir(exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before Sphinx looks for sources."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
