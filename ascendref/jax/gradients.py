"""Gradients and values by ascendref's kernels, which JAX can trace, transform and compile."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache, partial
from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import jax
import jax.ffi
import numpy as np
from jax import numpy as jnp

from ..core.dtypes import ELEMENT_TYPES, ElementType
from ..core.fork_safety import import_to_end, runs_to_end
from ..declaration.operator import Operator
from ..declaration.scalars import single
from ..differentiable import Function, kernel_of
from ..functional.kernels import reduction_kernel

if TYPE_CHECKING:  # at run time these imports would load Numba before the first gradient
    from .handler import Handler

_TARGET: Final = "ascendref_gradient"


class FunctionCall(NamedTuple):
    """A function with everything known at tracing."""

    function: Function
    scalars: tuple[float, ...]
    #: compute type of the kernel
    compute: str

    @property
    def operator(self) -> Operator:
        """The operator whose kernel is called for the gradient."""
        return self.function.operator

    @property
    def kernel_scalars(self) -> tuple[float, ...]:
        """The scalars of that operator."""
        return self.function.kernel_scalars(self.scalars)

    def formula(self, *operands: Any) -> Any:
        """Return the value, in JAX's arithmetic."""
        return self._evaluated(self.function.evaluate, operands)

    def gradients(self, grad: Any, *operands: Any) -> Any:
        """Return the gradients for the operands, or the result in place of one, in the same."""
        if not self.function.forward.of_result:
            return jax.vjp(self.formula, *operands)[1](grad)
        return (self._evaluated(self.function.evaluate_gradient, (grad, *operands)),)

    def _evaluated(self, evaluate: Any, arrays: tuple[Any, ...]) -> Any:
        """Evaluate a formula; types narrower than F32 are computed in F32 and rounded once."""
        kind = arrays[0].dtype
        wide = [array.astype(jnp.promote_types(kind, jnp.float32)) for array in arrays]
        scalars = self.scalars if kind == np.float64 else tuple(map(single, self.scalars))
        return evaluate(jnp, wide, scalars).astype(kind)


def differentiable(call: FunctionCall, *operands: Any) -> Any:
    """Return a function's result; a kernel computes its value or its gradients.

    Operands are of one type, in shapes that the operator takes.
    """
    # if an operand is the same on all devices, JAX sums its gradient outside this function
    axes = frozenset().union(*map(_mapped_axes, operands))
    chosen = _value if call.function.gradient is None else _with_gradients
    return chosen(call, *[_mapped_over(axes, operand) for operand in operands])


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
def _with_gradients(call: FunctionCall, *operands: Any) -> Any:
    """Return a function's result, from operands that vary along the same axes."""
    return _result(call, *operands)


def _result(call: FunctionCall, *operands: Any) -> Any:
    return (_value if call.function.computes_value else FunctionCall.formula)(call, *operands)


def _forward(call: FunctionCall, *operands: Any) -> tuple[Any, tuple[Any, ...]]:
    value = _result(call, *operands)
    return value, (value,) if call.function.forward.of_result else operands


def _backward(call: FunctionCall, operands: tuple[Any, ...], grad: Any) -> Any:
    return _gradients(call, grad, *operands)


_with_gradients.defvjp(_forward, _backward)


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def _gradients(call: FunctionCall, grad: Any, *operands: Any) -> tuple[Any, ...]:
    """Return the gradients of a function with respect to its operands, computed by a kernel."""
    first = operands[0]
    if not prod(first.shape):
        return tuple([jnp.zeros_like(operand) for operand in operands])
    viewed = call.operator.is_viewed and not call.operator.per_channel
    each = grad if viewed else jnp.broadcast_to(grad, first.shape)
    tensors: list[Any] = [each] * len(call.operator.tensors)
    for place, operand in zip(call.function.places, operands, strict=True):
        tensors[place] = operand
    gradients: tuple[Any, ...]
    if call.operator.per_channel:
        _, data, weight = tensors
        key, plan = _sums_key(call, ELEMENT_TYPES[data.dtype.name], data.shape, weight.size)
        gradients = _call(key, (), plan, tensors, (data, weight))
    else:
        gradients = tuple(
            [
                _elementwise_call(operator, call.kernel_scalars, call.compute, tensors)[0]
                for operator in call.function.gradients
            ]
        )
    if call.function.forward.of_difference:
        gradients = *gradients, -gradients[0]
    if len(gradients) < len(operands):  # JAX's own, of the function's formula
        gradients = *gradients, *call.gradients(grad, *operands)[len(gradients) :]
    return gradients


