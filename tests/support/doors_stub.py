"""The stubs of the functions for JAX and PyTorch, as they follow from the declarations.

``python -m tests.support.doors_stub`` writes them.
"""

from __future__ import annotations

from inspect import Parameter
from pathlib import Path
from typing import NamedTuple

import ascendref as ar
from ascendref.differentiable import Function, differentiable_functions


class Door(NamedTuple):
    """A library's functions."""

    #: the stub, relative to the package
    path: str
    docstring: str
    #: names of the first operand, of its type and of the result's
    first: str
    operand: str
    result: str
    imports: str
    #: whether it has functions that PyTorch has no operator for
    every: bool = False


DOORS = (
    Door(
        "jax/__init__.pyi",
        "Functions for JAX whose gradients are computed by ascendref's kernels.",
        "x",
        "ArrayLike",
        "Array",
        "from jax import Array\nfrom jax.typing import ArrayLike\n",
        every=True,
    ),
    Door(
        "torch/ops.pyi",
        "PyTorch's functions with ascendref's gradients, as custom operators.",
        "input",
        "Tensor",
        "Tensor",
        "from torch import Tensor\n",
    ),
)


def signature(door: Door, function: Function) -> str:
    """Return a function's signature."""
    parameters = []
    for name, parameter in function.signature(door.first).parameters.items():
        if parameter.annotation is Parameter.empty:
            optional = "" if parameter.default is Parameter.empty else " | None = None"
            parameters.append(f"{name}: {door.operand}{optional}")
            continue
        if parameter.kind is Parameter.KEYWORD_ONLY:
            parameters.append("*")
        kind = parameter.annotation.replace("'", '"')
        default = f' = "{parameter.default}"'
        if parameter.default is Parameter.empty:
            default = ""
        elif not isinstance(parameter.default, str):
            default = f" = {parameter.default!r}"
        parameters.append(f"{name}: {kind}{default}")
    text = "".join(f"    {parameter},\n" for parameter in parameters)
    return f"def {function.name}(\n{text}) -> {door.result}: ...\n"


def stub(door: Door) -> str:
    """Return the text of a stub."""
    known = [f for f in differentiable_functions().values() if f.in_torch or door.every]
    functions = [signature(door, f) for f in known]
    literal = "from typing import Literal\n\n" if any("Literal" in f for f in functions) else ""
    imports = (
        f"{literal}{door.imports}\nfrom ..core.dtypes import DTypeLike\n"
        "from ..declaration.scalars import RealNumber\n"
    )
    return f'"""{door.docstring}"""\n\n{imports}\n{"".join(functions)}'


def path(door: Door) -> Path:
    """Return where a stub is stored."""
    return Path(ar.__file__).parent / door.path


if __name__ == "__main__":
    for written in DOORS:
        path(written).write_text(stub(written), encoding="utf-8")
