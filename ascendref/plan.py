"""Phase 1: from a call's arguments to a plan of it, which equal calls share."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from .device.device import Device
from .device.memory import AddressSpace, Memory
from .device.scalar import Scalar
from .device.tensor import Tensor
from .dtypes import BY_DATA_TYPE, FLOAT32, FLOAT64, DataType, ElementType
from .errors import ArgumentError, fail
from .flow import Flow, Step, reserved
from .kernels.elementwise import elementwise
from .kernels.reduction import ChannelSumKernel, channel_sum
from .layout import maps_indices_to_one_address, meets, same_view
from .spec import Operator, TensorParam, check_rank, check_scalar, vendor_name
from .status import Status

#: computes results from the arrays of all tensors; what scratch it needs it takes from the second
Compute = Callable[[tuple[NDArray[Any], ...], NDArray[np.uint8] | None], None]


class View(NamedTuple):
    """A tensor as phase 1 found it."""

    data_type: DataType
    shape: tuple[int, ...]
    #: in elements, as the offset
    strides: tuple[int, ...]
    offset: int
    #: size of the memory that it lies in
    nbytes: int


class Layout(NamedTuple):
    """How the elements of a tensor lie in its memory, in bytes."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    offset: int
    strides: tuple[int, ...]


class Span(NamedTuple):
    """The bytes from the first element of a tensor to its last."""

    #: number of the tensor
    tensor: int
    #: from the beginning of its memory
    start: int
    nbytes: int


@dataclass(frozen=True, eq=False, slots=True)
class Plan:
    """All that phase 1 decides about a call; it knows no addresses and touches no data."""

    operator: Operator
    #: the scalars' values
    scalars: tuple[float, ...]
    #: the tensors, results included, as they were described
    views: tuple[View, ...]
    #: the same for the kernel
    layouts: tuple[Layout, ...]
    #: what the device launches
    steps: tuple[Step, ...]
    #: bytes of workspace that phase 2 must be given
    workspace: int
    #: what the tasks read and write
    reads: tuple[Span, ...]
    writes: tuple[Span, ...]
    #: the kernel with its scalars; None where there is nothing to compute
    compute: Compute | None

    def run(self, memories: tuple[Memory, ...], workspace: Memory | None, start: int) -> None:
        """Compute, on the device's thread, with tensors in these memories."""
        assert self.compute is not None
        arrays = []
        for k, (layout, memory) in enumerate(zip(self.layouts, memories, strict=True)):
            if not memory.alive:
                _lost(f"{self.operator.tensor_names[k]} lies in {memory!r}")
            arrays.append(
                np.ndarray(
                    layout.shape, layout.dtype, memory.content(), layout.offset, layout.strides
                )
            )
        scratch = None
        if workspace is not None and self.operator.channel_term is not None:
            if not workspace.alive:
                _lost(f"the workspace lies in {workspace!r}")
            # the spare bytes leave room for an address that is no multiple of 4
            first = start + -(workspace.address + start) % 4
            scratch = workspace.content()[first : start + self.workspace]
        self.compute(tuple(arrays), scratch)


def _lost(what: str) -> NoReturn:
    fail(
        Status.ACL_ERROR_RT_AICORE_EXCEPTION,
        f"{what} before the work that uses it ran; synchronize before freeing",
    )


#: equal calls -> plan
_plans: Final[dict[tuple[Any, ...], Plan]] = {}
#: scalars and layouts are part of what is remembered, so there must be an end to it
_PLANS_LIMIT: Final = 4096


