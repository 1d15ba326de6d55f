"""`ascendref verify` and `ascendref study`: what they find, print, draw, and go on with."""

import json
import math
import os
import re
import shlex
import signal
import sys
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ascendref as ar
from ascendref import operators
from ascendref.cli.console import json_text
from ascendref.cli.verify import command_and_picture
from ascendref.cli.verify_report import outside, report_lines, wrong
from ascendref.core.extras import install_command
from ascendref.declaration.accuracy import Bound
from ascendref.verify.accuracy import runner, sweep
from ascendref.verify.accuracy.sweep import Sweep
from ascendref.verify.accuracy.sweep_result import SweepResult
from ascendref.verify.figures.errors import error_panels, place
from ascendref.verify.setting import Setting, settings

from ..cli.command_line import Result, assert_bad_call, call
from ..support.processes import ROOT

ONE = ("verify", "hardshrink_backward", "--dtype", "float16", "--no-torch")


@pytest.mark.exhaustive
@pytest.mark.daily(5)
@pytest.mark.parametrize("operator", ar.OPERATORS)
def test_a_sample_of_every_operator(operator: str, tmp_path: Path) -> None:
    report, plot = tmp_path / "accuracy.md", tmp_path / "errors.png"
    done = call(
        *("verify", operator, "--json", "--state", tmp_path / "state.json"),
        *("--plot", plot, "--report", report),
    )
    found = json.loads(done.stdout)
    assert done.exit_code == 0, found["broken"]
    assert done.stderr == "".join(f"written to {file}\n" for file in (report, plot))
    assert not (tmp_path / "state.json").exists()
    # one run for all, because it takes long
    check_figures(operator, found)
    check_picture_and_report(operator, found, tmp_path)
    if find_spec("torch") is not None:
        check_pytorch(operator, found)


def check_figures(operator: str, found: dict[str, Any]) -> None:
    declared, count = ar.OPERATORS[operator], len(settings(operator))
    assert not found["broken"]
    assert {row["operator"] for row in found["sweeps"]} == {operator}
    assert len([row for row in found["sweeps"] if row["computed"] != "torch"]) == count * 3 * 2
    for row in found["sweeps"]:
        assert row["pairs"] == row["of"] == sum(row["histogram"].values())
        if row["computed"] == "float64" or row["bound"] == "correctly rounded":
            assert row["wrongly_rounded"] == 0
            assert row["max_ulp"] <= 0.5
    assert len(found["step_by_step"]) == count * 3 * 3
    assert not any(row["differing"] for row in found["step_by_step"])
    kinds = {"float16", "bfloat16", "float32"} if declared.per_channel else set()
    assert {row["kind"] for row in found["grad_weight"]} == kinds
    assert all(row["holds"] for row in found["grad_weight"])
    assert all(row["rounded"] for row in found["grad_weight"] if row["compute"] == "float64")
    assert len(found["float64"]) == count
    assert all(row["holds"] for row in found["float64"])


def check_picture_and_report(operator: str, found: Any, folder: Path) -> None:
    assert (folder / "errors.png").read_bytes().startswith(b"\x89PNG")
    text = (folder / "accuracy.md").read_text()
    assert text.startswith("# Accuracy\n")
    assert f"`ascendref verify {operator} --seed 0 --report " in text
    assert "](errors.png)" in text
    assert f"numpy {np.__version__}" in text
    assert f"## {operator}, bfloat16" in text
    assert "BROKEN" not in text
    assert text.startswith("# Accuracy\n\n**Every stated bound holds.**\n")
    words = command_and_picture(found, folder / "accuracy.md", folder / "errors.png")
    assert list(report_lines(found, *words)) == text.splitlines()


def check_pytorch(operator: str, found: dict[str, Any]) -> None:
    rows = [row for row in found["sweeps"] if row["computed"] == "torch"]
    has_counterpart = ar.OPERATORS[operator].torch is not None
    assert len(rows) == has_counterpart * len(settings(operator)) * 3
    assert all(row["bound"] is None for row in rows)


