"""The same work as calls of PyTorch and of JAX."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any, Final

import numpy as np

from ..core.errors import ArgumentValueError
from ..verify.peers import as_torch
from .work import Arrays, Call, Case

PEERS: Final = ("torch", "jax", "none")

#: PyTorch's operator, what it gets besides the tensors, and what it calls its result's place
_TORCH: Final[dict[str, tuple[str, Callable[..., tuple[Any, ...]], str | None]]] = {
    "hardshrink_backward": (
        "hardshrink_backward",
        lambda grad, data: (grad, data, 0.5),
        "grad_input",
    ),
    "softplus_backward": (
        "softplus_backward",
        lambda grad, data: (grad, data, 1.0, 20.0),
        "grad_input",
    ),
    "prelu_backward": (
        "_prelu_kernel_backward",
        lambda grad, data, weight: (grad, data, weight),
        None,
    ),
    "smooth_l1_loss_backward": (
        "smooth_l1_loss_backward",
        lambda grad, data, other: (grad, data, other, 1, 1.0),
        "grad_input",
    ),
    "logit_grad": ("logit_backward", lambda data, grad: (grad, data, None), "grad_input"),
}


def chosen_peer(name: str | None) -> str:
    """Return the peer that was asked for; without a wish PyTorch, where it is installed.

    Raises
    ------
    ArgumentValueError
        If it is unknown or not installed.
    """
    if name is None:
        return "torch" if find_spec("torch") is not None else "none"
    if name not in PEERS:
        raise ArgumentValueError("--peer", f"is {name!r}; allowed are {', '.join(PEERS)}")
    if name != "none" and find_spec(name) is None:
        raise ArgumentValueError("--peer", f"is {name!r}, which is not installed")
    return name


def peer_call(name: str, case: Case, arrays: Arrays, out: Any = None) -> Call | None:
    """Return the peer's call of the same work on the same numbers; None where it has none.

    Where it can, it writes to ``out`` if that is given.
    """
    if name == "torch" and case.operator in _TORCH:
        return _torch_call(case, arrays, out)
    if name == "jax" and case.operator in _JAX:
        return _jax_call(case, arrays)
    return None


def set_threads(name: str, count: int) -> None:
    """Let a peer use so many threads."""
    if name == "torch":
        import torch

        torch.set_num_threads(count)


def _torch_call(case: Case, arrays: Arrays, out: Any) -> Call:
    import torch

    operator, arguments, place = _TORCH[case.operator]
    given = [as_torch(array) for array in arrays]
    packet = getattr(torch.ops.aten, operator)
    if case.declared.channel_term is not None:
        return _torch_sums(packet.default, *given)
    if out is not None and place is not None:
        where = {place: as_torch(out)}
        call: Call = partial(getattr(packet, place), *arguments(*given), **where)
    else:
        call = partial(packet.default, *arguments(*given))
    call()
    return call


def _torch_sums(function: Any, grad: Any, data: Any, weight: Any) -> Call:
    """PyTorch makes a gradient of the data's shape for the weight, and then adds it up."""
    axes, shape = _channels(data.ndim, weight.numel())
    wide = weight.view(shape)

    def call() -> object:
        first, second = function(grad, data, wide)
        return first, second.sum(axes)

    call()
    return call


def _channels(rank: int, weights: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the axes that are summed over, and the shape in which a weight meets the data."""
    axes = tuple(axis for axis in range(rank) if axis != 1 or weights == 1)
    return axes, tuple(-1 if axis == 1 else 1 for axis in range(rank))


def _hardshrink(jnp: Any, grad: Any, data: Any) -> Any:
    return jnp.where(abs(data) > 0.5, grad, 0)


def _softplus(jnp: Any, grad: Any, data: Any) -> Any:
    return jnp.where(data > 20, grad, grad / (1 + jnp.exp(-data)))


def _prelu(jnp: Any, grad: Any, data: Any, weight: Any) -> Any:
    axes, shape = _channels(data.ndim, weight.size)
    wide = weight.reshape(shape)
    first = jnp.where(data > 0, grad, wide * grad)
    return first, jnp.where(data > 0, 0, data * grad).sum(axes)


def _smooth_l1(jnp: Any, grad: Any, data: Any, target: Any) -> Any:
    d = data - target
    return jnp.where(abs(d) < 1, d, jnp.sign(d)) * grad * (1 / data.size)


def _logit(jnp: Any, data: Any, grad: Any) -> Any:
    inside = (data >= 0) & (data <= 1)
    return jnp.where(inside, grad / (data * (1 - data)), jnp.nan)


_JAX: Final[dict[str, Callable[..., Any]]] = {
    "hardshrink_backward": _hardshrink,
    "softplus_backward": _softplus,
    "prelu_backward": _prelu,
    "smooth_l1_loss_backward": _smooth_l1,
    "logit_grad": _logit,
}


def _jax_call(case: Case, arrays: Arrays) -> Call:
    """JAX compiles a formula for the processor; it writes to arrays of its own."""
    import jax

    given = [jax.numpy.asarray(np.ascontiguousarray(array)) for array in arrays]
    function = jax.jit(partial(_JAX[case.operator], jax.numpy))

    def call() -> object:
        return jax.block_until_ready(function(*given))

    call()
    return call
