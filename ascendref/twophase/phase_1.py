"""Phase 1: from the arguments of a call to its plan; equal calls share a plan."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NoReturn

import numpy as np

from ..core.errors import fail
from ..core.status import Status
from ..declaration.fields import vendor_name
from ..declaration.operator import Operator
from ..device.memory.address_space import AddressSpace, Memory
from ..device.memory.tensor import Tensor
from ..device.scalar import Scalar
from .plan import Called, Description, Plan, Planned, refuse
from .planning import make_plan
from .validation import validate

#: equal calls -> plan
_plans: Final[dict[tuple[Any, ...], Plan]] = {}
#: keys contain scalars and layouts, so the number of plans must be limited
_PLANS_LIMIT: Final = 4096
#: types of scalars that a key may contain
_KEY_TYPES: Final = frozenset(
    (bool, int, float, str, bytes, *[np.dtype(code).type for code in "?bBhHiIlLqQefd"])
)


def plan_call(
    operator: Operator, arguments: tuple[Any, ...], default: AddressSpace | None = None
) -> Planned:
    """Check the arguments of a call, which are in the vendor's order, and plan it.

    The result is that of `plan_once`.
    """
    if operator.unused:
        _check_unused(operator, arguments)
    for argument in arguments:
        if argument is None:
            operator, arguments = _without_null(operator, arguments)
            break
    else:
        arguments = tuple([arguments[place] for place in operator.places])
    first = len(operator.tensors)
    last = first + len(operator.scalars)
    tensors: tuple[Tensor, ...] = arguments[:first] + arguments[last:]
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            _refuse_types(operator, tensors)
    scalars = tuple(
        [value.value if type(value) is Scalar else value for value in arguments[first:last]]
    )
    return plan_tensors(operator, tensors, scalars, default)


def plan_tensors(
    operator: Operator,
    tensors: tuple[Tensor, ...],
    scalars: tuple[Any, ...],
    default: AddressSpace | None,
) -> Planned:
    """Check tensors, results last, and scalars, and plan the call; as `plan_once`."""

    def make(
        space: AddressSpace,
        memories: tuple[Memory | None, ...],
        memory_numbers: tuple[int, ...],
        descriptions: tuple[Description, ...],
    ) -> Plan:
        call = validate(operator, space.device, tensors, memories, memory_numbers, scalars)
        return make_plan(call, descriptions, partial(_plan_again, operator, scalars))

    key = (operator, scalars) if _KEY_TYPES.issuperset(map(type, scalars)) else None
    return plan_once(operator, tensors, default, key, make)


def plan_once(
    operator: Called,
    tensors: tuple[Tensor, ...],
    default: AddressSpace | None,
    key: tuple[Any, ...] | None,
    make: Callable[..., Plan],
) -> Planned:
    """Return the plan of an equal call, or make one.

    ``default`` is the address space to use if no tensor has memory. ``key`` has what decides the
    plan besides the tensors and the product; None if that is not known. ``make`` gets the address
    space, the tensors' memories, numbers that are equal for tensors in the same memory, and the
    tensors' descriptions. The result is the plan, the address space of the tensors' device, the
    tensors, and the memory of each.
    """
    memories = tuple([tensor.memory for tensor in tensors])
    space = _address_space(operator, memories, default)
    space.device.check_process()
    cacheable = key is not None
    sizes = []
    for memory in memories:
        if memory is None:
            sizes.append(0)
        else:
            cacheable = cacheable and memory.alive and memory.space is space and not memory.pinned
            cacheable = cacheable and memory.room(0) == memory.nbytes  # not mapped in parts
            sizes.append(memory.nbytes)
    descriptions = tuple(
        [
            (tensor.data_type, tensor.shape, tensor.strides, tensor.offset, tensor.start, size)
            for tensor, size in zip(tensors, sizes, strict=True)
        ]
    )
    # overlap depends only on which tensors share memory, not on its address
    memory_numbers = tuple(map(memories.index, memories))
    product = space.device.product
    whole = (key, product.name, product.has_bfloat16, descriptions, memory_numbers)
    plan = _plans.get(whole) if cacheable else None
    if plan is None:
        made = tuple(map(Description._make, descriptions))
        plan = make(space, memories, memory_numbers, made)
        if cacheable:
            if len(_plans) >= _PLANS_LIMIT:
                _plans.clear()
            _plans[whole] = plan
    return plan, space, tensors, memories


def _plan_again(
    operator: Operator,
    scalars: tuple[Any, ...],
    tensors: tuple[Tensor, ...],
    space: AddressSpace,
) -> Plan:
    return plan_tensors(operator, tensors, scalars, space)[0]


def _without_null(
    operator: Operator, arguments: tuple[Any, ...]
) -> tuple[Operator, tuple[Any, ...]]:
    """Leave out the optional arguments that are None; refuse a call in which others are.

    The result is the operator of the given tensors, with its tensors, scalars and results.
    """
    nullable = operator.nullable
    for name, value in zip(operator.arguments, arguments, strict=True):
        if value is None and name not in nullable:
            fail(
                Status.ACLNN_ERR_PARAM_NULLPTR,
                f"{name} is None; every argument of {operator.api}GetWorkspaceSize must be given:"
                f" {', '.join(operator.arguments)}",
            )
    ordered = tuple([arguments[place] for place in operator.places])
    count = len(operator.tensors)
    given, tensors = operator.given(ordered[:count])
    named = zip(operator.vendor_parameters[count:], ordered[count:], strict=True)
    rest = [nullable[name] if value is None else value for name, value in named]
    return given, (*tensors, *rest)


def _check_unused(operator: Operator, arguments: tuple[Any, ...]) -> None:
    """Refuse anything but a tensor, or None, for a tensor that is not used."""
    names = [param.vendor or vendor_name(param.name) for param in operator.unused]
    for name, value in zip(operator.arguments, arguments, strict=True):
        if name in names and not isinstance(value, Tensor | None):
            refuse_type(name, value)


def _refuse_types(operator: Operator, tensors: tuple[Any, ...]) -> NoReturn:
    named = zip(operator.tensor_names, tensors, strict=True)
    refuse_type(*next(pair for pair in named if not isinstance(pair[1], Tensor)))


def refuse_type(name: str, value: object) -> NoReturn:
    """Fail because an argument is no tensor of a device."""
    kind = type(value)
    found = kind.__name__ if kind.__name__ != Tensor.__name__ else f"{kind.__module__}.Tensor"
    refuse(
        f"{name} is a {found}; a Tensor is expected (Device.tensor copies"
        " an array to the device and describes it)"
    )


def _address_space(
    operator: Called, memories: tuple[Memory | None, ...], default: AddressSpace | None
) -> AddressSpace:
    for memory in memories:
        if memory is not None:
            return memory.space
    if default is not None:
        return default
    fail(
        Status.ACL_ERROR_RT_CONTEXT_NULL,
        f"no tensor of {operator.api} has memory, so its device is unknown;"
        " Device.empty allocates memory even for an empty tensor",
    )
