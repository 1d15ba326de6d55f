"""Operators of Huawei's Ascend NPUs: as functions on arrays, and on an emulated device.

The functions take arrays of any library that supports DLPack or that NumPy can read. If a call
mixes libraries, the result belongs to the library of the first tensor argument that is not a NumPy
array and whose library can convert NumPy arrays; without such an argument, it is a NumPy array.

The common rules of array functions (types, shapes, ``out``, ``compute_dtype``, errors, accuracy)
are on the page docs/guide/array-functions.md. Examples assume ``import numpy as np`` and
``import ascendref as ar``.
"""

import typing as _typing

from . import operators as _operators
from .core import dynamo as _dynamo
from .core import fork_safety as _fork_safety
from .core.errors import (
    AclArgumentError,
    AclError,
    ArgumentError,
    ArgumentTypeError,
    ArgumentValueError,
    CacheWarning,
    LostWorkWarning,
    get_last_error,
    peek_at_last_error,
    recent_error_message,
)
from .core.status import Status
from .core.threads import get_num_threads, num_threads, set_num_threads
from .functional.partial_sums import Partial
from .operators import *  # noqa: F403 - the names are in operators/__init__.py

if _typing.TYPE_CHECKING:
    from . import aclnn
    from .core.dtypes import DataType
    from .core.products import PRODUCTS, Product
    from .device.checker.hazards import HazardError
    from .device.device import Device
    from .device.memory.tensor import Format, Tensor
    from .device.scalar import Scalar
    from .device.scheduling.capture import CaptureMode
    from .device.streams.event import EventFlag
    from .device.streams.stream import FailureMode, StreamFlag
    from .functional.casting import cast
    from .kernels.compiler.jit import KernelStatistics, kernel_statistics
    from .twophase.executor import Executor
    from .verify import Comparison, assert_accepted, compare, ulp_distance

__version__ = "0.2.0"

__all__ = [
    "PRODUCTS", "AclArgumentError", "AclError", "ArgumentError", "ArgumentTypeError",
    "ArgumentValueError", "CacheWarning", "CaptureMode", "Comparison", "DataType", "Device",
    "EventFlag", "Executor", "FailureMode", "Format", "HazardError", "KernelStatistics",
    "LostWorkWarning", "Partial", "Product", "Scalar", "Status", "StreamFlag", "Tensor", "aclnn",
    "assert_accepted", "cast", "compare", "get_last_error", "get_num_threads", "kernel_statistics",
    "num_threads", "peek_at_last_error", "recent_error_message", "set_num_threads", "ulp_distance",
]  # fmt: skip
__all__ += _operators.__all__

#: name -> the module from which it is imported on first use, so that importing the package imports
#: neither the device nor Numba
_ON_DEMAND = {
    "PRODUCTS": ".core.products",
    "CaptureMode": ".device.scheduling.capture",
    "Comparison": ".verify",
    "DataType": ".core.dtypes",
    "Device": ".device.device",
    "EventFlag": ".device.streams.event",
    "Executor": ".twophase.executor",
    "FailureMode": ".device.streams.stream",
    "Format": ".device.memory.tensor",
    "HazardError": ".device.checker.hazards",
    "KernelStatistics": ".kernels.compiler.jit",
    "Product": ".core.products",
    "Scalar": ".device.scalar",
    "StreamFlag": ".device.streams.stream",
    "Tensor": ".device.memory.tensor",
    "assert_accepted": ".verify",
    "cast": ".functional.casting",
    "compare": ".verify",
    "kernel_statistics": ".kernels.compiler.jit",
    "ulp_distance": ".verify",
}


if not _typing.TYPE_CHECKING:  # type checkers see the imports above, and report other names

    def __getattr__(name):
        if name == "aclnn":
            return _fork_safety.import_to_end(".aclnn", __name__)
        if name not in _ON_DEMAND:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(
            _fork_safety.import_to_end(_ON_DEMAND[name], __name__), name
        )
        return value


_dynamo.leave_alone()


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
