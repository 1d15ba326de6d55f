"""Order, shape and place of elements by torch_npu's own operators, equal to the CPU's."""

import itertools

import torch
import torch_npu
from judging import has_kernel, operator, refuse
from torch.nn import functional as F

torch.manual_seed(0)
x = torch.randn(3, 4, 5)
small = torch.randn(4, 6)
DEVICE = x.npu()
#: operators with their arguments, and what they return
CALLS = (
    ("npu_transpose", ([2, 0, 1],), lambda x: x.permute(2, 0, 1)),
    ("npu_slice", ([1, 0, 2], [2, 3, 3]), lambda x: x[1:3, :3, 2:]),
    ("npu_pad", ([1, 0, 2, 3, 0, 4],), lambda x: F.pad(x, (0, 4, 2, 3, 1, 0))),
    ("npu_indexing", ([1, 0], [3, 4], [1, 2]), lambda x: x[1:3, 0:4:2]),
    ("npu_indexing", ([2, 1], [2, 2], [1, 1], 1, 2), lambda x: x[:2, 1:]),
    ("npu_reshape", ([5, 12],), lambda x: x.reshape(5, 12)),
    ("npu_sort_v2", (-1, True), lambda x: x.sort(-1, descending=True)[0]),
    ("npu_sort_v2", (0, False), lambda x: x.sort(0)[0]),
    (
        "npu_confusion_transpose",
        ([2, 0, 1], [15, 4], True),
        lambda x: x.permute(2, 0, 1).reshape(15, 4),
    ),
    ("npu_confusion_transpose", ([1, 0], [12, 5], False), lambda x: x.reshape(12, 5).t()),
)
for name, args, judge in CALLS:
    leaf, other = x.npu().requires_grad_(), x.clone().requires_grad_()
    found, expected = operator(name)(leaf, *args), judge(other)
    assert torch.equal(found.cpu(), expected), name
    assert found.is_contiguous() and found.shape == expected.shape
    if has_kernel(name, "AutogradPrivateUse1"):
        given = torch.randn(expected.shape)
        found.backward(given.npu())
        expected.backward(given)
        assert torch.equal(leaf.grad.cpu(), other.grad)
        back = torch.ops.npu.npu_confusion_transpose_backward(
            given.npu(), args[0], list(x.shape), args[2]
        )
        assert torch.equal(back.cpu(), other.grad)
    if f"npu::{name}.out" in torch._C._dispatch_get_all_op_names():
        for out in (torch.empty(expected.shape).npu(), torch.empty(0).npu()):
            assert operator(f"{name}.out")(DEVICE, *args, out=out) is out
            assert torch.equal(out.cpu(), expected), name
narrow = torch.randn(3, 1)
found = torch_npu.npu_broadcast(narrow.npu(), [2, 3, 4])
assert torch.equal(found.cpu(), narrow.expand(2, 3, 4)) and found.is_contiguous()
device = x.npu()
assert torch_npu.one_(device) is device and (device == 1).all()

found = torch_npu.npu_stride_copy(DEVICE, [2, 3], [1, 20], 4)
assert torch.equal(found.cpu(), x.as_strided([2, 3], [1, 20], 4)) and found.is_contiguous()
out = torch.empty(0).npu()
assert torch.equal(torch_npu.npu_stride_copy(DEVICE, [2, 3], [1, 20], 4, out=out), found)
assert (
    torch_npu.npu_view_copy(device[:, 1], x[:, 2].npu(), False).data_ptr()
    == device[0, 1].data_ptr()
)
expected = torch.ones_like(x)
expected[:, 1] = x[:, 2]
assert torch.equal(device.cpu(), expected)

# extremes along an axis, with their gradients
EXTREMES = (
    (torch.max, "npu_max.dim", "npu_max_backward"),
    (torch.min, "npu_min.dim", "npu_min_backward"),
)
for (extreme, name, backward), axis, keep in itertools.product(EXTREMES, (0, -1), (False, True)):
    leaf, other = x.npu().requires_grad_(), x.clone().requires_grad_()
    found = operator(name)(leaf, axis, keep)
    expected = extreme(other, axis, keep)
    assert torch.equal(found[0].cpu(), expected[0])
    assert found[1].dtype == torch.int32 and torch.equal(found[1].cpu().long(), expected[1])
    given = torch.randn(expected[0].shape)
    found[0].backward(given.npu())
    expected[0].backward(given)
    assert torch.equal(leaf.grad.cpu(), other.grad)
    back = operator(backward)(given.npu(), axis, found[1], list(x.shape), keep)
    assert torch.equal(back.cpu(), other.grad)

