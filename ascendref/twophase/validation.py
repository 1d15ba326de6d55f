"""The making of a plan: checks in the vendor's order, then decisions."""

from __future__ import annotations

import re
from functools import partial
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..core.dtypes import BY_DATA_TYPE, FLOAT32, FLOAT64, ElementType
from ..core.errors import ArgumentError, fail
from ..core.layout import maps_indices_to_one_address, meets, same_view
from ..core.status import Status
from ..declaration.operator import Operator, TensorParam, vendor_name
from ..declaration.scalars import check_scalar
from ..declaration.shapes import check_rank
from ..device.base_device import BaseDevice
from ..device.memory.address_space import Memory
from ..device.memory.tensor import Tensor
from ..kernels.loops.channel_sums import ChannelSumKernel, channel_sum
from ..kernels.loops.elementwise import ElementwiseKernel, elementwise
from .plan import Compute, Layout, Plan, Span, View
from .workspace import Flow, reserved


class Draft:
    """A plan in the making."""

    def __init__(
        self,
        operator: Operator,
        device: BaseDevice,
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
        formula = self.operator.formula.suited("float32", made.name, values)
        kernel = elementwise(formula, kinds[:-1], made, out_kind, "float32")
        kernel.make_ready(kernel.layout(arrays, in_place), out.size)
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
        compute = partial(_compute_elements, kernel, values, in_place)
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
    kernel: ElementwiseKernel,
    values: tuple[float, ...],
    in_place: bool,
    arrays: tuple[NDArray[Any], ...],
    scratch: NDArray[np.uint8] | None,
) -> None:
    kernel(arrays, values, in_place)


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
