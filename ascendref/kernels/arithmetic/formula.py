"""A formula: the scalar mathematics of one result, in one plain function.

The function takes numbers and is called once, while a kernel is compiled, with objects that
overload Python's operators (`functions.py`). Their type, an *arithmetic*, decides how it is
computed:

=================  =============================================================================
``plain.py``       float32 or float64 instructions
``steps.py``       every operation is rounded, to float16, bfloat16 or float32
``ball.py``        float64 with a rigorous error bound, for correctly rounded results
``float_ball.py``  the same with float32, which decides most results of 16 bits
``pair.py``        sums of two doubles, for float64 results
``integer.py``     integers of 64 bits
``exact.py``       Python's fractions, and intervals of any precision
``arrays.py``      arrays of NumPy, JAX and PyTorch
=================  =============================================================================

The first six emit LLVM instructions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial, wraps
from typing import Any, NamedTuple

from ...core.dtypes import STEPS
from .functions import select


class Formula(NamedTuple):
    """The scalar mathematics of one result.

    A function has no branches: `select` evaluates both of its numbers, and the one that is not
    chosen may be NaN or infinite.
    """

    #: name of the kernels made of it
    name: str
    #: ``function(tensors..., scalars...) -> number``
    function: Callable[..., Any]
    #: number of tensors
    tensors: int
    #: number of scalars
    scalars: int
    #: whether the function takes the number of results as last argument
    sized: bool = False
    #: ``variant(compute, rounded, scalars...) -> function or None``: another function, written for
    #: a compute type, the type that results are rounded to, and scalars
    variant: Callable[..., Callable[..., Any] | None] | None = None
    #: ``factors(tensors..., scalars...) -> (a, b, ...)``: numbers whose products, in pairs, add up
    #: to the exact value, for sums that are rounded once
    factors: Callable[..., tuple[Any, ...]] | None = None
    #: whether scalars are narrowed to float32, as the device receives them
    narrows: bool = True
    #: the function for scalars that are not narrowed, if it is another one
    wide: Callable[..., Any] | None = None
    #: whether the function returns one of its tensors or scalars, 0, infinity or NaN
    selects: bool = False
    #: the function in float32 arithmetic whose float32 results of float32 numbers are the exact
    #: values rounded once, if there is one: a single operation, or checked for every number
    once: Callable[..., Any] | None = None
    #: whether the formula is compute-bound rather than memory-bound
    compute_bound: bool = False
    #: vectors that a compute-bound loop computes at a time (measured with 256 and 512 bits: 4 take
    #: up to 4 % more and up to 60 % less time than 1); fewer for short rows
    vectors: int = 4
    #: types of 16 bits for whose results, in float32 arithmetic, functions have as many digits as
    #: these need: not more of them are other than the nearest numbers
    short: tuple[str, ...] = ()
    #: number of results
    results: int = 1
    #: the formula of the results of all forms, in float32 arithmetic, if one loop computes them
    together: Any = None

    @property
    def is_one_operation(self) -> bool:
        """Whether float32 arithmetic rounds the exact value once, by the same function."""
        return self.once is self.function

    def is_narrow(self, kinds: Iterable[str]) -> bool:
        """Tell whether float32 has the range of all scalars, and of numbers of these types."""
        return self.narrows and not {"float64", "int64"}.intersection(kinds)

    @classmethod
    def of(cls, function: Callable[..., Any], scalars: int = 0, **known: Any) -> Formula:
        """Return the formula of a function of the tensors, the scalars, and maybe ``size``.

        The formula's name is that of the module and the function.
        """
        code = function.__code__
        names = code.co_varnames[: code.co_argcount]
        sized = names[-1] == "size"
        name = f"{function.__module__.rpartition('.')[2]}_{function.__name__}"
        return cls(name, function, len(names) - scalars - sized, scalars, sized, **known)

    @classmethod
    def of_forms(
        cls,
        *forms: Callable[..., Any] | Formula,
        scalars: int = 0,
        together: Callable[..., Any] | None = None,
        **known: Any,
    ) -> Formula:
        """Return the formula that is one of several; a last scalar has its number.

        ``together`` returns the values of all forms in float32 arithmetic.
        """
        formulas = [form if isinstance(form, Formula) else cls.of(form, scalars) for form in forms]
        first, place = formulas[0].function, formulas[0].tensors + scalars

        @wraps(first)
        def chosen_form(*numbers: Any) -> Any:
            given, chosen = (*numbers[:place], *numbers[place + 1 :]), numbers[place]
            value, *others = [form.function(*given) for form in formulas]
            for number, other in enumerate(others, 1):
                value = select(chosen == float(number), other, value)
            return value

        def variant(compute: str, rounded: str, *values: float) -> Callable[..., Any]:
            number = int(values[-1])
            if together and compute == "float32":
                return _one_of(together, number, place)
            form = formulas[number].suited(compute, rounded, values[:-1])
            return _with_one_more(form.function, place)

        formula = cls.of(first, scalars=scalars, variant=variant, **known)
        name = formula.name.removesuffix(f"_{first.__name__}")
        formula = formula._replace(name=name, function=chosen_form, scalars=scalars + 1)
        if together is None:
            return formula
        return formula._replace(
            together=formula._replace(
                name=f"{name}_{together.__name__}",
                function=_with_one_more(together, place),
                variant=None,
                results=len(forms),
            )
        )

    def suited(self, compute: str, rounded: str, scalars: tuple[float, ...]) -> Formula:
        """Return the formula for a compute type, the type of rounded results, and scalars."""
        function = self.variant and self.variant(compute, rounded, *scalars)
        if not function:
            return self
        name = self.name.removesuffix(f"_{self.function.__name__}")
        return self._replace(name=f"{name}_{function.__name__}", function=function, variant=None)

    def with_wide_scalars(self) -> Formula:
        """Return the formula for scalars that are not narrowed, with their values in float64."""
        function = self.wide or self.function
        return self._replace(name=f"{self.name}_wide", function=function, narrows=False, once=None)

    def with_constants(self, *constants: tuple[int, float]) -> Formula:
        """Return the formula of fewer tensors, with constants at the places of the others."""

        def variant(*call: Any) -> Callable[..., Any] | None:
            found = self.variant and self.variant(*call)
            return found and _with_constants(found, constants)

        return self._replace(
            name="_".join((self.name, *[f"{x:g}_at_{place}" for place, x in constants])),
            function=_with_constants(self.function, constants),
            tensors=self.tensors - len(constants),
            once=None,
            variant=self.variant and variant,
            factors=self.factors and _with_constants(self.factors, constants),
            wide=self.wide and _with_constants(self.wide, constants),
        )


def only_in_float32(
    function: Callable[..., Any], steps: Callable[..., Any] | None = None
) -> Callable[..., Callable[..., Any] | None]:
    """Return the variant of a formula that is this function in float32 arithmetic.

    ``steps`` is the function for arithmetic step by step, if it is another one than the formula's.
    """
    functions = {"float32": function} | dict.fromkeys(STEPS, steps)
    return lambda compute, rounded, *scalars: functions.get(compute)


@cache
def _with_one_more(function: Callable[..., Any], place: int) -> Callable[..., Any]:
    """Return a function that takes one more number at a place, which it ignores."""
    return wraps(function)(partial(_without_one, function, place))


@cache
def _one_of(function: Callable[..., Any], number: int, place: int) -> Callable[..., Any]:
    """Return the function of one of several results that also takes one more number at a place."""

    @wraps(function)
    def result(*numbers: Any) -> Any:
        return _without_one(function, place, *numbers)[number]

    result.__name__ = f"{function.__name__}_{number}"
    return result


def _without_one(function: Callable[..., Any], place: int, *numbers: Any) -> Any:
    return function(*numbers[:place], *numbers[place + 1 :])


@cache
def _with_constants(
    function: Callable[..., Any], constants: tuple[tuple[int, float], ...]
) -> Callable[..., Any]:
    @wraps(function)
    def of_others(*numbers: Any) -> Any:
        values = list(numbers)
        for place, constant in constants:
            values.insert(place, constant)
        return function(*values)

    return of_others
