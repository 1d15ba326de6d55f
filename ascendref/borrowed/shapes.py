"""Shapes, and axes, that are not checked where a function is computed.

Where a gradient or a statistic is smaller than its counterpart, some of PyTorch's kernels for the
CPU would read or write beyond their memory; others broadcast what the vendor's functions take in
one shape only. The rules get the call's arguments, with tensors without data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import torch

from .adapters.networks import avg_pool2d, avg_pool3d, ctc_loss
from .adapters.shared import axis_of

aten = torch.ops.aten
#: names of tensors and the shapes that they must have, or that of as many elements; names of lists
#: and the shapes of their members
Expected = Iterable[tuple[str, Sequence[Any]]]


def check(api: str, values: Mapping[str, Any]) -> None:
    """Raise ValueError if a tensor has another shape than a call of a function needs."""
    for name, expected in RULES[api](values):
        given = values[name]
        if isinstance(given, list):
            for k, (member, shape) in enumerate(zip(given, expected, strict=True)):
                _check(f"{name}[{k}]", member, shape)
        elif given is not None:
            _check(name, given, expected)


def _check(name: str, tensor: torch.Tensor, expected: Sequence[int]) -> None:
    if tensor.shape != torch.Size(expected):
        raise ValueError(f"{name} has shape {tuple(tensor.shape)}; {tuple(expected)} is expected")


def _unlike(values: Mapping[str, Any], expected: Sequence[int], *names: str) -> Expected:
    """Yield those of the tensors that have another number of elements."""
    for name in names:
        if values[name] is not None and values[name].numel() != torch.Size(expected).numel():
            yield name, expected


def _alike(first: str, names: Sequence[str], values: Mapping[str, Any]) -> Expected:
    yield from [(name, values[first].shape) for name in names]


def _lists_alike(first: str, names: Sequence[str], values: Mapping[str, Any]) -> Expected:
    yield from [(name, [tensor.shape for tensor in values[first]]) for name in names]


def _along(name: str, values: Mapping[str, Any]) -> Expected:
    axis_of("dim", values["dim"], values[name].ndim)
    yield from ()


def _along_alike(name: str, values: Mapping[str, Any]) -> Expected:
    yield from _along(name, values)
    yield "gradOutput", values[name].shape


def _padded(pad: Callable[..., Any], values: Mapping[str, Any]) -> Expected:
    yield "gradOutput", pad(values["self"], values["padding"]).shape


def _pooled(axes: int, values: Mapping[str, Any]) -> Expected:
    yield "gradOutput", (*values["self"].shape[:-axes], *values["gradOutput"].shape[-axes:])


def _averaged(mean: Callable[..., torch.Tensor], values: Mapping[str, Any]) -> Expected:
    names = ("self", "kernelSize", "stride", "padding", "ceilMode", "countIncludePad")
    yield "gradOutput", mean(*[values[name] for name in names], values["divisorOverride"]).shape


def _unpooled(values: Mapping[str, Any]) -> Expected:
    shape, size = values["self"].shape, values["outputSize"]
    yield from (("gradOutput", (*shape[: -len(size)], *size)), ("indices", shape))


def _convolved(result: str, values: Mapping[str, Any]) -> Expected:
    names = ("stride", "padding", "dilation", "transposed", "outputPadding", "groups")
    weight, others = values["weight"], [values[name] for name in names]
    yield result, aten.convolution(values["input"], weight, None, *others).shape
    if "bias" in values:
        yield "bias", [weight.shape[1] * values["groups"] if values["transposed"] else len(weight)]


def _convolved_in_time(values: Mapping[str, Any]) -> Expected:
    names = ("input", "weight", "bias", "pad")
    yield "self", aten.conv_tbc(*[values[name] for name in names]).shape


def _counted(values: Mapping[str, Any]) -> Expected:
    room, least = values["out"].numel(), values["minlength"]
    if room < least:
        raise ValueError(f"out has {room} elements; minlength is {least}")
    yield from ()


def _distances(values: Mapping[str, Any]) -> Expected:
    shape = torch.cdist(values["x1"], values["x2"]).shape
    yield from (("grad", shape), ("cdist", shape))


def _windows(values: Mapping[str, Any]) -> Expected:
    whole = torch.empty(values["inputSizes"], device="meta")
    yield "gradOut", whole.unfold(values["dim"], values["size"], values["step"]).shape


def _ctc(values: Mapping[str, Any]) -> Expected:
    names = ("logProbs", "targets", "inputLengths", "targetLengths", "blank", "zeroInfinity")
    losses, alphas = ctc_loss(*[values[name] for name in names])
    yield from (("gradOut", losses.shape), ("negLogLikelihood", losses.shape))
    yield "logAlpha", alphas.shape


def _channels(names: Sequence[str], values: Mapping[str, Any]) -> Expected:
    channels = values["input"].shape[1:2]
    yield from _unlike(values, channels, *names)


def _channels_backward(values: Mapping[str, Any]) -> Expected:
    names = ("saveMean", "saveInvstd") if values["training"] else ("runningMean", "runningVar")
    yield from _channels(("weight", *names), values)
    yield "gradOut", values["input"].shape


def _layers(values: Mapping[str, Any]) -> Expected:
    shape, last = values["input"].shape, len(values["normalizedShape"])
    yield "gradOut", shape
    yield from _unlike(values, (*shape[: len(shape) - last], *[1] * last), "mean", "rstd")
    yield from _unlike(values, values["normalizedShape"], "weightOptional", "biasOptional")


def _groups(values: Mapping[str, Any]) -> Expected:
    yield "gradOut", values["input"].shape
    yield from _unlike(values, (values["N"], values["group"]), "mean", "rstd")
    yield from _unlike(values, (values["C"],), "gamma")


#: functions with a rule
RULES: Final[dict[str, Callable[[Mapping[str, Any]], Expected]]] = {
    **{
        f"aclnn{kind.title()}Pad{axes}dBackward": partial(
            _padded, getattr(aten, f"{kind}_pad{axes}d").default
        )
        for kind in ("reflection", "replication")
        for axes in (1, 2, 3)
    },
    **{f"aclnnAdaptiveAvgPool{axes}dBackward": partial(_pooled, axes) for axes in (2, 3)},
    "aclnnAvgPool2dBackward": partial(_averaged, avg_pool2d),
    "aclnnAvgPool3dBackward": partial(_averaged, avg_pool3d),
    "aclnnBatchNorm": partial(_channels, ("weight", "bias", "runningMean", "runningVar")),
    "aclnnBatchNormBackward": _channels_backward,
    "aclnnFastBatchNormBackward": _channels_backward,
    "aclnnBincount": _counted,
    "aclnnCdistBackward": _distances,
    "aclnnConvolution": partial(_convolved, "output"),
    "aclnnConvolutionBackward": partial(_convolved, "gradOutput"),
    "aclnnConvTbcBackward": _convolved_in_time,
    "aclnnCtcLossBackward": _ctc,
    "aclnnGroupNormBackward": _groups,
    "aclnnLayerNormBackward": _layers,
    "aclnnLogSoftmax": partial(_along, "self"),
    "aclnnLogSoftmaxBackward": partial(_along_alike, "output"),
    "aclnnSoftmax": partial(_along, "self"),
    "aclnnSoftmaxBackward": partial(_along_alike, "output"),
    "aclnnUnfoldGrad": _windows,
    **{
        f"aclnn{name}Backward": partial(_alike, "indices", ("gradOutput",))
        for name in (
            "AdaptiveMaxPool2d",
            "AdaptiveMaxPool3d",
            "MaxPool2dWithIndices",
            "MaxPool3dWithArgmax",
        )
    },
    **{f"aclnnMaxUnpool{axes}dBackward": _unpooled for axes in (2, 3)},
    "aclnnApplyAdamWV2": partial(_alike, "varRef", ("mRef", "vRef", "grad")),
    "aclnnFusedSgd": partial(
        _lists_alike, "paramsRef", ("gradsRef", "momentumBufferListOptionalRef")
    ),
    "aclnnInplaceAddRmsNorm": partial(_alike, "x1Ref", ("x2Ref",)),
    **{
        f"aclnnAdd{norm}": partial(_alike, "x1", ("x2",))
        for norm in ("LayerNorm", "RmsNorm", "RmsNormCast", "RmsNormQuant", "RmsNormQuantV2")
    },
    "aclnnAddLayerNormGrad": partial(_alike, "x1", ("dy", "x2")),
    "aclnnDeepNorm": partial(_alike, "x", ("gx",)),
    "aclnnDeepNormGrad": partial(_alike, "x", ("dy", "gx")),
    "aclnnRmsNormGrad": partial(_alike, "x", ("dy",)),
}
