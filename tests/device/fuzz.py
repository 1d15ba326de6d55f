"""Millions of calls by the programs of `test_fuzz`: ``python -m tests.device.fuzz``.

Choices are drawn without Hypothesis, which is several times as fast and does not shrink what
fails. A program follows from its number: ``--first NUMBER`` goes on with a search, and several
processes share one by different first numbers. A program that fails ends the search; ``--calls 1``
runs the first program alone.
"""

import argparse
import random
from time import perf_counter

from .calls import EXECUTIONS
from .program_writer import Draw
from .test_fuzz import PRODUCTS, Program, check_that_threads_live

#: programs between two lines of output
PIECE = 500
#: steps per program, as many as Hypothesis has
LENGTH = 50


class RandomDraw(Draw):
    """Random choices that follow from a number."""

    def __init__(self, seed: int) -> None:
        super().__init__(None)
        self._random = random.Random(seed)

    def number(self, least: int, most: int) -> int:
        return self._random.randint(least, most)


def run_program(number: int) -> int:
    """Run the program of a number, and return how many calls it made."""
    draw = RandomDraw(number)
    program = Program(EXECUTIONS[number % len(EXECUTIONS)])
    try:
        program.begin(draw.pick(PRODUCTS), draw.number(0, 2**32 - 1))
        for _ in range(LENGTH):
            program.step(draw)
            program.accounts_agree()
        program.teardown()
    except BaseException:
        print(f"program {number} failed after {program.made} calls")
        raise
    return program.made


def search(number: int, wanted: int) -> None:
    """Run programs from a number on until so many calls were made; print a line for each piece."""
    made, first, start = 0, number, perf_counter()
    while made < wanted:
        made += run_program(number)
        number += 1
        if made >= wanted or (number - first) % PIECE == 0:
            check_that_threads_live()
            seconds = perf_counter() - start
            print(f"{made} calls in {seconds:.0f} s: programs {first} to {number - 1}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    parser.add_argument("--calls", type=int, default=10**7, help="calls of the device in all")
    given = parser.parse_args()
    search(given.first, given.calls)
