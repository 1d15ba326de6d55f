"""`ascendref bench`: the same work on both sides, and what it prints, draws and writes."""

import csv
import io
import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ascendref as ar
from ascendref.bench.cases import (
    CHANNEL_LAYOUTS,
    KINDS,
    LAYOUTS,
    SIZES,
    Case,
    bytes_moved,
    own_call,
    results,
    tensors,
)
from ascendref.bench.figure import panel_rows
from ascendref.bench.measure import jobs, triad
from ascendref.bench.peers import peer_call
from ascendref.bench.results import Row, geometric_mean
from ascendref.bench.timing import Timing, take_turns

from ..cli.command_line import call
from ..support.cases import LAUNCHED
from ..support.processes import ROOT
from .performance import write

INSTALLED = [name for name in ("torch", "jax") if find_spec(name) is not None]
PRELU = "prelu_backward"


def layouts(operator: str) -> tuple[str, ...]:
    if operator == PRELU:
        return LAYOUTS + CHANNEL_LAYOUTS
    return LAYOUTS if operator in LAUNCHED else LAYOUTS[:1]


CASES = [
    Case(operator, kind, 4096, layout)
    for operator in ar.OPERATORS
    for kind in KINDS
    for layout in layouts(operator)
]


def as_numbers(result: Any) -> tuple[np.ndarray[Any, Any], ...]:
    """Return results of any library as float64 arrays."""
    results = result if isinstance(result, (tuple, list)) else (result,)
    return tuple(
        np.asarray(r.float().numpy() if hasattr(r, "numpy") else r, np.float64) for r in results
    )


@pytest.mark.full
@pytest.mark.parametrize(
    ("peer", "case"),
    [
        pytest.param(peer, case, id="-".join(map(str, (peer, *case[:4]))))
        for peer in INSTALLED
        for case in CASES
        if peer != "torch" or case.declared.torch
    ],
)
def test_both_sides_do_the_same_work(peer: str, case: Case) -> None:
    arrays = tensors(case)
    theirs = peer_call(peer, case, arrays, results(case, arrays) if case.out else None)
    assert theirs is not None
    tolerance = {"float32": 1e-5, "float16": 4e-3, "bfloat16": 3e-2}[case.kind]
    # sums of half-precision terms cancel: what one side rounds in between is many of its ulps
    for index, (got, want) in enumerate(
        zip(as_numbers(own_call(case, arrays)()), as_numbers(theirs()), strict=True)
    ):
        # and next to a zero of the formula, terms that cancel
        scale = float(np.abs(want).max()) if index else 0.5
        np.testing.assert_allclose(
            got.ravel(), want.ravel(), rtol=tolerance, atol=scale * tolerance
        )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("operator", ar.OPERATORS)
def test_arrays_are_laid_out_as_named(operator: str, kind: str) -> None:
    def data(layout: str) -> tuple[np.ndarray[Any, Any], ...]:
        return tensors(Case(operator, kind, 4096, layout))

    assert all(array.flags.c_contiguous for array in data("dense"))
    np.testing.assert_array_equal(data("dense")[0], data("dense")[0])  # the same numbers each time
    second = min(1, sum(array.ndim == 2 for array in data("dense")) - 1)
    assert data("transposed")[second].T.flags.c_contiguous
    assert data("sliced")[second].strides[-1] == 2 * data("sliced")[second].itemsize
    assert data("broadcast")[0].strides[0] == 0
    assert {array.dtype.name for array in (*data("dense"), *data("sliced"))} == {kind}


@pytest.mark.parametrize("size", [1, 7, 100, 4096])
def test_arrays_have_the_size_that_is_asked_for(size: int) -> None:
    assert [array.size for array in tensors(Case("elu_backward", "float32", size))] == 2 * [size]


def test_bytes_count_each_read_and_write_once() -> None:
    assert bytes_moved(Case("hardshrink_backward", "float32", 4096)) == 3 * 4 * 4096
    assert bytes_moved(Case("smooth_l1_loss_backward", "float16", 4096)) == 4 * 2 * 4096
    assert bytes_moved(Case(PRELU, "bfloat16", 4096)) == 3 * 2 * 4096
    assert bytes_moved(Case("logit_grad", "float32", 4096, "broadcast")) == 4 * (2 * 4096 + 64)


@pytest.mark.full
def test_the_triad_adds() -> None:
    np.testing.assert_array_equal(triad(12 * 100_000, threads=1)(), np.full(100_000, 4))


def test_turns_give_the_least_and_the_middle() -> None:
    times = take_turns([lambda: None, lambda: sum(range(1000))], 0.05)
    assert 0 < times[0].seconds < times[1].seconds
    assert all(timing.median >= timing.seconds and timing.noise >= 0 for timing in times)


