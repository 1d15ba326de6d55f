"""What pytest leaves out, and the names that examples of array functions assume."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

NEEDS_EXTRA = {  # a library to the modules that import it
    "dask": [
        "ascendref/functional/dask_*.py",
        "tests/functional/test_cluster.py",
        "tests/functional/test_dask_*.py",
        "tests/support/chunks.py",
    ],
    "jax": ["ascendref/jax/*", "tests/jax/*"],
    "selenium": ["tests/site/browse.py"],
    "torch": [
        "ascendref/borrowed/adapters/*",
        "ascendref/borrowed/attributes.py",
        "ascendref/borrowed/compute.py",
        "ascendref/borrowed/expressions.py",
        "ascendref/borrowed/layouts.py",
        "ascendref/borrowed/phase_1.py",
        "ascendref/borrowed/shapes.py",
        "ascendref/functional/torch_calls.py",
        "ascendref/torch/*",
        "tests/borrowed/test_[!k]*.py",
        "tests/cann/test_borrowed.py",
        "tests/functional/test_torch_*.py",
        "tests/torch/*",
    ],
    "torch_npu": ["tests/npu/test_*.py"],
    "xarray": ["ascendref/functional/xarray_arrays.py", "tests/functional/test_xarray_*.py"],
}
MISSING = [name for name in NEEDS_EXTRA if find_spec(name) is None]
collect_ignore_glob = [path for name in MISSING for path in NEEDS_EXTRA[name]]
# importing it starts torch_npu, which changes torch: its tests have processes of their own
collect_ignore_glob += ["ascendref/npu/*", "tests/npu/argument_types.py"]
collect_ignore_glob += ["tests/npu/forked.py", "tests/npu/hccl_calls.py", "tests/npu/namespace.py"]
collect_ignore_glob += ["tests/npu/programs/*", "tests/npu/refused/*"]
collect_ignore_glob += ["tests/operators/edges/*"]  # a package of tables, without tests


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Read no file whose tests do not run: to read all takes longer than the tiny tests."""
    if collection_path.suffix != ".py" or config.option.markexpr not in ("tiny", "not full"):
        return None
    text = collection_path.read_text()
    if config.option.markexpr == "tiny":
        return "mark.tiny" not in text or None
    return "pytestmark = pytest.mark.full\n" in text or None


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print which optional libraries are not there."""
    if MISSING:
        terminalreporter.write_line(
            f"not installed, so that tests are left out: {', '.join(MISSING)}"
        )


@pytest.fixture(autouse=True, scope="session")
def names_of_examples(doctest_namespace: dict[str, Any]) -> None:
    """Import what docs/guide/array-functions.md says that examples assume."""
    import numpy as np

    import ascendref as ar

    doctest_namespace.update(np=np, ar=ar)
