"""Activations, gated halves, masked softmax and rotary embeddings of torch_npu's own."""

import torch
import torch_npu
from judging import beside, close, derived, npu, operator, refuse
from torch.nn import functional as F

torch.manual_seed(0)
x = torch.randn(3, 4, 8)
FORMS = {"none": 0, "tanh": 1}

assert beside("npu_silu", F.silu, [x])
assert beside("npu_mish", F.mish, [x])
assert beside("npu_silu_", F.silu, [x], call=lambda x: operator("npu_silu_")(x.clone()))
device = x.npu()
assert torch_npu.npu_silu_(device) is device
torch.testing.assert_close(device.cpu(), F.silu(x))
for form, number in FORMS.items():
    for left in (False, True):
        for axis in (-1, 1):

            def geglu(x, form=form, left=left, axis=axis):
                first, second = x.chunk(2, axis)
                active, linear = (first, second) if left else (second, first)
                gelu = F.gelu(active, approximate=form)
                return linear * gelu, gelu.detach()

            assert beside("npu_geglu", geglu, [x], axis, number, left)
            (_, gelu), given, expected = derived(geglu, [x])
            found = torch.ops.npu.npu_geglu_grad(*npu(given, x, gelu), axis, number, left)
            close(found, expected)
    assert not beside(
        "npu_gelu_mul",
        lambda x, form=form: F.gelu(x[..., :4], approximate=form) * x[..., 4:],
        [x],
        approximate=form,
    )


def clipped(a, b):
    a, b = a.clamp(max=0.5), b.clamp(-0.5, 0.5)
    return a * torch.sigmoid(1.5 * a) * (b + 0.25)


OPTIONS = {"alpha": 1.5, "limit": 0.5, "bias": 0.25}
assert not beside(
    "npu_clipped_swiglu", lambda x: clipped(x[..., ::2], x[..., 1::2]), [x], **OPTIONS
)
for axis in (1, -1):
    assert not beside(
        "npu_clipped_swiglu",
        lambda x, axis=axis: clipped(*x.chunk(2, axis)),
        [x],
        dim=axis,
        interleaved=False,
        **OPTIONS,
    )

# what torch_npu's own gradients call
for name, forward in (("npu_silu_backward", F.silu), ("npu_mish_backward", F.mish)):
    values, given, expected = derived(forward, [x])
    close(operator(name)(*npu(given, x, *([] if forward is F.mish else values))), expected)

# softmax of what a mask leaves
scores = torch.randn(2, 3, 32, 32)
hidden = torch.rand(2, 1, 32, 32) < 0.4
for mask, fixed in ((hidden, False), (torch.zeros(1, 1, 32, 32, dtype=torch.bool), True)):
    rule = torch.ones(32, 32, dtype=torch.bool).triu(1) if fixed else mask

    def softmax(x, mask, rule=rule):
        return torch.softmax((0.7 * x).masked_fill(rule, -torch.inf), -1)

    assert beside("npu_scaled_masked_softmax", softmax, [scores, mask], 0.7, fixed, same=[1])
    values, given, expected = derived(lambda x, mask=mask: softmax(x, mask), [scores])
    call = torch.ops.npu.npu_scaled_masked_softmax_backward
    close(call(*npu(given, *values, mask), 0.7, fixed), expected)

# softmax of scores with a mask of each window and a bias of each head
windows, heads = torch.randn(3, 6, 7), torch.randn(2, 6, 7)
scores = torch.randn(4, 3, 2, 6, 7)


def biased(x, mask, bias):
    mask = torch.zeros(1) if mask is None else mask[:, None]
    return torch.softmax(0.7 * x + mask + bias, -1)


