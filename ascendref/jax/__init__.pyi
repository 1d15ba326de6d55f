"""Functions for JAX whose gradients are computed by ascendref's kernels."""

from typing import Literal

from jax import Array
from jax.typing import ArrayLike

from ..core.dtypes import DTypeLike
from ..declaration.scalars import RealNumber

def binary_cross_entropy(
    x: ArrayLike,
    target: ArrayLike,
    weight: ArrayLike | None = None,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def binary_cross_entropy_with_logits(
    x: ArrayLike,
    target: ArrayLike,
    weight: ArrayLike | None = None,
    pos_weight: ArrayLike | None = None,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def celu(
    x: ArrayLike,
    alpha: RealNumber = 1.0,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def elu(
    x: ArrayLike,
    alpha: RealNumber = 1.0,
    scale: RealNumber = 1.0,
    input_scale: RealNumber = 1.0,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def fast_gelu(
    x: ArrayLike,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def gelu(
    x: ArrayLike,
    approximate: Literal["none", "tanh"] | int = "none",
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def glu(
    x: ArrayLike,
    dim: int = -1,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def hardshrink(
    x: ArrayLike,
    lambd: RealNumber = 0.5,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def hardsigmoid(
    x: ArrayLike,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def hardswish(
    x: ArrayLike,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def hardtanh(
    x: ArrayLike,
    min_val: RealNumber = -1.0,
    max_val: RealNumber = 1.0,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def kl_div(
    x: ArrayLike,
    target: ArrayLike,
    reduction: Literal["none", "mean", "sum", "batchmean"] | RealNumber = "mean",
    log_target: bool = False,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def l1_loss(
    x: ArrayLike,
    target: ArrayLike,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def leaky_relu(
    x: ArrayLike,
    negative_slope: RealNumber = 0.01,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def log_sigmoid(
    x: ArrayLike,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def logit(
    x: ArrayLike,
    eps: RealNumber | None = -1.0,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def mish(
    x: ArrayLike,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def mse_loss(
    x: ArrayLike,
    target: ArrayLike,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def prelu(
    x: ArrayLike,
    weight: ArrayLike,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def relu(
    x: ArrayLike,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def selu(
    x: ArrayLike,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def sigmoid(
    x: ArrayLike,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def silu(
    x: ArrayLike,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def smooth_l1_loss(
    x: ArrayLike,
    target: ArrayLike,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    beta: RealNumber = 1.0,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def soft_margin_loss(
    x: ArrayLike,
    target: ArrayLike,
    reduction: Literal["none", "mean", "sum"] | RealNumber = "mean",
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def softplus(
    x: ArrayLike,
    beta: RealNumber = 1.0,
    threshold: RealNumber = 20.0,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def softshrink(
    x: ArrayLike,
    lambd: RealNumber = 0.5,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def squared_relu(
    x: ArrayLike,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def swiglu(
    x: ArrayLike,
    dim: int = -1,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def swish(
    x: ArrayLike,
    beta: RealNumber = 1.0,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
def threshold(
    x: ArrayLike,
    threshold: RealNumber,
    value: RealNumber,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
