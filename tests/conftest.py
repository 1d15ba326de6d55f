"""Settings of the whole test suite."""

import gc
import signal
import threading
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import ascendref as ar
from ascendref.core.errors import get_last_error, recent_error_message
from ascendref.functional import call, call_cache

from .support.daily import LONG_PARTS, SEED, TESTED, USUAL, VARIABLE, todays

# the same examples in every run: a failure in CI is a failure here
settings.register_profile("stable", deadline=None, derandomize=True, print_blob=True)
# for a search: new examples in every run, about eight minutes of tests/device/test_fuzz.py
settings.register_profile(
    "fuzz", settings.get_profile("stable"), derandomize=False, max_examples=2600
)
settings.load_profile("stable")

# a background job of a shell ignores it, and the processes of tests would inherit that
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out modules that only tests import, which `--doctest-modules` would read."""
    name = collection_path.name
    helper = collection_path.suffix == ".py" and not name.startswith(("test_", "__init__"))
    return True if helper and Path(__file__).parent in collection_path.parents else None


def pytest_report_header() -> str:
    """Print which part of the full tests and of the operators a run has."""
    return f"full tests: {VARIABLE}={SEED}, {len(TESTED)} of {len(ar.OPERATORS)} operators"


def operators_of(item: pytest.Item) -> set[str]:
    """Return the operators that a case is parametrised with."""
    call = getattr(item, "callspec", None)
    values = call.params.values() if call else ()
    names = {x if isinstance(x, str) else getattr(x, "operator", None) for x in values}
    return {name for name in names if isinstance(name, str) and name in ar.OPERATORS}


def is_full(item: pytest.Item, operators: set[str]) -> bool:
    """Tell whether a case is of a part of the tests that an installation need not pass."""
    if any(item.get_closest_marker(name) for name in ("full", "exhaustive", "daily")):
        return True
    return not (item.get_closest_marker("every_operator") or operators <= USUAL)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is full, and leave other days' operators and cases out of it."""
    groups: dict[Any, list[pytest.Item]] = {}
    today = set()
    for item in items:
        operators = operators_of(item)
        if not is_full(item, operators):
            today.add(item)
            continue
        item.add_marker("full")
        if not operators <= TESTED:
            continue
        mark = item.get_closest_marker("daily")
        parts, shift = mark.args[0] if mark else 1, 0
        function = item.nodeid.partition("[")[0]
        if item.get_closest_marker("exhaustive"):
            parts, shift = parts * LONG_PARTS, zlib.crc32(function.encode())
        groups.setdefault((function, parts, shift), []).append(item)
    for (_, parts, shift), cases in groups.items():
        today.update(todays(cases, parts, shift=shift))
    config.hook.pytest_deselected(items=[item for item in items if item not in today])
    items[:] = [item for item in items if item in today]


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Print no letter for a skipped test: most need an extra, which the summary names."""
    return (
        ("skipped", "", "SKIPPED") if report.skipped and not hasattr(report, "wasxfail") else None
    )


def pytest_sessionfinish() -> None:
    """Collect once what is left; pytest and Python would do so many times, seconds each."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each process a part of the files, so that few kernels are compiled in several."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.getvalue("dist") == "load" else None


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print how many device calls were made by the tests that count them."""
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


@pytest.fixture(autouse=True)
def _no_recorded_errors():
    """Forget errors that earlier tests left on this thread."""
    get_last_error()
    recent_error_message()


@pytest.fixture(autouse=True)
def _no_copies_first(monkeypatch):
    """Let kernels use their loops for any layout from the first call on."""
    monkeypatch.setattr("ascendref.kernels.runtime.kernel.COPIED_FIRST", 0)


@pytest.fixture
def empty_call_cache(monkeypatch):
    """Let every call be checked in full once more."""
    monkeypatch.setattr(call_cache, "LAST_USED", {})
    monkeypatch.setattr(call_cache, "_CACHED_CALLS", {})
    monkeypatch.setattr(call, "LAST_USED", call_cache.LAST_USED)


@pytest.fixture
def dev():
    return ar.Device("Atlas A2", memory=2**20)


@pytest.fixture(params=["eager", "lazy", "random"])
def any_dev(request):
    return ar.Device("Atlas A2", execution=request.param, seed=1)


class Gate(threading.Event):
    """A host function that blocks its stream until it is opened, for a minute at most."""

    open = threading.Event.set

    def __call__(self):
        if not self.wait(60):
            raise TimeoutError("nobody opened the gate")


@pytest.fixture
def gate():
    gate = Gate()
    yield gate
    gate.open()
