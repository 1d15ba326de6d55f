"""The two-phase operator API: two functions per operator, under the vendor's names."""

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
    """Check and plan a call of aclnnElu; nothing is computed."""

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
    """Check and plan a call of aclnnInplaceElu; nothing is computed."""

def aclnnInplaceElu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnCeluGetWorkspaceSize(
    self: Tensor, alpha: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnCelu; nothing is computed."""

def aclnnCelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceCeluGetWorkspaceSize(
    selfRef: Tensor, alpha: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnInplaceCelu; nothing is computed."""

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
    """Check and plan a call of aclnnEluBackward; nothing is computed."""

def aclnnEluBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnFastGeluGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call of aclnnFastGelu; nothing is computed."""

def aclnnFastGelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnFastGeluBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnFastGeluBackward; nothing is computed."""

def aclnnFastGeluBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGeluV2GetWorkspaceSize(
    x: Tensor, approximate: Scalar | RealNumber, y: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnGeluV2; nothing is computed."""

def aclnnGeluV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnGeluGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call of aclnnGelu; nothing is computed."""

def aclnnGelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

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

def aclnnHardshrinkGetWorkspaceSize(
    self: Tensor, lambd: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnHardshrink; nothing is computed."""

def aclnnHardshrink(
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

def aclnnHardsigmoidGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call of aclnnHardsigmoid; nothing is computed."""

def aclnnHardsigmoid(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceHardsigmoidGetWorkspaceSize(self: Tensor) -> tuple[int, Executor]:
    """Check and plan a call of aclnnInplaceHardsigmoid; nothing is computed."""

def aclnnInplaceHardsigmoid(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnHardsigmoidBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnHardsigmoidBackward; nothing is computed."""

def aclnnHardsigmoidBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnHardswishGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call of aclnnHardswish; nothing is computed."""

def aclnnHardswish(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceHardswishGetWorkspaceSize(self: Tensor) -> tuple[int, Executor]:
    """Check and plan a call of aclnnInplaceHardswish; nothing is computed."""

def aclnnInplaceHardswish(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnHardswishBackwardV2GetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnHardswishBackwardV2; nothing is computed."""

def aclnnHardswishBackwardV2(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnHardswishBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnHardswishBackward; nothing is computed."""

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
    """Check and plan a call of aclnnHardtanhBackward; nothing is computed."""

def aclnnHardtanhBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLeakyReluGetWorkspaceSize(
    self: Tensor, negativeSlope: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnLeakyRelu; nothing is computed."""

def aclnnLeakyRelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceLeakyReluGetWorkspaceSize(
    selfRef: Tensor, negativeSlope: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnInplaceLeakyRelu; nothing is computed."""

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
    """Check and plan a call of aclnnLeakyReluBackward; nothing is computed."""

def aclnnLeakyReluBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLogSigmoidGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call of aclnnLogSigmoid; nothing is computed."""

def aclnnLogSigmoid(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLogSigmoidForwardGetWorkspaceSize(
    self: Tensor, out: Tensor, buffer: Tensor | None
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnLogSigmoidForward; nothing is computed."""

def aclnnLogSigmoidForward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnLogSigmoidBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, buffer: Tensor, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnLogSigmoidBackward; nothing is computed."""

def aclnnLogSigmoidBackward(
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

def aclnnMishGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call of aclnnMish; nothing is computed."""

def aclnnMish(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceMishGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call of aclnnInplaceMish; nothing is computed."""

def aclnnInplaceMish(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnMishBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnMishBackward; nothing is computed."""

def aclnnMishBackward(
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

def aclnnReluGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call of aclnnRelu; nothing is computed."""

def aclnnRelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceReluGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call of aclnnInplaceRelu; nothing is computed."""

def aclnnInplaceRelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSeluGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSelu; nothing is computed."""

def aclnnSelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceSeluGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call of aclnnInplaceSelu; nothing is computed."""

def aclnnInplaceSelu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSeluBackwardGetWorkspaceSize(
    gradOutput: Tensor, result: Tensor, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSeluBackward; nothing is computed."""

def aclnnSeluBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSigmoidGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSigmoid; nothing is computed."""

def aclnnSigmoid(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceSigmoidGetWorkspaceSize(selfRef: Tensor) -> tuple[int, Executor]:
    """Check and plan a call of aclnnInplaceSigmoid; nothing is computed."""

def aclnnInplaceSigmoid(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSigmoidBackwardGetWorkspaceSize(
    gradOutput: Tensor, output: Tensor, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSigmoidBackward; nothing is computed."""

def aclnnSigmoidBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSiluGetWorkspaceSize(self: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSilu; nothing is computed."""

def aclnnSilu(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSiluBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSiluBackward; nothing is computed."""

def aclnnSiluBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSwishGetWorkspaceSize(
    self: Tensor, betaOptional: Scalar | RealNumber | None, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSwish; nothing is computed."""

def aclnnSwish(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSwishBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, betaOptional: Scalar | RealNumber | None, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSwishBackward; nothing is computed."""

def aclnnSwishBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSoftplusGetWorkspaceSize(
    self: Tensor, beta: Scalar | RealNumber, threshold: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSoftplus; nothing is computed."""

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
    """Check and plan a call of aclnnSoftplusBackward; nothing is computed."""

def aclnnSoftplusBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSoftshrinkGetWorkspaceSize(
    self: Tensor, lambd: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSoftshrink; nothing is computed."""

def aclnnSoftshrink(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSoftshrinkBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, lambd: Scalar | RealNumber, gradInput: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSoftshrinkBackward; nothing is computed."""

def aclnnSoftshrinkBackward(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnSquaredReluGetWorkspaceSize(input: Tensor, out: Tensor) -> tuple[int, Executor]:
    """Check and plan a call of aclnnSquaredRelu; nothing is computed."""

def aclnnSquaredRelu(
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

def aclnnThresholdGetWorkspaceSize(
    self: Tensor, threshold: Scalar | RealNumber, value: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnThreshold; nothing is computed."""

def aclnnThreshold(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnInplaceThresholdGetWorkspaceSize(
    selfRef: Tensor, threshold: Scalar | RealNumber, value: Scalar | RealNumber
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnInplaceThreshold; nothing is computed."""

def aclnnInplaceThreshold(
    workspace: Memory | int | None, workspaceSize: int, executor: Executor, stream: Stream | None
) -> None:
    """Queue the work that phase 1 planned on a stream and return without waiting."""

def aclnnThresholdBackwardGetWorkspaceSize(
    gradOutput: Tensor, self: Tensor, threshold: Scalar | RealNumber, out: Tensor
) -> tuple[int, Executor]:
    """Check and plan a call of aclnnThresholdBackward; nothing is computed."""

def aclnnThresholdBackward(
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
