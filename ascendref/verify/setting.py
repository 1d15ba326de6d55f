"""The constants of a sweep, and calls of an operator with them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .. import operators
from ..core.dtypes import ELEMENT_TYPES, FLOAT64
from ..core.errors import OptionError
from ..declaration.accuracy import ROUNDED, Bound
from ..declaration.operator import OPERATORS, Operator
from ..declaration.scalars import check_array_scalar, single
from ..functional.kernels import elementwise_kernels
from ..kernels.arithmetic.exact import decide
from .scalars import default_scalars, scalar_values

Doubles = NDArray[np.float64]

#: every element of a tensor that is neither data nor gradient, unless the operator says otherwise;
#: no type holds the number
_ELSEWHERE: Final = 0.3


#: the name of a number of a part of the result in settings
PART: Final = "part"


def data_name(operator: Operator) -> str:
    """Return the name of the formula's tensor whose every number is tried."""
    names = [name for name in operator.operand_names if not name.startswith("grad")]
    return "gate" if "gate" in names else names[0]


def gradient_name(operator: Operator) -> str | None:
    """Return the name of the tensor that is tried with several numbers for each datum, or None."""
    data = data_name(operator)
    return next((name for name in operator.operand_names if name != data), None)


@dataclass(frozen=True, eq=False)
class Setting:
    """An operator, its scalars, and the formula's tensors besides data and gradient."""

    operator: Operator
    #: values by name: of all scalars, and of the other tensors. These are a number for all
    #: elements, ``"self"`` for the datum itself or ``"-self"`` for its negative; and the part of
    #: the result that is judged, if there are several
    values: Mapping[str, float | str]

    @property
    def label(self) -> str:
        """The values in one line, with all their digits."""
        texts = [
            f"{name}={value if isinstance(value, str) else repr(float(value)).removesuffix('.0')}"
            for name, value in self.values.items()
        ]
        return " ".join(texts) or "default"

    @property
    def scalars(self) -> dict[str, float | str]:
        return {param.name: self.values[param.name] for param in self.operator.scalars}

    @property
    def part(self) -> int:
        """The number of the part of the result that is judged."""
        return int(self.values.get(PART, 0))

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        return scalar_values(self.operator.name, self.scalars)

    def formula_scalars(self, size: int) -> tuple[float, ...]:
        """Return the formula's scalars for a call with a number of results."""
        formula = self.operator.formula
        numbers = self.operator.part_scalars(self.numbers)[self.part]
        numbers = tuple([single(x) for x in numbers]) if formula.narrows else numbers
        return (*numbers, size) if formula.sized else numbers

    def operands(self, data: NDArray[Any], gradient: NDArray[Any]) -> list[NDArray[Any]]:
        """Return the formula's tensors in order, which broadcast as data and gradients do."""
        given = {gradient_name(self.operator): gradient, data_name(self.operator): data}
        found = []
        for name in self.operator.operand_names:
            array = given.get(name)
            if array is None:
                value = self.values[name]
                if isinstance(value, str):
                    array = data if value == "self" else -data
                else:
                    array = np.full((1, 1), value, data.dtype)
            found.append(array)
        return found

    def tensors(self, data: NDArray[Any], gradient: NDArray[Any]) -> list[NDArray[Any]]:
        """Return the same as contiguous arrays of one shape."""
        return expanded(self.operands(data, gradient))

    def call(self, compute: str, tensors: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Return the judged part of the first result, for tensors of one shape of rank 2."""
        return self.results(compute, tensors)[0].reshape(tensors[0].shape)

    def results(
        self, compute: str | None, tensors: Sequence[NDArray[Any]]
    ) -> tuple[NDArray[Any], ...]:
        """Return all results, of the first the judged part, for tensors of one shape of rank 2."""
        arrays = self.arguments(tensors)
        function = getattr(operators, self.operator.name)
        named = {p.name: array for p, array in zip(self.operator.tensors, arrays, strict=True)}
        value = function(**named, **self.scalars, compute_dtype=compute)
        first, *sums = value if isinstance(value, tuple) else (value,)
        return self.operator.parts(first, self.numbers)[self.part], *sums

    def arguments(self, tensors: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], ...]:
        """Return the operator's tensors, from those of the formula."""
        operator = self.operator
        if operator.per_channel:  # a row is a channel, with one weight
            *full, weight = tensors
            return *[array[None] for array in full], np.ascontiguousarray(weight[:, 0])
        if not operator.is_viewed:
            return tuple(tensors)
        return operator.joined(np, [array.reshape(1, -1) for array in tensors], self.numbers)

    def value(self, tensors: Sequence[Doubles]) -> Doubles:
        """Return the formula's value, within 0.75 ulp of float64 unless large terms cancel."""
        types = (FLOAT64,) * len(self.operator.tensors)
        kernels = elementwise_kernels(self.operator, types, FLOAT64, "float64", self.numbers)
        result = np.empty(tensors[0].shape)
        numbers = self.operator.part_scalars(self.numbers)[self.part]
        kernels[self.part]((*tensors, result), numbers)
        return result

    def exact(self, elements: Sequence[float], size: int, kind: str) -> float:
        """Return the exact value for an element of each tensor, of a type, rounded once to it."""
        formula, scalars = self.operator.formula, self.formula_scalars(size)
        narrow = formula.is_narrow([kind])
        return decide(formula.function, tuple(elements), scalars, kind, narrow=narrow)

    def beyond(self, actual: float, elements: Sequence[float], size: int) -> float:
        """Return how far the exact value is above a finite number, rounded to a double."""
        given = (actual, *elements)
        return decide(self._difference, given, self.formula_scalars(size), FLOAT64.name)

    @cached_property
    def _difference(self) -> Any:
        function = self.operator.formula.function
        return lambda actual, *numbers: function(*numbers) - actual

    def bound(self, kind: str, compute: str, size: int) -> Bound | None:
        """Return the stated bound; None for half-precision arithmetic, which is checked by bits."""
        if compute == FLOAT64.name != kind:
            return ROUNDED
        accuracy = self.operator.accuracy
        if accuracy is None or compute not in ("float32", FLOAT64.name):
            return None
        return accuracy(ELEMENT_TYPES[kind], self.values, size)

    @property
    def bound_has_both(self) -> bool:
        """Whether a bound depends on the other tensor too, which then is no gradient."""
        return self.operator.forward is None and gradient_name(self.operator) is not None

    def allowed(self, bound: Bound, tensors: Sequence[NDArray[Any]]) -> Doubles | float:
        """Return the largest error in ulp that a bound allows, infinite where it allows any."""
        if bound.more is None:
            return bound.ulp
        gradient = gradient_name(self.operator) if self.operator.forward else None
        others = [
            array.astype(np.float64)
            for name, array in zip(self.operator.operand_names, tensors, strict=True)
            if name != gradient
        ]
        return bound.ulp + bound.more(*others)

    def edges(self) -> list[float]:
        """Return data near which the formula may change."""
        names = [param.name for param in self.operator.scalars if not param.is_axis]
        scalars = [x for name in names if isinstance(x := self.values[name], float | int)]
        shifts = [x for name, x in self.values.items() if name in self.operator.operand_names]
        offsets = [0.0, *(x for x in shifts if not isinstance(x, str))]
        edges = [sign * x + offset for x in scalars for sign in (1, -1) for offset in offsets]
        edges += [1 - x for x in scalars]
        return edges + [x / y for x in scalars for y in scalars if y and x is not y]


def expanded(operands: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Return arrays that broadcast as contiguous arrays of one shape."""
    shape = np.broadcast_shapes(*[array.shape for array in operands])
    found = []
    for array in operands:
        # NumPy copies integers faster than numbers of other libraries
        bits = np.broadcast_to(array.view(f"u{array.itemsize}"), shape)
        found.append(np.array(bits, order="C").view(array.dtype))
    return found


def settings(name: str) -> tuple[Setting, ...]:
    """Return the settings in which an operator is verified."""
    operator = OPERATORS[name]
    roles = data_name(operator), gradient_name(operator)
    others = {name: _ELSEWHERE for name in operator.operand_names if name not in roles}
    usual = default_scalars(name) | others
    view = operator.result_view
    parts = [{}] if view is None else [{PART: part} for part in range(view.parts)]
    found = [usual | dict(values) | part for values in operator.settings for part in parts]
    return tuple([Setting(operator, values) for values in found])


def given_settings(name: str, attributes: Mapping[str, float | str]) -> tuple[Setting, ...]:
    """Return the settings with given scalars, which are checked; the others are the defaults.

    The elements of a loss are not reduced.
    """
    operator = OPERATORS[name]
    scalars = default_scalars(name)
    if operator.reduction is not None and not operator.per_channel:
        scalars = settings(name)[0].scalars
    scalars |= attributes
    scalars = named_scalars(operator, scalars)
    for param in operator.scalars:
        if param.is_axis and not -2 <= (number := float(scalars[param.name])) < 2:
            problem = (
                f"{param.name} is {number:g}; -2 to 1 are allowed, as tensors have rank 2 here"
            )
            raise OptionError("--attr", problem)
    found = {}
    for setting in settings(name):
        made = Setting(operator, dict(setting.values) | scalars)
        if operator.mode(made.numbers) != "none" and not operator.per_channel:
            raise OptionError("--attr", f"reduces the elements of {name}; reduction must be none")
        found[made.label] = made
    return tuple(found.values())


def named_scalars(operator: Operator, values: Mapping[str, float | str]) -> dict[str, float | str]:
    """Return all scalars, which are checked: given ones or defaults, choices by their names."""
    given = default_scalars(operator.name) | dict(values)
    found: dict[str, float | str] = {}
    for param in operator.scalars:
        number = check_array_scalar(param, given[param.name])
        named = {v: name for name, v in (param.choices or {}).items()}
        found[param.name] = named.get(int(number), number) if named else number
    return found
