"""Products of matrices and convolutions by torch_npu's own operators, beside the CPU's."""

import torch
import torch_npu
from judging import beside, operator, refuse
from torch.nn import functional as F

torch.manual_seed(0)
x, weight, bias = torch.randn(5, 6), torch.randn(4, 6), torch.randn(4)
assert beside("npu_linear", F.linear, [x, weight, bias])
assert beside("npu_linear", F.linear, [x, weight])
assert beside("npu_bmmV2", torch.bmm, [torch.randn(2, 3, 6), torch.randn(2, 6, 4)], [])
several = [torch.randn(2, 3, 6), torch.randn(6, 4)]  # one matrix for all batches
leaves = [one.double().requires_grad_() for one in several]
given = torch.randn(2, 3, 4)
expected = torch.autograd.grad(torch.matmul(*leaves), leaves, given.double())
for name, want in zip(
    ("npu_bmm_v2_mat1_backward", "npu_bmm_v2_mat2_backward"), expected, strict=True
):
    found = operator(name)(given.npu(), *(one.npu() for one in several), list(want.shape))
    torch.testing.assert_close(found.cpu().double(), want, rtol=1e-5, atol=1e-5)
leaves = [one.double().requires_grad_() for one in (x, weight)]
given = torch.randn(5, 4)
expected = torch.autograd.grad(F.linear(*leaves), leaves, given.double())
found = torch.ops.npu.npu_linear_backward(given.npu(), x.npu(), weight.npu())
for one, other in zip(found, expected, strict=True):
    torch.testing.assert_close(one.cpu().double(), other, rtol=1e-5, atol=1e-5)
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


def npu(tensors):
    return [one.npu() for one in tensors]


def same(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one.cpu(), other)


several = npu(weights), npu(biases)
same(GROUPED(npu(pieces), several[0], bias=several[1], group_type=-1), expected)
same(LIST(npu(pieces), several[0], bias=several[1]), expected)
same(LIST(npu([rows]), several[0], bias=several[1], group_list=ends), expected)
joined = [torch.cat(expected)]
for kind, numbers in ((0, ends), (1, counts)):
    options = {
        "group_list": torch.tensor(numbers).npu(), "group_list_type": kind, "group_type": 0,
        "split_item": 3, "output_dtype": torch.float32,
    }  # fmt: skip
    same(GROUPED(npu([rows]), several[0], bias=several[1], **options), joined)
    stacked = npu([torch.stack(weights)]), npu([torch.stack(biases)])
    same(GROUPED(npu([rows]), stacked[0], bias=stacked[1], **options), joined)
found = torch_npu.npu_grouped_matmul(
    npu([rows]), several[0], group_list=torch.tensor([1, 2, 4]).npu(), group_type=0, split_item=2
)
assert (found[0][4] == 0).all() and (found[0][3] != 0).all()  # a row of no group

totals, others = torch.randn(3, 6, 4), torch.randn(5, 4)
expected = totals.clone()
for number, (first, last) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
    expected[number] += rows.half()[first:last].float().t() @ others.half()[first:last].float()
for kind, numbers in ((0, ends), (1, counts)):
    device = totals.npu()
    parts = (device, *npu([rows.half(), others.half(), torch.tensor(numbers)]))
    found = torch.ops.npu.npu_grouped_matmul_add(*parts, group_list_type=kind)
    torch.testing.assert_close(found.cpu(), expected)
    assert torch.equal(device.cpu(), totals)
    found = torch.ops.npu.npu_grouped_matmul_add_(*parts, group_list_type=kind)
    assert found is device
    torch.testing.assert_close(device.cpu(), expected)

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
    without = operator(name)(*npu(tensors[:2]), None, *args)
    torch.testing.assert_close(without.cpu(), judge(*tensors[:2]), rtol=1e-5, atol=1e-5)
    leaves = [one.double().requires_grad_() for one in tensors]
    value = judge(*leaves)
    given = torch.randn(value.shape)
    value.backward(given.double())
    inputs = npu([tensors[0], given, tensors[1]])
    found = operator(backward)(*inputs, *args, [True, True, True])
    for one, other in zip(found, leaves, strict=True):
        torch.testing.assert_close(one.cpu().double(), other.grad, rtol=1e-4, atol=1e-4)
    some = operator(backward)(*inputs, *args, [True, False, False])
    assert torch.equal(some[0], found[0]) and some[1] is None and some[2] is None

kernel, shift = torch.randn(4, 3, 3, 2), torch.randn(6)
of_volumes = [volumes, torch.randn(2, 3, 2, 3, 2) * 0.3, torch.randn(3)]
TURNED = ([1, 0], [1, 0], [2, 1], [1, 2], 2)


def turned(x, w, b):
    padding, more, stride, dilation, groups = TURNED
    return F.conv_transpose2d(x, w, b, stride, padding, more, groups, dilation)


def solid(x, w, b):
    return F.conv_transpose3d(x, w, b, [1, 2, 1], [0, 1, 1], [0, 1, 0])


SOLID = ([0, 1, 1], [0, 1, 0], [1, 2, 1], [1, 1, 1], 1)
for name, backward, judge, tensors, args in (
    (
        "npu_conv_transpose2d",
        "npu_conv_transpose2d_backward",
        turned,
        [images, kernel, shift],
        TURNED,
    ),
    (
        "npu_convolution_transpose",
        "npu_convolution_transpose_backward",
        turned,
        [images, kernel, shift],
        TURNED,
    ),
    ("npu_convolution_transpose", "npu_conv_transpose3d_backward", solid, of_volumes, SOLID),
):
    assert beside(name, judge, tensors, *args) == (name == "npu_convolution_transpose")
    leaves = [one.double().requires_grad_() for one in tensors]
    value = judge(*leaves)
    given = torch.randn(value.shape)
    value.backward(given.double())
    inputs = npu([tensors[0], given, tensors[1]])
    found = operator(backward)(*inputs, *args, [True] * 3)
    for one, other in zip(found, leaves, strict=True):
        torch.testing.assert_close(one.cpu().double(), other.grad, rtol=1e-4, atol=1e-4)

WRONG = (
    (
        lambda: GROUPED(
            npu([rows.to(torch.int8)]), npu([weights[0].to(torch.int8)]), group_type=-1
        ),
        "emulated device: npu::npu_grouped_matmul is not available: for integers",
    ),
    (
        lambda: GROUPED(npu([rows]), several[0], group_list=torch.tensor([3, 2, 5]).npu()),
        "group_list gives the ends [3, 2, 5]; expected: none before another, of 5 rows",
    ),
    (
        lambda: torch.ops.npu.npu_grouped_matmul_add(*parts, transpose_weight=True),
        "transpose_weight is True; allowed: False",
    ),
    (lambda: GROUPED(npu(pieces), several[0][:2]), "weight has 2 matrices, for 3 groups of rows"),
)
refuse(WRONG)
