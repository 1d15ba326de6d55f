"""Operators: what a declaration says."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from math import inf, isnan
from numbers import Real
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import import_array
from .dtypes import BFLOAT16, BY_NUMPY, FLOAT64, FLOATS, ElementType, names, promote
from .errors import ArgumentError, ArgumentTypeError, ArgumentValueError, shown
from .kernels.formula import Formula
from .layout import MAX_RANK

if TYPE_CHECKING:
    from .products import Product

Shape = tuple[int, ...]
Types = tuple[ElementType, ...]


class TensorParam(NamedTuple):
    """A tensor argument."""

    #: name in the array functions; the vendor's is the same in camelCase
    name: str
    #: element types that it may have
    types: Types = FLOATS


class ScalarParam(NamedTuple):
    """A scalar argument."""

    #: name in the array functions; the vendor's is the same in camelCase
    name: str
    #: least value; NaN is refused where there is one
    least: float | None = None
    #: the integers that are allowed, by name; None for any real number
    choices: dict[str, int] | None = None

    @property
    def expected(self) -> str:
        """What it may be, for a message."""
        if self.choices is None:
            return "a real number is expected"
        return "allowed are " + ", ".join(f"{n} ({name!r})" for name, n in self.choices.items())


class OnDevice(NamedTuple):
    """How the device has an operator."""

    #: the product families that have it
    products: tuple[str, ...]
    #: the kernels that it launches, in order
    kernels: tuple[str, ...]
    #: whether it takes F64 tensors, which it narrows to F32
    float64: bool = False
    #: whether the call succeeds for an empty input before shapes are compared
    empty_first: bool = False
    #: for an operator of one generated kernel, the scratch in bytes that it asks for whatever it
    #: does; None for one that is composed of several
    scratch: int | None = None


class Bound(NamedTuple):
    """How far a result may be from the exact value of the formula."""

    #: largest error, in units in the last place of the exact value
    ulp: float
    #: whether every result is the exact value rounded once, to nearest even
    rounded: bool = False
    #: what is to be added, from float64 arrays of the tensors without the gradient; infinite where
    #: nothing is stated
    more: Callable[..., NDArray[np.float64]] | None = None
    #: the same in words
    words: str = ""

    def __str__(self) -> str:
        if self.rounded:
            return "correctly rounded"
        return f"{self.ulp:.4g} ulp" + (f" {self.words}" if self.words else "")


#: one rounding and nothing else
ROUNDED: Final = Bound(0.5, rounded=True)
#: in half precision; F32 arithmetic is so much finer that little is lost beyond the last rounding
HALF_ULP: Final = 0.5 + 2.0**-8

#: what is stated of results in F32 arithmetic, or of F64 ones in F64 arithmetic, from their type,
#: the scalars by name and their number
Accuracy = Callable[[ElementType, Mapping[str, Any], int], Bound]


def rounded_once(kind: ElementType, scalars: Mapping[str, Any], size: int) -> Bound:
    """State that the formula rounds at its end alone."""
    return ROUNDED


def promoted(types: Types) -> ElementType:
    """Round the result to the type in which all tensors meet."""
    return promote(*types)


@dataclass(frozen=True, eq=False, repr=False)
class Operator:
    """An operator, declared once: the array function and all tables follow from it."""

    #: name of the array function
    name: str
    #: name in the vendor's API
    api: str
    #: tensor arguments, in order
    tensors: tuple[TensorParam, ...]
    #: scalar arguments, in order
    scalars: tuple[ScalarParam, ...]
    #: names of the results
    outputs: tuple[str, ...]
    #: formula of the first result
    formula: Formula
    #: shapes of the results, from the operator and the shapes of its tensors
    shapes: Callable[[Operator, tuple[Shape, ...]], tuple[Shape, ...]]
    #: how the device has it
    device: OnDevice
    #: the type to which the formula's value is rounded, from the types of the tensors
    result: Callable[[Types], ElementType] = promoted
    #: whether all tensors, results included, have one type
    same_type: bool = False
    #: how accurate the first result is unless another compute type is asked for; None where
    #: nothing is stated
    accuracy: Accuracy | None = None
    #: formula of what the second result sums per channel of the second tensor
    channel_term: Formula | None = None
    #: how accurate such a sum is in F32 arithmetic, from its type and number of terms: its error
    #: relative to the sum of the terms' magnitudes
    sum_accuracy: Callable[[ElementType, int], float] | None = None

    def __reduce__(self) -> tuple[Callable[[str], Operator], tuple[str]]:
        return find_operator, (self.name,)  # declared once: copies are the operator itself

    def __repr__(self) -> str:
        return f"<Operator {self.name}>"

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of all arguments in the vendor's order: tensors, scalars, results."""
        return (*[p.name for p in self.tensors], *[p.name for p in self.scalars], *self.outputs)

    @property
    def tensor_names(self) -> tuple[str, ...]:
        """What the vendor calls the tensors, results included."""
        return tuple([vendor_name(p) for p in (*[t.name for t in self.tensors], *self.outputs)])

    def on(self, product: Product) -> tuple[TensorParam, ...] | None:
        """Return tensors and results with the types that a product takes; None if it lacks it."""
        if product.name not in self.device.products:
            return None
        return _params_on_device(self, product.has_bfloat16)

    def check_types(self, types: Types, params: tuple[TensorParam, ...] | None = None) -> None:
        """Raise ArgumentTypeError unless the tensors may have these types together.

        The parameters are those of a product, results included; None for the array function's
        tensors.
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
    """Return tensors and results without the types that a device lacks."""
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
    """Enter an operator into ``OPERATORS``."""
    OPERATORS[operator.name] = operator
    return operator


def find_operator(name: str) -> Operator:
    """Return an operator by its function's or the vendor's name, or raise ArgumentValueError."""
    for operator in OPERATORS.values():
        if name in (operator.name, operator.api):
            return operator
    known = ", ".join(f"{operator.name} ({operator.api})" for operator in OPERATORS.values())
    raise ArgumentValueError("OPERATOR", f"is {name!r}; allowed are {known}")


def check_rank(argument: str, rank: int) -> None:
    """Raise ArgumentValueError for a rank that is too high."""
    if rank > MAX_RANK:
        raise ArgumentValueError(argument, f"has rank {rank}; ranks 0 to {MAX_RANK} are allowed")


def check_scalar(param: ScalarParam, given: Any) -> float:
    """Return the value of a scalar of any real type, or raise an ArgumentError."""
    value = _number(param, given)
    if param.choices is not None and value not in param.choices.values():
        raise ArgumentValueError(param.name, f"is {value!r}; {param.expected}")
    if param.least is not None and (isnan(value) or value < param.least):
        raise ArgumentValueError(param.name, f"is {value!r}; it must be at least {param.least:g}")
    return value


def check_named(param: ScalarParam, given: Any) -> float:
    """Check a scalar of an array function, where choices go by name too but truth values do not."""
    if param.choices is not None:
        kind = type(given)  # an object may say that it is of another class, or raise
        if issubclass(kind, str) and given in param.choices:
            given = param.choices[given]
        elif issubclass(kind, str | bool | np.bool_):
            raise ArgumentValueError(param.name, f"is {shown(given)}; {param.expected}")
    return check_scalar(param, given)


def single(value: float) -> float:
    """Return a scalar as FLOAT; what is too large becomes infinite.

    Examples
    --------
    >>> single(0.1), single(1e39)
    (0.10000000149011612, inf)
    """
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def _number(param: ScalarParam, value: Any) -> float:
    """Return the value of a real scalar of any type."""
    cause = None
    try:
        if isinstance(value, Real):
            try:
                return float(value)
            except OverflowError:
                return inf if value > 0 else -inf  # type: ignore[operator] # Real has no order
        if isinstance(value, np.generic) or hasattr(value, "__array__"):
            array = import_array(param.name, value).array
            if array.ndim == 0 and (array.dtype in BY_NUMPY or array.dtype.kind in "biuf"):
                return float(array)
    except (ArgumentError, MemoryError):
        raise
    except Exception as error:  # the object's own
        cause = error
    raise ArgumentTypeError(param.name, f"is {shown(value)}; {param.expected}") from cause


@cache
def vendor_name(name: str) -> str:
    """Return what the vendor's API calls a parameter.

    Examples
    --------
    >>> vendor_name("grad_output")
    'gradOutput'
    """
    return re.sub("_([a-z])", lambda match: match[1].upper(), name)


def broadcast_shapes(operator: Operator, shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
    """Shapes that broadcast as NumPy's do."""
    if len(set(shapes)) == 1:
        return shapes[:1]
    try:
        return (np.broadcast_shapes(*shapes),)
    except ValueError:
        for tensor, shape, before in zip(operator.tensors[1:], shapes[1:], shapes, strict=False):
            try:
                np.broadcast_shapes(before, shape)
            except ValueError:
                raise ArgumentValueError(
                    tensor.name,
                    f"has shape {shape}, which does not broadcast with {before} of"
                    f" {operator.tensors[shapes.index(before)].name}",
                ) from None
        raise ArgumentValueError(
            operator.tensors[-1].name,
            f"has shape {shapes[-1]}, which does not broadcast with {shapes[:-1]} of the others",
        ) from None


def equal_shapes(operator: Operator, shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
    """Shapes that are all the same."""
    for tensor, shape in zip(operator.tensors[1:], shapes[1:], strict=True):
        if shape != shapes[0]:
            raise ArgumentValueError(
                tensor.name,
                f"has shape {shape}; {operator.tensors[0].name} has {shapes[0]} and both must be"
                " the same (no broadcasting)",
            )
    return (shapes[0],)
