"""`ascendref judge`: verdicts, files of every kind, dumps, casts, and the kit for an NPU."""

import json
from collections import Counter
from collections.abc import Callable
from math import erfc, inf, nan
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ..support.processes import ROOT
from ..support.readme import blocks
from .command_line import G, X, assert_bad_call, call, python

BF16 = np.dtype(ml_dtypes.bfloat16)
Arrays = dict[str, Any]
RNG = np.random.default_rng(7)
#: numbers that BF16 has too
DATA = RNG.normal(0, 3, (5, 8)).astype(BF16).astype(np.float32)
GRAD = RNG.normal(0, 1, (5, 8)).astype(BF16).astype(np.float32)
TARGET = RNG.normal(0, 1, (5, 8)).astype(np.float32)


def softplus_gradient(beta: float = 1.0) -> Any:
    """The formula in float64, rounded once."""
    return np.float32(GRAD / (1 + np.exp(-beta * DATA.astype(np.float64))))


def in_bfloat16() -> Any:
    """The formula with every operation rounded."""
    one = np.array(1, BF16)
    return GRAD.astype(BF16) / (one + np.exp(-DATA.astype(BF16)))


def moved(array: Any, steps: int) -> Any:
    """Return an array whose first element is so many steps from where it was."""
    found = array.copy()
    found.view(np.int32)[0, 0] += steps
    return found


def gelu(tanh: bool) -> Any:
    x = DATA.astype(np.float64)
    u = np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)
    phi = 1 / (1 + np.exp(-2 * u)) if tanh else np.vectorize(erfc)(-x / np.sqrt(2)) / 2
    return np.float32(x * phi)


def smooth_l1_gradient(self: Any, target: Any, divisor: int) -> Any:
    return np.float32(GRAD * np.clip(np.float64(self) - target, -1, 1) / divisor)


def special() -> Any:
    """Gradients of hardshrink, with four mismatches."""
    found = np.where(abs(DATA) > 0.5, GRAD, 0.0).astype(np.float32)
    passes, zeros = np.argwhere(found != 0), np.argwhere(found == 0)
    for place, value in zip([*passes[:2], *zeros[:2]], [nan, inf, -0.0, -0.0], strict=True):
        found[tuple(place)] = value
    return found


