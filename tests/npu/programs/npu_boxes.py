"""Overlaps and coding of boxes by torch_npu's own operators, beside NumPy in F64."""

import numpy as np
import torch
import torch_npu
from judging import areas, operator, refuse

random = np.random.default_rng(0)


def boxes(count, size=30.0):
    low = random.uniform(0, 60, (count, 2))
    return np.concatenate([low, low + random.uniform(1, size, (count, 2))], 1)


def npu(values):
    return torch.tensor(values, dtype=torch.float32).npu()


def close(found, expected, error=1e-5):
    expected = torch.tensor(np.asarray(expected), dtype=torch.float64)
    torch.testing.assert_close(found.detach().cpu().double(), expected, rtol=error, atol=error)


first, second = boxes(7), boxes(5)
overlaps = np.array([[areas(one, other) for one in first] for other in second])
assert (overlaps[..., 0] > 0).any() and (overlaps[..., 0] == 0).any()
found = torch_npu.npu_iou(npu(first), npu(second))
close(found, (overlaps[..., 0] + 1e-3) / (overlaps[..., 1] + 1e-3))
found = torch_npu.npu_ptiou(npu(first), npu(second))
close(found, overlaps[..., 0] / (overlaps[..., 1] + 1e-3))
sizes = (second[:, 2:] - second[:, :2]).prod(1)[:, None]
for call in (torch_npu.npu_iou, torch_npu.npu_ptiou):
    close(call(npu(first), npu(second), 1), overlaps[..., 0] / (sizes + 1e-3))
assert torch_npu.npu_iou(npu(first).half(), npu(second).half()).dtype == torch.float16

# overlaps with gradients, of boxes as centers and sizes, one beside the other
one, other = (np.stack([b[:, 0], b[:, 1], b[:, 2], b[:, 3]]) for b in (boxes(9), boxes(9)))
centers = [
    np.stack([(b[0] + b[2]) / 2, (b[1] + b[3]) / 2, b[2] - b[0], b[3] - b[1]]) for b in (one, other)
]


def giou(a, b):
    common, union = areas(a, b)
    around = (max(a[2], b[2]) - min(a[0], b[0])) * (max(a[3], b[3]) - min(a[1], b[1]))
    return common / union - (around - union) / around


def diou(a, b):
    common, union = areas(a, b)
    apart = sum(((a[axis] + a[axis + 2]) - (b[axis] + b[axis + 2])) ** 2 / 4 for axis in (0, 1))
    wide = sum((max(a[k + 2], b[k + 2]) - min(a[k], b[k])) ** 2 for k in (0, 1))
    return common / union - apart / wide


def corners(b):
    return np.concatenate([b[:2] - b[2:] / 2, b[:2] + b[2:] / 2])


for name, backward, judge, axis in (
    ("npu_giou", "npu_giou_backward", giou, 1),
    ("npu_diou", "npu_diou_backward", diou, 0),
):
    leaves = [npu(b).requires_grad_() for b in centers]
    found = operator(name)(*leaves, True)
    values = [judge(a, b) for a, b in zip(one.T, other.T, strict=True)]
    close(found, np.expand_dims(values, axis))
    found.sum().backward()
    steps = np.zeros((2, 4, 9))
    for which, row, column in np.ndindex(steps.shape):
        shifted = [b[:, column].copy() for b in centers]
        ends = []
        for step in (1e-6, -2e-6):
            shifted[which][row] += step
            ends.append(judge(*map(corners, shifted)))
        steps[which, row, column] = (ends[0] - ends[1]) / 2e-6
    plain = [leaf.detach() for leaf in leaves]
    grads = operator(backward)(torch.ones_like(found), *plain, True)
    for leaf, grad, slope in zip(leaves, grads, steps, strict=True):
        close(leaf.grad, slope, 1e-4)
        close(grad, slope, 1e-4)

