"""``ascendref warmup``: compile kernels before they are needed."""

import time
from typing import Final

from rich.console import Console

from ..core.dtypes import BFLOAT16, ELEMENT_TYPES, FLOAT16, FLOAT32, FLOAT64, promote
from ..declaration.operator import OPERATORS, Operator
from ..functional.kernels import kernels_for
from ..kernels.compiler.jit import kernel_statistics
from ..kernels.runtime.kernel import Kernel
from ..verify.scalars import scalar_values
from .console import print_json, progress
from .markdown import Table
from .options import parse_attributes

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
    rows = []
    with progress() as bar:
        pieces = sum(len(kernel.pieces()) for found in kernels.values() for kernel in found)
        task = bar.add_task("", total=pieces)
        for (operator, kind, compute), found in kernels.items():
            bar.update(task, description=f"{operator} {kind} in {compute}")
            before = len(kernel_statistics())
            start = time.perf_counter()
            for kernel in found:
                for _ in kernel.compile_all():
                    bar.advance(task)
            seconds, made = time.perf_counter() - start, kernel_statistics()[before:]
            cached = sum(row.cached for row in made)
            rows.append((operator, kind, compute, len(made) - cached, cached, round(seconds, 3)))
    if as_json:
        names = ("operator", "dtype", "compute_dtype", "compiled", "cached", "seconds")
        print_json([dict(zip(names, row, strict=True)) for row in rows])
        return
    headings = ("operator", "type", "in", "compiled", "from the cache", "seconds")
    texts = [(*map(str, row[:-1]), f"{row[-1]:.2f}") for row in rows]
    Console().print(Table("", headings, texts).in_terminal())


def _kernels(
    operator: Operator, kind: str, compute: str, attributes: list[str]
) -> tuple[Kernel, ...]:
    types = (ELEMENT_TYPES[kind],) * len(operator.tensors)
    values = scalar_values(operator.name, parse_attributes(operator, attributes))
    return kernels_for(operator, types, promote(*types), compute, values)