for shape, mask, bias in (
    ([4, 3, 2, 6, 7], windows, heads),
    ([12, 2, 6, 7], windows[:, None], heads[None, None]),
    ([12, 2, 6, 7], None, heads[None]),
):
    beside(
        "npu_masked_softmax_with_rel_pos_bias",
        lambda x, bias, *masks, shape=shape: biased(
            x.view(scores.shape), masks[0].view(3, 6, 7) if masks else None, bias.view(2, 6, 7)
        ).view(shape),
        [scores.view(shape), bias, *([] if mask is None else [mask])],
        call=lambda x, bias, mask=None: torch_npu.npu_masked_softmax_with_rel_pos_bias(
            x, mask, bias, 0.7
        ),
    )
for dtype in (torch.float32, torch.float16):
    logits, values = torch.randn(2, 5, 6).to(dtype), torch.randn(2, 6, 4).to(dtype)
    (product, attention), given, (expected, *_) = derived(
        lambda x, v: ((y := torch.softmax(x, -1)) @ v, y), [logits, values]
    )
    device = logits.npu()
    assert torch_npu.npu_attn_softmax_(device) is device
    close(device, attention, 1e-3 if dtype == torch.float16 else 1e-5)
    given = given.to(dtype).npu()
    assert torch_npu.npu_attn_softmax_backward_(device, given, values.npu()) is device
    close(device, expected, 1e-2 if dtype == torch.float16 else 1e-5)

# rotations of pairs: complex numbers times e to an angle
x, angle = torch.randn(2, 5, 3, 8), torch.rand(1, 5, 1, 4)


def turned(x, cos, sin, mode):
    """Return pairs as complex numbers times others, whose parts are those of the first halves."""
    if mode == "half":
        pairs = torch.complex(*x.chunk(2, -1))
        factor = torch.complex(cos.chunk(2, -1)[0], sin.chunk(2, -1)[0])
        return torch.cat([(pairs * factor).real, (pairs * factor).imag], -1)
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    product = pairs * torch.complex(cos[..., ::2], sin[..., ::2])
    return torch.view_as_real(product).flatten(-2)


def turned_freely(x, cos, sin, mode):
    """Return the same for factors of every element, whose gradients are compared."""
    matrix = torch.zeros(8, 8, dtype=x.dtype)
    for place in range(4):
        first, second = (place, place + 4) if mode == "half" else (2 * place, 2 * place + 1)
        matrix[second, first], matrix[first, second] = -1, 1
    return cos * x + sin * (x @ matrix)


for mode in ("half", "interleave"):
    both = torch.cat([angle, angle], -1) if mode == "half" else angle.repeat_interleave(2, -1)
    factors = [both.cos(), both.sin()]
    assert torch.allclose(turned(x, *factors, mode), turned_freely(x, *factors, mode), atol=1e-6)
    assert beside(
        "npu_rotary_mul",
        lambda *given, mode=mode: turned_freely(*given, mode),
        [x, *factors],
        mode,
    )
    tensors = [x, *factors]
    _, given, expected = derived(lambda *x, mode=mode: turned_freely(*x, mode), tensors)
    close(torch_npu.npu_rotary_mul_backward(*npu(given, *tensors), mode), expected)
    matrix = torch.randn(8, 8)
    found = torch_npu.npu_rotary_mul(*npu(*tensors), mode, matrix.npu())
    close(found, factors[0] * x + factors[1] * (x @ matrix))
both = torch.cat([angle, angle], -1).expand(2, 5, 1, 8)
assert beside(
    "npu_apply_rotary_pos_emb",
    lambda q, k, cos, sin: [turned_freely(one, cos, sin, "half") for one in (q, k)],
    [x, x[:, :, :1], both.cos(), both.sin()],
)
WRONG = (
    (
        lambda: torch_npu.npu_rotary_mul(x.npu(), x.npu(), x.npu(), "quarter"),
        "rotary_mode is 'quarter'; allowed: 'half', 'interleave'",
    ),
    (
        lambda: torch_npu.npu_geglu(x.npu(), -1, 2),
        "approximate is 2; allowed: 0, 1",
    ),
)
refuse(WRONG)
