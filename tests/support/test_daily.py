"""Daily parts of long tests leave nothing out."""

import os
import subprocess
import sys
from datetime import date, timedelta

import pytest

from .daily import VARIABLE, todays


@pytest.mark.parametrize(("count", "parts"), [(10, 4), (3, 3), (160, 4), (7, 1)])
@pytest.mark.parametrize("first", [date(2026, 11, 23), date(2027, 12, 30)])
@pytest.mark.parametrize("shift", [0, 5])
def test_every_case_has_its_turn_once(count, parts, first, shift):
    days = [(first + timedelta(day)).isoformat() for day in range(parts)]
    chosen = [case for day in days for case in todays(range(count), parts, day, shift=shift)]
    assert sorted(chosen) == list(range(count))
    assert todays(range(count), parts, "all") == list(range(count))


@pytest.mark.daily(3)
@pytest.mark.parametrize("case", range(9))
def test_cases_of_other_days_do_not_run(case):
    assert case in todays(range(9), 3)


@pytest.mark.full
def test_a_run_prints_its_seed():
    seed = "2026-11-23"
    words = [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:cacheprovider", __file__]
    done = subprocess.run(
        words, env=os.environ | {VARIABLE: seed}, capture_output=True, text=True, check=True
    )
    assert f"{VARIABLE}={seed}" in done.stdout
