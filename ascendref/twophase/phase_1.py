"""Phase 1: from the arguments of a call to its plan; equal calls share a plan."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, NoReturn

import numpy as np

from ..core.errors import fail
from ..core.status import Status
from ..declaration.fields import vendor_name
from ..declaration.operator import Operator
from ..device.memory.address_space import AddressSpace, Memory
from ..device.memory.tensor import Tensor
from ..device.scalar import Scalar
from .plan import Called, Located, Operand, Plan, Planned, own_fields, refuse
from .planning import make_plan
from .validation import validate

#: equal calls -> plan
_plans: Final[dict[tuple[Any, ...], Plan]] = {}
#: calls that differ in where their tensors lie -> bytes of each tensor from its first element
_extents: Final[dict[tuple[Any, ...], tuple[tuple[int, int], ...]]] = {}
#: such calls, and how their tensors overlap -> a plan, and each tensor's first byte in it
_patterns: Final[dict[tuple[Any, ...], tuple[Plan, list[int]]]] = {}
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

    ``default`` is the address space to use if no tensor has memory.
    """
    if operator.unused:
        _check_unused(operator, arguments)
    for argument in arguments:
        if argument is None:
            operator, arguments = _without_null(operator, arguments)
            break
    else:
        arguments = operator.ordered(arguments)
    first = len(operator.tensors)
    last = first + len(operator.scalars)
    tensors: tuple[Tensor, ...] = arguments[:first] + arguments[last:]
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            _refuse_types(operator, tensors)
    scalars = tuple(
        [value.value if type(value) is Scalar else value for value in arguments[first:last]]
    )
    return OwnCall(operator, scalars).plan(tensors, default)


class OwnCall(NamedTuple):
    """A call of an operator with kernels of our own, without its tensors."""

    operator: Operator
    scalars: tuple[Any, ...]

    def plan(self, tensors: tuple[Tensor, ...], default: AddressSpace | None) -> Planned:
        """Check the tensors, results last, and plan the call."""
        key = self if _KEY_TYPES.issuperset(map(type, self.scalars)) else None
        planned = known_plan(self.operator, tensors, default, key)
        if not isinstance(planned, Located):
            return planned
        call = validate(self.operator, tensors, planned, self.scalars)
        plan = make_plan(call, planned.descriptions, self)
        return keep_plan(plan, planned, tensors, call.inputs + call.results)


def known_plan(
    operator: Called,
    tensors: tuple[Tensor, ...],
    default: AddressSpace | None,
    key: tuple[Any, ...] | None,
) -> Planned | Located:
    """Return the plan of an equal call; if there is none, where the tensors lie.

    ``default`` is the address space to use if no tensor has memory. ``key`` has what decides the
    plan besides the tensors and the product; None if that is not known.
    """
    memories = tuple([tensor.memory for tensor in tensors])
    space = _address_space(operator, memories, default)
    space.device.check_process()
    usable, whole = key is not None, True
    sizes = []
    for memory in memories:
        if memory is None:
            sizes.append(0)
            continue
        sizes.append(memory.nbytes)
        if not (memory.alive and memory.space is space and memory.is_whole):
            whole = False
            usable &= memory.alive and memory.space is space and not memory.pinned
    fields = tuple(map(own_fields, tensors))
    # overlap depends only on which tensors share memory, not on its address
    numbers = tuple(map(memories.index, memories))
    product = space.device.product
    exact = kind = None
    if usable and whole:
        exact = (key, product.name, product.has_bfloat16, fields, tuple(sizes), numbers)
        plan = _plans.get(exact)
        if plan is not None:
            return plan, space, tensors, memories
    if usable:
        kind = (key, product.name, product.has_bfloat16, tuple([each[:3] for each in fields]))
    located = Located(space, memories, numbers, fields, tuple(sizes), exact, kind)
    extents = _extents.get(kind) if kind is not None else None
    pattern = None if extents is None else _pattern(extents, tensors, located)
    alike = None if pattern is None else _patterns.get(pattern)
    if alike is None:
        return located
    plan, firsts = alike
    steps = [x.first_byte - first for x, first in zip(tensors, firsts, strict=True)]
    return _keep(plan.moved(located.descriptions, steps), located, tensors)


