"""PyTorch's operators on the same arrays."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from ..oracles.reference import Reference, Setting


def has_torch() -> bool:
    """Tell whether PyTorch is installed."""
    return find_spec("torch") is not None


def as_torch(array: NDArray[Any]) -> Any:
    """Return a tensor that is a view of an array."""
    import torch

    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def torch_result(
    reference: Reference,
    setting: Setting,
    gradient: NDArray[Any],
    data: NDArray[Any],
    others: NDArray[Any],
) -> NDArray[Any]:
    """Return PyTorch's first result for arrays of one shape, in their type."""
    import torch

    operator = reference.torch
    assert operator is not None
    arrays = reference.tensors(gradient, data, others)
    tensors = {name: as_torch(array) for name, array in arrays.items()}
    with torch.no_grad():
        function = getattr(torch.ops.aten, operator.name)
        value = function(*operator.arguments(**tensors, **setting.scalars))
    result = value[0] if isinstance(value, tuple) else value
    if result.dtype == torch.bfloat16:
        result = result.view(torch.int16)
    found: NDArray[Any] = result.numpy().view(data.dtype)
    return found
