"""Judges of quantisation."""

import numpy as np

from .judge import Judge, Type, held, judged, uniform
from .normalization import rms_norm

#: code of the type of quantised data
INT8 = 2


def along(numbers, x, axis):
    """Return numbers for each place of an axis, or one."""
    return numbers.reshape([-1 if k == axis % x.ndim else 1 for k in range(x.ndim)])


def quantized(x, scale, offset, squared, mode, _, axis=-1):
    value = x * along(scale, x, axis) ** (2 if squared else 1)
    value = value if offset is None else value + along(offset, x, axis)
    rounded = {"round": np.rint, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc}[mode]
    return np.clip(rounded(value), -128, 127)


def quantized_rows(x, smooth):
    """Return rows as integers of 8 bits, and their scales."""
    value = x if smooth is None else x * smooth
    scale = abs(value).max(-1) / 127
    return np.rint(value / np.where(scale, scale, 1)[..., None]), scale


def fake_quantized(x, scale, zero, axis, least, most):
    scale, zero = along(scale, x, axis), along(zero, x, axis)
    steps = np.rint(x / scale) + zero
    return (np.clip(steps, least, most) - zero) * scale, (steps >= least) & (steps <= most)


def updated_scale(scale, tracker, found, growth, backoff, interval):
    """Return a scale that grows after steps without infinities, and the number of those."""
    if found[0]:
        return scale * backoff, np.zeros_like(tracker)
    grows = tracker[0] + 1 == interval
    return scale * (growth if grows else 1), (tracker + 1) * (not grows)


def dequantized(x, scale, offset, _, squared):
    return (x + (0 if offset is None else offset)) * scale ** (2 if squared else 1)


def add_rms_norm_quantized(a, b, w, s, t, y, z, beta, _, eps, div):
    """Return the norm of a sum as integers with two scales, the sum and the norm."""
    norm = rms_norm(a + b, w, eps)[0]
    value = norm if beta is None else norm + beta

    def steps(scale, zero):
        found = value / scale if div else value * scale
        return np.clip(np.rint(found + (0 if zero is None else zero)), -128, 127)

    return steps(s, y), None if t is None else steps(t, z), a + b, norm


def asymmetric_rows(x, smooth, groups, _):
    """Return rows as integers of 8 bits that begin at -128, scales and offsets."""
    rows = x.reshape(-1, x.shape[-1])
    if groups is not None:
        of = [next(k for k, end in enumerate(groups) if row < end) for row in range(len(rows))]
        rows = rows * smooth[of]
    elif smooth is not None:
        rows = rows * smooth
    low, high = rows.min(-1), rows.max(-1)
    scale = (high - low) / 255
    flat = scale == 0
    offset = np.where(flat, 0, 127 - high / np.where(flat, 1, scale))
    steps = np.rint(rows / np.where(flat, 1, scale)[:, None] + offset[:, None])
    steps[flat] = 0
    whole = np.clip(steps, -128, 127).reshape(x.shape)
    return whole, scale.reshape(x.shape[:-1]), offset.reshape(x.shape[:-1])


def quant_matmul(x, y, scale, rows, bias, first, second):
    """Return a scaled product of matrices; a bias of integers is scaled too."""
    x, y = x.swapaxes(-1, -2) if first else x, y.swapaxes(-1, -2) if second else y
    found = np.einsum("...mk,...kn->...mn", x, y) * 1.0
    whole = bias is not None and bias.dtype.kind == "i"
    found = (found + (bias if whole else 0)) * scale * (1 if rows is None else rows[:, None])
    return found if bias is None or whole else found + bias


