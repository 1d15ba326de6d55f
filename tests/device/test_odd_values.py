"""Arguments of every kind: only the library's errors are raised, and they name the argument."""

import contextlib
import decimal
import fractions
import inspect
import time
import types

import ml_dtypes
import numpy as np
import pytest

import ascendref as ar
from ascendref import aclnn
from ascendref.core.dtypes import is_integer


class Raises:
    """Raises whatever it is asked."""

    def _raise(self, *_):
        raise RuntimeError("a foreign object")

    __index__ = __int__ = __float__ = __str__ = __repr__ = __eq__ = __hash__ = _raise
    __iter__ = __len__ = __bool__ = __lt__ = __gt__ = __format__ = __getitem__ = _raise


class Refuses:
    """Is interrupted by errors that are no RuntimeError."""

    def __index__(self):
        raise ZeroDivisionError

    def __float__(self):
        raise KeyError("float")

    __int__ = __index__


class NumberThatRaises(float):
    """A number that cannot be written."""

    def __str__(self):
        raise RuntimeError

    __repr__ = __str__

    def __format__(self, how):
        raise RuntimeError


ODD = [
    None, "", "text", ",", "float32, int8", "ACL_STRING", "9" * 5000, b"bytes", bytearray(b"1"),
    True, False, 0, -1, 1, 7, 2**31, 2**62, 2**63, 2**64, 2**64 - 65, 10**400, -(10**400),
    10**5000, -(10**5000),
    0.0, -0.0, 1.5, 1e300, float("nan"), float("inf"), float("-inf"), 1j, complex("nan"),
    decimal.Decimal("1.5"), decimal.Decimal("NaN"), decimal.Decimal("sNaN"),
    decimal.Decimal("Infinity"), decimal.Decimal("1e1000"), fractions.Fraction(1, 3),
    fractions.Fraction(10**400, 3),
    np.float16(1), np.float32(1), np.float64("nan"), np.longdouble(1), np.int8(-1), np.int64(1),
    np.uint64(2**64 - 1), np.bool_(True), np.complex64(1), np.str_("x"), np.bytes_(b"x"),
    np.datetime64("NaT", "s"), np.timedelta64(1, "s"), np.void(b"12"), ml_dtypes.bfloat16(1),
    np.array(1), np.array(1.5), np.array([1, 2]), np.array([]), np.array(["a"]),
    np.array([None]), np.array([{}], object), np.zeros((2, 0)), np.dtype("float32"),
    np.dtype("i4,i4"), np.float32, int, list,
    [], [1], [1, 2], ["a"], [None], [[1]], (), (1,), (2**63,), (-1, 2), (10**5000,), (1.5,),
    (2**40, 2**40), {}, {"a": 1}, {1}, range(3), iter([1]), slice(1), ...,
    object(), Raises(), [Raises()], Refuses(), (Refuses(),), NumberThatRaises(1.5), len,
    lambda: None, types, Exception("x"), memoryview(b"ab"), ar.Status(0), ar.DataType.ACL_FLOAT,
    ar.DataType.ACL_STRING, ar.Format.ND,
]  # fmt: skip


def make():
    """Return what the calls are about."""
    space = types.SimpleNamespace()
    space.dev = dev = ar.Device("Atlas A2", memory=2**24)
    space.array = np.ones(4, np.float32)
    space.x = dev.tensor(space.array)
    space.memory = dev.malloc(64)
    space.pinned = dev.malloc_host(64)
    space.stream, space.served = dev.create_stream(), dev.create_stream()
    space.served.subscribe_report()
    space.stream.begin_capture()
    space.graph = space.stream.end_capture()
    space.event, space.old = dev.create_event(), dev.create_event(ex=False)
    dev.memset_async(space.memory, 0, stream=space.stream)
    space.size, space.executor = aclnn.aclnnLogitGradGetWorkspaceSize(
        space.x, space.x, -1.0, space.x
    )
    space.executor.set_repeatable()
    space.workspace = dev.malloc(16 * 2**19)
    return space


@pytest.fixture
def objects():
    """Make what the calls are about, and end its work."""
    made = []
    yield lambda: made.append(make()) or made[-1]
    for space in made:
        space.dev.default_stream.abort()
        space.stream.abort()
        space.served.destroy(force=True)
        while not space.stream.query():
            pass
        with contextlib.suppress(ar.AclError):
            space.dev.synchronize()


@pytest.fixture
def busy():
    """A device with a stream that has to wait for this thread, and an event behind that."""
    dev = ar.Device("Atlas A2")
    stream, event = dev.create_stream(), dev.create_event()
    stream.subscribe_report()
    stream.launch_callback(len)
    event.record(stream)
    yield types.SimpleNamespace(dev=dev, stream=stream, event=event)
    stream.destroy(force=True)


