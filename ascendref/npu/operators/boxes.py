"""Boxes: overlaps, and differences to anchors."""

from __future__ import annotations

import math
from functools import partial

import torch
from torch import Tensor

from ...core.errors import ArgumentValueError
from .formulas import Tensors, formula, gradients, one_of, refuse

#: added to areas that are divisors
_LITTLE = 0.001


def areas(one: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
    """Return the areas of intersections and unions of boxes x1, y1, x2, y2."""
    low = torch.maximum(one[..., :2], other[..., :2])
    high = torch.minimum(one[..., 2:], other[..., 2:])
    common = (high - low).clamp(min=0).prod(-1)
    size, other_size = ((box[..., 2:] - box[..., :2]).prod(-1) for box in (one, other))
    return common, size + other_size - common


def _all_areas(bboxes: Tensor, gtboxes: Tensor, mode: int) -> tuple[Tensor, Tensor]:
    """Return the areas of all intersections, and of unions (0) or of the second boxes (1)."""
    one_of("mode", mode, (0, 1))
    second = gtboxes.float().unsqueeze(1)
    common, union = areas(second, bboxes.float())
    return common, (second[..., 2:] - second[..., :2]).prod(-1) if mode else union


@formula()
def npu_iou(bboxes: Tensor, gtboxes: Tensor, mode: int) -> Tensor:
    """(intersection + 0.001) / (union + 0.001) of each second box with each first one.

    In the mode 1, intersection / (area of the second box + 0.001).
    """
    common, whole = _all_areas(bboxes, gtboxes, mode)
    return ((common if mode else common + _LITTLE) / (whole + _LITTLE)).to(bboxes.dtype)


@formula()
def npu_ptiou(bboxes: Tensor, gtboxes: Tensor, mode: int) -> Tensor:
    """intersection / (union + 0.001) of each second box with each first one, as `npu_iou`."""
    common, whole = _all_areas(bboxes, gtboxes, mode)
    return (common / (whole + _LITTLE)).to(bboxes.dtype)


def _corners(boxes: Tensor) -> Tensor:
    """Return boxes, in columns as center, width and height, in rows as corners."""
    center, size = boxes.float().t().split(2, -1)
    return torch.cat([center - size / 2, center + size / 2], -1)


def _aligned(one: Tensor, other: Tensor, trans: bool) -> tuple[Tensor, Tensor]:
    """Return boxes as corners; those whose overlaps have gradients on a device."""
    if not trans:
        refuse("except for trans True")
    for name, boxes in (("input", one), ("gtboxes", other)):
        if boxes.ndim != 2 or len(boxes) != 4 or boxes.shape != one.shape:
            raise ArgumentValueError(
                name, f"has the shape {list(boxes.shape)}; expected: [4, n], both times"
            )
    return _corners(one), _corners(other)


def _enclosing(one: Tensor, other: Tensor) -> Tensor:
    """Return width and height of the smallest boxes around two."""
    low = torch.minimum(one[..., :2], other[..., :2])
    return torch.maximum(one[..., 2:], other[..., 2:]) - low


@formula()
def npu_giou(input: Tensor, gtboxes: Tensor, trans: bool) -> Tensor:
    """IoU less the part of the smallest box around both that the union does not fill."""
    one, other = _aligned(input, gtboxes, trans)
    common, union = areas(one, other)
    around = _enclosing(one, other).prod(-1)
    return (common / union - (around - union) / around).unsqueeze(1).to(input.dtype)


@formula()
def npu_diou(input: Tensor, gtboxes: Tensor, trans: bool) -> Tensor:
    """IoU less the square of the distance of centers, relative to the diagonal around both."""
    one, other = _aligned(input, gtboxes, trans)
    common, union = areas(one, other)
    apart = (one[..., :2] + one[..., 2:] - other[..., :2] - other[..., 2:]) / 2
    diagonal = _enclosing(one, other).square().sum(-1)
    return (common / union - apart.square().sum(-1) / diagonal).unsqueeze(0).to(input.dtype)


@formula()
def npu_giou_backward(grad: Tensor, bboxes: Tensor, gtboxes: Tensor, trans: bool) -> Tensors:
    """Gradients of `npu_giou` for both boxes."""
    return gradients(partial(npu_giou, trans=trans), [bboxes, gtboxes], grad)


@formula()
def npu_diou_backward(grad: Tensor, bboxes: Tensor, gtboxes: Tensor, trans: bool) -> Tensors:
    """Gradients of `npu_diou` for both boxes."""
    return gradients(partial(npu_diou, trans=trans), [bboxes, gtboxes], grad)


def _measured(boxes: Tensor) -> tuple[Tensor, Tensor]:
    """Return centers and sizes of boxes x1, y1, x2, y2, both of whose ends belong to them."""
    low, high = boxes.float().split(2, -1)
    return (low + high) / 2, high - low + 1


@formula()
def npu_bounding_box_encode(
    anchor_box: Tensor, ground_truth_box: Tensor, **numbers: float
) -> Tensor:
    """Differences of boxes to anchors: of centers, relative to sizes, and logarithms of ratios.

    Then less their means and divided by their deviations. A negative size counts as its magnitude:
    the example of torch_npu's docstring has one.
    """
    center, size = _measured(anchor_box)
    other, other_size = _measured(ground_truth_box)
    deltas = torch.cat([(other - center) / size, torch.log((other_size / size).abs())], -1)
    means, stds = _means_and_deviations(anchor_box, numbers)
    return ((deltas - means) / stds).to(anchor_box.dtype)


@formula()
def npu_bounding_box_decode(
    rois: Tensor, deltas: Tensor, max_shape: list[int], wh_ratio_clip: float, **numbers: float
) -> Tensor:
    """Boxes that have differences to others, as `npu_bounding_box_encode` has them.

    Sizes change by no more than a ratio, and corners stay inside the image.
    """
    center, size = _measured(rois)
    means, stds = _means_and_deviations(rois, numbers)
    moved, grown = (deltas.float() * stds + means).split(2, -1)
    limit = abs(math.log(wh_ratio_clip))
    half = size * torch.exp(grown.clamp(-limit, limit)) / 2
    center = center + size * moved
    height, width = max_shape if len(max_shape) == 2 else max_shape * 2
    ends = torch.tensor([width - 1, height - 1] * 2, device=rois.device, dtype=torch.float32)
    found = torch.cat([center - half + 0.5, center + half - 0.5], -1).clamp(min=0)
    return torch.minimum(found, ends).to(rois.dtype)


def _means_and_deviations(like: Tensor, numbers: dict[str, float]) -> tuple[Tensor, Tensor]:
    """Return the numbers means0 to means3 and stds0 to stds3 as tensors."""
    found = torch.tensor([*numbers.values()], device=like.device, dtype=torch.float32)
    return found[:4], found[4:]


def _rotated(boxes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return centers, sizes and the tangents of the angles of boxes [batch, 5, n], in degrees."""
    low, high, angle = boxes.float().split([2, 2, 1], 1)
    return (low + high) / 2, high - low, torch.tan(torch.deg2rad(angle))


@formula()
def npu_rotated_box_encode(input: Tensor, gt_bboxes: Tensor, weight: Tensor) -> Tensor:
    """Differences of rotated boxes to anchors, weighted.

    Of centers, relative to sizes; logarithms of ratios of sizes; and of the angles' tangents.
    """
    center, size, slope = _rotated(input)
    other, other_size, other_slope = _rotated(gt_bboxes)
    found = [(other - center) / size, torch.log(other_size / size), other_slope - slope]
    return (torch.cat(found, 1) * weight.float()[:, None]).to(input.dtype)


@formula()
def npu_rotated_box_decode(input: Tensor, deltas: Tensor, weight: Tensor) -> Tensor:
    """Rotated boxes that have differences to anchors, as `npu_rotated_box_encode` has them."""
    center, size, slope = _rotated(input)
    moved, grown, turned = (deltas.float() / weight.float()[:, None]).split([2, 2, 1], 1)
    center, half = center + moved * size, size * torch.exp(grown) / 2
    angle = torch.rad2deg(torch.atan(slope + turned))
    return torch.cat([center - half, center + half, angle], 1).to(input.dtype)


@formula()
def npu_anchor_response_flags(
    input: Tensor, featmap_size: list[int], stride: list[int], num_base_anchors: int
) -> Tensor:
    """1 for all anchors of the cells of a grid in which centers of boxes lie, 0 for others.

    Centers outside the grid count for its nearest cell; strides are of the axes x and y.
    """
    height, width = featmap_size
    first, second = input.float().split(2, -1)
    cells = ((first + second) / 2 / first.new_tensor(stride)).floor().long()
    flags = input.new_zeros(height, width, num_base_anchors, dtype=torch.uint8)
    flags[cells[:, 1].clamp(0, height - 1), cells[:, 0].clamp(0, width - 1)] = 1
    return flags.flatten()
