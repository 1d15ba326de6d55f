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
    """Check and plan a call of aclnnGeluBackwardV2; nothing is computed."""

def aclnnGeluBackwardV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGeluBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnGeluBackward; nothing is computed."""

def aclnnGeluBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGluGetWorkspaceSize(
    self: Tensor, dim: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnGlu; nothing is computed."""

def aclnnGlu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGluBackwardGetWorkspaceSize(
    gradOut: Tensor, self: Tensor, dim: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnGluBackward; nothing is computed."""

def aclnnGluBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnHardshrinkBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, lambd: Scalar | RealNumber, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnHardshrinkBackward; nothing is computed."""

def aclnnHardshrinkBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLogitGetWorkspaceSize(
    input: Tensor, eps: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnLogit; nothing is computed."""

def aclnnLogit(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLogitGradGetWorkspaceSize(
    x: Tensor, dy: Tensor, eps: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnLogitGrad; nothing is computed."""

def aclnnLogitGrad(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnPreluGetWorkspaceSize(self: Tensor, weight: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call of aclnnPrelu; nothing is computed."""

def aclnnPrelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnPreluBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, weight: Tensor, gradInput: Tensor, gradWeight: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnPreluBackward; nothing is computed."""

def aclnnPreluBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSiluGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSilu; nothing is computed."""

def aclnnSilu(
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
    """Check and plan a call of aclnnSoftplusBackward; nothing is computed."""

def aclnnSoftplusBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSwiGluGetWorkspaceSize(
    x: Tensor, dim: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSwiGlu; nothing is computed."""

def aclnnSwiGlu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSwiGluGradGetWorkspaceSize(
    yGrad: Tensor, x: Tensor, dim: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSwiGluGrad; nothing is computed."""

def aclnnSwiGluGrad(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBinaryCrossEntropyGetWorkspaceSize(
    self: Tensor, target: Tensor, weight: Tensor | None, reduction: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnBinaryCrossEntropy; nothing is computed."""

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
    """Check and plan a call of aclnnBinaryCrossEntropyBackward; nothing is computed."""

def aclnnBinaryCrossEntropyBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBinaryCrossEntropyWithLogitsGetWorkspaceSize(
    self: Tensor,
    target: Tensor,
    weightOptional: Tensor | None,
    posWeightOptional: Tensor | None,
    reduction: Scalar | RealNumber,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnBinaryCrossEntropyWithLogits; nothing is computed."""

def aclnnBinaryCrossEntropyWithLogits(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBinaryCrossEntropyWithLogitsBackwardGetWorkspaceSize(
    gradOutput: Tensor,
    self: Tensor,
    target: Tensor,
    weightOptional: Tensor | None,
    posWeightOptional: Tensor | None,
    reduction: Scalar | RealNumber,
    gradInput: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnBinaryCrossEntropyWithLogitsBackward; nothing is computed."""

def aclnnBinaryCrossEntropyWithLogitsBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnKlDivBackwardGetWorkspaceSize(
    gradOutput: Tensor,
    self: Tensor,
    target: Tensor,
    reduction: Scalar | RealNumber,
    logTarget: bool,
    gradInput: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnKlDivBackward; nothing is computed."""

def aclnnKlDivBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnKlDivTargetBackwardGetWorkspaceSize(
    gradOutput: Tensor,
    self: Tensor,
    target: Tensor,
    reduction: Scalar | RealNumber,
    logTarget: bool,
    gradTarget: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnKlDivTargetBackward; nothing is computed."""

def aclnnKlDivTargetBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnL1LossGetWorkspaceSize(
    self: Tensor, target: Tensor, reduction: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnL1Loss; nothing is computed."""

def aclnnL1Loss(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnL1LossBackwardGetWorkspaceSize(
    gradOutput: Tensor,
    self: Tensor,
    target: Tensor,
    reduction: Scalar | RealNumber,
    gradInput: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnL1LossBackward; nothing is computed."""

def aclnnL1LossBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMseLossGetWorkspaceSize(
    self: Tensor, target: Tensor, reduction: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnMseLoss; nothing is computed."""

def aclnnMseLoss(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMseLossBackwardGetWorkspaceSize(
    gradOutput: Tensor,
    self: Tensor,
    target: Tensor,
    reduction: Scalar | RealNumber,
    gradInput: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnMseLossBackward; nothing is computed."""

def aclnnMseLossBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSmoothL1LossGetWorkspaceSize(
    self: Tensor,
    target: Tensor,
    reduction: Scalar | RealNumber,
    beta: Scalar | RealNumber,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSmoothL1Loss; nothing is computed."""

def aclnnSmoothL1Loss(
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
    """Check and plan a call of aclnnSmoothL1LossBackward; nothing is computed."""

def aclnnSmoothL1LossBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSoftMarginLossGetWorkspaceSize(
    self: Tensor, target: Tensor, reduction: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSoftMarginLoss; nothing is computed."""

def aclnnSoftMarginLoss(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSoftMarginLossBackwardGetWorkspaceSize(
    gradOutput: Tensor,
    self: Tensor,
    target: Tensor,
    reduction: Scalar | RealNumber,
    gradInput: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSoftMarginLossBackward; nothing is computed."""

def aclnnSoftMarginLossBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""
