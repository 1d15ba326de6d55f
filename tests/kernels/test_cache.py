"""The disk cache: what is loaded, what is compiled anew, and what happens to damaged files."""

import ast
import pickle
import platform
import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import ascendref

from ..support.changed_numba import INTERNAL_NAMES
from ..support.processes import run, run_program

PACKAGE = Path(ascendref.__file__).parent


def test_import_compiles_nothing(tmp_path):
    assert run_program("nothing", NUMBA_CACHE_DIR=str(tmp_path)) == "0"
    assert not list(tmp_path.rglob("*.nb?"))


def test_without_a_compiler_calls_say_so(tmp_path):
    environment = {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "1"}
    assert run_program("refused", **environment) == "True True True True True 0"


@pytest.mark.full
def test_a_second_process_compiles_nothing(tmp_path):
    assert run_program("kernels", NUMBA_CACHE_DIR=str(tmp_path)) == "0 12 []"
    assert run_program("kernels", NUMBA_CACHE_DIR=str(tmp_path)) == "12 0 []"


@pytest.mark.full
def test_loops_for_any_layout_are_compiled_when_they_pay(tmp_path):
    """Each of the first calls counts as 2**16 elements of 2**22."""
    assert run_program("copies_first", NUMBA_CACHE_DIR=str(tmp_path)) == "64"


@pytest.mark.full
def test_the_first_hard_case_or_warmup_loads_the_exact_task():
    run("-m", "tests.support.exact_task_calls", NUMBA_NUM_THREADS="2")


@pytest.mark.full
def test_several_processes_at_once_on_an_empty_cache(tmp_path):
    found = run_program("short_kernels_at_once", "float32", NUMBA_CACHE_DIR=str(tmp_path))
    assert len(found.splitlines()) == 4
    assert all(line.endswith(" []") for line in found.splitlines()), found
    assert _short(tmp_path, kinds="float32") == "2 0 []"


@pytest.mark.exhaustive
def test_kernels_that_different_processes_compiled_keep_apart(tmp_path):
    kinds = ("float16", "float32")
    apart = [run_program("types", kind, NUMBA_CACHE_DIR=str(tmp_path)) for kind in kinds]
    assert run_program("types", *kinds, NUMBA_CACHE_DIR=str(tmp_path)).splitlines() == apart


@pytest.mark.full
def test_an_unwritable_folder_means_no_cache_and_one_warning(tmp_path):
    file = tmp_path / "file"
    file.write_text("not a folder")
    found = _short(file / "cache")
    assert found.startswith("0 4 ['no kernel cache: ")
    assert found.count("no kernel cache") == 1
    assert "NUMBA_CACHE_DIR" in found


def _flipped(content: bytes) -> bytes:
    """Change a byte in the middle, which is machine code."""
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 0x10]) + content[middle + 1 :]


