"""Declarations of operators, and the table of all of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from ..core.dtypes import BFLOAT16, FLOAT64, FLOATS, ElementType, names, promote
from ..core.errors import ArgumentTypeError, OptionError, did_you_mean
from ..kernels.arithmetic.formula import Formula
from .accuracy import Accuracy
from .scalars import ScalarParam

if TYPE_CHECKING:  # not needed at run time by the array functions
    from ..core.products import Product

Shape = tuple[int, ...]
Types = tuple[ElementType, ...]


class TensorParam(NamedTuple):
    """A tensor parameter."""

    #: name in the array functions; the vendor's is the same in camelCase
    name: str
    #: element types that are allowed
    types: Types = FLOATS


class OnDevice(NamedTuple):
    """How an operator runs on the device."""

    #: product families that have it
    products: tuple[str, ...]
    #: kernels that the device launches for it, in order
    kernels: tuple[str, ...]
    #: whether it takes F64 tensors, which the device narrows to F32
    float64: bool = False
    #: whether a call with an empty input succeeds before shapes are compared
    empty_first: bool = False
    #: fixed bytes of workspace of a generated operator (one kernel); None for a composed operator,
    #: whose workspace holds its intermediates
    scratch: int | None = None


def promoted(types: Types) -> ElementType:
    """Return the type to which the types of all tensors are promoted."""
    return promote(*types)


@dataclass(frozen=True, eq=False, repr=False)
class Operator:
    """An operator, declared once: its functions, checks and tables follow from this."""

    #: name of the array function
    name: str
    #: name in the vendor's API
    api: str
    #: tensor parameters, in order
    tensors: tuple[TensorParam, ...]
    #: scalar parameters, in order
    scalars: tuple[ScalarParam, ...]
    #: names of the results
    outputs: tuple[str, ...]
    #: the results in LaTeX, with the parameters' names in ``\text``
    latex: str
    #: formula of the first result
    formula: Formula
    #: shapes of the results, from the operator and the shapes of its tensors
    shapes: Callable[[Operator, tuple[Shape, ...]], tuple[Shape, ...]]
    #: how it runs on the device
    device: OnDevice
    #: type to which the formula's value is rounded, from the types of the tensors
    result: Callable[[Types], ElementType] = promoted
    #: whether all tensors, results included, have one type
    same_type: bool = False
    #: how accurate the first result is in the default compute type; None where nothing is stated
    accuracy: Accuracy | None = None
    #: the scalars for a part of the data, from those for all data and the number of all results;
    #: None where they are the same
    part_scalars: Callable[[tuple[float, ...], int], tuple[float, ...]] | None = None
    #: formula of the terms that the second result sums per channel of the second tensor
    channel_term: Formula | None = None
    #: error bound of such a sum in F32 arithmetic, relative to the sum of the terms' magnitudes,
    #: from its type and number of terms
    sum_accuracy: Callable[[ElementType, int], float] | None = None

    def __reduce__(self) -> tuple[Callable[[str], Operator], tuple[str]]:
        return find_operator, (self.name,)  # a copy is the operator itself

    def __repr__(self) -> str:
        return f"<Operator {self.name}>"

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of all parameters in the vendor's order: tensors, scalars, results."""
        return (*[p.name for p in self.tensors], *[p.name for p in self.scalars], *self.outputs)

    @property
    def tensor_names(self) -> tuple[str, ...]:
        """The vendor's names of the tensors, results included."""
        return tuple([vendor_name(p) for p in (*[t.name for t in self.tensors], *self.outputs)])

    @property
    def header(self) -> str:
        """The vendor's C header that declares its two functions."""
        return f"aclnn_{self.name}.h"

    def on(self, product: Product) -> tuple[TensorParam, ...] | None:
        """Return tensors and results with a product's types; None if it lacks the operator."""
        if product.name not in self.device.products:
            return None
        return _params_on_device(self, product.has_bfloat16)

    def check_types(self, types: Types, params: tuple[TensorParam, ...] | None = None) -> None:
        """Raise ArgumentTypeError unless the tensors may have these types together.

        ``params`` are those of a product, results included; None for the array function's tensors.
        """
        if params is None:
            params = self.tensors
        for tensor, kind in zip(params, types, strict=True):
            if kind not in tensor.types:
                raise ArgumentTypeError(
                    tensor.name, f"has type {kind.name}; allowed are {names(tensor.types)}"
                )
        if self.same_type:
            first = params[0].name
            for tensor, kind in zip(params, types, strict=True):
                if kind is not types[0]:
                    raise ArgumentTypeError(
                        tensor.name,
                        f"has type {kind.name}, {first} has {types[0].name}; {self.name} takes"
                        " tensors of one type",
                    )


@cache
def _params_on_device(operator: Operator, has_bfloat16: bool) -> tuple[TensorParam, ...]:
    """Return tensors and results without the types that a product lacks."""
    lacking = set() if has_bfloat16 else {BFLOAT16}
    if not operator.device.float64:
        lacking.add(FLOAT64)
    params = operator.tensors + tuple([TensorParam(name) for name in operator.outputs])
    return tuple(
        [
            TensorParam(param.name, tuple([kind for kind in param.types if kind not in lacking]))
            for param in params
        ]
    )


#: every operator, by the name of its array function
OPERATORS: Final[dict[str, Operator]] = {}


def declare(operator: Operator) -> Operator:
    """Add an operator to ``OPERATORS``; raise ValueError if its formulas do not fit it."""
    formula = operator.formula
    declared = len(operator.tensors), len(operator.scalars)
    if (formula.tensors, formula.scalars) != declared:
        raise ValueError(
            f"the formula of {operator.name} takes {formula.tensors} tensors and {formula.scalars}"
            f" scalars; the operator has {declared[0]} and {declared[1]}"
        )
    OPERATORS[operator.name] = operator
    return operator


def find_operator(name: str) -> Operator:
    """Return an operator by its function's or the vendor's name, or raise OptionError."""
    for operator in OPERATORS.values():
        if name in (operator.name, operator.api):
            return operator
    allowed = ", ".join(f"{operator.name} ({operator.api})" for operator in OPERATORS.values())
    names = [text for operator in OPERATORS.values() for text in (operator.name, operator.api)]
    raise OptionError(
        "OPERATOR", f"no operator {name!r}; {did_you_mean(name, names)}allowed are {allowed}"
    )


@cache
def vendor_name(name: str) -> str:
    """Return the vendor's name of a parameter.

    Examples
    --------
    >>> vendor_name("grad_output")
    'gradOutput'
    """
    return re.sub("_([a-z])", lambda match: match[1].upper(), name)
