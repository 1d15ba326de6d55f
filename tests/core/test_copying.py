"""Copying and pickling: values can be copied, objects that belong to a device cannot."""

import copy
import inspect
import pickle

import numpy as np
import pytest

import ascendref as ar
from ascendref import aclnn

DEV = ar.Device("Atlas A2")
X = DEV.tensor(np.float32([1, 2]))

#: public classes, and what is met through them -> what makes an object of it, which stands for
#: something
HANDLES = {
    "Device": lambda: DEV,
    "Executor": lambda: aclnn.aclnnHardshrinkBackwardGetWorkspaceSize(X, X, 0.5, X)[1],
    "Tensor": lambda: X,
    "Memory": lambda: X.memory,
    "pinned memory": lambda: DEV.malloc_host(8),
    "Stream": lambda: DEV.create_stream(),
    "default stream": lambda: DEV.default_stream,
    "Event": lambda: DEV.create_event(),
}
#: the same for values
VALUES = {
    "AclArgumentError": lambda: ar.AclArgumentError(100000, "memory", "is 0"),
    "AclError": lambda: ar.AclError(107000, "what happened"),
    "ArgumentError": lambda: ar.ArgumentError("beta", "is 1"),
    "ArgumentTypeError": lambda: ar.ArgumentTypeError("beta", "is 1"),
    "ArgumentValueError": lambda: ar.ArgumentValueError("beta", "is 1"),
    "CacheWarning": lambda: ar.CacheWarning("text"),
    "Comparison": lambda: ar.compare(np.float32([1, 2]), np.float32([1, 3])),
    "DataType": lambda: ar.DataType.ACL_BF16,
    "CaptureMode": lambda: ar.CaptureMode.RELAXED,
    "EventFlag": lambda: ar.EventFlag.SYNC | ar.EventFlag.TIME_LINE,
    "FailureMode": lambda: ar.FailureMode.STOP,
    "Format": lambda: ar.Format.ND,
    "HazardError": lambda: ar.HazardError(
        500001, "race", "what is wrong", None, None, "what to do"
    ),
    "KernelStatistics": lambda: ar.KernelStatistics("kernel", True),
    "LostWorkWarning": lambda: ar.LostWorkWarning("text"),
    "Partial": lambda: ar.prelu_partial(*[np.float32([-1, 2])] * 2, np.float32([0.5]))[1],
    "Product": lambda: DEV.product,
    "Scalar": lambda: ar.Scalar(0.1, "bfloat16"),
    "Status": lambda: ar.Status(161002),
    "StreamFlag": lambda: ar.StreamFlag.FAST_LAUNCH | ar.StreamFlag.HUGE,
    "OPERATORS": lambda: ar.OPERATORS["prelu_backward"],
    "PRODUCTS": lambda: ar.PRODUCTS,
    "cores": lambda: DEV.cores,
    "steps": lambda: HANDLES["Executor"]().steps,
    "rows of a trace": lambda: DEV.trace().rows,
    "drawn seed": lambda: DEV.seed,
}
WAYS = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "deepcopy of a list": lambda value: copy.deepcopy([value])[0],
    **{
        f"pickle protocol {number}": lambda value, number=number: pickle.loads(
            pickle.dumps(value, number)
        )
        for number in range(pickle.HIGHEST_PROTOCOL + 1)
    },
}


def state(value):
    """Return what tells values apart."""
    if isinstance(value, BaseException):
        return type(value), value.args, vars(value), str(value)
    if isinstance(value, ar.Scalar):
        return value.data_type, value.value.dtype, value.value.tobytes()
    return type(value), repr(value), value if isinstance(value, tuple) else None


def test_it_is_decided_for_every_public_class():
    classes = {name for name in ar.__all__ if inspect.isclass(getattr(ar, name))}
    assert classes <= HANDLES.keys() | VALUES.keys()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", HANDLES)
def test_handles_are_neither_copied_nor_pickled(name, way):
    handle = HANDLES[name]()
    with pytest.raises(TypeError, match=r"cannot be copied or pickled.*on a device"):
        WAYS[way](handle)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", VALUES)
def test_values_are_copied_and_pickled(name, way):
    value = VALUES[name]()
    again = WAYS[way](value)
    assert state(again) == state(value)
    if name == "OPERATORS" or isinstance(
        value, ar.Status | ar.DataType | ar.Format | ar.FailureMode
    ):
        assert again is value


def test_a_trace_is_a_value(dev):
    dev.memset_async(dev.malloc(8), 0)
    dev.synchronize()
    again = pickle.loads(pickle.dumps(dev.trace()))
    assert again.rows == copy.deepcopy(dev.trace()).rows == dev.trace().rows
    assert again.table() == dev.trace().table()


@pytest.mark.parametrize("kind", list(ar.DataType), ids=lambda kind: kind.name)
def test_scalars_of_every_type_are_copied_and_pickled(kind):
    try:
        scalar = ar.Scalar(1, kind)
    except ar.AclError:
        return  # no type of scalars
    for way in WAYS.values():
        assert state(way(scalar)) == state(scalar)


def test_refused_copies_leave_the_original_as_it_is():
    dev = ar.Device("Atlas A2", memory=1024)
    memory = dev.malloc(100)
    for way in WAYS.values():
        with pytest.raises(TypeError):
            way(memory)
    assert memory.alive
    assert dev.memory_total - dev.memory_free == 160
    dev.free(memory)
    assert dev.memory_free == 1024
