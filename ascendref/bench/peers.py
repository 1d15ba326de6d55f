"""The equivalent calls of PyTorch and JAX."""

from functools import partial
from importlib.util import find_spec
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import as_torch
from ..core.errors import OptionError
from ..core.extras import install_command
from ..core.fork_safety import import_torch
from ..kernels.arithmetic.arrays import evaluate
from ..verify.scalars import default_scalars, scalar_values
from .cases import Arrays, Call, Case

PEERS: Final = ("torch", "jax", "none")


def chosen_peer(name: str | None) -> str:
    """Return the requested peer, or raise OptionError; by default PyTorch if it is installed."""
    if name is None:
        return "torch" if find_spec("torch") is not None else "none"
    if name not in PEERS:
        raise OptionError("--peer", f"{name!r} is not allowed; allowed are {', '.join(PEERS)}")
    if name != "none" and find_spec(name) is None:
        raise OptionError("--peer", f"{name} is not installed: {install_command(name)}")
    return name


def set_threads(name: str, count: int) -> None:
    if name == "torch":
        import_torch()
        import torch

        torch.set_num_threads(count)


def peer_call(
    name: str, case: Case, arrays: Arrays, out: NDArray[Any] | None = None
) -> Call | None:
    """Return the peer's call on the same numbers, which has run once; None if it has none."""
    call = None
    if name == "torch":
        call = _torch_call(case, arrays, out)
    elif name == "jax":
        call = _jax_call(case, arrays)
    if call is not None:
        call()
    return call


def _torch_call(case: Case, arrays: Arrays, out: NDArray[Any] | None) -> Call | None:
    import torch

    operator = case.declared.torch
    if operator is None:
        return None
    overloads = getattr(torch.ops.aten, operator.name)
    tensors = [as_torch(array) for array in arrays]
    if case.declared.per_channel:
        return _torch_sums(overloads.default, *tensors)
    names = [param.name for param in case.declared.tensors]
    by_name = dict(zip(names, tensors, strict=True))
    arguments, keywords = case.declared.for_torch({**by_name, **default_scalars(case.operator)})
    # PyTorch's losses resize what is given for their mean
    if out is not None and operator.out is not None and case.declared.reduction is None:
        keywords[operator.out] = as_torch(out)
        return partial(getattr(overloads, operator.out), *arguments, **keywords)
    return partial(overloads.default, *arguments, **keywords)


def _torch_sums(function: Any, grad: Any, data: Any, weight: Any) -> Call:
    """PyTorch writes a full-size gradient for the weight, and then sums it."""
    axes, shape = _channels(data.ndim, weight.numel())
    wide = weight.view(shape)

    def call() -> object:
        first, second = function(grad, data, wide)
        return first, second.sum(axes)

    return call


def _jax_call(case: Case, arrays: Arrays) -> Call:
    """JAX compiles a formula for the processor; it writes to arrays of its own."""
    import jax

    formula, reduction = case.declared.formula, case.declared.reduction
    declared, scalars = case.declared, scalar_values(case.operator)
    size = (arrays[0].size,) if formula.sized else ()

    def function(*tensors: Any) -> Any:
        operands = declared.operands(tensors, scalars)
        parts = [
            evaluate(formula.function, jax.numpy, operands, (*numbers, *size))
            for numbers in declared.part_scalars(scalars)
        ]
        if reduction is None or not declared.per_channel:
            view, mode = declared.result_view, declared.mode(scalars)
            first = parts[0]
            if view is not None:
                first = view.join(jax.numpy, parts, declared.axis(scalars))
            return first if mode == "none" else getattr(jax.numpy, mode)(first)
        grad, data, weight = tensors
        axes, _ = _channels(data.ndim, weight.size)
        return parts[0], evaluate(reduction.term.function, jax.numpy, (grad, data)).sum(axes)

    compiled = jax.jit(function)
    tensors = [jax.numpy.asarray(np.ascontiguousarray(array)) for array in arrays]
    return lambda: jax.block_until_ready(compiled(*tensors))


def _channels(rank: int, weights: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the axes that are summed over, and the shape in which a weight meets the data."""
    axes = tuple(axis for axis in range(rank) if axis != 1 or weights == 1)
    return axes, tuple(-1 if axis == 1 else 1 for axis in range(rank))
