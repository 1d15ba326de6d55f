"""The stub ``ascendref/aclnn.pyi``, as it follows from the declarations.

``python -m tests.twophase.aclnn_stub`` writes it.
"""

from __future__ import annotations

from pathlib import Path

import ascendref as ar
from ascendref.declaration.operator import Operator, vendor_name
from ascendref.device.memory.address_space import Memory
from ascendref.device.streams.stream import Stream

PATH = Path(ar.__file__).with_name("aclnn.pyi")

HEAD = '''\
"""The two-phase operator API: two functions per operator, under the vendor's names."""

{imports}
'''

FUNCTIONS = '''
def {api}GetWorkspaceSize(
{parameters}
) -> tuple[int, Executor]:
    """Check and plan a call of {api}; nothing is computed yet."""

def {api}(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""
'''


def functions(operator: Operator) -> str:
    """Return the signatures of an operator's two functions."""
    scalars = {param.name for param in operator.scalars}
    parameters = ", ".join(
        f"{vendor_name(name)}: {'Scalar | RealNumber' if name in scalars else 'Tensor'}"
        for name in operator.parameters
    )
    one_line = f"def {operator.api}GetWorkspaceSize(\n    {parameters}\n"
    if max(map(len, one_line.splitlines())) > 100:
        parameters = parameters.replace(", ", ",\n    ") + ","
    return FUNCTIONS.format(api=operator.api, parameters=f"    {parameters}")


def imports() -> str:
    """Return the imports of the types that the signatures name."""
    modules = {kind.__name__: kind.__module__ for kind in (Memory, ar.Scalar, Stream, ar.Tensor)}
    modules |= {"RealNumber": "ascendref.declaration.scalars", "Executor": ar.Executor.__module__}
    lines = [f"from {module[len('ascendref') :]} import {name}" for name, module in modules.items()]
    return "\n".join(sorted(lines))


def stub() -> str:
    """Return the text of the stub."""
    return HEAD.format(imports=imports()) + "".join(map(functions, ar.OPERATORS.values()))


if __name__ == "__main__":
    PATH.write_text(stub(), encoding="utf-8")
