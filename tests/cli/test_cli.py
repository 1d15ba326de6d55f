"""`ascendref ops`, `doctor` and `demo`, the help, and the command line in a process."""

import json
import re
import subprocess
import sys
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ascendref as ar
from ascendref import operators
from ascendref.borrowed.known import known
from ascendref.cli import demo, doctor
from ascendref.cli.options import FLOAT_TYPES, check_choices
from ascendref.core.extras import install_command

from .command_line import call, python


def test_types_have_short_names() -> None:
    short = ("half", "fp16", "BF16", "fp32", "fp64", "double")
    found = check_choices("--dtype", [*short], FLOAT_TYPES)
    assert found == ("float16", "bfloat16", "float32", "float64")  # each once


def test_ops_lists_every_operator() -> None:
    rows = json.loads(call("ops", "--json").stdout)
    assert {row["name"]: row["api"] for row in rows} == {
        operator.name: operator.api for operator in ar.OPERATORS.values()
    }
    smooth = next(row for row in rows if row["name"] == "smooth_l1_loss_backward")
    defaults = {scalar["name"]: scalar["default"] for scalar in smooth["scalars"]}
    assert defaults == {"reduction": "mean", "beta": 1.0}
    assert smooth["scalars"][0]["choices"] == ["none", "mean", "sum"]
    assert (smooth["group"], smooth["family"]) == ("loss", "smooth_l1")
    assert [row["group"] for row in rows] == sorted(row["group"] for row in rows)
    table = call("ops").stdout
    assert [name for name in ar.OPERATORS if name not in table] == []
    assert table.index("activation functions") < table.index("silu") < table.index("loss functions")
    assert "\nhardtanh\n" in table  # the vendor has no such function


def test_ops_lists_every_known_function_with_who_computes_it() -> None:
    rows = json.loads(call("ops", "--all", "--json").stdout)
    for presence in ("own", "borrowed", "absent"):
        found = [row for row in rows if row["presence"] == presence]
        apis = [api for row in found for api in row.get("functions", [row["api"]])]
        assert set(apis) == {api for api, row in known().items() if row.presence == presence}
    assert {row["group"] for row in rows} == {row.group for row in known().values()}
    text = call("ops", "--all").stdout
    assert max(map(len, text.splitlines())) <= 110  # an expression is not broken
    assert [api for api in known() if api not in text] == []
    assert f"of {len(known())} known functions" in text
    assert "absent\n" not in call("ops").stdout


def test_ops_shows_every_known_function_that_is_named() -> None:
    names = ("aclnnHansEncode", "aclnnGelu", "aclnnMul", "aclnnAdd", "gelu")
    rows = json.loads(call("ops", *names, "--json").stdout)
    assert [(row["api"], row["presence"]) for row in rows] == [
        ("aclnnGeluV2", "own"),
        ("aclnnAdd", "borrowed"),
        ("aclnnMul", "borrowed"),
        ("aclnnHansEncode", "absent"),
    ]
    everything = json.loads(call("ops", "--all", "--json").stdout)
    assert [row for row in rows if row not in everything] == []
    text = call("ops", *names).stdout
    headings = ("activation functions", "computed by PyTorch: elementwise", "absent")
    assert [line.strip() for line in text.splitlines() if line.strip() in headings] == [*headings]
    assert "aten.mul.Tensor(" in text
    assert "known functions" not in text
    alone = call("ops", "aclnnAdd").stdout
    assert "self, other, alpha, out" in alone
    assert not any(word in alone for word in ("absent", "activation", "aclnnMul"))


def test_ops_has_the_matrix_of_operators_products_and_types() -> None:
    rows = {row["api"]: row["products"] for row in json.loads(call("ops", "--json").stdout)}
    smooth = rows["aclnnSmoothL1LossBackward"]
    assert smooth["Atlas inference"]["gradOut"] == ["float16", "float32"]
    assert smooth["Atlas A2"]["gradInput"] == ["float16", "bfloat16", "float32"]
    assert smooth["Atlas 200I/500 A2"] is None
    assert rows["aclnnLogitGrad"]["Atlas training"] is None
    softplus = rows["aclnnSoftplusBackward"]["Atlas training"]
    assert softplus["gradOutput"] == ["float16", "float32", "float64"]
    assert "int8" in softplus["self"]
    table = call("ops").stdout
    assert [api for api in rows if api not in table] == []


@pytest.mark.full
def test_doctor_finds_everything_in_order() -> None:
    done = call("doctor", "--json")
    report = json.loads(done.stdout)
    assert done.exit_code == 0, report
    assert report["ok"]
    assert {row["operator"] for row in report["checks"]} < set(ar.OPERATORS)
    assert report["versions"]["numpy"] == np.__version__
    assert report["threads"]["layer"] in report["threads"]["available"]
    assert report["cache"].keys() == {"folder", "writable"}
    table = call("doctor")
    assert table.exit_code == 0
    assert "all checks hold" in table.stdout


@pytest.mark.exhaustive
@pytest.mark.parametrize("operator", ar.OPERATORS)
def test_doctor_checks_every_operator(operator: str) -> None:
    row = doctor.check_operator(operator)
    assert row["ok"], row


def test_doctor_checks_all_operators_if_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "check_operator", lambda name: {"operator": name, "ok": True})
    checks = json.loads(call("doctor", "--all", "--json").stdout)["checks"]
    assert [row["operator"] for row in checks] == list(ar.OPERATORS)


