"""What the table calls where PyTorch has no operator with the vendor's parameters.

The functions have the names and the order of the vendor's parameters. Arguments may be tensors
without data, of which only types and shapes are known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from ..core.dtypes import DataType

# ---- elementwise functions


def divided(one: Tensor, other: Any, mode: int) -> Tensor:
    """Return a quotient, rounded to zero for mode 1 and down for mode 2."""
    return torch.div(one, other, rounding_mode=_ROUNDING[mode])


def divided_(one: Tensor, other: Any, mode: int) -> Tensor:
    """Replace a tensor by its quotient, as `divided`."""
    return one.div_(other, rounding_mode=_ROUNDING[mode])


_ROUNDING = {0: None, 1: "trunc", 2: "floor"}


def added(one: float, other: Tensor, alpha: float) -> Tensor:
    """Return a number plus a multiple of a tensor."""
    return one + alpha * other


def fill_(data: Tensor, value: Tensor) -> Tensor:
    """Fill a tensor with an element."""
    return data.fill_(value.reshape(()))


def fill_one_(data: Tensor) -> Tensor:
    """Fill a tensor with ones."""
    return data.fill_(1)


def add_relu(data: Tensor, other: Tensor, alpha: float) -> Tensor:
    """Return a sum where it is positive, else 0."""
    return torch.add(data, other, alpha=alpha).relu()


def add_relu_(data: Tensor, other: Tensor, alpha: float) -> Tensor:
    """Add to a tensor, and replace what is negative by 0."""
    return data.add_(other, alpha=alpha).relu_()


def shrunk(data: Tensor, limit: float, bias: float | None) -> Tensor:
    """Return elements outside of an interval, nearer to 0 by the bias, and 0 in it."""
    bias = 0 if bias is None else bias
    inside = torch.where(data < -limit, data + bias, torch.zeros_like(data))
    return torch.where(data > limit, data - bias, inside)


# ---- reductions


def _axes(data: Tensor, dims: Sequence[int], noop: bool) -> list[int]:
    """Return the axes that are reduced: none stands for all, unless it stands for none."""
    return list(dims) if dims or noop else list(range(data.ndim))


def amax_over(data: Tensor, dims: Sequence[int], keep: bool, noop: bool) -> Tensor:
    """Return the largest elements along axes."""
    axes = _axes(data, dims, noop)
    return data.amax(axes, keep) if axes else data.clone()


def mean_over(data: Tensor, dims: Sequence[int], keep: bool, noop: bool) -> Tensor:
    """Return means along axes."""
    axes = _axes(data, dims, noop)
    return data.mean(axes, keep) if axes else data.clone()


def log_sum_over(data: Tensor, dims: Sequence[int], keep: bool, noop: bool) -> Tensor:
    """Return logarithms of sums along axes."""
    axes = _axes(data, dims, noop)
    return torch.log(data.sum(axes, keep) if axes else data)


def aminmax_over(data: Tensor, dims: Sequence[int], keep: bool) -> tuple[Tensor, Tensor]:
    """Return the smallest and the largest elements along axes."""
    return data.amin(dims, keep), data.amax(dims, keep)


def global_max(data: Tensor) -> Tensor:
    """Return the largest element of each channel."""
    return data.amax(list(range(2, data.ndim)), True)


def global_mean(data: Tensor) -> Tensor:
    """Return the mean of each channel."""
    return data.mean(list(range(2, data.ndim)), True)


def cumprod(data: Tensor, dim: float, dtype: torch.dtype | None) -> Tensor:
    """Return running products along an axis."""
    return data.cumprod(int(dim), dtype=dtype)


def cumprod_(data: Tensor, dim: float) -> Tensor:
    """Replace a tensor by its running products along an axis."""
    return data.cumprod_(int(dim))


def cumsum_from(data: Tensor, dim: int, exclusive: bool, reverse: bool) -> Tensor:
    """Return running sums along an axis, from its end if reversed, without the element itself."""
    ordered = data.flip(dim) if reverse else data
    sums = ordered.cumsum(dim)
    if exclusive and data.shape[dim]:
        shape = list(data.shape)
        shape[dim] = 1
        sums = torch.cat([sums.new_zeros(shape), sums.narrow(dim, 0, data.shape[dim] - 1)], dim)
    return sums.flip(dim) if reverse else sums


def equal(one: Tensor, other: Tensor) -> Tensor:
    """Tell whether two tensors have the same elements."""
    return (one == other).all() if one.shape == other.shape else one.new_zeros((), dtype=torch.bool)


def isin(element: Any, others: Any, unique: bool, invert: bool) -> Tensor:
    """Tell which elements are among others."""
    found: Tensor = torch.isin(element, others, assume_unique=unique, invert=invert)
    return found


def sum_of(tensors: Sequence[Tensor]) -> Tensor:
    """Return the sum of tensors, which are broadcast."""
    return torch.stack(torch.broadcast_tensors(*tensors)).sum(0)


def max_of(tensors: Sequence[Tensor]) -> Tensor:
    """Return the largest elements of tensors, which are broadcast."""
    return torch.stack(torch.broadcast_tensors(*tensors)).amax(0)


def min_of(tensors: Sequence[Tensor]) -> Tensor:
    """Return the smallest elements of tensors, which are broadcast."""
    return torch.stack(torch.broadcast_tensors(*tensors)).amin(0)


# ---- indices


def _check_indices(indices: Tensor, size: int) -> None:
    """Refuse indices out of range, where PyTorch's kernel would read or write anywhere."""
    if not indices.is_meta and ((indices < 0) | (indices >= size)).any():
        raise IndexError(f"index out of range: indices from 0 to {size - 1} are allowed")


