"""Formulas in place of torch_npu's own kernels."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

import torch
from torch import Tensor

from ...core.errors import ArgumentError
from ..refusals import AUTOGRAD, NPU, OTHER_KEYS, has_kernel, not_available
from .formulas import FORMULAS, Formula, NotEmulated, operator_error, refuse
from .types import Types

for _group in (
    "activations attention.inference attention.merging attention.training batch_norms boxes"
    " deformable dropout experts layout losses matrices normalization optimizers quantization"
    " recurrent regions rotary rotated suppression"
).split():
    import_module(f".{_group}", __package__)  # fills the table of formulas
#: operators whose kernels in torch_npu call others that have gradients
_RECORDED: Final = frozenset({"dropout_with_byte_mask"})
_OUT: Final = re.compile(r"out\d?")
_AUTOCAST: Final = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastPrivateUse1)


def register_formulas() -> list[torch.library.Library]:
    """Replace torch_npu's kernels while the returned objects are alive.

    Where torch_npu has gradients, PyTorch records those of the formula. Without, results have none.
    """
    libraries = {space: torch.library.Library(space, "IMPL") for space in ("npu", "aten")}
    names = set(torch._C._dispatch_get_all_op_names())
    for name, formula in FORMULAS.items():
        library, overload = libraries[formula.space], f"{formula.space}::{name}"
        run = _kernel(name, formula)
        library.impl(name, torch.no_grad()(run), NPU, allow_override=True)
        for key in OTHER_KEYS if formula.space == "npu" else ():
            if has_kernel(overload, key):
                library.impl(name, run, key, allow_override=True)
        if name in _RECORDED:
            library.impl(name, run, AUTOGRAD)
        if f"{overload}.out" in names:
            library.impl(f"{name}.out", torch.no_grad()(_into(run)), NPU, allow_override=True)
    return list(libraries.values())


def _kernel(name: str, formula: Formula) -> Callable[..., Any]:
    """Return a kernel that checks its arguments, and whose operators keep their types.

    A device's operators keep their types under autocast as well.
    """
    types = Types(name, formula.space)
    taken = formula.taken(types.schema.places)
    defaults = {
        argument: types.defaults.get(argument)
        for argument in types.schema.places
        if argument not in taken and argument not in formula.ignored
    }

    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            given = types.checked(args, kwargs)
            for argument, default in defaults.items():
                value = given[argument]
                if value is not None and value is not False and value != default:
                    shown = type(value) in (int, float, str)
                    refuse(f"with {argument} {value}" if shown else f"with {argument}")
            named = {name: given[argument] for argument, name in taken.items()}
            with torch._C._ExcludeDispatchKeyGuard(_AUTOCAST):
                return formula.function(**named)
        except NotEmulated as why:
            raise not_available(
                f"{formula.space}::{types.operator}", f"{why} it is not emulated"
            ) from None
        except ArgumentError as error:
            raise operator_error(error) from error

    return run


def _into(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel that writes its result, or its results, to ``out``, or ``out0`` and so on."""

    def run(*args: Any, workspace: Tensor | None = None, **kwargs: Any) -> Any:
        del workspace  # memory that a device may use meanwhile
        given = [kwargs.pop(name) for name in list(kwargs) if _OUT.fullmatch(name)]
        found = function(*args, **kwargs)
        results = [found] if isinstance(found, Tensor) else found
        outs = given if isinstance(given[0], Tensor) else given[0]
        for one, result in zip(outs, results, strict=True):
            one.resize_(result.shape).copy_(result)
        return given[0] if len(given) == 1 else tuple(given)

    return run
