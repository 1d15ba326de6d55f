"""What was measured, and the tables of all of it below the pages on it.

docs/accuracy.json is what ``ascendref verify --exhaustive --json`` printed, docs/performance.tsv
what ``python -m tests.bench.performance`` made of ``ascendref bench --json``, docs/frameworks.tsv
what ``python -m benchmarks.frameworks`` wrote, and ascendref/cli/published.tsv was collected by
hand. The tables are HTML, which the search does not index: they have thousands of rows.
``_static/filter.js`` gives a filter to every long table.
"""

import csv
import html
import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from sphinx.application import Sphinx

from ascendref.bench.cases import SIZES
from ascendref.cli.markdown import Table
from ascendref.cli.verify_report import ABOUT_TABLES, other_tables, outside_table, sweep_tables
from ascendref.verify.accuracy.rows import Measured

DOCS = Path(__file__).parents[1]
MEASURED: Measured = json.loads((DOCS / "accuracy.json").read_text(encoding="utf-8"))

#: columns of docs/performance.tsv that are not ratios, and ratios to other calls of ascendref
ROOF = ("GB/s", "of the triad")
OWN = ("float64 beside the default", "threads beside one")


def bench_rows(name: str = "performance") -> list[dict[str, str]]:
    """Return the rows of docs/performance.tsv, or of another file in docs."""
    with (DOCS / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def html_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; cells in ``**`` are bold."""
    lines = ['<div class="pst-scrollable-table-container"><table class="table">', "<thead>"]
    lines += (_row("th", headings), "</thead>", "<tbody>")
    lines += (_row("td", row) for row in rows)
    return "\n".join([*lines, "</tbody>", "</table></div>"])


def _row(tag: str, cells: Iterable[str]) -> str:
    """Return a row of a table."""
    return f"<tr>{' '.join(_cell(tag, cell) for cell in cells)}</tr>"


def _cell(tag: str, text: str) -> str:
    inner = html.escape(text.strip("*"))
    return f"<{tag}><b>{inner}</b></{tag}>" if text.startswith("**") else f"<{tag}>{inner}</{tag}>"


def performance() -> Iterator[str]:
    """Yield the section of all cells."""
    yield from ("", "## Every cell", "")
    yield (
        "PyTorch's time divided by that of `ascendref`, by the number of elements. **Bold**:"
        " PyTorch is faster; ~: the difference is smaller than the noise. *Given* and *made* are"
        " results in a given array and in a new one. *GB/s* count each byte that is read or written"
        " once, with 16 Mi elements; the *triad* (a = b + s·c) moves as many. [](limits.md)"
        " explains what limits the speed. The file: {download}`performance.tsv`."
    )
    sizes = list(SIZES)
    headings = ("operator", "type", "threads", "arrays or arithmetic", *sizes, *ROOF)
    yield from ("", "```{raw} html", html_table(headings, _cells(sizes)), "```")


def _cells(sizes: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each operator, type, number of threads, and kind of arrays or arithmetic."""
    for row in bench_rows():
        keys = [row.pop(name) for name in ("operator", "dtype", "threads")]
        roof = [row.pop(name) for name in ROOF]
        lines: dict[str, dict[str, str]] = {}
        for name, ratio in row.items():
            size = next((size for size in sizes if name.endswith(f" {size}")), None)
            kind = name.removesuffix(f" {size}")
            if ratio:
                bold = float(ratio.strip("~")) < 1 and name not in OWN
                lines.setdefault(kind, {})[size or "1 Mi"] = f"**{ratio}**" if bold else ratio
        lines.setdefault("given", {})
        for kind, ratios in lines.items():
            last = roof if kind == "given" else ("", "")
            yield (*keys, kind, *(ratios.get(size, "") for size in sizes), *last)


def accuracy() -> Iterator[str]:
    """Yield the sections of all settings."""
    sweeps = list(sweep_tables(MEASURED))
    every = Table(
        "Every setting",
        ("operator", "type", *sweeps[0].headings),
        [(*table.title.split(", "), *row) for table in sweeps for row in table.rows],
        ABOUT_TABLES + " The file: {download}`accuracy.json`.",
    )
    for table in (every, outside_table(MEASURED), *other_tables(MEASURED)):
        yield from ("", f"## {table.title}", "", table.note, "")
        yield from ("```{raw} html", html_table(table.headings, table.rows), "```")


def whole_file(page: str) -> Iterator[str]:
    """Yield the section of all rows of a page's file."""
    rows = bench_rows(page)
    yield from ("", "## Every row", "", f"The file: {{download}}`{page}.tsv`.", "")
    yield from ("```{raw} html", html_table([*rows[0]], [[*row.values()] for row in rows]), "```")


SECTIONS = {
    "accuracy": accuracy,
    "performance": performance,
    "frameworks": partial(whole_file, "frameworks"),
    # the commands read it, too
    "npu-results": partial(whole_file, "../ascendref/cli/published"),
}


def add_details(app: Sphinx, page: str, source: list[str]) -> None:
    """Append the tables to a page."""
    if page in SECTIONS:
        source[0] += "\n".join(SECTIONS[page]()) + "\n"


def setup(app: Sphinx) -> dict[str, bool]:
    """Append the tables when Sphinx reads a page."""
    app.connect("source-read", add_details)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