def test_the_report_in_the_documents_is_made_from_the_measured_figures() -> None:
    text = (ROOT / "docs" / "accuracy.json").read_text(encoding="utf-8")
    figures = json.loads(text)
    assert text == json_text(figures) + "\n"
    words = command_and_picture(figures, Path("docs/accuracy.md"), Path("docs/errors.png"))
    lines = (ROOT / "docs" / "accuracy.md").read_text(encoding="utf-8").splitlines()
    assert list(report_lines(figures, *words, details=False)) == lines


@pytest.mark.full
def test_the_largest_error_stands_where_its_datum_does() -> None:
    computed = ("float32", "bfloat16")
    results = [SweepResult(Sweep(s, "float16", computed, False)) for s in settings("elu")]
    for _ in runner.run(results):
        pass
    ((key, panel),) = error_panels(results).items()
    assert key == ("elu", "float16")
    for name in computed:
        worst = max(results, key=lambda result: result.tallies[name].max_ulp).tallies[name]
        assert worst.at is not None
        (marks,) = [each for each in panel.marks if each.colour == name]
        assert marks.y.max() == np.float32(worst.max_ulp)
        assert place([worst.at["data"]], "float16")[0] in marks.x[marks.y == marks.y.max()]


@pytest.mark.full
def test_one_operator_as_a_table() -> None:
    done = call(*ONE, "--attr", "lambd=0.25", "--all")
    assert done.exit_code == 0, done.stderr
    for text in ("lambd=0.25", "wrong", "step by step", "Every stated bound holds"):
        assert text in " ".join(done.stdout.split())


@pytest.mark.full
def test_the_vendors_name_and_one_compute_type() -> None:
    done = call("verify", "aclnnLogitGrad", "--dtype", "bfloat16", "--compute", "bfloat16",
                "--no-torch", "--json")  # fmt: skip
    found = json.loads(done.stdout)
    assert done.exit_code == 0
    assert {row["computed"] for row in found["sweeps"]} == {"bfloat16"}
    assert all(row["max_ulp"] > 0.75 and row["bound"] is None for row in found["sweeps"])
    assert {row["compute_dtype"] for row in found["step_by_step"]} == {"bfloat16"}


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("hardshrink_backward", ["lambd=nan"]),
        ("hardshrink_backward", ["lambd=-1"]),
        ("softplus_backward", ["beta=inf"]),
        ("softplus_backward", ["beta=0", "threshold=-1"]),
        ("softplus_backward", ["beta=-2", "threshold=nan"]),
        ("smooth_l1_loss_backward", ["reduction=1", "beta=inf"]),
        ("smooth_l1_loss_backward", ["reduction=sum", "beta=1e-40"]),
        ("logit_grad", ["eps=nan"]),
        ("logit_grad", ["eps=1"]),
        ("logit_grad", ["eps=inf"]),
        ("logit_grad", ["eps=0.6"]),
    ],
)
def test_odd_attributes_mean_the_same_to_oracle_and_operator(
    name: str, attributes: list[str]
) -> None:
    options = [word for text in attributes for word in ("--attr", text)]
    done = call("verify", name, "--dtype", "float16", "--no-torch", "--json", *options)
    found = json.loads(done.stdout)
    for row in found["sweeps"]:
        assert row["max_ulp"] <= 0.51, row
        assert row["histogram"]["NaN"] == row["histogram"]["sign of 0"] == 0, row
    assert not any(row["differing"] for row in found["step_by_step"])


def test_a_seed_chooses_the_sample() -> None:
    sweeps = [
        sweep.Sweep(settings("logit_grad")[0], "float32", (), False, seed) for seed in (0, 0, 1)
    ]
    data = [made.patterns(0) for made in sweeps]
    np.testing.assert_array_equal(data[0], data[1])
    assert not np.array_equal(data[0], data[2])


def sampled(name: str, kind: str) -> sweep.Sweep:
    """Return a sample of an operator's first setting."""
    return sweep.Sweep(settings(name)[0], kind, (), exhaustive=False)


