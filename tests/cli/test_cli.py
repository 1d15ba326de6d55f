"""The command line: results, files, messages, exit status."""

import json
import re
import subprocess
import sys
import zipfile
from functools import wraps
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ascendref as ar
from ascendref import operators
from ascendref.borrowed.known import known
from ascendref.cli import demo, doctor
from ascendref.cli.array_files import read_array, read_arrays, write_arrays
from ascendref.cli.options import FLOAT_TYPES, check_choices
from ascendref.core.extras import install_command

from .command_line import G, X, call, python

BF16 = np.dtype(ml_dtypes.bfloat16)
ALL_BF16 = np.arange(65536, dtype=np.uint16).view(BF16)


def bits(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return an array's bits, to be compared."""
    return np.ascontiguousarray(array).view(np.uint16 if array.itemsize == 2 else np.uint8)


# --- run: results ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["softplus_backward", "aclnnSoftplusBackward"])
def test_run_reads_npz_and_knows_both_names(name: str, inputs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    done = call("run", name, "--input", inputs, "--attr", "beta=2", "--output", out)
    assert done.exit_code == 0, done.stderr
    assert "grad_input" in done.stdout
    assert "(2, 3)" in done.stdout
    with np.load(out) as results:
        assert list(results) == ["grad_input"]
        np.testing.assert_array_equal(results["grad_input"], ar.softplus_backward(G, X, 2))


def test_run_mixes_files_and_writes_all_results(tmp_path: Path) -> None:
    weight = np.array([0.25, 0.5, 0.75], np.float32)
    np.savez(tmp_path / "a.npz", grad_output=G)
    np.save(tmp_path / "x=1.npy", X)
    np.save(tmp_path / "w.npy", weight)
    out = tmp_path / "out.npz"
    done = call(
        *("run", "prelu_backward", "--input", tmp_path / "a.npz"),
        *("--input", f"self={tmp_path / 'x=1.npy'}", "--input", f"weight={tmp_path / 'w.npy'}"),
        *("--output", out),
    )
    assert done.exit_code == 0, done.stderr
    expected = ar.prelu_backward(G, X, weight)
    with np.load(out) as results:
        assert list(results) == ["grad_input", "grad_weight"]
        for result, value in zip(results.values(), expected, strict=True):
            np.testing.assert_array_equal(result, value)


def test_a_path_may_hold_an_equals_sign(tmp_path: Path) -> None:
    folder = tmp_path / "beta=1"
    folder.mkdir()
    np.savez(folder / "in.npz", x=X, dy=G)
    done = call("run", "logit_grad", "--input", folder / "in.npz", "--output", folder / "o.npy")
    assert done.exit_code == 0, done.stderr


@pytest.mark.parametrize(
    ("text", "value"),
    [("none", "none"), ("mean", "mean"), ("sum", "sum"), ("2", 2)],
)
def test_run_takes_the_names_of_reductions(text: str, value: Any, tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", grad_out=G, self=X, target=X[::-1])
    out = tmp_path / "out.npy"
    done = call(
        *("run", "smooth_l1_loss_backward", "--input", tmp_path / "in.npz"),
        *("--attr", f"reduction={text}", "--attr", "beta=0.5", "--output", out),
    )
    assert done.exit_code == 0, done.stderr
    np.testing.assert_array_equal(
        np.load(out), ar.smooth_l1_loss_backward(G, X, X[::-1], value, 0.5)
    )


@pytest.mark.parametrize("text", ["inf", "-inf", "nan", "-1", "1e-3", "-0.0"])
def test_run_takes_every_number(text: str, inputs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.npy"
    done = call(
        *("run", "hardshrink_backward", "--input", inputs, "--attr", f"lambd={text}"),
        *("--output", out, "--json"),
    )
    assert done.exit_code == 0, done.stderr
    np.testing.assert_array_equal(np.load(out), ar.hardshrink_backward(G, X, float(text)))
    assert float(json.loads(done.stdout)["attrs"]["lambd"]) == pytest.approx(
        float(text), nan_ok=True
    )


@pytest.mark.parametrize("name", ["bfloat16", "bf16", "BF16"])
def test_run_computes_in_another_type(name: str, inputs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.npy"
    done = call(
        *("run", "softplus_backward", "--input", inputs, "--compute-dtype", name),
        *("--output", out),
    )
    assert done.exit_code == 0, done.stderr
    expected = ar.softplus_backward(G, X, compute_dtype="bfloat16")
    np.testing.assert_array_equal(np.load(out), expected)
    assert (expected != ar.softplus_backward(G, X)).any()


def test_run_json(inputs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    done = call("run", "softplus_backward", "--input", inputs, "--output", out, "--json")
    report = json.loads(done.stdout)
    assert report["operator"] == "softplus_backward"
    assert report["api"] == "aclnnSoftplusBackward"
    assert report["results"] == [{"name": "grad_input", "shape": [2, 3], "dtype": "float32"}]
    assert report["output"] == str(out)
    assert report["calls"] >= 1
    assert min(report[k] for k in ("first_call_seconds", "seconds", "elements_per_second")) > 0


def test_run_empty_arrays(tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", x=X[:0], dy=G[:0])
    out = tmp_path / "out.npy"
    done = call("run", "logit_grad", "--input", tmp_path / "in.npz", "--output", out, "--json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["elements_per_second"] == 0
    assert np.load(out).shape == (0, 3)


def test_types_have_short_names() -> None:
    short = ("half", "fp16", "BF16", "fp32", "fp64", "double")
    found = check_choices("--dtype", [*short], FLOAT_TYPES)
    assert found == ("float16", "bfloat16", "float32", "float64")  # each once


# --- run: BF16 in files ---------------------------------------------------------------------------


@pytest.mark.full
@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_every_bf16_pattern_survives_files_both_ways(suffix: str, tmp_path: Path) -> None:
    source, out = tmp_path / f"in{suffix}", tmp_path / f"out{suffix}"
    ones = np.ones(65536, BF16)
    if suffix == ".npz":
        np.savez(source, grad_output=ALL_BF16, self=ones)
        inputs = ["--input", source]
    else:
        np.save(source, ALL_BF16)
        np.save(tmp_path / "ones.npy", ones)
        inputs = ["--input", f"grad_output={source}", "--input", f"self={tmp_path / 'ones.npy'}"]
    # every gradient passes, bit for bit
    done = call("run", "hardshrink_backward", *inputs, "--output", out, "--json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["results"][0]["dtype"] == "bfloat16"
    expected = ar.hardshrink_backward(ALL_BF16, ones)
    if suffix == ".npz":
        with np.load(out) as loaded:
            by_numpy = loaded["grad_input"].view(BF16)
    else:
        by_numpy = np.load(out).view(BF16)
    np.testing.assert_array_equal(bits(by_numpy), bits(expected))
    finite = ~np.isnan(ALL_BF16.astype(np.float32))
    np.testing.assert_array_equal(bits(by_numpy)[finite], bits(ALL_BF16)[finite])


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
@pytest.mark.parametrize(
    "array",
    [
        ALL_BF16,
        ALL_BF16.reshape(256, 256).T,
        np.array(1.5, BF16),
        np.zeros((0, 3), BF16),
        np.zeros((2, 0), np.float16, order="F"),
        np.asfortranarray(X),
        X.astype(">f4"),
        np.array(3, ">i8"),
        np.array([True, False]),
    ],
    ids=lambda array: f"{array.dtype}-{array.shape}-{'F' if array.flags.fnc else 'C'}",
)
def test_arrays_survive_files(array: np.ndarray[Any, Any], suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a{suffix}"
    write_arrays("--output", path, {"a": array})
    if suffix == ".npy":
        found = read_array("--input", path)
    else:
        found = read_arrays("--input", path, ("a",))["a"]
    native = array.dtype.newbyteorder("=") if array.dtype != BF16 else BF16
    assert found.dtype == native
    assert found.dtype.isnative
    assert found.shape == array.shape
    assert found.flags.f_contiguous == array.flags.f_contiguous
    np.testing.assert_array_equal(bits(found), bits(array.astype(native, copy=False)))


@pytest.mark.parametrize(
    "array", [np.zeros(3, "V3"), np.zeros(3, [("half", "V2")]), np.zeros(3, np.complex64)]
)
def test_other_types_are_not_taken_for_bf16(array: np.ndarray[Any, Any], tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", x=array, dy=array)
    done = call("run", "logit_grad", "--input", tmp_path / "in.npz", "--output", tmp_path / "o.npy")
    assert done.exit_code == 2
    assert done.stderr.startswith("ascendref: x has type ")
    assert "bfloat16" in done.stderr


# --- run: bad calls -------------------------------------------------------------------------------

SOFTPLUS = ("softplus_backward", "--input", "{in}")
BAD_CALLS = {
    "operator": (("squash", "--input", "{in}"), ["OPERATOR: ", "'squash'", "`ascendref ops`"]),
    "missing tensor": (("smooth_l1_loss_backward", "--input", "{extra}"), ["--input", "target"]),
    "unknown tensor": ((*SOFTPLUS, "--input", "x={npy}"), ["--input", "'x'", "grad_output, self"]),
    "unknown member": (
        ("softplus_backward", "--input", "{extra}"),
        ["--input: ", "holds grad_out;", "grad_output, self"],
    ),
    "twice": ((*SOFTPLUS, "--input", "self={npy}"), ["--input", "self is given twice"]),
    "no file": (("softplus_backward", "--input", "{no}"), ["--input", "no such file"]),
    "no array file": (("softplus_backward", "--input", "{text}"), ["--input", "text.npz"]),
    "empty file": (("softplus_backward", "--input", "{empty}"), ["--input", "empty.npz"]),
    "cut file": (("softplus_backward", "--input", "{cut}"), ["--input", "cut.npz"]),
    "spoilt member": (("softplus_backward", "--input", "{spoilt}"), ["--input", "spoilt.npz"]),
    "no npy member": (
        ("softplus_backward", "--input", "{alien}"),
        ["--input", "not an array", "self"],
    ),
    "torch.save": (
        ("softplus_backward", "--input", "self={torch}"),
        [
            "--input: ",
            "hw.pt is neither a .npy nor a .npz file",
            "numpy.save(FILE, tensor.numpy())",
        ],
    ),
    "pickle": (("softplus_backward", "--input", "{pickle}"), ["--input", "allow_pickle=False"]),
    "unnamed": (("softplus_backward", "--input", "{npy}"), ["--input", "without a name", "NAME="]),
    "npz for one": (("softplus_backward", "--input", "self={in}"), ["--input", ".npy"]),
    "folder": (("softplus_backward", "--input", "{folder}"), ["--input", "Is a directory"]),
    "no value": ((*SOFTPLUS, "--attr", "beta"), ["--attr", "'beta'", "NAME=VALUE"]),
    "unknown attr": ((*SOFTPLUS, "--attr", "eps=1"), ["--attr", "'eps'", "beta, threshold"]),
    "attr twice": (
        (*SOFTPLUS, "--attr", "beta=1", "--attr", "beta=2"),
        ["--attr", "beta", "twice"],
    ),
    "attr text": ((*SOFTPLUS, "--attr", "beta=big"), ["--attr", "beta", "'big'", "number"]),
    "attr none": ((*SOFTPLUS, "--attr", "beta=none"), ["--attr", "beta", "'none'", "number"]),
    "reduction": (
        ("smooth_l1_loss_backward", "--input", "{in}", "--attr", "reduction=max"),
        ["--attr", "reduction", "'max'", "none (0)", "mean (1)", "sum (2)"],
    ),
    "attr missing": (
        ("threshold", "--input", "{in}", "--attr", "value=1"),
        ["--attr", "threshold needs threshold"],
    ),
    "attr of none": (("prelu_backward", "--input", "{in}", "--attr", "a=1"), ["--attr", "'a'"]),
    "compute": ((*SOFTPLUS, "--compute-dtype", "int8"), ["--compute-dtype", "'int8'", "float16"]),
    "shape": (("softplus_backward", "--input", "{shapes}"), ["self has shape (3,)", "(2, 3)"]),
    "two results, .npy": (("prelu_backward", "--input", "{in}"), ["--output", ".npz"]),
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Files of every kind, by what is wrong with them."""
    names = ("in", "extra", "no", "text", "empty", "cut", "spoilt", "alien", "pickle", "shapes")
    found = {name: tmp_path / f"{name}.npz" for name in names}
    found |= {"npy": tmp_path / "a.npy", "folder": tmp_path / "folder", "torch": tmp_path / "hw.pt"}
    np.savez(found["in"], grad_output=G, self=X)
    np.savez(found["extra"], grad_out=G, self=X)
    np.savez(found["shapes"], grad_output=G, self=X[0])
    np.savez(found["pickle"], grad_output=G, self=np.array([{}], object))
    np.save(found["npy"], X)
    found["text"].write_text("hello")
    found["empty"].write_bytes(b"")
    content = found["in"].read_bytes()
    found["cut"].write_bytes(content[:100])
    found["spoilt"].write_bytes(content.replace(X.tobytes(), bytes(X.nbytes)))
    with zipfile.ZipFile(found["alien"], "w") as archive:
        archive.writestr("self", "hello")
    with zipfile.ZipFile(found["torch"], "w") as archive:
        archive.writestr("hw/data.pkl", "what torch.save writes")
    found["folder"].mkdir()
    return found


@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_call(case: str, files: dict[str, Path], tmp_path: Path) -> None:
    arguments, words = BAD_CALLS[case]
    out = tmp_path / "out.npy"
    out.write_text("precious")
    before = sorted(tmp_path.iterdir())
    done = call("run", *(text.format_map(files) for text in arguments), "--output", out)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("ascendref: ")
    assert done.stderr.count("\n") == 1
    assert [word for word in words if word not in done.stderr] == []
    assert out.read_text() == "precious"
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("name", ["out.txt", "out"])
def test_bad_output(name: str, inputs: Path, tmp_path: Path) -> None:
    done = call("run", "softplus_backward", "--input", inputs, "--output", tmp_path / name)
    assert done.exit_code == 2
    assert done.stderr.startswith("ascendref: --output: ")
    assert "must end in .npz or .npy" in done.stderr


# --- the other commands ---------------------------------------------------------------------------


def test_ops_lists_every_operator() -> None:
    rows = json.loads(call("ops", "--json").stdout)
    assert {row["name"]: row["api"] for row in rows} == {
        operator.name: operator.api for operator in ar.OPERATORS.values()
    }
    smooth = next(row for row in rows if row["name"] == "smooth_l1_loss_backward")
    assert [(scalar["name"], scalar["default"]) for scalar in smooth["scalars"]] == [
        ("reduction", "mean"),
        ("beta", 1.0),
    ]
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
def test_doctor_checks_every_operator() -> None:
    done = call("doctor", "--all", "--json")
    assert done.exit_code == 0, done.stdout
    checks = json.loads(done.stdout)["checks"]
    assert [row["operator"] for row in checks] == list(ar.OPERATORS)


@pytest.mark.full
def test_doctor_finds_a_wrong_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    twice = wraps(ar.logit_grad)(lambda x, dy, eps, compute_dtype: dy * 2)
    monkeypatch.setattr(operators, "logit_grad", twice)
    done = call("doctor")
    assert done.exit_code == 1
    assert "NO: float16, bfloat16, float32" in done.stdout
    assert "a check FAILS" in done.stdout


@pytest.mark.full
def test_doctor_survives_what_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")

    @wraps(ar.softplus_backward)
    def broken(*_: Any, **__: Any) -> None:
        raise ValueError("no threading layer [tbb]")

    monkeypatch.setattr(operators, "softplus_backward", broken)
    table = call("doctor")
    assert table.exit_code == 1
    assert "NO: ValueError" in table.stdout
    done = call("doctor", "--json")
    assert done.exit_code == 1
    errors = {row["operator"]: row["error"] for row in json.loads(done.stdout)["checks"]}
    assert errors.pop("softplus_backward") == "ValueError: no threading layer [tbb]"
    assert set(errors.values()) == {None}


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


@pytest.mark.full
def test_doctor_looks_for_compilers_and_optional_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
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


@pytest.mark.parametrize("command", ["run", "demo", "ops", "doctor", "cann", "cc", "c++"])
def test_help_has_an_example(command: str) -> None:
    done = call(command, "--help")
    assert done.exit_code == 0
    assert f"Example: ascendref {command}" in done.stdout


# --- in a process of its own ----------------------------------------------------------------------


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("bnech",), "No such command 'bnech'. Did you mean 'bench'?"),
        (
            ("study", "softplus_bakward"),
            "did you mean softplus_backward? `ascendref ops` lists all",
        ),
        (("npu", "missing.py"), "SCRIPT: no such file: missing.py"),
        (("run", "softplus_backward", "--input", "a.npz"), "--output"),
        (
            ("run", "softplus_backward", "--input", "a.npz", "--output", "b.npz"),
            "--input: no such file: a.npz",
        ),
        (("ops", "--jason"), "--jason"),
        (("demo", "--epochs", "0"), "'--epochs': must be an integer ≥ 1, not '0'"),
        (("demo", "--seed", "x"), "'--seed': must be an integer ≥ 0, not 'x'"),
        (("bench", "--seconds", "nan"), "'--seconds': must be a positive number, not 'nan'"),
        (("bench", "--seconds", "1 s"), "'--seconds': must be a positive number, not '1 s'"),
    ],
)
def test_bad_call_in_a_process(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    done = python("-W", "error", "-m", "ascendref", *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("ascendref: ")
    assert done.stderr.count("\n") == 1
    assert words in done.stderr


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
