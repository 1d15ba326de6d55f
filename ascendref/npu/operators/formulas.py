"""Operators of the namespace ``npu``, and some of PyTorch's own, as formulas of others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import signature
from typing import Any, Final, NamedTuple, NoReturn, TypeVar

import torch
from torch import Tensor

from ...core.errors import ArgumentError, ArgumentTypeError, ArgumentValueError

F = TypeVar("F", bound=Callable[..., Any])
Tensors = tuple[Tensor, ...]
#: results of which some may be missing
Gradients = tuple[Tensor | None, ...]


class Formula(NamedTuple):
    """A function in place of an operator's kernel.

    A call with an argument that it neither takes nor ignores is refused, unless the argument has
    its default.
    """

    function: Callable[..., Any]
    #: arguments of the operator -> the function's names for them
    renamed: Mapping[str, str]
    #: arguments that it does not need: they follow from others or do not change the result
    ignored: Sequence[str]
    #: the operator's namespace
    space: str

    def taken(self, arguments: Iterable[str]) -> dict[str, str]:
        """Return which of the arguments the function takes, and its names for them."""
        parameters = signature(self.function).parameters
        takes_all = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
        names = {one: self.renamed.get(one, one) for one in arguments if one not in self.ignored}
        return {one: name for one, name in names.items() if takes_all or name in parameters}


#: by the name of the overload, without the namespace
FORMULAS: Final[dict[str, Formula]] = {}


class NotEmulated(Exception):
    """A call that a formula does not cover; says which."""


class OperatorTypeError(ArgumentTypeError, RuntimeError):
    """An argument has the wrong type; like all errors of torch_npu's operators a RuntimeError."""


class OperatorValueError(ArgumentValueError, RuntimeError):
    """An argument has a wrong value; like all errors of torch_npu's operators a RuntimeError."""


def operator_error(error: ArgumentError) -> ArgumentError:
    """Return the error of an operator for one of its arguments."""
    kind = OperatorTypeError if isinstance(error, TypeError) else OperatorValueError
    return kind(error.argument, error.problem)


def formula(
    *names: str,
    renamed: Mapping[str, str] | None = None,
    ignored: str = "",
    space: str = "npu",
) -> Callable[[F], F]:
    """Make a function the formula of the operator of its name, or of the overloads given.

    Arguments are passed by name, with the defaults of the operator's schema.
    """

    def register(function: F) -> F:
        for name in names or (function.__name__,):
            FORMULAS[name] = Formula(function, renamed or {}, ignored.split(), space)
        return function

    return register


def refuse(why: str) -> NoReturn:
    """Refuse a call of an operator."""
    raise NotEmulated(why)


def one_of(name: str, value: Any, allowed: Sequence[Any]) -> None:
    """Refuse a value of an argument that is not among those allowed."""
    if value not in allowed:
        texts = ", ".join(map(repr, allowed))
        raise ArgumentValueError(name, f"is {value!r}; allowed: {texts}")


def gradients(function: Callable[..., Any], inputs: Sequence[Tensor], grad: Tensor) -> Tensors:
    """Return the gradients of a function's first result for its inputs, given the result's."""
    with torch.inference_mode(False), torch.enable_grad():
        leaves = [tensor.detach().clone().requires_grad_() for tensor in inputs]
        results = function(*leaves)
        result = results[0] if isinstance(results, tuple) else results
        found = torch.autograd.grad(result, leaves, grad, materialize_grads=True)
    return tuple(found)
