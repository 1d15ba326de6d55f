"""What lasts for a block ends with it, whatever interrupts it."""

import gc
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest

import ascendref as ar
from ascendref.core.scopes import Scope

from ..device.fault_injection import instructions, interrupt

pytestmark = pytest.mark.tiny


class Pair:
    """Two steps that an interrupt can come between."""

    def __init__(self, lasting: list[Any]) -> None:
        self.lasting = lasting

    def begin(self) -> None:
        self.lasting.append(self)
        self.lasting.append(self)

    def end(self) -> None:
        while self in self.lasting:
            self.lasting.remove(self)


def left_with(scope: Scope, check: Callable[[], None]) -> None:
    """Enter and leave a scope; check while an interrupt is still handled, with its traceback."""
    try:
        with scope:
            pass
    except KeyboardInterrupt:
        check()
        raise


def test_a_scope_ends_wherever_it_is_interrupted() -> None:
    gc.collect()
    for instruction in instructions():
        outer: list[Any] = []
        lasting: list[Any] = []

        def check(lasting: list[Any] = lasting) -> None:
            assert not lasting

        with Scope(lambda outer=outer: Pair(outer)):
            instruction.inject(
                lambda lasting=lasting, check=check: left_with(Scope(lambda: Pair(lasting)), check),
                interrupt,
            )
            assert not lasting, instruction
            assert len(outer) == 2
        assert not outer
    assert instruction > 50


def test_a_block_that_raises_ends_it() -> None:
    lasting: list[Any] = []
    with pytest.raises(ZeroDivisionError), Scope(lambda: Pair(lasting)):
        _ = 1 / (len(lasting) - 2)
    assert not lasting


def test_what_is_entered_by_hand_ends_when_it_is_left_or_dropped() -> None:
    lasting: list[Any] = []
    scope = Scope(lambda: Pair(lasting))
    assert hasattr(scope, "__exit__")
    for _ in range(2):
        scope.__enter__()
        assert hasattr(scope, "__exit__")
        assert len(lasting) == 2
        scope.__exit__(None, None, None)
        assert not lasting
    scope.__enter__()
    del scope
    assert not lasting
    with ExitStack() as stack:
        stack.enter_context(Scope(lambda: Pair(lasting)))
        assert len(lasting) == 2
    assert not lasting


def test_a_scope_is_entered_again_once_it_was_left() -> None:
    lasting: list[Any] = []
    scope = Scope(lambda: Pair(lasting))
    for _ in range(2):
        with scope:
            assert hasattr(scope, "__exit__")
            with pytest.raises(RuntimeError, match="is already entered"), scope:
                pass
            assert len(lasting) == 2
        assert not lasting


def test_a_decorated_function_may_call_itself() -> None:
    lasting: list[Any] = []

    @Scope(lambda: Pair(lasting))
    def depth(levels: int) -> int:
        return depth(levels - 1) if levels else len(lasting)

    assert depth(3) == 8
    assert not lasting


def test_an_interrupted_num_threads_leaves_the_number_as_it_was() -> None:
    before = ar.get_num_threads()

    def check() -> None:
        assert ar.get_num_threads() == before

    ar.num_threads(1)
    for instruction in instructions():
        instruction.inject(lambda: left_with(ar.num_threads(1), check), interrupt)
        assert ar.get_num_threads() == before, instruction
    assert instruction > 50