LOSS = {"grad_out": GRAD, "self": DATA, "target": TARGET}
PAIR = {"grad_output": GRAD, "self": DATA}
HALVES = {name: array.astype(BF16) for name, array in PAIR.items()}
#: data on the threshold of hardshrink, and gradients that a threshold of >= lets pass
EDGE = {"grad_output": GRAD[0], "self": np.array([0.5, -0.5, 0.2, 0, 1, 2, 0.5, 0.1], np.float32)}
#: operator, arguments, its result and that, options, exit status, and what is said of the result
VERDICTS: list[tuple[str, Arrays, str, Callable[[], Any], str, int, dict[str, Any]]] = [
    ("softplus_backward", PAIR, "grad_input", softplus_gradient, "", 0,
     {"arithmetic": "correctly rounded", "not_correctly_rounded": 0, "vendor_accepts": True}),
    ("aclnnSoftplusBackward", PAIR, "gradInput", lambda: moved(softplus_gradient(), 1), "", 0,
     {"arithmetic": "float32", "not_correctly_rounded": 1, "torch_accepts": True}),
    ("softplus_backward", PAIR, "grad_input", lambda: moved(softplus_gradient(), 3), "", 1,
     {"arithmetic": None, "not_correctly_rounded": 1, "would_be_right_with": []}),
    ("softplus_backward", PAIR, "grad_input", lambda: softplus_gradient(2), "", 1,
     {"right": False, "vendor_accepts": False, "would_be_right_with": ["beta=2"]}),
    ("softplus_backward", PAIR, "y", lambda: softplus_gradient(2),
     "--attr beta=2 --map y=grad_input", 0,
     {"arithmetic": "correctly rounded", "result": "grad_input"}),
    ("softplus_backward", PAIR | {"beta": 2}, "grad_input", lambda: softplus_gradient(2), "", 0,
     {"attrs": {"beta": 2.0, "threshold": 20.0}}),
    ("softplus_backward", HALVES, "grad_input", in_bfloat16, "", 0, {"arithmetic": "bfloat16"}),
    ("hardshrink_backward", PAIR, "grad_input", special, "", 1,
     {"not_correctly_rounded": 4, "nan_mismatches": 1, "infinity_mismatches": 1,
      "zero_sign_mismatches": 2}),
    ("hardshrink_backward", EDGE, "grad_input",
     lambda: np.where(abs(EDGE["self"]) >= 0.5, EDGE["grad_output"], np.float32(0)), "", 1,
     {"not_correctly_rounded": 3, "would_be_right_with": ["lambd=0.49999997"]}),
    ("gelu", {"self": DATA}, "y", lambda: gelu(tanh=True), "", 1,
     {"would_be_right_with": ["approximate='tanh'"]}),
    ("smooth_l1_loss_backward", LOSS, "grad_input", lambda: smooth_l1_gradient(DATA, TARGET, 40),
     "", 0, {"right": True}),
    ("smooth_l1_loss_backward", LOSS, "grad_input", lambda: smooth_l1_gradient(DATA, TARGET, 1),
     "", 1, {"would_be_right_with": ["reduction='none'", "reduction='sum'"]}),
    ("smooth_l1_loss_backward", LOSS, "grad_input", lambda: smooth_l1_gradient(TARGET, DATA, 40),
     "", 1, {"would_be_right_with": ["self and target swapped"]}),
    ("mse_loss", {"self": DATA, "target": TARGET}, "out",
     lambda: np.square(np.float64(DATA) - TARGET).sum().astype(np.float32), "", 1,
     {"right": False, "would_be_right_with": ["reduction='sum'"]}),
    ("softplus_backward", PAIR, "grad_input", lambda: softplus_gradient().T, "", 1,
     {"problem": "has shape (8, 5); (5, 8) is expected"}),
]  # fmt: skip


def judged(*words: object) -> tuple[int, list[dict[str, Any]]]:
    """Judge; return the exit status, and what is said of each result."""
    done = call("judge", *words, "--json")
    assert not done.stderr
    found = json.loads(done.stdout)
    assert found["right"] == (done.exit_code == 0)
    own = [row for row in found["results"] if not row["reference"]]
    fitted = Counter([row["arithmetic"] if row["right"] else "none" for row in own])
    assert found["fits"] == fitted
    return done.exit_code, found["results"]


@pytest.mark.parametrize(
    ("name", "given", "result", "values", "options", "status", "said"),
    [
        pytest.param(*row, marks=[] if number < 2 else [pytest.mark.full])
        for number, row in enumerate(VERDICTS)
    ],
)
def test_verdicts(
    name: str,
    given: Arrays,
    result: str,
    values: Callable[[], Any],
    options: str,
    status: int,
    said: dict[str, Any],
    tmp_path: Path,
) -> None:
    np.savez(tmp_path / "a.npz", **given, **{result: values()})
    found, (row,) = judged(name, tmp_path / "a.npz", *options.split())
    assert {key: row[key] for key in said} == said
    assert found == status
    text = call("judge", name, tmp_path / "a.npz", *options.split())
    assert text.stdout.startswith("wrong: " if status else "right: ")


def test_the_worst_elements_come_with_their_inputs(tmp_path: Path) -> None:
    exact = GRAD.astype(np.float64) / (1 + np.exp(-DATA.astype(np.float64)))
    wrong = moved(softplus_gradient(), 100)
    np.savez(tmp_path / "a.npz", **PAIR, grad_input=wrong)
    _, (row,) = judged("softplus_backward", tmp_path / "a.npz")
    worst = row["worst"][0]
    assert worst["index"] == [0, 0]
    assert worst["inputs"] == {"grad_output": GRAD[0, 0], "self": DATA[0, 0]}
    assert worst["actual"] == wrong[0, 0]
    assert worst["exact"] == pytest.approx(exact[0, 0], rel=1e-15)
    assert worst["ulp"] == pytest.approx(abs(wrong - exact)[0, 0] / np.spacing(wrong[0, 0]))
    done = call("judge", "softplus_backward", tmp_path / "a.npz", "--html", tmp_path / "p.html")
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert done.exit_code == 1
    assert page.startswith("<!DOCTYPE html>")
    assert "wrong: grad_input of softplus_backward fits no arithmetic" in page
    assert 'src="data:image/png;base64,' in page


