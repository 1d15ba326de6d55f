"""The gradients of PReLU on PyTorch's CPU tensors.

PyTorch's operator returns a gradient of full size for the weight, one term for each element, and
the autograd engine adds these up afterwards, because the gradient that a node returns for an input
is summed to that input's shape where it is larger (``validate_outputs``). Writing the terms and
reading them again takes most of the time. So where the sum is sure to follow, `summed` computes it
in the same pass and returns it with the weight's own shape, which the engine leaves as it is.

The sum follows exactly where the engine runs the operator's own node on tensors of its own shapes.
Then the derivative of the operator, which PyTorch takes for the full-size gradient, is needed by no
one either: there is none unless the backward pass is recorded (``create_graph``), or forward
derivatives are carried along. A batched operand has a rank that the node's does not have. A graph
that is traced from the operators would lack the sum.
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

#: the node of autograd whose function the operator is
_NODE = "PreluKernelBackward0"


def sum_follows(grad_output: Any, self: Any) -> bool:
    """Tell whether the autograd engine adds up what the operator returns for the weight."""
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
    """The gradients for input and weight in a compute type; None for the default one."""

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
        """Return the gradient for the input, and one term for each element for the weight."""
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
        """Return the gradient for the input, and for the weight the sums, of the weight's shape.

        Parameters
        ----------
        grad_output, self_ : Tensor
            Of one shape of rank 0 to 8 and one type, with elements.
        weight : Tensor
            With one element, or of the rank of ``self_`` with one element for each index of axis 1.

        Raises
        ------
        Refused
            If they are not so; nothing is computed.
        """
        kind, shape, channels = self_.dtype, tuple(self_.shape), weight.numel()
        if kind not in KINDS or grad_output.dtype is not kind or weight.dtype is not kind:
            raise Refused("types differ or are no F16, BF16, F32 or F64")
        if len(shape) > MAX_RANK:
            raise Refused("a rank is above 8")
        if grad_output.shape != self_.shape or not self_.numel():
            raise Refused("an empty or a broadcast gradient")
        if channels != 1 and (
            weight.dim() != len(shape) or len(shape) < 2 or weight.shape[1] != channels != shape[1]
        ):
            raise Refused("the weight has not one element for each channel")
        # the order of operands in PyTorch's own kernel, on which the result's strides depend
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
    """Return the shape in which elements can be taken in the order in which they stand in memory.

    That must be the order of the terms of a channel, on which the bits of the sums depend: memory
    of any dense layout is in order for one channel alone; None where it is not.

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
    """Tell whether elements stand in C order."""
    step = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size != 1 and stride != step:
            return False
        step *= size
    return True
