"""Declarations of operators, and the table of all of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from inspect import unwrap
from itertools import accumulate
from math import inf, isnan, nextafter, prod
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, Literal

from ..core.dtypes import BFLOAT16, FLOAT32, FLOAT64, FLOATS, ElementType, names
from ..core.errors import ArgumentTypeError, OptionError, did_you_mean
from ..kernels.arithmetic.formula import Formula
from .accuracy import Accuracy
from .fields import (
    Forward,
    Gradient,
    Mode,
    OnDevice,
    Reduction,
    TensorParam,
    TorchOperator,
    Types,
    promoted,
    vendor_name,
)
from .scalars import ScalarParam
from .shapes import Shapes, equal_shapes
from .views import PER_CHANNEL, View
from .views import Shape as Shape

if TYPE_CHECKING:  # not needed at run time by the array functions
    from ..core.products import Product


@dataclass(frozen=True, eq=False, repr=False)
class Operator:
    """An operator, declared once: its functions, checks and tables follow from this."""

    #: name of the array function
    name: str
    #: the results in LaTeX, with the parameters' names in ``\text``
    latex: str
    #: formula of the first result
    formula: Formula
    #: name in the vendor's API; empty if the vendor has no such function
    api: str = ""
    #: how it runs on the device
    device: OnDevice = OnDevice(products=(), kernels=())  # noqa: RUF009 - a tuple
    #: tensor parameters, in order; by default, those of the formula's function
    tensors: tuple[TensorParam, ...] = ()
    #: scalar parameters, in order
    scalars: tuple[ScalarParam, ...] = ()
    #: raises ArgumentValueError unless these values of the scalars are allowed together
    check_scalars: Callable[..., None] | None = None
    #: by name of a scalar, the numbers at which it changes whether scalars are allowed or the
    #: formula's variant: from each number to below the next, all are alike; None if not known
    breaks: Mapping[str, tuple[float, ...]] | None = None
    #: names of the results; by default, "grad_input" of a gradient and "out" of a function
    outputs: tuple[str, ...] = ()
    #: how the first result consists of several that broadcast; the formula is then one of several
    #: forms, and its last scalar is the number of the part
    result_view: View | None = None
    #: shapes of the results, from the operator, the shapes of its tensors and the scalars; that of
    #: the terms in place of a single sum
    shapes: Shapes = equal_shapes
    #: type to which the formula's value is rounded, from the types of the tensors
    result: Callable[[Types], ElementType] = promoted
    #: whether all tensors, results included, have one type
    same_type: bool = False
    #: how a result of integer type is computed, if all tensors have one: "exact" in integer
    #: arithmetic, "truncated" from a float; None if there is none
    integers: Literal["exact", "truncated"] | None = None
    #: how accurate the first result is in the default compute type; None where nothing is stated
    accuracy: Accuracy | None = None
    #: the terms that are summed; all tensors then have one type
    reduction: Reduction | None = None
    #: the same in PyTorch
    torch: TorchOperator | None = None
    #: the function that it is the gradient of; None if it is a function itself
    forward: Forward | None = None
    #: what computes its gradient, unless that operator names this one in ``forward``
    gradient: Gradient | None = None
    #: the settings for measuring accuracy, one mapping each: values by name of scalars, and
    #: of tensors besides data and gradient (``"self"`` and ``"-self"`` mean the datum); defaults
    #: are those of the function, which the first setting completes
    settings: tuple[Mapping[str, float | str], ...] = ({},)
    #: the interesting interval of data, for measuring speed
    interval: tuple[float, float] = (-3.0, 3.0)
    #: the vendor's parameters by our names, in order; by default tensors, scalars, results
    order: tuple[str, ...] = ()
    #: tensors among these that are neither read nor written; they may be omitted if they have a
    #: default
    unused: tuple[TensorParam, ...] = ()
    #: the tensor that the vendor's function overwrites with the result
    in_place: str | None = None
    #: names of tensors that calls of it omit
    omitted: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.tensors:
            code = unwrap(self.formula.function).__code__
            names = code.co_varnames[: self.formula.tensors]
            object.__setattr__(self, "tensors", tuple([TensorParam(name) for name in names]))
        if not self.outputs:
            names = ("out",) if self.forward is None else ("grad_input",)
            object.__setattr__(self, "outputs", names)

    def range_of(self, param: ScalarParam, value: float) -> tuple[float, float] | None:
        """Return the least and greatest number that is alike to a scalar's value; None if unknown.

        Only flags and choices themselves are.
        """
        if param.choices is not None or param.is_flag or isnan(value):
            return inf, -inf
        breaks = self.breaks
        if breaks is None and not (self.check_scalars or self.formula.variant):
            breaks = {}
        if breaks is None:
            return None
        numbers = breaks.get(param.name, ())
        least = -inf if param.least is None else param.least
        return (
            max([least, *[x for x in numbers if x <= value]]),
            min([inf, *[nextafter(x, -inf) for x in numbers if x > value]]),
        )

    def __reduce__(self) -> tuple[Callable[..., Operator], tuple[Any, ...]]:
        return operator_with, (self.key,)  # a copy is the operator itself

    def __repr__(self) -> str:
        return f"<Operator {self.title}>"

    def declare(self, **changes: Any) -> Operator:
        """Add it, with changes, to ``OPERATORS`` and ``APIS``; an older one to ``APIS`` alone.

        Raise ValueError if its formula does not fit it.
        """
        operator = replace(self, **changes) if changes else self
        formula = operator.formula
        scalars = operator.part_scalars([0.0] * len(operator.scalars))[0]
        declared = len(operator.each_operand(operator.tensors)), len(scalars)
        if (formula.tensors, formula.scalars) != declared:
            raise ValueError(
                f"the formula of {operator.name} takes {formula.tensors} tensors and"
                f" {formula.scalars} scalars; the operator has {declared[0]} and {declared[1]}"
            )
        OPERATORS.setdefault(operator.name, operator)
        if operator.api:
            APIS[operator.api] = operator
        return operator

    @property
    def title(self) -> str:
        """Its name, with the vendor's if there is one."""
        return f"{self.name} ({self.api})" if self.api else self.name

    @property
    def family(self) -> str:
        """The file of its formula: a function's, with that of its gradient."""
        return self._module[-1]

    @property
    def group(self) -> str:
        """The kind of its family: activation or loss."""
        return self._module[-2]

    @property
    def _module(self) -> list[str]:
        module: str = unwrap(self.formula.function).__module__
        return module.split(".")

    def for_torch(self, values: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments and keywords of PyTorch's operator, from tensors and scalars."""
        assert self.torch is not None
        named = {name: values[name] for name in self.torch.keywords}
        placed = {name: value for name, value in values.items() if name not in named}
        for param in self.scalars:
            if param.choices and param.name in placed:
                placed[param.name] = param.choices.get(placed[param.name], placed[param.name])
            elif param.is_axis:
                placed[param.name] = int(placed[param.name])
        order = self.torch.order or tuple(placed)
        return self.torch.arguments(**{name: placed[name] for name in order}), named

    @property
    def key(self) -> tuple[str, ...]:
        """The vendor's name, or its own, and omitted tensors; `operator_with` finds it by these."""
        return (self.api or self.name, *self.omitted)

    @property
    def data(self) -> str:
        """The name of the tensor of data: the first one that is not the gradient of a result."""
        return next(param.name for param in self.tensors if not param.name.startswith("grad"))

    @property
    def per_channel(self) -> bool:
        """Whether the last tensor is a weight per channel, and the second result has its shape."""
        return self.reduction is not None and self.tensors[-1].view is PER_CHANNEL

    @property
    def is_generated(self) -> bool:
        """Whether the vendor generates its host code, which checks a call in another order."""
        return self.device.scratch is not None

    @property
    def is_viewed(self) -> bool:
        """Whether the formula sees a tensor or the result by a view."""
        return self.result_view is not None or any([p.view is not None for p in self.tensors])

    @property
    def operand_names(self) -> tuple[str, ...]:
        """The names of the formula's operands: tensors, or arrays that they consist of."""
        if not self.is_viewed:
            return tuple([param.name for param in self.tensors])
        code = unwrap(self.formula.function).__code__
        return tuple(code.co_varnames[: self.formula.tensors])

    def axis(self, scalars: Sequence[float]) -> int:
        """Return the axis along which the arrays of views lie."""
        pairs = zip(self.scalars, scalars, strict=True)
        return next((int(value) for param, value in pairs if param.is_axis), 1)

    def each_operand(self, tensors: Sequence[Any]) -> tuple[Any, ...]:
        """Repeat each tensor's entry for each array that it consists of."""
        pairs = zip(self.tensors, tensors, strict=True)
        return tuple([x for p, x in pairs for _ in range(1 if p.view is None else p.view.parts)])

    def operands(self, tensors: tuple[Any, ...], scalars: Sequence[float]) -> tuple[Any, ...]:
        """Return the formula's operands, from the tensors as arrays of any library."""
        if not self.is_viewed:
            return tensors
        names, axis = [param.name for param in self.tensors], self.axis(scalars)
        rank = tensors[names.index("self")].ndim
        found: list[Any] = []
        for param, tensor in zip(self.tensors, tensors, strict=True):
            found += [tensor] if param.view is None else param.view.split(tensor, rank, axis)
        return tuple(found)

    def joined(
        self, namespace: Any, operands: Sequence[Any], scalars: Sequence[float]
    ) -> tuple[Any, ...]:
        """Return the tensors that consist of arrays of a library."""
        rest, found = [*operands], []
        for param in self.tensors:
            if param.view is None:
                found.append(rest.pop(0))
            else:
                arrays, rest = rest[: param.view.parts], rest[param.view.parts :]
                found.append(param.view.join(namespace, arrays, self.axis(scalars)))
        return tuple(found)

    def parts(self, result: Any, scalars: Sequence[float]) -> tuple[Any, ...]:
        """Return the arrays that the first result consists of."""
        if self.result_view is None:
            return (result,)
        return self.result_view.split(result, result.ndim, self.axis(scalars))

    def part_scalars(self, scalars: Sequence[float]) -> tuple[tuple[float, ...], ...]:
        """Return the formula's scalars, for each part of the result."""
        if not self.is_viewed:  # PyTorch's formulas have scalars of their own
            return (tuple(scalars),)
        pairs = zip(self.scalars, scalars, strict=True)
        given = tuple([value for param, value in pairs if not param.is_axis])
        if self.result_view is None:
            return (given,)
        return tuple([(*given, float(part)) for part in range(self.result_view.parts)])

    def grouped_parts(
        self, result: Any, scalars: Sequence[float], counts: Sequence[int]
    ) -> Iterator[tuple[tuple[Any, ...], tuple[float, ...]]]:
        """Yield `parts` in groups of these sizes, each with the `part_scalars` of its first."""
        parts, numbers = self.parts(result, scalars), self.part_scalars(scalars)
        for start, count in zip(accumulate(counts, initial=0), counts, strict=False):
            yield parts[start : start + count], numbers[start]

    def given(self, tensors: tuple[Any, ...]) -> tuple[Operator, tuple[Any, ...]]:
        """Return the operator of those tensors that are given, and these: None omits a tensor.

        It computes the same, with the default of the omitted tensors for all of their elements.
        """
        pairs = list(zip(self.tensors, tensors, strict=True))
        omitted = [p.name for p, tensor in pairs if tensor is None and p.default is not None]
        if not omitted:
            return self, tensors
        kept = tuple([tensor for param, tensor in pairs if param.name not in omitted])
        return _without(self, *omitted), kept

    def mode(self, scalars: Sequence[float]) -> Mode:
        """Return how terms are reduced: not at all, to their sum or to their mean."""
        return "none" if self.reduction is None else self.reduction.mode(scalars)

    def divisor(self, scalars: Sequence[float], shape: Shape) -> int | None:
        """Return the divisor of a mean of results of a shape; None if scalars choose no mean.

        That is their number or, for "batchmean", the length of the first axis.
        """
        # PyTorch's formulas may have more scalars
        for param, value in zip(self.scalars, scalars, strict=False):
            choices = param.choices or {}
            if choices.get("mean") == value:
                return prod(shape)
            if choices.get("batchmean") == value:
                return prod(shape[:1])
        return None

    def result_shapes(
        self, tensors: tuple[Shape, ...], scalars: Sequence[float]
    ) -> tuple[Shape, ...]:
        """Return the shapes of the results, or raise ArgumentValueError."""
        shapes = self.shapes(self, tensors, scalars)
        alone = self.mode(scalars) != "none" and not self.per_channel
        return ((),) if alone else shapes

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of tensors, scalars and results."""
        return (*[p.name for p in self.tensors], *[p.name for p in self.scalars], *self.outputs)

    @property
    def vendor_parameters(self) -> tuple[str, ...]:
        """The vendor's names of tensors, scalars and results; some may be the same tensor."""
        params: tuple[TensorParam | ScalarParam, ...] = (*self.tensors, *self.scalars)
        given = {param.name: param.vendor for param in params if param.vendor}
        if self.in_place:
            given.setdefault(self.in_place, f"{vendor_name(self.in_place)}Ref")
            given |= dict.fromkeys(self.outputs, given[self.in_place])
        return tuple([given.get(name) or vendor_name(name) for name in self.parameters])

    @cached_property
    def arguments(self) -> tuple[str, ...]:
        """The vendor's names of the arguments of phase 1, in the vendor's order."""
        named = dict(zip(self.parameters, self.vendor_parameters, strict=True))
        return tuple(
            dict.fromkeys([named.get(x) or vendor_name(x) for x in self.order or self.parameters])
        )

    @cached_property
    def places(self) -> tuple[int, ...]:
        """Where tensors, scalars and results are among the arguments of phase 1."""
        return tuple([self.arguments.index(name) for name in self.vendor_parameters])

    @cached_property
    def ordered(self) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
        """What puts the arguments of phase 1 in the order tensors, scalars, results."""
        return itemgetter(*self.places)

    @cached_property
    def nullable(self) -> dict[str, float]:
        """The vendor's names of the arguments that may be omitted, and their values then."""
        params: tuple[TensorParam | ScalarParam, ...]
        params = (*self.tensors, *self.scalars, *self.unused)
        return {p.vendor or vendor_name(p.name): p.default for p in params if p.default is not None}

    @property
    def tensor_names(self) -> tuple[str, ...]:
        """The vendor's names of the tensors, results included."""
        names = self.vendor_parameters
        return (*names[: len(self.tensors)], *names[-len(self.outputs) :])

    @property
    def header(self) -> str:
        """The vendor's C header that declares its two functions."""
        name = self.api.removeprefix("aclnn").removeprefix("Inplace")
        return self.device.header or "aclnn" + re.sub("([A-Z])", "_\\1", name).lower() + ".h"

    def is_exact(self, types: Types) -> bool:
        """Tell whether the result is computed in integer arithmetic, by default."""
        return self.integers == "exact" and not any([kind.floating for kind in types])

    def truncates(self, types: Types) -> bool:
        """Tell whether the result is always a truncated float."""
        return self.integers == "truncated" and not any([kind.floating for kind in types])

    def compute_type(self, types: Types) -> str:
        """Return the compute type of array functions, by default, for tensors of these types."""
        if self.is_exact(types):
            return "exact"
        return FLOAT64.name if FLOAT64 in types else FLOAT32.name

    def result_types(self, promoted: ElementType | None = None) -> Types:
        """Return the types that results may have, in all or for tensors of a promoted type."""
        if promoted is not None and self.same_type:
            return (promoted,)
        if self.integers is None or (promoted is not None and promoted.floating):
            return FLOATS
        return FLOATS + tuple([kind for kind in self.tensors[0].types if not kind.floating])

    def on(self, product: Product) -> tuple[TensorParam, ...] | None:
        """Return tensors and results with a product's types; None if it has no such operator."""
        if product.name not in self.device.products:
            return None
        return _params_on_device(self, product)

    def check_types(self, types: Types, params: tuple[TensorParam, ...] | None = None) -> None:
        """Raise ArgumentTypeError unless the tensors may have these types together.

        ``params`` are those of a product, results included; None for the array function's tensors.
        """
        results = () if params is None else types[len(self.tensors) :]
        if params is None:
            params = self.tensors
        for tensor, kind in zip(params, types, strict=True):
            if kind not in tensor.types:
                raise ArgumentTypeError(
                    tensor.name, f"has type {kind.name}; allowed are {names(tensor.types)}"
                )
        rule = self.device.types if results else "cast"
        if self.same_type or rule == "equal":
            compared = len(types)
        else:
            compared = len(self.tensors) if rule == "inputs" else 0
        for tensor, kind in zip(params[:compared], types, strict=False):
            if kind is not types[0]:
                raise ArgumentTypeError(
                    tensor.name,
                    f"has type {kind.name}, {params[0].name} has {types[0].name}; {self.name} takes"
                    " tensors of one type",
                )
        if results and not self.same_type:
            expected, whose = promoted(types[: len(self.tensors)]), "the inputs' promoted type"
            allowed = (expected,) if rule == "promoted" else self.result_types(expected)
            if rule == "target":
                place = [param.name for param in self.tensors].index("target")
                expected, whose = types[place], "the type of target"
                allowed = (expected,)
            for name, kind in zip(self.outputs, results, strict=True):
                if kind not in allowed:
                    raise ArgumentTypeError(
                        name, f"has type {kind.name}; {whose} is {expected.name}"
                    )


@cache
def _params_on_device(operator: Operator, product: Product) -> tuple[TensorParam, ...]:
    """Return tensors and results without the types that a product does not support."""
    lacking = set() if product.has_bfloat16 else {BFLOAT16}
    if product.name not in operator.device.float64:
        lacking.add(FLOAT64)
    results = operator.result_types()
    params = operator.tensors + tuple([TensorParam(name, results) for name in operator.outputs])
    return tuple(
        [
            TensorParam(param.name, tuple([kind for kind in param.types if kind not in lacking]))
            for param in params
        ]
    )


#: every operator, by the name of its array function
OPERATORS: Final[dict[str, Operator]] = {}
#: the same by the vendor's names, with older versions that have other parameters
APIS: Final[dict[str, Operator]] = {}


def operator_with(key: tuple[str, ...]) -> Operator:
    """Return the operator with a `key`."""
    name, *omitted = key
    operator = APIS.get(name) or OPERATORS[name]
    return _without(operator, *omitted) if omitted else operator


@cache
def _without(operator: Operator, *omitted: str) -> Operator:
    """Return the operator without some tensors."""
    constants = [
        (place, param.default)
        for place, param in enumerate(operator.tensors)
        if param.name in omitted and param.default is not None
    ]
    reduction = operator.reduction
    return replace(
        operator,
        tensors=tuple([param for param in operator.tensors if param.name not in omitted]),
        formula=operator.formula.with_constants(*constants),
        reduction=reduction and reduction._replace(term=reduction.term.with_constants(*constants)),
        omitted=omitted,
    )


def find_operator(name: str) -> Operator:
    """Return an operator by its function's or the vendor's name, or raise OptionError."""
    named = {operator.name: operator for operator in OPERATORS.values()}
    named |= {operator.api: operator for operator in OPERATORS.values() if operator.api}
    if name in named:
        return named[name]
    if name in APIS:
        raise OptionError(
            "OPERATOR",
            f"{name} is a function of the two-phase API alone; the operator is {APIS[name].name}",
        )
    hint = did_you_mean(name, [*named])
    raise OptionError("OPERATOR", f"no operator {name!r}; {hint}`ascendref ops` lists all")
