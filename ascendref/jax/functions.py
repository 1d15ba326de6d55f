"""The public functions: one for each function that an operator computes or differentiates."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, Final

import jax
import numpy as np
from jax import numpy as jnp

from ..core.arrays import import_array
from ..core.dtypes import FLOATS, compute_type_of, names, raw_bytes_hint
from ..core.errors import ArgumentTypeError, ArgumentValueError
from ..declaration.scalars import check_array_scalar
from ..differentiable import Function, as_arguments, differentiable_functions
from .gradients import FunctionCall, differentiable

_ARRAYS: Final = (jax.Array, np.generic, bool, int, float, complex)
_FLOATS: Final = tuple([kind.name for kind in FLOATS])
#: name of the first operand
FIRST: Final = "x"

_DOC: Final = """Return {text}.

Parameters
----------
{operands} : array
    {shapes} F16, BF16, F32 or F64, promoted as JAX does, weak types included. Integers become
    JAX's default floating-point type.
{scalars}compute_dtype : dtype, optional
    Type of the arithmetic for the {computed}, in any form that `ascendref.cast` accepts, or
    "exact"; None means F64 for F64 data, else F32.

Returns
-------
Array
    An array of the operands' type{result}.

Raises
------
ArgumentTypeError
    If an operand is not an array that JAX accepts or has an unsupported dtype, or a scalar is
    traced or not a number.
ArgumentValueError
    If shapes do not fit, or a scalar has a value that is not allowed.

Notes
-----
The bits are those of {operators}, except that scalars
are not narrowed to F32 for F64 data.

