"""Integers for floats and back by torch_npu's own operators, beside NumPy."""

import numpy as np
import torch
import torch_npu
from judging import agree, refuse

torch.manual_seed(0)
NPU = torch.ops.npu
x = torch.randn(2, 3, 8)
x[1, 2] = 0


def same(found, expected):
    """Compare, exactly; sums of F32 are those of NumPy."""
    assert torch.equal(found.cpu(), torch.tensor(expected).to(found.dtype)), (found, expected)


def rounded(values):
    return np.clip(np.rint(values), -128, 127)


# rows by their largest magnitude, or from their least to their largest element
smooth, groups = torch.rand(8) + 0.5, torch.tensor([1, 4, 6], dtype=torch.int32)
several = torch.rand(3, 8) + 0.5
for dtype in (torch.float16, torch.bfloat16):
    data = x.to(dtype)
    for options, factors in (
        ({}, np.float32(1)),
        ({"smooth_scales": smooth.to(dtype)}, smooth.to(dtype).float().numpy()),
        (
            {"smooth_scales": several.to(dtype), "group_index": groups},
            several.to(dtype).float().numpy()[[0, 1, 1, 1, 2, 2]].reshape(2, 3, 8),
        ),
    ):
        options = {name: one.npu() for name, one in options.items()}
        values = data.float().numpy() * factors
        scale = np.abs(values).max(-1, keepdims=True) / np.float32(127)
        with np.errstate(invalid="ignore", divide="ignore"):
            steps = np.where(scale > 0, np.rint(values / scale), 0)
        found = torch_npu.npu_dynamic_quant(data.npu(), **options)
        same(found[0], steps)
        same(found[1], scale.squeeze(-1))
        low, high = values.min(-1, keepdims=True), values.max(-1, keepdims=True)
        scale = (high - low) / np.float32(255)
        with np.errstate(invalid="ignore", divide="ignore"):
            offset = np.where(scale > 0, np.float32(127) - high / scale, 0)
            steps = np.where(scale > 0, rounded(values / scale + offset), 0)
        found = torch_npu.npu_dynamic_quant_asymmetric(data.npu(), **options)
        same(found[0], steps)
        same(found[1], scale.squeeze(-1))
        same(found[2], offset.squeeze(-1))
        assert abs(found[0].float()[0].amin() + 128) <= 1 and (found[0][0].amax(-1) == 127).all()
half = x.half()
agree("npu_dynamic_quant", list(NPU.npu_dynamic_quant(half.npu())), NPU.npu_dynamic_quant, [half])

# by given scales, along an axis
scales, zeros = torch.rand(3) * 0.05 + 0.01, torch.tensor([3, -5, 100], dtype=torch.int32)
for dtype, kind, low, high in (
    (torch.qint8, torch.int8, -128, 127),
    (torch.quint8, torch.uint8, 0, 255),
    (torch.qint32, torch.int32, -(2**31), 2**31 - 1),
):
    found = torch_npu.npu_quantize(x.npu(), scales.npu(), zeros.npu(), dtype, 1)
    assert found.dtype == kind
    values = x.numpy() / scales.numpy()[:, None] + zeros.numpy()[:, None].astype(np.float32)
    same(found, np.clip(np.rint(values), low, high).astype(np.int64))
found = torch_npu.npu_quantize(x.npu(), scales[:1].npu(), None, torch.qint8, 0)
same(found, rounded(x.numpy() / scales[0].item().__float__()).astype(np.int64))

