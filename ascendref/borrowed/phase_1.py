"""Phase 1 of borrowed operators: the checks, shapes by PyTorch's meta kernels, the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial, reduce
from math import prod
from operator import index
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from ..core.arrays import as_torch
from ..core.dtypes import DataType
from ..core.errors import ArgumentTypeError, fail, shown
from ..core.layout import MAX_RANK
from ..core.status import Status
from ..device.checker.shadow import Span
from ..device.memory.address_space import AddressSpace, Memory
from ..device.memory.tensor import Tensor, contiguous_strides
from ..device.scalar import Scalar
from ..twophase.phase_1 import plan_once, refuse_type
from ..twophase.plan import Description, Plan, Planned, Shapes, Step, refuse
from ..twophase.validation import check_overlaps, place, refuse_product
from .expressions import TYPES, Expression, compiled
from .shapes import RULES, check
from .table import Borrowed, Parameter

#: bytes of workspace that phase 1 asks for: programs have to allocate it
WORKSPACE: Final = 32
#: kinds of integers -> the smallest and the largest; the last are codes of the vendor's
_INTEGERS: Final = {
    "i8": (-(2**7), 2**7 - 1),
    "int": (-(2**31), 2**31 - 1),
    "i32": (-(2**31), 2**31 - 1),
    "i64": (-(2**63), 2**63 - 1),
    "u64": (0, 2**64 - 1),
    "cube": (0, 3),
    "reduction": (0, 2),
}
#: what PyTorch raises for arguments that it does not take
_REFUSALS: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)


#: most elements of results that are computed to learn their shapes and types, on one thread
_SMALL: Final = 2**15
#: products of matrices, whose tensors the vendor promotes to one type; PyTorch refuses mixtures
_PROMOTED: Final = {
    "aclnnMatmul",
    "aclnnMm",
    "aclnnBatchMatMul",
    "aclnnMv",
    "aclnnAddmv",
    "aclnnAddmm",
    "aclnnAddbmm",
    "aclnnBaddbmm",
}


class _Given(NamedTuple):
    """The tensors of one parameter: where they begin among all, and how many a list has."""

    param: Parameter
    start: int
    length: int | None

    @property
    def places(self) -> range:
        """Where they are among all tensors."""
        return range(self.start, self.start + (1 if self.length is None else self.length))

    def of(self, members: Sequence[Any]) -> Any:
        """Return the parameter's value from those of all tensors."""
        if self.length is None:
            return members[self.start]
        return [members[k] for k in self.places]


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
        elif param.is_tensor:
            given.append((param, value))
        else:
            scalars[param.name] = _READERS[param.kind](param.name, value)
    given.sort(key=lambda pair: pair[0].is_written)  # results come last
    tensors: list[Tensor] = []
    parts = []
    for param, value in given:
        members = _members(param, value) if param.is_list else (value,)
        for k, tensor in enumerate(members):
            if not isinstance(tensor, Tensor):
                name = f"{param.name}[{k}]" if param.is_list else param.name
                refuse_type(name, tensor)
        parts.append(_Given(param, len(tensors), len(members) if param.is_list else None))
        tensors += members
    return _Call(operator, tuple(parts), scalars).planned(tuple(tensors), default)


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


def _number(name: str, value: Any) -> Any:
    """Return a scalar as PyTorch takes it."""
    if isinstance(value, Scalar):
        value = value.value
    if isinstance(value, bool | int | float | complex):
        return value
    with suppress(AttributeError, RuntimeError, ValueError):
        return value.item()
    refuse(f"{name} is a {type(value).__name__}; a number or a Scalar is expected")


def _integer(kind: str, name: str, value: Any) -> int:
    least, most = _INTEGERS[kind]
    try:
        number = index(value)
    except TypeError as error:
        refuse(f"{name} is a {type(value).__name__}; an integer is expected", error)
    if not least <= number <= most:
        refuse(f"{name} is {number}; {least} to {most} are allowed")
    return number


