"""Regions of images, resampled to one size."""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor

from .formulas import formula, gradients, one_of, refuse

#: what ends of regions are: as they are, of sizes of at least 1 (0); a pixel further (1); and of
#: pixels whose centers are at halves (3)
_LEGACY, _CLOSED, _ALIGNED = 0, 1, 3


def _weights(start: Tensor, size: Tensor, cells: int, samples: int, pixels: int) -> Tensor:
    """Return the weights [regions, cells, pixels] of an axis' pixels in the means of cells.

    Samples lie evenly in a cell, each between two pixels; those more than a pixel outside are 0.
    """
    steps = (torch.arange(cells * samples, device=start.device) + 0.5) / (cells * samples)
    places = start[:, None] + size[:, None] * steps
    inside = (places >= -1) & (places <= pixels)
    apart = places.clamp(0, pixels - 1)[..., None] - torch.arange(pixels, device=start.device)
    weights = (1 - apart.abs()).clamp(min=0) * inside[..., None]
    return weights.unflatten(1, (cells, samples)).mean(2)


@formula()
def npu_roi_align(
    input: Tensor,
    rois: Tensor,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    sample_num: int,
    roi_end_mode: int,
) -> Tensor:
    """Means of samples in the cells of regions: rows of an image's number, x1, y1, x2 and y2."""
    if roi_end_mode == 2:
        refuse("with roi_end_mode 2")
    one_of("roi_end_mode", roi_end_mode, (_LEGACY, _CLOSED, _ALIGNED))
    if sample_num < 1:
        refuse(f"with sample_num {sample_num}")
    low, high = rois[:, 1:].float().split(2, 1)
    start = low * spatial_scale - (0.5 if roi_end_mode == _ALIGNED else 0)
    size = (high - low + (roi_end_mode == _CLOSED)) * spatial_scale
    size = size.clamp(min=1) if roi_end_mode == _LEGACY else size
    height, width = input.shape[2:]
    columns = _weights(start[:, 0], size[:, 0], pooled_width, sample_num, width)
    rows = _weights(start[:, 1], size[:, 1], pooled_height, sample_num, height)
    means = rows[:, None] @ input[rois[:, 0].long()].float() @ columns.mT[:, None]
    return means.to(input.dtype)


@formula(ignored="pooled_height pooled_width")
def npu_roi_alignbk(
    input: Tensor,
    rois: Tensor,
    xdiff_shape: list[int],
    spatial_scale: float,
    sample_num: int,
    roi_end_mode: int | None,
) -> Tensor:
    """Gradient of `npu_roi_align` for its input, given that of its result.

    Without roi_end_mode, ends are a pixel further (1).
    """
    align = partial(
        npu_roi_align,
        rois=rois,
        spatial_scale=spatial_scale,
        pooled_height=input.shape[2],
        pooled_width=input.shape[3],
        sample_num=sample_num,
        roi_end_mode=_CLOSED if roi_end_mode is None else roi_end_mode,
    )
    return gradients(align, [input.new_zeros(xdiff_shape)], input)[0]
