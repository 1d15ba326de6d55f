"""Tensors whose elements lie in memory in another way than their shapes and strides say."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ascendref as ar
from ascendref import aclnn

from ..support.two_phase import launch, refusal, refused

INVALID = 161002
RNG = np.random.default_rng(0)


def in_memory(dev: ar.Device, data: Any, room: int | None = None) -> Any:
    """Return device memory with data, and room for a number of elements."""
    memory = dev.malloc((room or data.size) * data.itemsize)
    dev.memcpy(memory, data, data.nbytes)
    return memory


@pytest.mark.parametrize(
    ("shape", "kind", "count"),
    [
        ((510, 510), "float16", 262144),
        ((16, 17), "bfloat16", 512),
        ((17, 33), "int8", 32 * 64),
        ((3, 1, 1), "int8", 3 * 16 * 32),
    ],
)
def test_sizes_of_weights(shape: tuple[int, ...], kind: str, count: int) -> None:
    assert aclnn.aclnnCalculateMatmulWeightSizeV2(shape, kind) == count
    if kind != "int8":
        assert aclnn.aclnnCalculateMatmulWeightSize(shape) == count


@pytest.mark.parametrize(
    ("given", "status", "words"),
    [
        ((None, "float16"), 161001, "tensorShape is None"),
        (((2, 2), None), 161001, "dataType is None"),
        (((2, 2), "float32"), INVALID, "dataType is 'float32'; allowed are ACL_FLOAT16"),
        (((2, 2), "none"), INVALID, "dataType is 'none'"),
        (((4,), "int8"), INVALID, "tensorShape is (4,)"),
        (((2, 0), "int8"), INVALID, "2 to 6 sizes above 0"),
    ],
)
def test_sizes_that_are_refused(given: Any, status: int, words: str) -> None:
    found, message = refusal(aclnn.aclnnCalculateMatmulWeightSizeV2, *given)
    assert (found, words in message) == (status, True), message


def product(dev: ar.Device, api: str, x: Any, weight: ar.Tensor) -> Any:
    """Return a product with a weight."""
    out = dev.empty((*x.shape[:-1], weight.shape[-1]), x.dtype)
    one = dev.tensor(x)
    if api == "aclnnAddmm":
        launch(dev, api, dev.empty(out.shape, x.dtype), one, weight, 0, 1, out, 0)
    else:
        launch(dev, api, one, weight, out, 0)
    dev.synchronize()
    return out.numpy().astype(np.float64)


@pytest.mark.parametrize("api", ["aclnnMm", "aclnnMatmul", "aclnnBatchMatMul", "aclnnAddmm"])
@pytest.mark.parametrize("kind", ["float16", ml_dtypes.bfloat16])
def test_weights_in_blocks(api: str, kind: Any) -> None:
    dev = ar.Device("Atlas A2", check=True)  # what is beyond the weight was never written
    batch = (2,) if api == "aclnnBatchMatMul" else ()
    shape = (*batch, 20, 40)
    data = RNG.integers(-4, 5, shape).astype(kind)
    memory = in_memory(dev, data, aclnn.aclnnCalculateMatmulWeightSizeV2(shape, kind))
    weight = ar.Tensor(memory, shape, kind)
    launch(dev, "aclnnTransMatmulWeight", weight)
    assert (weight.format, weight.storage_shape) == (29, (*batch, 3, 2, 16, 16))
    dev.synchronize()
    blocks = ar.Tensor(memory, weight.storage_shape, kind).numpy()
    padded = np.zeros((*batch, 32, 48), kind)
    padded[..., :20, :40] = data
    for column in range(48):
        found = blocks[..., column // 16, :, :, column % 16].reshape(*batch, 32)
        np.testing.assert_array_equal(found, padded[..., column])
    x = RNG.integers(-4, 5, (*batch, 3, 20)).astype(kind)
    wide = data.astype(np.float64)
    np.testing.assert_array_equal(product(dev, api, x, weight), x.astype(np.float64) @ wide)
    # described anew, as the transpose; the storage shape is not needed
    strides = (800, 1, 40)[-len(shape) :] if batch else (1, 40)
    turned = ar.Tensor(memory, (*batch, 40, 20), kind, strides, format="FRACTAL_NZ")
    x = RNG.integers(-4, 5, (*batch, 3, 40)).astype(kind)
    np.testing.assert_array_equal(
        product(dev, api, x, turned), x.astype(np.float64) @ wide.swapaxes(-1, -2)
    )
    # the same memory without its format is another matrix
    plain = ar.Tensor(memory, (*batch, 40, 20), kind, strides)
    assert (product(dev, api, x, plain) != x.astype(np.float64) @ wide.swapaxes(-1, -2)).any()


def test_weights_of_integers_in_blocks() -> None:
    dev = ar.Device("Atlas A2")
    data = RNG.integers(-8, 8, (24, 40)).astype(np.int8)
    memory = in_memory(dev, data, aclnn.aclnnCalculateMatmulWeightSizeV2((24, 40), "int8"))
    weight = ar.Tensor(memory, (24, 40), "int8")
    launch(dev, "aclnnTransMatmulWeight", weight)
    dev.synchronize()
    rows = RNG.integers(-4, 5, (3, 24))
    x, scale = dev.tensor(rows.astype(np.float16)), dev.tensor(np.float16([0.5]))
    out, others = dev.empty((3, 40), "float16"), [None] * 4
    launch(dev, "aclnnWeightQuantBatchMatmulV2", x, weight, scale, *others, 0, out)
    one, out16 = dev.tensor(rows.astype(np.int8)), dev.empty((3, 40), ml_dtypes.bfloat16)
    half = dev.tensor(np.ones(1, ml_dtypes.bfloat16))
    launch(dev, "aclnnQuantMatmulV3", one, weight, half, None, None, False, False, out16)
    dev.synchronize()
    np.testing.assert_array_equal(out.numpy(), rows @ data.astype(np.int64) * 0.5)
    wanted = (rows @ data.astype(np.int64)).astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(out16.numpy(), wanted)


def test_weights_that_are_not_rearranged() -> None:
    dev = ar.Device("Atlas A2")
    memory = dev.malloc(4096)
    for tensor, words in (
        (ar.Tensor(memory, (16, 16), "float32"), "mmWeightRef has type ACL_FLOAT; allowed are"),
        (ar.Tensor(memory, (16,), "float16"), "has shape (16,); matrices with elements"),
        (ar.Tensor(memory, (0, 16), "float16"), "has shape (0, 16)"),
        (ar.Tensor(memory, (4, 4), "float16", (1, 4)), "has strides (1, 4); its elements must be"),
        (ar.Tensor(memory, (4, 4), "float16", format=29), "has format FRACTAL_NZ; ND is expected"),
        (ar.Tensor(memory, (100, 17), "float16"), "its memory has 4096 bytes"),
    ):
        status, message = refused("aclnnTransMatmulWeight", tensor)
        assert (status, words in message) == (INVALID, True), message
    x, out = dev.empty((2, 4), "float16"), dev.empty((2, 4), "float16")
    for tensor, words in (
        (ar.Tensor(memory, (4, 4), "float16", (8, 1), format=29), "those of dense matrices"),
        (ar.Tensor(memory, (4,), "float16", format=29), "has rank 1"),
        (ar.Tensor(dev.malloc(32), (4, 4), "float16", format=29), "its memory has 32 bytes"),
    ):
        status, message = refused("aclnnMm", x, tensor, out, 0)
        assert (status, words in message) == (INVALID, True), message


def packed(numbers: Any, per: int, kind: Any) -> Any:
    """Return integers of four bits, several in each number, the first in its lowest bits."""
    groups = (numbers.astype(np.int64) & 15).reshape(*numbers.shape[:-1], -1, per)
    total = sum(groups[..., k] << 4 * k for k in range(per))
    return total.astype(np.uint32).astype(kind)


@pytest.mark.parametrize(("transposed", "columns"), [(False, 8), (False, 16), (True, 8), (True, 1)])
@pytest.mark.parametrize("kind", ["INT4", "int32"])
def test_weights_of_four_bits(kind: str, transposed: bool, columns: int) -> None:
    dev = ar.Device("Atlas A2", check=True)
    numbers = RNG.integers(-8, 8, (64, columns)).astype(np.int8)
    per, storage = (2, np.uint8) if kind == "INT4" else (8, np.int32)
    data = packed(numbers.T if transposed else numbers, per, storage)
    memory = in_memory(dev, np.ascontiguousarray(data))
    if kind == "INT4":
        shape, strides = (64, columns), (1, 64) if transposed else None
    else:
        shape, strides = ((8, columns), (1, 8)) if transposed else ((64, columns // 8), None)
    weight = ar.Tensor(memory, shape, kind, strides)
    x = dev.tensor(RNG.integers(-4, 5, (3, 64)).astype(np.float16))
    scale = dev.tensor(RNG.uniform(0.5, 1, (2, columns)).astype(np.float16))
    found = []
    for each in (weight, dev.tensor(numbers)):
        out = dev.empty((3, columns), "float16")
        given = (x, each, scale, None, None, None, None, 32, out)
        launch(dev, "aclnnWeightQuantBatchMatmulV2", *given)
        dev.synchronize()
        found.append(out.numpy())
    np.testing.assert_array_equal(*found)


def test_weights_of_four_bits_that_are_refused() -> None:
    dev = ar.Device("Atlas A2")
    memory = dev.malloc(4096)
    x, scale, out = (dev.empty(shape, "float16") for shape in ((3, 32), (1,), (3, 6)))
    for tensor, group, words in (
        (ar.Tensor(memory, (32, 6), "INT4"), 0, ""),
        (ar.Tensor(memory, (32, 5), "INT4"), 0, "weight has 5 INT4 in a row"),
        (ar.Tensor(memory, (32, 6), "INT4", None, 1), 0, "both must be even"),
        (ar.Tensor(memory, (32, 6), "INT4", format=29), 0, "only ND is computed"),
        (ar.Tensor(memory, (32, 6), "int8"), 16, "antiquantGroupSize is 16"),
        (ar.Tensor(memory, (30, 6), "int8"), 0, "weight has 30 rows; x has 32 columns"),
        (ar.Tensor(memory, (1, 32, 6), "int8"), 0, "weight has rank 3; 2 is expected"),
    ):
        given = (x, tensor, scale, None, None, None, None, group, out)
        status, message = refused("aclnnWeightQuantBatchMatmulV2", *given)
        assert (status, words in message) == (INVALID if words else 0, True), message


def test_pictures_with_channels_last() -> None:
    dev = ar.Device("Atlas A2")
    data = RNG.uniform(0, 1, (2, 3, 4, 5)).astype(np.float32)
    last = np.ascontiguousarray(data.transpose(0, 2, 3, 1))
    for api, given in (
        ("aclnnUpsampleNearest2d", ([8, 7],)),
        ("aclnnResize", ([1, 1, 2, 1.5], "bilinear")),
    ):
        out, pictures = dev.empty((2, 3, 8, 7), "float32"), dev.empty((2, 8, 7, 3), "float32")
        form = {"format": "NHWC"}
        launch(dev, api, dev.tensor(data), *given, out)
        launch(
            dev,
            api,
            ar.Tensor(in_memory(dev, last), last.shape, "float32", **form),
            *given,
            ar.Tensor(pictures.memory, pictures.shape, "float32", **form),
        )
        dev.synchronize()
        np.testing.assert_array_equal(pictures.numpy(), out.numpy().transpose(0, 2, 3, 1))
    flat = ar.Tensor(pictures.memory, (2, 8, 21), "float32", **form)
    status, message = refused("aclnnUpsampleNearest2d", flat, [8, 7], out)
    assert (status, "has format NHWC and rank 3" in message) == (INVALID, True)