# differences to anchors; the numbers are those of torch_npu's documentation, rounded to F16 there
anchors = npu([[1.0, 2, 3, 4], [3, 4, 5, 6]])
truth = npu([[5.0, 6, 7, 8], [7, 8, 9, 6]])
found = torch_npu.npu_bounding_box_encode(anchors, truth, 0, 0, 0, 0, 0.1, 0.1, 0.2, 0.2)
close(found, [[13.3281, 13.3281, 0, 0], [13.3281, 6.6641, 0, -5.4922]], 1e-3)
deltas = npu([[5.0, 6, 7, 8], [7, 8, 9, 6]])
found = torch_npu.npu_bounding_box_decode(anchors, deltas, 0, 0, 0, 0, 1, 1, 1, 1, (10, 10), 0.1)
close(found, [[2.5, 6.5, 9, 9], [9, 9, 9, 9]])
means, stds = (0.1, -0.2, 0.3, 0.05), (0.5, 0.6, 0.7, 0.8)
code = torch_npu.npu_bounding_box_encode(npu(first[:5]), npu(second), *means, *stds)
back = torch_npu.npu_bounding_box_decode(npu(first[:5]), code, *means, *stds, (200, 200), 1e-3)
close(back, second, 1e-4)

# rotated boxes: angles in degrees; the numbers are those of torch_npu's documentation, in F16
weight = npu([1.0] * 5)
anchors = npu([[[30.69], [32.6], [45.94], [59.88], [-44.53]]])
truth = npu([[[30.44], [18.72], [33.22], [45.56], [8.5]]])
found = torch_npu.npu_rotated_box_encode(anchors, truth, weight)
close(found, [[[-0.4253], [-0.5166], [-1.7021], [-0.0162], [1.1328]]], 2e-3)
anchors = npu([[[4.137], [33.72], [29.4], [54.06], [41.28]]])
deltas = npu([[[0.0244], [-1.992], [0.2109], [0.315], [-37.25]]])
found = torch_npu.npu_rotated_box_decode(anchors, deltas, weight)
close(found, [[[1.7861], [-10.5781], [33.0], [17.2969], [-88.4375]]], 2e-3)
anchors, truth = (
    npu(np.stack([np.column_stack([boxes(6), random.uniform(-80, 80, 6)]).T for _ in range(2)]))
    for _ in range(2)
)
weight = npu([2.0, 3.0, 0.5, 4.0, 0.7])
code = torch_npu.npu_rotated_box_encode(anchors, truth, weight)
close(torch_npu.npu_rotated_box_decode(anchors, code, weight), truth.cpu(), 1e-3)

# overlaps of rotated boxes: of squares that are turned, and of boxes that are not
squares = [[1.0, 2, 4, 4, 0], [1, 2, 4, 4, 45], [1, 2, 4, 4, -90], [101, 2, 4, 4, 45]]
part = 2 * (2**0.5 - 1) * 16
areas_of = np.array([[16, part, 16, 0], [part, 16, part, 0]])
given = [npu([squares[:2]]), npu([squares])]
close(torch_npu.npu_rotated_overlaps(*given), [areas_of], 1e-4)
close(torch_npu.npu_rotated_iou(*given), [areas_of / (32 - areas_of)], 1e-4)
upright = [npu(np.concatenate([b, np.zeros((len(b), 1))], 1)[None]) for b in (second, first)]
close(torch_npu.npu_rotated_overlaps(*upright, True), [overlaps[..., 0]], 1e-4)
close(torch_npu.npu_rotated_iou(*upright, True), [overlaps[..., 0] / overlaps[..., 1]], 1e-4)
# a box turned from the first axis to the second reaches there
long = npu([[[0.0, 0, 10, 1, 45]]])
reached = npu([[[3.0, 3, 0.1, 0.1, 0], [3, -3, 0.1, 0.1, 0]]])
close(torch_npu.npu_rotated_overlaps(long, reached), [[[0.01, 0]]])