def test_the_page_shows_what_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = ROOT / "docs" / "judge.md"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    (program,) = blocks(page, "python")
    exec(program, {})
    commands = "".join(blocks(page, "sh")).splitlines()
    for command, shown in zip(commands, blocks(page, "text"), strict=False):
        assert call(*command.split()[1:]).stdout == shown


# --- files ----------------------------------------------------------------------------------------

EXACT = {**HALVES, "grad_input": np.where(abs(DATA) > 0.5, GRAD, 0).astype(BF16)}
BITS = {name: array.view(np.uint16) for name, array in EXACT.items()}


def as_npz(folder: Path) -> list[object]:
    np.savez(folder / "a.npz", **EXACT)
    return [folder / "a.npz"]


def as_bits(folder: Path) -> list[object]:
    np.savez(folder / "a.npz", **BITS)
    return [folder / "a.npz", *[w for name in BITS for w in ("--type", f"{name}=bf16")]]


def as_parts(folder: Path) -> list[object]:
    for name, array in EXACT.items():
        np.save(folder / f"{name}_.npy", array)
    return [f"{name}={folder / name}_.npy" for name in EXACT]


def as_raw_bytes(folder: Path) -> list[object]:
    words: list[object] = []
    for name, array in EXACT.items():
        (folder / f"{name}.bin").write_bytes(array.tobytes())
        words += ["--type", f"{name}=bfloat16", "--shape", f"{name}=5x8"]
    return [folder, *words]


def as_folders(folder: Path) -> list[object]:
    for name, array in EXACT.items():
        place = folder / ("out" if name == "grad_input" else "in")
        place.mkdir(exist_ok=True)
        np.save(place / f"{name}.npy", array)
    return [folder / "in", folder / "out", "--reference", folder / "out"]


def as_torch(folder: Path) -> list[object]:
    torch = pytest.importorskip("torch", reason="it is an extra")
    tensors = {n: torch.from_numpy(x.view(np.int16)).view(torch.bfloat16) for n, x in EXACT.items()}
    torch.save(tensors, folder / "a.pt")
    return [folder / "a.pt"]


