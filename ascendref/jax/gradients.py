"""Gradients computed by ascendref's kernels, which JAX can trace, transform and compile."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import jax
import jax.ffi
import numpy as np
from jax import numpy as jnp

from ..core.dtypes import ELEMENT_TYPES, FLOAT64, ROUNDED_ONCE, ElementType
from ..core.fork_safety import import_to_end, runs_to_end
from ..declaration.operator import OPERATORS
from ..functional.call import channel_sum_kernel, formula_kernel
from ..kernels.arithmetic.formula import Formula
from ..kernels.arithmetic.functions import Number
from ..operators.logit_grad import by_eps, within

if TYPE_CHECKING:  # at run time these imports would load Numba before the first gradient
    from .handler import Handler

_TARGET: Final = "ascendref_gradient"


class Function(NamedTuple):
    """A function with everything known at tracing."""

    #: name of the operator that computes its gradient
    operator: str
    #: the function in JAX, without the scalars
    formula: Callable[..., Any]
    scalars: tuple[float, ...]
    #: compute type of the gradient
    compute: str
    #: indices of its operands among the operator's tensors; the remaining tensor is the gradient of
    #: its result
    operands: tuple[int, ...]

    def forward(self, *operands: Any) -> Any:
        """Return the result, in JAX's arithmetic.

        Types narrower than F32 are computed in F32 and rounded once.
        """
        kind = operands[0].dtype
        wide = [operand.astype(jnp.promote_types(kind, jnp.float32)) for operand in operands]
        return self.formula(*wide, *self.scalars).astype(kind)


def differentiable(function: Function, *operands: Any) -> Any:
    """Return a function's result; kernels compute its derivative.

    Parameters
    ----------
    function : Function
        The function.
    *operands : Array
        Its operands, of one type, in shapes that the operator takes.
    """
    # if an operand is the same on all devices, JAX sums its gradient outside this function
    axes = frozenset().union(*map(_mapped_axes, operands))
    return _with_gradients(function, *[_mapped_over(axes, operand) for operand in operands])


def _mapped_axes(array: Any) -> frozenset[Any]:
    """Return the mesh axes along which, according to `jax.shard_map`, an array varies.

    JAX 0.5 does not state them; 0.6 to 0.9 and 0.10 state them in different places.
    """
    kind: Any = jax.typeof(array) if hasattr(jax, "typeof") else None
    kind = getattr(kind, "manual_axis_type", kind)
    axes: frozenset[Any] = getattr(kind, "varying", getattr(kind, "vma", frozenset()))
    return axes


def _mapped_over(axes: frozenset[Any], array: Any) -> Any:
    """Return an array marked as varying along all of these axes."""
    missing = tuple(axes - _mapped_axes(array))
    if not missing:
        return array
    if hasattr(jax.lax, "pcast"):
        return jax.lax.pcast(array, missing, to="varying")
    return jax.lax.pvary(array, missing)


# called only with hashable values, so that a program is compiled once
@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _with_gradients(function: Function, *operands: Any) -> Any:
    """Return a function's result, from operands that vary along the same axes."""
    return function.forward(*operands)


def _forward(function: Function, *operands: Any) -> tuple[Any, tuple[Any, ...]]:
    return function.forward(*operands), operands


def _backward(function: Function, operands: tuple[Any, ...], grad: Any) -> tuple[Any, ...]:
    gradients: tuple[Any, ...] = _gradients(function, grad, *operands)
    return gradients


_with_gradients.defvjp(_forward, _backward)


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def _gradients(function: Function, grad: Any, *operands: Any) -> tuple[Any, ...]:
    """Return the gradients of a function with respect to its operands, computed by a kernel."""
    first = operands[0]
    if not prod(first.shape):
        return tuple([jnp.zeros_like(operand) for operand in operands])
    operator = OPERATORS[function.operator]
    tensors: list[Any] = [jnp.broadcast_to(grad, first.shape)] * len(operator.tensors)
    for place, operand in zip(function.operands, operands, strict=True):
        tensors[place] = operand
    call = _call_with_sums if operator.channel_term is not None else _elementwise_call
    gradients = call(function, ELEMENT_TYPES[first.dtype.name], tensors)
    # the function of a difference of two operands
    return gradients if len(gradients) == len(operands) else (gradients[0], -gradients[0])


@_gradients.defjvp
def _second_derivatives(
    function: Function, primals: tuple[Any, ...], tangents: tuple[Any, ...]
) -> tuple[Any, Any]:
    """Derivatives of gradients are JAX's own, of the function's formula."""

    def formula(grad: Any, *operands: Any) -> Any:
        return jax.vjp(function.forward, *operands)[1](grad)

    return _gradients(function, *primals), jax.jvp(formula, primals, tangents)[1]