def _float(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        refuse(f"{name} is a {type(value).__name__}; a number is expected", error)


def _bool(name: str, value: Any) -> bool:
    if isinstance(value, str | bytes | tuple | list):
        refuse(f"{name} is a {type(value).__name__}; True or False is expected")
    try:
        return bool(value)
    except ValueError as error:
        refuse(f"{name} is a {type(value).__name__}; True or False is expected", error)


def _text(name: str, value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if not isinstance(value, str):
        refuse(f"{name} is a {type(value).__name__}; a str is expected")
    return value


def _type(name: str, value: Any) -> torch.dtype:
    try:
        return TYPES[DataType.of(value)]
    except (ArgumentTypeError, KeyError) as error:
        refuse(f"{name} is {shown(value)}; a type of tensors is expected", error)


def _array(read: Callable[[str, Any], Any], name: str, value: Any) -> tuple[Any, ...]:
    try:
        members = tuple(value)
    except TypeError as error:
        refuse(f"{name} is a {type(value).__name__}; a tuple or list is expected", error)
    return tuple([read(f"{name}[{k}]", member) for k, member in enumerate(members)])


def _axes(name: str, value: Any) -> tuple[int, ...] | None:
    """Return axes as PyTorch takes them, to which None means all; no axis means all, too."""
    return _array(_READERS["i64"], name, value) or None


#: kinds of parameters -> what checks a value, given with the parameter's name
_READERS: Final[dict[str, Callable[[str, Any], Any]]] = {
    "S": _number,
    "f32": _float,
    "f64": _float,
    "bool": _bool,
    "str": _text,
    "dtype": _type,
    **{kind: partial(_integer, kind) for kind in _INTEGERS},
    "S[]": partial(_array, _number),
    "I[]": partial(_array, partial(_integer, "i64")),
    "axes": _axes,
    "F[]": partial(_array, _float),
    "B[]": partial(_array, _bool),
}


class _Call:
    """A call without its tensors: what it is planned with again after they were moved."""

    def __init__(
        self, operator: Borrowed, given: tuple[_Given, ...], scalars: dict[str, Any]
    ) -> None:
        self._operator, self._given, self._scalars = operator, given, scalars
        numbers = tuple([(name, type(value), str(value)) for name, value in scalars.items()])
        self._key = operator, tuple([(x.param.name, x.length) for x in given]), numbers

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
        operator = self._operator
        product = space.device.product
        if product.name not in operator.products:
            refuse_product(operator.api, product, operator.products)
        names, params = self._named()
        inputs = sum(not param.is_written for param in params)
        for name, param, tensor in zip(names, params, tensors, strict=True):
            _check(name, param, tensor)
        places = [
            place(name, tensor, memory, number, space.device)
            for name, tensor, memory, number in zip(names, tensors, memories, numbers, strict=True)
        ]
        in_place = check_overlaps(names, [x.array for x in places], inputs, tensors, numbers)
        kinds = tuple([TYPES[tensor.data_type] for tensor in tensors])
        compute = _Compute(operator, self._given, self._scalars)
        compute.infer(tensors, kinds, in_place)

        def writes(param: Parameter) -> bool:
            return self._changes(param) and param.name not in compute.skipped

        spans = [(k, found.span) for k, found in enumerate(places) if found.span.nbytes > 0]
        empty = all(0 in tensor.shape for tensor in tensors[inputs:])
        return Plan(
            operator=operator,
            names=names,
            descriptions=descriptions,
            layouts=tuple([found.layout for found in places]),
            steps=(
                Step(
                    operator.label,
                    tuple([x.param.name for x in self._given if x.param.is_read]),
                    tuple([x.param.name for x in self._given if writes(x.param)]),
                ),
            ),
            workspace=0 if empty else WORKSPACE,
            reads=tuple([(k, span) for k, span in spans if params[k].is_read]),
            writes=tuple([(k, span) for k, span in spans if writes(params[k])]),
            scratch=Span(0, 0 if empty else WORKSPACE, "workspace"),
            compute=None if empty else compute.run,
            again=lambda tensors, space: self.planned(tensors, space)[0],
            label=operator.label,
            finds_shapes=bool(operator.found) and not empty,
        )

    def _changes(self, param: Parameter) -> bool:
        """Tell whether the call writes a parameter's tensors."""
        return param.is_written and bool(self._scalars.get(param.condition, True))

    def _named(self) -> tuple[tuple[str, ...], tuple[Parameter, ...]]:
        """Return the name and the parameter of every tensor."""
        names: list[str] = []
        params: list[Parameter] = []
        for given in self._given:
            name, length = given.param.name, given.length
            names += [name] if length is None else [f"{name}[{k}]" for k in range(length)]
            params += [given.param] * len(given.places)
        return tuple(names), tuple(params)


def _check(name: str, param: Parameter, tensor: Tensor) -> None:
    kind = tensor.data_type
    if kind not in param.types:
        names = ", ".join(each.name for each in param.types)
        refuse(f"{name} has type {kind.name}; allowed are {names}")
    if len(tensor.shape) > MAX_RANK:
        refuse(f"{name} has rank {len(tensor.shape)}; ranks 0 to {MAX_RANK} are allowed")
    if any(stride < 0 for stride in tensor.strides):
        refuse(f"{name} has strides {tensor.strides}; PyTorch takes none below 0")


class _Compute:
    """What a task computes."""

    def __init__(
        self, operator: Borrowed, given: tuple[_Given, ...], scalars: dict[str, Any]
    ) -> None:
        self._operator, self._given, self._scalars = operator, given, scalars
        self._expression: Expression = compiled(operator.expression)
        #: names of tensors that are given one type
        self._promoted = (
            [part.param.name for part in given if part.param.is_read]
            if operator.api in _PROMOTED
            else []
        )
        #: whether the kernel writes the results itself
        self._direct = False
        #: whether the results may lie where inputs are
        self._in_place = False
        self._starts = {part.param.name: part.start for part in given}
        #: names of results that the call leaves alone
        self.skipped: set[str] = set()

    def infer(
        self, tensors: tuple[Tensor, ...], kinds: tuple[torch.dtype, ...], in_place: bool
    ) -> None:
        """Check shapes and types of the results."""
        self._in_place = in_place
        for name in self._operator.found:
            tensor = tensors[self._starts[name]]
            if tensor.strides != contiguous_strides(tensor.shape):
                refuse(f"{name} has strides {tensor.strides}; its elements must be dense")
        try:
            if self._operator.api in RULES:
                check(self._operator.api, self._values(_empty(tensors, kinds)))
            values, results = self._sample(tensors, kinds)
        except _REFUSALS as error:
            text = (str(error).splitlines() or [""])[0]
            if isinstance(error, LookupError | ZeroDivisionError | AttributeError):
                text = f"the arguments do not fit together ({type(error).__name__}: {text})"
            refuse(f"{self._operator.api}: {text}", error)
        matching = []
        self.skipped = set(self._operator.results)
        for name, out, result in self._pairs(values, results):
            self.skipped.discard(name.partition("[")[0])
            _check_result(name, out, result, is_found=name in self._operator.found)
            matching.append(out.dtype == result.dtype and out.shape == result.shape)
        written = [tensors[k] for x in self._given if not x.param.is_read for k in x.places]
        # other kernels may read what they have written, or take any memory for dense
        safe = self._expression.is_elementwise or not (
            in_place or any(x.strides != contiguous_strides(x.shape) for x in written)
        )
        self._direct = (
            self._expression.into is not None
            and not self._operator.found
            and safe
            and all(matching)
            and len(matching) == len(written)
            and all(values[name] is not None for name in self._operator.results)
        )

    def _sample(self, tensors: tuple[Tensor, ...], kinds: tuple[torch.dtype, ...]) -> Any:
        """Return values without data, and the results: of meta kernels, or those of numbers."""
        shapes = [tensor.shape for tensor in tensors]
        if self._operator.found:
            return self._sample_on("cpu", shapes, kinds)
        if self._expression.is_elementwise:
            # the kernel that will compute refuses more types than those without data; the latter
            # import PyTorch's compiler, which takes a second
            least = self._sample_on("cpu", [(1,) * len(shape) for shape in shapes], kinds, 1)
            if all(shape == (1,) * len(shape) for shape in shapes):
                return least
            with suppress(ValueError):  # shapes that do not broadcast
                if prod(np.broadcast_shapes(*shapes)) <= _SMALL:
                    return self._sample_on("cpu", shapes, kinds, 1)  # integers are divided
        elif self._mixes_floats(kinds):  # which most kernels without data take
            return self._sample_on("cpu", shapes, kinds)
        try:
            return self._sample_on("meta", shapes, kinds)
        except NotImplementedError:
            return self._sample_on("cpu", shapes, kinds)

    def _mixes_floats(self, kinds: Sequence[torch.dtype]) -> bool:
        """Tell whether the kernel will be given floats of several types."""
        read = [kinds[k] for x in self._given if x.param.is_read for k in x.places]
        return not self._promoted and len({x for x in read if x.is_floating_point}) > 1

    def _sample_on(
        self,
        device: str,
        shapes: Sequence[tuple[int, ...]],
        kinds: Sequence[torch.dtype],
        number: int = 0,
    ) -> Any:
        members = [
            torch.full(shape, number, dtype=kind, device=device)
            for shape, kind in zip(shapes, kinds, strict=True)
        ]
        values = self._values(members)
        with torch.no_grad():
            return values, self._expression.value(values)

    def _values(self, members: Sequence[torch.Tensor]) -> dict[str, Any]:
        values = dict(self._scalars)
        for part in self._given:
            value = part.of(members)
            if part.param.is_index:
                value = [x.long() for x in value] if part.param.is_list else value.long()
            values[part.param.name] = value
        if self._promoted:
            kind = reduce(torch.promote_types, [values[name].dtype for name in self._promoted])
            values |= {name: values[name].to(kind) for name in self._promoted}
        return values

    def _make_dense(self, values: dict[str, Any]) -> None:
        """Copy what is read in another layout, which not every kernel takes."""
        for part in self._given:
            name = part.param.name
            if part.param.is_list and not part.param.is_written:
                values[name] = [tensor.contiguous() for tensor in values[name]]
            elif not part.param.is_written:
                values[name] = values[name].contiguous()

    def _pairs(self, values: dict[str, Any], results: Any) -> Iterator[tuple[str, Any, Any]]:
        """Yield the name of each result that is wanted, where it goes, and its value."""
        names = self._operator.results
        if len(names) < 2:  # a kernel that writes by itself may return anything
            results = (results,)
        for name, result in zip(names, results, strict=False):
            out = values[name]
            if out is None or result is None:
                continue
            if not isinstance(out, list):
                yield name, out, result
                continue
            if len(out) != len(result):
                refuse(f"{name} has {len(out)} tensors; {len(result)} are expected")
            for k, pair in enumerate(zip(out, result, strict=True)):
                yield f"{name}[{k}]", *pair

    def run(self, arrays: tuple[NDArray[Any], ...], scratch: object) -> Shapes | None:
        """Compute; return the shapes that the data decided."""
        values = self._values([_view(array) for array in arrays])
        expression, operator = self._expression, self._operator
        if not expression.is_elementwise:
            self._make_dense(values)
        shapes: Shapes = {}
        with torch.no_grad():
            if self._direct and expression.into is not None:
                expression.into(values, tuple([values[name] for name in operator.results]))
                return None
            results = expression.value(values)
            for name, out, result in self._pairs(values, results):
                if name in operator.found:
                    shapes[self._starts[name]] = _store_found(name, out, result)
                    continue
                # a view of an input would change while it is copied
                kept = result.clone() if self._in_place else result
                out.copy_(kept if out.shape == kept.shape else kept.reshape(out.shape))
        return shapes


def _empty(tensors: Sequence[Tensor], kinds: Sequence[torch.dtype]) -> list[torch.Tensor]:
    """Return tensors without data."""
    return [
        torch.empty(tensor.shape, dtype=kind, device="meta")
        for tensor, kind in zip(tensors, kinds, strict=True)
    ]


def _view(array: NDArray[Any]) -> torch.Tensor:
    """Return a tensor in the memory of an array."""
    tensor: torch.Tensor = as_torch(array)
    if min(array.shape, default=2) > 1 or not tensor.is_contiguous():
        return tensor
    # the stride along an axis of one element is 0 in arrays; kernels divide by it
    return tensor.as_strided(tensor.shape, contiguous_strides(tuple(tensor.shape)))


def _check_result(name: str, out: torch.Tensor, result: torch.Tensor, *, is_found: bool) -> None:
    shape, expected = tuple(out.shape), tuple(result.shape)
    if is_found:
        if len(shape) != len(expected):
            refuse(f"{name} has rank {len(shape)}; {len(expected)} is expected")
    elif shape != expected and not prod(shape) == prod(expected) == 1:
        refuse(f"{name} has shape {shape}; {expected} is expected")
    if not torch.can_cast(result.dtype, out.dtype):
        refuse(
            f"{name} has type {str(out.dtype).removeprefix('torch.')}, to which a result of"
            f" type {str(result.dtype).removeprefix('torch.')} cannot be cast"
        )


def _store_found(name: str, out: torch.Tensor, result: torch.Tensor) -> tuple[int, ...]:
    """Write a result to the first elements of a tensor; return its shape."""
    if result.numel() > out.numel():
        fail(
            Status.ACL_ERROR_RT_AICORE_EXCEPTION,
            f"{name} has {out.numel()} elements; the result has {result.numel()}",
        )
    out.view(-1)[: result.numel()].copy_(result.reshape(-1))
    return tuple(result.shape)
