"""The two functions of a borrowed operator; the first call imports PyTorch."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ..core.errors import fail
from ..core.extras import install_command
from ..core.fork_safety import import_to_end, import_torch
from ..core.status import Status
from ..twophase.functions import phase_1_doc, phase_1_of, phase_2_function
from .table import Borrowed

if TYPE_CHECKING:
    from ..device.memory.address_space import AddressSpace
    from ..twophase.plan import Planned


def plan_borrowed(
    operator: Borrowed, arguments: tuple[Any, ...], default: AddressSpace | None = None
) -> Planned:
    """Check the arguments of a call and plan it; as `ascendref.twophase.phase_1.plan_call`."""
    if sys.modules.get("torch") is None and find_spec("torch") is None:
        fail(
            Status.ACLNN_ERR_INNER_FIND_KERNEL_ERROR,
            f"{operator.api} is computed by PyTorch, which is not installed:"
            f" {install_command('torch')}",
        )
    import_torch()
    planned: Planned = import_to_end("ascendref.borrowed.phase_1").plan_borrowed(
        operator, arguments, default
    )
    return planned


def two_phases(operator: Borrowed) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return ``aclnnXxxGetWorkspaceSize`` and ``aclnnXxx`` of an operator."""
    kinds = {"T": "Tensor", "S": "number or Scalar"}
    parameters = [
        f"{param.name} : {kinds.get(param.kind, param.kind)}{' or None' * param.optional}"
        for param in operator.parameters
    ]
    doc = phase_1_doc(
        f"Check and plan a call of {operator.api}, which PyTorch computes on the CPU.",
        "\n".join(parameters),
        """\
    161001 if an argument is None that must be given; 561003 if the product lacks the operator or
    PyTorch is not installed; 161002 for types, ranks, shapes and overlaps that are not allowed.""",
    )
    doc += f"Notes\n-----\nThe value is ``{operator.expression}`` in PyTorch.\n\n"
    plan = partial(plan_borrowed, operator)
    return phase_1_of(plan, operator.api, operator.arguments, doc), phase_2_function(operator)
