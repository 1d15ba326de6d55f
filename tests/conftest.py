"""Settings of the whole test suite."""

from __future__ import annotations

from typing import Any

from hypothesis import settings

# the same examples in every run: a failure in CI is a failure here
settings.register_profile("stable", deadline=None, derandomize=True, print_blob=True)
# for a search: new examples in every run, about eight minutes of tests/device/test_fuzz.py
settings.register_profile(
    "fuzz", settings.get_profile("stable"), derandomize=False, max_examples=2500
)
settings.load_profile("stable")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Tell how much work the tests did that count their calls of the device."""
    counts = [
        dict(report.user_properties)
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", None) == "call"
    ]
    calls = sum(count.get("device calls", 0) for count in counts)
    if calls:
        seconds = sum(count.get("device seconds", 0) for count in counts)
        rate = calls / seconds
        terminalreporter.write_sep("-", "programs on devices")
        terminalreporter.write_line(f"{calls} calls in {seconds:.1f} s: {rate:.0f} per second")
