"""Functions of the C library: operators, executors, and tensors."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ...borrowed.table import Borrowed, borrowed
from ...borrowed.weights import aclnnCalculateMatmulWeightSize as aclnnCalculateMatmulWeightSize
from ...borrowed.weights import aclnnCalculateMatmulWeightSizeV2 as aclnnCalculateMatmulWeightSizeV2
from ...core.dtypes import DataType
from ...core.errors import AclError, fail
from ...core.fork_safety import import_to_end
from ...core.status import Status
from ...declaration.operator import APIS, Operator
from ...device.memory.address_space import Memory, find_memory
from ...device.memory.tensor import Format, Tensor
from ...device.scalar import Scalar
from ...device.streams.stream import Stream
from .process import process

if TYPE_CHECKING:
    from ...twophase.executor import Executor

#: by number, which is faster than the enumerations
_DATA_TYPES: Final = {int(kind): kind for kind in DataType}
_FORMATS: Final = {int(form): form for form in Format}


def make_tensor(
    shape: tuple[int, ...],
    data_type: int,
    strides: tuple[int, ...] | None,
    offset: int,
    layout: int,
    storage_shape: tuple[int, ...],
    address: int,
) -> Tensor:
    """Return the tensor that ``aclCreateTensor`` described."""
    kind, form = _DATA_TYPES.get(data_type), _FORMATS.get(layout)
    if kind is None or form is None:
        what, value = ("dataType", data_type) if kind is None else ("format", layout)
        fail(Status.ACLNN_ERR_PARAM_INVALID, f"{what} is {value}, which is unknown")
    memory, start = _storage(address)
    return Tensor.of_c(memory, start, shape, kind, strides, offset, form, storage_shape)


def _storage(address: int) -> tuple[Memory | None, int]:
    """Return the allocation that contains an address, and the offset in it."""
    if not address:
        return None, 0
    memory = process.memories.get(address)
    if memory is None:
        memory = find_memory(address)
    if memory is None:
        problem = f"a tensor lies at {address:#x}, which is not in living memory of any device"
        fail(Status.ACLNN_ERR_PARAM_INVALID, problem)
    return memory, address - memory.address


def move_tensor(tensor: Tensor, address: int) -> None:
    """Bind a tensor to another address; executors that refer to it then refuse it."""
    tensor.memory, tensor.start = _storage(address)


def make_scalar(value: bytes, data_type: int) -> Scalar:
    """Return the scalar that ``aclCreateScalar`` described."""
    kind = DataType(data_type)
    if kind.numpy.type is np.void:
        problem = f"the scalar has type {kind.name}, which no operator takes"
        fail(Status.ACLNN_ERR_PARAM_INVALID, problem)
    return Scalar(np.frombuffer(value, kind.numpy)[0], kind)


def operator_functions() -> dict[str, Callable[..., Any]]:
    functions: dict[str, Callable[..., Any]] = {}
    operators: tuple[Operator | Borrowed, ...] = (*APIS.values(), *borrowed().values())
    for operator in operators:
        functions[f"{operator.api}GetWorkspaceSize"] = _phase_1(operator)
        functions[operator.api] = _phase_2(operator)
    return functions


@cache
def _two_phase(is_borrowed: bool) -> tuple[Callable[..., Any], type[Executor]]:
    """Return phase 1 and the class of executors; only operators need Numba."""
    if is_borrowed:
        plan = import_to_end("ascendref.borrowed.functions").plan_borrowed
    else:
        plan = import_to_end("ascendref.twophase.phase_1").plan_call
    return plan, import_to_end("ascendref.twophase.executor").Executor


def _phase_1(operator: Operator | Borrowed) -> Callable[..., tuple[int, Executor]]:
    is_borrowed = isinstance(operator, Borrowed)

    def get_workspace_size(*arguments: Any) -> tuple[int, Executor]:
        plan_call, executor = _two_phase(is_borrowed)
        context = process.context
        space = None if context is None else context.device.address_space
        planned = plan_call(operator, arguments, space)
        return planned[0].workspace, executor(*planned)

    return get_workspace_size


def _phase_2(
    operator: Operator | Borrowed,
) -> Callable[[int, int, Executor | None, Stream | None], None]:
    def launch(
        workspace: int, workspace_size: int, executor: Executor | None, stream: Stream | None
    ) -> None:
        if executor is None:
            fail(
                Status.ACLNN_ERR_PARAM_NULLPTR,
                f"executor is NULL; the one returned by {operator.api}GetWorkspaceSize is expected",
            )
        if stream is None:
            try:
                stream = process.current().default_stream
            except AclError as error:
                fail(Status.ACLNN_ERR_RUNTIME_ERROR, error.message, error)
        executor.launch(operator, workspace or None, workspace_size, stream)
        process.count(operator.api)

    return launch


# ---- executors


def _given(executor: Executor | None) -> Executor:
    if executor is None:
        fail(Status.ACLNN_ERR_INNER_NULLPTR, "executor is NULL")
    return executor


def aclSetAclOpExecutorRepeatable(executor: Executor | None) -> None:
    _given(executor).set_repeatable()


def aclDestroyAclOpExecutor(executor: Executor | None) -> None:
    _given(executor).destroy()


def aclSetTensorAddr(
    executor: Executor | None,
    index: int,
    tensor: Tensor | None,
    address: int,
    *,
    inputs: bool = True,
    outputs: bool = True,
) -> None:
    """Bind a tensor to another address; the flags tell which tensors the index counts."""
    executor = _given(executor)
    if tensor is None:
        fail(Status.ACLNN_ERR_INNER_NULLPTR, "tensor is NULL")
    operator = executor.operator
    # a composed operator ignores the index, and so does one that PyTorch computes
    if isinstance(operator, Operator) and operator.is_generated:
        count = inputs * len(operator.tensors) + outputs * len(operator.outputs)
        if index >= count:
            problem = f"index is {index}; {operator.api} has {count} such tensors"
            fail(Status.ACLNN_ERR_PARAM_INVALID, problem)
    if not address:
        fail(Status.ACLNN_ERR_INNER_NULLPTR, "addr is NULL")
    executor.set_tensor_address(tensor, address)


aclSetInputTensorAddr = partial(aclSetTensorAddr, outputs=False)
aclSetOutputTensorAddr = partial(aclSetTensorAddr, inputs=False)


def aclSetDynamicTensorAddr(
    executor: Executor | None,
    place: int,
    index: int,
    tensors: tuple[Tensor, ...] | None,
    address: int,
) -> None:
    """Bind a tensor of a list to another address; the executor knows the tensor itself."""
    executor = _given(executor)
    if tensors is None:
        fail(Status.ACLNN_ERR_INNER_NULLPTR, "tensors is NULL")
    if index >= len(tensors):
        problem = f"relativeIndex is {index}; the list has {len(tensors)} tensors"
        fail(Status.ACLNN_ERR_PARAM_INVALID, problem)
    aclSetTensorAddr(executor, place, tensors[index], address)


aclSetDynamicInputTensorAddr = aclSetDynamicOutputTensorAddr = aclSetDynamicTensorAddr
AclSetDynamicInputTensorAddr = AclSetDynamicOutputTensorAddr = aclSetDynamicTensorAddr
AclSetDynamicTensorAddr = aclSetDynamicTensorAddr
AclSetInputTensorAddr = aclSetInputTensorAddr
AclSetOutputTensorAddr = aclSetOutputTensorAddr
AclSetTensorAddr = aclSetTensorAddr
