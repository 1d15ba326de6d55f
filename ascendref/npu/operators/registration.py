"""Formulas in place of torch_npu's own kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from typing import Any, Final

import torch
from torch import Tensor

from ..refusals import AUTOGRAD, NPU, OTHER_KEYS, has_kernel
from .formulas import FORMULAS
from .types import Types

#: the modules whose import fills the table of formulas
_GROUPS: Final = (
    "activations",
    "attention.inference",
    "attention.merging",
    "attention.training",
    "boxes",
    "deformable",
    "dropout",
    "experts",
    "layout",
    "losses",
    "matrices",
    "normalization",
    "optimizers",
    "quantization",
    "rotary",
    "suppression",
)
for _group in _GROUPS:
    import_module(f".{_group}", __package__)
#: operators whose kernels in torch_npu call others that have gradients
_RECORDED: Final = frozenset({"dropout_with_byte_mask"})
_AUTOCAST: Final = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastPrivateUse1)


def register_formulas() -> torch.library.Library:
    """Replace torch_npu's kernels while the returned object is alive.

    Where torch_npu has gradients, PyTorch records those of the formula. Without, results have none.
    """
    library = torch.library.Library("npu", "IMPL")
    names = set(torch._C._dispatch_get_all_op_names())
    for name, function in FORMULAS.items():
        overload = f"npu::{name}"
        run = _checked(name, function)
        library.impl(name, torch.no_grad()(run), NPU, allow_override=True)
        for key in OTHER_KEYS:
            if has_kernel(overload, key):
                library.impl(name, run, key, allow_override=True)
        if name in _RECORDED:
            library.impl(name, run, AUTOGRAD)
        if f"{overload}.out" in names:
            library.impl(f"{name}.out", torch.no_grad()(_into(run)), NPU, allow_override=True)
    return library


def _checked(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a formula that checks its arguments, and whose operators keep their types.

    A device's operators keep their types under autocast as well.
    """
    types = Types(name)

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        types.check(args, kwargs)
        with torch._C._ExcludeDispatchKeyGuard(_AUTOCAST):
            return function(*args, **kwargs)

    return run


def _into(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a formula that writes its result, or its results, to ``out``."""

    def run(
        *args: Any, out: Tensor | Sequence[Tensor], workspace: Tensor | None = None, **kwargs: Any
    ) -> Tensor | Sequence[Tensor]:
        del workspace  # memory that a device may use meanwhile
        found = function(*args, **kwargs)
        outs, results = ([out], [found]) if isinstance(out, Tensor) else (out, found)
        for one, result in zip(outs, results, strict=True):
            one.resize_(result.shape).copy_(result)
        return out

    return run
