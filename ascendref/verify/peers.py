"""PyTorch's operators on the same inputs."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from .subjects import Subject


def has_torch() -> bool:
    """Tell whether PyTorch is installed."""
    return find_spec("torch") is not None


def peer(
    subject: Subject, tensors: Mapping[str, NDArray[Any]], scalars: Mapping[str, Any]
) -> NDArray[Any]:
    """Return what PyTorch makes of the same tensors and scalars, as float64."""
    import torch

    def tensor(array: NDArray[Any]) -> Any:
        if array.dtype == ml_dtypes.bfloat16:
            return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
        return torch.from_numpy(array)

    other = None if subject.other is None else tensor(tensors[subject.other])
    if other is not None and other.ndim == 1:
        other = other.reshape(1, -1, 1)
    with torch.no_grad():
        result = subject.peer(
            torch,
            tensor(tensors[subject.gradient]),
            tensor(tensors[subject.data]),
            other,
            **scalars,
        )
    doubles: NDArray[Any] = result.double().numpy()[0]
    return doubles
