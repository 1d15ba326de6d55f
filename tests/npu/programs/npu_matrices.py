"""Products of matrices and convolutions by torch_npu's own operators, beside the CPU's."""

import torch
import torch_npu
from judging import beside, close, derived, npu, operator, refuse
from torch.nn import functional as F

torch.manual_seed(0)
x, weight, bias = torch.randn(5, 6), torch.randn(4, 6), torch.randn(4)
assert beside("npu_linear", F.linear, [x, weight, bias])
assert beside("npu_linear", F.linear, [x, weight])
assert beside("npu_bmmV2", torch.bmm, [torch.randn(2, 3, 6), torch.randn(2, 6, 4)], [])
several = [torch.randn(2, 3, 6), torch.randn(6, 4)]  # one matrix for all batches
_, given, expected = derived(torch.matmul, several)
for name, want in zip(
    ("npu_bmm_v2_mat1_backward", "npu_bmm_v2_mat2_backward"), expected, strict=True
):
    close(operator(name)(*npu(given, *several), list(want.shape)), want)
_, given, expected = derived(F.linear, [x, weight])
close(torch.ops.npu.npu_linear_backward(*npu(given, x, weight)), expected)
assert not beside(
    "npu_transpose_batchmatmul",
    lambda x, w: torch.einsum("mbk,bkn->mbn", x, w),
    [torch.randn(3, 2, 6), torch.randn(2, 6, 4)],
    perm_x1=[1, 0, 2],
    perm_y=[1, 0, 2],
)

# groups of rows: as several matrices, or as parts of one
GROUPED = operator("npu_grouped_matmul")
LIST = operator("npu_grouped_matmul.List")
counts = [2, 0, 3]
ends = [2, 2, 5]
rows = torch.randn(5, 6)
weights, biases = [torch.randn(6, 4) for _ in counts], [torch.randn(4) for _ in counts]
pieces = rows.split(counts)
expected = [a @ b + c for a, b, c in zip(pieces, weights, biases, strict=True)]


several = npu(*weights), npu(*biases)
close(GROUPED(npu(*pieces), several[0], bias=several[1], group_type=-1), expected)
close(LIST(npu(*pieces), several[0], bias=several[1]), expected)
close(LIST(npu(rows), several[0], bias=several[1], group_list=ends), expected)
joined = [torch.cat(expected)]
for kind, numbers in ((0, ends), (1, counts)):
    options = {
        "group_list": torch.tensor(numbers).npu(), "group_list_type": kind, "group_type": 0,
        "split_item": 3, "output_dtype": torch.float32,
    }  # fmt: skip
    close(GROUPED(npu(rows), several[0], bias=several[1], **options), joined)
    stacked = npu(torch.stack(weights)), npu(torch.stack(biases))
    close(GROUPED(npu(rows), stacked[0], bias=stacked[1], **options), joined)
found = torch_npu.npu_grouped_matmul(
    npu(rows), several[0], group_list=torch.tensor([1, 2, 4]).npu(), group_type=0, split_item=2
)
assert (found[0][4] == 0).all() and (found[0][3] != 0).all()  # a row of no group

totals, others = torch.randn(3, 6, 4), torch.randn(5, 4)
expected = totals.clone()
for number, (first, last) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
    expected[number] += rows.half()[first:last].float().t() @ others.half()[first:last].float()
for kind, numbers in ((0, ends), (1, counts)):
    device = totals.npu()
    parts = (device, rows.half().npu(), others.half().npu(), torch.tensor(numbers).npu())
    found = torch.ops.npu.npu_grouped_matmul_add(*parts, group_list_type=kind)
    close(found, expected)
    assert torch.equal(device.cpu(), totals)
    found = torch.ops.npu.npu_grouped_matmul_add_(*parts, group_list_type=kind)
    assert found is device
    close(device, expected)

# convolutions with their gradients
images, volumes = torch.randn(2, 4, 7, 6), torch.randn(1, 2, 4, 5, 3)
filters, blocks = torch.randn(6, 2, 3, 3), torch.randn(4, 2, 2, 3, 1)
shift = torch.randn(6)
PLAIN = ([2, 1], [1, 0], [1, 2], 2)
CUBES = ([1, 2, 1], [0, 1, 1], [1, 1, 1], 1)


def flat(x, w, b=None):
    return F.conv2d(x, w, b, *PLAIN)


def cubic(x, w, b=None):
    return F.conv3d(x, w, b, *CUBES)


of_images, of_volumes = [images, filters, shift], [volumes, blocks, shift[:4]]
for name, backward, judge, tensors, args in (
    ("npu_conv2d", "npu_conv2d_backward", flat, of_images, PLAIN),
    ("npu_conv3d", "npu_conv3d_backward", cubic, of_volumes, CUBES),
    ("npu_convolution", "npu_convolution_backward", flat, of_images, PLAIN),
    ("npu_convolution", "npu_convolution_backward", cubic, of_volumes, CUBES),
):
    assert beside(name, judge, tensors, *args) == (name == "npu_convolution")
    close(operator(name)(*npu(*tensors[:2]), None, *args), judge(*tensors[:2]))
    _, given, expected = derived(judge, tensors)
    inputs = npu(tensors[0], given, tensors[1])
    found = operator(backward)(*inputs, *args, [True, True, True])
    close(found, expected, 1e-4)
    some = operator(backward)(*inputs, *args, [True, False, False])
    assert torch.equal(some[0], found[0]) and some[1] is None and some[2] is None

of_images = [images, torch.randn(4, 3, 3, 2), torch.randn(6)]
of_volumes = [volumes, torch.randn(2, 3, 2, 3, 2) * 0.3, torch.randn(3)]
TURNED = ([1, 0], [1, 0], [2, 1], [1, 2], 2)


def turned(x, w, b):
    padding, more, stride, dilation, groups = TURNED
    return F.conv_transpose2d(x, w, b, stride, padding, more, groups, dilation)


def solid(x, w, b):
    return F.conv_transpose3d(x, w, b, [1, 2, 1], [0, 1, 1], [0, 1, 0])


SOLID = ([0, 1, 1], [0, 1, 0], [1, 2, 1], [1, 1, 1], 1)
for name, backward, judge, tensors, args in (
    ("npu_conv_transpose2d", "npu_conv_transpose2d_backward", turned, of_images, TURNED),
    ("npu_convolution_transpose", "npu_convolution_transpose_backward", turned, of_images, TURNED),
    ("npu_convolution_transpose", "npu_conv_transpose3d_backward", solid, of_volumes, SOLID),
):
    assert beside(name, judge, tensors, *args) == (name == "npu_convolution_transpose")
    _, given, expected = derived(judge, tensors)
    inputs = npu(tensors[0], given, tensors[1])
    close(operator(backward)(*inputs, *args, [True] * 3), expected, 1e-4)

WRONG = (
    (
        lambda: GROUPED(npu(rows.char()), npu(weights[0].char()), group_type=-1),
        "emulated device: npu::npu_grouped_matmul is not available: for integers",
    ),
    (
        lambda: GROUPED(npu(rows), several[0], group_list=torch.tensor([3, 2, 5]).npu()),
        "group_list gives the ends [3, 2, 5]; expected: none before another, of 5 rows",
    ),
    (
        lambda: torch.ops.npu.npu_grouped_matmul_add(*parts, transpose_weight=True),
        "transpose_weight is True; allowed: False",
    ),
    (lambda: GROUPED(npu(*pieces), several[0][:2]), "weight has 2 matrices, for 3 groups of rows"),
)
refuse(WRONG)
