"""Suppression of boxes by better ones that overlap them (non-maximum suppression, NMS)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch
from torch import Tensor

from ...core.errors import ArgumentValueError
from .boxes import areas
from .formulas import Tensors, formula
from .rotated import area, common_part, polygons

#: whether a box overlaps any of others by more than the threshold, given their numbers
Overlaps = Callable[[int, list[int]], bool]


def _chosen(candidates: Iterable[int], overlaps: Overlaps, most: int | None = None) -> list[int]:
    """Return the candidates, in order and up to a limit, that overlap none chosen before."""
    chosen: list[int] = []
    for number in candidates:
        if len(chosen) == most:
            break
        if not overlaps(number, chosen):
            chosen.append(number)
    return chosen


def _by_score(scores: Tensor, least: float) -> list[int]:
    """Return the numbers of scores above the least, the highest first."""
    order: list[int] = scores.argsort(descending=True, stable=True).tolist()
    return [number for number in order if scores[number] > least]


def _upright(boxes: Tensor, threshold: float) -> Overlaps:
    """Return the overlaps of boxes given by any two opposite corners."""
    first, second = boxes.split(2, -1)
    corners = torch.cat([torch.minimum(first, second), torch.maximum(first, second)], -1)

    def overlaps(number: int, others: list[int]) -> bool:
        common, union = areas(corners[number], corners[others])
        return bool((common > threshold * union).any())

    return overlaps


def _host(tensor: Tensor) -> Tensor:
    return tensor.float().cpu()


@formula()
def npu_nms_v4(
    input: Tensor,
    scores: Tensor,
    max_output_size: float,
    iou_threshold: Tensor,
    scores_threshold: Tensor,
    pad_to_max_output_size: bool,
) -> Tensors:
    """Non-maximum suppression: indices of the kept boxes by decreasing score, and their count.

    Corners may be any two opposite ones.
    """
    most = int(max_output_size)
    candidates = _by_score(_host(scores), float(scores_threshold))
    chosen = _chosen(candidates, _upright(_host(input), float(iou_threshold)), most)
    padding = [0] * (most - len(chosen)) if pad_to_max_output_size else []
    places = torch.tensor(chosen + padding, dtype=torch.int32)
    count = torch.tensor(len(chosen), dtype=torch.int32)
    return places.to(input.device), count.to(input.device)


@formula()
def npu_nms_with_mask(input: Tensor, iou_threshold: float) -> Tensors:
    """Boxes x0, y0, x1, y1 and scores, their numbers, and 1 for each that is kept.

    The boxes are taken in the order given, as the device does: their scores are not looked at.
    """
    if input.ndim != 2 or input.shape[1] < 5:
        raise ArgumentValueError(
            "input", f"has the shape {list(input.shape)}; expected: [n, 8] or [n, 5]"
        )
    count = len(input)
    kept = _chosen(range(count), _upright(_host(input)[:, :4], float(iou_threshold)))
    mask = torch.zeros(count, dtype=torch.uint8)
    mask[kept] = 1
    numbers = torch.arange(count, dtype=torch.int32, device=input.device)
    return input[:, :5].clone(), numbers, mask.to(input.device)


@formula()
def npu_batch_nms(
    input: Tensor,
    scores: Tensor,
    score_threshold: float,
    iou_threshold: float,
    max_size_per_class: int,
    max_total_size: int,
) -> Tensors:
    """The best boxes of every class that overlap no better ones, then the best of all classes.

    As TensorFlow's CombinedNonMaxSuppression without clipping. Boxes have the shape [batch, n, 1 or
    classes, 4], scores [batch, n, classes]. Returns boxes, scores and classes, with zeros up to the
    total size, and the number in each image.
    """
    images, boxes, classes = _shape("scores", scores, 3)
    given = _shape("input", input, 4)
    if given not in ((images, boxes, 1, 4), (images, boxes, classes, 4)):
        raise ArgumentValueError(
            "input",
            f"has the shape {list(given)}; expected for scores of the shape {list(scores.shape)}: "
            f"[{images}, {boxes}, 1 or {classes}, 4]",
        )
    results = torch.zeros(images, max_total_size, 6)
    counts = torch.zeros(images, dtype=torch.int32)
    for image, (corners, ratings) in enumerate(zip(_host(input), _host(scores), strict=True)):
        rows = [torch.zeros(0, 6)]
        for number in range(classes):
            own, rating = corners[:, 0 if given[2] == 1 else number], ratings[:, number]
            candidates = _by_score(rating, score_threshold)
            chosen = _chosen(candidates, _upright(own, iou_threshold), max_size_per_class)
            label = torch.full((len(chosen), 1), float(number))
            rows.append(torch.cat([own[chosen], rating[chosen, None], label], -1))
        found = torch.cat(rows)
        found = found[found[:, 4].argsort(descending=True, stable=True)[:max_total_size]]
        results[image, : len(found)] = found
        counts[image] = len(found)
    located, rated, labelled = results.to(input.device, input.dtype).split([4, 1, 1], -1)
    return located, rated.squeeze(-1), labelled.squeeze(-1), counts.to(input.device)


def _shape(name: str, tensor: Tensor, rank: int) -> tuple[int, ...]:
    if tensor.ndim != rank:
        raise ArgumentValueError(name, f"has the rank {tensor.ndim}; expected: {rank}")
    return tuple(tensor.shape)


@formula()
def npu_nms_rotated(
    input: Tensor,
    scores: Tensor,
    iou_threshold: float,
    scores_threshold: float,
    max_output_size: int,
) -> Tensors:
    """Rotated boxes, by falling scores, that overlap none chosen before by more than a threshold.

    A box is its center, width and height, and the degrees by which it is turned from the first
    axis to the second.
    """
    boxes = polygons("input", input.cpu().double().tolist())
    sizes = [area(box) for box in boxes]

    def overlaps(number: int, others: list[int]) -> bool:
        for other in others:
            common = area(common_part(boxes[number], boxes[other]))
            if common > iou_threshold * (sizes[number] + sizes[other] - common):
                return True
        return False

    most = None if max_output_size < 0 else max_output_size
    chosen = _chosen(_by_score(_host(scores), scores_threshold), overlaps, most)
    places = torch.tensor(chosen, dtype=torch.int32)
    count = torch.tensor([len(chosen)], dtype=torch.int32)
    return places.to(input.device), count.to(input.device)
