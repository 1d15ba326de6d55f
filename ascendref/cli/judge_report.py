"""What ``ascendref judge`` says: text, JSON and a page."""

import base64
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.console import Console

from ..core.dtypes import BY_NUMPY
from ..core.errors import OptionError
from ..core.extras import install_command
from ..core.output_files import output_file
from ..verify.setting import data_name
from ..verify.verdict.judging import Judged, Verdict
from .console import json_number, wrapped
from .markdown import Table
from .outputs import print_written, report_write_errors
from .page import page

#: columns of the table of many results
_COLUMNS: Final = (
    "call", "result", "type", "elements", "fits", "not rounded", "max ulp", "vendor", "PyTorch",
)  # fmt: skip
#: calls that were skipped, or wrong ones, that are named unless everything is asked for
_SHOWN: Final = 5
#: pictures on a page
_PICTURES: Final = 12

Skipped = Mapping[str, str]


def as_json_value(found: Sequence[Judged], skipped: Skipped) -> dict[str, Any]:
    """Return everything for programs."""
    return {
        "right": all(each.right for each in found if not each.is_reference),
        "fits": _fits(list(_pairs(found))),
        "results": [_row(judged, verdict) for judged, verdict in _pairs(found)],
        "skipped": [{"call": label, "why": why} for label, why in skipped.items()],
    }


def _pairs(found: Sequence[Judged]) -> Iterator[tuple[Judged, Verdict]]:
    for judged in found:
        for verdict in judged.verdicts:
            yield judged, verdict


def _row(judged: Judged, verdict: Verdict) -> dict[str, Any]:
    comparison = verdict.comparison
    return {
        "call": judged.label,
        "operator": judged.operator,
        "attrs": {n: x if isinstance(x, str) else json_number(x) for n, x in judged.attrs.items()},
        "reference": judged.is_reference,
        "result": verdict.name,
        "dtype": verdict.actual.dtype.name,
        "shape": list(verdict.actual.shape),
        "right": verdict.right,
        "problem": verdict.problem or None,
        "arithmetic": verdict.arithmetic,
        "not_correctly_rounded": verdict.wrong,
        "tried": [fit._asdict() for fit in verdict.fits],
        "max_ulp": json_number(_largest(verdict)),
        "mean_ulp": comparison and json_number(comparison.mean_ulp),
        "nan_mismatches": comparison and comparison.nan_mismatches,
        "infinity_mismatches": comparison and comparison.infinity_mismatches,
        "zero_sign_mismatches": comparison and comparison.zero_sign_mismatches,
        "vendor_accepts": verdict.accepted,
        "vendor_rule": verdict.acceptance or None,
        "torch_accepts": verdict.close,
        "worst": [
            {
                "index": list(element.at),
                "inputs": {name: json_number(x) for name, x in element.inputs.items()},
                "actual": json_number(element.actual),
                "exact": json_number(element.exact),
                "ulp": json_number(element.ulp),
            }
            for element in verdict.worst
        ],
        "would_be_right_with": list(judged.would_fit),
        "notes": list(judged.notes),
    }


def _largest(verdict: Verdict) -> float:
    return math.inf if verdict.infinite else verdict.largest


def sentence(judged: Judged, verdict: Verdict) -> str:
    """Return the verdict on a result in one sentence."""
    what = f"{verdict.name} of {judged.label}" + (" (reference)" if judged.is_reference else "")
    would = f"; would be right with {' or '.join(judged.would_fit)}" if judged.would_fit else ""
    if verdict.problem:
        return f"wrong: {what} {verdict.problem}{would}"
    if not verdict.wrong:
        return f"right: {what} is correctly rounded, all {verdict.actual.size:,} elements"
    count = f"{verdict.wrong:,} of {verdict.actual.size:,} elements are not correctly rounded"
    rest = f"{count}, the largest error is {_ulp(verdict)}"
    if verdict.right:
        unbounded = verdict.fits[-1].unbounded
        rest += f"; no bound is stated for {unbounded:,}" if unbounded else ""
        return f"right: {what} fits {verdict.arithmetic} arithmetic; {rest}"
    return f"wrong: {what} fits no arithmetic; {rest}{would}"


