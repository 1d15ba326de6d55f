"""Phase 1 of borrowed operators: the checks and the plan."""

from collections.abc import Sequence
from typing import Any, Final

from ..core.errors import fail
from ..core.layout import MAX_RANK
from ..core.status import Status
from ..device.checker.shadow import Span
from ..device.memory.address_space import AddressSpace
from ..device.memory.tensor import Tensor
from ..twophase.phase_1 import keep_plan, known_plan, refuse_type
from ..twophase.plan import Located, Operand, Plan, Planned, Step, refuse
from ..twophase.validation import check_overlaps, operands_of, refuse_product
from .attributes import READERS
from .compute import Compute, Given
from .expressions import TYPES
from .layouts import stored
from .table import Borrowed, Parameter

#: bytes of workspace that phase 1 asks for: programs have to allocate it
WORKSPACE: Final = 32


def plan_borrowed(
    operator: Borrowed, arguments: tuple[Any, ...], default: AddressSpace | None = None
) -> Planned:
    """Check the arguments of a call and plan it; as `ascendref.twophase.phase_1.plan_call`."""
    scalars: dict[str, Any] = {}
    given: list[tuple[Parameter, Any]] = []
    for param, value in zip(operator.parameters, arguments, strict=True):
        if value is None:
            if not param.optional:
                fail(
                    Status.ACLNN_ERR_PARAM_NULLPTR,
                    f"{param.name} is None; {operator.api}GetWorkspaceSize needs it",
                )
            scalars[param.name] = None
        elif param.is_refused:
            refuse(f"{param.name} is given; {operator.api} is computed only without it")
        elif param.is_tensor:
            given.append((param, value))
        else:
            scalars[param.name] = READERS[param.kind](param.name, value)
    given.sort(key=lambda pair: pair[0].is_written)  # results come last
    tensors: list[Tensor] = []
    parts = []
    for param, value in given:
        members = _members(param, value) if param.is_list else (value,)
        parts.append(Given(param, len(tensors), len(members) if param.is_list else None))
        for k, tensor in enumerate(members):
            if not isinstance(tensor, Tensor):
                refuse_type(parts[-1].names[k], tensor)
        tensors += members
    return BorrowedCall(operator, tuple(parts), scalars).plan(tuple(tensors), default)


def _members(param: Parameter, value: Any) -> Sequence[Tensor]:
    if not isinstance(value, tuple | list):
        refuse(f"{param.name} is a {type(value).__name__}; a tuple or list of Tensor is expected")
    for k, member in enumerate(value):
        if member is None:
            fail(
                Status.ACLNN_ERR_PARAM_NULLPTR,
                f"{param.name}[{k}] is None; every member must be a Tensor",
            )
    return value


class BorrowedCall:
    """A call of a borrowed operator without its tensors."""

    def __init__(
        self, operator: Borrowed, given: tuple[Given, ...], scalars: dict[str, Any]
    ) -> None:
        self._operator, self._given, self._scalars = operator, given, scalars
        numbers = tuple([(name, type(value), str(value)) for name, value in scalars.items()])
        self._key = operator, tuple([(x.param.name, x.length) for x in given]), numbers

    def plan(self, tensors: tuple[Tensor, ...], default: AddressSpace | None) -> Planned:
        """Check the tensors, results last, and plan the call."""
        key: tuple[Any, ...] = self._key
        if self._operator.has_layouts:
            key = (*key, *[tensor.format for tensor in tensors])
        planned = known_plan(self._operator, tensors, default, key)
        if not isinstance(planned, Located):
            return planned
        plan, operands = self._make_plan(tensors, planned)
        return keep_plan(plan, planned, tensors, operands)

    def _make_plan(
        self, tensors: tuple[Tensor, ...], located: Located
    ) -> tuple[Plan, tuple[Operand, ...]]:
        operator, product = self._operator, located.space.device.product
        if product.name not in operator.products:
            refuse_product(operator.api, product, operator.products)
        names = tuple([name for x in self._given for name in x.names])
        params = [x.param for x in self._given for _ in x.names]
        inputs = sum(not param.is_written for param in params)
        for name, param, tensor in zip(names, params, tensors, strict=True):
            _check(name, param, tensor)
        forms = [stored(*each) for each in zip(names, params, tensors, strict=True)]
        plain = tuple([form.tensor for form in forms])
        places = tuple(operands_of(names, plain, located))
        arrays = [x.array for x in places]
        in_place = check_overlaps(names, arrays, inputs, plain, located.numbers)
        kinds = tuple([TYPES[tensor.data_type] for tensor in plain])
        restored = {k: x.restored for k, x in enumerate(forms) if x.restored is not None}
        compute = Compute(operator, self._given, self._scalars, restored)
        compute.infer(plain, kinds, in_place)

        def writes(param: Parameter) -> bool:
            wanted = param.is_written and self._scalars.get(param.condition, True)
            return bool(wanted) and param.name not in compute.skipped

        def reads(param: Parameter) -> bool:
            return param.reads(self._scalars)

        def part(k: int, span: Span) -> Span:
            read, partly = forms[k].read, params[k].reads_partly(self._scalars)
            return span._replace(nbytes=span.nbytes if read is None else read, partly=partly)

        spans = [(k, x.span) for k, x in enumerate(places) if x.span.nbytes > 0]
        empty = all(0 in tensor.shape for tensor in tensors[inputs:])
        plan = Plan(
            operator=operator,
            names=names,
            descriptions=located.descriptions,
            layouts=tuple([x.layout for x in places]),
            steps=(
                Step(
                    operator.label,
                    tuple([x.param.name for x in self._given if reads(x.param)]),
                    tuple([x.param.name for x in self._given if writes(x.param)]),
                ),
            ),
            workspace=0 if empty else WORKSPACE,
            reads=tuple([(k, part(k, span)) for k, span in spans if reads(params[k])]),
            writes=tuple([(k, span) for k, span in spans if writes(params[k])]),
            scratch=Span(0, 0 if empty else WORKSPACE, "workspace"),
            compute=None if empty else compute.run,
            unbound=self,
            label=operator.label,
            finds_shapes=bool(operator.found) and not empty,
            kept=frozenset([k for k, param in enumerate(params) if param.is_read]),
            in_nz={k: x.becomes for k, x in enumerate(forms) if x.becomes is not None},
        )
        return plan, places


def _check(name: str, param: Parameter, tensor: Tensor) -> None:
    kind = tensor.data_type
    if kind not in param.types:
        names = ", ".join(each.name for each in param.types)
        refuse(f"{name} has type {kind.name}; allowed are {names}")
    if len(tensor.shape) > MAX_RANK:
        refuse(f"{name} has rank {len(tensor.shape)}; ranks 0 to {MAX_RANK} are allowed")
    if any(stride < 0 for stride in tensor.strides):
        refuse(f"{name} has strides {tensor.strides}; PyTorch takes none below 0")