# after the RMS norm of a sum
other, gamma, beta = torch.randn(2, 3, 8), torch.rand(8) + 0.5, torch.randn(8)
first, second = torch.rand(8) + 0.01, torch.rand(8) + 0.01
zero = torch.randint(-9, 9, (8,), dtype=torch.int32)
for dtype, divides in ((torch.bfloat16, True), (torch.float16, True), (torch.float16, False)):
    one, two, weight, bias = (t.to(dtype) for t in (x, other, gamma, beta))
    found = torch_npu.npu_add_rms_norm_quant(
        *(t.npu() for t in (one, two, weight, first)), zero.npu(), bias.npu(), second.npu(), None,
        epsilon=1e-5, div_mode=divides,
    )  # fmt: skip
    total = one.double().numpy() + two.double().numpy()
    norm = total / np.sqrt((total**2).mean(-1, keepdims=True) + 1e-5) * weight.double().numpy()
    norm = norm + bias.double().numpy()
    for result, scale, shift in ((found[0], first, zero.numpy()), (found[1], second, 0)):
        scale = scale.double().numpy()
        steps = (norm / scale if divides else norm * scale) + shift
        assert result.dtype == torch.int8
        # halves may go either way: sums of F32
        assert np.abs(result.cpu().numpy() - np.clip(steps, -128, 127)).max() <= 0.5 + 1e-3
    assert torch.equal(found[2].cpu(), (one.float() + two.float()).to(dtype))
halves = [t.half().npu() for t in (x, other, gamma)]
single = torch_npu.npu_add_rms_norm_quant(*halves, first.npu(), None, epsilon=1e-5)
plain = torch_npu.npu_add_rms_norm(*halves, 1e-5)
steps = torch_npu.npu_quantize(plain[0], first.npu(), None, torch.qint8, -1)
# the first norm is not rounded to F16
assert (single[0].int() - steps.int()).abs().max() <= 1 and torch.equal(single[2], plain[2])
assert not single[1].any()

factors, shifts = torch.rand(8) * 90, torch.rand(8) * 9
for axis, places in ((-1, factors), (1, factors), (-2, factors[:3])):
    other = shifts[: len(places)]
    found = torch_npu.npu_quantize(x.npu(), places.npu(), other.npu(), torch.qint8, axis, False)
    shape = (3, 1) if axis == -2 else (8,)
    values = x.numpy() * places.numpy().reshape(shape) + other.numpy().reshape(shape)
    same(found, rounded(values).astype(np.int64))

integers = torch.randint(-128, 128, (4, 8), dtype=torch.int8)
for dtype in (None, torch.float16, torch.bfloat16):
    for scale, offset in ((factors, shifts), (factors[:1], None)):
        on_device = None if offset is None else offset.npu()
        found = torch_npu.npu_anti_quant(
            integers.npu(), scale.npu(), offset=on_device, dst_dtype=dtype
        )
        exact = integers.float().numpy() + (0 if offset is None else offset.numpy())
        expected = torch.tensor(exact * scale.numpy()).to(dtype or torch.float16)
        assert torch.equal(found.cpu(), expected)

# products of integers, exact until they are scaled
one = torch.randint(-128, 128, (2, 5, 300), dtype=torch.int8)
other = torch.randint(-128, 128, (300, 8), dtype=torch.int8)
total = one.numpy().astype(np.int64) @ other.numpy().astype(np.int64)
by_row, of_integers, of_floats = torch.rand(5), torch.randint(-99, 99, (8,)).int(), torch.randn(8)
scale = torch.rand(8) * 1e-4
for dtype, rows, bias in (
    (torch.bfloat16, None, None),
    (torch.bfloat16, by_row, of_integers),
    (torch.float16, by_row, of_floats),
    (torch.float16, by_row, None),
):
    options = {"pertoken_scale": rows, "bias": bias}
    options = {name: None if one is None else one.npu() for name, one in options.items()}
    found = torch_npu.npu_quant_matmul(
        one.npu(), other.npu(), scale.npu(), output_dtype=dtype, **options
    )
    exact = total if bias is not of_integers else total + of_integers.numpy()
    values = exact.astype(np.float32) * scale.numpy()
    if rows is not None:
        values = values * rows.numpy()[:, None]
    if bias is of_floats:
        values = values + of_floats.numpy()
    assert torch.equal(found.cpu(), torch.tensor(values).to(dtype))