def test_the_jobs_of_a_run_cover_every_operator_type_and_size() -> None:
    found = list(jobs(tuple(ar.OPERATORS), KINDS, tuple(SIZES.values()), (1, 2)))
    cells = {
        (job.case.operator, job.case.kind, job.case.size, job.case.out, job.threads)
        for job in found
        if job.section == "sizes"
    }
    assert len(cells) == len(ar.OPERATORS) * len(KINDS) * len(SIZES) * 2 * 2
    assert len(set(found)) == len(found)


def test_a_ratio_is_the_other_sides_time() -> None:
    job = next(jobs(("softplus_backward",), ("float32",), (16,), (1,)))
    row = Row(job, Timing(2.0, 2.2), Timing(3.0, 3.0), Timing(1.0, 1.0))
    assert (row.ratio, row.roof, row.goal, row.below_goal) == (1.5, 0.5, 1.0, False)
    assert row.bandwidth == 3 * 4 * 16 / 2.0
    slow = row._replace(other=Timing(1.9, 2.0))
    assert slow.below_goal
    assert geometric_mean([row, slow]) == pytest.approx((1.5 * 0.95) ** 0.5)
    assert np.isnan(geometric_mean([row._replace(other=None)]))


@pytest.mark.full
@pytest.mark.parametrize("peer", ["none", *INSTALLED[:1]])
def test_json_has_every_cell(peer: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    done = call(
        "bench", "logit_grad", PRELU, "--dtype", "float16", "--size", 16, "--size", 65536,
        "--seconds", 0.001, "--threads", 1, "--peer", peer, "--json", "--report", page,
    )  # fmt: skip
    assert done.exit_code == 0
    report = json.loads(done.stdout)
    assert report["peer"] == peer
    rows = report["rows"]
    assert {row["operator"] for row in rows} == {"logit_grad", PRELU}
    assert {row["dtype"] for row in rows} == {"float16"}
    assert {row["threads"] for row in rows} == {1}
    assert {row["elements"] for row in rows if row["section"] == "sizes"} == {16, 65536}
    assert {row["layout"] for row in rows if row["section"] == "layouts"} == set(LAYOUTS[1:])
    assert all(row["seconds"] > 0 and row["bytes_per_second"] > 0 for row in rows)
    for row in rows:
        compared = peer != "none" or row["section"] in ("rounding", "threads")
        assert (row["ratio"] is not None) == compared
    text = page.read_text()
    assert (f"the time of {peer} divided by" in text) == (peer != "none")
    assert ("\n| logit_grad | " in text) == (peer != "none")
    table = io.StringIO()
    write(rows, table)
    lines = list(csv.DictReader(table.getvalue().splitlines(), delimiter="\t"))
    assert [(x["operator"], x["dtype"], x["threads"]) for x in lines] == [
        ("logit_grad", "float16", "1"), (PRELU, "float16", "1")
    ]  # fmt: skip
    for line in lines:
        found = {name for name, cell in line.items() if re.fullmatch(r"~?\d+\.\d\d", cell)}
        assert "float64 beside the default" in found
        assert ({"given 16", "made 64 Ki", *LAYOUTS[1:]} <= found) == (peer != "none")


def test_the_page_of_the_documents_has_the_figures_of_the_table() -> None:
    text = (ROOT / "docs" / "performance.tsv").read_text(encoding="utf-8")
    ratios = [
        float(cell.strip("~"))
        for row in csv.DictReader(text.splitlines(), delimiter="\t")
        for name, cell in row.items()
        if name.split()[0] in ("given", "made", "images", "one", *LAYOUTS) and cell
    ]
    faster, count = sum(ratio >= 1 for ratio in ratios), len(ratios)
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    assert f"**`ascendref` is faster than torch in {faster:,} of {count:,} cells" in page


def test_a_picture_of_many_operators_has_lines_of_eight() -> None:
    columns: Any = [[f"{k} above", f"{k} below"] for k in range(17)]
    rows = panel_rows(columns)
    assert [len(row) for row in rows] == [8, 8, 8, 8, 1, 1]
    assert rows[2][:2] == ("8 above", "9 above")
    assert rows[5] == ("16 below",)


@pytest.mark.full
def test_tables_a_picture_and_a_report(tmp_path: Path) -> None:
    picture, page = tmp_path / "sweep.png", tmp_path / "page.md"
    done = call(
        "bench", "aclnnHardshrinkBackward", "--size", 16, "--seconds", 0.001, "--quick",
        "--plot", picture, "--report", page,
    )  # fmt: skip
    assert done.exit_code == 0
    assert done.stderr == "".join(f"written to {file}\n" for file in (page, picture))
    assert "hardshrink_backward" in done.stdout
    assert "longer than the fastest one" in " ".join(done.stdout.split())
    assert picture.read_bytes().startswith(b"\x89PNG")
    text = page.read_text()
    for words in ("# Performance", "ascendref bench hardshrink_backward", "!["):
        assert words in text


def test_a_peer_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ascendref.bench.peers.find_spec", lambda name: None)
    done = call("bench", "--peer", "torch")
    assert done.exit_code == 2
    assert "--peer: torch is not installed: pip install " in done.stderr
