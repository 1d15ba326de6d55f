"""The functions that PyTorch and JAX differentiate, as they follow from the operators."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from inspect import Parameter, Signature
from itertools import zip_longest
from math import prod
from typing import Any, Final

from . import operators
from .core.dtypes import FLOAT64, ROUNDED_ONCE, ElementType
from .declaration.fields import Forward
from .declaration.operator import OPERATORS, Operator
from .declaration.scalars import ScalarParam
from .functional.kernels import formula_kernel
from .kernels.arithmetic.arrays import evaluate
from .kernels.arithmetic.formula import Formula

#: the scalar that says what a loss does with its elements; its choices are functions of libraries
_REDUCTION: Final = "reduction"
_NONE: Final = "none"
_BATCHMEAN: Final = "batchmean"


@dataclass(frozen=True, eq=False)
class Function:
    """A function, and the operators that compute its value and its gradient."""

    forward: Forward
    #: the operator that computes the value; None if only the gradient has one
    value: Operator | None
    #: the operators that compute the gradients for the first operands, if any
    gradients: tuple[Operator, ...] = ()
    #: scalars of the gradient's operator that the function does not have
    fixed: Mapping[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its name in PyTorch and JAX."""
        return self.forward.name

    @property
    def gradient(self) -> Operator | None:
        """The operator that computes the gradient for the first operand."""
        return self.gradients[0] if self.gradients else None

    @property
    def operator(self) -> Operator:
        """The operator whose kernel is called for the gradient, or for the value if it has none."""
        operator = self.gradient or self.value
        assert operator is not None
        return operator

    @property
    def declared(self) -> Operator:
        """The operator whose scalars the function has."""
        return self.value or self.operator

    @property
    def scalars(self) -> tuple[ScalarParam, ...]:
        """The function's scalars."""
        return self.declared.scalars

    def kernel_scalars(self, scalars: Sequence[Any]) -> tuple[Any, ...]:
        """Return the gradient's scalars, from the function's; flags that this lacks are false."""
        flags = {param.name: False for param in self.operator.scalars if param.is_flag}
        names = [param.name for param in self.scalars]
        values = {**flags, **dict(zip(names, scalars, strict=True)), **self.fixed}
        return tuple([values[param.name] for param in self.operator.scalars])

    def needed(self, operator: Operator) -> dict[str, Any]:
        """Return an example's values for those scalars of an operator that have no defaults."""
        known = {**needed_scalars(self.declared), **self.fixed}
        return {name: known[name] for name in needed_scalars(operator)}

    @property
    def operands(self) -> tuple[str, ...]:
        """The operator's names of the operands, or of its result in place of the only one."""
        if self.value is not None and self.value.is_viewed:
            return tuple([param.name for param in self.value.tensors])
        names = [param.name for param in self.operator.tensors]
        others = [name for name in self._taken[1:] if name in names]
        first = self._taken[0] if self._taken[0] in names else self.operator.data
        return (first, *others)

    @property
    def computes_value(self) -> bool:
        """Whether an operator computes the value for each element."""
        return self.value is not None and self.value.reduction is None

    @property
    def computing(self) -> dict[str, str]:
        """Names of the operators that compute elements, and what they compute."""
        value = self.value if self.computes_value else None
        pairs = (value, "value"), (self.gradient, "gradient")
        return {operator.name: what for operator, what in pairs if operator is not None}

    @property
    def computed(self) -> str:
        """What operators compute, in words."""
        return " and ".join(self.computing.values())

    @property
    def defaults(self) -> tuple[float | None, ...]:
        """The number that an operand is if it is omitted; None if it must be given."""
        return tuple([self.operator.tensors[place].default for place in self.places])

    @property
    def takes_halves(self) -> bool:
        """Whether the operand consists of several arrays, so that its shape is not the value's."""
        return len(self.operator.each_operand(self.operator.tensors)) > len(self.operator.tensors)

    @property
    def _taken(self) -> tuple[str, ...]:
        """Names of what the formula takes."""
        return tuple(inspect.signature(self.forward.formula).parameters)

    @property
    def places(self) -> tuple[int, ...]:
        """Indices of the operands among the operator's tensors; the other one is the gradient."""
        names = [param.name for param in self.operator.tensors]
        return tuple([names.index(name) for name in self.operands])

    def signature(self, first: str) -> Signature:
        """Return a signature: operands, scalars as in the array function, and a compute type.

        The first operand gets another name.
        """
        known = _parameters(self.declared)
        kind = Parameter.POSITIONAL_OR_KEYWORD
        operands = [
            Parameter(name, kind, default=Parameter.empty if number is None else None)
            for name, number in zip((first, *self.operands[1:]), self.defaults, strict=True)
        ]
        scalars = [known[param.name] for param in self.scalars]
        return Signature([*operands, *scalars, known["compute_dtype"]])

    def evaluate(self, namespace: Any, operands: Sequence[Any], scalars: Sequence[float]) -> Any:
        """Return the value, computed and differentiable in an array library.

        The namespace is ``jax.numpy`` or ``torch``, and the operands are its arrays.
        """
        names = [param.name for param in self.scalars]
        values = dict(zip(names, scalars, strict=True))
        taken = [values[name] for name in self._taken if name in names]
        if self.value is not None:
            operands = self.value.operands(tuple(operands), scalars)
        result = evaluate(self.forward.formula, namespace, operands, taken)
        reduction = self.reduction(scalars)
        if reduction == _BATCHMEAN:
            return result.sum() / prod(result.shape[:1])
        return result if reduction == _NONE else getattr(namespace, reduction)(result)

    def evaluate_gradient(
        self, namespace: Any, tensors: Sequence[Any], scalars: Sequence[float]
    ) -> Any:
        """Return what the gradient's operator computes, as `evaluate` does."""
        numbers = self.kernel_scalars(scalars)
        return evaluate(self.operator.formula.function, namespace, tensors, numbers)

    def numbers(self, scalars: Sequence[Any]) -> tuple[float, ...]:
        """Return the scalars as numbers, with the defaults for None and for those at the end."""
        return scalar_numbers(self.declared, scalars)

    def reduction(self, scalars: Sequence[Any]) -> str:
        """Return what the function does with the values of elements: none, mean or sum."""
        for param, value in zip(self.scalars, scalars, strict=True):
            if param.name == _REDUCTION and param.choices is not None:
                return next(name for name, number in param.choices.items() if number == value)
        return _NONE

    def for_batches(self, scalars: Sequence[Any]) -> tuple[Any, ...]:
        """Return the scalars for operands with one more axis, the first, without a reduction."""
        values = []
        for param, value in zip(self.scalars, scalars, strict=True):
            if param.name == _REDUCTION:
                value = (param.choices or {})[_NONE]
            elif param.is_axis and value >= 0:
                value += 1
            values.append(value)
        return tuple(values)