# INT4, eight in a number, and signs as bits
nibbles = np.random.default_rng(0).integers(-8, 8, (3, 16))
words = ((nibbles & 15).reshape(3, 2, 8) << np.arange(0, 32, 4)).sum(-1).astype(np.uint32)
found = torch_npu.npu_anti_quant(
    torch.tensor(words.view(np.int32)).npu(), torch.full((16,), 0.5).npu(), src_dtype=torch.quint4x2
)
assert np.array_equal(found.cpu(), nibbles * 0.5)
signs = torch.tensor(
    [5.0, 4, 3, 2, 0, -1, -2, 4, 3, 2, 1, 0, -1, -2]
)  # of torch_npu's documentation
for size, shape in ((1, (1, 2)), (2, (2, 1))):
    bits = torch_npu.npu_sign_bits_pack(signs.npu(), size)
    assert bits.shape == shape and bits.flatten().tolist() == [159, 15]
back = torch_npu.npu_sign_bits_unpack(bits.flatten(), 1, torch.float16)
assert back.dtype == torch.float16 and back.shape == (1, 16)
assert torch.equal(back[0, :14].cpu().float(), torch.where(signs < 0, -1.0, 1.0))

# quantized tensors (by _quantize_per_tensor_impl and _quantize_per_channel_impl), by definition
values, steps, zeros = torch.randn(4, 3) * 9, torch.rand(4) + 0.5, torch.tensor([0, 1, -2, 3])
for kind, integer in ((torch.qint8, np.int8), (torch.quint8, np.uint8), (torch.qint32, np.int32)):
    by_place = torch.quantize_per_channel(values.npu(), steps.npu(), zeros.npu(), 0, kind)
    by_one = torch.quantize_per_tensor(values.npu(), 0.5, 3, kind)
    for found, step, zero in (
        (by_place, steps.numpy()[:, None], zeros.numpy()[:, None]),
        (by_one, np.float32(0.5), 3),
    ):
        limits = np.iinfo(integer)
        exact = np.rint(values.numpy() / step) + zero
        exact = exact.clip(limits.min, limits.max).astype(integer)
        assert np.array_equal(found.int_repr().cpu(), exact)
        back = (exact.astype(np.float32) - zero) * step
        torch.testing.assert_close(
            found.dequantize().cpu(), torch.tensor(back, dtype=torch.float32)
        )

WRONG = (
    (
        lambda: torch_npu.npu_dynamic_quant(half.npu(), dst_type=torch.quint4x2),
        "emulated device: npu::npu_dynamic_quant is not available: with dst_type",
    ),
    (
        lambda: torch_npu.npu_quant_matmul(one.npu(), other.npu(), scale.npu()),
        "emulated device: npu::npu_quant_matmul is not available: with output_dtype None",
    ),
    (
        lambda: torch_npu.npu_anti_quant(integers.npu(), scale.npu(), dst_dtype=torch.float32),
        "dst_dtype is 6; allowed: 5, 15",
    ),
)
refuse(WRONG)

# quantized tensors on their way to the host
values = torch.randn(4, 3)
scales, points = torch.tensor([0.1, 0.2, 0.3]), torch.tensor([1, 2, 3], dtype=torch.int32)
for kind in (torch.qint8, torch.quint8, torch.qint32):
    for call, numbers in (
        (torch.quantize_per_tensor, (0.1, 3, kind)),
        (torch.quantize_per_channel, (scales, points, 1, kind)),
    ):
        moved = [one.npu() if isinstance(one, torch.Tensor) else one for one in numbers]
        found, expected = call(values.npu(), *moved), call(values, *numbers)
        for one in (found.cpu(), found.to("cpu")):
            assert (one.dtype, one.qscheme()) == (kind, expected.qscheme())
            assert torch.equal(one, expected)