# cells of a grid in which centers lie
cells = np.zeros((4, 6, 3), dtype=np.uint8)
for box in first:
    column, row = (int((box[k] + box[k + 2]) / 2 // step) for k, step in ((0, 8), (1, 16)))
    cells[min(row, 3), min(column, 5)] = 1
found = torch_npu.npu_anchor_response_flags(npu(first), [4, 6], [8, 16], 3)
assert np.array_equal(found.cpu(), cells.ravel()) and 0 < cells.sum() < cells.size

WRONG = (
    (lambda: torch_npu.npu_iou(npu(first), npu(second), 2), "mode is 2; allowed: 0, 1"),
    (
        lambda: torch_npu.npu_rotated_iou(*given, mode=1),
        "emulated device: npu::npu_rotated_iou is not available: with mode 1",
    ),
    (lambda: torch_npu.npu_rotated_overlaps(npu(first), given[1]), "input has the shape [7, 4]"),
    (
        lambda: torch_npu.npu_rotated_iou(given[0], -given[1]),
        "query_boxes has box 0 of -4.0 by -4.0; sizes must be at least 0",
    ),
    (
        lambda: torch_npu.npu_giou(*leaves),
        "emulated device: npu::npu_giou is not available: except for trans",
    ),
    (lambda: torch_npu.npu_diou(leaves[0], npu(first), True), "gtboxes has the shape [7, 4]"),
)
refuse(WRONG)

# samples of regions: between pixels, 0 outside of an image and as at its edge beside that
image = random.normal(size=(2, 3, 7, 9))
regions = np.array(
    [[1, 3.0, 2.0, 21.0, 17.5], [0, -9.0, -6.0, 30.0, 33.0], [0, 8.0, 9.0, 8.5, 9.5]]
)


def sampled(plane, y, x):
    height, width = plane.shape
    if not (-1 <= y <= height and -1 <= x <= width):
        return 0.0
    y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    return sum(
        plane[row, column] * max(0, 1 - abs(y - row)) * max(0, 1 - abs(x - column))
        for row in range(height)
        for column in range(width)
    )


def places(start, end, cell, cells, mode, scale=0.3, samples=2):
    """Return where the samples of a region's cell lie along an axis."""
    size = scale * (end - start + (mode == 1))
    size = max(size, 1.0) if mode == 0 else size
    first = scale * start - (0.5 if mode == 3 else 0)
    return [first + size * (cell + (k + 0.5) / samples) / cells for k in range(samples)]


def aligned(image, mode, cells=(2, 3)):
    means = np.zeros((len(regions), image.shape[1], *cells))
    for region, channel, row, column in np.ndindex(*means.shape):
        number, left, top, right, bottom = regions[region]
        plane = image[int(number), channel]
        lines = places(top, bottom, row, cells[0], mode)
        points = places(left, right, column, cells[1], mode)
        samples = [sampled(plane, y, x) for y in lines for x in points]
        means[region, channel, row, column] = np.mean(samples)
    return means


for mode in (0, 1, 3):
    found = torch_npu.npu_roi_align(npu(image), npu(regions), 0.3, 2, 3, 2, mode)
    close(found, aligned(image, mode))
    given = random.normal(size=found.shape)
    others = (list(image.shape), 3, 2, 0.3, 2, *([mode] if mode != 1 else []))
    gradient = torch_npu.npu_roi_alignbk(npu(given), npu(regions), *others)
    direction = random.normal(size=image.shape)  # the operator is linear
    close(
        (gradient.cpu() * torch.tensor(direction)).sum(),
        (given * aligned(direction, mode)).sum(),
        1e-4,
    )
refuse(
    [
        (
            lambda: torch_npu.npu_roi_align(npu(image), npu(regions), 0.3, 2, 3, 0, 0),
            "emulated device: npu::npu_roi_align is not available: with sample_num 0",
        ),
        (
            lambda: torch_npu.npu_roi_align(npu(image), npu(regions), 0.3, 2, 3, 2, 2),
            "emulated device: npu::npu_roi_align is not available: with roi_end_mode 2",
        ),
    ]
)