def capture(stream, mode):
    """Capture for a moment."""
    try:
        stream.begin_capture(mode)
    finally:
        stream.destroy(force=True)


def subscribe(stream, thread):
    """Subscribe for a moment."""
    try:
        stream.subscribe_report(thread)
    finally:
        stream.destroy()


#: name -> a call with one argument that is odd
CALLS = {
    "Device": lambda s, v: ar.Device(v),
    "Device memory": lambda s, v: ar.Device("Atlas A2", memory=v),
    "Device execution": lambda s, v: ar.Device("Atlas A2", execution=v),
    "Device seed": lambda s, v: ar.Device("Atlas A2", execution="random", seed=v),
    "Device seed eager": lambda s, v: ar.Device("Atlas A2", seed=v),
    "Device check": lambda s, v: ar.Device("Atlas A2", check=v),
    "Device trace_length": lambda s, v: ar.Device("Atlas A2", trace_length=v),
    "Product.find": lambda s, v: ar.Product.find(v),
    "malloc": lambda s, v: s.dev.malloc(v),
    "malloc_host": lambda s, v: s.dev.malloc_host(v),
    "free": lambda s, v: s.dev.free(v),
    "memset memory": lambda s, v: s.dev.memset(v, 0),
    "memset value": lambda s, v: s.dev.memset(s.memory, v),
    "memset nbytes": lambda s, v: s.dev.memset(s.memory, 0, v),
    "memset_async memory": lambda s, v: s.dev.memset_async(v, 0),
    "memset_async value": lambda s, v: s.dev.memset_async(s.memory, v),
    "memset_async stream": lambda s, v: s.dev.memset_async(s.memory, 0, stream=v),
    "memcpy dst": lambda s, v: s.dev.memcpy(v, s.memory),
    "memcpy src": lambda s, v: s.dev.memcpy(s.memory, v),
    "memcpy nbytes": lambda s, v: s.dev.memcpy(s.memory, s.array, v),
    "memcpy_async dst": lambda s, v: s.dev.memcpy_async(v, s.memory),
    "memcpy_async src": lambda s, v: s.dev.memcpy_async(s.memory, v),
    "memcpy_async nbytes": lambda s, v: s.dev.memcpy_async(s.memory, s.array, v),
    "tensor": lambda s, v: s.dev.tensor(v),
    "empty shape": lambda s, v: s.dev.empty(v, "float32"),
    "empty dtype": lambda s, v: s.dev.empty(2, v),
    "create_stream priority": lambda s, v: s.dev.create_stream(v),
    "create_stream flags": lambda s, v: s.dev.create_stream(flags=v),
    "create_event flags": lambda s, v: s.dev.create_event(v),
    "create_event ex": lambda s, v: s.dev.create_event(ex=v),
    "notify record": lambda s, v: s.dev.create_notify().record(v),
    "own_stream": lambda s, v: s.event.record(v),
    "event.reset": lambda s, v: s.old.reset(v),
    "event.elapsed_time": lambda s, v: s.event.elapsed_time(v),
    "wait_event": lambda s, v: s.stream.wait_event(v),
    "set_failure_mode": lambda s, v: s.stream.set_failure_mode(v),
    "begin_capture": lambda s, v: capture(s.dev.create_stream(), v),
    "graph.launch": lambda s, v: s.graph.launch(v),
    "launch_host_func": lambda s, v: s.stream.launch_host_func(v),
    "subscribe_report": lambda s, v: subscribe(s.dev.create_stream(), v),
    "unsubscribe_report": lambda s, v: s.served.unsubscribe_report(v),
    "launch_callback": lambda s, v: s.served.launch_callback(v),
    "launch_callback block": lambda s, v: s.served.launch_callback(len, v),
    "pinned.numpy": lambda s, v: s.pinned.numpy(v),
    "memory.numpy": lambda s, v: s.memory.numpy(v),
    "Tensor memory": lambda s, v: ar.Tensor(v, (2,), "float32"),
    "Tensor shape": lambda s, v: repr(ar.Tensor(s.memory, v, "float32").numpy()),
    "Tensor dtype": lambda s, v: repr(ar.Tensor(s.memory, (2,), v).numpy()),
    "Tensor strides": lambda s, v: ar.Tensor(s.memory, (2,), "float32", v).numpy(),
    "Tensor offset": lambda s, v: ar.Tensor(s.memory, (2,), "float32", None, v).numpy(),
    "Tensor format": lambda s, v: ar.Tensor(s.memory, (2,), "float32", format=v),
    "Tensor storage_shape": lambda s, v: ar.Tensor(s.memory, (2,), "int8", storage_shape=v),
    "Scalar value": lambda s, v: repr(ar.Scalar(v, "float16")),
    "Scalar integer": lambda s, v: repr(ar.Scalar(v, "int32")),
    "Scalar complex": lambda s, v: repr(ar.Scalar(v, "complex64")),
    "Scalar bool": lambda s, v: repr(ar.Scalar(v, "bool")),
    "Scalar hifloat": lambda s, v: repr(ar.Scalar(v, "ACL_HIFLOAT8")),
    "Scalar dtype": lambda s, v: repr(ar.Scalar(1, v)),
    "phase 1 tensor": lambda s, v: aclnn.aclnnLogitGradGetWorkspaceSize(v, s.x, -1.0, s.x),
    "phase 1 scalar": lambda s, v: aclnn.aclnnLogitGradGetWorkspaceSize(s.x, s.x, v, s.x),
    "phase 1 scalars": lambda s, v: aclnn.aclnnSoftplusBackwardGetWorkspaceSize(
        s.x, s.x, v, v, s.x
    ),
    "phase 1 reduction": lambda s, v: aclnn.aclnnSmoothL1LossBackwardGetWorkspaceSize(
        s.x, s.x, s.x, v, 1.0, s.dev.empty(4, "float32")
    ),
    "phase 1 beta": lambda s, v: aclnn.aclnnSmoothL1LossBackwardGetWorkspaceSize(
        s.x, s.x, s.x, 0, v, s.dev.empty(4, "float32")
    ),
    "phase 1 out": lambda s, v: aclnn.aclnnLogitGradGetWorkspaceSize(s.x, s.x, -1.0, v),
    "phase 2 workspace": lambda s, v: aclnn.aclnnLogitGrad(v, s.size, s.executor, None),
    "phase 2 size": lambda s, v: aclnn.aclnnLogitGrad(s.workspace, v, s.executor, None),
    "phase 2 executor": lambda s, v: aclnn.aclnnLogitGrad(s.workspace, s.size, v, None),
    "phase 2 stream": lambda s, v: aclnn.aclnnLogitGrad(s.workspace, s.size, s.executor, v),
    "set_tensor_address tensor": lambda s, v: s.executor.set_tensor_address(v, s.memory),
    "set_tensor_address memory": lambda s, v: s.executor.set_tensor_address(s.x, v),
}


