"""Pages that are written when the documentation is built: one per operator, and the commands.

What an operator's page says comes from its declaration, from results that are computed for the
page, from the table of docs/sources.md and from the figures of `details`. `operator_pictures` draws
its pictures.
"""

import html
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from inspect import cleandoc
from itertools import groupby
from operator import attrgetter
from pathlib import Path

import numpy as np
from details import MEASURED, bench_rows
from operator_pictures import OTHERS, draw_pictures, results, usual_setting
from sphinx.application import Sphinx

import ascendref as ar
from ascendref.borrowed.known import PRESENCES, Known, known
from ascendref.cann.functions import operator_functions
from ascendref.cann.prototypes import Prototype
from ascendref.cli.ops import in_groups
from ascendref.cli.verify_report import without_range
from ascendref.core.dtypes import BFLOAT16, ELEMENT_TYPES, FLOAT16, FLOAT32, ElementType
from ascendref.core.markdown import table
from ascendref.declaration.operator import APIS, Operator
from ascendref.verify.figures.panels import LABELS
from ascendref.verify.setting import data_name, gradient_name

DOCS = Path(__file__).parents[1]
PICTURES = DOCS / "_generated" / "operators"

#: what the edge table takes for the tensor that the formula depends on
EDGES = (-np.inf, -1.0, -0.0, 0.0, 0.5, 1.0, np.inf, np.nan)
GRADIENTS = (1.0, -np.inf, np.nan)
#: and for the second tensor of operators that take no gradient
SECOND = (0.0, 0.5, 1.0)

#: what the groups of operators are called
HEADINGS = {"activation": "Activations", "loss": "Losses"}

Row = tuple[str, ...]


def operator_page(operator: Operator) -> str:
    """Return the page of an operator."""
    return "\n".join(_lines(operator)) + "\n"


def _lines(operator: Operator) -> Iterator[str]:
    short = re.sub("_(backward|grad)$", "", operator.name).replace("_", " ")
    yield from (f"# {operator.name}", "")
    # the search shows the page first for these words
    yield from ("```{index} " + ", ".join(f"! {x}" for x in (short, operator.api) if x), "```", "")
    vendor = f"The vendor's operator is `{operator.api}`."
    yield vendor if operator.api else "The vendor documents no such operator."
    yield from ("", "```{math}", cleandoc(operator.latex), "```", "")
    datum, second, setting = data_name(operator), gradient_name(operator), usual_setting(operator)
    with_setting = f", with `{setting.label}`" if setting.values else ""
    caption = (
        f"`{operator.outputs[0]}` over `{datum}` in F32"
        + (f"; `{second}` is 1" if second else "")
        + f"{with_setting}."
    )
    yield from _picture(operator, "function", caption)
    yield from ("", "```{eval-rst}", f".. autofunction:: ascendref.{operator.name}", "```", "")
    if operator.per_channel:
        yield from ("```{eval-rst}", ".. autofunction:: ascendref.prelu_partial", "```", "")
    yield from ("## Edges", "")
    yield (
        f"Computed when this page was built, with `{operator.name}` on float32 arrays"
        + f"{with_setting}."
        + (f" Columns are values of `{second}`." if second else "")
    )
    yield ""
    columns = (1.0,) if second is None else GRADIENTS if operator.forward else SECOND
    heads = map(_number, columns) if second else [f"`{operator.outputs[0]}`"]
    yield from table((f"`{datum}`", *heads), _edge_rows(operator, columns))
    differences = [row for row in _sources() if _concerns(row, operator)]
    if differences:
        yield from ("", "Where the sources differ ([all of them](../../sources.md)):", "")
        yield from table(
            ("case", "ascendref", "operator pages", "published code", "PyTorch (CPU)"),
            ((case, ours, *theirs) for _, case, *theirs, ours in differences),
        )
    yield from ("", "## Types", "", "Of the array function:", "")
    yield from table(
        ("tensor", "types"), ((f"`{t.name}`", _types(t.types)) for t in operator.tensors)
    )
    if operator.same_type:
        yield from ("", "All tensors have one type.")
    if operator.api:
        yield from ("", "Of the two-phase functions, on each product:", "")
        yield from table(("product", "tensor", "types"), _product_rows(operator))
    yield from ("", "## Accuracy", "")
    yield from ("::::{grid} 1 1 2 2", "", ":::{grid-item}")
    yield from _picture(
        operator,
        "error",
        f"{'Largest error' if second else 'Error'} for each `{datum}`"
        + (f" among {OTHERS} values of `{second}`" if second else "")
        + f" in F32{with_setting}: a sample, computed when this page was built.",
    )
    if not any(row["operator"] == operator.name for row in MEASURED["sweeps"]):
        yield from (":::", "::::", "", "The sweeps of [Accuracy](../../accuracy.md) are older than")
        yield from (f"the operator: `ascendref verify {operator.name}` measures it.", "")
    else:
        yield from _measured(operator)
    if operator.api:
        yield from _two_phase(operator)


