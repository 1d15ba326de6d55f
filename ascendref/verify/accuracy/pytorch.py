"""PyTorch's operators on the same arrays."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import as_torch
from ...core.fork_safety import import_torch
from ..setting import Setting


def has_torch() -> bool:
    return find_spec("torch") is not None


def torch_result(setting: Setting, tensors: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return PyTorch's first result in the type of the data; NaN where it refuses them."""
    import_torch()
    import torch

    operator = setting.operator.torch
    assert operator is not None
    names = [param.name for param in setting.operator.tensors]
    given = tensors if setting.operator.per_channel else setting.arguments(tensors)
    arrays = dict(zip(names, given, strict=True))
    refused = np.zeros(tensors[0].shape, bool)
    for name, (low, high) in operator.limits.items():
        outside = ~((arrays[name] >= low) & (arrays[name] <= high))
        arrays[name] = np.where(outside, tensors[0].dtype.type(low), arrays[name])
        refused |= outside
    named = {name: as_torch(array) for name, array in arrays.items()}
    with torch.no_grad():
        function = getattr(torch.ops.aten, operator.name)
        arguments, keywords = setting.operator.for_torch({**named, **setting.scalars})
        value = function(*arguments, **keywords)
    result = value[0] if isinstance(value, tuple) else value
    result = setting.operator.parts(result, setting.numbers)[setting.part]
    if result.dtype == torch.bfloat16:
        result = result.view(torch.int16)
    found: NDArray[Any] = result.numpy().view(tensors[0].dtype)
    found = found.reshape(tensors[0].shape)
    found[refused] = np.nan
    return found
