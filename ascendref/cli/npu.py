"""``ascendref npu``: programs for torch_npu."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

from ..cann.root import compiler
from ..core.errors import OptionError
from ..core.extras import install_command
from ..core.products import Product
from ..core.tracebacks import SHORT, VARIABLE
from .outputs import check_writable
from .programs import check_program, starting


def run_program(
    script: Path,
    arguments: list[str],
    product: str | None,
    fallback: bool,
    report: bool,
    report_file: Path | None,
    traceback: bool,
) -> None:
    """Become a Python that runs a program with torch_npu on the emulated device."""
    check_program("SCRIPT", script)
    if report_file is not None:
        check_writable("--report-file", report_file)
    for package in ("torch", "torch_npu"):
        if find_spec(package) is None:
            raise OptionError(package, f"not installed: {install_command('npu')}")
    compiler("CC")
    if product is not None:
        os.environ["ASCENDREF_PRODUCT"] = Product.find(product).soc_name
    os.environ["ASCENDREF_NPU_FALLBACK"] = "1" if fallback else "0"
    if report or report_file is not None:
        where = "-" if report_file is None else str(report_file.absolute())
        os.environ["ASCENDREF_NPU_REPORT"] = where
    if not traceback:
        os.environ[VARIABLE] = SHORT
    sys.stdout.flush()
    words = [sys.executable, "-m", "ascendref.npu", str(script), *arguments]
    with starting("SCRIPT"):
        os.execv(words[0], words)