def _elementwise_call(function: Function, kind: ElementType, tensors: list[Any]) -> tuple[Any, ...]:
    """Return the gradient of an elementwise function."""
    data = tensors[function.operands[0]]
    key = _elementwise_key(function.operator, function.scalars, function.compute, kind)
    return _call(key, function.scalars, (prod(data.shape),), tensors, (data,))


def _call_with_sums(function: Function, kind: ElementType, tensors: list[Any]) -> tuple[Any, ...]:
    """Return the gradients for the data and for a weight per channel."""
    _, data, weight = tensors
    key, plan = _sums_key(function.operator, function.compute, kind, data.shape, weight.size)
    return _call(key, (), plan, tensors, (data, weight))


def _call(
    key: int,
    scalars: tuple[float, ...],
    plan: tuple[int, ...],
    tensors: list[Any],
    alike: tuple[Any, ...],
) -> tuple[Any, ...]:
    """Call a kernel from the traced program; results have the types of these arrays."""
    call = jax.ffi.ffi_call(_TARGET, alike, vmap_method="broadcast_all")
    attributes = {
        "kernel": np.int64(key),
        "numbers": np.array(scalars or (0.0,)),  # XLA has no empty arrays
        "plan": np.array(plan, np.int64),
    }
    # programs for other platforms are refused at lowering
    return tuple(jax.lax.platform_dependent(*tensors, cpu=partial(call, **attributes)))


@runs_to_end
def _elementwise_key(
    operator: str, scalars: tuple[float, ...], compute: str, kind: ElementType
) -> int:
    """Load an elementwise kernel and everything it may need; return its key."""
    handler, launch = _handler(), import_to_end("ascendref.kernels.runtime.launch")
    formula = _elementwise_formula(operator, kind, compute, scalars)
    kernel: Any = formula_kernel(formula, (kind,) * formula.tensors, kind, kind, compute)
    task = launch.address(kernel.task)
    _load_rest(kernel)
    return handler.add(kernel.name, kernel.table, task, with_sums=False)


def _elementwise_formula(
    operator: str, kind: ElementType, compute: str, scalars: tuple[float, ...]
) -> Formula:
    """Return the formula of a gradient.

    JAX computes function values with scalars in the data's type, so for F64 data they are not
    narrowed to FLOAT.
    """
    formula = OPERATORS[operator].formula
    suited = formula.suited(compute, kind.name, scalars)
    if kind is not FLOAT64 or compute not in ROUNDED_ONCE:
        return suited
    function = _logit_grad if operator == "logit_grad" else suited.function
    return suited._replace(name=f"jax_{suited.name}", function=function, narrows=False)


def _logit_grad(x: Number, dy: Number, eps: Number) -> Number:
    """1 - eps is not evaluated in float32 either."""
    return by_eps(eps, dy, within(x, eps, 1.0 - eps, dy / abs(x * (1.0 - x))))


@runs_to_end
def _sums_key(
    operator: str, compute: str, kind: ElementType, shape: tuple[int, ...], channels: int
) -> tuple[int, tuple[int, ...]]:
    """Load a kernel with sums per channel; return its key and its plan for such operands."""
    handler, launch = _handler(), import_to_end("ascendref.kernels.runtime.launch")
    kernel: Any = channel_sum_kernel(OPERATORS[operator], kind, compute)
    plan, shared, partial_bytes = kernel.dense_call(shape, channels)
    task = launch.address(kernel.task(plan.layout))
    _ = kernel.total_task
    _load_rest(kernel)
    name = f"{kernel.name}_{plan.layout}"
    key = handler.add(name, kernel.table, task, with_sums=True)
    numbers = prod(shape), channels, plan.tasks, plan.blocks, shared, partial_bytes
    return key, (*numbers, *plan.plan.tolist())


def _load_rest(kernel: Any) -> None:
    """Load what compiled code cannot load in a call: exact decisions and the thread launcher."""
    exact = import_to_end("ascendref.kernels.loops.exact_kernel")
    import_to_end("ascendref.kernels.runtime.launch").LAUNCHER.load()
    if isinstance(kernel, exact.ExactKernel):
        kernel.load_exact_task()


_handlers: Final[list[Handler]] = []


def _handler() -> Handler:
    """Return the handler of this process, registered with JAX."""
    if not _handlers:
        handler: Handler = import_to_end("ascendref.jax.handler").Handler()
        capsule = jax.ffi.pycapsule(ctypes.c_void_p(handler.address))
        try:
            jax.ffi.register_ffi_target(_TARGET, capsule, platform="cpu")
        except Exception as error:  # XLA's own
            raise RuntimeError(
                f"JAX {jax.__version__} refuses the handler of ascendref.jax, which is made"
                f" for versions 0.1 to 0.3 of XLA's foreign function interface: {error}"
            ) from error
        _handlers.append(handler)
    return _handlers[0]