Examples
--------
>>> import jax
>>> import ascendref as ar, ascendref.jax as aj
>>> {example} = {numbers}
>>> jax.numpy.array_equal({call}, ar.{operator}({tensors}){first_result})
Array(True, dtype=bool)
"""


def public_functions() -> dict[str, Callable[..., jax.Array]]:
    """Return the public functions by name."""
    return {name: _public(f) for name, f in differentiable_functions().items()}


def _public(function: Function) -> Callable[..., jax.Array]:
    signature = function.signature(FIRST)
    params, check = function.scalars, function.declared.check_scalars

    def call(*arguments: Any, **keywords: Any) -> Any:
        bound = signature.bind(*arguments, **keywords)
        bound.apply_defaults()
        given = list(bound.arguments.items())
        count = len(function.operands)
        named = {
            name: default if value is None else value
            for (name, value), default in zip(given[:count], function.defaults, strict=True)
        }
        promoted = _operands(named)
        values = []
        for param, (name, value) in zip(params, given[count:-1], strict=True):
            if value is None and "None" in signature.parameters[name].annotation:
                value = signature.parameters[name].default
            if isinstance(value, jax.core.Tracer):
                raise ArgumentTypeError(
                    name,
                    "is traced by JAX; it must be known when the function is traced: a number, or"
                    " an argument in static_argnames",
                )
            values.append(check_array_scalar(param, value))
        if check is not None:
            check(*values)
        operands = _fitting(function, promoted, tuple(values))
        compute = "float64" if operands[0].dtype == np.float64 else "float32"
        if given[-1][1] is not None:
            compute = compute_type_of(given[-1][1])
        result = differentiable(FunctionCall(function, tuple(values), compute), *operands)
        return _weakly_typed(result) if all(map(_is_weak, named.values())) else result

    call.__name__ = call.__qualname__ = function.name
    call.__module__ = "ascendref.jax"  # where they are found
    call.__signature__ = signature  # type: ignore[attr-defined]
    call.__doc__ = _doc(function)
    return call


def _doc(function: Function) -> str:
    operator = function.operator
    view = next((param.view for param in operator.tensors if param.view is not None), None)
    numbers = [f"jax.numpy.float32({0.25 * (k + 1)})" for k in range(len(function.operands))]
    one = "jax.numpy.float32(1)"
    if function.takes_halves:
        numbers, one = ["jax.numpy.array([0.25, 0.5])"], "jax.numpy.ones(1)"
    tensors = [one] * len(operator.tensors)
    operands = (FIRST, *function.operands[1:])
    example = ", ".join(operands)
    for place, name in zip(function.places, operands, strict=True):
        tensors[place] = name
    scalars = ", ".join([param.name for param in function.scalars])
    needed = as_arguments(function.needed(function.declared))
    described = (
        f"{scalars} : {'real number' if needed else 'optional'}\n"
        f"    As in `ascendref.{function.declared.name}`; known at tracing.\n"
    )
    call = f"aj.{function.name}({example}{needed})"
    if function.forward.of_result:
        tensors[function.places[0]] = call
    if function.gradient is not None:
        differentiated = f"aj.{function.name}"
        if function.takes_halves:
            differentiated = f"lambda {FIRST}: {call}[0]"
        call = f"jax.grad({differentiated})({example}{needed})"
    sums = operator.per_channel
    reduces = '; of rank 0, unless ``reduction`` is "none"' if "reduction" in scalars else ""
    return _DOC.format(
        text=function.forward.text,
        operands=example,
        shapes="Any shapes that broadcast;" if view is None else view.words,
        scalars=described if scalars else "",
        computed=function.computed,
        operators=" and ".join([f"`ascendref.{name}`" for name in function.computing]),
        operator=operator.name,
        result=reduces,
        example=example,
        numbers=", ".join(numbers),
        call=call,
        tensors=", ".join(tensors) + as_arguments(function.needed(operator)),
        first_result="[0]" if sums else "",
    )


def _fitting(function: Function, operands: dict[str, Any], scalars: tuple[float, ...]) -> list[Any]:
    """Return operands in shapes that the operator takes, or raise ArgumentValueError."""
    first, *others = operands.values()
    if not function.operator.is_viewed:
        for name, other in list(operands.items())[1:]:
            try:
                np.broadcast_shapes(first.shape, other.shape)
            except ValueError:
                raise ArgumentValueError(
                    name,
                    f"has shape {other.shape}, which does not broadcast with {first.shape} of"
                    f" {FIRST}",
                ) from None
        return list(jnp.broadcast_arrays(first, *others))
    assert function.value is not None
    shapes = tuple([operand.shape for operand in operands.values()])
    try:
        function.value.result_shapes(shapes, scalars)
    except ArgumentValueError as error:
        theirs = function.operands[0]
        argument = FIRST if error.argument == theirs else error.argument
        raise ArgumentValueError(
            argument, error.problem.replace(f"{theirs} ", f"{FIRST} ")
        ) from None
    return [first, *[other.reshape(prod(other.shape)) for other in others]]


def _operands(given: dict[str, Any]) -> dict[str, Any]:
    """Return JAX arrays promoted to one floating-point type, or raise ArgumentTypeError."""
    for name, value in given.items():
        if isinstance(value, np.ndarray):
            given[name] = import_array(name, value).array  # a masked array is refused
        elif not isinstance(value, _ARRAYS):
            raise ArgumentTypeError(
                name,
                f"is a {type(value).__name__}; an array of JAX or NumPy, or a number, is expected",
            )
        try:
            kind = jnp.result_type(value)
        except TypeError:  # JAX does not have the type
            kind = None
        if kind is None or not (kind.name in _FLOATS or _is_integer(kind)):
            found = value.dtype if kind is None else kind.name
            raise ArgumentTypeError(
                name,
                f"has type {found}; allowed are {names(FLOATS)}, integers and bool in native byte"
                f" order{raw_bytes_hint(found)}",
            )
    kind = jnp.result_type(*given.values())
    if _is_integer(kind):
        kind = jnp.result_type(float)
    return {name: jnp.asarray(value, kind) for name, value in given.items()}


def _is_weak(operand: Any) -> bool:
    """Tell whether the type of an operand gives way to others; arrays of NumPy are not copied."""
    return not isinstance(operand, np.ndarray) and bool(jnp.asarray(operand).weak_type)


def _weakly_typed(array: Any) -> Any:
    """Return an array whose type gives way to others, as a function of Python's numbers does."""
    return jnp.broadcast_to(0.0, array.shape).at[...].set(array)


def _is_integer(kind: Any) -> bool:
    return bool(jnp.issubdtype(kind, jnp.integer) or kind == jnp.bool_)