def as_arguments(scalars: Mapping[str, Any]) -> str:
    """Return scalars as what follows the tensors in the text of a call."""
    return "".join([f", {name}={value}" for name, value in scalars.items()])


def _parameters(operator: Operator) -> Mapping[str, Parameter]:
    """Return the parameters of an operator's array function."""
    return inspect.signature(getattr(operators, operator.name)).parameters


def scalar_numbers(operator: Operator, scalars: Sequence[Any]) -> tuple[float, ...]:
    """Return an operator's scalars; those that are None or missing have the defaults."""
    defaults = default_scalars(operator)
    numbers = []
    for param, value in zip_longest(operator.scalars, scalars):
        value = defaults[param.name] if value is None else value
        numbers.append((param.choices or {}).get(value, value))
    return tuple(numbers)


def default_scalars(operator: Operator) -> dict[str, Any]:
    """Return an operator's scalars by name, as its array function's signature has them.

    Those without a default there are as in the operator's first setting.
    """
    parameters, setting = _parameters(operator), operator.settings[0]
    names = [param.name for param in operator.scalars]
    defaults = {name: parameters[name].default for name in names}
    return {n: setting[n] if x is Parameter.empty else x for n, x in defaults.items()}


def needed_scalars(operator: Operator) -> dict[str, Any]:
    """Return those of `default_scalars` that its array function has no defaults for."""
    parameters, defaults = _parameters(operator), default_scalars(operator)
    return {n: x for n, x in defaults.items() if parameters[n].default is Parameter.empty}


def differentiable_functions() -> dict[str, Function]:
    """Return all functions by name."""
    values = {name: operator for name, operator in OPERATORS.items() if operator.forward is None}
    gradients: dict[str, list[Operator]] = {}
    for operator in OPERATORS.values():
        if operator.forward is not None:
            gradients.setdefault(operator.forward.name, []).append(operator)
    functions = {}
    for name, (first, *others) in gradients.items():
        assert first.forward is not None
        value = values.pop(name, None)
        functions[name] = Function(first.forward, value, (first, *others))
    for name, operator in values.items():
        forward = Forward(name, operator.formula.function, f"the value of `ascendref.{name}`")
        by = operator.gradient
        computed = (OPERATORS[by.operator],) if by else ()
        fixed = by.scalars if by else {}
        functions[name] = Function(forward, operator, computed, fixed)
    return dict(sorted(functions.items()))


def kernel_of(formula: Formula, kind: ElementType, compute: str, scalars: tuple[float, ...]) -> Any:
    """Return the kernel of a formula for tensors of one type in PyTorch or JAX.

    These compute with scalars in the data's type, so for F64 data they are not narrowed to FLOAT.
    """
    suited = formula.suited(compute, kind.name, scalars)
    if kind is FLOAT64 and compute in ROUNDED_ONCE:
        suited = suited.with_wide_scalars()
    return formula_kernel(suited, (kind,) * suited.tensors, kind, kind, compute)
