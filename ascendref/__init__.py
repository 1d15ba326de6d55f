"""Five operators of Huawei's Ascend NPUs on arrays, and an emulated device to hold."""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from . import forks as _forks
from . import operators as _operators
from .errors import (
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
from .operators import *  # noqa: F403 - operators/__init__.py lists the functions
from .status import Status
from .threads import get_num_threads, num_threads, set_num_threads

if _TYPE_CHECKING:
    from . import aclnn
    from .casting import cast
    from .device.device import Device
    from .device.event import EventFlag
    from .device.scalar import Scalar
    from .device.stream import FailureMode, StreamFlag
    from .device.tensor import Format, Tensor
    from .dtypes import DataType
    from .executor import Executor
    from .kernels.compile import KernelStatistics, kernel_statistics
    from .products import PRODUCTS, Product
    from .verify import Comparison, assert_accepted, compare, ulp_distance

__version__ = "0.1.0"

__all__ = [
    "PRODUCTS",
    "AclArgumentError",
    "AclError",
    "ArgumentError",
    "ArgumentTypeError",
    "ArgumentValueError",
    "CacheWarning",
    "Comparison",
    "DataType",
    "Device",
    "EventFlag",
    "Executor",
    "FailureMode",
    "Format",
    "KernelStatistics",
    "LostWorkWarning",
    "Product",
    "Scalar",
    "Status",
    "StreamFlag",
    "Tensor",
    "aclnn",
    "assert_accepted",
    "cast",
    "compare",
    "get_last_error",
    "get_num_threads",
    "kernel_statistics",
    "num_threads",
    "peek_at_last_error",
    "recent_error_message",
    "set_num_threads",
    "ulp_distance",
]
__all__ += _operators.__all__

#: names that are imported when they are first used: the array functions come without the device,
#: and everything comes without Numba until a kernel is needed
_ON_DEMAND = {
    "PRODUCTS": ".products",
    "Comparison": ".verify",
    "DataType": ".dtypes",
    "Device": ".device.device",
    "EventFlag": ".device.event",
    "Executor": ".executor",
    "FailureMode": ".device.stream",
    "Format": ".device.tensor",
    "KernelStatistics": ".kernels.compile",
    "Product": ".products",
    "Scalar": ".device.scalar",
    "StreamFlag": ".device.stream",
    "Tensor": ".device.tensor",
    "assert_accepted": ".verify",
    "cast": ".casting",
    "compare": ".verify",
    "kernel_statistics": ".kernels.compile",
    "ulp_distance": ".verify",
}


def __getattr__(name: str) -> _Any:
    if name == "aclnn":
        return _forks.imported(".aclnn", __name__)
    if name not in _ON_DEMAND:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(_forks.imported(_ON_DEMAND[name], __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
