"""The reference of the documentation lists every public name."""

import ast
import re

import pytest

import ascendref as ar
from ascendref import aclnn
from ascendref.declaration.operator import APIS
from ascendref.differentiable import differentiable_functions

from ..support.processes import ROOT

DOCS = ROOT / "docs"
ENTRY = re.compile(r"^\.\. (auto)?(function|class|exception|data|module):: ([\w.]+)", re.MULTILINE)
MODULE = re.compile(r"^\.\. (?:currentmodule|automodule):: ([\w.]+)", re.MULTILINE)

#: a module all of whose functions are listed: the doors for JAX and PyTorch
WHOLE = re.compile(r"^\.\. automodule:: ([\w.]+)\n   :members:$", re.MULTILINE)


def listed() -> set[str]:
    """Return the full names that the reference lists; operators' pages are generated."""
    names: set[str] = set()
    for path in (DOCS / "reference").glob("*.rst"):
        text = path.read_text(encoding="utf-8")
        module = ""
        for line in text.splitlines():
            if found := MODULE.match(line):
                module = found[1]
            if found := ENTRY.match(line):
                names |= {found[3], f"{module}.{found[3]}"}
        for module in WHOLE.findall(text):
            names |= {f"{module}.{name}" for name in differentiable_functions()}
    for operator in ar.OPERATORS.values():
        names.add(f"ascendref.{operator.name}")
        if operator.per_channel:
            names.add("ascendref.prelu_partial")
    for api in APIS:
        names |= {f"ascendref.aclnn.{api}", f"ascendref.aclnn.{api}GetWorkspaceSize"}
    return names


def public(module: str) -> list[str]:
    """Return ``__all__`` of a module that needs a library which may be missing."""
    tree = ast.parse((ROOT / module.replace(".", "/") / "__init__.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return [f"{module}.{name}" for name in ast.literal_eval(node.value)]
    raise AssertionError(f"{module} has no __all__")


def test_every_public_name_is_in_the_reference() -> None:
    names = [f"ascendref.{name}" for name in ar.__all__]
    names += [f"ascendref.aclnn.{name}" for name in aclnn.__all__]
    for name in differentiable_functions():
        names += [f"ascendref.jax.{name}", f"ascendref.torch.ops.{name}"]
    for module in ("ascendref.torch", "ascendref.npu"):
        names += public(module)
    assert [name for name in names if name not in listed()] == []


@pytest.mark.parametrize("name", ["Device", "Tensor", "Executor", "Partial", "Product"])
def test_every_member_with_an_example_is_in_the_reference(name: str) -> None:
    documented = getattr(ar, name)
    pages = "".join(path.read_text() for path in (DOCS / "reference").glob("*.rst"))
    found = re.search(rf"^\.\. autoclass:: {name}\n   :members: ([^:]*)", pages, re.MULTILINE)
    assert found is not None
    shown = re.findall(r"\w+", found[1])
    members = [m for m in dir(documented) if not m.startswith("_")]
    with_example = [m for m in members if "Examples\n" in (getattr(documented, m).__doc__ or "")]
    assert with_example
    assert [member for member in with_example if member not in shown] == []
