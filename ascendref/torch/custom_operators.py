"""The custom operators of functions, and what users call, made from the operators' declarations."""

from collections.abc import Callable
from typing import Any, Final

import torch
from torch.autograd import forward_ad
from torch.library import CustomOpDef, custom_op
from torch.overrides import handle_torch_function, has_torch_function

from ..core.dtypes import DTypeLike, compute_type_of
from ..core.errors import ArgumentTypeError, ArgumentValueError, shown
from ..differentiable import Function, as_arguments
from .overrides import FUNCTIONS, KERNELS, value_by_pytorch
from .rules import follow_autocast, gradients, second_derivatives, vmap_rule
from .tensors import Args

#: name of the first operand in the functions that users call
FIRST: Final = "input"

_DOC: Final = """Return ``{name}``, as PyTorch does, with ascendref's {computed}.

Parameters
----------
{operands} : Tensor
    F16, BF16, F32 or F64, as for PyTorch's function.
{scalars}compute_dtype : dtype, optional
    Type of the arithmetic for the {computed}, in any form that `ascendref.cast` accepts, or
    "exact"; None means F64 for F64 data, else F32.

Returns
-------
Tensor
    The result: {text}, where ``x`` is the input.

Raises
------
ArgumentTypeError, ArgumentValueError
    If ``compute_dtype`` or the name of a choice, such as a reduction, is not allowed, or an operand
    is not a tensor or has a forward derivative.
RuntimeError, IndexError
    PyTorch's own errors, for other scalars, shapes and types.

Examples
--------
>>> import torch
>>> import ascendref as ar, ascendref.torch as at
>>> {names} = {numbers}
>>> value = at.ops.{name}({example})
>>> value.backward()
>>> torch.equal({compared}, ar.{operator}({tensors}){first_result})
True
"""


def public_functions() -> dict[str, Callable[..., Any]]:
    """Define all custom operators; return what users call, by name."""
    return {name: _public(function, _define(function)) for name, function in FUNCTIONS.items()}


def _define(function: Function) -> CustomOpDef:
    """Define the operators of a function; return the one that computes its value."""
    name, count = function.name, len(function.operands)
    value = KERNELS[name].value
    tensors = ", ".join(f"Tensor {operand}" for operand in ("self", *function.operands[1:]))
    rest = ", ".join([*_scalar_schemas(function), "str? compute_dtype"])

    def theirs(*args: Any) -> Any:
        return value_by_pytorch(function, args[:count], args[count:-1])

    def ours(*args: Any) -> Any:
        assert value is not None
        return value.compute(args[:count], args[count:-1], args[-1])

    op = custom_op(
        f"ascendref::{name}",
        ours if function.computes_value else theirs,
        mutates_args=(),
        schema=f"({tensors}, {rest}) -> Tensor",
    )
    op.register_fake(theirs)
    op.register_vmap(vmap_rule(function, op, count, is_gradient=False))
    backward = function.gradient and _define_backward(function, tensors, rest)
    op.register_autograd(
        _gradient_by(function, backward),
        setup_context=_saving(count, result=function.forward.of_result),
    )
    follow_autocast(name, op)
    return op


def _define_backward(function: Function, tensors: str, rest: str) -> CustomOpDef:
    """Define the operator that computes a function's gradient."""
    kernel, count = KERNELS[function.name].gradient, len(function.operands) + 1
    assert kernel is not None

    def backward(*args: Any) -> Any:
        scalars = function.kernel_scalars(args[count:-1])
        return kernel.compute(args[:count], scalars, args[-1])

    def fake(*args: Any) -> Any:
        # rules that support symbolic sizes, which not all of PyTorch's own do
        contiguous = torch.contiguous_format
        if function.operator.per_channel:
            terms = kernel.theirs(args[:count], args[count:-1])
            return terms[0], torch.empty_like(args[2], memory_format=contiguous)
        if count == 2:
            return torch.empty_like(args[1], memory_format=contiguous)
        return args[0] * args[1]

    def second(ctx: Any, *seeds: Any) -> Args:
        grad, *data = ctx.saved_tensors
        found = second_derivatives(function, seeds, grad, data, ctx.scalars[:-1])
        return *found, *[None] * len(ctx.scalars)

    results = "(Tensor, Tensor)" if function.operator.per_channel else "Tensor"
    op = custom_op(
        f"ascendref::{function.name}_backward",
        backward,
        mutates_args=(),
        schema=f"(Tensor grad_output, {tensors}, {rest}) -> {results}",
    )
    op.register_fake(fake)
    op.register_vmap(vmap_rule(function, op, count, is_gradient=True))
    op.register_autograd(second, setup_context=_saving(count))
    return op


def _scalar_schemas(function: Function) -> list[str]:
    """Return a function's scalars as in a schema."""
    parameters = function.signature(FIRST).parameters
    return [
        f"int {param.name}"
        if param.choices or param.is_axis
        else f"float{'?' if 'None' in parameters[param.name].annotation else ''} {param.name}"
        for param in function.scalars
    ]


