"""The two-phase operator API: two functions per operator, under the vendor's names."""

from .declaration.scalars import RealNumber
from .device.memory.address_space import Memory
from .device.memory.tensor import Tensor
from .device.scalar import Scalar
from .device.streams.stream import Stream
from .twophase.executor import Executor

def aclnnGeluBackwardV2GetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, approximate: str, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnGeluBackwardV2; nothing is computed yet."""

def aclnnGeluBackwardV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGeluBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnGeluBackward; nothing is computed yet."""

def aclnnGeluBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGluGetWorkspaceSize(
    self: Tensor, dim: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnGlu; nothing is computed yet."""

def aclnnGlu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGluBackwardGetWorkspaceSize(
    gradOut: Tensor, self: Tensor, dim: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnGluBackward; nothing is computed yet."""

def aclnnGluBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnHardshrinkGetWorkspaceSize(
    self: Tensor, lambd: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnHardshrink; nothing is computed yet."""

def aclnnHardshrink(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnHardshrinkBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, lambd: Scalar | RealNumber, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnHardshrinkBackward; nothing is computed yet."""

def aclnnHardshrinkBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnHardtanhBackwardGetWorkspaceSize(
    gradOutput: Tensor,
    self: Tensor,
    min: Scalar | RealNumber,
    max: Scalar | RealNumber,
    gradInput: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnHardtanhBackward; nothing is computed yet."""

def aclnnHardtanhBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLogitGetWorkspaceSize(
    input: Tensor, eps: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnLogit; nothing is computed yet."""

def aclnnLogit(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLogitGradGetWorkspaceSize(
    x: Tensor, dy: Tensor, eps: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnLogitGrad; nothing is computed yet."""

def aclnnLogitGrad(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnPreluGetWorkspaceSize(self: Tensor, weight: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call of aclnnPrelu; nothing is computed yet."""

def aclnnPrelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnPreluBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, weight: Tensor, gradInput: Tensor, gradWeight: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnPreluBackward; nothing is computed yet."""

def aclnnPreluBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnReluGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call of aclnnRelu; nothing is computed yet."""

def aclnnRelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSiluGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSilu; nothing is computed yet."""

def aclnnSilu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSoftplusGetWorkspaceSize(
    self: Tensor, beta: Scalar | RealNumber, threshold: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSoftplus; nothing is computed yet."""

def aclnnSoftplus(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSoftplusBackwardGetWorkspaceSize(
    gradOutput: Tensor,
    self: Tensor,
    beta: Scalar | RealNumber,
    threshold: Scalar | RealNumber,
    gradInput: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSoftplusBackward; nothing is computed yet."""

def aclnnSoftplusBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSoftshrinkGetWorkspaceSize(
    self: Tensor, lambd: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSoftshrink; nothing is computed yet."""

def aclnnSoftshrink(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSoftshrinkBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, lambd: Scalar | RealNumber, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSoftshrinkBackward; nothing is computed yet."""

def aclnnSoftshrinkBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSquaredReluGetWorkspaceSize(input: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSquaredRelu; nothing is computed yet."""

def aclnnSquaredRelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSwiGluGetWorkspaceSize(
    x: Tensor, dim: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSwiGlu; nothing is computed yet."""

def aclnnSwiGlu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSwiGluGradGetWorkspaceSize(
    yGrad: Tensor, x: Tensor, dim: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSwiGluGrad; nothing is computed yet."""

def aclnnSwiGluGrad(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnThresholdGetWorkspaceSize(
    self: Tensor, threshold: Scalar | RealNumber, value: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnThreshold; nothing is computed yet."""

def aclnnThreshold(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnThresholdBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, threshold: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnThresholdBackward; nothing is computed yet."""

def aclnnThresholdBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBinaryCrossEntropyGetWorkspaceSize(
    self: Tensor, target: Tensor, weight: Tensor | None, reduction: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnBinaryCrossEntropy; nothing is computed yet."""

def aclnnBinaryCrossEntropy(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBinaryCrossEntropyBackwardGetWorkspaceSize(
    gradOutput: Tensor,
    self: Tensor,
    target: Tensor,
    weightOptional: Tensor | None,
    reduction: Scalar | RealNumber,
    gradInput: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnBinaryCrossEntropyBackward; nothing is computed yet."""

def aclnnBinaryCrossEntropyBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSmoothL1LossBackwardGetWorkspaceSize(
    gradOut: Tensor,
    self: Tensor,
    target: Tensor,
    reduction: Scalar | RealNumber,
    beta: Scalar | RealNumber,
    gradInput: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSmoothL1LossBackward; nothing is computed yet."""

def aclnnSmoothL1LossBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""
