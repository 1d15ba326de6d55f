"""Five operators of Huawei's Ascend NPUs on arrays, with exact BF16 and F16 rounding."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

from . import operators as _operators
from .errors import ArgumentError, ArgumentTypeError, ArgumentValueError, CacheWarning
from .operators import *  # noqa: F403 - operators/__init__.py lists the functions

if TYPE_CHECKING:
    from .kernels.compile import KernelStatistics, kernel_statistics

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

#: what is imported on first use, with all that it needs
_LATER = {"KernelStatistics": ".kernels.compile", "kernel_statistics": ".kernels.compile"}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(_import_module(_LATER[name], __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
