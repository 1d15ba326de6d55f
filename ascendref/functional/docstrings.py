"""The parts of docstrings that follow from an operator's declaration."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from inspect import cleandoc
from typing import Any, Final, TypeVar

from ..declaration.fields import TensorParam
from ..declaration.operator import Operator
from ..declaration.shapes import Shapes, broadcast_shapes, equal_shapes, shape_of

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])

#: what the shapes of tensors have in common, and the shape of the result
_SHAPES: Final[dict[Shapes, tuple[str, str]]] = {
    equal_shapes: ("of one shape", "the same shape"),
    broadcast_shapes: ("broadcast", "the broadcast shape"),
    shape_of("self"): ("broadcast to the shape of ``self``", "the shape of ``self``"),
    shape_of("target"): ("broadcast to the shape of ``target``", "the shape of ``target``"),
    shape_of("self", "target"): (
        "broadcast to the shape of ``self``, which ``target`` has",
        "the shape of ``self``",
    ),
}


def documented(operator: Operator) -> Callable[[FunctionT], FunctionT]:
    """Return a decorator that completes the docstring of an operator's array function.

    It describes the result, ``out``, ``compute_dtype``, and parameters that the docstring leaves
    out: tensors, the reduction of a loss, the axis of halves.
    """

    def complete(function: FunctionT) -> FunctionT:
        if function.__doc__ is not None:  # python -OO drops it
            code = function.__code__  # its signature would take as long as the rest
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            function.__doc__ = _completed(cleandoc(function.__doc__), operator, names)
        return function

    return complete


def _completed(doc: str, operator: Operator, names: Sequence[str]) -> str:
    """Return a docstring with all sections, and its parameters in the order of their names."""
    summary, *rest = re.split(r"\n\n(?=\w+\n---)", doc)
    sections = {title: body for title, _, body in [part.split("\n", 2) for part in rest]}
    entries = re.findall(r"\S.*\n(?: .*\n?)+", sections.pop("Parameters", ""))
    described = {name for entry in entries for name in _names(entry)}
    entries += _entries(operator, [name for name in names if name not in described])
    entries.sort(key=lambda entry: names.index(_names(entry)[0]))
    parameters = "\n".join([entry.rstrip() for entry in entries])
    result = sections.pop("Returns", None) or _result(operator)
    sections = {"Parameters": parameters, "Returns": result} | sections
    titled = [f"{title}\n{'-' * len(title)}\n{body}" for title, body in sections.items()]
    return "\n\n".join([summary, *titled])


def _names(entry: str) -> list[str]:
    """Return the names of the parameters that an entry describes."""
    return entry.partition(" : ")[0].split(", ")


def _entries(operator: Operator, names: list[str]) -> list[str]:
    """Return the entries of parameters."""
    entries = [
        "out, compute_dtype : array and dtype, optional\n"
        "    Output array and type of the arithmetic: see the\n"
        "    common rules of array functions (docs/guide/array-functions.md)."
    ]
    if tensors := [param for param in operator.tensors if param.name in names]:
        entries.append(_tensors(operator, tensors))
    for param in operator.scalars:
        if param.name in names and param.is_axis:
            entries.append(
                f"{param.name} : int, optional\n"
                "    Axis along which ``self`` is divided into halves."
            )
        elif param.name in names and param.name == "reduction":
            choices = param.choices or {}
            words = ", ".join([f'"{name}"' for name in choices])
            numbers = ", ".join(map(str, choices.values()))
            entries.append(
                f"{param.name} : {{{words}}} or {{{numbers}}}, optional\n"
                "    The result: the losses of the elements, their mean or their sum."
            )
    return entries


def _tensors(operator: Operator, tensors: list[TensorParam]) -> str:
    """Return the entry of tensors."""
    names, kinds = [param.name for param in tensors], ["array"]
    if len(operator.tensors) > 1:
        kinds.append(_SHAPES[operator.shapes][0])
        kinds += ["of one type"] * operator.same_type
    if integers := [kind.name.upper() for kind in tensors[0].types if not kind.floating]:
        kinds.append("also " + " or ".join(filter(None, [", ".join(integers[:-1]), integers[-1]])))
    loss = "target" in names
    words = "predictions and targets" if loss else "data"
    if names[0].startswith("grad"):
        words = "gradient of the " + (f"loss, {words}" if loss else f"result, and the {words}")
    return f"{', '.join(names)} : {', '.join(kinds)}\n    {words.capitalize()}."


def _result(operator: Operator) -> str:
    """Return the description of the result."""
    kind = "the inputs' type" if operator.same_type else "the promoted type"
    if operator.reduction is not None:
        what = kind
    elif len(operator.tensors) == 1:
        what = "the shape and type of ``self``"
    else:
        what = f"{_SHAPES[operator.shapes][1]} and {kind}"
    return f"array of {what}" + ", as ``out`` must be" * operator.same_type
