"""The two-phase operator API: two functions per operator, under the vendor's names.

Phase 1, ``aclnnXxxGetWorkspaceSize``, checks a call, plans it, and returns the bytes of workspace
that it needs and an executor; it touches no data. Phase 2, ``aclnnXxx``, queues the work on a
stream and returns. ``aclnn.pyi`` has their signatures for type checkers and editors.

Examples
--------
>>> import numpy as np
>>> from ascendref import Device, aclnn
>>> dev = Device("Atlas A2")
>>> stream = dev.create_stream()
>>> g, x = dev.tensor(np.float32([1, 2, 3])), dev.tensor(np.float32([-1, 0.25, 1]))
>>> out = dev.empty(x.shape, x.dtype)
>>> size, executor = aclnn.aclnnHardshrinkBackwardGetWorkspaceSize(g, x, 0.5, out)
>>> workspace = dev.malloc(size) if size else None
>>> aclnn.aclnnHardshrinkBackward(workspace, size, executor, stream)
>>> stream.synchronize()
>>> out.numpy()
array([1., 0., 3.], dtype=float32)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .borrowed.functions import two_phases
from .borrowed.known import absent
from .borrowed.table import borrowed
from .borrowed.weights import aclnnCalculateMatmulWeightSize as aclnnCalculateMatmulWeightSize
from .borrowed.weights import aclnnCalculateMatmulWeightSizeV2 as aclnnCalculateMatmulWeightSizeV2
from .core.errors import did_you_mean
from .declaration.operator import APIS
from .twophase.functions import phase_1_function, phase_2_function

__all__: list[str] = []

for _operator in APIS.values():
    for _function in (phase_1_function(_operator), phase_2_function(_operator)):
        globals()[_function.__name__] = _function
        __all__.append(_function.__name__)


def __getattr__(name: str) -> Callable[..., Any]:
    """Find the functions of an operator that PyTorch computes."""
    api = name.removesuffix("GetWorkspaceSize")
    operator = borrowed().get(api)
    if operator is None:
        known = f": {api} is known, but absent" if api in absent() else ""
        hint = did_you_mean(api, [*APIS, *borrowed()], 3)
        raise AttributeError(
            f"module {__name__!r} has no attribute {name!r}{known};"
            f" {hint}`ascendref ops --all` lists all"
        )
    for function in two_phases(operator):
        globals()[function.__name__] = function
    found: Callable[..., Any] = globals()[name]
    return found
