"""``ascendref bench --residual``: a residual block with and without ascendref's kernels."""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.table import Table

from ..bench.residual import FORMATS, KINDS, PARTS, QUICK_SHAPE, SHAPE, residual_rows
from ..core.threads import get_num_threads
from .console import print_json, progress
from .machine import processor, versions

#: seconds for each row
_SECONDS: Final = 10.0
_QUICK_SECONDS: Final = 0.5


def bench_residual(*, quick: bool, seconds: float | None, as_json: bool) -> None:
    """Measure and print."""
    shape = QUICK_SHAPE if quick else SHAPE
    budget = seconds or (_QUICK_SECONDS if quick else _SECONDS)
    rows = []
    with progress(thread=False, long=True) as bar:
        found = residual_rows(shape, get_num_threads(), budget)
        total = len(PARTS) * len(KINDS) * len(FORMATS)
        rows = list(bar.track(found, total=total, description="residual block"))
    if as_json:
        print_json(
            {
                "versions": versions(),
                "processor": processor(),
                "rows": [
                    row._asdict()
                    | {
                        "ours": row.ours.seconds,
                        "torch": row.torch.seconds,
                        "ratio": row.ratio,
                        "noise": row.ours.noise,
                    }
                    for row in rows
                ],
            }
        )
        return
    title = f"forward and backward, {' × '.join(map(str, shape))}, {rows[0].threads} threads"
    table = Table("ratio", "part", "type", "memory format", "PyTorch, ms", title=title)
    for row in rows:
        milliseconds = f"{row.torch.seconds * 1e3:.1f}"
        table.add_row(f"{row.ratio:.2f}", row.part, row.kind, row.format, milliseconds)
    console = Console()
    console.print(table)
    console.print("time of PyTorch ÷ time of PyTorch with PReLU's gradient from ascendref")
