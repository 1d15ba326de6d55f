"""`ascendref run`: results, arrays in files, bad calls."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ascendref as ar
from ascendref.cli.array_files import read_array, read_arrays, write_arrays

from .command_line import G, X, assert_bad_call, call

BF16 = np.dtype(ml_dtypes.bfloat16)
ALL_BF16 = np.arange(65536, dtype=np.uint16).view(BF16)
Arrays = dict[str, np.ndarray[Any, Any]]


def bits(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return an array's bits, to be compared."""
    return np.ascontiguousarray(array).view(np.uint16 if array.itemsize == 2 else np.uint8)


def run(name: str, inputs: list[object], out: Path, *options: str) -> tuple[Any, list[Any]]:
    """Run an operator; return its report and the arrays that it wrote."""
    words = [word for path in inputs for word in ("--input", path)]
    done = call("run", name, *words, "--output", out, "--json", *options)
    assert done.exit_code == 0, done.stderr
    with np.load(out) if out.suffix == ".npz" else open(out, "rb") as file:
        found = {**file} if out.suffix == ".npz" else {"": np.load(file)}
    report = json.loads(done.stdout)
    assert (len(report["results"]), report["output"]) == (len(found), str(out))
    if out.suffix == ".npz":
        assert [row["name"] for row in report["results"]] == [*found]
    return report, [*found.values()]


GRADIENT = {"grad_output": G, "self": X}
LOSS = {"grad_out": G, "self": X, "target": X[::-1]}
HALVES = {"grad_output": ALL_BF16, "self": np.ones(65536, BF16)}
#: operator, arrays, options, and what the function returns
CALLS: list[tuple[str, Arrays, str, Callable[[], Any]]] = [
    *[
        (name, GRADIENT, "--attr beta=2", lambda: ar.softplus_backward(G, X, 2))
        for name in ("softplus_backward", "aclnnSoftplusBackward")
    ],
    *[
        (
            "smooth_l1_loss_backward",
            LOSS,
            f"--attr beta=0.5 --attr reduction={value}",
            lambda value=value: ar.smooth_l1_loss_backward(G, X, X[::-1], value, 0.5),
        )
        for value in ("none", "mean", "sum", 2)
    ],
    *[
        (
            "hardshrink_backward",
            GRADIENT,
            f"--attr lambd={value}",
            lambda value=value: ar.hardshrink_backward(G, X, value),
        )
        for value in (np.inf, -np.inf, np.nan, -1.0, 1e-3, -0.0)
    ],
    *[
        (
            "softplus_backward",
            GRADIENT,
            f"--compute-dtype {name}",
            lambda: ar.softplus_backward(G, X, compute_dtype="bfloat16"),
        )
        for name in ("bfloat16", "bf16", "BF16")
    ],
    ("hardshrink_backward", HALVES, "", lambda: ar.hardshrink_backward(*HALVES.values())),
    ("logit_grad", {"x": X[:0], "dy": G[:0]}, "", lambda: X[:0]),
]


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
@pytest.mark.parametrize(
    ("name", "arrays", "options", "function"), CALLS, ids=lambda x: x if isinstance(x, str) else ""
)
def test_results_are_those_of_the_function(
    name: str,
    arrays: Arrays,
    options: str,
    function: Callable[[], Any],
    suffix: str,
    tmp_path: Path,
) -> None:
    np.savez(tmp_path / "in.npz", **arrays)
    report, (found,) = run(name, [tmp_path / "in.npz"], tmp_path / f"o{suffix}", *options.split())
    wanted = function()
    assert report["results"][0]["dtype"] == wanted.dtype.name
    assert found.dtype == ("V2" if wanted.dtype == BF16 else wanted.dtype)
    assert found.shape == wanted.shape
    np.testing.assert_array_equal(bits(found), bits(wanted))
    given = dict(word.split("=") for word in options.split() if "=" in word)
    assert report["attrs"].keys() == given.keys()
    for name, text in given.items():
        value = report["attrs"][name]
        assert value == text or repr(float(value)) == repr(float(text))
    assert (report["elements_per_second"] > 0) == (wanted.size > 0)


def test_files_are_mixed_and_all_results_are_written(tmp_path: Path) -> None:
    weight = np.array([0.25, 0.5, 0.75], np.float32)
    folder = tmp_path / "beta=1"  # a path may have an equals sign
    folder.mkdir()
    np.savez(folder / "a.npz", grad_output=G)
    np.save(folder / "x=1.npy", X)
    np.save(folder / "w.npy", weight)
    inputs = [folder / "a.npz", f"self={folder / 'x=1.npy'}", f"weight={folder / 'w.npy'}"]
    report, found = run("prelu_backward", inputs, folder / "out.npz")
    assert (report["operator"], report["api"]) == ("prelu_backward", "aclnnPreluBackward")
    assert report["results"][0] == {"name": "grad_input", "shape": [2, 3], "dtype": "float32"}
    assert report["calls"] >= 1
    assert min(report["first_call_seconds"], report["seconds"]) > 0
    for array, wanted in zip(found, ar.prelu_backward(G, X, weight), strict=True):
        np.testing.assert_array_equal(array, wanted)


