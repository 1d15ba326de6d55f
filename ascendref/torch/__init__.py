"""PyTorch's own functions and modules with ascendref's kernels; the extra ``torch`` brings it."""

from __future__ import annotations

from importlib.util import find_spec

from ..core.extras import install_command
from ..core.fork_safety import import_torch

if find_spec("torch") is None:
    raise ImportError(
        f"ascendref.torch needs PyTorch, which is not installed: {install_command('torch')}"
    )
else:
    import_torch()

from . import ops
from .modules import PReLU, replace_modules
from .overrides import OperatorStatistics, disable, enable, statistics, use

__all__ = [
    "OperatorStatistics", "PReLU", "disable", "enable", "ops", "replace_modules", "statistics",
    "use"
]  # fmt: skip