def _two_phase(operator: Operator) -> Iterator[str]:
    """Yield the section on the vendor's functions."""
    yield from ("", "## Two-phase functions", "", "In C:", "", "```c")
    versions = [version for version in APIS.values() if version.name == operator.name]
    functions = [function for version in versions for function in operator_functions(version)]
    for header in dict.fromkeys(function.header for function in functions):
        yield f'#include "{header}"'
    for function in functions:
        yield from ("", *_prototype(function.prototype))
    yield from ("```", "", "In Python:", "", "```{eval-rst}")
    for function in functions:
        yield from (f".. autofunction:: ascendref.aclnn.{function.name}", "")
    yield "```"


def _measured(operator: Operator) -> Iterator[str]:
    """Yield what the sweeps of all operators measured of one."""
    yield from (":::", ":::{grid-item}")
    yield from _picture(
        operator,
        "measured",
        "Share of results by error, over all settings of the table below; *right* is correctly"
        " rounded.",
    )
    yield from (":::", "::::", "")
    yield (
        "Stated bounds and the largest errors that were measured, in units in the last place (ulp)."
        " *Wrong* counts results that are not the exact value rounded once, in the default"
        ' arithmetic and with `compute_dtype="float64"`. The whole run, and the command'
        " that measured it: [Accuracy](../../accuracy.md). The table is that of ascendref"
        f" {MEASURED['versions']['ascendref']}, {MEASURED['date']}; the"
        " [changelog](../../changelog.md) says which results have changed since."
    )
    yield ""
    yield from table(
        ("bound", "type", "setting", "largest error", "stated", "wrong", "wrong in F64", "of"),
        (*_accuracy_rows(operator), *_float64_rows(operator)),
    )
    if operator.per_channel:
        yield from ("", f"The error of the sum in `{operator.outputs[1]}`, relative to the sum of")
        yield from ("its terms' magnitudes:", "")
        yield from table(
            ("bound", "type", "terms", "how many", "arithmetic", "largest error", "stated"),
            _sum_rows(),
        )


def _picture(operator: Operator, name: str, caption: str) -> Iterator[str]:
    """Yield a picture and its caption, for light pages and for dark ones."""
    folder = Path("../..", PICTURES.relative_to(DOCS)).as_posix()
    for theme in ("light", "dark"):
        yield f"```{{figure}} {folder}/{operator.name}-{name}-{theme}.svg"
        yield from (f":alt: {caption}".replace("`", ""), ":class: dark-light")
        yield from (f":figclass: only-{theme}", "")
        yield from (caption, "```")


def _prototype(prototype: Prototype) -> Iterator[str]:
    """Yield the lines of a function's declaration in C."""
    start, parameters = prototype.declaration.rstrip(")").split("(", 1)
    yield f"{start}("
    yield ",\n".join(f"    {parameter}" for parameter in parameters.split(", ")) + ");"


def _edge_rows(operator: Operator, columns: tuple[float, ...]) -> Iterator[Row]:
    """Yield the results at the edges."""
    with np.errstate(all="ignore"):
        rows = results(operator, EDGES, columns)
    for datum, row in zip(EDGES, rows, strict=True):
        yield (_number(datum), *[_number(result.item()) for result in row])


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
        types = {_types(param.types) for param in params}
        if len(types) == 1:
            yield product.name, "all", *types
        else:
            for param in params:
                yield product.name, f"`{param.name}`", _types(param.types)


