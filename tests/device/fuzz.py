"""A long search with the programs of `test_fuzz`: ``python -m tests.device.fuzz --state FILE``.

It runs pieces of 200 programs, each with a seed of its own, until as many calls were made as
wanted. The file keeps what was run, so that a search which was broken off goes on where it was.
Several processes may share a search: each has a file of its own and is ``--part K/N``. A piece
that fails is not kept, so that it fails again.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ascendref.core.output_files import output_file

from .test_fuzz import run_programs

PROGRAMS = 200
EXECUTIONS = ("eager", "lazy", "random")


def search(state: Path, wanted: int, part: int, parts: int) -> None:
    """Run pieces until as many calls were made, and print a line for each."""
    pieces: list[dict[str, Any]] = json.loads(state.read_text()) if state.exists() else []
    while (calls := sum(piece["calls"] for piece in pieces)) < wanted:
        seed = len(pieces) * parts + part
        execution = EXECUTIONS[len(pieces) % len(EXECUTIONS)]
        made, seconds = run_programs(execution, PROGRAMS, seed)
        pieces.append({"seed": seed, "execution": execution, "calls": made, "seconds": seconds})
        with output_file(state) as file:
            file.write(json.dumps(pieces).encode())
        print(f"{calls + made} calls, {made / seconds:.0f} per second", flush=True)
    seconds = sum(piece["seconds"] for piece in pieces)
    print(f"{calls} calls in {seconds:.0f} s; nothing that the model did not foretell")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--state", type=Path, required=True, help="file of what was run")
    parser.add_argument("--calls", type=int, default=10**7, help="calls of the device in all")
    parser.add_argument("--part", default="0/1", metavar="K/N", help="the K-th of N processes")
    given = parser.parse_args()
    part, parts = map(int, given.part.split("/"))
    search(given.state, given.calls // parts, part, parts)


if __name__ == "__main__":
    main()
