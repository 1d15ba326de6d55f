"""Losses, dropout and optimizers' steps by torch_npu's own operators, beside the CPU's."""

import itertools

import numpy as np
import torch
import torch_npu
from judging import beside, close, derived, npu, operator, refuse
from torch.nn import functional as F

torch.manual_seed(0)
logits, classes = torch.randn(6, 5), torch.tensor([0, 3, 2, 4, 1, 3])
weights = torch.rand(5) + 0.5
LOSS = operator("npu_cross_entropy_loss")
for reduction, ignored, smooth, weight in itertools.product(
    ("mean", "sum", "none"), (-100, 3), (0.0, 0.2), (None, weights)
):
    options = {"reduction": reduction, "ignore_index": ignored, "label_smoothing": smooth}

    def judge(x, options=options, weight=weight):
        weight = None if weight is None else weight.double()
        loss = F.cross_entropy(x, classes, weight, **options)
        return loss.reshape(-1), F.log_softmax(x.detach(), -1), None, None

    on_device = None if weight is None else weight.npu()
    assert beside(
        "npu_cross_entropy_loss",
        judge,
        [logits],
        call=lambda x, options=options, weight=on_device: LOSS(x, classes.npu(), weight, **options),
        inferred=False,
    )
    (_, logarithms, *_), given, expected = derived(judge, [logits])
    call = torch.ops.npu.npu_cross_entropy_loss_backward
    close(call(*npu(given, logarithms, classes), on_device, **options), expected)

chances = torch.softmax(torch.randn(6, 5), -1)
SOFTMAX = operator("npu_softmax_cross_entropy_with_logits")
assert beside(
    "npu_softmax_cross_entropy_with_logits",
    lambda x: F.cross_entropy(x, chances.double(), reduction="none"),
    [logits],
    types=[(torch.float32, 1e-5)],
    call=lambda x: SOFTMAX(x, chances.npu()),
    inferred=False,
)
given = torch.randn(6)
call = torch.ops.npu.npu_softmax_cross_entropy_with_logits_backward
expected = (torch.softmax(logits, -1) - chances) * given.unsqueeze(1)
close(call(*npu(given, logits, chances)), expected)

# a vocabulary in two parts, each on a device of its own: the parts' numbers give the loss of all
rows, matrix = torch.randn(11, 6).half(), torch.randn(20, 6).half()
words, slope = torch.randint(0, 20, (11,)), torch.randn(11)
exact = [one.double().requires_grad_() for one in (rows, matrix)]
scores = exact[0] @ exact[1].t()
F.cross_entropy(scores, words, reduction="none").backward(slope.double())
parts = [
    torch_npu.npu_fused_linear_online_max_sum(
        rows.npu(), matrix[low:high].npu(), words.to(kind).npu(), low, high - 1, return_logits=full
    )
    for low, high, kind, full in ((0, 12, torch.int64, True), (12, 20, torch.int32, False))
]
highest = torch.maximum(parts[0][0], parts[1][0])
shrunk = [(one[0] - highest).exp() * one[1] for one in parts]
here = (words < 12).npu()
predicted = torch.where(here, parts[0][2] + parts[0][0], parts[1][2] + parts[1][0]) - highest
total = sum(shrunk)
JOINED = torch_npu.npu_fused_cross_entropy_loss_with_max_sum
DERIVED = torch_npu.npu_fused_linear_cross_entropy_loss_with_max_sum_backward
loss, chances = JOINED(highest, total, predicted, vocab_parallel_logits=parts[0][5])
close(loss, F.cross_entropy(scores, words, reduction="none"))
close(chances, torch.softmax(scores, -1)[:, :12], 1e-3)  # of logits rounded to F16
loss, nothing = JOINED(highest, total, predicted)
assert parts[1][5] is nothing is None
gradients = []
for (low, high), part, inside in zip(
    ((0, 12), (12, 20)), parts, (words < 12, words >= 12), strict=True
):
    bits = np.packbits(np.pad(~inside.numpy(), (0, 5), constant_values=True))
    assert np.array_equal(part[3].cpu(), bits)
    places = torch.where(inside, words - low, 0)
    assert torch.equal(part[4].cpu(), places.to(part[4].dtype))
    assert (part[2].cpu()[~inside] == 0).all()
    part_given = (slope.npu(), rows.npu(), matrix[low:high].npu(), *part[3:5])
    found = DERIVED(*part_given, logits_max=highest, sum_exp_logits=total)
    chances = torch.softmax(scores.detach(), -1)[:, low:high].float().npu()
    close(found, DERIVED(*part_given, softmax=chances), 1e-3)
    close(found[1].float(), exact[1].grad[low:high], 1e-3)
    gradients.append(found[0].float())