@pytest.mark.full
def test_doctor_finds_what_is_wrong_or_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(doctor, "_USUAL", ("hardshrink_backward", "logit_grad", "silu"))
    twice = wraps(ar.logit_grad)(lambda x, dy, eps, compute_dtype: dy * 2)
    monkeypatch.setattr(operators, "logit_grad", twice)

    @wraps(ar.silu)
    def broken(*_: Any, **__: Any) -> None:
        raise ValueError("no threading layer [tbb]")

    monkeypatch.setattr(operators, "silu", broken)
    table = call("doctor")
    assert table.exit_code == 1
    for text in ("NO: float16, bfloat16, float32", "NO: ValueError", "a check FAILS"):
        assert text in table.stdout
    done = call("doctor", "--json")
    assert done.exit_code == 1
    checks = json.loads(done.stdout)["checks"]
    assert [row["ok"] for row in checks] == [True, False, False]
    assert [row["error"] for row in checks] == [None, None, "ValueError: no threading layer [tbb]"]


@pytest.mark.full
@pytest.mark.parametrize(
    "arguments", [("doctor",), ("warmup", "hardshrink_backward", "--dtype", "float16")]
)
def test_narrow_tables_cut_no_name(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setattr(doctor, "_USUAL", ("hardshrink_backward",))
    table = call(*arguments).stdout
    cells = [line.split("│")[1].strip() for line in table.splitlines() if line.startswith("│")]
    assert "".join(cells) == "hardshrink_backward"


def test_doctor_reports_missing_threads_and_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> None:
        raise ValueError("No threading layer could be loaded.")

    monkeypatch.setattr(doctor.numba, "get_num_threads", missing)
    assert doctor.threads()["count"] is None
    (tmp_path / "file").write_text("a file is no folder")
    monkeypatch.setattr(doctor.numba.config, "CACHE_DIR", str(tmp_path / "file"))
    assert doctor.cache_folder() == {"folder": str(tmp_path / "file"), "writable": False}


def test_doctor_looks_for_compilers_and_optional_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_USUAL", ())
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.setattr(doctor, "installed_libraries", lambda extra: {extra: None})
    report = json.loads(call("doctor", "--json").stdout)
    names = ["C compiler", "C++ compiler", "shared libpython"]
    assert [row["name"] for row in report["tools"]] == names
    assert report["tools"][0]["problem"].startswith("no such compiler: no-such-compiler; install ")
    assert report["extras"]["jax"] == {
        "libraries": {"jax": None},
        "install": install_command("jax"),
    }
    table = call("doctor").stdout
    assert "missing: no such compiler" in table
    assert "jax missing: pip install" in table


@pytest.mark.full
def test_demo_learns_in_both_types() -> None:
    done = call("demo", "--json")
    report = json.loads(done.stdout)
    assert done.exit_code == 0
    assert report["ok"]
    assert report["held_out"].keys() == {"float32", "bfloat16"}
    assert min(report["held_out"].values()) >= demo.REQUIRED == 0.95
    losses = [[epoch[kind]["loss"] for epoch in report["epochs"]] for kind in report["held_out"]]
    assert losses[0] != losses[1]
    assert all(loss[-1] < loss[0] / 5 for loss in losses)


@pytest.mark.full
def test_demo_says_when_it_did_not_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "REQUIRED", 1.01)
    done = call("demo")
    assert done.exit_code == 1
    assert "required: 101%, NOT REACHED" in done.stdout


@pytest.mark.full
def test_demo_is_not_judged_after_other_epochs() -> None:
    done = call("demo", "--epochs", 1)
    assert done.exit_code == 0
    assert "held-out digits recognised: F32 " in done.stdout
    assert "required" not in done.stdout
    assert call("demo", "--epochs", 1).stdout == done.stdout  # the seed decides everything


def test_help_lists_the_commands_in_groups_and_the_demonstration_first() -> None:
    text = call("--help").stdout
    groups = ("Compute", "Check programs", "Compile", "Inspect")
    places = [text.index(f" {group} ") for group in groups]
    assert places == sorted(places)
    assert re.findall(r"│ (\w+) ", text)[0] == "demo"


def test_ops_fits_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = call("ops").stdout.splitlines()
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("command", ["run", "demo", "ops", "doctor", "cann", "cc", "c++"])
def test_help_has_an_example(command: str) -> None:
    done = call(command, "--help")
    assert done.exit_code == 0
    assert f"Example: ascendref {command}" in done.stdout


# --- in a process of its own ----------------------------------------------------------------------


def test_a_bad_call_in_a_process_is_one_line() -> None:
    done = python("-W", "error", "-m", "ascendref", "bnech")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("ascendref: No such command 'bnech'. Did you mean 'bench'?")
    assert done.stderr.count("\n") == 1


def test_version_and_console_script() -> None:
    script = Path(sys.executable).with_name("ascendref")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"{ar.__version__}\n"


@pytest.mark.full
@pytest.mark.parametrize("missing", ["typer", "rich", "sklearn", "elftools"])
def test_without_the_extra_one_line_says_what_to_install(missing: str) -> None:
    words = ["check", "--symbols", sys.executable] if missing == "elftools" else ["demo"]
    code = (
        f"import sys; sys.modules[{missing!r}] = None; sys.argv[1:] = {words};"
        " from ascendref.cli import main; sys.exit(main())"
    )
    done = python("-W", "error", "-c", code)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert install_command("cli") in done.stderr


def test_importing_the_package_does_not_import_the_command_line() -> None:
    code = (
        "import sys, ascendref, ascendref.cli;"
        "names = {'typer', 'rich', 'sklearn', 'elftools', 'ascendref.cli.app'};"
        "print(names & sys.modules.keys() or 'none')"
    )
    assert python("-W", "error", "-c", code).stdout == "none\n"
