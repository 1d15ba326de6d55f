"""Millions of calls by the programs of `test_fuzz`: ``python -m tests.device.fuzz --state FILE``.

Choices are drawn without Hypothesis, which is several times as fast and does not shrink what
fails. A program follows from its number. The file keeps how many programs were run and how many
calls they made, so that a search which was broken off goes on where it was. Several processes may
share a search: each has a file of its own and is ``--part K/N``. A program that fails ends the
search, and is the first of the next one; ``--program NUMBER`` runs it alone.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from time import perf_counter
from typing import Any

from ascendref.core.output_files import output_file

from .program_writer import Draw
from .test_fuzz import PRODUCTS, Program, any_calls, check_that_threads_live

#: programs between two writes of the file
PIECE = 500
#: rules per program, as many as Hypothesis has
LENGTH = 50
EXECUTIONS = ("eager", "lazy", "random")
RULES = (
    Program.add_work,
    Program.work_now,
    Program.prepare,
    Program.compare_something,
    Program.wait,
    Program.link_streams,
    Program.make_and_destroy,
    Program.go_wrong,
)
#: the rules for programs with executors
RULES_OF_EXECUTORS = (Program.run, Program.change_executor)


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
            rules = RULES + RULES_OF_EXECUTORS * any_calls(program)
            draw.pick(rules)(program, draw)
            program.accounts_agree()
        program.teardown()
    except BaseException:
        print(f"program {number} failed after {program.made} calls", flush=True)
        raise
    return program.made


def search(state: Path, wanted: int, part: int, parts: int) -> None:
    """Run programs until as many calls were made, and print a line for each piece."""
    done: dict[str, Any] = {"programs": 0, "calls": 0, "seconds": 0.0}
    if state.exists():
        done = json.loads(state.read_text())
    while done["calls"] < wanted:
        start = perf_counter()
        for _ in range(PIECE):
            done["calls"] += run_program(done["programs"] * parts + part)
            done["programs"] += 1
        check_that_threads_live()
        done["seconds"] += perf_counter() - start
        with output_file(state) as file:
            file.write(json.dumps(done).encode())
        print(f"{done['calls']} calls in {done['seconds']:.0f} s", flush=True)


def main() -> None:
    """Search, or run one program."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--state", type=Path, help="file of what was run")
    what.add_argument("--program", type=int, help="number of the one program to run")
    parser.add_argument("--calls", type=int, default=10**7, help="calls of the device in all")
    parser.add_argument("--part", default="0/1", metavar="K/N", help="the K-th of N processes")
    given = parser.parse_args()
    if given.state is None:
        print(f"{run_program(given.program)} calls")
    else:
        part, parts = map(int, given.part.split("/"))
        search(given.state, given.calls // parts, part, parts)


if __name__ == "__main__":
    main()
