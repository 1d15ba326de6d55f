"""The gradients of PReLU on PyTorch's CPU tensors.

PyTorch's operator returns a full-size gradient for the weight, one term per element. The autograd
engine sums it afterwards, because it sums every gradient that is larger than its input to the
input's shape (``validate_outputs``). Writing and rereading the terms takes most of the time. So
where the sum is certain to follow, `summed` computes it in the same pass and returns it in the
weight's own shape, which the engine does not change.

The sum follows exactly if the engine runs the operator's own node on tensors of the node's shapes.
The operator's derivative, for which PyTorch needs the full-size gradient, is then unused too: it is
only needed if the backward pass is recorded (``create_graph``) or forward derivatives are computed.
A batched operand has another rank than the node's. A graph traced from the operators would lack the
sum.
"""

from __future__ import annotations

from math import prod
from typing import Any

import torch
from torch.autograd import forward_ad
from torch.fx import _symbolic_trace

from ..core.dtypes import FLOAT64
from ..core.layout import MAX_RANK
from ..functional.call import channel_sum_kernel
from ..operators.prelu_backward import OPERATOR
from .elementwise import Elementwise
from .scalars import Refused, prelu_input, prelu_weight
from .tensors import KINDS, Layout, layout, numpy_view, result_layout

#: the autograd node that calls the operator
_NODE = "PreluKernelBackward0"


def sum_follows(grad_output: Any, self: Any) -> bool:
    """Tell whether the autograd engine will sum the operator's gradient for the weight."""
    node = torch._C._current_autograd_node()
    if (
        node is None
        or node.name() != _NODE
        or torch.is_grad_enabled()
        or forward_ad._current_level >= 0
        or _symbolic_trace._is_fx_tracing_flag
        or torch._C._get_tracing_state() is not None
    ):
        return False
    shape = tuple(node._input_metadata[0].shape)
    return bool(grad_output.shape == shape and self.shape == shape and self.numel())


class PreluBackward:
    """The gradients for input and weight in a compute type; None means the default."""

    def __init__(self, compute: str | None) -> None:
        self._compute = compute
        self._input = Elementwise(prelu_input, compute)
        self._weight = Elementwise(prelu_weight, compute)
        self._kernels = {
            kind: channel_sum_kernel(
                OPERATOR, element, compute or ("float64" if element is FLOAT64 else "float32")
            )
            for kind, element in KINDS.items()
        }

    def full_size(self, grad_output: Any, self_: Any, weight: Any) -> tuple[Any, Any]:
        """Return the input's gradient, and one term per element for the weight."""
        try:
            found = result_layout((layout(self_), layout(weight), layout(grad_output)))
        except RuntimeError as error:
            raise Refused("shapes do not broadcast") from error
        results = [
            torch.empty_strided(found.shape, found.strides, dtype=self_.dtype) for _ in range(2)
        ]
        self._input.into(results[0], (grad_output, self_, weight), ())
        self._weight.into(results[1], (grad_output, self_), ())
        return results[0], results[1]

    def summed(self, grad_output: Any, self_: Any, weight: Any) -> tuple[Any, Any]:
        """Return the input's gradient, and the weight's sums in the weight's shape.

        Parameters
        ----------
        grad_output, self_ : Tensor
            Nonempty, of the same shape (rank 0 to 8) and type.
        weight : Tensor
            With one element, or with the rank of ``self_`` and one element per index of axis 1.

        Raises
        ------
        Refused
            Otherwise; nothing is computed then.
        """
        kind, shape, channels = self_.dtype, tuple(self_.shape), weight.numel()
        if kind not in KINDS or grad_output.dtype is not kind or weight.dtype is not kind:
            raise Refused("types differ or are not F16, BF16, F32 or F64")
        if len(shape) > MAX_RANK:
            raise Refused("a rank is above 8")
        if grad_output.shape != self_.shape or not self_.numel():
            raise Refused("an empty or a broadcast gradient")
        if channels != 1 and (
            weight.dim() != len(shape) or len(shape) < 2 or weight.shape[1] != channels != shape[1]
        ):
            raise Refused("the weight does not have one element per channel")
        # the operand order of PyTorch's own kernel, on which the result's strides depend
        layouts: tuple[Layout, ...] = layout(self_), layout(weight), layout(grad_output)
        found = result_layout(layouts)
        grad_input = torch.empty_strided(found.shape, found.strides, dtype=kind)
        sums = torch.empty(weight.shape, dtype=kind)
        kernel = self._kernels[kind]
        walk = _in_order(shape, found.strides, channels)
        if walk and layouts[0] == layouts[2] == (found.shape, found.strides):
            operands = grad_output, self_, weight.contiguous(), grad_input, sums
            kernel.in_memory(tuple([t.data_ptr() for t in operands]), walk, channels)
        else:
            views = [numpy_view(t) for t in (grad_output, self_, weight, grad_input)]
            grad, data, factor, result = views
            kernel((grad, data, factor, result), numpy_view(sums).reshape(channels))
        return grad_input, sums


def _in_order(
    shape: tuple[int, ...], strides: tuple[int, ...], channels: int
) -> tuple[int, ...] | None:
    """Return the shape in which elements can be processed in memory order; None if they cannot.

    It must be the order of the terms of a channel, on which the bits of the sums depend. With a
    single channel, any dense layout will do.

    Examples
    --------
    >>> _in_order((2, 3, 4, 5), (60, 20, 5, 1), 3), _in_order((2, 3, 4, 5), (60, 1, 15, 3), 3)
    ((2, 3, 4, 5), (40, 3))
    """
    rest = shape[:1] + shape[2:]
    if _is_contiguous(shape, strides):
        return shape
    if channels > 1 and strides[1] == 1:
        outer = strides[:1] + strides[2:]
        if _is_contiguous(rest, tuple([stride // channels for stride in outer])):
            return prod(rest), channels
    return None


def _is_contiguous(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Tell whether elements are in C order."""
    step = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size != 1 and stride != step:
            return False
        step *= size
    return True
