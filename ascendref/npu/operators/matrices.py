"""Products of matrices and convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import torch
from torch import Tensor
from torch.nn import functional as F

from ...borrowed.adapters.matrices import transposed_matmul
from ...core.errors import ArgumentValueError
from .formulas import Gradients, Tensors, formula, one_of, refuse


@formula()
def npu_linear(input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """x·wᵀ + b."""
    return F.linear(input, weight, bias)


@formula()
def npu_linear_backward(grad: Tensor, input: Tensor, weight: Tensor) -> Tensors:
    """Gradients of `npu_linear` for x and w."""
    return grad @ weight, grad.t() @ input


@formula()
def npu_bmmV2(input: Tensor, mat2: Tensor, output_sizes: list[int]) -> Tensor:
    """Products of matrices, batch by batch."""
    if output_sizes:
        refuse("with output_sizes")
    return torch.matmul(input, mat2)


@formula(ignored="mat1")
def npu_bmm_v2_mat1_backward(grad: Tensor, mat2: Tensor, size: list[int]) -> Tensor:
    """Gradient of `npu_bmmV2` for its first matrices, of this shape."""
    return (grad @ mat2.transpose(-1, -2)).sum_to_size(size)


@formula(ignored="mat2")
def npu_bmm_v2_mat2_backward(grad: Tensor, mat1: Tensor, size: list[int]) -> Tensor:
    """Gradient of `npu_bmmV2` for its second matrices, of this shape."""
    return (mat1.transpose(-1, -2) @ grad).sum_to_size(size)


@formula()
def npu_transpose_batchmatmul(
    input: Tensor,
    weight: Tensor,
    perm_x1: list[int] | None,
    perm_x2: list[int] | None,
    perm_y: list[int] | None,
) -> Tensor:
    """Products of matrices, batch by batch, whose axes come and go in other orders."""
    perms = (perm_x1, perm_x2, perm_y or [1, 0, 2])
    return transposed_matmul(input, weight, None, None, *perms, 1).contiguous()


# ---- products of groups of rows

#: PyTorch's numbers of types
_NUMBERS: Final = {torch.float16: 5, torch.float32: 6, torch.bfloat16: 15}


def _ends(group_list: Tensor | Sequence[int], kind: int, rows: int) -> list[int]:
    """Return where groups of rows end."""
    numbers = torch.as_tensor(group_list).cpu()
    ends: list[int] = (numbers if kind == 0 else numbers.cumsum(0)).tolist()
    if any(end < start for start, end in zip([0, *ends], ends, strict=False)) or ends[-1:] > [rows]:
        raise ArgumentValueError(
            "group_list", f"gives the ends {ends}; expected: none before another, of {rows} rows"
        )
    return ends


@formula("npu_grouped_matmul", "npu_grouped_matmul.List")
def npu_grouped_matmul(
    x: list[Tensor],
    weight: list[Tensor],
    bias: list[Tensor] | None,
    group_list: Tensor | list[int] | None,
    split_item: int | None,
    group_type: int | None,
    output_dtype: int | None,
    group_list_type: int | None = 0,
) -> list[Tensor]:
    """x·w + b for each of several x, or of groups of the rows of one, with a w and a b each.

    The results are separate, or joined in one where split_item is 2 or 3.
    """
    if not all(one.is_floating_point() for one in (*x, *weight)):
        refuse("for integers")
    if output_dtype not in (None, x[0].dtype, _NUMBERS.get(x[0].dtype)):
        refuse(f"for {x[0].dtype} with output_dtype {output_dtype}")
    one_of("group_type", group_type, (None, -1, 0))
    one_of("group_list_type", group_list_type or 0, (0, 1))
    one_of("split_item", split_item or 0, (0, 1, 2, 3))
    matrices = list(weight[0]) if len(weight) == 1 and weight[0].ndim == 3 else weight
    rows = x
    if len(x) == 1 and len(matrices) > 1:
        if group_list is None:
            raise ArgumentValueError("group_list", "is None; it must say which rows are a group's")
        ends = _ends(group_list, group_list_type or 0, len(x[0]))
        rows = [x[0][start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]
    if len(rows) != len(matrices):
        raise ArgumentValueError(
            "weight", f"has {len(matrices)} matrices, for {len(rows)} groups of rows"
        )
    found = [one @ other for one, other in zip(rows, matrices, strict=True)]
    if bias:
        biases = list(bias[0]) if len(bias) == 1 and bias[0].ndim == 2 else bias
        found = [
            (one.float() + other.float()).to(one.dtype)
            for one, other in zip(found, biases, strict=True)
        ]
    if split_item not in (2, 3):
        return found
    joined = torch.cat(found)
    missing = sum(len(one) for one in x) - len(joined)  # rows of no group are 0
    return [F.pad(joined, (0, 0, 0, missing))]


@formula()
def npu_grouped_matmul_add(input: Tensor, **others: Any) -> Tensor:
    """Matrices plus xᵀ·w of groups of rows, in F32."""
    return npu_grouped_matmul_add_(input.clone(), **others)


@formula()
def npu_grouped_matmul_add_(
    input: Tensor,
    x: Tensor,
    weight: Tensor,
    group_list: Tensor,
    transpose_x: bool,
    transpose_weight: bool,
    group_type: int,
    group_list_type: int | None,
) -> Tensor:
    """`npu_grouped_matmul_add` in place."""
    one_of("transpose_x", transpose_x, (True,))
    one_of("transpose_weight", transpose_weight, (False,))
    one_of("group_type", group_type, (2,))
    one_of("group_list_type", group_list_type or 0, (0, 1))
    ends = _ends(group_list, group_list_type or 0, len(x))
    for total, start, end in zip(input, [0, *ends[:-1]], ends, strict=True):
        total += x[start:end].float().t() @ weight[start:end].float()
    return input


# ---- convolutions


@formula(
    "npu_conv2d",
    "npu_conv3d",
    "npu_convolution",
    "npu_conv_transpose2d",
    "npu_convolution_transpose",
)
def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    groups: int,
    output_padding: list[int] | None = None,
) -> Tensor:
    """A convolution of images or volumes, with an output padding a transposed one."""
    transposed, more = output_padding is not None, output_padding or [0] * len(stride)
    return torch.ops.aten.convolution(
        input, weight, bias, stride, padding, dilation, transposed, more, groups
    )


@formula("npu_conv3d_backward")
@formula(
    "npu_conv2d_backward",
    "npu_convolution_backward",
    "npu_conv_transpose2d_backward",
    "npu_conv_transpose3d_backward",
    renamed={"grad_output": "grad"},
)
@formula("npu_convolution_transpose_backward", renamed={"grad_input_mask": "output_mask"})
def convolution_backward(
    input: Tensor,
    grad: Tensor,
    weight: Tensor,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    groups: int,
    output_mask: list[bool],
    output_padding: list[int] | None = None,
) -> Gradients:
    """Gradients of `convolution` for input, weight and bias, of those that the mask names."""
    transposed, more = output_padding is not None, output_padding or [0] * len(stride)
    found: Gradients = torch.ops.aten.convolution_backward(
        grad, input, weight, [grad.shape[1]], stride, padding, dilation, transposed, more, groups,
        output_mask,
    )  # fmt: skip
    return found
