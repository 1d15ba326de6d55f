"""Boxes that overlap no better ones, by torch_npu's own operators, beside NumPy in F64."""

import numpy as np
import torch
import torch_npu
from judging import areas, refuse

random = np.random.default_rng(0)


def boxes(*shape, size=40.0):
    low = random.uniform(0, 60, (*shape, 2))
    return np.concatenate([low, low + random.uniform(1, size, (*shape, 2))], -1)


def ratio(one, other):
    """Return the intersection of two boxes over their union."""
    common, union = areas(one, other)
    return common / union


def suppressed(order, overlap, limit, most=None):
    """Return the numbers that are chosen in an order, given the overlap of any two."""
    chosen = []
    for number in order:
        if len(chosen) != most and all(overlap(number, other) <= limit for other in chosen):
            chosen.append(number)
    return chosen


def falling(scores, least):
    return [k for k in sorted(range(len(scores)), key=lambda k: -scores[k]) if scores[k] > least]


def npu(values):
    return torch.tensor(values, dtype=torch.float32).npu()


candidates, scores = boxes(40), random.uniform(0, 1, 40)


def upright(one, other):
    return ratio(candidates[one], candidates[other])


# any two opposite corners may be given
for most, limit, least in ((40, 0.3, 0.2), (5, 0.5, 0.0), (40, 0.0, 0.9), (3, 0.5, 2.0)):
    expected = suppressed(falling(scores, least), upright, limit, most)
    swapped = candidates[:, [2, 1, 0, 3]]
    for given in (candidates, swapped):
        found, count = torch_npu.npu_nms_v4(npu(given), npu(scores), most, npu(limit), npu(least))
        assert found.dtype == count.dtype == torch.int32
        assert found.tolist() == expected and count.item() == len(expected)
    found, count = torch_npu.npu_nms_v4(
        npu(candidates), npu(scores), most, npu(limit), npu(least), True
    )
    assert len(found) == most and found[: count.item()].tolist() == expected

# a mask, in the order given
for columns in (1, 4):
    given = npu(np.concatenate([candidates, random.uniform(0, 1, (40, columns))], 1))
    located, numbers, mask = torch_npu.npu_nms_with_mask(given, 0.3)
    assert torch.equal(located, given[:, :5]) and numbers.tolist() == list(range(40))
    assert (numbers.dtype, mask.dtype) == (torch.int32, torch.uint8)
    assert mask.nonzero().flatten().tolist() == suppressed(range(40), upright, 0.3)

# the best of each class, then of all, padded with zeros
for shared in (True, False):
    given = np.float16(boxes(3, 20, 1 if shared else 4))
    rated = np.float16(random.uniform(0, 1, (3, 20, 4)))
    rated[2] = 0  # an image without boxes
    found = torch_npu.npu_batch_nms(
        torch.from_numpy(given).npu(), torch.from_numpy(rated).npu(), 0.3, 0.4, 4, 9
    )
    assert [part.dtype for part in found] == [torch.float16] * 3 + [torch.int32]
    assert [tuple(part.shape) for part in found] == [(3, 9, 4), (3, 9), (3, 9), (3,)]
    for image in range(3):
        rows = []
        for label in range(4):
            own = np.float64(given[image, :, 0 if shared else label])
            kept = suppressed(
                falling(rated[image, :, label], 0.3),
                lambda a, b, own=own: ratio(own[a], own[b]),
                0.4,
                4,
            )
            rows += [(*own[k], rated[image, k, label], label) for k in kept]
        rows = sorted(rows, key=lambda row: -row[4])[:9]
        assert found[3][image].item() == len(rows) and (len(rows) == 0) == (image == 2)
        expected = np.zeros((9, 6))
        expected[: len(rows)] = np.array(rows).reshape(-1, 6)
        got = torch.cat([found[0][image], found[1][image, :, None], found[2][image, :, None]], -1)
        assert np.array_equal(got.cpu().numpy(), expected)

# rotated boxes: the judge measures lines through both
turned = np.column_stack(
    [random.uniform(0, 60, (40, 2)), random.uniform(5, 40, (40, 2)), random.uniform(-180, 180, 40)]
)
LINES = (np.arange(20000) + 0.5) / 20000 * 200 - 70


def spans(box):
    """Return where each horizontal line enters and leaves a rotated box."""
    x, y, width, height, angle = box
    cos, sin = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    low, high = np.full(LINES.shape, -np.inf), np.full(LINES.shape, np.inf)
    # |u cos + v sin| <= width / 2 and |v cos - u sin| <= height / 2, u and v from the center
    for step, rest, half in (
        (cos, sin * (LINES - y), width / 2),
        (-sin, cos * (LINES - y), height / 2),
    ):
        ends = np.sort([(-half - rest) / step, (half - rest) / step], axis=0)
        low, high = np.maximum(low, ends[0]), np.minimum(high, ends[1])
    return low + x, high + x


measured = [spans(box) for box in turned]


def rotated(one, other):
    (low, high), (other_low, other_high) = measured[one], measured[other]
    lengths = np.minimum(high, other_high) - np.maximum(low, other_low)
    common = np.maximum(lengths, 0).sum() * (LINES[1] - LINES[0])
    return common / (turned[[one, other], 2] @ turned[[one, other], 3] - common)


for most, limit, least in ((-1, 0.2, 0.0), (-1, 0.05, 0.3), (4, 0.5, 0.0)):
    found, count = torch_npu.npu_nms_rotated(npu(turned), npu(scores), limit, least, most)
    expected = suppressed(falling(scores, least), rotated, limit, None if most < 0 else most)
    assert found.tolist() == expected and count.tolist() == [len(expected)]
    assert found.dtype == count.dtype == torch.int32 and 1 < len(expected) < 40
# a square turned by 45 degrees covers 2 (sqrt(2) - 1) of the same square
square = npu([[0.0, 0, 2, 2, 0], [0, 0, 2, 2, 45]])
share = 2 * (2**0.5 - 1) / (2 - 2 * (2**0.5 - 1))
for limit, kept in ((share - 1e-4, 1), (share + 1e-4, 2)):
    assert torch_npu.npu_nms_rotated(square, npu([0.5, 0.4]), limit)[1].item() == kept

WRONG = (
    (lambda: torch_npu.npu_nms_with_mask(npu(candidates), 0.5), "input has the shape [40, 4]"),
    (
        lambda: torch_npu.npu_batch_nms(
            npu(boxes(2, 3, 2)).half(), npu(np.zeros((2, 3, 4))).half(), 0, 0, 1, 1
        ),
        "input has the shape [2, 3, 2, 4]; expected for scores of the shape [2, 3, 4]",
    ),
    (
        lambda: torch_npu.npu_batch_nms(
            npu(boxes(2, 3, 1)).half(), npu(np.zeros((2, 3, 4))).half(), 0, 0, 1, 1, True
        ),
        "emulated device: npu::npu_batch_nms is not available: with change_coordinate_frame",
    ),
    (
        lambda: torch_npu.npu_nms_rotated(square, npu([0.5, 0.4]), 0.5, 0.0, -1, 1),
        "emulated device: npu::npu_nms_rotated is not available: with mode 1",
    ),
    (
        lambda: torch_npu.npu_nms_rotated(npu([[0, 0, 1, 1, 0], [0, 0, 2, -1, 0]]), npu([1, 2]), 0),
        "input has box 1 of 2.0 by -1.0; sizes must be at least 0",
    ),
)
refuse(WRONG)
