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
def logit(
    x: ArrayLike,
    eps: RealNumber | None = -1.0,
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
def swiglu(
    x: ArrayLike,
    dim: int = -1,
    *,
    compute_dtype: DTypeLike | None = None,
) -> Array: ...