def test_a_table(inputs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    done = call("run", "softplus_backward", "--input", inputs, "--output", out)
    for text in ("grad_input", "(2, 3)", "warm call", f"written to {out}\n"):
        assert text in done.stdout


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


# --- bad calls ------------------------------------------------------------------------------------

#: arguments with places for the files below, and what is said about them
BAD_CALLS = [
    ("squash --input {in}", "OPERATOR: no operator 'squash'; `ascendref ops`"),
    ("smooth_l1_loss_backward --input {extra}", "--input: missing target; smooth_l1_loss_backward"),
    ("softplus_backward --input {extra}", "holds grad_out; allowed are grad_output, self"),
    ("softplus_backward --input {in} --input x={npy}", "has no tensor 'x'; allowed are grad_"),
    ("softplus_backward --input {in} --input self={npy}", "--input: self is given twice, the"),
    ("softplus_backward --input {no}", "--input: no such file: "),
    ("softplus_backward --input {text}", "text.npz is neither a .npy nor a .npz file; write"),
    ("softplus_backward --input {empty}", "empty.npz as .npy or .npz: No data left in file"),
    ("softplus_backward --input {cut}", "cut.npz as .npy or .npz: File is not a zip file"),
    ("softplus_backward --input {spoilt}", "spoilt.npz as .npy or .npz: Bad CRC-32 for file"),
    ("softplus_backward --input {alien}", "--input: self in "),
    ("softplus_backward --input self={torch}", "hw.pt is neither a .npy nor a .npz file; write"),
    ("softplus_backward --input {pickle}", "Object arrays cannot be loaded when allow_pickle=F"),
    ("softplus_backward --input {npy}", "holds one array without a name; use NAME="),
    ("softplus_backward --input self={in}", "is a .npz file; one array (.npy) is expected"),
    ("softplus_backward --input {folder}", "as .npy or .npz: Is a directory"),
    ("softplus_backward --input {in} --attr beta", "--attr: 'beta' is not NAME=VALUE"),
    ("softplus_backward --input {in} --attr eps=1", "no attribute 'eps'; allowed are beta, thresh"),
    ("softplus_backward --input {in} --attr beta=1 --attr beta=2", "--attr: beta is given twice"),
    ("softplus_backward --input {in} --attr beta=big", "'big' is not a value of beta; allowed: a"),
    ("softplus_backward --input {in} --attr beta=none", "'none' is not a value of beta; allowed:"),
    (
        "smooth_l1_loss_backward --input {in} --attr reduction=max",
        "'max' is not a value of reduction; allowed: none (0), mean (1), sum (2)",
    ),
    ("threshold --input {in} --attr value=1", "--attr: threshold needs threshold"),
    ("prelu_backward --input {in} --attr a=1", "has no attribute 'a'; it has no attributes"),
    ("softplus_backward --input {in} --compute-dtype int8", "--compute-dtype: 'int8' is not all"),
    ("softplus_backward --input {shapes}", "self has shape (3,)"),
    ("softplus_backward --input {complex}", "self has type complex64; allowed are float16, bfl"),
    ("softplus_backward --input {V3}", "grad_output has type |V3; allowed are float16, bfloat16"),
    ("softplus_backward --input {fields}", "grad_output has type [('half', 'V2')]; allowed are"),
    ("prelu_backward --input {in}", "out.npy must end in .npz, as there are 2 results (grad_"),
    (
        "softplus_backward --input {in} --output out.txt",
        "must end in .npz or .npy, as there is one",
    ),
    ("softplus_backward --input {in} --output out", "out must end in .npz or .npy, as there is"),
]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Files of every kind, by what is wrong with them."""
    arrays: dict[str, Arrays] = {
        "in": GRADIENT,
        "extra": {"grad_out": G, "self": X},
        "shapes": {"grad_output": G, "self": X[0]},
        "pickle": {"grad_output": G, "self": np.array([{}], object)},
        "complex": {"grad_output": G, "self": np.zeros(3, np.complex64)},
        "V3": dict.fromkeys(GRADIENT, np.zeros(3, "V3")),
        "fields": dict.fromkeys(GRADIENT, np.zeros(3, [("half", "V2")])),
    }
    names = (*arrays, "no", "text", "empty", "cut", "spoilt", "alien")
    found = {name: tmp_path / f"{name}.npz" for name in names}
    found |= {"npy": tmp_path / "a.npy", "folder": tmp_path / "folder", "torch": tmp_path / "hw.pt"}
    for name, members in arrays.items():
        np.savez(found[name], **members)
    np.save(found["npy"], X)
    found["text"].write_text("hello")
    found["empty"].write_bytes(b"")
    content = found["in"].read_bytes()
    found["cut"].write_bytes(content[:100])
    found["spoilt"].write_bytes(content.replace(X.tobytes(), bytes(X.nbytes)))
    for name, member in (("alien", "self"), ("torch", "hw/data.pkl")):
        with zipfile.ZipFile(found[name], "w") as archive:
            archive.writestr(member, "what torch.save writes")
    found["folder"].mkdir()
    return found


@pytest.mark.parametrize(("arguments", "words"), BAD_CALLS)
def test_a_bad_call_writes_nothing(
    arguments: str, words: str, files: dict[str, Path], tmp_path: Path
) -> None:
    out = tmp_path / "out.npy"
    out.write_text("precious")
    before = sorted(tmp_path.iterdir())
    assert_bad_call(call("run", "--output", out, *arguments.format_map(files).split()), words)
    assert out.read_text() == "precious"
    assert sorted(tmp_path.iterdir()) == before
