"""Five operators of Huawei's Ascend NPUs on arrays, with exact BF16 and F16 rounding."""

from importlib.metadata import version as _version

from . import operators as _operators
from .device.device import Device
from .device.scalar import Scalar
from .device.tensor import Tensor
from .errors import (
    AclError,
    ArgumentError,
    ArgumentTypeError,
    ArgumentValueError,
    CacheWarning,
    LostWorkWarning,
)
from .kernels.compile import KernelStatistics
from .kernels.compile import statistics as kernel_statistics
from .operators import *  # noqa: F403 - operators/__init__.py lists the functions
from .products import PRODUCTS, Product
from .status import Status

__version__ = _version("ascendref")

__all__ = [
    "PRODUCTS",
    "AclError",
    "ArgumentError",
    "ArgumentTypeError",
    "ArgumentValueError",
    "CacheWarning",
    "Device",
    "KernelStatistics",
    "LostWorkWarning",
    "Product",
    "Scalar",
    "Status",
    "Tensor",
    "kernel_statistics",
]
__all__ += _operators.__all__