def test_a_sample_of_a_function_has_pairs_of_all_numbers() -> None:
    made = sampled("mse_loss", "float32")
    first, other = made.gradients(0), made.gradients(0)
    assert first.shape == (made.patterns(0).size, made.columns)
    np.testing.assert_array_equal(first, other)  # a resumed run has the same pairs
    assert np.unique(first.view("u4")).size > 0.5 * first.size
    assert {0.0, 1.0, -1.0, np.inf} <= set(first[:, 0].tolist())
    assert np.isnan(first).any()
    assert sampled("mse_loss_backward", "float32").gradients(0).shape == (1, 4)


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32"])
def test_a_sample_has_targets_that_they_are_meant_for(kind: str) -> None:
    made = sampled("binary_cross_entropy", kind)
    targets = made.gradients(0).astype(np.float64)
    assert targets.min() == 0
    assert targets.max() == 1
    assert np.unique(targets).size > 1000


@pytest.mark.parametrize("kind", ["float16", "float32"])
def test_an_exhaustive_sweep_takes_every_number_once(kind: str) -> None:
    made = sweep.Sweep(settings("hardshrink_backward")[0], kind, (), exhaustive=True)
    bits = 16 if kind == "float16" else 32
    assert made.data == 1 << bits
    edges = [made.patterns(block) for block in (0, 1, made.blocks - 1)]
    assert edges[0][0] == 0
    assert edges[1][0] == edges[0][-1] + 1
    assert edges[2][-1] == (1 << bits) - 1
    assert made.gradients(0).size == (1 << 16 if bits == 16 else len(sweep.F32_GRADIENTS))


# --- broken bounds --------------------------------------------------------------------------------


@pytest.mark.full
def test_a_broken_bound_is_status_1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Setting, "bound", lambda *_: Bound(0.25))
    done = call("verify", "prelu_backward", "--dtype", "float16", "--no-torch")
    assert done.exit_code == 1
    assert (
        "BROKEN: prelu_backward float16 weight=self in float32: 0.25 ulp is stated" in done.stdout
    )
    assert "0.5 ulp at input" in done.stdout


def test_a_broken_bound_of_doubles_is_status_1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Setting, "bound", lambda *_: Bound(0.25))
    done = call("verify", "logit_grad", "--dtype", "float64", "--attr", "eps=-1", "--json")
    assert done.exit_code == 1
    (row,) = json.loads(done.stdout)["float64"]
    assert row["bound"] == "0.25 ulp"
    assert not row["holds"]
    assert 0.25 < row["max_ulp"] <= 1


@pytest.mark.full
def test_what_a_bound_excepts_does_not_break_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(data: Any) -> Any:
        return np.where(np.abs(data) < 2, np.inf, 0.0)

    monkeypatch.setattr(Setting, "bound", lambda *_: Bound(0.25, more=nowhere))
    done = call("verify", "logit_grad", "--dtype", "float16", "--no-torch", "--compute", "float32",
                "--json")  # fmt: skip
    assert done.exit_code == 0
    rows = json.loads(done.stdout)["sweeps"]
    assert all(row["max_ulp"] == 0 and row["wrongly_rounded"] for row in rows)
    for row in rows:
        assert not wrong(row)
        assert sum(outside(row).values()) == row["wrongly_rounded"]
    text = "\n".join(report_lines(json.loads(done.stdout), "", ()))
    details = text.partition("## logit_grad, float16")[2]
    assert "## Outside the range of a stated bound" in text
    assert "≤" not in details


def spoil(monkeypatch: pytest.MonkeyPatch, data: float, gradient: float, actual: float) -> None:
    """Let an operator give another result for a datum and a gradient."""
    right = operators.hardshrink_backward

    @wraps(right)
    def wrong(**arguments: Any) -> Any:
        result = right(**arguments)
        result[(arguments["self"] == data) & (arguments["grad_output"] == gradient)] = actual
        return result

    monkeypatch.setattr(operators, "hardshrink_backward", wrong)


