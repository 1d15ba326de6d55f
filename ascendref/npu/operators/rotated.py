"""Overlaps of rotated boxes."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable

import torch
from torch import Tensor

from ...core.errors import ArgumentValueError
from .formulas import formula


@formula()
def npu_rotated_overlaps(input: Tensor, query_boxes: Tensor, trans: bool) -> Tensor:
    """The area of the intersection of each box with each second one, of the shape [batch, n, k].

    Boxes have the shape [batch, n, 5], as in the documentation's examples: center, width and
    height, or with trans two corners, and the degrees by which it is turned about its center from
    the first axis to the second.
    """
    return _pairs(input, query_boxes, trans, lambda common, one, other: common)


@formula()
def npu_rotated_iou(input: Tensor, query_boxes: Tensor, trans: bool) -> Tensor:
    """The intersection, as of `npu_rotated_overlaps`, divided by the union; 0 if that is 0."""
    return _pairs(
        input, query_boxes, trans, lambda common, one, other: _share(common, one + other - common)
    )


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _pairs(
    input: Tensor, query_boxes: Tensor, trans: bool, value: Callable[[float, float, float], float]
) -> Tensor:
    """Return values of areas for all pairs of boxes: of the intersection, and of both."""
    for name, boxes in (("input", input), ("query_boxes", query_boxes)):
        if boxes.ndim != 3 or boxes.shape[2] != 5 or len(boxes) != len(input):
            raise ArgumentValueError(
                name, f"has the shape {list(boxes.shape)}; expected: [batch, n, 5], both times"
            )
    found = torch.empty(len(input), input.shape[1], query_boxes.shape[1], dtype=torch.float64)
    for image in range(len(input)):
        ones = polygons("input", _rows(input[image], trans))
        others = polygons("query_boxes", _rows(query_boxes[image], trans))
        for row, one in enumerate(ones):
            for column, other in enumerate(others):
                common = area(common_part(one, other))
                found[image, row, column] = value(common, area(one), area(other))
    return found.to(input.device, input.dtype)


def _rows(boxes: Tensor, trans: bool) -> list[list[float]]:
    """Return the boxes as center, width, height and degrees."""
    first, second, angle = boxes.cpu().double().split([2, 2, 1], -1)
    if trans:
        first, second = (first + second) / 2, second - first
    rows: list[list[float]] = torch.cat([first, second, angle], -1).tolist()
    return rows


def polygons(name: str, boxes: list[list[float]]) -> list[list[complex]]:
    """Return the corners of an argument's boxes: center, width, height and degrees."""
    for number, (_, _, width, height, _) in enumerate(boxes):
        if width < 0 or height < 0:
            raise ArgumentValueError(
                name, f"has box {number} of {width} by {height}; sizes must be at least 0"
            )
    return [_corners(*box) for box in boxes]


def _corners(x: float, y: float, width: float, height: float, angle: float) -> list[complex]:
    """Return the corners of a rotated box, counterclockwise, as complex numbers."""
    turn, half = cmath.rect(0.5, math.radians(angle)), complex(width, height)
    steps = (half, -half.conjugate(), -half, half.conjugate())
    return [complex(x, y) + turn * step for step in steps]


def _cross(one: complex, other: complex) -> float:
    """Return the cross product of two vectors, positive if the other is to the left."""
    return (one.conjugate() * other).imag


def area(polygon: list[complex]) -> float:
    """Return the area of a polygon with counterclockwise corners."""
    return sum(_cross(polygon[i - 1], corner) for i, corner in enumerate(polygon)) / 2


def common_part(polygon: list[complex], other: list[complex]) -> list[complex]:
    """Return the intersection of two convex polygons (Sutherland and Hodgman's algorithm)."""
    for i, stop in enumerate(other):
        polygon = _left(polygon, other[i - 1], stop)
    return polygon


def _left(polygon: list[complex], start: complex, stop: complex) -> list[complex]:
    """Return the part of a convex polygon to the left of a line."""
    sides = [_cross(stop - start, corner - start) for corner in polygon]
    found = []
    for i, corner in enumerate(polygon):
        before, side = sides[i - 1], sides[i]
        if (before < 0) != (side < 0):
            share = before / (before - side)
            found.append(polygon[i - 1] + share * (corner - polygon[i - 1]))
        if side >= 0:
            found.append(corner)
    return found
