"""The exact task of correct rounding: loaded at the first hard case, and then right."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ..support.exact_task_calls import IN_PLACE, SEQUENCES
from ..support.processes import run


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """Return how many exact tasks each call of a sequence had loaded, and which bits were right."""
    printed = run("-m", "tests.support.exact_task_calls", NUMBA_NUM_THREADS="2")
    rows = [json.loads(line) for line in printed.splitlines()]
    return {name: (counts, right) for name, counts, right in rows}


@pytest.mark.parametrize("name", SEQUENCES)
def test_the_first_hard_case_loads_it(found: dict[str, Any], name: str) -> None:
    # two calls without a hard case, two with one
    assert found[name] == ([0, 0, 1, 1], [True] * 4)


@pytest.mark.parametrize("name", IN_PLACE)
def test_it_is_there_before_an_input_is_overwritten(found: dict[str, Any], name: str) -> None:
    assert found[name] == ([1], [True])


def test_warmup_loads_it(found: dict[str, Any]) -> None:
    # one exact task during the warm-up, no kernel in a call after it that meets a hard case
    assert found["warmup"] == ([1, 0], [True])
