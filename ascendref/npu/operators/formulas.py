"""Operators of the namespace ``npu`` as formulas of PyTorch's operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn, TypeVar

import torch
from torch import Tensor

from ...core.errors import ArgumentValueError
from ..refusals import refusal

F = TypeVar("F", bound=Callable[..., Any])

#: formulas by the name of the overload, without ``npu::``
FORMULAS: Final[dict[str, Callable[..., Any]]] = {}


def formula(*names: str) -> Callable[[F], F]:
    """Make a function the formula of the operator of its name, or of the overloads given.

    Its parameters are those of the operator's schema. Some of them are not looked at, because
    they choose between ways of computing the same.
    """

    def register(function: F) -> F:
        for name in names or (function.__name__,):
            FORMULAS[name] = function
        return function

    return register


def lacking(operator: str, **values: Any) -> None:
    """Refuse arguments, given by their names, that an operator's formula does not cover."""
    for name, value in values.items():
        if value is not None and value is not False:
            refuse(operator, f"with {name}")


def refuse(operator: str, why: str) -> NoReturn:
    """Refuse a call of an operator."""
    refusal(f"npu::{operator}", f"{why} it is not emulated")()


def one_of(name: str, value: Any, allowed: Sequence[Any]) -> None:
    """Refuse a value of an argument that is not among those allowed."""
    if value not in allowed:
        texts = ", ".join(map(repr, allowed))
        raise ArgumentValueError(name, f"is {value!r}; allowed: {texts}")


def gradients(
    function: Callable[..., Any], inputs: Sequence[Tensor], grads: Tensor | Sequence[Tensor]
) -> Sequence[Tensor]:
    """Return the gradients of a function for its inputs, given those of its results."""
    with torch.inference_mode(False), torch.enable_grad():
        leaves = [tensor.detach().clone().requires_grad_() for tensor in inputs]
        results: Sequence[Tensor] = torch.autograd.grad(
            function(*leaves), leaves, grads, materialize_grads=True
        )
    return results