close(sum(gradients), exact[0].grad, 2e-3)

# gradients of losses, which the C library has
target = torch.rand(6, 5)
for reduction, number in (("none", 0), ("mean", 1), ("sum", 2)):
    given = torch.randn(6, 5) if reduction == "none" else torch.randn(1)
    for name, loss, of in (
        ("l1_loss_backward", F.l1_loss, 0),
        ("kl_div_backward", F.kl_div, 0),
        ("kl_div_target_backward", F.kl_div, 1),
    ):
        leaves = [logits.clone().requires_grad_(), target.clone().requires_grad_()]
        value = loss(*leaves, reduction=reduction)
        expected = torch.autograd.grad(value, leaves[of], given.reshape(value.shape))[0]
        close(operator(name)(*npu(given, logits, target), number), expected)

# dropout: masks have a bit for each element
x = torch.randn(100, 77)
for dtype in (torch.float32, torch.bfloat16):
    leaf = x.to(dtype).npu().requires_grad_()
    torch.npu.manual_seed(3)
    found, mask = torch_npu._npu_dropout(leaf, 0.3)
    assert (mask.dtype, mask.numel()) == (torch.uint8, -(-x.numel() // 128) * 16)
    bits = (mask.cpu().unsqueeze(1) >> torch.arange(8)) & 1
    kept = bits.reshape(-1)[: x.numel()].reshape(x.shape).bool()
    assert 0.65 < kept.float().mean() < 0.75
    expected = torch.where(kept, x.to(dtype) * (1 / 0.7), 0)
    assert torch.equal(found.cpu(), expected)
    given = torch.randn(x.shape).to(dtype)
    found.backward(given.npu())
    assert torch.equal(leaf.grad.cpu(), torch.where(kept, given * (1 / 0.7), 0))
    back = torch.ops.npu.npu_dropout_backward(given.npu(), mask, 0.3)
    assert torch.equal(back, leaf.grad)
    again = torch_npu.npu_dropout_do_mask(x.to(dtype).npu(), mask, 0.3)
    assert torch.equal(again[0], found) and torch.equal(again[1], mask)
    torch.npu.manual_seed(3)
    other = x.to(dtype).npu().requires_grad_()
    plain = torch.ops.npu.dropout_with_byte_mask(other, 0.3, True)
    assert torch.equal(plain, found)
    plain.backward(given.npu())
    assert torch.equal(other.grad, leaf.grad)
    assert torch.equal(torch.ops.npu.dropout_with_byte_mask(plain, 0.3, False), plain)

torch.npu.manual_seed(3)
made = torch_npu.npu_dropout_gen_mask(list(x.shape), 0.3, dtype=torch.float32, device="npu")
assert torch.equal(made, mask)
state = (torch.npu.initial_seed(), 0)
made = torch.ops.npu._npu_dropout_gen_mask(x.npu(), list(x.shape), 0.3, *state)
assert torch.equal(made, mask)
assert not torch.equal(torch.ops.npu._npu_dropout_gen_mask(x.npu(), list(x.shape), 0.3, 3, 8), mask)

# softmax of a sum, with dropout
for dim, keep in ((-1, 0.75), (1, 1.0)):
    leaves = [torch.randn(3, 4, 8).npu().requires_grad_() for _ in range(2)]
    exact = [one.detach().cpu().double().requires_grad_() for one in leaves]
    mask, chances, found = torch_npu.npu_dropout_with_add_softmax(*leaves, 0.5, 1 - keep, dim)
    whole = torch.softmax(exact[1] + 0.5 * exact[0], dim)
    close(chances, whole)
    bits = (mask.cpu().unsqueeze(1) >> torch.arange(8)) & 1
    expected = whole * bits.reshape(-1)[:96].reshape(3, 4, 8) / keep
    close(found, expected)
    given = torch.randn(3, 4, 8)
    expected.backward(given.double())
    grads = torch.autograd.grad(found, leaves, given.npu())
    again = torch.ops.npu.npu_dropout_with_add_softmax_backward(
        given.npu(), mask, chances, 0.5, 1 - keep, dim
    )
    for several in (grads, again):
        close(several, [leaf.grad for leaf in exact])

# steps of optimizers, beside PyTorch's optimizers
start, gradients = torch.randn(20), [torch.randn(20) for _ in range(4)]
RATE, ONE, TWO, EPSILON, DECAY = 0.1, 0.8, 0.9, 1e-3, 0.05
for maximize in (False, True):
    parameter = torch.nn.Parameter(start.double())
    optimizer = torch.optim.AdamW([parameter], RATE, (ONE, TWO), EPSILON, DECAY, maximize=maximize)
    var, m, v = start.npu(), torch.zeros(20).npu(), torch.zeros(20).npu()
    for step, gradient in enumerate(gradients):
        parameter.grad = gradient.double()
        optimizer.step()
        results = torch_npu.npu_apply_adam_w(
            ONE**step, TWO**step, RATE, DECAY, ONE, TWO, EPSILON, gradient.npu(),
            None, False, maximize, out=(var, m, v),
        )  # fmt: skip
        assert results[0].data_ptr() == var.data_ptr()
        close(var, parameter)
for nesterov in (False, True):
    var, m, v = start.npu(), *(torch.zeros(20).npu() for _ in range(2))
    values, mean, square = start.double(), torch.zeros(20).double(), torch.zeros(20).double()
    for step, gradient in enumerate(gradients, 1):
        torch_npu.npu_apply_adam(
            ONE**step, TWO**step, RATE, ONE, TWO, EPSILON, gradient.npu(), False, nesterov,
            out=(var, m, v),
        )  # fmt: skip
        mean = ONE * mean + (1 - ONE) * gradient
        square = TWO * square + (1 - TWO) * gradient**2
        ahead = ONE * mean + (1 - ONE) * gradient if nesterov else mean
        rate = RATE * (1 - TWO**step) ** 0.5 / (1 - ONE**step)
        values = values - rate * ahead / (square.sqrt() + EPSILON)
        close([var, v], [values, square])
# powers of 1 divide by zero
for powers, nothing in (((1.0, 0.5), -torch.inf), ((1.0, 1.0), torch.nan), ((0.5, 1.0), 0)):
    var, m, v = (torch.zeros(2).npu() for _ in range(3))
    torch_npu.npu_apply_adam(
        *powers, RATE, ONE, TWO, EPSILON, torch.ones(2).npu(), False, False, out=(var, m, v)
    )
    torch.testing.assert_close(var.cpu(), torch.full((2,), float(nothing)), equal_nan=True)

WRONG = (
    (lambda: LOSS(logits.npu(), classes.npu(), None, "max"), "reduction is 'max'; allowed: 'mean'"),
    (
        lambda: LOSS(logits.npu(), classes.npu(), return_zloss=True),
        "emulated device: npu::npu_cross_entropy_loss is not available: with return_zloss",
    ),
    (lambda: DERIVED(*part_given), "logits_max is None; it is needed without softmax"),
    (lambda: torch_npu._npu_dropout(x.npu(), 1.5), "p is 1.5; it must be at least 0"),
    (
        lambda: torch_npu.npu_apply_adam_w(
            *(1.0, 1.0, RATE, DECAY, ONE, TWO, EPSILON), *npu(x, x), True, False, out=(var, m, v)
        ),
        "emulated device: npu::npu_apply_adam_w is not available: with amsgrad",
    ),
)
refuse(WRONG)