def plan_call(
    operator: Operator, arguments: tuple[Any, ...]
) -> tuple[Plan, AddressSpace, tuple[Tensor, ...], tuple[Memory | None, ...]]:
    """Check a call of an operator and decide everything about it.

    Parameters
    ----------
    operator : Operator
        What is called.
    arguments : tuple
        Its tensors, its scalars and its results, in the vendor's order.

    Returns
    -------
    plan : Plan
        The decisions, shared with equal calls.
    space : AddressSpace
        That of the device on which the tensors are.
    tensors : tuple of Tensor
        The tensors, then the results.
    memories : tuple of Memory
        What they lie in.

    Raises
    ------
    AclError
        The vendor's codes for bad arguments, in the vendor's order of checks.
    """
    first = len(operator.tensors)
    last = first + len(operator.scalars)
    tensors: tuple[Tensor, ...] = arguments[:first] + arguments[last:]
    for argument in arguments:
        if argument is None:
            _refuse_null(operator, arguments)
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            _refuse_kind(operator, tensors)
    memories = tuple([tensor.memory for tensor in tensors])
    space = _address_space(operator, memories)
    scalars = tuple(
        [value.value if type(value) is Scalar else value for value in arguments[first:last]]
    )
    sound = _HASHABLE.issuperset(map(type, scalars))
    sizes = []
    for memory in memories:
        if memory is None:
            sizes.append(0)
        else:
            sound = sound and memory.alive and memory.space is space and not memory.pinned
            sizes.append(memory.nbytes)
    views = tuple(
        [
            (tensor.data_type, tensor.shape, tensor.strides, tensor.offset, size)
            for tensor, size in zip(tensors, sizes, strict=True)
        ]
    )
    # tensors overlap only within one memory, wherever that is
    places = tuple(map(memories.index, memories))
    product = space.device.product
    key = (operator, product.name, product.has_bfloat16, views, places, scalars)
    plan = _plans.get(key) if sound else None
    if plan is None:
        plan = _Draft(operator, space.device, tensors, memories, views, places, scalars).plan()
        if sound:
            if len(_plans) >= _PLANS_LIMIT:
                _plans.clear()
            _plans[key] = plan
    return plan, space, tensors, memories


#: types of scalars that plans are remembered by
_HASHABLE: Final = frozenset(
    (bool, int, float, *[np.dtype(code).type for code in "?bBhHiIlLqQefd"])
)


def _refuse_null(operator: Operator, arguments: tuple[Any, ...]) -> NoReturn:
    names = tuple(map(vendor_name, operator.parameters))
    missing = [name for name, value in zip(names, arguments, strict=True) if value is None]
    fail(
        Status.ACLNN_ERR_PARAM_NULLPTR,
        f"{missing[0]} is None; every argument of {operator.api}GetWorkspaceSize must be given:"
        f" {', '.join(names)}",
    )


def _refuse_kind(operator: Operator, tensors: tuple[Any, ...]) -> NoReturn:
    for name, tensor in zip(operator.tensor_names, tensors, strict=True):
        if not isinstance(tensor, Tensor):
            fail(
                Status.ACLNN_ERR_PARAM_INVALID,
                f"{name} is a {type(tensor).__name__}; a Tensor is expected (Device.tensor copies"
                " an array to the device and describes it)",
            )
    raise AssertionError


def _address_space(operator: Operator, memories: tuple[Memory | None, ...]) -> AddressSpace:
    for memory in memories:
        if memory is not None:
            return memory.space
    fail(
        Status.ACL_ERROR_RT_CONTEXT_NULL,
        f"no tensor of {operator.api} has memory, so there is no telling on which device it runs;"
        " Device.empty gives even an empty tensor some",
    )


