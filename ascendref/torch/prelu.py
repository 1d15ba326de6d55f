"""The gradients of PReLU on PyTorch's CPU tensors.

PyTorch's operator returns a full-size gradient for the weight, one term per element. The autograd
engine sums it afterwards, because it sums every gradient that is larger than its input to the
input's shape (``validate_outputs``). Writing and rereading the terms takes most of the time. So
where the sum is certain to follow, it is computed in the same pass and returned in the weight's
own shape, which the engine does not change.

The sum follows exactly if the engine runs the operator's own node on tensors of the node's shapes.
The operator's derivative, for which PyTorch needs the full-size gradient, is then unused too: it is
only needed if the backward pass is recorded (``create_graph``) or forward derivatives are computed.
A batched operand has another rank than the node's. A graph traced from the operators would miss the
sum.
"""

from typing import Any, Final

import torch
from torch.autograd import forward_ad
from torch.fx import _symbolic_trace

from ..core.dtypes import FLOAT64
from ..differentiable import kernel_of
from ..functional.kernels import reduction_kernel
from .override import Override
from .tensors import Args, Refused, element_type, empty_result, numpy_view

#: the autograd node that calls the operator
_NODE: Final = "PreluKernelBackward0"


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


class PreluOverride(Override):
    """The operator of PReLU, with two results."""

    def compute(self, tensors: Args, scalars: Args, compute: str | None) -> Any:
        """Compute both gradients, in the shapes of input and weight."""
        grad_output, data, weight = tensors
        beside = _beside(data, weight)
        if any([tensor.device.type != "cpu" for tensor in tensors]):
            grad_input, sums = self.theirs(tensors, scalars)
        else:
            operands = grad_output, data, beside
            grad_input, sums = self._call(self.aten, operands, {}, compute, "summed")
        return grad_input, sums.sum_to_size(beside.shape).reshape(weight.shape)

    def theirs(self, tensors: Args, scalars: Args) -> Any:
        """Call PyTorch's operator with the weight in the shape that it takes."""
        grad_output, data, weight = tensors
        return super().theirs((grad_output, data, _beside(data, weight)), scalars)

    def result(self, tensors: Args, scalars: Args, compute: str | None, out: Any) -> Any:
        """Return both gradients; that of the weight is summed if asked for or if that follows."""
        kind = element_type(tensors)
        compute = compute or ("float64" if kind is FLOAT64 else "float32")
        grad_output, data, weight = tensors
        # the operand order of PyTorch's own kernel, on which the result's strides depend
        grad_input = empty_result((data, weight, grad_output))
        views = [numpy_view(tensor) for tensor in (*tensors, grad_input)]
        if out == "summed" or sum_follows(grad_output, data):
            if grad_output.shape != data.shape or not data.numel():
                raise Refused("an empty or a broadcast gradient")
            channels = weight.numel()
            if channels != 1 and (
                data.dim() < 2
                or data.shape[1] != channels
                or weight.shape != _beside(data, weight).shape
            ):
                raise Refused("the weight does not have one element per channel")
            grad_weight = torch.empty(weight.shape, dtype=weight.dtype)
            sums = numpy_view(grad_weight).reshape(channels)
            types = (kind,) * len(self.operator.tensors)
            reduction_kernel(self.operator, types, kind, compute, "sum")((*views, sums))
        else:
            assert self.operator.reduction is not None
            grad_weight = torch.empty_like(grad_input)
            kernel_of(self.operator.formula, kind, compute, ())(tuple(views), ())
            term = kernel_of(self.operator.reduction.term, kind, compute, ())
            term((*views[:2], numpy_view(grad_weight)), ())
        return grad_input, grad_weight


def _beside(data: Any, weight: Any) -> Any:
    """Return a weight with the rank of its data, to which it broadcasts."""
    return weight.reshape([weight.numel() if axis == 1 else 1 for axis in range(data.dim())])
