"""The two-phase operator API: two functions per operator, under the vendor's names."""

from collections.abc import Sequence

from .core.dtypes import DTypeLike
from .declaration.scalars import RealNumber
from .device.memory.address_space import Memory
from .device.memory.tensor import Tensor
from .device.scalar import Scalar
from .device.streams.stream import Stream
from .twophase.executor import Executor

def aclnnEluGetWorkspaceSize(
    self: Tensor,
    alpha: Scalar | RealNumber,
    scale: Scalar | RealNumber,
    inputScale: Scalar | RealNumber,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnElu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceEluGetWorkspaceSize(
    selfRef: Tensor,
    alpha: Scalar | RealNumber,
    scale: Scalar | RealNumber,
    inputScale: Scalar | RealNumber,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceElu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnCeluGetWorkspaceSize(
    self: Tensor, alpha: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnCelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceCeluGetWorkspaceSize(
    selfRef: Tensor, alpha: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceCelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnEluBackwardGetWorkspaceSize(
    gradOutput: Tensor,
    alpha: Scalar | RealNumber,
    scale: Scalar | RealNumber,
    inputScale: Scalar | RealNumber,
    isResult: bool,
    selfOrResult: Tensor,
    gradInput: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnEluBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnFastGeluGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnFastGelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnFastGeluBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnFastGeluBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGeluV2GetWorkspaceSize(
    x: Tensor, approximate: Scalar | RealNumber, y: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGeluV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGeluGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGeluBackwardV2GetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, approximate: str, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGeluBackwardV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGeluBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGeluBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGluGetWorkspaceSize(
    self: Tensor, dim: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGlu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGluBackwardGetWorkspaceSize(
    gradOut: Tensor, self: Tensor, dim: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGluBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnHardshrinkGetWorkspaceSize(
    self: Tensor, lambd: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnHardshrink(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnHardshrinkBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, lambd: Scalar | RealNumber, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnHardshrinkBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnHardsigmoidGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnHardsigmoid(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceHardsigmoidGetWorkspaceSize(self: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceHardsigmoid(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnHardsigmoidBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnHardsigmoidBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnHardswishGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnHardswish(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceHardswishGetWorkspaceSize(self: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceHardswish(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnHardswishBackwardV2GetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnHardswishBackwardV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnHardswishBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnHardswishBackward(
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
    """Check and plan a call; nothing is computed."""

def aclnnHardtanhBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLeakyReluGetWorkspaceSize(
    self: Tensor, negativeSlope: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLeakyRelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceLeakyReluGetWorkspaceSize(
    selfRef: Tensor, negativeSlope: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceLeakyRelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLeakyReluBackwardGetWorkspaceSize(
    gradOutput: Tensor,
    self: Tensor,
    negativeSlope: Scalar | RealNumber,
    selfIsResult: bool,
    gradInput: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLeakyReluBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLogSigmoidGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLogSigmoid(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLogSigmoidForwardGetWorkspaceSize(
    self: Tensor, out: Tensor, buffer: Tensor | None
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLogSigmoidForward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLogSigmoidBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, buffer: Tensor, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLogSigmoidBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLogitGetWorkspaceSize(
    input: Tensor, eps: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLogit(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLogitGradGetWorkspaceSize(
    x: Tensor, dy: Tensor, eps: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLogitGrad(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMishGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMish(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceMishGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceMish(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMishBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMishBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnPreluGetWorkspaceSize(self: Tensor, weight: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnPrelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnPreluBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, weight: Tensor, gradInput: Tensor, gradWeight: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnPreluBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnReluGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnRelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceReluGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceRelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSeluGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceSeluGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceSelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSeluBackwardGetWorkspaceSize(
    gradOutput: Tensor, result: Tensor, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSeluBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSigmoidGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSigmoid(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceSigmoidGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceSigmoid(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSigmoidBackwardGetWorkspaceSize(
    gradOutput: Tensor, output: Tensor, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSigmoidBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSiluGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSilu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSiluBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSiluBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSwishGetWorkspaceSize(
    self: Tensor, betaOptional: Scalar | RealNumber | None, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSwish(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSwishBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, betaOptional: Scalar | RealNumber | None, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSwishBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSoftplusGetWorkspaceSize(
    self: Tensor, beta: Scalar | RealNumber, threshold: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

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
    """Check and plan a call; nothing is computed."""

def aclnnSoftplusBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSoftshrinkGetWorkspaceSize(
    self: Tensor, lambd: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSoftshrink(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSoftshrinkBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, lambd: Scalar | RealNumber, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSoftshrinkBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSquaredReluGetWorkspaceSize(input: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSquaredRelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSwiGluGetWorkspaceSize(
    x: Tensor, dim: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSwiGlu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSwiGluGradGetWorkspaceSize(
    yGrad: Tensor, x: Tensor, dim: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSwiGluGrad(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnThresholdGetWorkspaceSize(
    self: Tensor, threshold: Scalar | RealNumber, value: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnThreshold(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceThresholdGetWorkspaceSize(
    selfRef: Tensor, threshold: Scalar | RealNumber, value: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceThreshold(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnThresholdBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, threshold: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnThresholdBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBinaryCrossEntropyGetWorkspaceSize(
    self: Tensor, target: Tensor, weight: Tensor | None, reduction: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

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
    """Check and plan a call; nothing is computed."""

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
    """Check and plan a call; nothing is computed."""

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
    """Check and plan a call; nothing is computed."""

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
    """Check and plan a call; nothing is computed."""

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
    """Check and plan a call; nothing is computed."""

def aclnnKlDivTargetBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnL1LossGetWorkspaceSize(
    self: Tensor, target: Tensor, reduction: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

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
    """Check and plan a call; nothing is computed."""

def aclnnL1LossBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMseLossGetWorkspaceSize(
    self: Tensor, target: Tensor, reduction: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

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
    """Check and plan a call; nothing is computed."""

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
    """Check and plan a call; nothing is computed."""

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
    """Check and plan a call; nothing is computed."""

def aclnnSmoothL1LossBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSoftMarginLossGetWorkspaceSize(
    self: Tensor, target: Tensor, reduction: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

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
    """Check and plan a call; nothing is computed."""

def aclnnSoftMarginLossBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAbsGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAbs(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAcosGetWorkspaceSize(input: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAcos(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceAcosGetWorkspaceSize(inputRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceAcos(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAcoshGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAcosh(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceAcoshGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceAcosh(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAddGetWorkspaceSize(
    self: Tensor, other: Tensor, alpha: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAdd(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceAddGetWorkspaceSize(
    selfRef: Tensor, other: Tensor, alpha: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceAdd(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAddReluGetWorkspaceSize(
    self: Tensor, other: Tensor, alpha: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAddRelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceAddReluGetWorkspaceSize(
    selfRef: Tensor, other: Tensor, alpha: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceAddRelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAddV3GetWorkspaceSize(
    self: Scalar | RealNumber, other: Tensor, alpha: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAddV3(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceAddV3GetWorkspaceSize(
    selfRef: Scalar | RealNumber, other: Tensor, alpha: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceAddV3(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAddcdivGetWorkspaceSize(
    self: Tensor, tensor1: Tensor, tensor2: Tensor, value: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAddcdiv(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceAddcdivGetWorkspaceSize(
    selfRef: Tensor, tensor1: Tensor, tensor2: Tensor, value: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceAddcdiv(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAddcmulGetWorkspaceSize(
    self: Tensor, tensor1: Tensor, tensor2: Tensor, value: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAddcmul(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceAddcmulGetWorkspaceSize(
    selfRef: Tensor, tensor1: Tensor, tensor2: Tensor, value: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceAddcmul(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAddsGetWorkspaceSize(
    self: Tensor, other: Scalar | RealNumber, alpha: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAdds(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceAddsGetWorkspaceSize(
    selfRef: Tensor, other: Scalar | RealNumber, alpha: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceAdds(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAngleV2GetWorkspaceSize(x: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAngleV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAsinGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAsin(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceAsinGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceAsin(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAsinhGetWorkspaceSize(input: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAsinh(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceAsinhGetWorkspaceSize(inputRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceAsinh(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAtanGetWorkspaceSize(input: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAtan(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceAtanGetWorkspaceSize(inputRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceAtan(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAtan2GetWorkspaceSize(self: Tensor, other: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAtan2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceAtan2GetWorkspaceSize(selfRef: Tensor, other: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceAtan2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAtanhGetWorkspaceSize(input: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAtanh(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceAtanhGetWorkspaceSize(inputRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceAtanh(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBitwiseAndScalarGetWorkspaceSize(
    self: Tensor, other: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnBitwiseAndScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceBitwiseAndScalarGetWorkspaceSize(
    selfRef: Tensor, other: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceBitwiseAndScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBitwiseAndTensorGetWorkspaceSize(
    self: Tensor, other: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnBitwiseAndTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceBitwiseAndTensorGetWorkspaceSize(
    selfRef: Tensor, other: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceBitwiseAndTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBitwiseAndTensorOutGetWorkspaceSize(
    self: Tensor, other: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnBitwiseAndTensorOut(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceBitwiseAndTensorOutGetWorkspaceSize(
    self: Tensor, other: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceBitwiseAndTensorOut(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBitwiseNotGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnBitwiseNot(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBitwiseOrScalarGetWorkspaceSize(
    self: Tensor, other: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnBitwiseOrScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceBitwiseOrScalarGetWorkspaceSize(
    selfRef: Tensor, other: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceBitwiseOrScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBitwiseOrTensorGetWorkspaceSize(
    self: Tensor, other: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnBitwiseOrTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceBitwiseOrTensorGetWorkspaceSize(
    selfRef: Tensor, other: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceBitwiseOrTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBitwiseXorScalarGetWorkspaceSize(
    self: Tensor, other: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnBitwiseXorScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceBitwiseXorScalarGetWorkspaceSize(
    selfRef: Tensor, other: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceBitwiseXorScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBitwiseXorTensorGetWorkspaceSize(
    self: Tensor, other: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnBitwiseXorTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceBitwiseXorTensorGetWorkspaceSize(
    selfRef: Tensor, other: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceBitwiseXorTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnCastGetWorkspaceSize(self: Tensor, dtype: DTypeLike, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnCast(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnCeilGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnCeil(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceCeilGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceCeil(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnClampGetWorkspaceSize(
    self: Tensor,
    clipValueMin: Scalar | RealNumber | None,
    clipValueMax: Scalar | RealNumber | None,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnClamp(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnClampMaxGetWorkspaceSize(
    self: Tensor, clipValueMax: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnClampMax(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceClampMaxGetWorkspaceSize(
    selfRef: Tensor, clipValueMax: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceClampMax(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnClampMaxTensorGetWorkspaceSize(
    self: Tensor, max: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnClampMaxTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceClampMaxTensorGetWorkspaceSize(
    selfRef: Tensor, max: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceClampMaxTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnClampMinGetWorkspaceSize(
    self: Tensor, clipValueMin: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnClampMin(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnClampMinTensorGetWorkspaceSize(
    self: Tensor, clipValueMin: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnClampMinTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceClampMinTensorGetWorkspaceSize(
    selfRef: Tensor, clipValueMin: Tensor | None
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceClampMinTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnClampTensorGetWorkspaceSize(
    self: Tensor, clipValueMin: Tensor, clipValueMax: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnClampTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceCopyGetWorkspaceSize(selfRef: Tensor, src: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceCopy(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnCosGetWorkspaceSize(input: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnCos(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceCosGetWorkspaceSize(inputRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceCos(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnCoshGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnCosh(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceCoshGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceCosh(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnDigammaGetWorkspaceSize(self: Tensor | None, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnDigamma(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnDivGetWorkspaceSize(self: Tensor, other: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnDiv(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceDivGetWorkspaceSize(selfRef: Tensor, other: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceDiv(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnDivModGetWorkspaceSize(
    self: Tensor, other: Tensor, mode: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnDivMod(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceDivModGetWorkspaceSize(
    selfRef: Tensor, other: Tensor, mode: int
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceDivMod(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnDivModsGetWorkspaceSize(
    self: Tensor, other: Scalar | RealNumber, mode: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnDivMods(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceDivModsGetWorkspaceSize(
    selfRef: Tensor, other: Scalar | RealNumber, mode: int
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceDivMods(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnDivsGetWorkspaceSize(
    self: Tensor, other: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnDivs(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceDivsGetWorkspaceSize(
    selfRef: Tensor, other: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceDivs(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnEqScalarGetWorkspaceSize(
    self: Tensor, other: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnEqScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceEqScalarGetWorkspaceSize(
    selfRef: Tensor, other: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceEqScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnEqTensorGetWorkspaceSize(self: Tensor, other: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnEqTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceEqTensorGetWorkspaceSize(selfRef: Tensor, other: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceEqTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnErfGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnErf(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceErfGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceErf(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnErfcGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnErfc(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceErfcGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceErfc(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnErfinvGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnErfinv(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceErfinvGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceErfinv(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnExpGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnExp(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceExpGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceExp(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnExp2GetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnExp2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceExp2GetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceExp2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnExpm1GetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnExpm1(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceExpm1GetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceExpm1(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceFillScalarGetWorkspaceSize(
    selfRef: Tensor, value: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceFillScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnFloorGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnFloor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceFloorGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceFloor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnFloorDivideGetWorkspaceSize(
    self: Tensor, other: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnFloorDivide(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceFloorDivideGetWorkspaceSize(selfRef: Tensor, other: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceFloorDivide(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnFloorDividesGetWorkspaceSize(
    self: Tensor, other: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnFloorDivides(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceFloorDividesGetWorkspaceSize(
    selfRef: Tensor, other: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceFloorDivides(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnFmodScalarGetWorkspaceSize(
    self: Tensor, other: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnFmodScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceFmodScalarGetWorkspaceSize(
    selfRef: Tensor, other: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceFmodScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnFmodTensorGetWorkspaceSize(
    self: Tensor, other: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnFmodTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceFmodTensorGetWorkspaceSize(selfRef: Tensor, other: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceFmodTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnFracGetWorkspaceSize(input: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnFrac(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceFracGetWorkspaceSize(inputRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceFrac(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGcdGetWorkspaceSize(self: Tensor, other: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGcd(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGeScalarGetWorkspaceSize(
    self: Tensor, other: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGeScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceGeScalarGetWorkspaceSize(
    selfRef: Tensor, other: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceGeScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGeTensorGetWorkspaceSize(self: Tensor, other: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGeTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceGeTensorGetWorkspaceSize(selfRef: Tensor, other: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceGeTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGtScalarGetWorkspaceSize(
    self: Tensor, other: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGtScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceGtScalarGetWorkspaceSize(
    selfRef: Tensor, other: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceGtScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGtTensorGetWorkspaceSize(self: Tensor, other: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGtTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceGtTensorGetWorkspaceSize(selfRef: Tensor, other: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceGtTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnHardtanhGetWorkspaceSize(
    self: Tensor, clipValueMin: Scalar | RealNumber, clipValueMax: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnHardtanh(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceHardtanhGetWorkspaceSize(
    selfRef: Tensor, clipValueMin: Scalar | RealNumber, clipValueMax: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceHardtanh(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnHeavisideGetWorkspaceSize(
    input: Tensor, values: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnHeaviside(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnIsCloseGetWorkspaceSize(
    self: Tensor, other: Tensor, rtol: float, atol: float, equalNan: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnIsClose(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnIsFiniteGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnIsFinite(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnIsInfGetWorkspaceSize(x: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnIsInf(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnIsNegInfGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnIsNegInf(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnIsPosInfGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnIsPosInf(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceLeScalarGetWorkspaceSize(
    selfRef: Tensor, other: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceLeScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLeScalarGetWorkspaceSize(
    self: Tensor, other: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLeScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceLeTensorGetWorkspaceSize(selfRef: Tensor, other: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceLeTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLeTensorGetWorkspaceSize(self: Tensor, other: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLeTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLeftShiftGetWorkspaceSize(
    self: Tensor, shiftBits: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLeftShift(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLeftShiftsGetWorkspaceSize(
    self: Tensor, shiftBits: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLeftShifts(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceLerpGetWorkspaceSize(
    selfRef: Tensor, end: Tensor, weight: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceLerp(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLerpGetWorkspaceSize(
    self: Tensor, end: Tensor, weight: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLerp(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceLerpsGetWorkspaceSize(
    selfRef: Tensor, end: Tensor, weight: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceLerps(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLerpsGetWorkspaceSize(
    self: Tensor, end: Tensor, weight: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLerps(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLgammaGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLgamma(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceLogGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceLog(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLogGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLog(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceLog10GetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceLog10(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLog10GetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLog10(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceLog1pGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceLog1p(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLog1pGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLog1p(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceLog2GetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceLog2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLog2GetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLog2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLogAddExpGetWorkspaceSize(
    self: Tensor, other: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLogAddExp(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLogAddExp2GetWorkspaceSize(
    self: Tensor, other: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLogAddExp2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceLogicalAndGetWorkspaceSize(selfRef: Tensor, other: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceLogicalAnd(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLogicalAndGetWorkspaceSize(
    self: Tensor, other: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLogicalAnd(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceLogicalNotGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceLogicalNot(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLogicalNotGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLogicalNot(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceLogicalOrGetWorkspaceSize(selfRef: Tensor, other: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceLogicalOr(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLogicalOrGetWorkspaceSize(
    self: Tensor, other: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLogicalOr(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLogicalXorGetWorkspaceSize(
    self: Tensor, other: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLogicalXor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceLtScalarGetWorkspaceSize(
    selfRef: Tensor, other: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceLtScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLtScalarGetWorkspaceSize(
    self: Tensor, other: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLtScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceLtTensorGetWorkspaceSize(selfRef: Tensor, other: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceLtTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLtTensorGetWorkspaceSize(self: Tensor, other: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLtTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceMaskedFillScalarGetWorkspaceSize(
    selfRef: Tensor, mask: Tensor, value: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceMaskedFillScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceMaskedFillTensorGetWorkspaceSize(
    selfRef: Tensor, mask: Tensor, value: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceMaskedFillTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMaximumGetWorkspaceSize(self: Tensor, other: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMaximum(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMinimumGetWorkspaceSize(self: Tensor, other: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMinimum(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceMulGetWorkspaceSize(selfRef: Tensor, other: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceMul(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMulGetWorkspaceSize(self: Tensor, other: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMul(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceMulsGetWorkspaceSize(
    selfRef: Tensor, other: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceMuls(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMulsGetWorkspaceSize(
    self: Tensor, other: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMuls(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceNanToNumGetWorkspaceSize(
    selfRef: Tensor, nan: float, posinf: float, neginf: float
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceNanToNum(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnNanToNumGetWorkspaceSize(
    self: Tensor, nan: float, posinf: float, neginf: float, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnNanToNum(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceNeScalarGetWorkspaceSize(
    selfRef: Tensor, other: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceNeScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnNeScalarGetWorkspaceSize(
    self: Tensor, other: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnNeScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceNeTensorGetWorkspaceSize(selfRef: Tensor, other: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceNeTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnNeTensorGetWorkspaceSize(self: Tensor, other: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnNeTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceNegGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceNeg(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnNegGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnNeg(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnPowScalarTensorGetWorkspaceSize(
    self: Scalar | RealNumber, exponent: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnPowScalarTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplacePowTensorScalarGetWorkspaceSize(
    self: Tensor | None, exponent: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplacePowTensorScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnPowTensorScalarGetWorkspaceSize(
    self: Tensor, exponent: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnPowTensorScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplacePowTensorTensorGetWorkspaceSize(
    self: Tensor, exponent: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplacePowTensorTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnPowTensorTensorGetWorkspaceSize(
    self: Tensor, exponent: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnPowTensorTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceReciprocalGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceReciprocal(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnReciprocalGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnReciprocal(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnRemainderScalarTensorGetWorkspaceSize(
    self: Scalar | RealNumber, other: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnRemainderScalarTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceRemainderTensorScalarGetWorkspaceSize(
    selfRef: Tensor, other: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceRemainderTensorScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnRemainderTensorScalarGetWorkspaceSize(
    self: Tensor, other: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnRemainderTensorScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceRemainderTensorTensorGetWorkspaceSize(
    selfRef: Tensor, other: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceRemainderTensorTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnRemainderTensorTensorGetWorkspaceSize(
    self: Tensor, other: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnRemainderTensorTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnRightShiftGetWorkspaceSize(
    input: Tensor, shiftBits: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnRightShift(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceRoundGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceRound(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnRoundGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnRound(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceRoundDecimalsGetWorkspaceSize(
    selfRef: Tensor, decimals: int
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceRoundDecimals(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnRoundDecimalsGetWorkspaceSize(
    self: Tensor, decimals: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnRoundDecimals(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceRsqrtGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceRsqrt(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnRsqrtGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnRsqrt(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnRsubGetWorkspaceSize(
    self: Tensor, other: Tensor, alpha: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnRsub(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnRsubsGetWorkspaceSize(
    self: Tensor, other: Scalar | RealNumber, alpha: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnRsubs(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSWhereGetWorkspaceSize(
    condition: Tensor, self: Tensor, other: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSWhere(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnShrinkGetWorkspaceSize(
    self: Tensor, lambd: Scalar | RealNumber, bias: Scalar | RealNumber | None, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnShrink(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSignGetWorkspaceSize(self: Tensor, result: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSign(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSignbitGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSignbit(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceSinGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceSin(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSinGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSin(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSincGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSinc(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceSinhGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceSinh(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSinhGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSinh(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceSqrtGetWorkspaceSize(self: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceSqrt(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSqrtGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSqrt(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSquareGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSquare(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceSubGetWorkspaceSize(
    selfRef: Tensor, other: Tensor, alpha: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceSub(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSubGetWorkspaceSize(
    self: Tensor, other: Tensor, alpha: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSub(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceSubsGetWorkspaceSize(
    selfRef: Tensor, other: Scalar | RealNumber, alpha: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceSubs(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSubsGetWorkspaceSize(
    self: Tensor, other: Scalar | RealNumber, alpha: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSubs(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceTanGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceTan(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnTanGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnTan(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceTanhGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceTanh(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnTanhGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnTanh(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnTanhBackwardGetWorkspaceSize(
    gradOutput: Tensor, output: Tensor, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnTanhBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceTruncGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceTrunc(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnTruncGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnTrunc(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceXLogYScalarOtherGetWorkspaceSize(
    selfRef: Tensor, other: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceXLogYScalarOther(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnXLogYScalarOtherGetWorkspaceSize(
    self: Tensor, other: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnXLogYScalarOther(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnXLogYScalarSelfGetWorkspaceSize(
    self: Scalar | RealNumber, other: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnXLogYScalarSelf(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceXLogYTensorGetWorkspaceSize(selfRef: Tensor, other: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceXLogYTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnXLogYTensorGetWorkspaceSize(
    self: Tensor, other: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnXLogYTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnXlog1pyGetWorkspaceSize(x: Tensor, y: Tensor, z: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnXlog1py(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnScaleGetWorkspaceSize(
    x: Tensor,
    scale: Tensor,
    bias: Tensor | None,
    axis: int,
    numAxes: int,
    scaleFromBlob: bool,
    y: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnScale(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceZeroGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceZero(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAddNGetWorkspaceSize(tensors: Sequence[Tensor], out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAddN(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAllGetWorkspaceSize(
    self: Tensor, dim: Sequence[int], keepdim: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAll(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAmaxGetWorkspaceSize(
    self: Tensor, dim: Sequence[int], keepDim: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAmax(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAminGetWorkspaceSize(
    self: Tensor, dim: Sequence[int], keepDim: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAmin(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAminmaxGetWorkspaceSize(
    self: Tensor, dim: Sequence[int], keepDim: bool, minOut: Tensor, maxOut: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAminmax(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAminmaxAllGetWorkspaceSize(
    self: Tensor, minOut: Tensor, maxOut: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAminmaxAll(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAminmaxDimGetWorkspaceSize(
    self: Tensor, dim: int, keepDim: bool, minOut: Tensor, maxOut: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAminmaxDim(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAnyGetWorkspaceSize(
    self: Tensor, dim: Sequence[int], keepdim: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAny(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnArgMaxGetWorkspaceSize(
    self: Tensor, dim: int, keepdim: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnArgMax(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnArgMinGetWorkspaceSize(
    self: Tensor, dim: int, keepdim: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnArgMin(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnArgsortGetWorkspaceSize(
    self: Tensor, dim: int, descending: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnArgsort(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBincountGetWorkspaceSize(
    self: Tensor, weights: Tensor | None, minlength: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnBincount(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBucketizeGetWorkspaceSize(
    self: Tensor, boundaries: Tensor, outInt32: bool, right: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnBucketize(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnCdistGetWorkspaceSize(
    x1: Tensor, x2: Tensor, p: float, compute_mode: int, out: Tensor | None
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnCdist(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnCummaxGetWorkspaceSize(
    self: Tensor, dim: int, valuesOut: Tensor, indicesOut: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnCummax(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnCumminGetWorkspaceSize(
    self: Tensor, dim: int, valuesOut: Tensor, indicesOut: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnCummin(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnCumprodGetWorkspaceSize(
    input: Tensor, dim: Scalar | RealNumber, dtype: DTypeLike, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnCumprod(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceCumprodGetWorkspaceSize(
    input: Tensor, dim: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceCumprod(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnCumsumGetWorkspaceSize(
    self: Tensor, dim: int, dtype: DTypeLike, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnCumsum(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnCumsumV2GetWorkspaceSize(
    self: Tensor, dim: int, exclusive: bool, reverse: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnCumsumV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnEqualGetWorkspaceSize(
    self: Tensor, other: Tensor, out: Tensor | None
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnEqual(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGlobalAveragePoolGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGlobalAveragePool(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGlobalMaxPoolGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGlobalMaxPool(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnHistcGetWorkspaceSize(
    self: Tensor, bins: int, min: Scalar | RealNumber, max: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnHistc(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnIsInScalarTensorGetWorkspaceSize(
    element: Scalar | RealNumber,
    testElements: Tensor,
    assumeUnique: bool,
    invert: bool,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnIsInScalarTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnIsInTensorScalarGetWorkspaceSize(
    element: Tensor, testElement: Scalar | RealNumber, assumeUnique: bool, invert: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnIsInTensorScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnKthvalueGetWorkspaceSize(
    self: Tensor, k: int, dim: int, keepdim: bool, valuesOut: Tensor, indicesOut: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnKthvalue(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLinalgVectorNormGetWorkspaceSize(
    self: Tensor,
    ord: Scalar | RealNumber,
    dims: Sequence[int],
    keepDims: bool,
    dtype: DTypeLike,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLinalgVectorNorm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLogSumExpGetWorkspaceSize(
    self: Tensor, dim: Sequence[int], keepDim: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLogSumExp(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMaxGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMax(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMaxDimGetWorkspaceSize(
    self: Tensor, dim: int, keepdim: bool, out: Tensor, indices: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMaxDim(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMaxNGetWorkspaceSize(tensors: Sequence[Tensor], out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMaxN(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMaxV2GetWorkspaceSize(
    self: Tensor, dims: Sequence[int], keepDims: bool, noopWithEmptyDims: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMaxV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMeanGetWorkspaceSize(
    self: Tensor, dim: Sequence[int], keepDim: bool, dtype: DTypeLike, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMean(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMeanV2GetWorkspaceSize(
    self: Tensor, dim: Sequence[int], keepDim: bool, noopWithEmptyAxes: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMeanV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMedianGetWorkspaceSize(self: Tensor, valuesOut: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMedian(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMedianDimGetWorkspaceSize(
    self: Tensor, dim: int, keepDim: bool, valuesOut: Tensor, indicesOut: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMedianDim(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMinGetWorkspaceSize(self: Tensor, out: Tensor | None) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMin(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMinDimGetWorkspaceSize(
    self: Tensor, dim: int, keepdim: bool, out: Tensor, indices: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMinDim(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMinNGetWorkspaceSize(tensors: Sequence[Tensor], out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMinN(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnNanMedianGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnNanMedian(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnNanMedianDimGetWorkspaceSize(
    self: Tensor, dim: int, keepDim: bool, valuesOut: Tensor, indicesOut: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnNanMedianDim(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnNormGetWorkspaceSize(
    self: Tensor, pScalar: Scalar | RealNumber, dim: Sequence[int], keepdim: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnNorm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnPdistGetWorkspaceSize(self: Tensor, p: float, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnPdist(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnPdistForwardGetWorkspaceSize(
    self: Tensor, pScalar: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnPdistForward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnProdGetWorkspaceSize(self: Tensor, dtype: DTypeLike, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnProd(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnProdDimGetWorkspaceSize(
    self: Tensor, dim: int, keepDim: bool, dtype: DTypeLike, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnProdDim(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnReduceLogSumGetWorkspaceSize(
    data: Tensor, axes: Sequence[int], keepDims: bool, noopWithEmptyAxes: bool, reduce: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnReduceLogSum(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnReduceNansumGetWorkspaceSize(
    self: Tensor, dim: Sequence[int], keepDim: bool, dtype: DTypeLike, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnReduceNansum(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnReduceSumGetWorkspaceSize(
    self: Tensor, dims: Sequence[int], keepDims: bool, dtype: DTypeLike, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnReduceSum(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceRenormGetWorkspaceSize(
    selfRef: Tensor, p: Scalar | RealNumber, dim: int, maxNorm: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceRenorm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnRenormGetWorkspaceSize(
    self: Tensor, p: Scalar | RealNumber, dim: int, maxNorm: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnRenorm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSearchSortedGetWorkspaceSize(
    sortedSequence: Tensor,
    self: Tensor,
    outInt32: bool,
    right: bool,
    sorter: Tensor | None,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSearchSorted(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSearchSortedsGetWorkspaceSize(
    sortedSequence: Tensor,
    self: Scalar | RealNumber,
    outInt32: bool,
    right: bool,
    sorter: Tensor | None,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSearchSorteds(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSortGetWorkspaceSize(
    self: Tensor, stable: bool, dim: int, descending: bool, valuesOut: Tensor, indicesOut: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSort(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnStdGetWorkspaceSize(
    self: Tensor, dim: Sequence[int] | None, correction: int, keepdim: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnStd(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnStdMeanCorrectionGetWorkspaceSize(
    self: Tensor,
    dim: Sequence[int] | None,
    correction: int,
    keepdim: bool,
    stdOut: Tensor,
    meanOut: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnStdMeanCorrection(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSumGetWorkspaceSize(tensors: Sequence[Tensor], out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSum(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnTopkGetWorkspaceSize(
    self: Tensor,
    k: int,
    dim: int,
    largest: bool,
    sorted: bool,
    valuesOut: Tensor,
    indicesOut: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnTopk(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnTraceGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnTrace(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnVarGetWorkspaceSize(
    self: Tensor, dim: Sequence[int] | None, unbiased: bool, keepdim: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnVar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnVarCorrectionGetWorkspaceSize(
    self: Tensor, dim: Sequence[int] | None, correction: int, keepdim: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnVarCorrection(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnVarMeanGetWorkspaceSize(
    self: Tensor,
    dim: Sequence[int] | None,
    correction: int,
    keepdim: bool,
    varOut: Tensor,
    meanOut: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnVarMean(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnArangeGetWorkspaceSize(
    start: Scalar | RealNumber, end: Scalar | RealNumber, step: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnArange(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnCatGetWorkspaceSize(
    tensors: Sequence[Tensor], dim: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnCat(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnChannelShuffleGetWorkspaceSize(
    self: Tensor, groups: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnChannelShuffle(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnChunkCatGetWorkspaceSize(
    tensors: Sequence[Tensor], dim: int, numChunks: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnChunkCat(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnCircularPad2dGetWorkspaceSize(
    self: Tensor, padding: Sequence[int], out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnCircularPad2d(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnCircularPad2dBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, padding: Sequence[int], gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnCircularPad2dBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnCircularPad3dGetWorkspaceSize(
    self: Tensor, padding: Sequence[int], out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnCircularPad3d(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnCircularPad3dBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, padding: Sequence[int], gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnCircularPad3dBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnConfusionTransposeGetWorkspaceSize(
    x: Tensor, perm: Sequence[int], shape: Sequence[int], transposeFirst: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnConfusionTranspose(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnConstantPadNdGetWorkspaceSize(
    self: Tensor, pad: Sequence[int], value: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnConstantPadNd(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnDiagGetWorkspaceSize(self: Tensor, diagonal: int, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnDiag(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnDiagFlatGetWorkspaceSize(self: Tensor, diagonal: int, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnDiagFlat(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnEmbeddingGetWorkspaceSize(
    weight: Tensor, indices: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnEmbedding(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnEmbeddingDenseBackwardGetWorkspaceSize(
    grad: Tensor,
    indices: Tensor,
    numWeights: int,
    paddingIdx: int,
    scaleGradByFreq: bool,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnEmbeddingDenseBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnEmbeddingRenormGetWorkspaceSize(
    selfRef: Tensor, indices: Tensor, maxNorm: float, normType: float
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnEmbeddingRenorm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnExpandGetWorkspaceSize(
    self: Tensor, size: Sequence[int], out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnExpand(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnEyeGetWorkspaceSize(n: int, m: int, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnEye(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceFillDiagonalGetWorkspaceSize(
    selfRef: Tensor, fillValue: Scalar | RealNumber, wrap: bool
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceFillDiagonal(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceFillTensorGetWorkspaceSize(selfRef: Tensor, value: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceFillTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnFlattenGetWorkspaceSize(self: Tensor, axis: int, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnFlatten(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnFlipGetWorkspaceSize(
    self: Tensor, dims: Sequence[int], out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnFlip(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGatherGetWorkspaceSize(
    self: Tensor, dim: int, index: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGather(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGatherNdGetWorkspaceSize(
    self: Tensor, indices: Tensor, negativeIndexSupport: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGatherNd(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGatherV2GetWorkspaceSize(
    self: Tensor, dim: int, index: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGatherV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGatherV3GetWorkspaceSize(
    self: Tensor, dim: int, index: Tensor, batchDims: int, mode: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGatherV3(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnIm2colGetWorkspaceSize(
    self: Tensor,
    kernelSize: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    stride: Sequence[int],
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnIm2col(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnIndexGetWorkspaceSize(
    self: Tensor, indices: Sequence[Tensor], out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnIndex(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnIndexAddGetWorkspaceSize(
    self: Tensor, dim: int, index: Tensor, source: Tensor, alpha: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnIndexAdd(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnIndexAddV2GetWorkspaceSize(
    self: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    alpha: Scalar | RealNumber,
    mode: int,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnIndexAddV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnIndexCopyGetWorkspaceSize(
    selfRef: Tensor, dim: int, index: Tensor, source: Tensor, outRef: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnIndexCopy(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceIndexCopyGetWorkspaceSize(
    selfRef: Tensor, dim: int, index: Tensor, source: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceIndexCopy(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnIndexFillGetWorkspaceSize(
    self: Tensor, dim: int, index: Tensor, value: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnIndexFill(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceIndexFillGetWorkspaceSize(
    selfRef: Tensor, dim: int, index: Tensor, value: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceIndexFill(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnIndexFillTensorGetWorkspaceSize(
    self: Tensor, dim: int, index: Sequence[int], value: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnIndexFillTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceIndexFillTensorGetWorkspaceSize(
    selfRef: Tensor, dim: int, index: Sequence[int], value: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceIndexFillTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnIndexPutImplGetWorkspaceSize(
    selfRef: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: bool, unsafe: bool
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnIndexPutImpl(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnIndexSelectGetWorkspaceSize(
    self: Tensor, dim: int, index: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnIndexSelect(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLinspaceGetWorkspaceSize(
    start: Scalar | RealNumber, end: Scalar | RealNumber, steps: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLinspace(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLogSpaceGetWorkspaceSize(
    start: Scalar | RealNumber, end: Scalar | RealNumber, steps: int, base: float, result: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLogSpace(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceMaskedScatterGetWorkspaceSize(
    selfRef: Tensor, mask: Tensor, source: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceMaskedScatter(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMaskedSelectGetWorkspaceSize(
    self: Tensor, mask: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMaskedSelect(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMaxUnpool2dGetWorkspaceSize(
    self: Tensor, indices: Tensor, outputSize: Sequence[int], out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMaxUnpool2d(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMaxUnpool3dGetWorkspaceSize(
    self: Tensor,
    indices: Tensor,
    outputSize: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    outRef: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMaxUnpool3d(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnNonzeroGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnNonzero(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnNonzeroV2GetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnNonzeroV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceOneGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceOne(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnOneHotGetWorkspaceSize(
    self: Tensor, numClasses: int, onValue: Tensor, offValue: Tensor, axis: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnOneHot(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnPermuteGetWorkspaceSize(
    self: Tensor, dims: Sequence[int], out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnPermute(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplacePutGetWorkspaceSize(
    selfRef: Tensor, index: Tensor, source: Tensor, accumulate: bool
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplacePut(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnRangeGetWorkspaceSize(
    start: Scalar | RealNumber, end: Scalar | RealNumber, step: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnRange(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnReflectionPad1dGetWorkspaceSize(
    self: Tensor, padding: Sequence[int], out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnReflectionPad1d(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnReflectionPad1dBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, padding: Sequence[int], gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnReflectionPad1dBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnReflectionPad2dGetWorkspaceSize(
    self: Tensor, padding: Sequence[int], out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnReflectionPad2d(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnReflectionPad2dBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, padding: Sequence[int], gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnReflectionPad2dBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnReflectionPad3dGetWorkspaceSize(
    self: Tensor, padding: Sequence[int], out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnReflectionPad3d(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnReflectionPad3dBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, padding: Sequence[int], gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnReflectionPad3dBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnRepeatGetWorkspaceSize(
    self: Tensor, repeats: Sequence[int], out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnRepeat(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnRepeatInterleaveGetWorkspaceSize(
    self: Tensor, repeats: Tensor, outputSize: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnRepeatInterleave(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnRepeatInterleaveIntGetWorkspaceSize(
    self: Tensor, repeats: int, outputSize: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnRepeatInterleaveInt(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnRepeatInterleaveIntWithDimGetWorkspaceSize(
    self: Tensor, repeats: int, dim: int, outputSize: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnRepeatInterleaveIntWithDim(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnRepeatInterleaveTensorGetWorkspaceSize(
    repeats: Tensor, outputSize: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnRepeatInterleaveTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnRepeatInterleaveWithDimGetWorkspaceSize(
    self: Tensor, repeats: Tensor, dim: int, outputSize: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnRepeatInterleaveWithDim(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnReplicationPad1dGetWorkspaceSize(
    self: Tensor, padding: Sequence[int], out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnReplicationPad1d(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnReplicationPad1dBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, padding: Sequence[int], gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnReplicationPad1dBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnReplicationPad2dGetWorkspaceSize(
    self: Tensor, padding: Sequence[int], out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnReplicationPad2d(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnReplicationPad2dBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, padding: Sequence[int], gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnReplicationPad2dBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnReplicationPad3dGetWorkspaceSize(
    self: Tensor, padding: Sequence[int], out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnReplicationPad3d(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnReplicationPad3dBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, padding: Sequence[int], gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnReplicationPad3dBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnRollGetWorkspaceSize(
    x: Tensor, shifts: Sequence[int], dims: Sequence[int], out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnRoll(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceScatterGetWorkspaceSize(
    selfRef: Tensor, dim: int, index: Tensor, src: Tensor, reduce: int
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceScatter(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnScatterGetWorkspaceSize(
    self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnScatter(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnScatterAddGetWorkspaceSize(
    self: Tensor, dim: int, index: Tensor, src: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnScatterAdd(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnScatterDivGetWorkspaceSize(
    varRef: Tensor, indices: Tensor, updates: Tensor, useLocking: bool
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnScatterDiv(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnScatterMaxGetWorkspaceSize(
    varRef: Tensor, indices: Tensor, updates: Tensor, useLocking: bool
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnScatterMax(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnScatterMinGetWorkspaceSize(
    varRef: Tensor, indices: Tensor, updates: Tensor, useLocking: bool
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnScatterMin(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnScatterMulGetWorkspaceSize(
    varRef: Tensor, indices: Tensor, updates: Tensor, useLocking: bool
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnScatterMul(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnScatterNdGetWorkspaceSize(
    data: Tensor, indices: Tensor, updates: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnScatterNd(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnScatterNdUpdateGetWorkspaceSize(
    varRef: Tensor, indices: Tensor, updates: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnScatterNdUpdate(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceScatterUpdateGetWorkspaceSize(
    data: Tensor, indices: Tensor, updates: Tensor, axis: int
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceScatterUpdate(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceScatterReduceGetWorkspaceSize(
    selfRef: Tensor, dim: int, index: Tensor, src: Tensor, reduce: int, includeSelf: bool
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceScatterReduce(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnScatterReduceGetWorkspaceSize(
    self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: int, includeSelf: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnScatterReduce(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceScatterValueGetWorkspaceSize(
    selfRef: Tensor, dim: int, index: Tensor, value: Scalar | RealNumber, reduce: int
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceScatterValue(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnScatterValueGetWorkspaceSize(
    self: Tensor, dim: int, index: Tensor, value: Scalar | RealNumber, reduce: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnScatterValue(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSliceGetWorkspaceSize(
    self: Tensor, dim: int, start: int, end: int, step: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSlice(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSliceV2GetWorkspaceSize(
    self: Tensor,
    starts: Sequence[int],
    ends: Sequence[int],
    axes: Sequence[int],
    steps: Sequence[int],
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSliceV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSplitTensorGetWorkspaceSize(
    self: Tensor, splitSections: int, dim: int, out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSplitTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSplitWithSizeGetWorkspaceSize(
    self: Tensor, splitSize: Sequence[int], dim: int, out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSplitWithSize(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnStackGetWorkspaceSize(
    tensors: Sequence[Tensor], dim: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnStack(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnTakeGetWorkspaceSize(self: Tensor, index: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnTake(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnTfScatterAddGetWorkspaceSize(
    varRef: Tensor, indices: Tensor, updates: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnTfScatterAdd(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceTrilGetWorkspaceSize(selfRef: Tensor, diagonal: int) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceTril(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnTrilGetWorkspaceSize(self: Tensor, diagonal: int, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnTril(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceTriuGetWorkspaceSize(selfRef: Tensor, diagonal: int) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceTriu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnTriuGetWorkspaceSize(self: Tensor, diagonal: int, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnTriu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnUnfoldGradGetWorkspaceSize(
    gradOut: Tensor, inputSizes: Sequence[int], dim: int, size: int, step: int, gradIn: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnUnfoldGrad(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnUniqueGetWorkspaceSize(
    self: Tensor, sorted: bool, returnInverse: bool, valueOut: Tensor, inverseOut: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnUnique(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnUnique2GetWorkspaceSize(
    self: Tensor,
    sorted: bool,
    returnInverse: bool,
    returnCounts: bool,
    valueOut: Tensor,
    inverseOut: Tensor,
    countsOut: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnUnique2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnUniqueConsecutiveGetWorkspaceSize(
    self: Tensor,
    returnInverse: bool,
    returnCounts: bool,
    dim: int,
    valueOut: Tensor,
    inverseOut: Tensor,
    countsOut: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnUniqueConsecutive(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnUniqueDimGetWorkspaceSize(
    self: Tensor,
    sorted: bool,
    returnInverse: bool,
    dim: int,
    valueOut: Tensor,
    inverseOut: Tensor,
    countsOut: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnUniqueDim(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAddbmmGetWorkspaceSize(
    self: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    beta: Scalar | RealNumber | None,
    alpha: Scalar | RealNumber | None,
    out: Tensor,
    cubeMathType: int,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAddbmm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceAddbmmGetWorkspaceSize(
    selfRef: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    beta: Scalar | RealNumber | None,
    alpha: Scalar | RealNumber | None,
    cubeMathType: int,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceAddbmm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAddmmGetWorkspaceSize(
    self: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    beta: Scalar | RealNumber | None,
    alpha: Scalar | RealNumber | None,
    out: Tensor,
    cubeMathType: int,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAddmm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceAddmmGetWorkspaceSize(
    selfRef: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    beta: Scalar | RealNumber | None,
    alpha: Scalar | RealNumber | None,
    cubeMathType: int,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceAddmm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAddmvGetWorkspaceSize(
    self: Tensor,
    mat: Tensor,
    vec: Tensor,
    alpha: Scalar | RealNumber,
    beta: Scalar | RealNumber,
    out: Tensor,
    cubeMathType: int,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAddmv(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAddrGetWorkspaceSize(
    self: Tensor,
    vec1: Tensor,
    vec2: Tensor,
    betaOptional: Scalar | RealNumber | None,
    alphaOptional: Scalar | RealNumber | None,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAddr(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceAddrGetWorkspaceSize(
    selfRef: Tensor,
    vec1: Tensor,
    vec2: Tensor,
    betaOptional: Scalar | RealNumber,
    alphaOptional: Scalar | RealNumber,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceAddr(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBaddbmmGetWorkspaceSize(
    self: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    beta: Scalar | RealNumber | None,
    alpha: Scalar | RealNumber | None,
    out: Tensor,
    cubeMathType: int,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnBaddbmm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceBaddbmmGetWorkspaceSize(
    selfRef: Tensor,
    batch1: Tensor,
    batch2: Tensor,
    beta: Scalar | RealNumber | None,
    alpha: Scalar | RealNumber | None,
    cubeMathType: int,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceBaddbmm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBatchMatMulGetWorkspaceSize(
    self: Tensor, mat2: Tensor, out: Tensor, cubeMathType: int
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnBatchMatMul(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnCdistBackwardGetWorkspaceSize(
    grad: Tensor, x1: Tensor, x2: Tensor, cdist: Tensor, p: float, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnCdistBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnDotGetWorkspaceSize(self: Tensor, tensor: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnDot(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnEinsumGetWorkspaceSize(
    tensors: Sequence[Tensor], equation: str, output: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnEinsum(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGemmGetWorkspaceSize(
    A: Tensor,
    B: Tensor,
    C: Tensor,
    alpha: float,
    beta: float,
    transA: int,
    transB: int,
    out: Tensor,
    cubeMathType: int,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGemm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGerGetWorkspaceSize(self: Tensor, vec2: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGer(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInverseGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInverse(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLinalgCholeskyGetWorkspaceSize(
    self: Tensor, upper: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLinalgCholesky(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLinalgCrossGetWorkspaceSize(
    self: Tensor, other: Tensor, dim: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLinalgCross(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLinalgQrGetWorkspaceSize(
    self: Tensor, mode: int, Q: Tensor, R: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLinalgQr(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLogdetGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLogdet(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMatmulGetWorkspaceSize(
    self: Tensor, mat2: Tensor, out: Tensor, cubeMathType: int
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMatmul(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMmGetWorkspaceSize(
    self: Tensor, mat2: Tensor, out: Tensor, cubeMathType: int
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMvGetWorkspaceSize(
    self: Tensor, vec: Tensor, out: Tensor, cubeMathType: int
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMv(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnQrGetWorkspaceSize(self: Tensor, some: bool, Q: Tensor, R: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnQr(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSlogdetGetWorkspaceSize(
    self: Tensor, signOut: Tensor, logOut: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSlogdet(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSvdGetWorkspaceSize(
    input: Tensor, fullMatrices: bool, computeUV: bool, sigma: Tensor, u: Tensor, v: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSvd(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnTransposeBatchMatMulGetWorkspaceSize(
    x1: Tensor,
    x2: Tensor,
    bias: Tensor | None,
    scale: Tensor | None,
    permX1: Sequence[int] | None,
    permX2: Sequence[int] | None,
    permY: Sequence[int] | None,
    cubeMathType: int,
    batchSplitFactor: int,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnTransposeBatchMatMul(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnTriangularSolveGetWorkspaceSize(
    self: Tensor,
    A: Tensor,
    upper: bool,
    transpose: bool,
    unitriangular: bool,
    xOut: Tensor,
    mOut: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnTriangularSolve(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachACosInplaceGetWorkspaceSize(x: Sequence[Tensor]) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachACosInplace(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachAbsGetWorkspaceSize(
    x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachAbs(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachAcosGetWorkspaceSize(
    x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachAcos(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachAddListGetWorkspaceSize(
    x1: Sequence[Tensor], x2: Sequence[Tensor], alpha: Tensor, out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachAddList(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachAddListInplaceGetWorkspaceSize(
    x1: Sequence[Tensor], x2: Sequence[Tensor], alpha: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachAddListInplace(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachAddListV2GetWorkspaceSize(
    x1: Sequence[Tensor], x2: Sequence[Tensor], alpha: Scalar | RealNumber, out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachAddListV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachAddScalarGetWorkspaceSize(
    x: Sequence[Tensor], scalar: Tensor, out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachAddScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachAddScalarListGetWorkspaceSize(
    x: Sequence[Tensor], scalars: Sequence[Scalar | RealNumber], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachAddScalarList(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachAddScalarV2GetWorkspaceSize(
    x: Sequence[Tensor], scalar: Scalar | RealNumber, out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachAddScalarV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachAddcdivListGetWorkspaceSize(
    x1: Sequence[Tensor],
    x2: Sequence[Tensor],
    x3: Sequence[Tensor],
    scalars: Tensor,
    out: Sequence[Tensor],
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachAddcdivList(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachAddcdivScalarGetWorkspaceSize(
    x1: Sequence[Tensor],
    x2: Sequence[Tensor],
    x3: Sequence[Tensor],
    scalar: Tensor,
    out: Sequence[Tensor],
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachAddcdivScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachAddcdivScalarListGetWorkspaceSize(
    x1: Sequence[Tensor],
    x2: Sequence[Tensor],
    x3: Sequence[Tensor],
    scalars: Tensor,
    out: Sequence[Tensor],
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachAddcdivScalarList(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachAddcdivScalarV2GetWorkspaceSize(
    x1: Sequence[Tensor],
    x2: Sequence[Tensor],
    x3: Sequence[Tensor],
    scalar: Scalar | RealNumber,
    out: Sequence[Tensor],
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachAddcdivScalarV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachAddcmulListGetWorkspaceSize(
    x1: Sequence[Tensor],
    x2: Sequence[Tensor],
    x3: Sequence[Tensor],
    scalars: Tensor,
    out: Sequence[Tensor],
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachAddcmulList(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachAddcmulScalarGetWorkspaceSize(
    x1: Sequence[Tensor],
    x2: Sequence[Tensor],
    x3: Sequence[Tensor],
    scalar: Tensor,
    out: Sequence[Tensor],
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachAddcmulScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachAddcmulScalarListGetWorkspaceSize(
    x1: Sequence[Tensor],
    x2: Sequence[Tensor],
    x3: Sequence[Tensor],
    scalars: Tensor,
    out: Sequence[Tensor],
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachAddcmulScalarList(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachAddcmulScalarV2GetWorkspaceSize(
    x1: Sequence[Tensor],
    x2: Sequence[Tensor],
    x3: Sequence[Tensor],
    scalar: Scalar | RealNumber,
    out: Sequence[Tensor],
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachAddcmulScalarV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachAsinGetWorkspaceSize(
    x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachAsin(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachAtanGetWorkspaceSize(
    x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachAtan(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachCopyGetWorkspaceSize(
    x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachCopy(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachCosGetWorkspaceSize(
    x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachCos(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachCoshGetWorkspaceSize(
    x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachCosh(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachDivListGetWorkspaceSize(
    x1: Sequence[Tensor], x2: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachDivList(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachDivListInplaceGetWorkspaceSize(
    x1: Sequence[Tensor], x2: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachDivListInplace(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachDivScalarGetWorkspaceSize(
    x: Sequence[Tensor], scalar: Tensor, out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachDivScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachDivScalarListGetWorkspaceSize(
    x: Sequence[Tensor], scalars: Sequence[Scalar | RealNumber], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachDivScalarList(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachDivScalarV2GetWorkspaceSize(
    x: Sequence[Tensor], scalar: Scalar | RealNumber, out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachDivScalarV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachErfGetWorkspaceSize(
    x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachErf(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachErfcGetWorkspaceSize(
    x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachErfc(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachExpGetWorkspaceSize(
    x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachExp(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachExpm1GetWorkspaceSize(
    x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachExpm1(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachLerpListGetWorkspaceSize(
    x1: Sequence[Tensor], x2: Sequence[Tensor], weight: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachLerpList(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachLerpScalarGetWorkspaceSize(
    x1: Sequence[Tensor], x2: Sequence[Tensor], weight: Scalar | RealNumber, out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachLerpScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachLogGetWorkspaceSize(
    x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachLog(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachLog10GetWorkspaceSize(
    x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachLog10(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachLog1pGetWorkspaceSize(
    x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachLog1p(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachLog2GetWorkspaceSize(
    x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachLog2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachLogInplaceGetWorkspaceSize(x: Sequence[Tensor]) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachLogInplace(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachMaximumListGetWorkspaceSize(
    x1: Sequence[Tensor], x2: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachMaximumList(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachMaximumScalarGetWorkspaceSize(
    x: Sequence[Tensor], scalar: Tensor, out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachMaximumScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachMaximumScalarListGetWorkspaceSize(
    x: Sequence[Tensor], scalars: Sequence[Scalar | RealNumber], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachMaximumScalarList(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachMaximumScalarV2GetWorkspaceSize(
    x: Sequence[Tensor], scalar: Scalar | RealNumber, out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachMaximumScalarV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachMinimumListGetWorkspaceSize(
    x1: Sequence[Tensor], x2: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachMinimumList(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachMinimumScalarGetWorkspaceSize(
    x: Sequence[Tensor], scalar: Tensor, out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachMinimumScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachMinimumScalarListGetWorkspaceSize(
    x: Sequence[Tensor], scalars: Sequence[Scalar | RealNumber], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachMinimumScalarList(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachMinimumScalarV2GetWorkspaceSize(
    x: Sequence[Tensor], scalar: Scalar | RealNumber, out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachMinimumScalarV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachMulListGetWorkspaceSize(
    x1: Sequence[Tensor], x2: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachMulList(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachMulListInplaceGetWorkspaceSize(
    x1: Sequence[Tensor], x2: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachMulListInplace(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachMulScalarGetWorkspaceSize(
    x: Sequence[Tensor], scalar: Tensor, out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachMulScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachMulScalarInplaceGetWorkspaceSize(
    x: Sequence[Tensor], scalar: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachMulScalarInplace(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachMulScalarListGetWorkspaceSize(
    x: Sequence[Tensor], scalars: Sequence[Scalar | RealNumber], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachMulScalarList(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachMulScalarV2GetWorkspaceSize(
    x: Sequence[Tensor], scalar: Scalar | RealNumber, out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachMulScalarV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachNegGetWorkspaceSize(
    x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachNeg(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachNonFiniteCheckAndUnscaleGetWorkspaceSize(
    scaledGrads: Sequence[Tensor], foundInf: Tensor, invScale: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachNonFiniteCheckAndUnscale(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachNormGetWorkspaceSize(
    x: Sequence[Tensor], scalar: Scalar | RealNumber, out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachNorm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachPowListGetWorkspaceSize(
    x1: Sequence[Tensor], x2: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachPowList(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachPowScalarGetWorkspaceSize(
    x: Sequence[Tensor], scalar: Tensor, out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachPowScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachPowScalarAndTensorGetWorkspaceSize(
    scalar: Scalar | RealNumber, x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachPowScalarAndTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachPowScalarListGetWorkspaceSize(
    x: Sequence[Tensor], scalars: Sequence[Scalar | RealNumber], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachPowScalarList(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachPowScalarV2GetWorkspaceSize(
    x: Sequence[Tensor], scalar: Scalar | RealNumber, out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachPowScalarV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachReciprocalGetWorkspaceSize(
    x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachReciprocal(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachRoundOffNumberGetWorkspaceSize(
    x: Sequence[Tensor], roundMode: Tensor, out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachRoundOffNumber(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachRoundOffNumberV2GetWorkspaceSize(
    x: Sequence[Tensor], roundMode: Scalar | RealNumber, out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachRoundOffNumberV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachSigmoidGetWorkspaceSize(
    x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachSigmoid(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachSignGetWorkspaceSize(
    x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachSign(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachSinGetWorkspaceSize(
    x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachSin(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachSinhGetWorkspaceSize(
    x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachSinh(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachSqrtGetWorkspaceSize(
    x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachSqrt(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachSubListGetWorkspaceSize(
    x1: Sequence[Tensor], x2: Sequence[Tensor], alpha: Tensor, out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachSubList(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachSubListInplaceGetWorkspaceSize(
    x1: Sequence[Tensor], x2: Sequence[Tensor], alpha: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachSubListInplace(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachSubListV2GetWorkspaceSize(
    x1: Sequence[Tensor], x2: Sequence[Tensor], alpha: Scalar | RealNumber, out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachSubListV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachSubScalarGetWorkspaceSize(
    x: Sequence[Tensor], scalar: Tensor, out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachSubScalar(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachSubScalarInplaceGetWorkspaceSize(
    x: Sequence[Tensor], scalar: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachSubScalarInplace(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachSubScalarListGetWorkspaceSize(
    x: Sequence[Tensor], scalars: Sequence[Scalar | RealNumber], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachSubScalarList(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachSubScalarV2GetWorkspaceSize(
    x: Sequence[Tensor], scalar: Scalar | RealNumber, out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachSubScalarV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachTanGetWorkspaceSize(
    x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachTan(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachTanhGetWorkspaceSize(
    x: Sequence[Tensor], out: Sequence[Tensor]
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachTanh(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnForeachZeroInplaceGetWorkspaceSize(x: Sequence[Tensor]) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnForeachZeroInplace(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAdaLayerNormGetWorkspaceSize(
    x: Tensor,
    scale: Tensor,
    shift: Tensor,
    weightOptional: Tensor | None,
    biasOptional: Tensor | None,
    epsilon: float,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAdaLayerNorm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAdaptiveAvgPool2dGetWorkspaceSize(
    self: Tensor, outputSize: Sequence[int], out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAdaptiveAvgPool2d(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAdaptiveAvgPool2dBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAdaptiveAvgPool3dGetWorkspaceSize(
    self: Tensor, outputSize: Sequence[int], out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAdaptiveAvgPool3d(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAdaptiveAvgPool3dBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAdaptiveAvgPool3dBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAdaptiveMaxPool2dGetWorkspaceSize(
    self: Tensor, outputSize: Sequence[int], outputOut: Tensor, indicesOut: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAdaptiveMaxPool2d(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, indices: Tensor, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAdaptiveMaxPool2dBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAdaptiveMaxPool3dGetWorkspaceSize(
    self: Tensor, outputSize: Sequence[int], outputOut: Tensor, indicesOut: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAdaptiveMaxPool3d(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAdaptiveMaxPool3dBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, indices: Tensor, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAdaptiveMaxPool3dBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAddLayerNormGetWorkspaceSize(
    x1: Tensor,
    x2: Tensor,
    gamma: Tensor,
    beta: Tensor,
    biasOptional: Tensor | None,
    epsilon: float,
    additionalOutput: bool,
    yOut: Tensor,
    meanOut: Tensor,
    rstdOut: Tensor,
    xOut: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAddLayerNorm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAddLayerNormGradGetWorkspaceSize(
    dy: Tensor,
    x1: Tensor,
    x2: Tensor,
    rstd: Tensor,
    mean: Tensor,
    gamma: Tensor,
    dsumOptional: Tensor | None,
    dxOut: Tensor,
    dgammaOut: Tensor,
    dbetaOut: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAddLayerNormGrad(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAddRmsNormGetWorkspaceSize(
    x1: Tensor,
    x2: Tensor,
    gamma: Tensor,
    epsilon: float,
    yOut: Tensor,
    rstdOut: Tensor,
    xOut: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAddRmsNorm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceAddRmsNormGetWorkspaceSize(
    x1Ref: Tensor, x2Ref: Tensor, gamma: Tensor, epsilon: float, rstdOut: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceAddRmsNorm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAddRmsNormCastGetWorkspaceSize(
    x1: Tensor,
    x2: Tensor,
    gamma: Tensor,
    epsilon: float,
    y1Out: Tensor,
    y2Out: Tensor,
    rstdOut: Tensor,
    xOut: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAddRmsNormCast(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAddRmsNormQuantGetWorkspaceSize(
    x1: Tensor,
    x2: Tensor,
    gamma: Tensor,
    scales1: Tensor,
    scales2Optional: Tensor | None,
    zeroPoints1Optional: Tensor | None,
    zeroPoints2Optional: Tensor | None,
    axis: int,
    epsilon: float,
    divMode: bool,
    y1Out: Tensor,
    y2Out: Tensor,
    xOut: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAddRmsNormQuant(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAddRmsNormQuantV2GetWorkspaceSize(
    x1: Tensor,
    x2: Tensor,
    gamma: Tensor,
    scales1: Tensor,
    scales2Optional: Tensor | None,
    zeroPoints1Optional: Tensor | None,
    zeroPoints2Optional: Tensor | None,
    betaOptional: Tensor | None,
    axis: int,
    epsilon: float,
    divMode: bool,
    y1Out: Tensor,
    y2Out: Tensor,
    xOut: Tensor,
    rmsNormOut: Tensor | None,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAddRmsNormQuantV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAffineGridGetWorkspaceSize(
    theta: Tensor, size: Sequence[int], alignCorners: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAffineGrid(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAmpUpdateScaleGetWorkspaceSize(
    currentScale: Tensor,
    growthTracker: Tensor,
    foundInf: Tensor,
    growthFactor: float,
    backoffFactor: float,
    growthInterval: int,
    updatedScale: Tensor,
    updatedGrowthTracker: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAmpUpdateScale(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnApplyAdamWV2GetWorkspaceSize(
    varRef: Tensor,
    mRef: Tensor,
    vRef: Tensor,
    maxGradNormOptionalRef: Tensor | None,
    grad: Tensor,
    step: Tensor,
    lr: float,
    beta1: float,
    beta2: float,
    weightDecay: float,
    eps: float,
    amsgrad: bool,
    maximize: bool,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnApplyAdamWV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAscendAntiQuantGetWorkspaceSize(
    x: Tensor, scale: Tensor, offset: Tensor | None, dstType: int, sqrtMode: bool, y: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAscendAntiQuant(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAscendQuantGetWorkspaceSize(
    x: Tensor,
    scale: Tensor,
    offset: Tensor | None,
    sqrtMode: bool,
    roundMode: str | None,
    dstType: int,
    y: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAscendQuant(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAscendQuantV3GetWorkspaceSize(
    x: Tensor,
    scale: Tensor,
    offset: Tensor | None,
    sqrtMode: bool,
    roundMode: str | None,
    dstType: int,
    axis: int,
    y: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAscendQuantV3(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAvgPool2dGetWorkspaceSize(
    self: Tensor,
    kernelSize: Sequence[int],
    strides: Sequence[int],
    paddings: Sequence[int],
    ceilMode: bool,
    countIncludePad: bool,
    divisorOverride: int,
    cubeMathType: int,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAvgPool2d(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAvgPool2dBackwardGetWorkspaceSize(
    gradOutput: Tensor,
    self: Tensor,
    kernelSize: Sequence[int],
    stride: Sequence[int] | None,
    padding: Sequence[int],
    ceilMode: bool,
    countIncludePad: bool,
    divisorOverride: int,
    cubeMathType: int,
    gradInput: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAvgPool2dBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAvgPool3dGetWorkspaceSize(
    self: Tensor,
    kernelSize: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    ceilMode: bool,
    countIncludePad: bool,
    divisorOverride: int,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAvgPool3d(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnAvgPool3dBackwardGetWorkspaceSize(
    gradOutput: Tensor,
    self: Tensor,
    kernelSize: Sequence[int],
    stride: Sequence[int] | None,
    padding: Sequence[int],
    ceilMode: bool,
    countIncludePad: bool,
    divisorOverride: int,
    output: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnAvgPool3dBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBatchNormGetWorkspaceSize(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    runningMean: Tensor | None,
    runningVar: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    output: Tensor,
    saveMean: Tensor,
    saveInvstd: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnBatchNorm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBatchNormBackwardGetWorkspaceSize(
    gradOut: Tensor,
    input: Tensor,
    weight: Tensor | None,
    runningMean: Tensor | None,
    runningVar: Tensor | None,
    saveMean: Tensor | None,
    saveInvstd: Tensor | None,
    training: bool,
    eps: float,
    outputMask: Sequence[bool],
    gradInput: Tensor | None,
    gradWeight: Tensor | None,
    gradBias: Tensor | None,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnBatchNormBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBatchNormElemtGetWorkspaceSize(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    mean: Tensor,
    invstd: Tensor,
    eps: float,
    output: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnBatchNormElemt(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBatchNormGatherStatsWithCountsGetWorkspaceSize(
    input: Tensor,
    mean: Tensor,
    invstd: Tensor,
    runningMean: Tensor | None,
    runningVar: Tensor | None,
    momentum: float,
    eps: float,
    counts: Tensor,
    meanAll: Tensor,
    invstdAll: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnBatchNormGatherStatsWithCounts(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBatchNormReduceGetWorkspaceSize(
    x: Tensor, sum: Tensor, squareSum: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnBatchNormReduce(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBatchNormReduceBackwardGetWorkspaceSize(
    gradOut: Tensor,
    input: Tensor,
    mean: Tensor,
    invstd: Tensor,
    weight: Tensor | None,
    inputG: bool,
    weightG: bool,
    biasG: bool,
    sumDy: Tensor,
    sumDyXmu: Tensor,
    gradWeight: Tensor,
    gradBias: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnBatchNormReduceBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBatchNormStatsGetWorkspaceSize(
    input: Tensor, eps: float, mean: Tensor, invstd: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnBatchNormStats(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBinaryCrossEntropyWithLogitsTargetBackwardGetWorkspaceSize(
    gradOutput: Tensor,
    self: Tensor,
    target: Tensor,
    weightOptional: Tensor | None,
    posWeightOptional: Tensor | None,
    reduction: int,
    gradTarget: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnBinaryCrossEntropyWithLogitsTargetBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnClippedSwigluGetWorkspaceSize(
    x: Tensor,
    groupIndexOptional: Tensor | None,
    dim: int,
    alpha: float,
    limit: float,
    bias: float,
    interleaved: bool,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnClippedSwiglu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnConvDepthwise2dGetWorkspaceSize(
    self: Tensor,
    weight: Tensor,
    kernelSize: Sequence[int],
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    out: Tensor,
    cubeMathType: int,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnConvDepthwise2d(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnConvTbcGetWorkspaceSize(
    self: Tensor, weight: Tensor, bias: Tensor | None, pad: int, out: Tensor, cubeMathType: int
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnConvTbc(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnConvTbcBackwardGetWorkspaceSize(
    self: Tensor,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    pad: int,
    cubeMathType: int,
    gradInput: Tensor,
    gradWeight: Tensor,
    gradBias: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnConvTbcBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnConvolutionGetWorkspaceSize(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    outputPadding: Sequence[int],
    groups: int,
    output: Tensor,
    cubeMathType: int,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnConvolution(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnConvolutionBackwardGetWorkspaceSize(
    gradOutput: Tensor,
    input: Tensor,
    weight: Tensor,
    biasSizes: Sequence[int] | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    outputPadding: Sequence[int],
    groups: int,
    outputMask: Sequence[bool],
    cubeMathType: int,
    gradInput: Tensor | None,
    gradWeight: Tensor | None,
    gradBias: Tensor | None,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnConvolutionBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnCrossEntropyLossGetWorkspaceSize(
    input: Tensor,
    target: Tensor,
    weightOptional: Tensor | None,
    reductionOptional: str | None,
    ignoreIndex: int,
    labelSmoothing: float,
    lseSquareScaleForZloss: float,
    returnZloss: bool,
    lossOut: Tensor,
    logProbOut: Tensor,
    zlossOut: Tensor,
    lseForZlossOut: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnCrossEntropyLoss(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnCtcLossGetWorkspaceSize(
    logProbs: Tensor,
    targets: Tensor,
    inputLengths: Sequence[int],
    targetLengths: Sequence[int],
    blank: int,
    zeroInfinity: bool,
    negLogLikelihoodOut: Tensor,
    logAlphaOut: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnCtcLoss(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnCtcLossBackwardGetWorkspaceSize(
    gradOut: Tensor,
    logProbs: Tensor,
    targets: Tensor,
    inputLengths: Sequence[int],
    targetLengths: Sequence[int],
    negLogLikelihood: Tensor,
    logAlpha: Tensor,
    blank: int,
    zeroInfinity: bool,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnCtcLossBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnDeepNormGetWorkspaceSize(
    x: Tensor,
    gx: Tensor,
    beta: Tensor,
    gamma: Tensor,
    alpha: float,
    epsilon: float,
    meanOut: Tensor,
    rstdOut: Tensor,
    yOut: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnDeepNorm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnDeepNormGradGetWorkspaceSize(
    dy: Tensor,
    x: Tensor,
    gx: Tensor,
    gamma: Tensor,
    mean: Tensor,
    rstd: Tensor,
    alpha: float,
    dxOut: Tensor,
    dgxOut: Tensor,
    dbetaOut: Tensor,
    dgammaOut: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnDeepNormGrad(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnDynamicQuantGetWorkspaceSize(
    x: Tensor, smoothScalesOptional: Tensor | None, yOut: Tensor | None, scaleOut: Tensor | None
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnDynamicQuant(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnDynamicQuantV2GetWorkspaceSize(
    x: Tensor,
    smoothScalesOptional: Tensor | None,
    groupIndexOptional: Tensor | None,
    dstType: int,
    yOut: Tensor,
    scaleOut: Tensor | None,
    offsetOut: Tensor | None,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnDynamicQuantV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnExpSegsumGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnExpSegsum(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnExpSegsumBackwardGetWorkspaceSize(
    gradOutput: Tensor, gradSelf: Tensor, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnExpSegsumBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnFakeQuantPerChannelAffineCachemaskGetWorkspaceSize(
    self: Tensor,
    scale: Tensor,
    zeroPoint: Tensor,
    axis: int,
    quantMin: int,
    quantMax: int,
    out: Tensor,
    mask: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnFakeQuantPerChannelAffineCachemask(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnFakeQuantPerTensorAffineCachemaskGetWorkspaceSize(
    self: Tensor,
    scale: Tensor,
    zeroPoint: Tensor,
    fakeQuantEnabled: float,
    quantMin: int,
    quantMax: int,
    out: Tensor,
    mask: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnFakeQuantPerTensorAffineCachemask(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnFastBatchNormBackwardGetWorkspaceSize(
    gradOut: Tensor,
    input: Tensor,
    weight: Tensor | None,
    runningMean: Tensor | None,
    runningVar: Tensor | None,
    saveMean: Tensor | None,
    saveInvstd: Tensor | None,
    training: bool,
    eps: float,
    outputMask: Sequence[bool],
    version: int,
    gradInput: Tensor | None,
    gradWeight: Tensor | None,
    gradBias: Tensor | None,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnFastBatchNormBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnFastLayerNormGetWorkspaceSize(
    input: Tensor,
    normalizedShape: Sequence[int],
    weightOptional: Tensor | None,
    biasOptional: Tensor | None,
    eps: float,
    out: Tensor,
    meanOutOptional: Tensor | None,
    rstdOutOptional: Tensor | None,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnFastLayerNorm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnFatreluMulGetWorkspaceSize(
    input: Tensor, threshold: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnFatreluMul(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnFusedSgdGetWorkspaceSize(
    paramsRef: Sequence[Tensor],
    gradsRef: Sequence[Tensor],
    momentumBufferListOptionalRef: Sequence[Tensor] | None,
    gradScaleOptional: Tensor | None,
    weightDecay: float,
    momentum: float,
    lr: float,
    dampening: float,
    nesterov: bool,
    maximize: bool,
    isFirstStep: bool,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnFusedSgd(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGeGluGetWorkspaceSize(
    self: Tensor, dim: int, approximate: int, out: Tensor, outGelu: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGeGlu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGeGluBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, gelu: Tensor, dim: int, approximate: int, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGeGluBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGeGluV3GetWorkspaceSize(
    self: Tensor, dim: int, approximate: int, activateLeft: bool, out: Tensor, outGelu: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGeGluV3(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGeluMulGetWorkspaceSize(
    input: Tensor, approximateOptional: str | None, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGeluMul(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGemmaRmsNormGetWorkspaceSize(
    x: Tensor, gamma: Tensor, epsilon: float, yOut: Tensor, rstdOut: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGemmaRmsNorm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGroupNormGetWorkspaceSize(
    self: Tensor,
    gamma: Tensor | None,
    beta: Tensor | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    eps: float,
    out: Tensor,
    meanOut: Tensor,
    rstdOut: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGroupNorm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGroupNormBackwardGetWorkspaceSize(
    gradOut: Tensor,
    input: Tensor,
    mean: Tensor,
    rstd: Tensor,
    gamma: Tensor | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    outputMask: Sequence[bool],
    gradInput: Tensor | None,
    gradGammaOut: Tensor | None,
    gradBetaOut: Tensor | None,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGroupNormBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGroupNormSiluGetWorkspaceSize(
    self: Tensor,
    gamma: Tensor | None,
    beta: Tensor | None,
    group: int,
    eps: float,
    out: Tensor,
    meanOut: Tensor,
    rstdOut: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGroupNormSilu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGroupNormSiluV2GetWorkspaceSize(
    self: Tensor,
    gamma: Tensor | None,
    beta: Tensor | None,
    group: int,
    eps: float,
    activateSilu: bool,
    out: Tensor,
    meanOut: Tensor,
    rstdOut: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGroupNormSiluV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGroupNormSwishGetWorkspaceSize(
    x: Tensor,
    gamma: Tensor,
    beta: Tensor,
    numGroups: int,
    dataFormatOptional: str | None,
    eps: float,
    activateSwish: bool,
    swishScale: float,
    yOut: Tensor,
    meanOut: Tensor,
    rstdOut: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGroupNormSwish(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGroupNormSwishGradGetWorkspaceSize(
    dy: Tensor,
    mean: Tensor,
    rstd: Tensor,
    x: Tensor,
    gamma: Tensor,
    beta: Tensor,
    numGroups: int,
    dataFormatOptional: str | None,
    swishScale: float,
    dgammaIsRequire: bool,
    dbetaIsRequire: bool,
    dxOut: Tensor,
    dgammaOut: Tensor,
    dbetaOut: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnGroupNormSwishGrad(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnKlDivGetWorkspaceSize(
    self: Tensor, target: Tensor, reduction: int, logTarget: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnKlDiv(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLayerNormGetWorkspaceSize(
    input: Tensor,
    normalizedShape: Sequence[int],
    weightOptional: Tensor | None,
    biasOptional: Tensor | None,
    eps: float,
    out: Tensor,
    meanOutOptional: Tensor | None,
    rstdOutOptional: Tensor | None,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLayerNorm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLayerNormBackwardGetWorkspaceSize(
    gradOut: Tensor,
    input: Tensor,
    normalizedShape: Sequence[int],
    mean: Tensor,
    rstd: Tensor,
    weightOptional: Tensor | None,
    biasOptional: Tensor | None,
    outputMask: Sequence[bool],
    gradInputOut: Tensor | None,
    gradWeightOut: Tensor | None,
    gradBiasOut: Tensor | None,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLayerNormBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLayerNormWithImplModeGetWorkspaceSize(
    input: Tensor,
    normalizedShape: Sequence[int],
    weightOptional: Tensor | None,
    biasOptional: Tensor | None,
    eps: float,
    out: Tensor,
    meanOutOptional: Tensor | None,
    rstdOutOptional: Tensor | None,
    implMode: int,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLayerNormWithImplMode(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLogSoftmaxGetWorkspaceSize(self: Tensor, dim: int, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLogSoftmax(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLogSoftmaxBackwardGetWorkspaceSize(
    gradOutput: Tensor, output: Tensor, dim: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnLogSoftmaxBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMaxPoolGetWorkspaceSize(
    self: Tensor,
    kernelShape: Sequence[int],
    strides: Sequence[int],
    autoPad: int,
    pads: Sequence[int],
    dilations: Sequence[int],
    ceilMode: int,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMaxPool(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMaxPool2dWithIndicesGetWorkspaceSize(
    self: Tensor,
    kernelSize: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceilMode: bool,
    out: Tensor,
    indices: Tensor | None,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMaxPool2dWithIndices(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize(
    gradOutput: Tensor,
    self: Tensor,
    indices: Tensor,
    kernelSize: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceilMode: bool,
    gradInput: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMaxPool2dWithIndicesBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMaxPool3dWithArgmaxGetWorkspaceSize(
    self: Tensor,
    kernelSize: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceilMode: bool,
    out: Tensor,
    indices: Tensor | None,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMaxPool3dWithArgmax(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(
    gradOutput: Tensor,
    self: Tensor,
    indices: Tensor,
    kernelSize: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceilMode: bool,
    gradInput: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMaxPool3dWithArgmaxBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMaxUnpool2dBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, indices: Tensor, outputSize: Sequence[int], out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMaxUnpool2dBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMaxUnpool3dBackwardGetWorkspaceSize(
    gradOutput: Tensor,
    self: Tensor,
    indices: Tensor,
    outputSize: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMaxUnpool3dBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnModulateGetWorkspaceSize(
    self: Tensor, scaleOptional: Tensor | None, shiftOptional: Tensor | None, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnModulate(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMseLossOutGetWorkspaceSize(
    self: Tensor, target: Tensor, reduction: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMseLossOut(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMultilabelMarginLossGetWorkspaceSize(
    self: Tensor, target: Tensor, reduction: int, out: Tensor, isTarget: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMultilabelMarginLoss(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnNLLLossGetWorkspaceSize(
    self: Tensor,
    target: Tensor,
    weight: Tensor,
    reduction: int,
    ignoreIndex: int,
    out: Tensor,
    totalWeightOut: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnNLLLoss(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnNLLLoss2dGetWorkspaceSize(
    self: Tensor,
    target: Tensor,
    weight: Tensor,
    reduction: int,
    ignoreIndex: int,
    out: Tensor,
    totalWeightOut: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnNLLLoss2d(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnNLLLoss2dBackwardGetWorkspaceSize(
    gradOutput: Tensor,
    self: Tensor,
    target: Tensor,
    weight: Tensor,
    reduction: int,
    ignoreIndex: int,
    totalWeight: Tensor,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnNLLLoss2dBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnNLLLossBackwardGetWorkspaceSize(
    gradOutput: Tensor,
    self: Tensor,
    target: Tensor,
    weight: Tensor,
    reduction: int,
    ignoreIndex: int,
    totalWeight: Tensor,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnNLLLossBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnQuantMatmulV3GetWorkspaceSize(
    x1: Tensor,
    x2: Tensor,
    scale: Tensor,
    offset: Tensor | None,
    bias: Tensor | None,
    transposeX1: bool,
    transposeX2: bool,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnQuantMatmulV3(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnQuantMatmulV4GetWorkspaceSize(
    x1: Tensor,
    x2: Tensor,
    scale: Tensor,
    offset: Tensor | None,
    pertokenScaleOptional: Tensor | None,
    bias: Tensor | None,
    transposeX1: bool,
    transposeX2: bool,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnQuantMatmulV4(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnQuantMatmulV5GetWorkspaceSize(
    x1: Tensor,
    x2: Tensor,
    x1Scale: Tensor | None,
    x2Scale: Tensor,
    yScale: Tensor | None,
    x1Offset: Tensor | None,
    x2Offset: Tensor | None,
    yOffset: Tensor | None,
    bias: Tensor | None,
    transposeX1: bool,
    transposeX2: bool,
    groupSize: int,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnQuantMatmulV5(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnQuantizeGetWorkspaceSize(
    x: Tensor, scales: Tensor, zeroPoints: Tensor | None, dtype: DTypeLike, axis: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnQuantize(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnRmsNormGetWorkspaceSize(
    x: Tensor, gamma: Tensor, epsilon: float, yOut: Tensor, rstdOut: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnRmsNorm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnRmsNormGradGetWorkspaceSize(
    dy: Tensor, x: Tensor, rstd: Tensor, gamma: Tensor, dxOut: Tensor, dgammaOut: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnRmsNormGrad(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnScaledMaskedSoftmaxGetWorkspaceSize(
    x: Tensor, mask: Tensor, scale: float, fixTriuMask: bool, y: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnScaledMaskedSoftmax(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnScaledMaskedSoftmaxBackwardGetWorkspaceSize(
    gradOutput: Tensor, y: Tensor, mask: Tensor, scale: float, fixTriuMask: bool, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnScaledMaskedSoftmaxBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSignBitsPackGetWorkspaceSize(self: Tensor, size: int, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSignBitsPack(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSignBitsUnpackGetWorkspaceSize(
    self: Tensor, size: int, dtype: DTypeLike, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSignBitsUnpack(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSoftmaxGetWorkspaceSize(self: Tensor, dim: int, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSoftmax(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSoftmaxBackwardGetWorkspaceSize(
    gradOutput: Tensor, output: Tensor, dim: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSoftmaxBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSoftmaxCrossEntropyWithLogitsGetWorkspaceSize(
    features: Tensor, labels: Tensor, loss: Tensor, backprop: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSoftmaxCrossEntropyWithLogits(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnStridedSliceGetWorkspaceSize(
    self: Tensor,
    begin: Sequence[int],
    end: Sequence[int],
    strides: Sequence[int],
    beginMask: int,
    endMask: int,
    ellipsisMask: int,
    newAxisMask: int,
    shrinkAxisMask: int,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnStridedSlice(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSyncBatchNormGatherStatsGetWorkspaceSize(
    totalSum: Tensor,
    totalSquareSum: Tensor,
    sampleCount: Tensor,
    mean: Tensor,
    variance: Tensor,
    momentum: float,
    eps: float,
    batchMean: Tensor,
    batchInvstd: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSyncBatchNormGatherStats(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnTransformBiasRescaleQkvGetWorkspaceSize(
    qkv: Tensor, qkvBias: Tensor, numHeads: int, qOut: Tensor, kOut: Tensor, vOut: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnTransformBiasRescaleQkv(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBernoulliGetWorkspaceSize(
    self: Tensor, prob: Scalar | RealNumber, seed: int, offset: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnBernoulli(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceBernoulliGetWorkspaceSize(
    selfRef: Tensor, prob: Scalar | RealNumber, seed: int, offset: int
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceBernoulli(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnBernoulliTensorGetWorkspaceSize(
    self: Tensor, prob: Tensor, seed: int, offset: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnBernoulliTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceBernoulliTensorGetWorkspaceSize(
    selfRef: Tensor, prob: Tensor, seed: int, offset: int
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceBernoulliTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnDropoutGetWorkspaceSize(
    input: Tensor, p: float, train: bool, seed: int, offset: int, out: Tensor, maskOut: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnDropout(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnDropoutBackwardGetWorkspaceSize(
    gradOutput: Tensor, mask: Tensor, scale: float, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnDropoutBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnDropoutDoMaskGetWorkspaceSize(
    self: Tensor, mask: Tensor, prob: float, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnDropoutDoMask(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnDropoutGenMaskGetWorkspaceSize(
    shape: Sequence[int], prob: float, seed: int, offset: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnDropoutGenMask(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnDropoutGenMaskV2GetWorkspaceSize(
    shape: Sequence[int], prob: float, seed: int, offset: int, probDataType: DTypeLike, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnDropoutGenMaskV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnDropoutGenMaskV2TensorGetWorkspaceSize(
    shape: Sequence[int],
    prob: float,
    seedTensor: Tensor,
    offsetTensor: Tensor,
    offset: int,
    probDataType: DTypeLike,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnDropoutGenMaskV2Tensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMultinomialGetWorkspaceSize(
    self: Tensor, numsamples: int, replacement: bool, seed: int, offset: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnMultinomial(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceNormalGetWorkspaceSize(
    selfRef: Tensor, mean: float, std: float, seed: int, offset: int
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceNormal(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceNormalTensorGetWorkspaceSize(
    selfRef: Tensor, mean: float, std: float, seedTensor: Tensor, offsetTensor: Tensor, offset: int
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceNormalTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnNormalFloatFloatGetWorkspaceSize(
    mean: float, std: float, seed: int, offset: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnNormalFloatFloat(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnNormalFloatTensorGetWorkspaceSize(
    mean: float, std: Tensor, seed: int, offset: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnNormalFloatTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnNormalTensorFloatGetWorkspaceSize(
    mean: Tensor, std: float, seed: int, offset: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnNormalTensorFloat(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnNormalTensorTensorGetWorkspaceSize(
    mean: Tensor, std: Tensor, seed: int, offset: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnNormalTensorTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnRReluWithNoiseGetWorkspaceSize(
    self: Tensor,
    noise: Tensor,
    lower: Scalar | RealNumber,
    upper: Scalar | RealNumber,
    training: bool,
    seed: int,
    offset: int,
    out: Tensor,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnRReluWithNoise(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceRReluWithNoiseGetWorkspaceSize(
    self: Tensor,
    noise: Tensor,
    lower: Scalar | RealNumber,
    upper: Scalar | RealNumber,
    training: bool,
    seed: int,
    offset: int,
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceRReluWithNoise(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceRandomGetWorkspaceSize(
    selfRef: Tensor, from_: int, to: int, seed: int, offset: int
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceRandom(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceRandomTensorGetWorkspaceSize(
    selfRef: Tensor, from_: int, to: int, seedTensor: Tensor, offsetTensor: Tensor, offset: int
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceRandomTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceRandomWithoutFromToGetWorkspaceSize(
    selfRef: Tensor, seed: int, offset: int
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceRandomWithoutFromTo(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceRandomWithoutFromToTensorGetWorkspaceSize(
    selfRef: Tensor, seedTensor: Tensor, offsetTensor: Tensor, offset: int
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceRandomWithoutFromToTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnRandpermGetWorkspaceSize(
    n: int, seed: int, offset: int, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnRandperm(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSimThreadExponentialGetWorkspaceSize(
    selfRef: Tensor, count: int, lambda_: float, seed: int, offset: int
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnSimThreadExponential(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceUniformGetWorkspaceSize(
    selfRef: Tensor, from_: float, to: float, seed: int, offset: int
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceUniform(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceUniformTensorGetWorkspaceSize(
    selfRef: Tensor, from_: float, to: float, seedTensor: Tensor, offsetTensor: Tensor, offset: int
) -> tuple[int, Executor]:
    """Check and plan a call; nothing is computed."""

def aclnnInplaceUniformTensor(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""
