"""The exact task of correct rounding: loaded at the first hard case, and then right."""

from __future__ import annotations

import pytest

from ..support.processes import run

pytestmark = pytest.mark.full


def test_the_first_hard_case_or_warmup_loads_it() -> None:
    run("-m", "tests.support.exact_task_calls", NUMBA_NUM_THREADS="2")
