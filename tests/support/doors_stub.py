"""The stubs of the functions for JAX and PyTorch, as they follow from the declarations.

``python -m tests.support.doors_stub`` writes them, as builds and editable installs do
(``hatch_build.py``).
"""

from inspect import Parameter
from pathlib import Path
from typing import NamedTuple

import ascendref as ar
from ascendref.differentiable import Function, differentiable_functions


class Door(NamedTuple):
    """A library's functions."""

    #: the stub, relative to the package
    path: str
    #: names of the first operand, of its type and of the result's, and where these come from
    first: str
    operand: str
    result: str
    imports: str


DOORS = (
    Door(
        "jax/__init__.pyi",
        "x",
        "ArrayLike",
        "Array",
        "from jax import Array\nfrom jax.typing import ArrayLike",
    ),
    Door("torch/ops.pyi", "input", "Tensor", "Tensor", "from torch import Tensor"),
)

HEAD = """\
from typing import Literal

{imports}

from ..core.dtypes import DTypeLike
from ..declaration.scalars import RealNumber

"""


def definition(door: Door, function: Function) -> str:
    """Return a function's definition; operands, the only parameters without a type, get theirs."""
    signature = function.signature(door.first)
    parameters = [
        parameter.replace(annotation=door.operand + " | None" * (parameter.default is None))
        if parameter.annotation is Parameter.empty
        else parameter
        for parameter in signature.parameters.values()
    ]
    typed = signature.replace(parameters=parameters, return_annotation=door.result)
    return f"def {function.name}{typed}: ...\n"


def stub(door: Door) -> str:
    """Return the text of a stub."""
    functions = [definition(door, f) for f in differentiable_functions().values()]
    return HEAD.format(imports=door.imports) + "".join(functions)


def path(door: Door) -> Path:
    """Return where a stub is stored."""
    return Path(ar.__file__).parent / door.path


if __name__ == "__main__":
    for written in DOORS:
        path(written).write_text(stub(written), encoding="utf-8")
