"""The two functions of an operator in the vendor's API, made from its declaration."""

from collections.abc import Callable
from functools import partial
from inspect import Parameter, Signature
from typing import Any, Final

from ..core.errors import fail
from ..core.status import Status
from ..declaration.fields import vendor_name
from ..declaration.operator import Operator
from .executor import Executor
from .phase_1 import plan_call
from .plan import Called, Planned, refuse

PHASE_2_PARAMETERS: Final = ("workspace", "workspaceSize", "executor", "stream")


def phase_1_function(operator: Operator) -> Callable[..., tuple[int, Executor]]:
    """Return ``aclnnXxxGetWorkspaceSize`` of an operator."""
    doc = phase_1_doc(
        f"Check and plan a call of {operator.api}; nothing is computed yet.",
        _parameters_doc(operator),
        """\
    161001 if an argument is None; 561003 if the product lacks the operator; 161002 for invalid
    types, ranks, attributes, views outside their memory, shapes and overlaps, in this order.""",
    )
    return phase_1_of(partial(plan_call, operator), operator.api, operator.arguments, doc)


def phase_1_of(
    plan_arguments: Callable[[tuple[Any, ...]], Planned], api: str, names: tuple[str, ...], doc: str
) -> Callable[..., tuple[int, Executor]]:
    """Return phase 1 of an operator whose calls a function plans."""
    signature = _signature(names)
    doc += f"See Also\n--------\n{api} : phase 2\n"

    def get_workspace_size(*arguments: Any, **keywords: Any) -> tuple[int, Executor]:
        if keywords or len(arguments) != len(names):
            arguments = signature.bind(*arguments, **keywords).args
        planned = plan_arguments(arguments)
        return planned[0].workspace, Executor(*planned)

    _describe(get_workspace_size, f"{api}GetWorkspaceSize", signature, doc)
    return get_workspace_size


def phase_2_function(operator: Called) -> Callable[[Any, Any, Any, Any], None]:
    """Return ``aclnnXxx`` of an operator."""

    def launch(workspace: Any, workspaceSize: Any, executor: Any, stream: Any) -> None:
        if executor is None:
            fail(
                Status.ACLNN_ERR_PARAM_NULLPTR,
                f"executor is None; the one that {operator.api}GetWorkspaceSize returned is"
                " expected",
            )
        if not isinstance(executor, Executor):
            refuse(
                f"executor is a {type(executor).__name__}; the one that"
                f" {operator.api}GetWorkspaceSize returned is expected"
            )
        executor.launch(operator, workspace, workspaceSize, stream)

    _describe(launch, operator.api, _signature(PHASE_2_PARAMETERS), _phase_2_doc(operator))
    return launch


def _signature(names: tuple[str, ...]) -> Signature:
    return Signature([Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names])


def _describe(function: Any, name: str, signature: Signature, doc: str) -> None:
    function.__name__ = function.__qualname__ = name
    function.__module__ = "ascendref.aclnn"  # where they are found
    function.__signature__ = signature
    function.__doc__ = doc


def _parameters_doc(operator: Operator) -> str:
    names = operator.tensor_names
    scalars = {param.vendor or vendor_name(param.name): param for param in operator.scalars}
    inputs, outputs = names[: len(operator.tensors)], names[len(operator.tensors) :]
    parts = []
    for name in operator.arguments:
        if name in scalars:
            kind = scalars[name].python_type
            parts.append(f"{name} : {kind}\n    As for `ascendref.{operator.name}`")
            parts[-1] += "." if "Scalar" not in kind else "; narrowed to float32."
        elif name not in names:
            parts.append(f"{name} : Tensor\n    Not used.")
    described = [
        f"{', '.join(dict.fromkeys(inputs))} : Tensor\n    The tensors of"
        f" `ascendref.{operator.name}`, on one device, in any layout. ``ascendref ops`` lists the"
        "\n    types for each product.",
        *parts,
    ]
    if operator.in_place:
        described[0] += " The result replaces the first one."
    else:
        described.append(
            f"{', '.join(outputs)} : Tensor\n    Output tensor, in any layout. It must not overlap"
            " another tensor unless it is the same view as\n    an input."
        )
    return "\n".join(described)


def phase_1_doc(summary: str, parameters: str, codes: str) -> str:
    """Return the docstring of phase 1 up to its notes."""
    return f"""{summary}

Parameters
----------
{parameters}

Returns
-------
workspaceSize : int
    Bytes of device memory that phase 2 needs.
executor : Executor
    The executor for phase 2.

Raises
------
AclError
{codes}

"""


def _phase_2_doc(operator: Called) -> str:
    if not operator.is_generated:
        refused = ", but the executor cannot be used again unless it is repeatable."
    else:
        refused = ", and the executor can be used again."
    return f"""Queue the work that phase 1 planned on a stream and return without waiting.

Parameters
----------
workspace : Memory, int or None
    Device memory of at least ``workspaceSize`` bytes, or its address; None if that is 0. Until
    the work is done it must not be freed or used for anything else.
workspaceSize : int
    Size of the workspace in bytes, at least what phase 1 returned.
executor : Executor
    The executor that phase 1 returned. It can be used once, unless it was made repeatable.
stream : Stream or None
    Stream in which the work is queued; None for the device's default stream.

Raises
------
AclError
    161001 if the executor is None, or the workspace is None and its size is not 0; 161002 for
    another operator's executor, a workspace that is too small, freed or not device memory, and
    tensors freed or changed since phase 1; 561103 if the executor has been used or destroyed;
    107003 for a stream of another device and 107017 for a destroyed stream. Nothing is queued
    then{refused}

See Also
--------
{operator.api}GetWorkspaceSize : phase 1
"""
