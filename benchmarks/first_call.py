"""Print the CPU seconds of one call: ``python -m benchmarks.first_call OPERATOR SIZE LAYOUT``."""

from __future__ import annotations

import sys
import time

import numba  # noqa: F401  its import is not part of the call

import ascendref as ar
from ascendref.bench.cases import Case, tensors


def main(operator: str, size: str, layout: str) -> None:
    """Call an operator on contiguous or strided F32 arrays."""
    arrays = list(tensors(Case(operator, "float32", int(size))))
    if layout == "strided":
        arrays[0] = arrays[0][..., ::-1]
    function = getattr(ar, operator)
    start = time.process_time()
    function(*arrays)
    print(time.process_time() - start)


if __name__ == "__main__":
    main(*sys.argv[1:])