def _ulp(verdict: Verdict) -> str:
    text = f"{verdict.largest:.4g} ulp"
    if not verdict.infinite:
        return text
    return f"{text}, and {verdict.infinite:,} differ by a NaN, an infinity or the sign of 0"


def show(found: Sequence[Judged], skipped: Skipped, everything: bool) -> None:
    """Print the verdict first, then a table of many results, then those that are wrong."""
    console = Console()
    pairs = list(_pairs(found))
    print(wrapped(_verdict(pairs), console.width, "", "  "))
    if len(pairs) > 1:
        rows = [pair for pair in pairs if everything or pair[1].wrong or not pair[1].right]
        if rows:
            console.print(_table(rows).in_terminal())
        if len(rows) < len(pairs):
            print(f"{len(pairs) - len(rows):,} more are correctly rounded: --all")
        wrong = [pair for pair in pairs if not pair[1].right]
        shown = pairs if everything else wrong[:_SHOWN]
        for judged, verdict in shown:
            print("\n" + wrapped(sentence(judged, verdict), console.width, "", "  "))
            _show_details(console, judged, verdict)
        if len(wrong) > len(shown):
            print(f"{len(wrong) - len(shown)} more are wrong: --all")
    else:
        _show_details(console, *pairs[0])
    reasons: dict[str, list[str]] = {}
    for label, why in skipped.items():
        reasons.setdefault(why, []).append(label)
    for why, labels in reasons.items():
        names = labels if everything else [*labels[:_SHOWN], *["…"] * (len(labels) > _SHOWN)]
        text = f"not judged, {len(labels):,}: {why}: {', '.join(names)}"
        print(wrapped(text, console.width, "", "  "))


def _verdict(pairs: Sequence[tuple[Judged, Verdict]]) -> str:
    if len(pairs) == 1:
        return sentence(*pairs[0])
    fits = _fits(pairs)
    wrong, count = fits.pop("none", 0), len(pairs) - sum(judged.is_reference for judged, _ in pairs)
    of_each = ", ".join(f"{n:,} {arithmetic}" for arithmetic, n in fits.items())
    if wrong:
        rest = f"; of the others: {of_each}" if fits else ""
        return f"wrong: {wrong:,} of {count:,} results fit no arithmetic{rest}"
    return f"right: each of {count:,} results fits an arithmetic: {of_each}"


def _fits(pairs: Sequence[tuple[Judged, Verdict]]) -> dict[str, int]:
    """Return how many results fit each arithmetic, or none."""
    own = [verdict for judged, verdict in pairs if not judged.is_reference]
    found = Counter([str(verdict.arithmetic) if verdict.right else "none" for verdict in own])
    return dict(found.most_common())


def _table(pairs: Sequence[tuple[Judged, Verdict]]) -> Table:
    return Table("", _COLUMNS, [_cells(judged, verdict) for judged, verdict in pairs])


def _cells(judged: Judged, verdict: Verdict) -> list[str]:
    accepted = {True: "accepts", False: "**refuses**", None: "no rule"}[verdict.accepted]
    return [
        judged.label + (" (reference)" if judged.is_reference else ""),
        verdict.name,
        verdict.actual.dtype.name,
        f"{verdict.actual.size:,}",
        verdict.arithmetic or f"**{verdict.problem or 'none'}**",
        f"{verdict.wrong:,}",
        f"{_largest(verdict):.3g}",
        accepted,
        "accepts" if verdict.close else "**refuses**",
    ]


def _details(judged: Judged, verdict: Verdict) -> Iterator[str]:
    """Yield lines about a result."""
    for fit in verdict.fits[1:]:
        text = f"{fit.beyond:,} elements do not fit: {fit.bound}" if fit.beyond else fit.bound
        without = f"; no bound is stated for {fit.unbounded:,}" if fit.unbounded else ""
        yield f"{fit.arithmetic}: {text}{without}"
    comparison = verdict.comparison
    if comparison is not None:
        counts = {
            "NaN": comparison.nan_mismatches,
            "infinity": comparison.infinity_mismatches,
            "sign of 0": comparison.zero_sign_mismatches,
        }
        if any(counts.values()):
            yield "mismatches: " + ", ".join(f"{n} {x:,}" for n, x in counts.items() if x)
        said = {True: "accepted", False: "refused", None: "none for the type"}[verdict.accepted]
        more = f": {' '.join(verdict.acceptance.split())}" if verdict.acceptance else ""
        yield f"the vendor's rule: {said}{more}"
        yield f"PyTorch's tolerances: {'accepted' if verdict.close else 'refused'}"
    yield from judged.notes