def weight_quant_matmul(x, weight, scale, offset, _, __, bias, group):
    """Return a product with integers that are shifted and scaled by tensor, column or group."""

    def at(numbers, k, n):
        if numbers.size == 1:
            return numbers.item()
        return numbers[k // group, n] if group else numbers.reshape(-1)[n]

    found = np.zeros((len(x), weight.shape[1]))
    for n in range(weight.shape[1]):
        for k in range(len(weight)):
            shifted = weight[k, n] + (0 if offset is None else at(offset, k, n))
            found[:, n] += x[:, k] * shifted * at(scale, k, n)
    return found if bias is None else found + bias.reshape(-1)


def some_bytes(count):
    return lambda rng: rng.integers(0, 256, count)


QUANTIZATION: dict[str, Judge] = {
    "AscendQuant": judged(quantized, ("N 3 4, 4 +, 4", False, "round", INT8),
        ("N 4, 1 +", None, True, "floor", INT8), ("N 4, 1 +, 1", False, "ceil", INT8),
        (uniform(-200, 200, (5, 6)), "6 +, 6", False, "trunc", INT8)),
    "AscendQuantV3": judged(quantized, ("N 3 4, 4 +, 4", False, "round", INT8, -1),
        ("N 3 4, 3 +, 3", True, "round", INT8, 1), ("N 4, 1 +", None, False, "trunc", INT8, -1)),
    "AscendAntiQuant": judged(dequantized, ("N 3 4 <100, 4 +, 4", Type, False),
        ("N 4 <100, 1 +", None, Type, True)),
    "DynamicQuant": judged(quantized_rows, "N 3 5, 5", ("N 6", None),
        (held(np.zeros((2, 3))), None)),
    "DynamicQuantV2": judged(asymmetric_rows, ("N 3 5, 5", None, INT8), ("N 6", None, None, INT8),
        ("2 2 6, 2 6", lambda _: [1, 4], INT8), (held(np.ones((2, 3))), None, None, INT8)),
    "Quantize": judged(lambda x, s, z, _, axis: quantized(x, 1 / s, z, False, "round", INT8, axis),
        ("N 3 4 +, 3 +, 3 <5", Type, 1), ("N 4 +, 1 +", None, Type, 0),
        (uniform(0, 10, (5, 6)), "6 +, 6 <5", Type, -1)),
    "AddRmsNormQuant": judged(
        lambda *given: add_rms_norm_quantized(*given[:7], None, *given[7:])[:3],
        ("N 3 5, N 3 5, 5, 5 +, 5 +, 5, 5", -1, 1e-3, True),
        ("4 3 5, 4 3 5, 3 5, 3 5 +", None, None, None, -1, 1e-3, False),
    ),
    "AddRmsNormQuantV2": judged(add_rms_norm_quantized,
        ("N 3 5, N 3 5, 5, 5 +", None, "5", None, "5", -1, 1e-3, True),
        ("4 6, 4 6, 6, 6 +, 6 +", None, "6", None, -1, 1e-3, True)),
    "QuantMatmulV3": judged(lambda x, y, s, _, b, *t: quant_matmul(x, y, s, None, b, *t),
        ("3 4, 4 5, 5", None, "5", False, False), ("2 4 3, 2 5 4, 1", None, None, True, True),
        ("2 3 4, 4 5, 5", None, "5", False, False)),
    "QuantMatmulV4": judged(lambda x, y, s, _, *rest: quant_matmul(x, y, s, *rest),
        ("3 4, 4 5, 5", None, "3 +, 5", False, False),
        ("4 3, 5 4, 1", None, "3 +", None, True, True),
        ("2 3 4, 2 4 5, 5", None, "3 +, 2 1 5", False, False)),
    "QuantMatmulV5": judged(lambda x, y, r, s, *rest: quant_matmul(x, y, s, r, *rest[4:7]),
        ("3 4, 4 5, 3 +, 5", None, None, None, None, "5", False, False, 0),
        ("3 4, 5 4, 3 +, 1", None, None, None, None, None, False, True, 0)),
    "WeightQuantBatchMatmulV2": judged(weight_quant_matmul,
        ("N 64, 64 5, 2 5 +, 2 5", None, None, "5", 32),
        ("3 80, 80 4, 3 4 +", None, None, None, None, 32),
        ("3 6, 6 5, 5 +, 5", None, None, "1 5", 0), ("3 6, 6 5, 1 5 +", None, None, None, None, 0),
        ("3 6, 6 5, 1 +, 1", None, None, None, 0)),
    "SignBitsPack": judged(lambda x, size: np.packbits(x >= 0, bitorder="little").reshape(size, -1),
        ("30", 2), ("16", 1)),
    "SignBitsUnpack": judged(
        lambda x, size, _: (
            np.unpackbits(np.uint8(x), bitorder="little").reshape(size, -1) * 2.0 - 1
        ),
        (some_bytes(6), 3, 0),
        (some_bytes(4), 2, 1),
    ),
    "FakeQuantPerChannelAffineCachemask": judged(fake_quantized, ("3 4 5, 4 +, 4 <3", 1, -3, 4)),
    "FakeQuantPerTensorAffineCachemask": judged(
        lambda x, scale, zero, on, *limits: fake_quantized(x, scale, zero, -1, *limits),
        ("3 4 5, 1 +, 1 <3", 1.0, -3, 4),
    ),
    "AmpUpdateScale": judged(
        updated_scale,
        *[
            (held([8]), held([k]), held([infinite]), 2.0, 0.5, 3)
            for k, infinite in ((2, 0), (1, 0), (2, 1))
        ],
    ),
}  # fmt: skip