@pytest.mark.parametrize(
    ("data", "gradient", "actual", "kind", "error", "count"),
    [
        (1, 2, 2 + 2.0**-9, "≤1", 1.0, 1),
        (1, 2, 2 + 2.0**-7, "≤4", 4.0, 1),
        (1, 2, math.inf, ">16", 2.0**15 / 2.0**-9 * 2 - 1024, 1),
        (1, 2, math.nan, "NaN", 0.0, 1),
        (0, 1, -0.0, "sign of 0", 0.0, 2),  # of 0 and -0
    ],
)
def test_a_wrong_result_is_found(
    data: float,
    gradient: float,
    actual: float,
    kind: str,
    error: float,
    count: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spoil(monkeypatch, data, gradient, actual)
    monkeypatch.setattr(sweep, "_SPECIAL", (0.0, 1.0, 2.0))
    done = call(*ONE, "--attr", "lambd=0.5", "--json")
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    for row in found["sweeps"]:
        assert row["wrongly_rounded"] == row["histogram"][kind] == count
        if error:
            assert row["max_ulp"] == pytest.approx(error, abs=1024 if error > 16 else 0)
        if error and math.isfinite(actual):
            assert row["at"] == {"data": 1.0, "gradient": 2.0, "actual": actual, "golden": 2.0}
    assert [row["differing"] for row in found["step_by_step"]] == [count, count, count]
    assert len(found["broken"]) == 5


# --- interruption ---------------------------------------------------------------------------------


def interrupt_at(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Press Ctrl-C while a block is being done."""
    step, seen = runner.Runner.step, [0]

    def pressed(self: runner.Runner) -> None:
        seen[0] += 1
        if seen[0] == block:
            os.kill(os.getpid(), signal.SIGINT)
        step(self)

    monkeypatch.setattr(runner.Runner, "step", pressed)


def interrupted(*arguments: object, block: int = 1) -> Result:
    """Call the command line and press Ctrl-C while a block is being done."""
    with pytest.MonkeyPatch.context() as patch:
        interrupt_at(block, patch)
        done = call(*arguments)
    assert done.exit_code == 130
    return done


def without_times(found: dict[str, Any]) -> dict[str, Any]:
    for row in found["sweeps"]:
        assert row.pop("seconds") >= 0
    return found


def test_ctrl_c_prints_what_is_known_and_resume_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "BLOCK", 1 << 17)
    arguments = (
        *("verify", "logit_grad", "--dtype", "float16", "--no-torch", "--json"),
        *("--state", tmp_path / "state.json"),
    )
    whole = without_times(json.loads(call(*arguments).stdout))
    handler = signal.getsignal(signal.SIGINT)
    done = interrupted(*arguments, block=11)
    assert signal.getsignal(signal.SIGINT) is handler
    part = json.loads(done.stdout)
    assert part["interrupted"]
    assert [row["pairs"] for row in part["sweeps"]] == [1 << 20, 1 << 20, 3 << 17, 3 << 17]
    interrupted(*arguments, "--resume", block=7)
    done = call(*arguments, "--resume")
    assert without_times(json.loads(done.stdout)) == whole
    assert not (tmp_path / "state.json").exists()


def test_ctrl_c_says_how_to_go_on(tmp_path: Path) -> None:
    done = interrupted(*ONE, "--state", tmp_path / "s.json")
    text = " ".join(done.stdout.split())
    assert "interrupted after 1,048,576 of 3,145,728 pairs; --resume goes on" in text
    assert "Every stated bound holds so far" in text


def test_each_run_has_a_file_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    interrupted(*ONE)
    (kept,) = (tmp_path / "ascendref").iterdir()
    assert call(*ONE, "--seed", 1).exit_code == 0  # another run leaves it alone
    assert kept.exists()
    assert call(*ONE, "--resume").exit_code == 0
    assert not kept.exists()


@pytest.mark.parametrize("other", ["--seed=1", "--attr=lambd=0.50000003"])
def test_another_run_is_not_resumed(other: str, tmp_path: Path) -> None:
    run = (*ONE, "--state", tmp_path / "s.json")
    mine = ("--attr=lambd=0.5", "--seed=0")
    interrupted(*run, *mine)
    words = [word for word in mine if word[:6] != other[:6]]
    assert_bad_call(call(*run, *words, other, "--resume"), "those of another run")


def test_changed_results_are_not_resumed(tmp_path: Path) -> None:
    state = tmp_path / "s.json"
    interrupted(*ONE, "--state", state)
    state.write_text(state.read_text().replace('"done": 1,', '"done": 7,'))
    assert_bad_call(call(*ONE, "--state", state, "--resume"), "its results were changed")


def test_what_cannot_be_saved_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt_at(1, monkeypatch)
    done = call(*ONE, "--state", "/dev/full")
    assert done.exit_code == 2
    assert done.stderr == ("ascendref: --state: cannot write /dev/full: No space left on device\n")
    assert "Every stated bound holds so far" in done.stdout


def test_a_user_without_a_home_is_asked_for_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> str:
        raise KeyError(name)

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr("pwd.getpwuid", unknown)
    assert_bad_call(call(*ONE), "XDG_CACHE_HOME: not set, and the user has no home folder")


# --- reports --------------------------------------------------------------------------------------


def test_the_command_of_a_report_writes_it_again(tmp_path: Path) -> None:
    report = tmp_path / "a report.md"
    assert call(*ONE, "--report", report).exit_code == 0
    (command,) = re.findall("Measured by `(.*)`", report.read_text())
    name, *words = shlex.split(command)
    assert name == "ascendref"
    assert sorted(words) == sorted([*ONE, "--seed", "0", "--report", str(report)])


@pytest.mark.full
def test_infinite_errors_of_a_study_are_text_in_json() -> None:
    done = call("study", "elu", "--attr", "alpha=1e38", "--json")  # too large for F16
    (row,) = json.loads(done.stdout)
    assert row["compute_dtypes"]["float16"]["max_ulp"] == "inf"


# --- libraries that are missing -------------------------------------------------------------------


@pytest.mark.parametrize("command", [ONE, ("study", "logit_grad"), ("bench", "logit_grad")])
def test_without_matplotlib_the_message_says_what_to_install(
    command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in [name for name in sys.modules if name.startswith("matplotlib.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = call(*command, "--plot", tmp_path / "errors.png")
    assert_bad_call(done, "--plot: needs matplotlib")
    assert install_command("plot") in done.stderr


# --- study ----------------------------------------------------------------------------------------


@pytest.mark.exhaustive
@pytest.mark.daily(5)
@pytest.mark.parametrize("operator", ar.OPERATORS)
def test_a_study_of_every_operator(operator: str, tmp_path: Path) -> None:
    done = call("study", operator, "--json", "--plot", tmp_path / "study.png")
    assert done.exit_code == 0, done.stderr
    (found,) = json.loads(done.stdout)
    types = found["compute_dtypes"]
    if ar.OPERATORS[operator].formula.selects:
        assert all(row["max_ulp"] == 0 for row in types.values())
    kinds = ("bfloat16", "float32", "float64")
    errors = [types[kind]["max_relative_error"] for kind in kinds]
    assert errors == sorted(errors, reverse=True)
    assert (tmp_path / "study.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.full
def test_a_study_as_a_table(tmp_path: Path) -> None:
    picture = tmp_path / "study.png"
    done = call("study", "logit_grad", "--attr", "eps=0", "--seed", 3, "--plot", picture)
    assert done.exit_code == 0, done.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")
    for text in ("eps=0", "mean, in ulp", "largest, relative"):
        assert text in done.stdout


@pytest.mark.full
def test_a_larger_sample(tmp_path: Path) -> None:
    done = call(*ONE, "--sample", 3 << 20, "--json", "--state", tmp_path / "s.json")
    (row, *_) = json.loads(done.stdout)["sweeps"]
    assert row["pairs"] == 3 << 20
    assert "--sample 3145728" in json.loads(done.stdout)["command"]
