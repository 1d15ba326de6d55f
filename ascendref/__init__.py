"""Five operators of Huawei's Ascend NPUs on arrays, with exact BF16 and F16 rounding."""

from . import operators as _operators
from .errors import ArgumentError, ArgumentTypeError, ArgumentValueError, CacheWarning
from .kernels.compile import KernelStatistics
from .kernels.compile import statistics as kernel_statistics
from .operators import *  # noqa: F403 - operators/__init__.py lists the functions

__version__ = "0.1.0"

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "ArgumentValueError",
    "CacheWarning",
    "KernelStatistics",
    "kernel_statistics",
]
__all__ += _operators.__all__
