"""The examples run, and say what they are meant to show."""

import re
import runpy
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from .support import processes
from .support.readme import shown_output, without_numbers

EXAMPLES = processes.ROOT / "examples"


def run(name: str, *arguments: str) -> list[str]:
    """Run an example; return the lines that it prints."""
    return processes.run(EXAMPLES / name, *arguments).splitlines()


def test_every_example_is_tested() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert [path.name for path in EXAMPLES.glob("*.py") if f'"{path.name}"' not in source] == []


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_every_example_has_a_picture_in_the_gallery(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    if "sphinx_gallery_thumbnail_path" in source:  # it is not run when the site is built
        return
    assert " [PICTURE]\n" in source
    assert "# Picture: " in source  # the caption
    assert "\n# %%\n" in source  # in one block alone, the output would be shown before the code


@pytest.mark.full
def test_training_reaches_95_percent_in_both_types(tmp_path: Path) -> None:
    last = run("01_train_digits.py", str(tmp_path / "losses.png"))[-1]
    assert (tmp_path / "losses.png").stat().st_size > 10_000
    shares = [float(share) for share in re.findall(r"([\d.]+)%", last)]
    assert len(shares) == 2
    assert min(shares) >= 95


def test_torch_tensors_come_back_as_torch_tensors() -> None:
    pytest.importorskip("torch", reason="torch is in the bench extra, not in the test extra")
    rows = run("02_torch_tensors.py")[1:]
    assert len(rows) == 4
    assert all("Tensor torch.bfloat16" in row for row in rows)
    # ours and torch's wrongly rounded results: F32 arithmetic leaves a few per 100,000 at most
    assert all(int(row.split()[-2]) <= 2 for row in rows)


@pytest.mark.parametrize(
    ("name", "extra"),
    [("02_torch_tensors", "torch"), ("05_torch_training", "torch"), ("09_torch_npu", "npu")],
)
def test_an_example_without_pytorch_says_what_to_install(
    name: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(SystemExit, match=rf"^This example needs .*'ascendref\[{extra}\]'$"):
        runpy.run_path(str(EXAMPLES / f"{name}.py"))


def test_a_network_in_jax_learns_with_both_kinds_of_gradients() -> None:
    pytest.importorskip("jax", reason="jax is an extra")
    rows = run("06_jax_training.py")
    assert [row.split()[2] for row in rows] == ["float32", "bfloat16"]
    for row in rows:
        first, last = map(float, re.findall(r"\d\.\d+", row))
        assert last < first / 3


@pytest.mark.full
def test_truth_mode_is_right_and_low_precision_is_not(tmp_path: Path) -> None:
    lines = run("03_rounding.py", str(tmp_path / "errors.png"))
    rows = {row.split()[0]: row.split() for row in lines[1:]}
    assert (tmp_path / "errors.png").stat().st_size > 10_000
    assert list(rows) == ["float64", "float32", "bfloat16", "float16"]
    assert rows["float64"][1:3] == ["0.000%", "0"]
    assert float(rows["bfloat16"][1].rstrip("%")) > 10


@pytest.mark.full
@pytest.mark.parametrize(
    "names",
    [("hardtanh", "silu", "softplus"), pytest.param((), marks=pytest.mark.exhaustive)],
    ids=["some", "all"],
)
def test_every_activation_is_within_half_a_step_if_it_is_rounded_once(
    names: tuple[str, ...], tmp_path: Path
) -> None:
    rows = run("11_activations.py", *names, str(tmp_path / "activations.png"))[1:]
    assert (tmp_path / "activations.png").stat().st_size > 10_000
    assert {"hardtanh", "silu", "softplus"} <= {row.split()[0] for row in rows}
    for name, _, once, wide in map(str.split, rows):
        assert float(once) <= 0.502, name
        assert float(wide) < 1e-3, name
    assert max(float(row.split()[1]) for row in rows) > 100  # of softplus, nothing is left


def test_training_in_pytorch_takes_our_gradients() -> None:
    pytest.importorskip("torch", reason="the extra torch brings it")
    rows = run("05_torch_training.py")
    losses = [float(row.split()[-1]) for row in rows[:3]]
    assert max(losses) < 0.2
    assert [row.split() for row in rows[3:]] == [
        ["prelu", "400", "calls,", "0", "left", "to", "PyTorch"],
        ["smooth_l1_loss", "800", "calls,", "0", "left", "to", "PyTorch"],
    ]


@pytest.mark.full
def test_the_pipeline_has_four_streams_and_the_right_bits(tmp_path: Path) -> None:
    rows = run("04_pipeline.py", str(tmp_path / "timeline.png"))
    assert rows[-1] == "6 chunks, bit for bit those of the array functions"
    assert len({row.split()[0] for row in rows[1:-1]}) == 4
    assert (tmp_path / "timeline.png").stat().st_size > 10_000
    assert (tmp_path / "trace.json").exists()


def test_stores_may_be_cut_anywhere(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="it is in the dask extra")
    pytest.importorskip("zarr", reason="it is in the dask extra")
    picture = tmp_path / "work.png"
    options = ("--gib", "0.02", "--folder", str(tmp_path), str(picture))
    output = "\n".join(run("07_larger_than_memory.py", *options))
    assert picture.stat().st_size > 5_000  # a plot with axes, not an empty file
    assert "dashboard: http://" in output
    assert "Completed" in output
    assert output.endswith("other chunks: the same bits")


def test_a_program_for_torch_npu_trains_on_the_emulated_device() -> None:
    if find_spec("torch_npu") is None:
        pytest.skip("torch-npu is an extra")
    options = ("-W", "ignore", "-m", "ascendref", "npu")
    out = processes.run(*options, EXAMPLES / "09_torch_npu.py")
    assert without_numbers(f"{out}\n") == without_numbers(shown_output("torch-npu"))
    first, last = (float(row.split()[-1]) for row in out.splitlines())
    assert last < first / 3


@pytest.mark.full
def test_a_race_is_found_and_its_fix_works(tmp_path: Path) -> None:
    rows = run("10_race_found_and_fixed.py", str(tmp_path / "timeline.png"))
    assert rows[0].startswith("race: aclnnSoftplusBackward on stream")
    assert rows[2].startswith("fix:  make stream")
    assert rows[3] == "0 hazards, bit for bit the result of the array functions"
    assert (tmp_path / "timeline.png").stat().st_size > 10_000