class _Draft:
    """A plan in the making: checks in the vendor's order, then decisions."""

    def __init__(
        self,
        operator: Operator,
        device: Device,
        tensors: tuple[Tensor, ...],
        memories: tuple[Memory | None, ...],
        views: tuple[tuple[Any, ...], ...],
        places: tuple[int, ...],
        scalars: tuple[Any, ...],
    ) -> None:
        self.operator = operator
        self.device = device
        self.tensors = tensors
        self.memories = memories
        self.views = tuple([View(*view) for view in views])
        self.places = places
        self.scalars = scalars
        self.names = operator.tensor_names
        self.inputs = len(operator.tensors)
        #: bytes that every tensor covers, from the first to the one after the last
        self.extents: list[tuple[int, int]] = []
        self.layouts: list[Layout] = []

    def plan(self) -> Plan:
        """Check everything and decide."""
        operator = self.operator
        try:
            params = self._params()
            kinds = tuple(map(self._kind, self.names, self.tensors))
            operator.check_types(kinds, params)
            for param, tensor in zip(params, self.tensors, strict=True):
                check_rank(param.name, len(tensor.shape))
            values = tuple(map(check_scalar, operator.scalars, self.scalars))
            if operator.device.empty_first and any(
                0 in tensor.shape for tensor in self.tensors[: self.inputs]
            ):
                return self._nothing(values)
            arrays = tuple(map(self._array, self.names, self.tensors, self.memories, self.places))
            self._check_shapes(arrays)
        except ArgumentError as error:
            message = str(error)
            for name in operator.parameters:
                message = re.sub(rf"\b{name}\b", vendor_name(name), message)
            fail(Status.ACLNN_ERR_PARAM_INVALID, message, error)
        in_place = self._check_overlaps(arrays)
        if arrays[self.inputs].size == 0:
            return self._nothing(values)
        if operator.channel_term is None:
            return self._elementwise(arrays, kinds, values, in_place)
        return self._channel_sum(arrays, kinds, in_place)

    def _params(self) -> tuple[TensorParam, ...]:
        product = self.device.product
        params = self.operator.on(product)
        if params is None:
            fail(
                Status.ACLNN_ERR_INNER_FIND_KERNEL_ERROR,
                f"{self.operator.api} does not exist on {product.name} ({product.soc_name}); it"
                f" does on {', '.join(self.operator.device.products)}",
            )
        return params

    def _kind(self, name: str, tensor: Tensor) -> ElementType:
        kind = BY_DATA_TYPE.get(tensor.data_type)
        if kind is None:
            fail(
                Status.ACLNN_ERR_PARAM_INVALID,
                f"{name} has type {tensor.data_type.name}, which {self.operator.api} does not take",
            )
        return kind

    def _array(self, name: str, tensor: Tensor, memory: Memory | None, place: int) -> NDArray[Any]:
        """Return an array with the tensor's layout, at an address where there is nothing."""
        self.extents.append(tensor.check(name))
        if memory is not None:
            if memory.device is not self.device:
                _refuse(f"{name} lies on {memory.device!r}, other tensors on {self.device!r}")
            if memory.pinned:
                _refuse(f"{name} lies in {memory!r} of the host; memory of the device is expected")
        dtype = tensor.dtype
        offset = tensor.offset * dtype.itemsize
        layout = Layout(tensor.shape, dtype, offset, tensor.byte_strides())
        self.layouts.append(layout)
        return np.asarray(_Phantom(layout, ((place + 1) << 44) + offset))

    def _check_shapes(self, arrays: tuple[NDArray[Any], ...]) -> None:
        shapes = tuple([array.shape for array in arrays])
        expected = self.operator.shapes(self.operator, shapes[: self.inputs])
        for name, shape, wanted in zip(
            self.names[self.inputs :], shapes[self.inputs :], expected, strict=True
        ):
            if shape != wanted:
                _refuse(f"{name} has shape {shape}; {wanted} is expected")

    def _check_overlaps(self, arrays: tuple[NDArray[Any], ...]) -> bool:
        """Tell whether a result is exactly an input's view; refuse any other overlap."""
        in_place = False
        for k in range(self.inputs, len(arrays)):
            # in C order there is nothing to look for
            if not arrays[k].flags.c_contiguous and maps_indices_to_one_address(arrays[k]):
                _refuse(
                    f"{self.names[k]} has strides {self.tensors[k].strides}, which map two indices"
                    " to one address; every element must have its own"
                )
            for other in range(k):
                if self.places[k] != self.places[other] or not meets(arrays[k], arrays[other]):
                    continue
                if other >= self.inputs or not same_view(arrays[k], arrays[other]):
                    _refuse(
                        f"{self.names[k]} overlaps {self.names[other]}; it must be apart from it"
                        + ("" if other >= self.inputs else " or exactly its view")
                    )
                in_place = True
        return in_place

    def _nothing(self, values: tuple[float, ...]) -> Plan:
        """Plan the work on empty tensors: none."""
        return Plan(self.operator, values, self.views, (), (), 0, (), (), None)

    def _elementwise(
        self,
        arrays: tuple[NDArray[Any], ...],
        kinds: tuple[ElementType, ...],
        values: tuple[float, ...],
        in_place: bool,
    ) -> Plan:
        out, out_kind = arrays[-1], kinds[-1]
        made = _on_device(self.operator.result(kinds[:-1]))
        kernel = elementwise(self.operator.formula, kinds[:-1], made, out_kind, "float32")
        layout = kernel.layout(arrays, in_place)
        kernel.make_ready(layout, out.size)
        flow = Flow()
        device = self.operator.device
        (launched,) = device.kernels
        if device.scratch is None:
            given = [
                flow.input(name, array, kind, made, out.shape)
                for name, array, kind in zip(self.names, arrays[:-1], kinds, strict=False)
            ]
            result = flow.result(self.names[-1], out, out_kind, made)
            flow.launch(launched, tuple(given), result)
            flow.output(result, self.names[-1], out, out_kind, made)
            workspace = flow.workspace()
        else:
            # a generated operator: the copies lie one after the other, results are written as
            # they are
            given = [
                flow.contiguous(name, array, kind)
                for name, array, kind in zip(self.names, arrays[:-1], kinds, strict=False)
            ]
            flow.launch(launched, tuple(given), self.names[-1])
            workspace = device.scratch + sum(map(reserved, flow.intermediates.values()))
        compute = partial(
            _compute_elements, kernel.dense if layout == "dense" else kernel.tiled, values
        )
        return self._finish(flow, values, workspace, compute)

    def _channel_sum(
        self,
        arrays: tuple[NDArray[Any], ...],
        kinds: tuple[ElementType, ...],
        in_place: bool,
    ) -> Plan:
        operator, kind = self.operator, kinds[0]
        assert operator.channel_term is not None
        _, data, weight, result, sums = arrays
        kernel = channel_sum(operator.formula, operator.channel_term, kind, "float32", stored=True)
        kernel.make_ready(kernel.layout(arrays, in_place), data.size)
        flow = Flow()
        update, reduce = operator.device.kernels
        given = [
            flow.input(name, array, kind, kind, shape)
            for name, array, shape in zip(
                self.names, arrays, (data.shape, data.shape, weight.shape), strict=False
            )
        ]
        first = flow.result(self.names[3], result, kind, kind)
        terms = flow.intermediate("terms", data.size, kind)
        flow.launch(update, tuple(given), first, terms)
        flow.output(first, self.names[3], result, kind, kind)
        second = flow.result(self.names[4], sums, kind, FLOAT32)
        flow.launch(reduce, (terms,), second)
        flow.output(second, self.names[4], sums, kind, FLOAT32)
        compute = partial(_compute_sums, kernel, 1 if weight.size > 1 else None, in_place)
        return self._finish(flow, (), flow.workspace(), compute)

    def _finish(
        self, flow: Flow, values: tuple[float, ...], workspace: int, compute: Compute
    ) -> Plan:
        spans = [
            Span(k, low, high - low) for k, (low, high) in enumerate(self.extents) if high > low
        ]
        return Plan(
            operator=self.operator,
            scalars=values,
            views=self.views,
            layouts=tuple(self.layouts),
            steps=tuple(flow.steps),
            workspace=workspace,
            reads=tuple([span for span in spans if span.tensor < self.inputs]),
            writes=tuple([span for span in spans if span.tensor >= self.inputs]),
            compute=compute,
        )