#: damage -> what it leaves of a file; None where nothing is left
DAMAGE: dict[str, Callable[[bytes], bytes | None]] = {
    "removed": lambda content: None,
    "empty": lambda content: b"",
    "cut short": lambda content: content[: len(content) // 2],
    "one byte short": lambda content: content[:-1],
    "zeros": lambda content: bytes(len(content)),
    "noise": lambda content: random.Random(7).randbytes(len(content)),
    "another pickle": lambda content: pickle.dumps(("0.1", {})),
    "a flipped bit": _flipped,
}


#: with the one that they share, as many kernels as kinds of damage at a time
KINDS = "float16,bfloat16,float32"


def _damage(files: list[Path], damages: Sequence[str]) -> None:
    for file, damage in zip(sorted(files), damages, strict=True):
        left = DAMAGE[damage](file.read_bytes())
        if left is None:
            file.unlink()
        else:
            file.write_bytes(left)


def _short(folder: Path, *change: str, kinds: str = KINDS) -> str:
    return run_program("short_kernels", kinds, *change, NUMBA_CACHE_DIR=str(folder))


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A folder with kernels."""
    folder = tmp_path_factory.mktemp("kept")
    assert _short(folder) == "0 4 []"
    return folder


@pytest.mark.full
@pytest.mark.parametrize(
    "damages",
    [list(DAMAGE)[:4], pytest.param(list(DAMAGE)[4:], marks=pytest.mark.exhaustive)],
    ids=" and ".join,
)
def test_damaged_files_are_written_anew(kept, tmp_path, damages):
    shutil.copytree(kept, tmp_path, dirs_exist_ok=True)
    _damage([*tmp_path.rglob("*.nbc")], damages)
    assert _short(tmp_path) == "0 4 []"
    assert _short(tmp_path) == "4 0 []"


@pytest.mark.full
@pytest.mark.parametrize(
    "change",
    [
        "_cache_file",
        *[
            pytest.param(name, marks=[pytest.mark.exhaustive, pytest.mark.daily(3)])
            for name in INTERNAL_NAMES
            if name != "_cache_file"
        ],
    ],
)
def test_a_numba_with_other_internal_names_means_no_cache_and_one_warning(tmp_path, change):
    found = _short(tmp_path, change, kinds="float32")
    assert found.startswith("0 2 ['no kernel cache: it is not made for Numba ")
    assert found.count("no kernel cache") == 1
    assert not list(tmp_path.rglob("*.nb?"))


@pytest.mark.full
def test_a_numba_that_is_newer_keeps_kernels(tmp_path):
    for found in ("0 2 []", "2 0 []"):
        assert _short(tmp_path, "99.1.0", kinds="float32") == found


@pytest.mark.full
def test_files_that_cannot_be_written_mean_one_warning(kept, tmp_path):
    shutil.copytree(kept, tmp_path, dirs_exist_ok=True)
    for file in tmp_path.rglob("*.nbc"):
        file.unlink()
        file.mkdir()  # no file takes the place of a folder
    found = _short(tmp_path)
    assert found.startswith("0 4 [")
    assert found.count("no kernel cache: its files cannot be written") == 1


@pytest.mark.exhaustive
def test_processors_that_share_a_folder_have_files_of_their_own(tmp_path):
    processors = [
        {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_CPU_FEATURES": features}
        for features in ("", "+neon" if platform.machine() == "aarch64" else "+sse4.2")
    ]
    for found in ("0 2 []", "2 0 []"):
        for variables in processors:
            assert run_program("short_kernels", "float32", **variables) == found
    assert len([*tmp_path.rglob("*.nbc")]) == 4


@pytest.mark.parametrize("path", sorted((PACKAGE / "kernels").rglob("*.py")), ids=lambda p: p.stem)
def test_no_kernel_is_made_of_text(path):
    # Numba reads a function's source when it saves a kernel, and Python 3.13 raises without one
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    assert not {"compile", "eval", "exec"} & {getattr(call.func, "id", None) for call in calls}


UNCHANGED = "[0.0, 1.00390625] [0.0, 1.0]"


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package that may be edited, with kernels of the files as they are."""
    root = tmp_path_factory.mktemp("copy")
    shutil.copytree(PACKAGE, root / "ascendref", ignore=shutil.ignore_patterns("__pycache__"))
    assert _hardshrink_of_two(root) == UNCHANGED
    return root


def _hardshrink_of_two(root: Path) -> str:
    """Print hardshrink's gradient at 2 and λ, from a copy of the package and its own cache."""
    program = (
        "import numpy as np, ascendref as ar;"
        "x = np.array([0.5, 1.00390625], np.float32);"
        "print(ar.__file__, ar.hardshrink_backward(x, x, 0.5).tolist(),"
        " ar.hardshrink_backward(x, x, 0.5, compute_dtype='bfloat16').tolist())"
    )
    printed = run(
        "-c", program, cwd=root, NUMBA_CACHE_DIR=str(root / "cache"), PYTHONPATH=str(root)
    )
    where, _, values = printed.partition(" ")
    assert where.startswith(str(root))
    return values


@pytest.mark.full
@pytest.mark.parametrize(
    ("file", "before", "after", "changed"),
    [
        (
            "operators/activation/hardshrink.py",
            "abs(self) > limit",
            "abs(self) >= limit",
            "[0.5, 1.00390625] [0.5, 1.0]",
        ),
        pytest.param(
            "kernels/arithmetic/codecs.py",
            "0x7FFF)",
            "0x8FFF)",
            "[0.0, 1.00390625] [0.0, 1.0078125]",
            marks=pytest.mark.exhaustive,
        ),
    ],
)
def test_an_edit_is_never_answered_by_a_stale_kernel(copy, file, before, after, changed):
    path = copy / "ascendref" / file
    source = path.read_text()
    assert before in source
    path.write_text(source.replace(before, after))
    assert _hardshrink_of_two(copy) == changed
    path.write_text(source)
    assert _hardshrink_of_two(copy) == UNCHANGED