def _concerns(row: Row, operator: Operator) -> bool:
    """Whether a row of docs/sources.md is about an operator: "FAMILY" or "FAMILY, gradient".

    Of a family without a function, the first is about the gradient.
    """
    family, _, gradient = row[0].lower().partition(", ")
    members = [other for other in ar.OPERATORS.values() if other.family == operator.family]
    about = bool(gradient) or all(other.forward for other in members)
    same = re.sub("[ -]", "_", family) == operator.family
    return same and about == (operator.forward is not None)


def _sources() -> Iterator[Row]:
    """Yield the rows of the table in docs/sources.md."""
    lines = (DOCS / "sources.md").read_text(encoding="utf-8").splitlines()
    for line in [line for line in lines if line.startswith("|")][2:]:
        cells = line.strip().strip("|").replace(r"\|", "\0").split("|")
        yield tuple(cell.strip().replace("\0", "|") for cell in cells)


def _verdict(holds: bool) -> str:
    return "holds" if holds else "**broken**"


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
                _verdict(row["holds"]), *key, f"{row['max_ulp']:.6g}", row["bound"] or "–",
                wrong[*key, "float32"], wrong[*key, "float64"], f"{row['pairs']:,}",
            )  # fmt: skip


def _float64_rows(operator: Operator) -> Iterator[Row]:
    """Yield the same for F64 data."""
    for row in MEASURED["float64"]:
        if row["operator"] == operator.name:
            yield (
                _verdict(row["holds"]), "float64, sampled", row["setting"],
                f"{row['max_ulp']:.4g}", row["bound"] or "–", f"{row['wrongly_rounded']:,}", "–",
                f"{row['pairs']:,}",
            )  # fmt: skip


def _sum_rows() -> Iterator[Row]:
    """Yield what was measured of the sums."""
    for row in MEASURED["grad_weight"]:
        yield (
            _verdict(row["holds"]), row["kind"], row["what"], f"{row['terms']:,}", row["compute"],
            f"{row['error']:.3g}", row["stated"],
        )  # fmt: skip


def operator_list() -> str:
    """Return the operators by group and family, with the first sentences of their docstrings."""
    lines = list[str]()
    for group, members in groupby(in_groups(ar.OPERATORS.values()), attrgetter("group")):
        lines += (f"### {HEADINGS[group]}", "")
        for family, operators in groupby(members, attrgetter("family")):
            lines.append(family.replace("_", " "))
            for operator in operators:
                summary = cleandoc(getattr(ar, operator.name).__doc__).partition("\n\n")[0]
                lines.append(f": [](operators/{operator.name}.md) – {summary}")
            lines.append("")
    return "\n".join(lines).replace("``", "`")


def operator_table() -> str:
    """Return a table of all operators for each group."""
    lines = list[str]()
    for group, operators in groupby(in_groups(ar.OPERATORS.values()), attrgetter("group")):
        lines += (f"## {HEADINGS[group]}", "")
        lines += table(
            ("operator", "speed F32", "F16", "BF16", "PyTorch's", "F32 bound", "measured",
             "F16, BF16 bound", "measured", "vendor's", "device's types", "products"),
            map(_table_row, operators),
        )  # fmt: skip
        lines.append("")
    return "\n".join(lines)


