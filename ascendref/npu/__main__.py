"""``python -m ascendref.npu SCRIPT [ARGS…]``: a program for torch_npu, as it is."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from ..core.tracebacks import shorten_tracebacks


def main() -> None:
    """Run the program that the arguments name."""
    if len(sys.argv) < 2:
        sys.exit("usage: python -m ascendref.npu SCRIPT [ARGS...]")
    shorten_tracebacks()
    del sys.argv[0]
    script = sys.argv[0]
    sys.path[0] = str(Path(script).resolve().parent)
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
