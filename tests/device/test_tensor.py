"""Tensors and scalars: what they accept, and when an impossible view is refused."""

from math import prod

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ascendref as ar
from ascendref.core.dtypes import DataType
from ascendref.device.memory.address_space import find_memory
from ascendref.device.memory.tensor import Format

from ..support.two_phase import refusal

# ---- element types


@pytest.mark.parametrize(
    ("given_type", "name"),
    [
        (np.float32, "ACL_FLOAT"),
        ("float16", "ACL_FLOAT16"),
        (ml_dtypes.bfloat16, "ACL_BF16"),
        ("bfloat16", "ACL_BF16"),
        ("ACL_DOUBLE", "ACL_DOUBLE"),
        ("BF16", "ACL_BF16"),
        (27, "ACL_BF16"),
        (0, "ACL_FLOAT"),
        (bool, "ACL_BOOL"),
        (np.dtype("u2"), "ACL_UINT16"),
        (np.complex64, "ACL_COMPLEX64"),
        (ml_dtypes.float8_e5m2, "ACL_FLOAT8_E5M2"),
        (DataType.ACL_INT4, "ACL_INT4"),
    ],
)
def test_element_types(given_type, name):
    assert DataType.of(given_type).name == name
    assert ar.Tensor(None, (), given_type).data_type.name == name


@pytest.mark.parametrize("wrong", [None, 5, 99, "float12", ">f4", object, True, [1]])
def test_unknown_element_types(wrong):
    with pytest.raises(TypeError, match="dtype is"):
        DataType.of(wrong)


def test_sizes_are_the_vendors():
    sizes = {kind.name.removeprefix("ACL_"): kind.nbytes for kind in DataType}
    assert sizes == {
        "DT_UNDEFINED": 0, "FLOAT": 4, "FLOAT16": 2, "INT8": 1, "INT32": 4, "UINT8": 1, "INT16": 2,
        "UINT16": 2, "UINT32": 4, "INT64": 8, "UINT64": 8, "DOUBLE": 8, "BOOL": 1, "STRING": 0,
        "COMPLEX64": 8, "COMPLEX128": 16, "BF16": 2, "INT4": 1, "UINT1": 1, "COMPLEX32": 4,
        "HIFLOAT8": 1, "FLOAT8_E5M2": 1, "FLOAT8_E4M3FN": 1, "FLOAT8_E8M0": 1, "FLOAT6_E3M2": 8,
        "FLOAT6_E2M3": 8, "FLOAT4_E2M1": 8, "FLOAT4_E1M2": 8,
    }  # fmt: skip


# ---- tensors


def test_creation_checks_next_to_nothing(dev):
    memory = dev.malloc(8)
    ar.Tensor(memory, (-1, 3), np.float32)
    ar.Tensor(memory, (2,) * 20, np.float32)
    ar.Tensor(memory, (1000,), np.float32)
    ar.Tensor(memory, (2,), "ACL_STRING")
    ar.Tensor(memory, (2,), np.float32, offset=-7)
    ar.Tensor(None, (2,), np.float32)
    tensor = ar.Tensor(memory, (2, 1), np.float32, format="NCL", storage_shape=(2,))
    assert tensor.format == 47
    assert tensor.storage_shape == (2,)
    assert tensor.strides == (1, 1)
    assert tensor.dtype == np.float32
    assert tensor.device is dev


@pytest.mark.parametrize("value", [*Format, *(f"ACL_FORMAT_{f.name}" for f in Format), -1, 2, 54])
def test_every_format_is_accepted(value):
    assert ar.Tensor(None, (1,), np.float32, format=value).format in Format


def test_empty_tensors(dev):
    assert ar.Tensor(None, (0, 3), np.float32).view().shape == (0, 3)
    assert ar.Tensor(None, (0,), np.float32).extent() == (0, 0)
    tensor = dev.tensor(np.empty((2, 0), np.float16))
    assert tensor.shape == (2, 0)
    assert tensor.numpy().shape == (2, 0)
    dev.free(tensor.memory)
    assert dev.empty((0,), np.float32).memory.alive


@given(data=st.data())
def test_views_are_numpys(data):
    dev = ar.Device("Atlas A2")
    flat = np.arange(60, dtype=np.int32)
    memory = dev.tensor(flat).memory
    shape = tuple(data.draw(st.lists(st.integers(0, 4), max_size=3)))
    strides = tuple(data.draw(st.integers(-6, 6)) for _ in shape)
    offset = data.draw(st.integers(0, 59))
    tensor = ar.Tensor(memory, shape, np.int32, strides, offset)
    grid = np.indices(shape).reshape(len(shape), prod(shape))
    places = offset + sum((grid[k] * strides[k] for k in range(len(shape))), np.zeros(1, int))
    if 0 in shape:
        assert tensor.numpy().shape == shape
        assert tensor.extent() == (0, 0)
    elif places.min() < 0 or places.max() >= 60:
        assert refusal(tensor.numpy)[0] == 161002
    else:
        assert (tensor.numpy().reshape(-1) == flat[places]).all()
        assert tensor.numpy().flags.c_contiguous
        assert tensor.extent() == (4 * places.min(), 4 * (places.max() + 1))


