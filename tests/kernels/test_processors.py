"""Conversions of F16 give the same bits on processors that have no instructions for them."""

import pytest

from ..support.processes import run_program

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def bits_here() -> str:
    return run_program("float16")


@pytest.mark.parametrize(
    "features",
    [
        pytest.param("", id="generic"),
        pytest.param("+avx2,+fma,-f16c", id="no F16C", marks=pytest.mark.exhaustive),
    ],
)
def test_float16_without_instructions_for_it(bits_here: str, tmp_path, features: str) -> None:
    found = run_program(
        "float16",
        NUMBA_CPU_NAME="generic",
        NUMBA_CPU_FEATURES=features,
        NUMBA_CACHE_DIR=str(tmp_path),
    )
    assert found == bits_here