def keep_plan(
    plan: Plan, located: Located, tensors: tuple[Tensor, ...], operands: Sequence[Operand]
) -> Planned:
    """Keep a new plan for equal calls, and for those whose tensors lie elsewhere."""
    if located.kind is not None and plan.layouts:
        firsts = [tensor.first_byte for tensor in tensors]
        spans = [operand.span for operand in operands]
        extents = tuple(
            [
                (span.start - first, span.start - first + span.nbytes) if span.nbytes else (0, 0)
                for span, first in zip(spans, firsts, strict=True)
            ]
        )
        pattern = _pattern(extents, tensors, located)
        if pattern is not None:
            if len(_patterns) >= _PLANS_LIMIT:
                _patterns.clear()
                _extents.clear()
            _extents[located.kind] = extents
            _patterns[pattern] = plan, firsts
    return _keep(plan, located, tensors)


def _keep(plan: Plan, located: Located, tensors: tuple[Tensor, ...]) -> Planned:
    if located.key is not None:
        if len(_plans) >= _PLANS_LIMIT:
            _plans.clear()
        _plans[located.key] = plan
    return plan, located.space, tensors, located.memories


def _pattern(
    extents: tuple[tuple[int, int], ...], tensors: tuple[Tensor, ...], located: Located
) -> tuple[Any, ...] | None:
    """Return what is equal for calls of one kind whose tensors overlap in the same way.

    ``extents`` are the bytes that each covers, counted from its first element; None if they are not
    all in its memory, at an address that the type allows.
    """
    places = []
    for k, (tensor, (low, high)) in enumerate(zip(tensors, extents, strict=True)):
        if low == high:
            continue
        memory, first, bits = located.memories[k], tensor.first_byte, tensor.data_type.bits
        start = first + low
        if memory is None or start < 0 or high - low > memory.room(start):
            return None
        if tensor.start % max(1, bits // 8) or tensor.offset * bits % 8:
            return None
        places.append((located.numbers[k], start, first + high, k))
    # tensors that a chain of overlaps connects, by their distance from the first of these
    distances = []
    number, begin, end, leader = -1, 0, 0, 0
    for at, low, high, k in sorted(places):
        if at != number or low >= end:
            number, begin, end, leader = at, low, high, k
        end = max(end, high)
        distances.append((k, leader, low - begin))
    return located.kind, *sorted(distances)


def _without_null(
    operator: Operator, arguments: tuple[Any, ...]
) -> tuple[Operator, tuple[Any, ...]]:
    """Leave out the optional arguments that are None; refuse a call in which others are.

    The result is the operator of the tensors that remain, with these, scalars and results.
    """
    nullable = operator.nullable
    for name, value in zip(operator.arguments, arguments, strict=True):
        if value is None and name not in nullable:
            fail(
                Status.ACLNN_ERR_PARAM_NULLPTR,
                f"{name} is None; every argument of {operator.api}GetWorkspaceSize must be given:"
                f" {', '.join(operator.arguments)}",
            )
    ordered = operator.ordered(arguments)
    count = len(operator.tensors)
    reduced, tensors = operator.given(ordered[:count])
    named = zip(operator.vendor_parameters[count:], ordered[count:], strict=True)
    rest = [nullable[name] if value is None else value for name, value in named]
    return reduced, (*tensors, *rest)


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
    title = kind.__name__ if kind.__name__ != Tensor.__name__ else f"{kind.__module__}.Tensor"
    refuse(
        f"{name} is a {title}; a Tensor is expected (Device.tensor copies"
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
