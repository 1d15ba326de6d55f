"""Activations and losses with their gradients, in place too, beside the CPU's."""

import torch
import torch_npu
from torch.nn import functional as F

from ascendref.npu.report import counts

aten = torch.ops.aten
FUNCTIONS = {
    "aclnnCelu": lambda x, t: F.celu(x, 0.7),
    "aclnnElu": lambda x, t: F.elu(x, 0.7),
    "aclnnGelu": lambda x, t: F.gelu(x, approximate="tanh"),
    "aclnnGlu": lambda x, t: F.glu(x),
    "aclnnHardshrink": lambda x, t: F.hardshrink(x),
    "aclnnHardsigmoid": lambda x, t: F.hardsigmoid(x),
    "aclnnHardswish": lambda x, t: F.hardswish(x),
    "aclnnHardtanhBackward": lambda x, t: F.hardtanh(x),
    "aclnnLeakyRelu": lambda x, t: F.leaky_relu(x),
    "aclnnLogSigmoidForward": lambda x, t: F.logsigmoid(x),
    "aclnnLogit": lambda x, t: torch.logit(x, 0.1),
    "aclnnMish": lambda x, t: F.mish(x),
    "aclnnPrelu": lambda x, t: F.prelu(x, x.new_full((1,), 0.25)),
    "aclnnRelu": lambda x, t: F.relu(x),
    "aclnnSigmoid": lambda x, t: torch.sigmoid(x),
    "aclnnSilu": lambda x, t: F.silu(x),
    "aclnnSoftplus": lambda x, t: F.softplus(x),
    "aclnnSoftshrink": lambda x, t: F.softshrink(x),
    "aclnnThreshold": lambda x, t: F.threshold(x, 0.1, 2.0),
    "aclnnInplaceCelu": lambda x, t: aten.celu_(x.clone(), 0.7),
    "aclnnInplaceElu": lambda x, t: aten.elu_(x.clone(), 0.7),
    "aclnnInplaceHardsigmoid": lambda x, t: aten.hardsigmoid_(x.clone()),
    "aclnnInplaceHardswish": lambda x, t: aten.hardswish_(x.clone()),
    "aclnnInplaceLeakyRelu": lambda x, t: aten.leaky_relu_(x.clone()),
    "aclnnInplaceMish": lambda x, t: aten.mish_(x.clone()),
    "aclnnInplaceRelu": lambda x, t: aten.relu_(x.clone()),
    "aclnnInplaceSigmoid": lambda x, t: aten.sigmoid_(x.clone()),
    "aclnnInplaceThreshold": lambda x, t: aten.threshold_(x.clone(), 0.1, 2.0),
    "aclnnBinaryCrossEntropy": lambda x, t: F.binary_cross_entropy(torch.sigmoid(x), t),
    "aclnnBinaryCrossEntropyWithLogits": lambda x, t: F.binary_cross_entropy_with_logits(x, t),
    "aclnnMseLoss": lambda x, t: F.mse_loss(x, t),
    "aclnnSmoothL1Loss": lambda x, t: F.smooth_l1_loss(x, t),
    "aclnnSoftMarginLoss": lambda x, t: F.soft_margin_loss(x, t),
}
#: functions that only torch_npu has, and what they compute
OWN = {
    "aclnnFastGelu": (torch_npu.fast_gelu, lambda x: x * torch.sigmoid(1.702 * x)),
    "aclnnGeluV2": (lambda x: torch_npu.npu_gelu(x, approximate="none"), F.gelu),
    "aclnnSwiGlu": (torch_npu.npu_swiglu, lambda x: F.silu(x[:, :4]) * x[:, 4:]),
}
CALLS = {name: (call, call) for name, call in FUNCTIONS.items()}
CALLS |= {
    name: (lambda x, t, own=own: own(x), lambda x, t, by_torch=by_torch: by_torch(x))
    for name, (own, by_torch) in OWN.items()
}

torch.manual_seed(0)
for dtype, error in ((torch.float32, 2e-6), (torch.bfloat16, 2e-2)):
    data, target = torch.randn(6, 8).to(dtype), torch.rand(6, 8).to(dtype)
    for name, (on_device, on_host) in CALLS.items():
        before = counts()["emulated"].get(name, 0)
        x, y = data.npu().requires_grad_(), data.clone().requires_grad_()
        found, expected = on_device(x, target.npu()), on_host(y, target)
        found.sum().backward()
        expected.sum().backward()
        assert counts()["emulated"].get(name, 0) > before, name
        for one, other in ((found, expected), (x.grad, y.grad)):
            assert one.device.type == "npu" and one.dtype == dtype, name
            torch.testing.assert_close(one.cpu(), other, rtol=error, atol=error, msg=name)
