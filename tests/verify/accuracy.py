"""The figures of the documentation, put together from runs of ``ascendref verify --json``::

    python -m tests.verify.accuracy RUN.json ...

adds what was measured to ``docs/accuracy.json`` in place of earlier measurements of the same, and
writes ``docs/accuracy.md`` anew. A sweep of everything takes hours; sweeps of one operator may be
made on different days.
"""

import json
import sys
from pathlib import Path
from typing import Any

import ascendref as ar
from ascendref.cli.console import json_text
from ascendref.cli.verify import broken, command_and_picture
from ascendref.cli.verify_report import report_lines
from ascendref.core.dtypes import FLOATS
from ascendref.verify.setting import settings

from ..support.processes import ROOT

FILE = ROOT / "docs" / "accuracy.json"
#: lists of rows -> what tells their rows apart
ROWS = {
    "sweeps": ("operator", "dtype", "setting", "computed"),
    "step_by_step": ("operator", "dtype", "setting", "compute_dtype"),
    "float64": ("operator", "setting"),
    "grad_weight": ("kind", "compute", "what", "terms"),
}


def merged(found: dict[str, Any], run: dict[str, Any]) -> dict[str, Any]:
    """Return figures with the rows of a run, which replace rows of the same name."""
    result = found | {name: run[name] for name in ("date", "versions", "processor")}
    order = {
        name: number for number, name in enumerate([*ar.OPERATORS, *[kind.name for kind in FLOATS]])
    }
    for name, key in ROWS.items():
        rows = {tuple(row.get(part) for part in key): row for row in found[name] + run[name]}
        result[name] = sorted(
            [row for row in rows.values() if is_current(row)],
            key=lambda row: [order.get(row.get(part), 0) for part in ("operator", "dtype")],
        )
    result["broken"] = list(broken(result))
    return result


def is_current(row: dict[str, Any]) -> bool:
    """Tell whether a setting is still measured."""
    labels = {setting.label for setting in settings(row["operator"])} if "operator" in row else {}
    return row.get("setting", None) in {*labels, None}


def main(files: list[str]) -> None:
    """Merge the files, in their order, and write the page."""
    figures = json.loads(FILE.read_text(encoding="utf-8"))
    for file in files:
        figures = merged(figures, json.loads(Path(file).read_text(encoding="utf-8")))
    FILE.write_text(json_text(figures) + "\n", encoding="utf-8")
    words = command_and_picture(figures, Path("docs/accuracy.md"), Path("docs/errors.png"))
    text = "\n".join(report_lines(figures, *words, details=False)) + "\n"
    (ROOT / "docs" / "accuracy.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
