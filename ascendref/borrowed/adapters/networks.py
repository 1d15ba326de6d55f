"""Layers of networks, losses and their gradients."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from .shared import chosen


def softmax_cross_entropy(features: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Return the cross entropy of each row with probabilities, and its gradient."""
    loss = -(labels * features.log_softmax(-1)).sum(-1)
    return loss, features.softmax(-1) * labels.sum(-1, keepdim=True) - labels


def mse_loss(data: Tensor, target: Tensor, reduction: int) -> Tensor | None:
    """Return squares of differences, or their mean (1) or sum (2) along the first axis, if any."""
    kind = torch.result_type(data, target)
    wide = torch.promote_types(kind, torch.float32)
    squares = (data.to(wide) - target.to(wide)).square()
    if reduction and not squares.numel():
        return None  # the results are left alone
    value = squares.mean(0) if reduction == 1 else squares.sum(0) if reduction else squares
    return value.to(kind)


def geglu(
    data: Tensor,
    dim: int,
    approximate: int,
    left: bool = False,
    *,
    gelu: Callable[..., Tensor] = torch.nn.functional.gelu,
) -> tuple[Tensor, Tensor]:
    """Return one half of a tensor times GELU of the other half, and the latter."""
    first, second = data.chunk(2, dim)
    active, linear = (first, second) if left else (second, first)
    value = gelu(active, approximate="tanh" if approximate else "none")
    return linear * value, value


def geglu_backward(grad: Tensor, data: Tensor, gelu: Tensor, dim: int, approximate: int) -> Tensor:
    """Return the gradient of `geglu`, whose second half is active."""
    linear, active = data.chunk(2, dim)
    form = "tanh" if approximate else "none"
    inner = torch.ops.aten.gelu_backward(grad * linear, active, approximate=form)
    return torch.cat([grad * gelu, inner], dim)


def gelu_mul(
    data: Tensor, approximate: str | None, *, gelu: Callable[..., Tensor] = torch.nn.functional.gelu
) -> Tensor:
    """Return GELU of the first half of the last axis times the second."""
    first, second = data.chunk(2, -1)
    return gelu(first, approximate=approximate or "none") * second


def clipped_swiglu(
    data: Tensor,
    groups: Tensor | None,
    dim: int,
    alpha: float,
    limit: float,
    bias: float,
    interleaved: bool,
) -> Tensor:
    """Return a·sigmoid(α·a)·(b + bias), where a is at most the limit, and b within ±limit.

    a and b are the even and the odd elements of an axis, or its halves.
    """
    if groups is not None:
        raise ValueError("groupIndexOptional is given; only NULL is computed")
    if interleaved and dim not in (-1, data.ndim - 1):
        raise ValueError(f"interleaved is true, and dim is {dim}; only the last axis is computed")
    one, other = (data[..., ::2], data[..., 1::2]) if interleaved else data.chunk(2, dim)
    one, other = one.float().clamp(max=limit), other.float().clamp(-limit, limit)
    return one * torch.sigmoid(alpha * one) * (other + bias)


def fatrelu_mul(data: Tensor, threshold: Tensor) -> Tensor:
    """Return the first half of the last axis, with 0 below a threshold, times the second."""
    first, second = data.chunk(2, -1)
    return torch.where(first < threshold.reshape(()), 0, first) * second


def exp_segsum(data: Tensor) -> Tensor:
    """Return exponentials of the sums of elements after a column up to a row, 0 above them."""
    size = data.shape[-1]
    columns = data.float().unsqueeze(-1).expand(*data.shape, size)
    return columns.tril(-1).cumsum(-2).exp().tril()


def exp_segsum_backward(grad: Tensor, output: Tensor) -> Tensor:
    """Return the gradient of `exp_segsum` from its value."""
    inner = (grad.float() * output.float()).tril(-1)
    return inner.flip(-2).cumsum(-2).flip(-2).tril(-1).sum(-1)


def conv_depthwise(data: Tensor, weight: Tensor, bias: Tensor, *window: Any) -> Tensor:
    """Return a convolution of each channel on its own, of a stride, padding and dilation."""
    return torch.conv2d(data, weight, bias, *window, data.shape[1])


def avg_pool(*given: Any, function: str) -> Tensor:
    """Return means over windows, or their gradient.

    Without a stride windows do not overlap; a divisor of 0 means their sizes.
    """
    *tensors, size, stride, padding, ceil, count_pad, divisor = given
    kernel = getattr(torch.ops.aten, function)
    value: Tensor = kernel(
        *tensors, size, stride or size, padding, ceil, count_pad, divisor or None
    )
    return value