def as_safetensors(folder: Path) -> list[object]:
    pytest.importorskip("safetensors", reason="it is an extra")
    header, size = {}, EXACT["self"].nbytes
    for number, name in enumerate(EXACT):
        offsets = [number * size, number * size + size]
        header[name] = {"dtype": "BF16", "shape": [5, 8], "data_offsets": offsets}
    text = json.dumps(header).encode()
    content = b"".join(array.tobytes() for array in EXACT.values())
    (folder / "a.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + content)
    return [folder / "a.safetensors"]


def as_named_calls(folder: Path) -> list[object]:
    label = "hardshrink_backward lambd=0.5 here"
    arrays = {f"{label}/{name}": array for name, array in EXACT.items()}
    np.savez(folder / "a.npz", **arrays, **{"relu without result/self": DATA})
    return [folder / "a.npz"]


@pytest.mark.parametrize(
    "write",
    [as_npz, as_bits, as_parts, as_raw_bytes, as_folders, as_torch, as_safetensors, as_named_calls],
)
def test_files(write: Callable[[Path], list[object]], tmp_path: Path) -> None:
    words = write(tmp_path)
    status, (row, *others) = judged(*["hardshrink_backward"][write is as_named_calls :], *words)
    assert (status, row["dtype"], row["shape"]) == (0, "bfloat16", [5, 8])
    assert row["arithmetic"] == "correctly rounded"
    assert [other["reference"] for other in others] == [True] * (write is as_folders)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("softplus_backward", "FILE: missing after softplus_backward; give a file or a folder"),
        ("tan {a}", "OPERATOR: no operator 'tan'"),
        ("aclnnAdd {a}", "OPERATOR: aclnnAdd is borrowed"),
        ("{a}", "OPERATOR: missing; without one, arrays have names CALL/NAME, not grad_output"),
        ("mish {a}", "missing out; grad_output, grad_input: no name of mish's; names are se"),
        ("prelu_backward {a}", "missing weight; names are grad_output, self, weight"),
        ("softplus_backward {a} --map z=self", "--map: no array has the name 'z'; there are grad_"),
        ("softplus_backward {a} --map self", "--map: 'self' is not NAME=VALUE"),
        ("softplus_backward {a} --map self=grad_output", "--map: grad_output would be the name of"),
        ("softplus_backward {a} --attr eps=1", "--attr: softplus_backward has no attribute 'eps'"),
        ("softplus_backward {a} {a}", "FILE: grad_output is given twice, the second time by "),
        ("softplus_backward {a} --type z=half", "--type: no array has the name 'z'"),
        ("softplus_backward {a} --type self=half", "--type: self has elements of 4 bytes, float16"),
        ("softplus_backward {a} --type self=float9", "--type: 'float9' is no element type; names"),
        ("softplus_backward {a} --shape self=7x2", "--shape: self has 6 elements, which do not"),
        ("softplus_backward {a} --shape self=ab", "--shape: 'ab' is not of the form 2x3"),
        ("softplus_backward {dir}/no.npz", "FILE: no such file: "),
        ("softplus_backward {dir}/text.txt", "text.txt must end in one of .npz, .npy, .pt, "),
        ("softplus_backward {dir}/raw.bin", "--type: missing for raw, whose file has no ty"),
        ("softplus_backward {a} gradInput={dir}/x.npy", "gradInput: one array has two names"),
        ("softplus_backward self={a}", "holds 3 arrays; self= needs a file of one"),
        ("softplus_backward {dir}/empty", "empty has no file that ends in .npz, .npy, .pt"),
        ("softplus_backward {dir}/bad.npz", "bad.npz is neither a .npy nor a .npz file"),
        ("softplus_backward {dir}/shapes.npz", "FILE: softplus_backward: self has shape (3,)"),
        ("softplus_backward {dir}/kinds.npz", "softplus_backward: self has type complex64; a"),
        ("softplus_backward {dir}/ints.npz", "grad_input has type int8; allowed are float16"),
        ("softplus_backward {a} --html {dir}/no/p.html", "the folder {dir}/no does not exist"),
        ("cast {a}", "FILE: grad_output, self, grad_input: a cast has array and out (--map"),
        ("cast {a} --attr x=1", "--attr: cast has no attribute 'x'; allowed are round_mode"),
        ("threshold self={dir}/x.npy out={dir}/x.npy", "--attr: threshold needs threshold"),
        ("{dir}/dump", "FILE: cannot read {dir}/dump/dump.json as a dump of msprobe: "),
        ("cast {dir}/dump", "{dir}/dump is a dump, which names its calls and their arguments"),
        ("{dir}/dump {a}", "FILE: {dir}/dump is a dump, which is judged alone"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_one_line_and_status_2(
    words: str, message: str, tmp_path: Path
) -> None:
    arrays = {"grad_output": G, "self": X, "grad_input": G}
    np.savez(tmp_path / "a.npz", **arrays)
    np.savez(tmp_path / "shapes.npz", **arrays | {"self": X[0]})
    np.savez(tmp_path / "kinds.npz", **arrays | {"self": X.astype(np.complex64)})
    np.savez(tmp_path / "ints.npz", **arrays | {"grad_input": X.astype(np.int8)})
    np.save(tmp_path / "x.npy", X)
    for name in ("text.txt", "raw.bin", "bad.npz"):
        (tmp_path / name).write_text("hello")
    for name in ("empty", "dump"):
        (tmp_path / name).mkdir()
    (tmp_path / "dump" / "dump.json").write_text("[")
    names = {"a": tmp_path / "a.npz", "dir": tmp_path}
    if words.startswith("{dir}/dump") and "{a}" not in words:
        pytest.importorskip("torch", reason="it is an extra")
    done = call("judge", *words.format_map(names).split())
    assert_bad_call(done, message.format_map(names))


# --- casts ----------------------------------------------------------------------------------------

#: type, options, numbers, elements as bits, exit status, what would be right, and notes
CASTS: list[tuple[str, str, list[float], list[int], int, list[str], list[str]]] = [
    ("float16", "", [2049, -2049, 1e6], [0x6800, 0xE800, 0x7C00], 0, [], []),
    ("float16", "", [2049, -2049, 1e6], [0x6800, 0xE801, 0x7BFF], 1, ["round_mode='floor'"], []),
    ("bfloat16", "round_mode=trunc", [1.999, -1.999], [0x3FFF, 0xBFFF], 0, [], []),
    # ties away from 0; infinity from 40,960
    ("hifloat8", "", [1, 1.0625, 32768, 40959, 40960, -0.0], [8, 9, 110, 110, 111, 0], 0, [],
     ["hifloat8 has no -0, which becomes 0 (1)"]),
    ("hifloat8", "", [1, 1.0625], [8, 8], 1, [], []),
    ("float8_e8m0fnu", "", [0, 1, 2], [255, 127, 128], 0, [],
     ["float8_e8m0fnu has no 0, which becomes nan (1)"]),
    ("float4_e2m1fn", "", [nan, 1, 6, 2.5], [8, 2, 7, 4], 0, [],
     ["float4_e2m1fn has no NaN, which becomes -0 (1)"]),
    ("float6_e2m3fn", "", [nan, 1, inf], [32, 8, 31], 0, [],
     ["float6_e2m3fn has no NaN, which becomes -0 (1)",
      "float6_e2m3fn has no infinity, which becomes 7.5 (1)"]),
    ("float8_e4m3fn", "", [1, 448, nan], [0x38, 0x7E, 0x7F], 0, [], []),
    # next to a middle, by less than float32 shows
    ("float8_e4m3fn", "", [1.0625 + 2**-40, 1.0625, 1.0625 - 2**-40], [0x39, 0x38, 0x38], 0, [],
     []),
]  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize(("kind", "options", "numbers", "bits", "status", "would", "notes"), CASTS)
def test_casts(
    kind: str,
    options: str,
    numbers: list[float],
    bits: list[int],
    status: int,
    would: list[str],
    notes: list[str],
    tmp_path: Path,
) -> None:
    if kind == "hifloat8":
        pytest.importorskip("en_dtypes", reason="it is an extra")
    out = np.array(bits, np.uint16 if "16" in kind else np.uint8)
    attr = ["--attr", options] if options else []
    for array in np.array(numbers, np.float64), np.array(numbers, np.float32):
        if not np.array_equal(array, numbers, equal_nan=True):
            continue  # float32 does not have them
        np.savez(tmp_path / "a.npz", array=array, out=out)
        found, (row,) = judged("cast", tmp_path / "a.npz", "--type", f"out={kind}", *attr)
        assert (found, row["would_be_right_with"], row["notes"]) == (status, would, notes)
    assert row["dtype"] == kind


# --- dumps and the kit ----------------------------------------------------------------------------


@pytest.mark.full
def test_every_call_of_a_dump_of_msprobe_is_judged_or_says_why_not(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="it is an extra")
    functional = torch.nn.functional
    data: dict[str, Any] = {}

    def entry(value: Any, name: str) -> Any:
        """Return what is recorded of an argument or a result, and save tensors."""
        if not isinstance(value, torch.Tensor):
            return {"type": type(value).__name__, "value": value}
        torch.save(value.detach(), tmp_path / "dump_tensor_data" / f"{name}.pt")
        flags = {"requires_grad": value.requires_grad, "data_name": f"{name}.pt"}
        return {"type": "torch.Tensor", "dtype": str(value.dtype), **flags}

    def record(space: str, name: str, function: Any, *arguments: Any, wrong: float = 0.0) -> None:
        key = f"{space}.{name}.0"
        result = function(*arguments)
        given = [entry(x, f"{key}.forward.input.{k}") for k, x in enumerate(arguments)]
        outputs = [entry(result + wrong, f"{key}.forward.output.0")]
        data[f"{key}.forward"] = {"input_args": given, "input_kwargs": {}, "output": outputs}
        gradient = torch.ones_like(result)
        gradients = torch.autograd.grad(result, arguments[:1], gradient, allow_unused=True)
        data[f"{key}.backward"] = {
            "input": [entry(gradient, f"{key}.backward.input.0")],
            "output": [entry(gradients[0], f"{key}.backward.output.0")],
        }

    (tmp_path / "dump_tensor_data").mkdir()
    x = torch.from_numpy(DATA).clone().requires_grad_()
    square = torch.from_numpy(DATA[:, :5]).clone().requires_grad_()
    record("Functional", "hardshrink", functional.hardshrink, x, 0.25)
    record("Functional", "leaky_relu", functional.leaky_relu, x, 0.25)
    record("Torch", "tril", torch.tril, square)
    record("Torch", "triu", torch.triu, square, wrong=1.0)
    record("Functional", "dropout", functional.dropout, x, 0.5)
    data["Module.0.Linear.forward.0"] = {}
    data["Functional.softplus.7.backward"] = {}
    (tmp_path / "dump.json").write_text(json.dumps({"task": "tensor", "data": data}))
    done = call("judge", tmp_path, "--json")
    assert (done.exit_code, done.stderr) == (1, "")
    found = json.loads(done.stdout)
    said = {row["call"]: (row["operator"], row["right"]) for row in found["results"]}
    torch64 = "PyTorch in float64"
    assert said == {
        "Functional.hardshrink.0.forward": ("hardshrink", True),
        "Functional.hardshrink.0.backward": ("hardshrink_backward", True),
        "Functional.leaky_relu.0.forward": ("leaky_relu", True),
        "Functional.leaky_relu.0.backward": ("leaky_relu_backward", True),
        "Torch.tril.0.forward": (torch64, True),
        "Torch.tril.0.backward": (torch64, True),
        "Torch.triu.0.forward": (torch64, False),
        "Torch.triu.0.backward": (torch64, True),
    }
    assert {row["call"]: row["why"] for row in found["skipped"]} == {
        "Functional.dropout.0.forward": "its results are random",
        "Functional.dropout.0.backward": "its results are random",
        "Module.0.Linear.forward.0": "a module, whose functions are judged",
        "Functional.softplus.7.backward": "its forward call was not recorded",
    }
    only = call("judge", "leaky_relu", tmp_path, "--json")
    assert [row["call"] for row in json.loads(only.stdout)["results"]] == [
        "Functional.leaky_relu.0.forward"
    ]


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "kinds", "largest", "last", "verdict"),
    [
        # every number of 16 bits, and more
        ("hardshrink", ["bfloat16", "float32"], 65936, "lambd=2 float32", "6 correctly rounded"),
        ("smooth_l1_loss", ["float32"], 3316, "reduction=sum beta=1 float32 published 3",
         "4 correctly rounded, 2 float32"),
    ],
)  # fmt: skip
def test_results_of_the_script_for_an_npu_are_judged(
    name: str, kinds: list[str], largest: int, last: str, verdict: str, tmp_path: Path
) -> None:
    pytest.importorskip("torch", reason="it is an extra")
    kit, results = tmp_path / "kit.npz", tmp_path / "kit.results.npz"
    types = [word for kind in kinds for word in ("--dtype", kind)]
    done = call("verify", name, *types, "--inputs", kit)
    assert (done.exit_code, done.stdout) == (0, "")
    ran = python(tmp_path / "kit.py", "cpu")
    assert ran.stdout.endswith(" calls computed on cpu, 0 failed\n"), ran.stderr
    status, rows = judged(kit, results)
    assert status == 0
    assert {row["dtype"] for row in rows} == set(kinds)
    assert max([0, *rows[0]["shape"]]) == largest
    assert rows[-1]["call"] == f"{name} {last}"
    first = f"right: each of {len(rows)} results fits an arithmetic: {verdict}"
    assert call("judge", kit, results).stdout.startswith(first)
