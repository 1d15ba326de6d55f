"""Random programs that are well synchronized raise no alarm; with one wait less, those that matter.

Whether a wait matters says the oracle, which shares nothing with the checker. The oracle itself is
held to bytes: programs run in random orders that are legal, and all end with the same bytes unless
the oracle finds accesses that nothing orders.
"""

import random
from typing import Any

import numpy as np
import pytest

from ...support.daily import todays
from ..calls import EXECUTIONS
from .function_programs import BLOCKS, SIZE, Run, random_access
from .order_oracle import Access, Order, Step

pytestmark = pytest.mark.full

STREAMS = 3


def random_program(draw: random.Random) -> list[Step]:
    """Return a program that is well synchronized."""
    steps: list[Step] = []
    for event in range(draw.randint(4, 14)):
        step = random_access(draw, task=draw.random() < 0.8, streams=range(STREAMS))
        while found := (order := Order([*steps, step])).races():
            task = found[0][0].task
            assert task is not None  # what the host did comes before what it does later
            other = order.tasks[task].stream
            if step.stream == -1 or draw.random() < 0.2:
                steps.append(Step("synchronize", other))
            else:
                number = 100 * event + len(steps)
                steps += [Step("record", other, number), Step("wait", step.stream, number)]
        steps.append(step)
    return steps


def races(program: list[Step]) -> bool:
    return bool(Order(program).races())


def bytes_of(accesses: list[Access]) -> Any:
    """Return all bytes that are seen when accesses take place in an order."""
    blocks, seen = np.zeros((BLOCKS, SIZE), np.uint8), {}
    for access in accesses:
        value: Any = access.value
        if access.read is not None:
            block, start, count = access.read
            value = blocks[block, start : start + count].copy()
        if access.written is None:
            seen[access.node] = value.tobytes()
        else:
            block, start, count = access.written
            blocks[block, start : start + count] = value
    return blocks.tobytes(), seen


def depends_on_order(program: list[Step], draw: random.Random) -> bool:
    """Tell whether some random legal orders lead to different bytes."""
    order = Order(program)
    wanted = bytes_of(order.accesses)
    for _ in range(10):
        left, shuffled = list(order.accesses), list[Access]()
        while left:
            ready = [x for x in left if not any(order.precedes(y, x) for y in left if y is not x)]
            shuffled.append(draw.choice(ready))
            left.remove(shuffled[-1])
        if bytes_of(shuffled) != wanted:
            return True
    return False


def check_programs(first: int, count: int) -> int:
    """Check random programs, and each with one wait less; return how many of those mattered."""
    draw, mattered = random.Random(first), 0
    for seed in range(first, first + count):
        execution = EXECUTIONS[seed % 3]
        program = random_program(draw)
        assert not races(program)
        assert Run(program, execution, seed).dev.hazards == []
        waits = [
            k for k, step in enumerate(program) if step.what in ("wait", "synchronize", "record")
        ]
        if not waits:
            continue
        gone = draw.choice(waits)
        mutant = program[:gone] + program[gone + 1 :]
        wrong = races(mutant)
        mattered += wrong
        hazards = Run(mutant, execution, seed).dev.hazards
        assert {hazard.kind for hazard in hazards} <= {"race", "wait"}
        # the wait for an event that nothing records any more is told of even if it does not matter
        assert wrong <= bool(hazards)
        assert wrong or not any(hazard.kind == "race" for hazard in hazards)
        if seed % 10 == 0:
            assert wrong or not depends_on_order(mutant, draw)
    return mattered


def test_random_programs_with_one_wait_less() -> None:
    assert check_programs(0, 400) > 50


def check_early_waits(first: int, count: int) -> int:
    """Check random programs with one wait before its record; return how many are named as such.

    The wait is named where its stream races. Others that come after the stream may race in its
    place, whose race is not blamed on the wait: it may be rightly early for other work.
    """
    draw, named = random.Random(first), 0
    for seed in range(first, first + count):
        program = random_program(draw)
        waits = [k for k, step in enumerate(program) if step.what == "wait"]
        if not waits:
            continue
        at = draw.choice(waits)  # its record is just before it
        mutant = [*program[: at - 1], program[at], program[at - 1], *program[at + 1 :]]
        run = Run(mutant, EXECUTIONS[seed % 3], seed)
        hazards = run.dev.hazards
        if not races(mutant):
            assert hazards == []
        elif hazards[0].second.stream == run.streams[program[at].stream].number:
            named += 1
            assert hazards[0].kind == "wait", seed
            assert "before it was recorded" in hazards[0].problem
        else:
            assert hazards[0].kind in ("race", "wait"), seed
    return named


def test_random_programs_with_a_wait_before_its_record() -> None:
    assert check_early_waits(0, 300) > 50


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", todays(range(0, 100_000, 2_000), 8))
def test_a_hundred_thousand_random_programs_with_a_wait_before_its_record(first: int) -> None:
    assert check_early_waits(first, 2_000) > 200


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", todays(range(0, 100_000, 2_000), 8))
def test_a_hundred_thousand_random_programs(first: int) -> None:
    assert check_programs(first, 2_000) > 200