def max_pool(
    data: Tensor,
    kernel: Sequence[int],
    strides: Sequence[int],
    auto_pad: int,
    pads: Sequence[int],
    dilations: Sequence[int],
    ceil: int,
) -> Tensor:
    """Return maxima over windows of a plane; without strides they do not overlap.

    Pads of both ends of the axes must be equal.
    """
    if auto_pad != 0:
        raise ValueError(f"autoPad is {auto_pad}; 0 is expected")
    if any(step != 1 for step in dilations):
        raise ValueError(f"dilations is {tuple(dilations)}; only 1 is computed")
    if len(pads) not in (0, 1, 2) and (len(pads) != 4 or len(set(pads)) > 1):
        raise ValueError(f"pads is {tuple(pads)}; up to 2 numbers, or 4 equal ones, are expected")
    sides = pads[:2] or [0]
    return torch.nn.functional.max_pool2d(
        data, kernel, strides or kernel, sides, ceil_mode=bool(ceil)
    )


def _check_indices(indices: Tensor, size: int) -> None:
    """Refuse indices out of range, where PyTorch's kernel would read or write anywhere."""
    if not indices.is_meta and ((indices < 0) | (indices >= size)).any():
        raise IndexError(f"index out of range: indices from 0 to {size - 1} are allowed")


def embedding_backward(
    grad: Tensor, indices: Tensor, rows: int, padding: int, by_frequency: bool
) -> Tensor:
    """Return the gradient of a table; a padding of -1, as an unsigned number, means no row."""
    _check_indices(indices, rows)
    signed = padding - 2**64 if padding >= 2**63 else padding
    return torch.ops.aten.embedding_dense_backward(grad, indices, rows, signed, by_frequency)


def nll_loss_backward(
    grad: Tensor,
    data: Tensor,
    target: Tensor,
    weight: Tensor,
    reduction: int,
    ignored: int,
    total: Tensor,
) -> Tensor:
    """Return the gradient of the negative log likelihood, of rows or of planes."""
    planes = data.ndim == 4
    classes = data.shape[1 if planes else -1]
    _check_indices(target if target.is_meta else target[target != ignored], classes)
    kernel = torch.ops.aten.nll_loss2d_backward if planes else torch.ops.aten.nll_loss_backward
    return kernel(grad, data, target, weight, reduction, ignored, total)


def cross_entropy_loss(
    data: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: str | None,
    ignored: int,
    smoothing: float,
    scale: float,
    zloss: bool,
) -> tuple[Tensor, Tensor, None, None]:
    """Return the cross entropy with classes, and logarithms of the softmax, in F32.

    A negative number ignores no class.
    """
    if zloss or scale:
        raise ValueError("returnZloss and lseSquareScaleForZloss must be false and 0")
    wide = data.float()
    loss = torch.nn.functional.cross_entropy(
        wide,
        target,
        None if weight is None else weight.float(),
        reduction=(reduction or "mean").lower(),
        ignore_index=ignored if ignored >= 0 else -100,
        label_smoothing=smoothing,
    )
    return loss, wide.detach().log_softmax(-1), None, None


def max_pool_backward(grad: Tensor, data: Tensor, indices: Tensor, *, axes: int) -> Tensor:
    """Return the gradient of a maximum over windows: sums at the places of the largest elements."""
    planes = torch.zeros_like(data).flatten(-axes)
    sums = planes.scatter_add(-1, indices.flatten(-axes), grad.flatten(-axes))
    return sums.reshape(data.shape)


def max_unpool_backward(grad: Tensor, data: Tensor, indices: Tensor, size: Sequence[int]) -> Tensor:
    """Return the gradient of an unpooling of planes or volumes: the elements at the indices."""
    axes = -len(size)
    return grad.flatten(axes).gather(-1, indices.flatten(axes)).reshape(data.shape)


def bce_target_backward(
    grad: Tensor,
    data: Tensor,
    target: Tensor,
    weight: Tensor | None,
    positive: Tensor | None,
    reduction: int,
) -> Tensor:
    """Return the gradient of the binary cross entropy of logits for the target."""
    of = torch.nn.functional.logsigmoid(-data)
    of = of - torch.nn.functional.logsigmoid(data) * (1 if positive is None else positive)
    if weight is not None:
        of = of * weight
    return (grad * of / (data.numel() if reduction == 1 else 1)).broadcast_to(target.shape)


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    lengths: Sequence[int],
    target_lengths: Sequence[int],
    *blank: Any,
) -> tuple[Tensor, Tensor]:
    """Return the loss, and logarithms of the probabilities of beginnings, -inf beyond a length."""
    _check_labels(targets, target_lengths, log_probs.shape[-1])
    losses, alphas = torch.ops.aten._ctc_loss(log_probs, targets, lengths, target_lengths, *blank)
    for alpha, length, labels in zip(alphas, lengths, target_lengths, strict=True):
        alpha[length:].fill_(-torch.inf)
        alpha[:, 2 * labels + 1 :].fill_(-torch.inf)
    return losses, alphas


def ctc_loss_backward(
    grad: Tensor,
    log_probs: Tensor,
    targets: Tensor,
    lengths: Sequence[int],
    target_lengths: Sequence[int],
    *others: Any,
) -> Tensor:
    """Return the gradient of `ctc_loss` for the input of the log softmax."""
    _check_labels(targets, target_lengths, log_probs.shape[-1])
    return torch.ops.aten._ctc_loss_backward(
        grad, log_probs, targets, lengths, target_lengths, *others
    )