@_gradients.defjvp
def _second_derivatives(
    call: FunctionCall, primals: tuple[Any, ...], tangents: tuple[Any, ...]
) -> tuple[Any, Any]:
    """Derivatives of gradients are JAX's own, of the function's formula."""
    return _gradients(call, *primals), jax.jvp(call.gradients, primals, tangents)[1]


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def _value(call: FunctionCall, *operands: Any) -> Any:
    """Return the value of a function, computed by a kernel."""
    if not prod(jax.eval_shape(call.formula, *operands).shape):
        return call.formula(*operands)  # nothing, which varies along the axes of the operands
    return _elementwise_call(call.function.declared, call.scalars, call.compute, operands)[0]


@_value.defjvp
def _derivative(
    call: FunctionCall, primals: tuple[Any, ...], tangents: tuple[Any, ...]
) -> tuple[Any, Any]:
    """The derivative is JAX's own, of the function's formula."""
    return _value(call, *primals), jax.jvp(call.formula, primals, tangents)[1]


def _elementwise_call(
    operator: Operator, scalars: tuple[float, ...], compute: str, tensors: Sequence[Any]
) -> tuple[Any, ...]:
    """Return the result of elementwise kernels, one for each of its parts."""
    operands = jnp.broadcast_arrays(*operator.operands(tuple(tensors), scalars))
    # the gradient of a loss does not say how the data are divided
    names = zip(operator.operand_names, operands, strict=True)
    like = next(operand for name, operand in names if not name.startswith("grad"))
    size = operator.divisor(scalars, like.shape)
    plan = (prod(like.shape) if size is None else size,)
    parts: list[Any] = []
    for numbers in operator.part_scalars(scalars):
        key = _elementwise_key(operator, numbers, compute, ELEMENT_TYPES[like.dtype.name])
        parts += _call(key, numbers, plan, operands, (like,))
    view = operator.result_view
    if view is None:
        return tuple(parts)
    return (view.join(jnp, parts, operator.axis(scalars)),)


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
    operator: Operator, scalars: tuple[float, ...], compute: str, kind: ElementType
) -> int:
    """Load an elementwise kernel and everything it may need; return its key."""
    handler, launch = _handler(), import_to_end("ascendref.kernels.runtime.launch")
    kernel: Any = kernel_of(operator.formula, kind, compute, scalars)
    task = launch.address(kernel.task)
    _load_rest(kernel)
    return handler.add(kernel.loop.name, kernel.table, task)


@runs_to_end
def _sums_key(
    call: FunctionCall, kind: ElementType, shape: tuple[int, ...], channels: int
) -> tuple[int, tuple[int, ...]]:
    """Load a kernel with sums per channel; return its key and its plan for such operands."""
    handler, launch = _handler(), import_to_end("ascendref.kernels.runtime.launch")
    types = (kind,) * len(call.operator.tensors)
    kernel: Any = reduction_kernel(call.operator, types, kind, call.compute, "sum")
    plan = kernel.contiguous_plan(shape, channels)
    task, total = launch.address(kernel.task(plan.layout)), launch.address(kernel.total_task)
    _load_rest(kernel)
    name = f"{kernel.name}_{plan.layout}"
    key = handler.add(name, kernel.table, task, total)
    numbers = prod(shape), channels, kernel.partial_bytes(plan)
    return key, (*numbers, *plan.words.tolist())


def _load_rest(kernel: Any) -> None:
    """Load what compiled code cannot load in a call: exact decisions and the thread launcher."""
    exact = import_to_end("ascendref.kernels.loops.exact_kernel")
    import_to_end("ascendref.kernels.runtime.launch").LAUNCHER.load()
    if isinstance(kernel, exact.ExactKernel):
        kernel.load_exact_task()


@cache
def _handler() -> Handler:
    """Return the handler of this process, registered with JAX."""
    handler: Handler = import_to_end("ascendref.jax.handler").Handler()
    capsule = jax.ffi.pycapsule(ctypes.c_void_p(handler.address))
    try:
        jax.ffi.register_ffi_target(_TARGET, capsule, platform="cpu")
    except Exception as error:  # XLA's own
        raise RuntimeError(
            f"JAX {jax.__version__} refuses the handler of ascendref.jax, which is made"
            f" for versions 0.1 to 0.3 of XLA's foreign function interface: {error}"
        ) from error
    return handler