def _worst(verdict: Verdict) -> Table:
    names = list(verdict.worst[0].inputs) if verdict.worst else []
    rows = [
        [
            str(element.at),
            *[f"{element.inputs[name]:.9g}" for name in names],
            f"{element.actual:.9g}",
            f"{element.exact:.12g}",
            f"{element.ulp:.4g}",
        ]
        for element in verdict.worst
    ]
    return Table("", ("at", *names, "result", "exact value", "ulp"), rows)


def _show_details(console: Console, judged: Judged, verdict: Verdict) -> None:
    if verdict.problem:
        return
    for line in _details(judged, verdict):
        print(wrapped(line, console.width, "  ", "    "))
    if verdict.worst:
        console.print(_worst(verdict).in_terminal())


# --- the page -------------------------------------------------------------------------------------


def check_page() -> None:
    """Raise OptionError before any work is done if there is no library for pictures."""
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError as error:
        needed = f"needs {error.name}: {install_command('plot')}"
        raise OptionError("--html", needed) from None


def write_page(path: Path, found: Sequence[Judged], skipped: Skipped) -> None:
    """Write a page with the verdict, tables, and pictures of errors against inputs."""
    pairs = list(_pairs(found))
    parts = [f"<p>{escape(_verdict(pairs))}</p>", _html(_table(pairs))]
    # wrong ones first, then those with errors
    order = sorted(pairs, key=lambda pair: (pair[1].right, pair[1].wrong == 0))
    for number, (judged, verdict) in enumerate(order):
        if number >= _PICTURES and verdict.right:
            break
        parts.append(f"<h2>{escape(judged.label)}: {escape(verdict.name)}</h2>")
        parts.append(f"<p>{escape(sentence(judged, verdict))}</p>")
        lines = [] if verdict.problem else [*_details(judged, verdict)]
        parts.append("<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>")
        parts += [_html(_worst(verdict))] if verdict.worst else []
        parts += _picture(judged, verdict) if number < _PICTURES else []
    parts += [f"<p>not judged: {escape(n)}: {escape(why)}</p>" for n, why in skipped.items()]
    text = page("ascendref judge", parts)
    with report_write_errors("--html", path), output_file(path) as file:
        file.write(text.encode())
    print_written(path)


def _html(table: Table) -> str:
    heading = "".join(f"<th>{escape(name)}</th>" for name in table.headings)
    rows = [
        "<tr>" + "".join(f"<td>{escape(cell.replace('**', ''))}</td>" for cell in row) + "</tr>"
        for row in table.rows
    ]
    return f"<table><tr>{heading}</tr>{''.join(rows)}</table>"


def _picture(judged: Judged, verdict: Verdict) -> list[str]:
    """Return the picture of an elementwise result's errors against the data."""
    call, kind = judged.call, BY_NUMPY.get(verdict.actual.dtype)
    if verdict.problem or call is None or kind is None or not kind.floating:
        return []
    if call.is_sum or verdict.name != call.operator.outputs[0] or not verdict.actual.size:
        return []
    from ..verify.figures.errors import judged_panel
    from ..verify.figures.panels import picture

    place = call.operator.operand_names.index(data_name(call.operator))
    parts = call.parts(verdict.actual.shape)
    data = np.concatenate([part.tensors[place].reshape(-1) for part in parts])
    errors = np.concatenate([verdict.errors.reshape(-1)[part.places.reshape(-1)] for part in parts])
    bounds = [part.setting.bound(kind.name, call.compute, 1) for part in parts]
    limit = max([bound.ulp for bound in bounds if bound is not None], default=0.0)
    panel = judged_panel(judged.label, kind.name, data, errors, limit)
    content = base64.b64encode(picture([[panel]], "png")).decode()
    return [f'<p class="picture"><img alt="errors" src="data:image/png;base64,{content}"></p>']