def test_arrays_of_any_order_arrive_in_c_order(dev):
    array = np.arange(24).reshape(2, 3, 4)
    for source in (array, array.T, array[::-1, 1:], np.asfortranarray(array), np.int64(3)):
        tensor = dev.tensor(source)
        assert (tensor.numpy() == source).all()
        assert tensor.shape == np.shape(source)


@pytest.mark.parametrize(
    ("kind", "shape", "strides", "offset", "extent"),
    [
        ("INT4", (8,), None, 0, (0, 4)),
        ("INT4", (7,), None, 0, (0, 4)),
        ("INT4", (2, 3), (4, 1), 1, (0, 4)),
        ("INT4", (2,), (-1,), 7, (3, 4)),
        ("FLOAT4_E2M1", (2,), None, 6, (3, 4)),
        ("UINT1", (10,), None, 22, (2, 4)),
        ("UINT1", (3,), None, 7, (0, 2)),
        ("INT4", (9,), None, 0, None),
        ("INT4", (2,), None, 7, None),
        ("UINT1", (33,), None, 0, None),
    ],
)
def test_several_narrow_elements_share_a_byte(dev, kind, shape, strides, offset, extent):
    tensor = ar.Tensor(dev.malloc(4), shape, kind, strides, offset)
    if extent is None:
        assert refusal(tensor.check)[0] == 161002
    else:
        assert tensor.check() == extent
        assert "share a byte" in refusal(tensor.numpy)[1]
    assert dev.empty(7, "INT4").memory.nbytes == 4


def test_empty_of_many_spellings(dev):
    assert dev.empty(3, "float32").shape == (3,)
    assert dev.empty((), 27).shape == ()
    assert dev.empty([2, 3], np.float16).strides == (3, 1)


# ---- scalars


@pytest.mark.parametrize("kind", [kind for kind in DataType])
def test_which_types_a_scalar_can_have(kind):
    refused = ("ACL_DT_UNDEFINED", "ACL_STRING", "ACL_INT4", "ACL_UINT1", "ACL_COMPLEX32")
    if kind.name in refused:
        status, message = refusal(ar.Scalar, 1, kind)
        assert status == 161002
        assert kind.name in message
    else:
        assert ar.Scalar(1, kind).value == 1


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (0.1, np.float32, float(np.float32(0.1))),
        (0.1, np.float16, float(np.float16(0.1))),
        (0.1, np.float64, 0.1),
        (1e300, np.float32, float("inf")),
        (10**400, np.float64, float("inf")),
        (-(10**400), np.float16, float("-inf")),
        (1 + 2**-8 + 2**-40, ml_dtypes.bfloat16, 1 + 2**-7),  # by way of float32 it would be 1
        (1 + 2**-8, ml_dtypes.bfloat16, 1.0),
        (-(1 + 2**-8 + 2**-40), ml_dtypes.bfloat16, -(1 + 2**-7)),
        (3.0, np.int8, 3),
        (np.float32(2.5), np.float64, 2.5),
        (ml_dtypes.bfloat16(0.5), np.float32, 0.5),
        (np.array([7]), np.int64, 7),
        (np.array(2**62 + 1), np.int64, 2**62 + 1),
        (np.array([2**64 - 1], np.uint64), np.uint64, 2**64 - 1),
        (2, bool, True),
        (1 + 2j, np.complex64, 1 + 2j),
    ],
)
def test_values_are_rounded_to_the_type(value, dtype, expected):
    scalar = ar.Scalar(value, dtype)
    assert scalar.value == expected
    assert scalar.value.dtype == np.dtype(dtype)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, ml_dtypes.bfloat16])
def test_nan_and_infinity(dtype):
    assert np.isnan(float(ar.Scalar(float("nan"), dtype).value))
    assert float(ar.Scalar(float("-inf"), dtype).value) == float("-inf")


# ---- addresses inside of memory


def test_a_tensor_at_an_address_inside_of_memory(dev):
    memory = dev.malloc(64)
    dev.memcpy(memory, np.arange(16, dtype=np.float32))
    tensor = ar.Tensor(memory.address + 8, (2, 3), "float32", strides=(1, 2), offset=-1)
    assert tensor.memory is memory
    assert tensor.start == 8
    assert tensor.numpy().tolist() == [[1, 3, 5], [2, 4, 6]]
    assert tensor.extent() == (4, 28)


def test_memory_is_found_by_address_on_whichever_device_it_is(dev):
    other = ar.Device("Atlas A3")
    for memory in (dev.malloc(10), other.malloc(10), dev.malloc_host(10), other.malloc_host(10)):
        assert find_memory(memory.address) is find_memory(memory.address + 9) is memory
        assert find_memory(memory.address + 10) is not memory
    assert find_memory(2**48 - 1) is None
    assert find_memory(2**62) is None