def _saving(count: int, *, result: bool = False) -> Callable[..., None]:
    """Return what saves the tensors of a call, or its result, and the scalars."""

    def save(ctx: Any, inputs: Args, output: Any) -> None:
        ctx.save_for_backward(*((output,) if result else inputs[:count]))
        ctx.scalars = inputs[count:]

    return save


def _gradient_by(function: Function, backward: CustomOpDef | None) -> Callable[..., Args]:
    """Return the gradients of a function by its operator, if any; PyTorch computes the others."""

    def gradient(ctx: Any, grad: Any) -> Args:
        data = ctx.saved_tensors
        values: Args = ()
        if backward is not None:
            found = backward(grad, *data, *ctx.scalars)
            values = found if isinstance(found, tuple) else (found,)
        if function.forward.of_difference:
            values = *values, -values[0]
        if any(ctx.needs_input_grad[len(values) : len(data)]):
            values += gradients(function, grad, data, ctx.scalars[:-1])[len(values) :]
        values += (None,) * (len(data) - len(values))
        return *values, *[None] * len(ctx.scalars)

    return gradient


# --- what users call ------------------------------------------------------------------------------


@torch.compiler.assume_constant_result
def _compute(compute_dtype: DTypeLike | None) -> str | None:
    """Return the name of a compute type, the form that operators take."""
    if compute_dtype is None:
        return None
    return compute_type_of(compute_dtype)


def _public(function: Function, op: CustomOpDef) -> Callable[..., Any]:
    signature = function.signature(FIRST)
    count = len(function.operands)
    broadcasts = count > 1 and not function.operator.per_channel
    choices = [param.choices for param in function.scalars]
    defaults = function.defaults

    def call(*arguments: Any, **keywords: Any) -> Any:
        bound = signature.bind(*arguments, **keywords)
        bound.apply_defaults()
        given = list(bound.arguments.values())
        operands, scalars = given[:count], given[count:-1]
        if has_torch_function(operands):  # tensors of a subclass, proxies of torch.fx, a mode
            return handle_torch_function(call, operands, *arguments, **keywords)
        for place, (name, default) in enumerate(zip(signature.parameters, defaults, strict=False)):
            if operands[place] is None and default is not None:
                operands[place] = torch.full_like(operands[0], default)
            if not isinstance(operands[place], torch.Tensor):
                text = f"is {shown(operands[place])}; a torch.Tensor is expected"
                raise ArgumentTypeError(name, text)
            if _has_tangent(operands[place]):
                raise ArgumentTypeError(
                    name,
                    "has a forward derivative, which custom operators would lose; use the"
                    " overrides of ascendref.torch or PyTorch's function",
                )
        if broadcasts:
            operands = torch.broadcast_tensors(*operands)
        for place, allowed in enumerate(choices):
            if allowed is not None:
                scalars[place] = _chosen(names[place], allowed, scalars[place])
        return op(*operands, *scalars, _compute(given[-1]))

    names = [param.name for param in function.scalars]
    call.__name__ = call.__qualname__ = function.name
    call.__module__ = f"{__package__}.ops"  # where they are found
    call.__signature__ = signature  # type: ignore[attr-defined]
    call.__doc__ = _doc(function)
    return call


def _has_tangent(tensor: Any) -> bool:
    """Tell whether a tensor has a forward derivative, as under ``torch.func.jvp``."""
    return forward_ad._current_level >= 0 and forward_ad.unpack_dual(tensor).tangent is not None


def _chosen(name: str, choices: dict[str, int], value: Any) -> int:
    """Return the number of a choice."""
    if not isinstance(value, str) or value not in choices:
        raise ArgumentValueError(
            name, f"is {shown(value)}; allowed are {', '.join(map(repr, choices))}"
        )
    return choices[value]


def _doc(function: Function) -> str:
    operator = function.operator
    operands = ("x", *function.operands[1:])
    numbers, one = [f"{0.25 * (k + 1)}" for k in range(len(operands))], "torch.tensor(1.0)"
    if function.takes_halves:
        numbers, one = ["[0.25, 0.5]"], "torch.ones(1)"
    tensors = [one] * len(operator.tensors)
    for place, name in zip(function.places, operands, strict=True):
        tensors[place] = f"{'value' if function.forward.of_result else name}.detach()"
    scalars = ", ".join([param.name for param in function.scalars])
    needed = as_arguments(function.needed(function.declared))
    described = (
        f"{scalars} : {'real number' if needed else 'optional'}\n"
        f"    As for `ascendref.{function.declared.name}`.\n"
    )
    is_value = function.gradient is None
    return _DOC.format(
        name=function.name,
        computed=function.computed,
        operands=", ".join([FIRST, *operands[1:]]),
        scalars=described if scalars else "",
        text=function.forward.text,
        names=", ".join(operands),
        example=", ".join(operands) + needed,
        numbers=", ".join([f"torch.tensor({number}, requires_grad=True)" for number in numbers]),
        compared="value.detach()" if is_value else "x.grad",
        operator=operator.name,
        tensors=", ".join(tensors) + as_arguments(function.needed(operator)),
        first_result="[0]" if operator.per_channel else "",
    )