@pytest.mark.parametrize("name", CALLS)
def test_only_errors_of_the_library_come_out(name, objects):
    call = CALLS[name]
    space = objects()
    for number, value in enumerate(ODD):
        if name == "malloc_host" and is_integer(value) and 2**20 < value < 2**48:
            continue
        try:
            call(space, value)
        except (ar.AclError, ar.ArgumentError) as error:
            str(error)
        except Exception as error:
            raise AssertionError(f"number {number}, a {type(value).__name__}") from error
        if not space.served._subscription:
            space.served.subscribe_report()


def long(value):
    """Tell whether a timeout is longer than a test should take."""
    if isinstance(value, decimal.Decimal):
        return value.is_infinite() or (not value.is_nan() and value > 100)
    number = int | float | fractions.Fraction | np.floating | np.integer
    if isinstance(value, np.timedelta64):
        return False  # NumPy counts it among the integers
    return value is None or (isinstance(value, number) and (value == -1 or value > 100))


@pytest.mark.parametrize("wait", ["stream", "event", "dev", "process_report"])
def test_odd_timeouts_of_a_busy_device(wait, busy):
    calls = {
        "stream": busy.stream.synchronize,
        "event": busy.event.synchronize,
        "dev": busy.dev.synchronize,
        "process_report": ar.Device("Atlas A2").process_report,
    }
    for value in ODD:
        if not long(value):
            with pytest.raises((ar.AclError, ar.ArgumentError)) as info:
                calls[wait](value)
            assert "timeout is" in str(info.value) or info.value.status in (507046, 507047, 107012)


@pytest.mark.parametrize(
    "timeout", [np.float32(1), np.int64(1), decimal.Decimal(1), fractions.Fraction(1), 1.0, True]
)
def test_numbers_of_all_kinds_are_timeouts(timeout, busy):
    with pytest.raises(ar.AclError) as info:
        busy.stream.synchronize(timeout)
    assert info.value.status == 507046


def test_long_timeouts_of_all_kinds():
    dev = ar.Device("Atlas A2")
    for value in ODD:
        if long(value):
            dev.default_stream.launch_host_func(lambda: time.sleep(0.01))
            dev.synchronize(value)
            assert dev.default_stream.query()


def test_every_public_method_with_arguments_is_called_with_odd_values(objects):
    covered = " ".join(CALLS) + " synchronize process_report"
    space = objects()
    for thing in (space.dev, space.stream, space.event, space.executor, space.memory, space.graph):
        for name, method in inspect.getmembers(type(thing), inspect.isfunction):
            public = not name.startswith("_") and "Examples\n" in (method.__doc__ or "")
            if public and {*inspect.signature(method).parameters} - {"self", "force"}:
                assert name in covered