def _check_labels(targets: Tensor, lengths: Sequence[int], classes: int) -> None:
    """Refuse labels out of range: of all sequences in one row, or of one in each."""
    if targets.ndim == 1:
        _check_indices(targets, classes)
        return
    for labels, length in zip(targets, lengths, strict=True):
        _check_indices(labels[:length], classes)


def scaled_masked_softmax(data: Tensor, mask: Tensor, scale: float, is_triangular: bool) -> Tensor:
    """Return the softmax of the scaled data, with -10000 under the mask."""
    _refuse_triangular(is_triangular)
    return (data.float() * scale).masked_fill(mask, -10000.0).softmax(-1)


def scaled_masked_softmax_backward(
    grad: Tensor, output: Tensor, mask: Tensor, scale: float, is_triangular: bool
) -> Tensor:
    """Return the gradient of `scaled_masked_softmax` from its value."""
    _refuse_triangular(is_triangular)
    inner = torch.ops.aten._softmax_backward_data(grad.float(), output.float(), -1, torch.float32)
    return (inner * scale).masked_fill(mask, 0)


def _refuse_triangular(asked: bool) -> None:
    if asked:
        raise ValueError("fixTriuMask is true; only false is computed")


def heads_of_qkv(qkv: Tensor, bias: Tensor, heads: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return queries, keys and values of heads; queries are divided by the root of their size."""
    every = (qkv.float() + bias.float()).unflatten(-1, (3, heads, -1))
    queries, keys, values = every.permute(2, 0, 3, 1, 4)
    return queries / queries.shape[-1] ** 0.5, keys, values


def upsampled(data: Tensor, size: Sequence[int], mode: str = "nearest") -> Tensor:
    """Return planes of a size: of the nearest elements, or means of the four around each place.

    For the latter, elements lie at the centres of their squares.
    """
    kernels = {"nearest": "upsample_nearest2d", "bilinear": "upsample_bilinear2d"}
    kernel = getattr(torch.ops.aten, chosen("mode", mode, kernels))
    if data.ndim != 4 or not data.numel() or len(size) != 2 or min(size) < 1:
        raise ValueError(
            f"self has shape {tuple(data.shape)} and its planes get {tuple(size)}; rank 4 and sizes"
            " above 0 are expected"
        )
    found: Tensor = kernel(data, size, False) if mode == "bilinear" else kernel(data, size)
    return found


def resized(data: Tensor, scales: Sequence[float], mode: str, out: Tensor) -> Tensor:
    """Return `upsampled` planes, whose sizes are multiples, or those of the result if bilinear."""
    if len(scales) != 4 or tuple(scales[:2]) != (1, 1):
        raise ValueError(f"scales is {tuple(scales)}; 1, 1 and two others are expected")
    size = [int(n * scale) for n, scale in zip(data.shape[2:], scales[2:], strict=False)]
    return upsampled(data, out.shape[2:] if mode == "bilinear" else size, mode)


def _rotated(data: Tensor, mode: int) -> tuple[Tensor, Tensor]:
    """Return pairs of coordinates in the order of the result, and turned by a quarter."""
    if mode == 1:
        first, second = data[..., ::2], data[..., 1::2]
        return data, torch.stack([-second, first], -1).flatten(-2)
    if mode == 3:
        data = torch.cat([data[..., ::2], data[..., 1::2]], -1)
    parts = data.chunk(4 if mode == 2 else 2, -1)
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return data, torch.cat([x for first, second in pairs for x in (-second, first)], -1)


def rotary_position_embedding(data: Tensor, cos: Tensor, sin: Tensor, mode: int) -> Tensor:
    """Return pairs of elements turned by angles, whose cosines and sines are broadcast.

    The pairs are: an element of each half (0), neighbours (1), an element of each of two quarters
    (2), or neighbours, of which the result has all first ones and then all second ones (3).
    """
    chosen("mode", mode, dict.fromkeys(range(4)))
    if data.ndim not in (3, 4) or data.shape[-1] % (4 if mode == 2 else 2):
        raise ValueError(
            f"x has shape {tuple(data.shape)}; rank 4, or 3, and an even last axis, for mode 2 a"
            " multiple of 4, are expected"
        )
    if cos.shape != sin.shape or torch.broadcast_shapes(cos.shape, data.shape) != data.shape:
        raise ValueError(
            f"cos has shape {tuple(cos.shape)} and sin {tuple(sin.shape)}; one that is broadcast to"
            f" {tuple(data.shape)} is expected"
        )
    if cos.ndim != data.ndim or cos.shape[-1] != data.shape[-1]:
        raise ValueError(f"cos has shape {tuple(cos.shape)}; its last axis must be that of x")
    pairs, turned = _rotated(data.float(), mode)
    return (pairs * cos.float() + turned * sin.float()).to(data.dtype)
