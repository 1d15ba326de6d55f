"""PyTorch's functions with ascendref's gradients, as custom operators."""

from typing import Literal

from torch import Tensor

from ..core.dtypes import DTypeLike
from ..declaration.scalars import RealNumber

def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    compute_dtype: DTypeLike | None = None,
) -> Tensor: ...
def elu(
    input: Tensor,
    alpha: RealNumber = 1.0,
    scale: RealNumber = 1.0,
    input_scale: RealNumber = 1.0,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Tensor: ...
def gelu(
    input: Tensor,
    approximate: Literal["none", "tanh"] | int = "none",
    *,
    compute_dtype: DTypeLike | None = None,
) -> Tensor: ...
def glu(
    input: Tensor,
    dim: int = -1,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Tensor: ...
def hardshrink(
    input: Tensor,
    lambd: RealNumber = 0.5,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Tensor: ...
def hardsigmoid(
    input: Tensor,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Tensor: ...
def hardswish(
    input: Tensor,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Tensor: ...
def hardtanh(
    input: Tensor,
    min_val: RealNumber = -1.0,
    max_val: RealNumber = 1.0,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Tensor: ...
def leaky_relu(
    input: Tensor,
    negative_slope: RealNumber = 0.01,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Tensor: ...
def log_sigmoid(
    input: Tensor,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Tensor: ...
def logit(
    input: Tensor,
    eps: RealNumber | None = -1.0,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Tensor: ...
def mish(
    input: Tensor,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Tensor: ...
def mse_loss(
    input: Tensor,
    target: Tensor,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    compute_dtype: DTypeLike | None = None,
) -> Tensor: ...
def prelu(
    input: Tensor,
    weight: Tensor,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Tensor: ...
def relu(
    input: Tensor,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Tensor: ...
def sigmoid(
    input: Tensor,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Tensor: ...
def silu(
    input: Tensor,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Tensor: ...
def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    beta: RealNumber = 1.0,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Tensor: ...
def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    compute_dtype: DTypeLike | None = None,
) -> Tensor: ...
def softplus(
    input: Tensor,
    beta: RealNumber = 1.0,
    threshold: RealNumber = 20.0,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Tensor: ...
def softshrink(
    input: Tensor,
    lambd: RealNumber = 0.5,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Tensor: ...
def threshold(
    input: Tensor,
    threshold: RealNumber,
    value: RealNumber,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Tensor: ...
