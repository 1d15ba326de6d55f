"""Batch norm in inference, whose statistics only the CPU leaves out of the results."""

from collections.abc import Callable
from typing import Any, Final

import torch

from .schema import Schema

#: the overloads that return statistics
BATCH_NORM: Final = ("aten::native_batch_norm", "aten::_native_batch_norm_legit")


def with_statistics(op: torch._ops.OpOverload, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel of batch norm with the statistics that devices return in inference.

    They are the running mean and 1 / √(running variance + ε). Kernels of other operators are
    returned as they are.
    """
    if op.name() not in BATCH_NORM:
        return kernel
    schema = Schema.of(op)

    def run(*args: Any, **kwargs: Any) -> Any:
        value, mean, rstd = kernel(*args, **kwargs)
        given = schema.named(args, kwargs)
        if not given["training"]:
            mean = given["running_mean"].clone()
            rstd = torch.rsqrt(given["running_var"] + given["eps"])
        return value, mean, rstd

    return run