def gather_rows(data: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return slices along an axis, which the axes of the indices replace."""
    dim %= max(data.ndim, 1)
    found = data.index_select(dim, index.reshape(-1))
    return found.reshape(data.shape[:dim] + index.shape + data.shape[dim + 1 :])


def gather_nd(data: Tensor, indices: Tensor, negative: bool) -> Tensor:
    """Return the slices at coordinates, which are the last axis of the indices."""
    del negative  # PyTorch always takes indices that count from the end
    return data[tuple(indices.unbind(-1))]


def scatter_nd(data: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Return a tensor with slices replaced at coordinates."""
    return data.index_put(tuple(indices.unbind(-1)), updates)


def scatter_nd_(data: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Replace slices of a tensor at coordinates."""
    return data.index_put_(tuple(indices.unbind(-1)), updates)


def index_fill(data: Tensor, dim: int, index: Sequence[int], value: float) -> Tensor:
    """Return a tensor with slices along an axis filled."""
    return data.index_fill(dim, torch.tensor(index, device=data.device, dtype=torch.int64), value)


def index_fill_(data: Tensor, dim: int, index: Sequence[int], value: float) -> Tensor:
    """Fill slices of a tensor along an axis."""
    return data.index_fill_(dim, torch.tensor(index, device=data.device, dtype=torch.int64), value)


def scatter(data: Tensor, dim: int, index: Tensor, source: Any, reduce: int) -> Tensor:
    """Return a tensor with elements replaced, added to (1) or multiplied (2)."""
    return scatter_(data.clone(), dim, index, source, reduce)


def scatter_(data: Tensor, dim: int, index: Tensor, source: Any, reduce: int) -> Tensor:
    """Replace elements of a tensor, add to them (1) or multiply them (2)."""
    if reduce == 0:
        return data.scatter_(dim, index, source)
    if isinstance(source, Tensor):
        name = {1: "sum", 2: "prod"}[reduce]
        return data.scatter_reduce_(dim, index, source, name)
    return data.scatter_(dim, index, source, reduce={1: "add", 2: "multiply"}[reduce])


def scatter_reduce(
    data: Tensor, dim: int, index: Tensor, source: Tensor, reduce: int, include: bool
) -> Tensor:
    """Return a tensor with elements replaced, or combined: see `scatter_reduce_`."""
    return scatter_reduce_(data.clone(), dim, index, source, reduce, include)


def scatter_reduce_(
    data: Tensor, dim: int, index: Tensor, source: Tensor, reduce: int, include: bool
) -> Tensor:
    """Replace elements (0), or put sums, products, maxima, minima or means (5) in their places.

    What was there before is one of the terms if it is included.
    """
    if reduce == 0:
        return data.scatter_(dim, index, source)
    name = ("sum", "prod", "amax", "amin", "mean")[reduce - 1]
    return data.scatter_reduce_(dim, index, source, name, include_self=include)


def _scatter_rows_(data: Tensor, indices: Tensor, updates: Tensor, name: str) -> Tensor:
    """Combine rows of a tensor with others."""
    rows = updates.reshape(indices.numel(), *data.shape[1:])
    places = indices.reshape(-1, *[1] * (data.ndim - 1)).expand_as(rows)
    return data.scatter_reduce_(0, places, rows, name)


def scatter_add_rows_(data: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Add to rows of a tensor."""
    return _scatter_rows_(data, indices, updates, "sum")


def scatter_mul_rows_(data: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Multiply rows of a tensor."""
    return _scatter_rows_(data, indices, updates, "prod")


def scatter_div_rows_(data: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Divide rows of a tensor."""
    return data.div_(_scatter_rows_(torch.ones_like(data), indices, updates, "prod"))


def scatter_max_rows_(data: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Replace rows of a tensor by the larger elements."""
    return _scatter_rows_(data, indices, updates, "amax")


def scatter_min_rows_(data: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Replace rows of a tensor by the smaller elements."""
    return _scatter_rows_(data, indices, updates, "amin")


def nonzero_by_axis(data: Tensor) -> Tensor:
    """Return the coordinates of elements that are not 0, a row for each axis."""
    return data.nonzero().t()


def unique(data: Tensor, ordered: bool, inverse: bool) -> tuple[Any, ...]:
    """Return the different elements, and which of them each element is."""
    values, places = torch.unique(data, sorted=ordered, return_inverse=True)
    return values, places if inverse else None


def unique_counted(data: Tensor, ordered: bool, inverse: bool, counts: bool) -> tuple[Any, ...]:
    """Return the different elements, which of them each element is, and how often each occurs."""
    values, places, numbers = torch.unique(
        data, sorted=ordered, return_inverse=True, return_counts=True
    )
    return values, places if inverse else None, numbers if counts else None


def unique_consecutive(data: Tensor, inverse: bool, counts: bool, dim: int) -> tuple[Any, ...]:
    """Return runs of equal elements, which run each element is in, and the runs' lengths.

    The vendor's code for no axis is 1000.
    """
    values, places, numbers = torch.unique_consecutive(
        data, return_inverse=True, return_counts=True, dim=None if dim == 1000 else dim
    )
    return values, places if inverse else None, numbers if counts else None


def unique_slices(data: Tensor, ordered: bool, inverse: bool, dim: int) -> tuple[Any, ...]:
    """Return the different slices along an axis, which each slice is, and how often each occurs."""
    values, places, counts = torch.unique(
        data, sorted=ordered, return_inverse=True, return_counts=True, dim=dim
    )
    return values, places if inverse else None, counts


def embedding_backward(
    grad: Tensor, indices: Tensor, rows: int, padding: int, by_frequency: bool
) -> Tensor:
    """Return the gradient of a table; a padding of -1, as an unsigned number, is no row."""
    _check_indices(indices, rows)
    signed = padding - 2**64 if padding >= 2**63 else padding
    return torch.ops.aten.embedding_dense_backward(grad, indices, rows, signed, by_frequency)


def one_hot(index: Tensor, classes: int, on: Tensor, off: Tensor, axis: int) -> Tensor:
    """Return one value where the index is that of the class, and another elsewhere."""
    found = torch.arange(classes, device=index.device) == index.unsqueeze(-1)
    return torch.where(found, on.reshape(()), off.reshape(())).movedim(-1, axis)


# ---- layout


def permuted(
    data: Tensor, perm: Sequence[int], shape: Sequence[int], transpose_first: bool
) -> Tensor:
    """Return a tensor whose axes are permuted before or after it is reshaped."""
    if transpose_first:
        return data.permute(perm).reshape(shape)
    return data.reshape(shape).permute(perm)


def flattened(data: Tensor, axis: int) -> Tensor:
    """Return a matrix: the axes before one, and the others."""
    return data.reshape(data.shape[:axis].numel(), data.shape[axis:].numel())


def circular_pad(data: Tensor, padding: Sequence[int]) -> Tensor:
    """Return a tensor that goes on at its sides as if it were repeated."""
    return torch.nn.functional.pad(data, padding, mode="circular")


def sliced(
    data: Tensor,
    starts: Sequence[int],
    ends: Sequence[int],
    axes: Sequence[int],
    steps: Sequence[int],
) -> Tensor:
    """Return a slice along several axes."""
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        data = torch.ops.aten.slice(data, axis, start, end, step)
    return data


def split(data: Tensor, size: int, dim: int) -> Sequence[Tensor]:
    """Return parts of a size along an axis."""
    return list(data.split(size, dim))


def split_sizes(data: Tensor, sizes: Sequence[int], dim: int) -> Sequence[Tensor]:
    """Return parts of several sizes along an axis."""
    return list(data.split(list(sizes), dim))


def arange(start: float, end: float, step: float, out: Tensor) -> Tensor:
    """Return numbers from a start to before an end."""
    return torch.arange(start, end, step, dtype=out.dtype, device=out.device)


def range_to(start: float, end: float, step: float, out: Tensor) -> Tensor:
    """Return numbers from a start to an end."""
    return torch.ops.aten.range.step(start, end, step, dtype=out.dtype, device=out.device)


def linspace(start: float, end: float, steps: int, out: Tensor) -> Tensor:
    """Return equally spaced numbers."""
    return torch.linspace(start, end, steps, dtype=out.dtype, device=out.device)


def logspace(start: float, end: float, steps: int, base: float, out: Tensor) -> Tensor:
    """Return powers of a base with equally spaced exponents."""
    return torch.logspace(start, end, steps, base, dtype=out.dtype, device=out.device)


def eye(n: int, m: int, out: Tensor) -> Tensor:
    """Return a matrix with ones on its diagonal."""
    return torch.eye(n, m, dtype=out.dtype, device=out.device)


def strided_slice(
    data: Tensor,
    begin: Sequence[int],
    end: Sequence[int],
    strides: Sequence[int],
    begin_mask: int,
    end_mask: int,
    *others: int,
) -> Tensor:
    """Return a slice along the first axes; bits of the masks leave out where it begins or ends."""
    if any(others):
        raise ValueError("ellipsisMask, newAxisMask and shrinkAxisMask must be 0")
    for axis, (first, last, step) in enumerate(zip(begin, end, strides, strict=True)):
        start = None if begin_mask >> axis & 1 else first
        stop = None if end_mask >> axis & 1 else last
        data = torch.ops.aten.slice(data, axis, start, stop, step)
    return data


# ---- matrices


def matmul(one: Tensor, other: Tensor) -> Tensor:
    """Return a product of matrices or vectors, by PyTorch's rules for any ranks."""
    return torch.matmul(one, other)


def gemm(
    a: Tensor, b: Tensor, c: Tensor, alpha: float, beta: float, trans_a: int, trans_b: int
) -> Tensor:
    """Return α·A·B + β·C, with A and B transposed first if told."""
    return torch.addmm(c, a.t() if trans_a else a, b.t() if trans_b else b, beta=beta, alpha=alpha)


def transposed_matmul(
    one: Tensor,
    other: Tensor,
    bias: Tensor | None,
    scale: Tensor | None,
    perm_one: Sequence[int] | None,
    perm_other: Sequence[int] | None,
    perm_result: Sequence[int] | None,
    split: int,
) -> Tensor:
    """Return a product of batches of matrices whose axes are permuted before and after it."""
    if bias is not None or scale is not None or split > 1:
        raise ValueError("bias and scale must be None, and batchSplitFactor at most 1")
    first = one if perm_one is None else one.permute(perm_one)
    second = other if perm_other is None else other.permute(perm_other)
    found = first @ second
    return found if perm_result is None else found.permute(perm_result)


def linalg_qr(data: Tensor, mode: int) -> tuple[Tensor, ...]:
    """Return an orthogonal and an upper triangular factor: reduced, complete, or the second."""
    factors: tuple[Tensor, ...] = torch.linalg.qr(data, ("reduced", "complete", "r")[mode])
    return factors


def qr(data: Tensor, some: bool) -> tuple[Tensor, ...]:
    """Return an orthogonal and an upper triangular factor, reduced or complete."""
    return linalg_qr(data, 0 if some else 1)


def triangular_solve(
    data: Tensor, matrix: Tensor, upper: bool, transpose: bool, unitriangular: bool
) -> tuple[Tensor, Tensor]:
    """Return the solution of a triangular system, and its matrix."""
    solution = torch.linalg.solve_triangular(
        matrix.mT if transpose else matrix,
        data,
        upper=upper != transpose,
        unitriangular=unitriangular,
    )
    return solution, matrix


def svd(data: Tensor, full: bool, vectors: bool) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """Return singular values, and left and right singular vectors as columns."""
    if not vectors:
        return torch.linalg.svdvals(data), None, None
    left, values, right = torch.linalg.svd(data, full_matrices=full)
    return values, left, right.mH


# ---- lists of tensors


def foreach(tensors: Sequence[Tensor], number: Tensor, *, function: str) -> list[Tensor]:
    """Return a function of each tensor and of the element of a tensor."""
    return [getattr(torch, function)(tensor, number.reshape(())) for tensor in tensors]


def foreach_(tensors: Sequence[Tensor], number: Tensor, *, function: str) -> list[Tensor]:
    """Replace each tensor, as `foreach`."""
    return [getattr(tensor, function)(number.reshape(())) for tensor in tensors]


def foreach_add(
    tensors: Sequence[Tensor], others: Sequence[Tensor], alpha: Tensor, *, sign: int
) -> list[Tensor]:
    """Return each tensor plus or minus a multiple of another."""
    factor = sign * alpha.reshape(())
    return [one + factor * other for one, other in zip(tensors, others, strict=True)]


def foreach_add_(
    tensors: Sequence[Tensor], others: Sequence[Tensor], alpha: Tensor, *, sign: int
) -> list[Tensor]:
    """Add a multiple of another tensor to each, or subtract it."""
    factor = sign * alpha.reshape(())
    return [one.add_(factor * other) for one, other in zip(tensors, others, strict=True)]


def foreach_addc(
    tensors: Sequence[Tensor],
    first: Sequence[Tensor],
    second: Sequence[Tensor],
    factors: Tensor,
    *,
    function: str,
) -> list[Tensor]:
    """Return each tensor plus a multiple of a product or quotient; one factor may serve all."""
    combine = getattr(torch, function)
    every = factors.reshape(-1).expand(len(tensors)).unbind()
    return [
        one + factor * combine(a, b)
        for one, a, b, factor in zip(tensors, first, second, every, strict=True)
    ]


def copies(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Return a copy of each tensor."""
    return [tensor.clone() for tensor in tensors]


# ---- networks


def softmax_backward(grad: Tensor, output: Tensor, dim: int) -> Tensor:
    """Return the gradient of a softmax from its value."""
    return torch.ops.aten._softmax_backward_data(grad, output, dim, grad.dtype)


def log_softmax_backward(grad: Tensor, output: Tensor, dim: int) -> Tensor:
    """Return the gradient of a logarithm of a softmax from its value."""
    return torch.ops.aten._log_softmax_backward_data(grad, output, dim, grad.dtype)


def softmax_cross_entropy(features: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Return the cross entropy of each row with probabilities, and its gradient."""
    loss = -(labels * features.log_softmax(-1)).sum(-1)
    return loss, features.softmax(-1) * labels.sum(-1, keepdim=True) - labels


def mse_loss(data: Tensor, target: Tensor, reduction: int) -> Tensor:
    """Return squares of differences, their mean (1) or their sum (2)."""
    return torch.ops.aten.mse_loss(data, target, reduction)


def geglu(data: Tensor, dim: int, approximate: int, left: bool = False) -> tuple[Tensor, Tensor]:
    """Return one half of a tensor times GELU of the other half, and the latter."""
    first, second = data.chunk(2, dim)
    active, linear = (first, second) if left else (second, first)
    gelu = torch.nn.functional.gelu(active, approximate="tanh" if approximate else "none")
    return linear * gelu, gelu


def geglu_backward(grad: Tensor, data: Tensor, gelu: Tensor, dim: int, approximate: int) -> Tensor:
    """Return the gradient of `geglu`, whose second half is active."""
    linear, active = data.chunk(2, dim)
    form = "tanh" if approximate else "none"
    inner = torch.ops.aten.gelu_backward(grad * linear, active, approximate=form)
    return torch.cat([grad * gelu, inner], dim)


def gelu_mul(data: Tensor, approximate: str | None) -> Tensor:
    """Return GELU of the first half of the last axis times the second."""
    first, second = data.chunk(2, -1)
    return torch.nn.functional.gelu(first, approximate=approximate or "none") * second


def conv_depthwise(
    data: Tensor,
    weight: Tensor,
    bias: Tensor,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
) -> Tensor:
    """Return a convolution of each channel on its own."""
    channels = data.shape[1]
    return torch.conv2d(data, weight, bias, stride, padding, dilation, channels)


def avg_pool2d(*arguments: Any) -> Tensor:
    """Return means over windows of a plane."""
    return _avg_pool(torch.ops.aten.avg_pool2d, *arguments)


def avg_pool3d(*arguments: Any) -> Tensor:
    """Return means over windows of a volume."""
    return _avg_pool(torch.ops.aten.avg_pool3d, *arguments)


def avg_pool2d_backward(grad: Tensor, *arguments: Any) -> Tensor:
    """Return the gradient of `avg_pool2d`."""
    return _avg_pool(partial(torch.ops.aten.avg_pool2d_backward, grad), *arguments)


def avg_pool3d_backward(grad: Tensor, *arguments: Any) -> Tensor:
    """Return the gradient of `avg_pool3d`."""
    return _avg_pool(partial(torch.ops.aten.avg_pool3d_backward, grad), *arguments)


def _avg_pool(
    kernel: Callable[..., Tensor],
    data: Tensor,
    size: Sequence[int],
    stride: Sequence[int] | None,
    padding: Sequence[int],
    ceil: bool,
    count_pad: bool,
    divisor: int,
) -> Tensor:
    """Call a kernel: without a stride windows do not overlap, a divisor of 0 means their sizes."""
    return kernel(data, size, stride or size, padding, ceil, count_pad, divisor or None)


def nll_loss_backward(
    grad: Tensor,
    data: Tensor,
    target: Tensor,
    weight: Tensor,
    reduction: int,
    ignored: int,
    total: Tensor,
) -> Tensor:
    """Return the gradient of the negative log likelihood."""
    _check_indices(target[target != ignored] if not target.is_meta else target, data.shape[-1])
    return torch.ops.aten.nll_loss_backward(grad, data, target, weight, reduction, ignored, total)


def max_pool_backward(grad: Tensor, data: Tensor, indices: Tensor, *, axes: int) -> Tensor:
    """Return the gradient of a maximum over windows: sums at the places of the largest elements."""
    planes = torch.zeros_like(data).flatten(-axes)
    sums = planes.scatter_add(-1, indices.flatten(-axes), grad.flatten(-axes))
    return sums.reshape(data.shape)


def max_unpool_backward(grad: Tensor, data: Tensor, indices: Tensor, size: Sequence[int]) -> Tensor:
    """Return the gradient of an unpooling of planes or volumes: the elements at the indices."""
    axes = -len(size)
    return grad.flatten(axes).gather(-1, indices.flatten(axes)).reshape(data.shape)


def _rms(data: Tensor, gamma: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """Return F32 data, and the reciprocal of the root of their mean square."""
    wide = data.float()
    axes = list(range(data.ndim - gamma.ndim, data.ndim))
    return wide, torch.rsqrt(wide.square().mean(axes, True) + epsilon)


def rms_norm(data: Tensor, gamma: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """Return data divided by the root of their mean square, and what they are multiplied by."""
    wide, factor = _rms(data, gamma, epsilon)
    return wide * factor * gamma.float(), factor


def gemma_rms_norm(data: Tensor, gamma: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """Return `rms_norm` with 1 added to gamma."""
    return rms_norm(data, 1 + gamma.float(), epsilon)


def add_rms_norm(
    one: Tensor, other: Tensor, gamma: Tensor, epsilon: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Return `rms_norm` of a sum, and the sum."""
    total = one.float() + other.float()
    return *rms_norm(total, gamma, epsilon), total


def add_rms_norm_cast(
    one: Tensor, other: Tensor, gamma: Tensor, epsilon: float
) -> tuple[Tensor, ...]:
    """Return `rms_norm` of a sum twice, for results of two types, the factors and the sum."""
    value, factor, total = add_rms_norm(one, other, gamma, epsilon)
    return value, value, factor, total


def add_rms_norm_(one: Tensor, other: Tensor, gamma: Tensor, epsilon: float) -> Tensor:
    """Replace the first tensor by `rms_norm` of the sum, and the second by the sum."""
    value, factor, total = add_rms_norm(one, other, gamma, epsilon)
    one.copy_(value)
    other.copy_(total)
    return factor


def rms_norm_backward(
    grad: Tensor, data: Tensor, factor: Tensor, gamma: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the gradients of `rms_norm` for the data and for gamma."""
    wide, inner = data.float(), grad.float() * gamma.float()
    first = data.ndim - gamma.ndim
    factor = factor.float().reshape(data.shape[:first] + (1,) * gamma.ndim)
    mean = (inner * wide).mean(list(range(first, data.ndim)), True)
    of_gamma = (grad.float() * wide * factor).reshape(-1, *gamma.shape).sum(0)
    return factor * (inner - wide * factor.square() * mean), of_gamma


def add_layer_norm(
    one: Tensor, other: Tensor, gamma: Tensor, beta: Tensor, bias: Tensor | None, epsilon: float
) -> tuple[Tensor, ...]:
    """Return the layer norm of a sum, its means and factors, and the sum."""
    total = one + other if bias is None else one + other + bias
    norm = torch.ops.aten.native_layer_norm(total, list(gamma.shape), gamma, beta, epsilon)
    return *norm, total


def deep_norm(
    data: Tensor, other: Tensor, beta: Tensor, gamma: Tensor, alpha: float, epsilon: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Return means, factors and values of the layer norm of α·x + y."""
    value, mean, factor = torch.ops.aten.native_layer_norm(
        data * alpha + other, list(gamma.shape), gamma, beta, epsilon
    )
    return mean, factor, value


def group_norm_silu(
    data: Tensor, gamma: Tensor, beta: Tensor, groups: int, epsilon: float, active: bool = True
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the group norm, with SiLU of it, its means and factors."""
    size = data.shape[2:].numel()
    value, mean, factor = torch.ops.aten.native_group_norm(
        data, gamma, beta, data.shape[0], data.shape[1], size, groups, epsilon
    )
    return torch.nn.functional.silu(value) if active else value, mean, factor


def batch_norm(
    data: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    epsilon: float,
) -> tuple[Tensor | None, ...]:
    """Return the batch norm, means and factors; the latter are left alone without training."""
    value, mean, factor = torch.ops.aten.native_batch_norm(
        data, weight, bias, running_mean, running_var, training, momentum, epsilon
    )
    return (value, mean, factor) if training else (value, None, None)


def batch_norm_stats(data: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """Return the mean of each channel, and the reciprocal of its standard deviation."""
    wide = data.float()
    axes = [0, *range(2, data.ndim)]
    return wide.mean(axes), torch.rsqrt(wide.var(axes, unbiased=False) + epsilon)


def batch_norm_with(
    data: Tensor, weight: Tensor, bias: Tensor, mean: Tensor, factor: Tensor
) -> Tensor:
    """Return channels normalised with given means and factors."""
    shape = (1, -1, *[1] * (data.ndim - 2))
    normal = (data - mean.view(shape)) * factor.view(shape)
    return normal * weight.view(shape) + bias.view(shape)


def ada_layer_norm(
    data: Tensor,
    scale: Tensor,
    shift: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    epsilon: float,
) -> Tensor:
    """Return the layer norm of the last axis, modulated."""
    normal = torch.nn.functional.layer_norm(data, data.shape[-1:], weight, bias, epsilon)
    return modulated(normal, scale, shift)


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


def modulated(data: Tensor, scale: Tensor | None, shift: Tensor | None) -> Tensor:
    """Return x·(1 + scale) + shift, of which matrices serve all rows of a batch."""
    if scale is not None:
        data = data * (1 + (scale.unsqueeze(1) if scale.ndim == 2 else scale))
    if shift is not None:
        data = data + (shift.unsqueeze(1) if shift.ndim == 2 else shift)
    return data


# ---- quantisation, scales of losses


def quantized(
    data: Tensor,
    scale: Tensor,
    offset: Tensor | None,
    squared: bool,
    mode: str | None,
    dtype: int,
    axis: int = -1,
) -> Tensor:
    """Return multiples of data plus an offset, as INT8; one factor, or one for each place."""
    if dtype != DataType.ACL_INT8:
        raise ValueError(f"dstType is {dtype}; ACL_INT8 (2) is expected")
    shape = [1] * data.ndim
    shape[axis] = -1
    factor = scale.float().reshape(shape)
    value = data.float() * (factor * factor if squared else factor)
    if offset is not None:
        value = value + offset.float().reshape(shape)
    return _ROUNDED[mode or "round"](value).clamp(-128, 127).to(torch.int8)


_ROUNDED = {"round": torch.round, "floor": torch.floor, "ceil": torch.ceil, "trunc": torch.trunc}


def quantized_rows(data: Tensor, smooth: Tensor | None) -> tuple[Tensor, Tensor]:
    """Return rows as INT8, of which the largest becomes 127, and what they are divided by."""
    value = data.float() if smooth is None else data.float() * smooth.float()
    scale = value.abs().amax(-1, True) / 127
    steps = torch.where(scale > 0, value / scale, 0)
    return steps.round().to(torch.int8), scale.squeeze(-1)


def fake_quantized(
    data: Tensor, scale: Tensor, zero: Tensor, enabled: float, least: int, most: int
) -> tuple[Tensor, Tensor]:
    """Return data rounded as if they were quantised, and which were not clamped."""
    if not enabled:
        return data, torch.ones_like(data, dtype=torch.bool)
    steps = torch.round(data / scale.reshape(())) + zero.reshape(())
    value = (steps.clamp(least, most) - zero.reshape(())) * scale.reshape(())
    return value, (steps >= least) & (steps <= most)


def fake_quantized_channels(
    data: Tensor, scale: Tensor, zero: Tensor, axis: int, least: int, most: int
) -> tuple[Tensor, Tensor]:
    """Return `fake_quantized` data with a scale for each channel."""
    shape = [1] * data.ndim
    shape[axis] = -1
    steps = torch.round(data / scale.reshape(shape)) + zero.reshape(shape)
    value = (steps.clamp(least, most) - zero.reshape(shape)) * scale.reshape(shape)
    return value, (steps >= least) & (steps <= most)


def updated_scale(
    scale: Tensor, tracker: Tensor, found: Tensor, growth: float, backoff: float, interval: int
) -> tuple[Tensor, Tensor]:
    """Return a scale of losses after a step, and how many steps were without infinities."""
    steps = tracker + 1
    grown = torch.where(steps == interval, scale * growth, scale)
    infinite = found != 0
    kept = torch.where(infinite | (steps == interval), 0, steps)
    return torch.where(infinite, scale * backoff, grown), kept.to(tracker.dtype)


# ---- random numbers


def _generator(seed: int, offset: int) -> torch.Generator:
    """Return a generator for a seed and an offset."""
    generator = torch.Generator()
    generator.manual_seed((seed * 1_000_003 + offset) % 2**64)
    return generator


def uniform_(data: Tensor, low: float, high: float, seed: int, offset: int) -> Tensor:
    """Fill a tensor with uniformly distributed numbers."""
    return data if data.is_meta else data.uniform_(low, high, generator=_generator(seed, offset))


def normal_(data: Tensor, mean: float, std: float, seed: int, offset: int) -> Tensor:
    """Fill a tensor with normally distributed numbers."""
    return data if data.is_meta else data.normal_(mean, std, generator=_generator(seed, offset))


def random_(data: Tensor, low: int, high: int, seed: int, offset: int) -> Tensor:
    """Fill a tensor with integers from a low one to below a high one."""
    return data if data.is_meta else data.random_(low, high, generator=_generator(seed, offset))


def normal(mean: Any, std: Any, seed: int, offset: int, out: Tensor) -> Tensor:
    """Return normally distributed numbers, with means and deviations of one or each."""
    normal = torch.empty_like(out)
    return torch.add(normal_(normal, 0, 1, seed, offset) * std, mean)


def bernoulli(data: Tensor, chance: Any, seed: int, offset: int) -> Tensor:
    """Return ones with a chance, of all elements or of each, and zeros."""
    return bernoulli_(torch.empty_like(data), chance, seed, offset)


def bernoulli_(data: Tensor, chance: Any, seed: int, offset: int) -> Tensor:
    """Fill a tensor with ones with a chance, of all elements or of each, and zeros."""
    return data if data.is_meta else data.bernoulli_(chance, generator=_generator(seed, offset))


def randperm(n: int, seed: int, offset: int, out: Tensor) -> Tensor:
    """Return the integers below a number in random order."""
    if out.is_meta:
        return out.new_empty(n)
    return torch.randperm(n, generator=_generator(seed, offset)).to(out.dtype)


def multinomial(data: Tensor, count: int, replacement: bool, seed: int, offset: int) -> Tensor:
    """Return indices that are drawn with chances in proportion to the data's rows."""
    if data.is_meta:
        return data.new_empty((*data.shape[:-1], count), dtype=torch.int64)
    return torch.multinomial(data, count, replacement, generator=_generator(seed, offset))


def _bits(shape: Sequence[int], chance: float, seed: int, offset: int) -> Tensor:
    """Return ones with a chance as bytes of eight bits, the lowest first, 128 bits at a time."""
    count = torch.Size(shape).numel()
    kept = torch.zeros(-(-count // 128) * 128, dtype=torch.uint8)
    kept[:count] = torch.rand(count, generator=_generator(seed, offset)) < chance
    powers = torch.tensor([1, 2, 4, 8, 16, 32, 64, 128], dtype=torch.uint8)
    return (kept.reshape(-1, 8) * powers).sum(1).to(torch.uint8)


def _masked(data: Tensor, mask: Tensor, factor: float) -> Tensor:
    """Return multiples of the elements whose bits are 1, and 0 for others."""
    places = torch.arange(8, dtype=torch.uint8, device=mask.device)
    kept = (mask.reshape(-1, 1) >> places & 1).reshape(-1)[: data.numel()]
    return torch.where(kept.reshape(data.shape) == 1, data * factor, 0)


def dropout_mask(
    shape: Sequence[int], chance: float, seed: int, offset: int, out: Tensor
) -> Tensor:
    """Return bits, of which those of elements to drop, with a chance, are 0."""
    if out.is_meta:
        return out.new_empty(-(-torch.Size(shape).numel() // 128) * 16)
    return _bits(shape, 1 - chance, seed, offset)


def dropout(
    data: Tensor, chance: float, train: bool, seed: int, offset: int, mask: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the elements that are not dropped, divided by their chance, and the mask."""
    if not train:
        return data, torch.full_like(mask, 255)
    bits = dropout_mask(data.shape, chance, seed, offset, mask)
    return dropout_do_mask(data, bits, chance), bits


def dropout_do_mask(data: Tensor, mask: Tensor, chance: float) -> Tensor:
    """Return the elements whose bits are 1, divided by their chance."""
    return _masked(data, mask, 1 / (1 - chance) if chance < 1 else 0)


def dropout_backward(grad: Tensor, mask: Tensor, scale: float) -> Tensor:
    """Return multiples of the gradients whose bits are 1."""
    return _masked(grad, mask, scale)