def _table_row(operator: Operator) -> Row:
    setting = usual_setting(operator)
    params = [params for product in ar.PRODUCTS if (params := operator.on(product))]
    types = {kind for tensors in params for tensor in tensors for kind in tensor.types}
    products = [name.removeprefix("Atlas ") for name in operator.device.products]
    apis = [version.api for version in APIS.values() if version.name == operator.name]
    return (
        f"[{operator.name}](reference/operators/{operator.name}.md)",
        *[_speeds().get((operator.name, kind.name), "–") for kind in (FLOAT32, FLOAT16, BFLOAT16)],
        f"`{operator.torch.name}`" if operator.torch else "–",
        without_range(str(setting.bound(FLOAT32.name, FLOAT32.name, 1))),
        _largest(operator, FLOAT32),
        without_range(str(setting.bound(FLOAT16.name, FLOAT32.name, 1))),
        _largest(operator, FLOAT16, BFLOAT16),
        ", ".join(f"`{api}`" for api in apis) or "–",
        ", ".join(LABELS.get(x, x) for x, kind in ELEMENT_TYPES.items() if kind in types) or "–",
        ", ".join(products) or "–",
    )


def _largest(operator: Operator, *kinds: ElementType) -> str:
    """Return the largest error that was measured, in the default arithmetic and setting."""
    names, label = [kind.name for kind in kinds], usual_setting(operator).label
    found = [
        row["max_ulp"]
        for row in MEASURED["sweeps"]
        if (row["operator"], row["computed"]) == (operator.name, FLOAT32.name)
        and row["dtype"] in names
        and row["setting"] == label
    ]
    return f"{max(found):.4g}" if found else "–"


@cache
def _speeds() -> dict[tuple[str, str], str]:
    """Return the times of PyTorch divided by ours, by the names of operators and types.

    They are those of 1 Mi elements, one thread and the result given.
    """
    rows = [row for row in bench_rows() if row["threads"] == "1"]
    return {(row["operator"], row["dtype"]): row["given 1 Mi"] or "–" for row in rows}


def known_functions() -> str:
    """Return how many functions of each group are known and who computes them, then the absent."""
    groups = [(name, [*rows]) for name, rows in groupby(known().values(), attrgetter("group"))]
    rows = _known_rows([*groups, ("all", known().values())])
    lines = [*table(("group", "functions", *PRESENCES), rows), "", "The absent ones:", ""]
    names = {
        group: " ".join(f"`{row.api}`" for row in members if row.presence == "absent")
        for group, members in groups
    }
    lines += table(("group", "absent"), [row for row in names.items() if row[1]])
    return "\n".join([*lines, ""])


def _known_rows(groups: Iterable[tuple[str, Collection[Known]]]) -> Iterator[Row]:
    """Yield the counts of groups."""
    for name, rows in groups:
        counts = Counter(row.presence for row in rows)
        yield name, str(len(rows)), *[str(counts[presence]) for presence in PRESENCES]


def command_page() -> str:
    """Return the page of the commands: Typer's, with summaries in full and examples as code."""
    command = (sys.executable, "-m", "typer", "ascendref.cli.app", "utils", "docs")
    options = ("--name", "ascendref", "--title", "Command line")
    text = subprocess.run(
        [*command, *options], check=True, capture_output=True, encoding="utf-8"
    ).stdout
    text = html.unescape(text)
    for name, summary in re.findall(r"^## `ascendref (.*)`\n\n(.*)$", text, re.MULTILINE):
        text = re.sub(
            rf"^\* `{re.escape(name)}`: .*$",
            lambda match, name=name, summary=summary: f"* `{name}`: {summary}",
            text,
            flags=re.MULTILINE,
        )
    return re.sub(r"^Example: (.*)$", r"Example:\n\n```sh\n\1\n```", text, flags=re.MULTILINE)


def write_pages(app: Sphinx) -> None:
    """Write all pages and pictures; pages that would stay as they are are not touched."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for operator in ar.OPERATORS.values():
        sweeps = [row for row in MEASURED["sweeps"] if row["operator"] == operator.name]
        draw_pictures(operator, sweeps, PICTURES)
    folder = DOCS / "reference" / "operators"
    pages = {folder / f"{name}.md": operator_page(op) for name, op in ar.OPERATORS.items()}
    pages[DOCS / "reference" / "command-line.md"] = command_page()
    pages[PICTURES.with_suffix(".md")] = operator_list()
    pages[PICTURES.with_name("table.md")] = operator_table()
    pages[PICTURES.with_name("known.md")] = known_functions()
    for path, text in pages.items():
        path.parent.mkdir(exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before Sphinx looks for sources."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
