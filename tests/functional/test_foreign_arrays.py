"""Arrays of other libraries: outputs are written or refused, inputs may be copied."""

import sys
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ascendref as ar
from ascendref.kernels.runtime.kernel import Kernel

from ..support.rounding import assert_bits

X = np.array([-2, -0.25, 0.25, 0.75], np.float32)
ONES = np.ones(4, np.float32)
WANT = np.array([1, 0, 0, 1], np.float32)
LOST = "only copy, so the results would be lost"


class Stored:
    """Data that are elsewhere and read when they are asked for, as h5py and zarr have them."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.values.copy()


class Strict(Stored):
    """The same, of a library that says so."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if copy is False:
            raise ValueError("a copy cannot be avoided")
        return self.values.copy()


class Lying(Stored):
    """The same, of a library that says that it made no copy, as dask does."""

    def __array__(self, dtype: Any = None) -> Any:
        return self.values.copy()


class Exported(Stored):
    """Data that are copied for whoever wants them through DLPack."""

    __array__ = None  # type: ignore[assignment]

    def __dlpack__(self, **options: Any) -> Any:
        return self.values.copy().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


class Shared(Stored):
    """An array that gives away its own memory."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.values


class SharedExport(Exported):
    """The same, through DLPack."""

    def __dlpack__(self, **options: Any) -> Any:
        return self.values.__dlpack__(**options)


COPYING = (Stored, Strict, Lying, Exported)
SHARING = (Shared, SharedExport)


def refuse_as_output(out: Any) -> None:
    """Assert that no function of the library or the device writes to an array."""
    for _ in range(2):  # the second call in a row, too
        with pytest.raises(ar.ArgumentValueError, match=f"^out is a .*{LOST}"):
            ar.hardshrink_backward(ONES, X, out=out)
        ar.hardshrink_backward(ONES, X, out=np.empty(4, np.float32))
    with pytest.raises(ar.ArgumentValueError, match=rf"^out\[0\] is a .*{LOST}"):
        ar.prelu_backward(ONES, X, ONES[:1], out=(out, np.empty(1, np.float32)))
    dev = ar.Device("Atlas A2")
    memory = dev.tensor(X).memory
    for call, argument in (
        (lambda: dev.memcpy(out, memory), "dst"),
        (lambda: dev.memcpy_async(out, memory, stream=dev.create_stream()), "dst"),
        (lambda: dev.memset(out, 0), "memory"),
    ):
        with pytest.raises(ar.AclArgumentError, match=LOST) as raised:
            call()
        assert (raised.value.argument, int(raised.value.status)) == (argument, 107000)


@pytest.mark.parametrize("kind", COPYING)
def test_an_output_that_numpy_can_only_copy_is_refused(kind: Any) -> None:
    out = kind(np.full(4, 77, np.float32))
    refuse_as_output(out)
    assert (out.values == 77).all()


def test_a_sum_that_numpy_can_only_copy_is_refused_before_the_other_result_is_written() -> None:
    grads = np.full(4, 77, np.float32)
    with pytest.raises(ar.ArgumentValueError, match=rf"^out\[1\] is a Stored .*{LOST}"):
        ar.prelu_backward(ONES, X, ONES[:1], out=(grads, Stored(ONES[:1])))
    assert (grads == 77).all()


def test_a_number_of_numpy_is_no_output() -> None:
    one = np.ones((), np.float32)
    number = np.float32(77)
    with pytest.raises(ar.ArgumentValueError, match=f"^out is a float32 .*{LOST}"):
        ar.hardshrink_backward(one, one, out=number)
    dev = ar.Device("Atlas A2")
    with pytest.raises(ar.AclArgumentError, match=LOST):
        dev.memcpy(number, dev.tensor(one).memory)
    with pytest.raises(ar.AclArgumentError, match=LOST):
        dev.memset(number, 0)
    assert number == 77


@pytest.mark.parametrize("kind", [*COPYING, *SHARING])
def test_an_input_may_be_copied(kind: Any) -> None:
    given = kind(X)
    assert_bits(np.asarray(ar.hardshrink_backward(kind(ONES), given)), WANT)
    assert_bits(np.asarray(ar.cast(given, "float64")), X.astype(np.float64))
    assert ar.compare(given, X).differing == 0
    assert ar.Device("Atlas A2").tensor(given).numpy().tolist() == X.tolist()


@pytest.mark.parametrize("kind", SHARING)
def test_an_output_that_shares_its_memory_is_written(kind: Any) -> None:
    out = kind(np.zeros(4, np.float32))
    if kind is SharedExport and not np.from_dlpack(out).flags.writeable:  # before NumPy 2.1
        with pytest.raises(ar.ArgumentValueError, match="out is read-only"):
            ar.hardshrink_backward(ONES, X, out=out)
        return
    assert ar.hardshrink_backward(ONES, X, out=out) is out
    assert_bits(out.values, WANT)
    dev = ar.Device("Atlas A2")
    dev.memcpy(out, dev.tensor(X).memory)
    assert_bits(out.values, X)


def test_an_empty_output_has_nothing_to_lose() -> None:
    nothing = np.ones(0, np.float32)
    out = Stored(nothing)
    assert ar.hardshrink_backward(nothing, nothing, out=out) is out


@pytest.fixture(name="torch")
def _torch() -> Any:
    return pytest.importorskip("torch", reason="torch is in the bench extra, not in the test extra")


def test_a_torch_output_is_written_in_place(torch: Any) -> None:
    for kind in (torch.float32, torch.bfloat16, torch.float16):
        x = torch.from_numpy(X.copy()).to(kind)
        out = torch.zeros(4, dtype=kind)
        assert ar.hardshrink_backward(torch.ones_like(x), x, out=out) is out
        assert out.tolist() == WANT.tolist()


def test_a_torch_view_with_the_negative_bit_is_an_input_only(torch: Any) -> None:
    memory = torch.full((4,), 7j, dtype=torch.complex64)
    negative = memory.conj().imag
    assert negative.is_neg()
    refuse_as_output(negative)
    assert (memory == 7j).all()
    assert ar.hardshrink_backward(torch.ones(4), negative, 7.5).tolist() == [0] * 4
    assert ar.hardshrink_backward(torch.ones(4), negative, 6.5).tolist() == [1] * 4
    dev = ar.Device("Atlas A2")
    assert dev.tensor(negative).numpy().tolist() == [-7] * 4
    with pytest.raises(ar.AclArgumentError, match=LOST):
        dev.memset(memory.conj(), 0)
    assert (memory == 7j).all()
    dev.memset(memory, 0)
    assert (memory == 0).all()


def torch_tensors(torch: Any) -> dict[str, Any]:
    """Return tensors that are no dense numbers in the memory of the host."""
    x = torch.from_numpy(X.copy())
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        fake = torch.zeros(4)

    class Subclass(torch.Tensor):  # type: ignore[misc]
        @classmethod
        def __torch_function__(cls, *args: Any, **options: Any) -> Any:
            raise LookupError("its own error")

    return {
        "float8_e4m3fn": x.to(torch.float8_e4m3fn),
        "float8_e5m2": x.to(torch.float8_e5m2),
        "complex32": x.to(torch.complex32),
        "complex64": x.to(torch.complex64),
        "uint16": x.to(torch.uint16),
        "quint8": torch.quantize_per_tensor(x, 1.0, 0, torch.quint8),
        "nested": torch.nested.nested_tensor([x, x[:2]]),
        "jagged": torch.nested.nested_tensor([x, x[:2]], layout=torch.jagged),
        "meta": x.to("meta"),
        "sparse_coo": x.to_sparse(),
        "mkldnn": x.to_mkldnn(),
        "requires grad": x.clone().requires_grad_(),
        "FakeTensor": fake,
        "ZeroTensor": torch._efficientzerotensor(4),
        "Subclass": x.as_subclass(Subclass),
    }


@pytest.mark.filterwarnings("ignore:.*nested tensors:UserWarning")
@pytest.mark.filterwarnings("ignore:ComplexHalf support:UserWarning")
@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor:UserWarning")
def test_torch_tensors_that_are_no_dense_numbers_are_refused_by_name(torch: Any) -> None:
    for label, tensor in torch_tensors(torch).items():
        calls = {
            "grad_output": lambda tensor=tensor: ar.hardshrink_backward(tensor, X),
            "out": lambda tensor=tensor: ar.hardshrink_backward(ONES, X, out=tensor),
            "lambd": lambda tensor=tensor: ar.hardshrink_backward(ONES, X, tensor),
            "weight": lambda tensor=tensor: ar.prelu_backward(ONES, X, tensor),
            "array": lambda tensor=tensor: ar.cast(tensor, "float32"),
            "golden": lambda tensor=tensor: ar.compare(X, tensor),
            "a": lambda tensor=tensor: ar.ulp_distance(tensor, X),
        }
        for name, call in calls.items():
            with pytest.raises(ar.ArgumentTypeError) as raised:
                call()
            assert raised.value.argument == name
            assert label in str(raised.value) or name == "lambd", raised.value


def test_torch_tensors_inside_of_transformations_are_refused_by_name(torch: Any) -> None:
    calls = 0

    def refused(tensor: Any) -> Any:
        nonlocal calls
        for name, call in {
            "self": lambda: ar.hardshrink_backward(ONES, tensor),
            "out": lambda: ar.hardshrink_backward(ONES, X, out=tensor),
            "lambd": lambda: ar.hardshrink_backward(ONES, X, tensor[0]),
        }.items():
            with pytest.raises(ar.ArgumentTypeError) as raised:
                call()
            assert raised.value.argument == name
            calls += 1
        return tensor.sum()

    torch.vmap(refused)(torch.ones(3, 4))
    torch.vmap(refused)(torch.ones(3, 4, dtype=torch.bfloat16))
    torch.func.grad(refused)(torch.ones(4))
    assert calls == 9


def test_torch_scalars(torch: Any) -> None:
    want = ar.hardshrink_backward(ONES, X, 0.5)
    for kind in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        assert_bits(ar.hardshrink_backward(ONES, X, torch.tensor(0.5, dtype=kind)), want)
    zeros = np.zeros_like(X)
    assert_bits(ar.smooth_l1_loss_backward(ONES, 4 * ONES, zeros, torch.tensor(2)), ONES)
    grad = torch.tensor(0.5, requires_grad=True)
    for value, problem in (
        (grad, r"lambd is a torch tensor that requires grad; pass tensor\.detach\(\)"),
        (torch.tensor(0.5, device="meta"), "lambd is a torch tensor on meta"),
        (torch.tensor([0.5]), "lambd is .*; a real number is expected"),
        (torch.tensor(0.5j), "lambd is .*; a real number is expected"),
        (torch.tensor(0.5).to(torch.float8_e5m2), "lambd is a Tensor that NumPy cannot share"),
    ):
        with pytest.raises(ar.ArgumentTypeError, match=problem):
            ar.hardshrink_backward(ONES, X, value)


def test_a_module_that_is_being_imported_is_no_obstacle(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("torch", "numpy.ma"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    assert_bits(ar.hardshrink_backward(ONES[:3], X[:3].reshape(1, 3)[0], np.array(0.5)), WANT[:3])
    assert_bits(np.asarray(ar.hardshrink_backward(Stored(ONES), Stored(X))), WANT)
    assert ar.cast(X, "float64").dtype == np.float64


@pytest.mark.full
@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "bfloat16"])
def test_element_types_may_be_equal_objects(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Kernel, "copies_first", lambda *_: True)
    x = X.astype(kind)
    given = np.empty(4, x.dtype.newbyteorder().newbyteorder())  # as unpickled arrays have it
    given[...] = x
    assert given.dtype is not x.dtype
    for function in (ar.hardshrink, ar.silu, ar.glu, lambda x: ar.cast(x, "float64")):
        assert_bits(function(given), function(x))
        assert_bits(function(given[::-1]), function(x[::-1]))
    out = np.empty_like(given)
    assert ar.silu(given, out=out) is out
    assert_bits(out.view(x.dtype), ar.silu(x))
    assert ar.compare(given, x).differing == 0


def test_results_that_a_library_cannot_hold() -> None:
    class Line(Stored):
        def __array_wrap__(self, array: Any, context: Any = None, scalar: bool = False) -> Any:
            if array.ndim != 1:
                raise ValueError("one axis is expected")
            return Line(array)

    line = Line(X)
    assert ar.hardshrink_backward(line, X).values.tolist() == [-2, 0, 0, 0.75]
    with pytest.raises(ar.ArgumentTypeError, match=r"^grad_output .*one axis is expected") as got:
        ar.hardshrink_backward(line, np.ones((2, 4), np.float32))
    assert isinstance(got.value.__cause__, ValueError)


def test_bfloat16_of_a_library_whose_dlpack_lacks_it() -> None:
    class Half(Stored):
        def __dlpack__(self, **options: Any) -> Any:
            raise BufferError("bfloat16 is not supported")

        def __dlpack_device__(self) -> tuple[int, int]:
            return 1, 0

    x = Half(X.astype(ml_dtypes.bfloat16))
    assert ar.hardshrink_backward(x, x).tolist() == [-2, 0, 0, 0.75]
    with pytest.raises(ar.ArgumentValueError, match=LOST):
        ar.hardshrink_backward(x, x, out=x)