class _Phantom:
    """What NumPy makes an array of that has a layout and an address but no bytes."""

    def __init__(self, layout: Layout, address: int) -> None:
        self.__array_interface__ = {
            "shape": layout.shape,
            "strides": layout.strides,
            "typestr": layout.dtype.str,
            "data": (address, False),
            "version": 3,
        }


def _on_device(kind: ElementType) -> ElementType:
    """Return the type of a result as the device makes it: it has no F64 arithmetic."""
    return FLOAT32 if kind is FLOAT64 else kind


def _compute_elements(
    kernel: Callable[[tuple[NDArray[Any], ...], tuple[float, ...]], None],
    values: tuple[float, ...],
    arrays: tuple[NDArray[Any], ...],
    scratch: NDArray[np.uint8] | None,
) -> None:
    kernel(arrays, values)


def _compute_sums(
    kernel: ChannelSumKernel,
    channel: int | None,
    in_place: bool,
    arrays: tuple[NDArray[Any], ...],
    scratch: NDArray[np.uint8] | None,
) -> None:
    grad, data, weight, result, sums = arrays
    kernel((grad, data, weight, result), sums, channel, in_place, scratch)


def _refuse(message: str) -> NoReturn:
    fail(Status.ACLNN_ERR_PARAM_INVALID, message)
