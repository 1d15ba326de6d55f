"""PyTorch's operators on the same inputs."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from .subjects import Setting, Subject


def has_torch() -> bool:
    """Tell whether PyTorch is installed."""
    return find_spec("torch") is not None


def as_torch(array: NDArray[Any]) -> Any:
    """Return a tensor that is a view of an array."""
    import torch

    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def peer(
    subject: Subject,
    setting: Setting,
    gradient: NDArray[Any],
    data: NDArray[Any],
    third: NDArray[Any],
) -> NDArray[Any]:
    """Return what PyTorch makes of the same tensors and scalars, in the tensors' type."""
    import torch

    with torch.no_grad():
        result = subject.peer(torch, *map(as_torch, (gradient, data, third)), **setting.scalars)
    if result.dtype == torch.bfloat16:
        result = result.view(torch.int16)
    found: NDArray[Any] = result.numpy().view(data.dtype)
    return found
