"""The two-phase door: ten functions under the vendor's names.

Every operator has two. Phase 1, ``aclnnXxxGetWorkspaceSize``, checks the call, decides everything
about it and returns the workspace that it needs with an executor; it touches no data. Phase 2,
``aclnnXxx``, queues the work on a stream and returns.

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
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

from .core.errors import fail
from .core.status import Status
from .declaration.operator import Operator, vendor_name
from .operators import OPERATORS
from .twophase.executor import Executor
from .twophase.phase_1 import plan_call

__all__: list[str] = []


def _phase_1(operator: Operator) -> Callable[..., tuple[int, Executor]]:
    names = [vendor_name(name) for name in operator.parameters]
    signature = _signature(names)

    def get_workspace_size(*arguments: Any, **keywords: Any) -> tuple[int, Executor]:
        if keywords or len(arguments) != len(names):
            arguments = signature.bind(*arguments, **keywords).args
        plan, space, tensors, memories = plan_call(operator, arguments)
        return plan.workspace, Executor(plan, space, tensors, memories)

    tensors = operator.tensor_names
    inputs = len(operator.tensors)
    scalars = "".join(
        f"{vendor_name(param.name)} : Scalar or real number\n"
        f"    As in `ascendref.{operator.name}`; narrowed to float32.\n"
        for param in operator.scalars
    )
    _describe(
        get_workspace_size,
        f"{operator.api}GetWorkspaceSize",
        signature,
        f"""Check a call of {operator.api} and plan it; nothing is computed yet.

Parameters
----------
{", ".join(tensors[:inputs])} : Tensor
    What `ascendref.{operator.name}` takes, on one device, in any layout. Types per product:
    ``ascendref ops``.
{scalars}{", ".join(tensors[inputs:])} : Tensor
    Where the result goes, in any layout; apart from the others or exactly an input's view.

Returns
-------
workspaceSize : int
    Bytes of device memory that phase 2 must be given.
executor : Executor
    What phase 2 takes.

Raises
------
AclError
    161001 for None; 561003 where the product lacks the operator; 161002 for types, ranks,
    attributes, shapes, views outside of their memory and overlaps, in this order.

See Also
--------
{operator.api} : phase 2
""",
    )
    return get_workspace_size


def _phase_2(operator: Operator) -> Callable[[Any, Any, Any, Any], None]:
    def launch(workspace: Any, workspaceSize: Any, executor: Any, stream: Any) -> None:
        if executor is None:
            fail(
                Status.ACLNN_ERR_PARAM_NULLPTR,
                f"executor is None; the one that {operator.api}GetWorkspaceSize returned is"
                " expected",
            )
        if not isinstance(executor, Executor):
            fail(
                Status.ACLNN_ERR_PARAM_INVALID,
                f"executor is a {type(executor).__name__}; the one that"
                f" {operator.api}GetWorkspaceSize returned is expected",
            )
        executor.launch(operator, workspace, workspaceSize, stream)

    _describe(
        launch,
        operator.api,
        _signature(["workspace", "workspaceSize", "executor", "stream"]),
        f"""Queue the work that phase 1 planned on a stream, and return.

Parameters
----------
workspace : Memory, int or None
    Device memory of at least ``workspaceSize`` bytes, or its address; None where that is 0. It
    must live, and serve nothing else, until the work is done.
workspaceSize : int
    Its size in bytes, at least what phase 1 returned.
executor : Executor
    What phase 1 returned. It is used up, unless it was made repeatable.
stream : Stream or None
    Where the work is queued; None for the device's default stream.

Raises
------
AclError
    161001 for an executor of None, and a workspace of None with a size; 161002 for another
    operator's executor, a workspace that is too small, freed or no memory of the device, and
    tensors that were freed or changed since phase 1; 561103 for an executor that was used up or
    destroyed; 107003 and 107017 for a stream of another device and a destroyed one. Nothing is
    queued then{_GIVEN_UP[operator.device.scratch is None]}

See Also
--------
{operator.api}GetWorkspaceSize : phase 1
""",
    )
    return launch


#: what becomes of the executor when phase 2 refuses: of a generated operator, of a composed one
_GIVEN_UP = (
    ", and the executor can be used again.",
    ", but the executor is used up, unless it is repeatable.",
)


def _signature(names: list[str]) -> Signature:
    return Signature([Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names])


def _describe(function: Any, name: str, signature: Signature, text: str) -> None:
    function.__name__ = function.__qualname__ = name
    function.__signature__ = signature
    function.__doc__ = text


for _operator in OPERATORS.values():
    globals()[f"{_operator.api}GetWorkspaceSize"] = _phase_1(_operator)
    globals()[_operator.api] = _phase_2(_operator)
    __all__ += [f"{_operator.api}GetWorkspaceSize", _operator.api]

if TYPE_CHECKING:

    def __getattr__(name: str) -> Callable[..., Any]: ...
