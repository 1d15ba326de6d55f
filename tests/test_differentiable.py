"""The stubs of the functions for JAX and PyTorch, which follow from the declarations."""

import inspect
from importlib import import_module

import pytest

import ascendref as ar
from ascendref.differentiable import differentiable_functions

from .support.doors_stub import DOORS, Door, path, stub


@pytest.mark.parametrize("door", DOORS, ids=[door.path for door in DOORS])
def test_the_stub_follows_from_the_declarations(door: Door) -> None:
    written = path(door).read_text(encoding="utf-8") if path(door).exists() else None
    assert written == stub(door), "python -m tests.support.doors_stub writes it"


def test_every_gradient_names_its_function() -> None:
    functions = differentiable_functions()
    assert not [name for name in functions if name.endswith(("_backward", "_grad"))]
    declared = {operator for f in functions.values() for operator in (f.value, *f.gradients)}
    assert declared - {None} == set(ar.OPERATORS.values())


@pytest.mark.parametrize("door", DOORS, ids=[door.path for door in DOORS])
def test_functions_are_found_by_their_names(door: Door) -> None:
    library, _, module = door.path.removesuffix(".pyi").partition("/")
    pytest.importorskip(library)
    name = f"ascendref.{library}" if module == "__init__" else f"ascendref.{library}.{module}"
    functions = import_module(name)
    for member in functions.__all__:
        function = getattr(functions, member)
        assert (function.__module__, function.__qualname__) == (name, member)
        assert next(iter(inspect.signature(function).parameters)) == door.first
