"""Host functions that access memory: races and unwritten bytes are found exactly.

An oracle that shares nothing with the checker says which accesses nothing orders. The programs are
random, right and wrong; each runs in every execution mode.
"""

from __future__ import annotations

import random

import pytest

from .function_programs import SIZE, Run, Writer
from .order_oracle import Order

EXECUTIONS = ("eager", "lazy", "random")


def check_programs(first: int, count: int, *, ends: bool = True) -> tuple[int, int]:
    """Check random programs; return how many are right and how many wrong."""
    found = [0, 0]
    for seed in range(first, first + count):
        program = Writer(random.Random(seed), ends=ends).steps
        order = Order(program)
        races = bool(order.races())
        found[races] += 1
        # what is read of a dropped task is told of in place of a race
        allowed = {"race", "wait"} if races else {"wait"} if order.reads_dropped() else set()
        for execution in EXECUTIONS:
            kinds = Run(program, execution, seed).kinds
            assert kinds <= allowed and bool(kinds) == bool(allowed), (seed, execution, kinds)
    return found[0], found[1]


def check_unwritten(first: int, count: int) -> int:
    """Check what random programs read that nothing wrote; return how many do."""
    found = 0
    for seed in range(first, first + count):
        draw = random.Random(seed)
        order = Order(program := Writer(draw, ends=False).steps)
        if order.races():
            continue
        written = draw.randrange(SIZE)
        wrong = order.reads_unwritten(written)
        found += wrong
        for execution in EXECUTIONS:
            kinds = Run(program, execution, seed, written=written).kinds
            assert kinds == ({"uninitialized-read"} if wrong else set()), (seed, execution)
    return found


def test_random_programs_with_functions() -> None:
    assert min(check_programs(0, 100)) > 20


def test_bytes_that_functions_may_write() -> None:
    assert check_unwritten(0, 200) > 5


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(0, 50_000, 5_000))
def test_many_random_programs_with_functions(first: int) -> None:
    check_programs(first, 5_000)
    check_unwritten(first, 5_000)
