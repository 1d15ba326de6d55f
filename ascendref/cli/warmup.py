"""``ascendref warmup``: compile kernels before they are needed."""

from __future__ import annotations

import time
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from ..bench.scalars import scalar_values
from ..core.dtypes import BFLOAT16, ELEMENT_TYPES, FLOAT16, FLOAT32, FLOAT64, promote
from ..declaration.operator import OPERATORS, Operator
from ..functional.call import kernel_for, partial_sum_kernel
from ..kernels.compiler.jit import kernel_statistics
from ..kernels.runtime.kernel import Kernel
from .attributes import parse_attributes
from .console import print_json, progress

#: the element types whose kernels are compiled unless others are named
_USUAL: Final = (FLOAT16.name, BFLOAT16.name, FLOAT32.name)


def warmup(
    chosen: tuple[str, ...],
    kinds: tuple[str, ...],
    computed: tuple[str, ...],
    attributes: list[str],
    as_json: bool,
) -> None:
    """Compile the kernels of some operators, types and compute types, or of all, and print them."""
    kernels = {
        (operator.name, kind, compute): _kernels(operator, kind, compute, attributes)
        for operator in OPERATORS.values()
        if operator.name in (chosen or OPERATORS)
        for kind in kinds or _USUAL
        for compute in computed or ("float64" if kind == FLOAT64.name else "float32",)
    }
    rows: dict[tuple[str, str, str], dict[str, Any]] = {}
    with progress() as bar:
        pieces = sum(len(kernel.pieces()) for row in kernels.values() for kernel in row)
        task = bar.add_task("", total=pieces)
        for (operator, kind, compute), row_kernels in kernels.items():
            bar.update(task, description=f"{operator} {kind} in {compute}")
            before = len(kernel_statistics())
            start = time.perf_counter()
            for kernel in row_kernels:
                for _ in kernel.compile_all():
                    bar.advance(task)
            rows[operator, kind, compute] = {
                "operator": operator,
                "dtype": kind,
                "compute_dtype": compute,
                "seconds": round(time.perf_counter() - start, 3),
                "compiled": sum(not row.cached for row in kernel_statistics()[before:]),
                "cached": sum(row.cached for row in kernel_statistics()[before:]),
            }
    if as_json:
        print_json(list(rows.values()))
        return
    table = Table("operator", "type", "in", "compiled", "from the cache", "seconds")
    for row in rows.values():
        table.add_row(
            row["operator"], row["dtype"], row["compute_dtype"], str(row["compiled"]),
            str(row["cached"]), f"{row['seconds']:.2f}",
        )  # fmt: skip
    Console().print(table)


def _kernels(
    operator: Operator, kind: str, compute: str, attributes: list[str]
) -> tuple[Kernel, ...]:
    """Return the kernel of an operator and, if it has channel sums, that of parts of the data."""
    types = (ELEMENT_TYPES[kind],) * len(operator.tensors)
    values = scalar_values(operator.name, parse_attributes(operator, attributes))
    whole = kernel_for(operator, types, promote(*types), compute, values)
    if operator.channel_term is None:
        return (whole,)
    return whole, partial_sum_kernel(operator, types[0], compute)
