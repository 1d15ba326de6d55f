"""``ascendref run``: one operator on arrays from files."""

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import rich.table
from numpy.typing import NDArray
from rich.console import Console

import ascendref

from ..core.errors import OptionError
from ..declaration.operator import Operator
from ..differentiable import needed_scalars
from .array_files import check_target, read_array, read_arrays, write_arrays
from .console import json_number, print_json, progress
from .markdown import Table
from .options import COMPUTE_TYPES, check_choices, operator_named, parse_attributes
from .outputs import keep_stdout_for

T = TypeVar("T")

#: warm calls are repeated for this long, and at least once
_SECONDS: Final = 0.2


def run(
    operator_name: str,
    inputs: list[str],
    attributes: list[str],
    compute_dtype: str | None,
    output: Path,
    as_json: bool,
) -> None:
    """Read arrays, call the operator, write its results and say how long it took."""
    operator = operator_named(operator_name)
    attrs = parse_attributes(operator, attributes)
    if compute_dtype is not None:
        (compute_dtype,) = check_choices(
            "--compute-dtype", [compute_dtype], (*COMPUTE_TYPES, "exact")
        )
    check_target("--output", output, operator.outputs)
    function = getattr(ascendref, operator.name)
    missing = [name for name in needed_scalars(operator) if name not in attrs]
    if missing:
        raise OptionError("--attr", f"{operator.name} needs {', '.join(missing)}")
    # no redrawing thread: it would run beside the calls that are timed
    with progress(thread=False) as bar:
        task = bar.add_task("reading", total=4)
        arrays = collect_arrays(operator, inputs)
        bar.update(task, advance=1, description="first call", refresh=True)
        call = lambda: function(**arrays, **attrs, compute_dtype=compute_dtype)  # noqa: E731
        first, value = timed(call)
        bar.update(task, advance=1, description="warm calls", refresh=True)
        seconds = time_warm(call)
        bar.update(task, advance=1, description="writing", refresh=True)
        values = value if isinstance(value, tuple) else (value,)
        results = dict(zip(operator.outputs, values, strict=True))
        write_arrays("--output", output, results)
        bar.update(task, advance=1, refresh=True)
    warm = statistics.median(seconds)
    # of the largest result: a sum per channel is no measure
    size = max(array.size for array in results.values())
    report = {
        "operator": operator.name,
        "api": operator.api,
        "attrs": {k: x if isinstance(x, str) else json_number(x) for k, x in attrs.items()},
        "compute_dtype": compute_dtype,
        "output": str(output),
        "results": [
            {"name": name, "shape": list(array.shape), "dtype": array.dtype.name}
            for name, array in results.items()
        ],
        "first_call_seconds": first,
        "seconds": warm,
        "calls": len(seconds),
        "elements_per_second": size / warm if warm > 0 else 0.0,
    }
    with keep_stdout_for(output):
        if as_json:
            print_json(report)
        else:
            show(report)


def collect_arrays(operator: Operator, inputs: list[str]) -> dict[str, NDArray[Any]]:
    """Return the arrays of all --input options by name, each once; some may be omitted."""
    tensors = tuple(tensor.name for tensor in operator.tensors)
    allowed, arrays = ", ".join(tensors), dict[str, NDArray[Any]]()
    for text in inputs:
        name, equals, file = text.partition("=")
        # a path may hold a "=", a name is an identifier
        if equals and name.isidentifier():
            if name not in tensors:
                problem = f"{operator.name} has no tensor {name!r}; allowed are {allowed}"
                raise OptionError("--input", problem)
            found = {name: read_array("--input", Path(file))}
        else:
            found = read_arrays("--input", Path(text), tensors)
        for name in found:
            if name in arrays:
                raise OptionError("--input", f"{name} is given twice, the second time by {text}")
        arrays.update(found)
    needed = [tensor.name for tensor in operator.tensors if tensor.default is None]
    missing = [name for name in needed if name not in arrays]
    if missing:
        problem = f"missing {', '.join(missing)}; {operator.name} takes {allowed}"
        raise OptionError("--input", problem)
    return arrays


def timed(call: Callable[[], T]) -> tuple[float, T]:
    """Call once and return the seconds it took and its value."""
    start = time.perf_counter()
    value = call()
    return time.perf_counter() - start, value


def time_warm(call: Callable[[], object]) -> list[float]:
    """Time calls for a while, but at least one, once a call needs no new kernel."""
    before = -1
    while before != (kernels := len(ascendref.kernel_statistics())):
        before = kernels
        call()
    seconds: list[float] = []
    end = time.perf_counter() + _SECONDS
    while not seconds or time.perf_counter() < end:
        seconds.append(timed(call)[0])
    return seconds


def show(report: dict[str, Any]) -> None:
    rows = [(x["name"], str(tuple(x["shape"])), x["dtype"]) for x in report["results"]]
    table = Table(f"{report['operator']} ({report['api']})", ("result", "shape", "type"), rows)
    speeds = rich.table.Table.grid(padding=(0, 2))
    speeds.add_row("warm call", f"{report['seconds']:.3g} s", f"median of {report['calls']}")
    speeds.add_row("elements/s", f"{report['elements_per_second']:.3g}", "of a warm call")
    first = f"{report['first_call_seconds']:.3g} s"
    speeds.add_row("first call", first, "kernels compiled or loaded from disk")
    Console().print(table.in_terminal(), speeds, sep="\n")
    print(f"written to {report['output']}")  # rich would wrap a path and read brackets as markup