# indices
index = torch.tensor([[3, 0], [5, 1]], dtype=torch.int32)
found = torch_npu.npu_one_hot(index.npu(), depth=6, on_value=2, off_value=-1)
assert torch.equal(found.cpu(), F.one_hot(index.long(), 6) * 3.0 - 1)
found = torch_npu.npu_one_hot(index.npu(), 0, 6)
assert torch.equal(found.cpu(), F.one_hot(index.long(), 6).permute(2, 0, 1).float())
table, other = torch.randn(6, 4).npu().requires_grad_(), None
other = table.detach().cpu().requires_grad_()
found, expected = torch_npu.npu_gather_sparse_index(table, index.npu()), other[index.long()]
assert torch.equal(found.cpu(), expected)
found.sum().backward()
expected.sum().backward()
assert torch.equal(table.grad.cpu(), other.grad)
leaf = torch.randn(2, 3).requires_grad_()
places = torch.tensor([[0, 2], [1, 1]])
leaf.gather(1, places).backward(torch.ones(2, 2))
found = torch.ops.npu.npu_gather_backward(torch.ones(2, 2).npu(), [2, 3], 1, places.npu(), False)
assert torch.equal(found.cpu(), leaf.grad)

leaf = torch.randn(5, 3).requires_grad_()
places, given = torch.tensor([[0, 2, 0], [4, 0, 1]]), torch.randn(2, 3, 3)
leaf[places].backward(given)
found = torch.ops.npu.npu_gather_sparse_index_backward(given.npu(), [5, 3], places.npu())
torch.testing.assert_close(found.cpu(), leaf.grad)

for places, updates in (
    (torch.tensor([[2], [0]]), torch.randn(2, 6)),
    (torch.tensor([[2, 5], [0, 1], [3, 3]], dtype=torch.int32), torch.randn(3)),
):
    expected = small.clone()
    for place, update in zip(places.tolist(), updates, strict=True):
        expected[tuple(place)] = update
    device = small.npu()
    found = torch_npu.npu_scatter_nd_update(device, places.npu(), updates.npu())
    assert torch.equal(found.cpu(), expected) and torch.equal(device.cpu(), small)
    found = torch_npu.npu_scatter_nd_update_(device, places.npu(), updates.npu())
    assert found is device and torch.equal(device.cpu(), expected)

cache, updates = torch.randn(2, 3, 8, 4), torch.randn(2, 3, 2, 4)
starts = torch.tensor([5, 1])
expected = cache.clone()
for batch, start in enumerate(starts.tolist()):
    expected[batch, :, start : start + 2] = updates[batch]
device = cache.npu()
found = torch_npu.scatter_update(device, starts.npu(), updates.npu(), -2)
assert torch.equal(found.cpu(), expected) and torch.equal(device.cpu(), cache)
assert torch_npu.scatter_update_(device, starts.npu(), updates.npu(), 2) is device
assert torch.equal(device.cpu(), expected)

start, end = torch.tensor([[0, 1, 2], [3, 3, 5]]), torch.tensor([[1, 2, 3], [4, 3, 6]])
value = torch.tensor([1.0, -2.0])
expected = small.clone()
for number, row in itertools.product(range(2), range(3)):
    expected[row, start[number, row] : end[number, row]] = value[number]
found = torch_npu.npu_masked_fill_range(
    small.npu(), start.int().npu(), end.int().npu(), value.npu(), 1
)
assert torch.equal(found.cpu(), expected)

assert torch_npu.npu_prefetch(DEVICE, None, 256, 8) is None

WRONG = (
    (lambda: torch_npu.npu_prefetch(DEVICE, None, 0), "max_size should be greater than zero"),
    (
        lambda: torch_npu.npu_prefetch(DEVICE, DEVICE, 1, -1),
        "offset should not be smaller",
    ),
    (lambda: torch_npu.npu_pad(DEVICE, [1, 1]), "paddings has 2 numbers; expected: 6"),
    (
        lambda: torch_npu.npu_indexing(DEVICE, [0], [1], [1], shrink_axis_mask=1),
        "emulated device: npu::npu_indexing is not available: with shrink_axis_mask 1",
    ),
    (
        lambda: torch_npu.scatter_update(DEVICE, starts.npu(), updates.npu(), 0),
        "axis is 0; it must be another one than the first",
    ),
)
refuse(WRONG)
