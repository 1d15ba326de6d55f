"""Phase 1 of borrowed operators: the checks, shapes by PyTorch's meta kernels, the plan."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import torch
from numpy.typing import NDArray

from ..core.arrays import as_torch
from ..core.errors import fail
from ..core.layout import MAX_RANK
from ..core.status import Status
from ..device.checker.shadow import Span
from ..device.memory.address_space import AddressSpace, Memory
from ..device.memory.tensor import Tensor
from ..device.scalar import Scalar
from ..twophase.phase_1 import plan_once
from ..twophase.plan import Description, Plan, Planned, Step, refuse
from ..twophase.validation import check_overlaps, place, refuse_product
from .expressions import TYPES, Expression, compiled
from .table import Borrowed, Parameter

#: bytes of workspace that phase 1 asks for: programs have to allocate it
WORKSPACE: Final = 32


def plan_borrowed(
    operator: Borrowed, arguments: tuple[Any, ...], default: AddressSpace | None = None
) -> Planned:
    """Check the arguments of a call and plan it; as `ascendref.twophase.phase_1.plan_call`."""
    for param, value in zip(operator.parameters, arguments, strict=True):
        if value is None and not param.optional:
            fail(
                Status.ACLNN_ERR_PARAM_NULLPTR,
                f"{param.name} is None; {operator.api}GetWorkspaceSize needs it",
            )
    given = [
        (param, value)
        for param, value in zip(operator.parameters, arguments, strict=True)
        if param.is_tensor and value is not None
    ]
    for param, value in given:
        if not isinstance(value, Tensor):
            refuse(f"{param.name} is a {type(value).__name__}; a Tensor is expected")
    given.sort(key=lambda pair: pair[0].is_written)  # results come last
    params = tuple([param for param, _ in given])
    scalars = {
        param.name: _number(param, value)
        for param, value in zip(operator.parameters, arguments, strict=True)
        if not param.is_tensor
    }
    absent = tuple([p.name for p in operator.parameters if p.is_tensor and p not in params])
    call = _Call(operator, params, scalars | dict.fromkeys(absent))
    return call.planned(tuple([tensor for _, tensor in given]), default)


def _number(param: Parameter, value: Any) -> Any:
    """Return a scalar as PyTorch takes it."""
    if isinstance(value, Scalar):
        return value.value.item() if hasattr(value.value, "item") else value.value
    if value is None or isinstance(value, bool | int | float | complex | str):
        return value
    if hasattr(value, "item"):
        return value.item()
    refuse(f"{param.name} is a {type(value).__name__}; a number or a Scalar is expected")


class _Call:
    """A call without its tensors: what it is planned with again after they were moved."""

    def __init__(
        self, operator: Borrowed, params: tuple[Parameter, ...], scalars: dict[str, Any]
    ) -> None:
        self._operator, self._params, self._scalars = operator, params, scalars
        self._names = tuple([param.name for param in params])
        self._inputs = sum(not param.is_written for param in params)
        numbers = tuple([(name, type(value), str(value)) for name, value in scalars.items()])
        self._key = operator, self._names, numbers

    def planned(self, tensors: tuple[Tensor, ...], default: AddressSpace | None) -> Planned:
        """Check the tensors and plan the call."""
        make = partial(self._plan, tensors)
        return plan_once(self._operator, tensors, default, self._key, make)

    def _plan(
        self,
        tensors: tuple[Tensor, ...],
        space: AddressSpace,
        memories: tuple[Memory | None, ...],
        numbers: tuple[int, ...],
        descriptions: tuple[Description, ...],
    ) -> Plan:
        operator, inputs = self._operator, self._inputs
        product = space.device.product
        if product.name not in operator.products:
            refuse_product(operator.api, product, operator.products)
        for param, tensor in zip(self._params, tensors, strict=True):
            self._check(param, tensor)
        places = [
            place(name, tensor, memory, number, space.device)
            for name, tensor, memory, number in zip(
                self._names, tensors, memories, numbers, strict=True
            )
        ]
        check_overlaps(self._names, [x.array for x in places], inputs, tensors, numbers)
        kinds = tuple([TYPES[tensor.data_type] for tensor in tensors])
        expression = compiled(operator.expression)
        direct = self._infer(expression, tensors, kinds)
        spans = [(k, found.span) for k, found in enumerate(places) if found.span.nbytes > 0]
        empty = all(0 in tensor.shape for tensor in tensors[inputs:])
        names = dict(zip(self._names, self._params, strict=True))
        return Plan(
            operator=operator,
            names=self._names,
            descriptions=descriptions,
            layouts=tuple([found.layout for found in places]),
            steps=(
                Step(
                    operator.label,
                    tuple([name for name, param in names.items() if param.is_read]),
                    tuple([name for name, param in names.items() if param.is_written]),
                ),
            ),
            workspace=0 if empty else WORKSPACE,
            reads=tuple([(k, span) for k, span in spans if self._params[k].is_read]),
            writes=tuple([(k, span) for k, span in spans if k >= inputs]),
            scratch=Span(0, 0 if empty else WORKSPACE, "workspace"),
            compute=None if empty else partial(self._compute, expression, direct),
            again=lambda tensors, space: self.planned(tensors, space)[0],
            label=operator.label,
        )

    def _check(self, param: Parameter, tensor: Tensor) -> None:
        kind = tensor.data_type
        if kind not in param.types:
            names = ", ".join(each.name for each in param.types)
            refuse(f"{param.name} has type {kind.name}; allowed are {names}")
        if len(tensor.shape) > MAX_RANK:
            refuse(f"{param.name} has rank {len(tensor.shape)}; ranks 0 to {MAX_RANK} are allowed")
        if any(stride < 0 for stride in tensor.strides):
            refuse(f"{param.name} has strides {tensor.strides}; PyTorch takes none below 0")

    def _values(self, arrays: Sequence[torch.Tensor]) -> dict[str, Any]:
        return self._scalars | dict(zip(self._names, arrays, strict=True))

    def _infer(
        self, expression: Expression, tensors: tuple[Tensor, ...], kinds: tuple[torch.dtype, ...]
    ) -> bool:
        """Check shapes and types of the results; tell whether the kernel can write them itself."""
        metas = [
            torch.empty_strided(tensor.shape, tensor.strides, dtype=kind, device="meta")
            for tensor, kind in zip(tensors, kinds, strict=True)
        ]
        values = self._values(metas)
        try:
            with torch.no_grad():
                found = expression.value(values)
        except (RuntimeError, ValueError, IndexError, TypeError) as error:
            refuse(f"{self._operator.api}: {str(error).splitlines()[0]}", error)
        names = self._operator.results
        direct = expression.into is not None
        for name, result in zip(names, (found,) if len(names) == 1 else found, strict=False):
            out = values[name]
            if out is None:
                direct = False
                continue
            if tuple(out.shape) != tuple(result.shape):
                shape = tuple(result.shape)
                refuse(f"{name} has shape {tuple(out.shape)}; {shape} is expected")
            if not torch.can_cast(result.dtype, out.dtype):
                expected = str(result.dtype).removeprefix("torch.")
                refuse(
                    f"{name} has type {str(out.dtype).removeprefix('torch.')}, to which a result of"
                    f" type {expected} cannot be cast"
                )
            direct = direct and out.dtype == result.dtype
        return direct

    def _compute(
        self,
        expression: Expression,
        direct: bool,
        arrays: tuple[NDArray[Any], ...],
        scratch: object,
    ) -> None:
        values = self._values([as_torch(array) for array in arrays])
        names = self._operator.results
        with torch.no_grad():
            if direct and expression.into is not None:
                expression.into(values, tuple([values[name] for name in names]))
                return
            found = expression.value(values)
            for name, result in zip(names, (found,) if len(names) == 1 else found, strict=False):
                if values[name] is not None:
                    values[name].copy_(result)
