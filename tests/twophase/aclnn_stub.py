"""The stub ``ascendref/aclnn.pyi``, as it follows from the declarations.

``python -m tests.twophase.aclnn_stub`` writes it.
"""

from __future__ import annotations

from pathlib import Path

import ascendref as ar
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
    """Check and plan a call of {api}; nothing is computed."""

def {api}(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""
'''


def functions(operator: Operator) -> str:
    """Return the signatures of an operator's two functions."""
    count = len(operator.tensors)
    kinds = dict.fromkeys(operator.arguments, "Tensor")
    for param, name in zip(operator.scalars, operator.vendor_parameters[count:], strict=False):
        kinds[name] = param.python_type.replace("Scalar or real number", "Scalar | RealNumber")
    for name in operator.nullable:
        kinds[name] += " | None"
    parameters = ", ".join(f"{name}: {kind}" for name, kind in kinds.items())
    if len(f"def {operator.api}GetWorkspaceSize({parameters}) -> tuple[int, Executor]:") > 100:
        if len(parameters) > 96:
            parameters = parameters.replace(", ", ",\n    ") + ","
        parameters = f"\n    {parameters}\n"
    return FUNCTIONS.format(api=operator.api, parameters=parameters)


def imports() -> str:
    """Return the imports of the types that the signatures name."""
    modules = {kind.__name__: kind.__module__ for kind in (Memory, ar.Scalar, Stream, ar.Tensor)}
    modules |= {"RealNumber": "ascendref.declaration.scalars", "Executor": ar.Executor.__module__}
    lines = [f"from {module[len('ascendref') :]} import {name}" for name, module in modules.items()]
    return "\n".join(sorted(lines))


def stub() -> str:
    """Return the text of the stub."""
    return HEAD.format(imports=imports()) + "".join(map(functions, APIS.values()))


if __name__ == "__main__":
    PATH.write_text(stub(), encoding="utf-8")
