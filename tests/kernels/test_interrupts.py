"""What is imported, compiled or loaded on first use is finished, once, whatever interrupts it."""

import os
import signal
import sys
import threading
from _imp import acquire_lock, release_lock
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ascendref.core import fork_safety
from ascendref.core.fork_safety import run_to_end

from ..support.daily import todays
from ..support.processes import run, run_program

#: parts of a program's duration after which it is interrupted
MOMENTS = [k / 120 for k in range(1, 121)]


@pytest.mark.full
@pytest.mark.parametrize(
    ("moments", "cached"),
    [
        ([1 / 3, 2 / 3, 1], True),
        pytest.param(todays(MOMENTS[2::3], 8), False, marks=pytest.mark.exhaustive),
        pytest.param(todays(MOMENTS, 8), True, marks=pytest.mark.exhaustive),
    ],
    ids=["loading, few", "compiling", "loading"],
)
def test_an_interrupt_at_any_moment_of_the_first_call(
    tmp_path: Path, moments: list[float], cached: bool
) -> None:
    module = "tests.support.interrupted_calls"
    assert run("-m", module, tmp_path, int(cached), *moments, timeout=1200) == "[]"


@contextmanager
def interrupts_handled_by(handler: Callable[..., None]) -> Iterator[None]:
    """Set the handler of interrupts."""
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def interrupt_until(noticed: threading.Event) -> None:
    """Interrupt the main thread until it notices: one that is about to wait may miss a signal."""
    for _ in range(600):
        os.kill(os.getpid(), signal.SIGINT)
        if noticed.wait(0.1):
            return
    raise TimeoutError("no interrupt was noticed")


def test_work_goes_on_where_its_caller_is_interrupted() -> None:
    noticed, go_on = threading.Event(), threading.Event()
    made: list[int] = []

    def handle(*_: Any) -> None:
        if not noticed.is_set():
            noticed.set()
            raise KeyboardInterrupt

    def work() -> None:
        interrupt_until(noticed)
        assert go_on.wait(60)
        made.append(1)

    with interrupts_handled_by(handle):
        with pytest.raises(KeyboardInterrupt):
            run_to_end(work)
        assert made == []
        go_on.set()
        assert run_to_end(made.copy) == [1]


def test_a_handler_of_a_signal_may_call_too() -> None:
    found: list[bool] = []
    begun = threading.Event()

    def handle(*_: Any) -> None:
        if not begun.is_set():
            begun.set()
            found.append(run_to_end(lambda: True))

    def work() -> int:
        interrupt_until(begun)
        return 2

    with interrupts_handled_by(handle):
        assert run_to_end(work) == 2
    assert found == [True]


def test_what_work_raises_reaches_its_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        run_to_end(run_to_end, lambda: 1 // 0)
    assert run_to_end(run_to_end, divmod, 7, 2) == (3, 1)
    with pytest.raises(UserWarning, match="said"):
        run_to_end(__import__("warnings").warn, "said")


def _refuse(*arguments: Any) -> None:
    raise RuntimeError("can't start new thread")


@pytest.mark.parametrize("where", [(fork_safety, "start_new_thread"), (threading.Thread, "start")])
def test_without_threads_the_caller_does_it(
    where: tuple[Any, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(*where, _refuse)
    assert run_to_end(threading.current_thread) is threading.current_thread()


def test_when_threads_are_over_the_caller_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "is_finalizing", lambda: True)
    assert run_to_end(threading.current_thread) is threading.current_thread()


def test_an_import_that_was_broken_off_holds_up_nothing() -> None:
    acquire_lock()
    try:
        assert run_to_end(threading.current_thread) is threading.current_thread()
    finally:
        release_lock()


@pytest.mark.full
def test_the_size_of_the_programs_stacks_does_not_matter_and_stays() -> None:
    assert run_program("small_stacks") == "[-2.0, 0.0, 3.0] 65536"


@pytest.mark.full
def test_the_first_call_while_a_module_is_imported(tmp_path: Path) -> None:
    (tmp_path / "calls.py").write_text("import __main__\nresult = __main__.small_call()\n")
    assert run_program("import_module", "calls", PYTHONPATH=str(tmp_path)) == "[-2.0, 0.0, 3.0]"


@pytest.mark.full
def test_the_first_call_at_exit() -> None:
    assert run_program("at_exit") == "[-2.0, 0.0, 3.0]"


def test_an_interrupted_call_does_not_hold_up_the_exit_or_break_off() -> None:
    assert run_program("exit_meanwhile") == "interrupted\nfinished"
