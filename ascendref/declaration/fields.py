"""The parts of a declaration, such as parameters and the operator's place on the device."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final, Literal, NamedTuple

from ..core.dtypes import FLOATS, ElementType, promote
from ..kernels.arithmetic.formula import Formula
from .views import View

Types = tuple[ElementType, ...]


class TensorParam(NamedTuple):
    """A tensor parameter."""

    #: name in the array functions
    name: str
    #: element types that are allowed
    types: Types = FLOATS
    #: the vendor's name; None for the same in camelCase
    vendor: str | None = None
    #: the number that all elements are if the tensor is omitted; None if it must be given
    default: float | None = None
    #: how the formula sees it; None if it is one of the tensors that broadcast
    view: View | None = None
    #: the interval from which samples of its elements are taken; None for all numbers
    domain: tuple[float, float] | None = None


#: sets of product families
A2_A3: Final = ("Atlas A2", "Atlas A3")
TRAINING_A2_A3: Final = ("Atlas training", *A2_A3)
INFERENCE_A2_A3: Final = ("Atlas inference", *A2_A3)
ALL_BUT_200I: Final = ("Atlas training", "Atlas inference", *A2_A3)


class OnDevice(NamedTuple):
    """How an operator runs on the device."""

    #: product families that have it
    products: tuple[str, ...]
    #: kernels that the device launches for it, in order
    kernels: tuple[str, ...]
    #: product families on which it takes F64 tensors, which the device narrows to F32
    float64: tuple[str, ...] = ()
    #: whether a call with an empty input succeeds before shapes are compared
    empty_first: bool = False
    #: types that tensors may have together: inputs of any types and any result ("cast"), the
    #: inputs' promoted type or that of ``target`` for results ("promoted", "target"), one type for
    #: all inputs and any result ("inputs"), or one type for all tensors ("equal")
    types: Literal["cast", "promoted", "target", "inputs", "equal"] = "cast"
    #: least rank of an input
    least_rank: int = 0
    #: fixed bytes of workspace of a generated operator (one kernel); None for a composed operator,
    #: whose workspace holds its intermediates
    scratch: int | None = None
    #: the vendor's header, if its name does not follow from that of the operator
    header: str | None = None


class TorchOperator(NamedTuple):
    """PyTorch's operator for the same formula."""

    #: its name in ``torch.ops.aten``
    name: str
    #: its arguments, from the operator's tensors and scalars by name but for ``keywords``; by
    #: default they are the same
    arguments: Callable[..., tuple[Any, ...]] = lambda **arguments: tuple(arguments.values())
    #: names of the operator's tensors and scalars in the order of PyTorch's, if it has scalars
    #: before tensors
    order: tuple[str, ...] = ()
    #: scalars that it takes as keywords alone
    keywords: tuple[str, ...] = ()
    #: the keyword under which it takes the array for its result, if any
    out: str | None = "grad_input"
    #: the memory format of a result that is laid out like ``self``; None if it is laid out like
    #: all tensors together
    format: Literal["contiguous", "preserve"] | None = None
    #: tensors whose elements must lie between two numbers, or it raises an error
    limits: Mapping[str, tuple[float, float]] = {}


class Forward(NamedTuple):
    """The function of PyTorch and JAX whose gradient an operator computes."""

    #: its name there
    name: str
    #: its value for each element, a formula; its parameters are parameters of the operator, by
    #: name: its operands, then scalars. The first one may have another name than the tensor
    formula: Callable[..., Any]
    #: its value in terms of its operands; the first one is ``x``
    text: str
    #: whether it depends only on the difference of its operands, so that the gradient for the
    #: second is the negative of that for the first
    of_difference: bool = False
    #: whether the operator takes the function's value in place of its operand
    of_result: bool = False


class Gradient(NamedTuple):
    """The operator that computes a function's gradient, and that of another function as well."""

    #: its name
    operator: str
    #: its scalars that the function does not have
    scalars: Mapping[str, float]


#: how the terms of a reduction are combined
Mode = Literal["none", "sum", "mean"]


def always_sum(scalars: Sequence[float]) -> Mode:
    """Sum the terms, whatever the scalars are."""
    return "sum"


class Reduction(NamedTuple):
    """A sum: a single result in place of an elementwise one.

    If the last tensor is a weight per channel, the sums are a second result of its shape.
    """

    #: formula of the terms; it takes the first tensors, and all scalars
    term: Formula
    #: how they are reduced, from the scalars; "none" leaves the operator's elementwise formula
    mode: Callable[[Sequence[float]], Mode] = always_sum
    #: error bound of a sum in F32 arithmetic, relative to the sum of the terms' magnitudes, from
    #: its type and number of terms
    accuracy: Callable[[ElementType, int], float] | None = None


def promoted(types: Types) -> ElementType:
    """Return the type to which the types of all tensors are promoted."""
    return promote(*types)


@cache
def vendor_name(name: str) -> str:
    """Return the vendor's name of a parameter.

    Examples
    --------
    >>> vendor_name("grad_output")
    'gradOutput'
    """
    return re.sub("_([a-z])", lambda match: match[1].upper(), name)
