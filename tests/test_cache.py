"""The disk cache: a second process compiles nothing, an edit compiles anew, trouble only warns."""

from __future__ import annotations

import inspect
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ascendref
from ascendref.kernels.compile import function_from

from .processes import WORKER, finish, run, start

PACKAGE = Path(ascendref.__file__).parent


def test_import_compiles_nothing(tmp_path):
    assert run("nothing", NUMBA_CACHE_DIR=str(tmp_path)) == "0"
    assert not list(tmp_path.rglob("*.nbi"))


def test_a_second_process_compiles_nothing(tmp_path):
    assert run("kernels", NUMBA_CACHE_DIR=str(tmp_path)) == "0 4 []"
    assert run("kernels", NUMBA_CACHE_DIR=str(tmp_path)) == "4 0 []"


def test_eight_processes_at_once_on_an_empty_cache(tmp_path):
    processes = [start("kernels", NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(8)]
    for found in [finish(process) for process in processes]:
        assert found.endswith(" []"), found
    assert run("kernels", NUMBA_CACHE_DIR=str(tmp_path)) == "4 0 []"


def test_kernels_that_different_processes_compiled_keep_apart(tmp_path):
    kinds = ("float16", "float32")
    apart = [run("types", kind, NUMBA_CACHE_DIR=str(tmp_path)) for kind in kinds]
    assert run("types", *kinds, NUMBA_CACHE_DIR=str(tmp_path)).splitlines() == apart


def test_an_unwritable_folder_means_no_cache_and_one_warning(tmp_path):
    file = tmp_path / "file"
    file.write_text("not a folder")
    found = run("kernels", NUMBA_CACHE_DIR=str(file / "cache"))
    assert found.startswith("0 4 ['no kernel cache: ")
    assert found.count("no kernel cache") == 1
    assert "NUMBA_CACHE_DIR" in found


def test_a_damaged_cache_means_no_cache_and_one_warning(tmp_path):
    run("kernels", NUMBA_CACHE_DIR=str(tmp_path))
    for file in [*tmp_path.rglob("*.nbc"), *tmp_path.rglob("*.nbi")]:
        file.write_bytes(b"")
    found = run("kernels", NUMBA_CACHE_DIR=str(tmp_path))
    assert found.startswith("0 4 ['no kernel cache: ")
    assert found.count("no kernel cache") == 1


def test_the_source_that_stands_for_generated_code_is_whole():
    # Numba reads it when it saves a kernel, and Python 3.13 raises where a function breaks off
    generated = function_from("\n\ndef probe():\n    return 1\n", "probe", {})
    assert generated() == 1
    assert inspect.getsource(generated) == inspect.getsource(function_from)


@pytest.fixture
def copy(tmp_path):
    """A copy of the package that may be edited."""
    root = tmp_path / "copy"
    shutil.copytree(PACKAGE, root / "ascendref", ignore=shutil.ignore_patterns("__pycache__"))
    return root


def _hardshrink_of_two(root: Path) -> str:
    """Print hardshrink's gradient at 2 and λ, from a copy of the package and its own cache."""
    program = (
        "import numpy as np, ascendref as ar;"
        "x = np.array([0.5, 1.00390625], np.float32);"
        "import ml_dtypes;"
        "print(ar.__file__, ar.hardshrink_backward(x, x, 0.5).tolist(),"
        " ar.hardshrink_backward(x, x, 0.5, out=np.empty(2, ml_dtypes.bfloat16)).tolist())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=root,
        env={"NUMBA_CACHE_DIR": str(root / "cache"), "PYTHONPATH": str(root), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    )
    where, _, values = done.stdout.strip().partition(" ")
    assert where.startswith(str(root))
    return values


@pytest.mark.parametrize(
    ("file", "before", "after", "changed"),
    [
        (
            "operators/hardshrink_backward.py",
            "self > lambd",
            "self >= lambd",
            "[0.5, 1.00390625] [0.5, 1.0]",
        ),
        ("kernels/codecs.py", "0x7FFF)", "0x8FFF)", "[0.0, 1.00390625] [0.0, 1.0078125]"),
    ],
)
def test_an_edit_is_never_answered_by_a_stale_kernel(copy, file, before, after, changed):
    unchanged = "[0.0, 1.00390625] [0.0, 1.0]"
    assert _hardshrink_of_two(copy) == unchanged
    path = copy / "ascendref" / file
    source = path.read_text()
    assert before in source
    path.write_text(source.replace(before, after))
    assert _hardshrink_of_two(copy) == changed
    path.write_text(source)
    assert _hardshrink_of_two(copy) == unchanged


def test_the_worker_is_where_the_tests_are():
    assert WORKER.is_file()
