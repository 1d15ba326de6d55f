"""The stub ``ascendref/aclnn.pyi``, as it follows from the declarations.

``python -m tests.twophase.aclnn_stub`` writes it. Builds and editable installs do so by
``hatch_build.py``, with no more than the build requirements installed.
"""

from pathlib import Path

import ascendref as ar
from ascendref.borrowed.table import C_TYPES, Borrowed, borrowed
from ascendref.declaration.operator import APIS, Operator
from ascendref.device.memory.address_space import Memory
from ascendref.device.streams.stream import Stream

PATH = Path(ar.__file__).with_name("aclnn.pyi")

HEAD = '''\
"""The two-phase operator API: two functions per operator, under the vendor's names."""

{imports}
'''

FUNCTIONS = '''
def {api}GetWorkspaceSize({parameters}) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def {api}(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""
'''

WEIGHTS = '''
def aclnnCalculateMatmulWeightSize(tensorShape: Sequence[int]) -> int:
    """Return for how many elements a weight in FRACTAL_NZ needs room, of F16 or BF16."""

def aclnnCalculateMatmulWeightSizeV2(tensorShape: Sequence[int], dataType: DTypeLike) -> int:
    """Return for how many elements a weight in FRACTAL_NZ needs room."""
'''

#: kinds of parameters of operators that PyTorch computes -> types; others are integers
TYPES = {
    "T": "Tensor",
    "S": "Scalar | RealNumber",
    "f32": "float",
    "f64": "float",
    "bool": "bool",
    "str": "str",
    "dtype": "DTypeLike",
    "T[]": "Sequence[Tensor]",
    "S[]": "Sequence[Scalar | RealNumber]",
    "I[]": "Sequence[int]",
    "axes": "Sequence[int]",
    "F[]": "Sequence[float]",
    "B[]": "Sequence[bool]",
}
assert TYPES.keys() <= C_TYPES.keys()


def own_functions(operator: Operator) -> str:
    """Return the signatures of an operator's two functions."""
    count = len(operator.tensors)
    kinds = dict.fromkeys(operator.arguments, "Tensor")
    for param, name in zip(operator.scalars, operator.vendor_parameters[count:], strict=False):
        kinds[name] = param.python_type.replace("Scalar or real number", "Scalar | RealNumber")
    for name in operator.nullable:
        kinds[name] += " | None"
    return functions(operator.api, kinds)


def borrowed_functions(operator: Borrowed) -> str:
    """Return the signatures of the two functions of an operator that PyTorch computes."""
    return functions(
        operator.api,
        {
            param.name: TYPES.get(param.kind, "int") + " | None" * param.optional
            for param in operator.parameters
        },
    )


def functions(api: str, kinds: dict[str, str]) -> str:
    """Return two signatures, for parameters of some types."""
    parameters = ", ".join(f"{name}: {kind}" for name, kind in kinds.items())
    if len(f"def {api}GetWorkspaceSize({parameters}) -> tuple[int, Executor]:") > 100:
        if len(parameters) > 96:
            parameters = parameters.replace(", ", ",\n    ") + ","
        parameters = f"\n    {parameters}\n"
    return FUNCTIONS.format(api=api, parameters=parameters)


def imports() -> str:
    """Return the imports of the types that the signatures name."""
    modules = {kind.__name__: kind.__module__ for kind in (Memory, ar.Scalar, Stream, ar.Tensor)}
    modules |= {"RealNumber": "ascendref.declaration.scalars", "Executor": ar.Executor.__module__}
    modules["DTypeLike"] = "ascendref.core.dtypes"
    lines = [f"from {module[len('ascendref') :]} import {name}" for name, module in modules.items()]
    return "\n".join(["from collections.abc import Sequence", "", *sorted(lines)])


def stub() -> str:
    """Return the text of the stub."""
    own = "".join(map(own_functions, APIS.values()))
    others = "".join(map(borrowed_functions, borrowed().values()))
    return HEAD.format(imports=imports()) + own + others + WEIGHTS


if __name__ == "__main__":
    PATH.write_text(stub(), encoding="utf-8")
