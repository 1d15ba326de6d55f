"""Validation: the checks of phase 1, in the vendor's order."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..core.dtypes import BY_DATA_TYPE, ElementType
from ..core.errors import ArgumentError, fail
from ..core.layout import has_internal_overlap, overlap, same_view
from ..core.products import Product
from ..core.status import Status
from ..declaration.operator import Operator, TensorParam, vendor_name
from ..declaration.scalars import check_scalar
from ..declaration.shapes import check_rank
from ..device.base_device import BaseDevice
from ..device.checker.shadow import Span
from ..device.memory.address_space import Memory
from ..device.memory.tensor import Tensor
from .plan import ByteRange, Layout


class Operand(NamedTuple):
    """A checked tensor."""

    #: the vendor's name
    name: str
    kind: ElementType
    layout: Layout
    #: from its first byte to its last
    bytes: ByteRange
    #: an array with its layout at a dummy address without memory
    placeholder: NDArray[Any]


class ValidCall(NamedTuple):
    """A call that passed all checks."""

    operator: Operator
    #: values of the scalars
    values: tuple[float, ...]
    #: the tensors that are read and those that are written; none if an empty input ended the checks
    inputs: tuple[Operand, ...]
    results: tuple[Operand, ...]
    #: whether a result is the same view as an input
    in_place: bool

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to compute."""
        return not self.results or self.results[0].placeholder.size == 0

    @property
    def placeholders(self) -> tuple[NDArray[Any], ...]:
        """Arrays with the layouts of all tensors."""
        return tuple([operand.placeholder for operand in self.inputs + self.results])


def validate(
    operator: Operator,
    device: BaseDevice,
    tensors: tuple[Tensor, ...],
    memories: tuple[Memory | None, ...],
    memory_numbers: tuple[int, ...],
    scalars: tuple[Any, ...],
) -> ValidCall:
    """Check a call of an operator.

    Parameters
    ----------
    operator : Operator
        The operator.
    device : BaseDevice
        The device on which it will run.
    tensors : tuple of Tensor
        The tensors, then the results.
    memories : tuple of Memory or None
        The memory of each.
    memory_numbers : tuple of int
        Numbers that are equal for tensors in the same memory.
    scalars : tuple
        The scalars.

    Raises
    ------
    AclError
        The vendor's codes, in the vendor's order: product, types, ranks, attributes, views outside
        their memory, shapes, overlaps.
    """
    params = _params(operator, device.product)
    names = operator.tensor_names
    inputs = len(operator.tensors)
    try:
        kinds = [_kind(operator, name, tensor) for name, tensor in zip(names, tensors, strict=True)]
        operator.check_types(tuple(kinds), params)
        for param, tensor in zip(params, tensors, strict=True):
            check_rank(param.name, len(tensor.shape))
        values = tuple(map(check_scalar, operator.scalars, scalars))
        if operator.device.empty_first and any(0 in tensor.shape for tensor in tensors[:inputs]):
            return ValidCall(operator, values, (), (), False)
        operands = tuple(
            [
                _operand(k, names[k], kinds[k], tensor, device, memory, number)
                for k, (tensor, memory, number) in enumerate(
                    zip(tensors, memories, memory_numbers, strict=True)
                )
            ]
        )
        _check_shapes(operator, operands)
    except ArgumentError as error:
        message = str(error)
        for name in operator.parameters:
            message = re.sub(rf"\b{name}\b", vendor_name(name), message)
        fail(Status.ACLNN_ERR_PARAM_INVALID, message, error)
    in_place = _check_overlaps(operands, inputs, tensors, memory_numbers)
    return ValidCall(operator, values, operands[:inputs], operands[inputs:], in_place)


def _params(operator: Operator, product: Product) -> tuple[TensorParam, ...]:
    params = operator.on(product)
    if params is None:
        fail(
            Status.ACLNN_ERR_INNER_FIND_KERNEL_ERROR,
            f"{operator.api} does not exist on {product.name} ({product.soc_name}); it"
            f" does on {', '.join(operator.device.products)}",
        )
    return params


def _kind(operator: Operator, name: str, tensor: Tensor) -> ElementType:
    kind = BY_DATA_TYPE.get(tensor.data_type)
    if kind is None:
        _refuse(f"{name} has type {tensor.data_type.name}, which {operator.api} does not take")
    return kind


def _operand(
    k: int,
    name: str,
    kind: ElementType,
    tensor: Tensor,
    device: BaseDevice,
    memory: Memory | None,
    memory_number: int,
) -> Operand:
    """Check that a tensor lies within its memory, and that this is memory of the device."""
    low, high = tensor.check(name)
    if memory is not None:
        if memory.device is not device:
            _refuse(f"{name} lies on {memory.device!r}, other tensors on {device!r}")
        if memory.pinned:
            _refuse(f"{name} lies in {memory!r} on the host; device memory is expected")
    offset = tensor.first_byte
    layout = Layout(tensor.shape, tensor.dtype, offset, tensor.byte_strides())
    # every memory gets 16 TiB of addresses, so tensors in different memories do not overlap
    placeholder = np.asarray(_ArrayInterface(layout, ((memory_number + 1) << 44) + offset))
    return Operand(
        name,
        kind,
        layout,
        ByteRange(k, Span(low, high - low, name, layout.gaps)),
        placeholder,
    )


def _check_shapes(operator: Operator, operands: tuple[Operand, ...]) -> None:
    inputs = len(operator.tensors)
    shapes = operator.shapes(operator, tuple([x.layout.shape for x in operands[:inputs]]))
    for result, shape in zip(operands[inputs:], shapes, strict=True):
        if result.layout.shape != shape:
            _refuse(f"{result.name} has shape {result.layout.shape}; {shape} is expected")


def _check_overlaps(
    operands: tuple[Operand, ...],
    inputs: int,
    tensors: tuple[Tensor, ...],
    memory_numbers: tuple[int, ...],
) -> bool:
    """Tell whether a result is the same view as an input; refuse any other overlap."""
    in_place = False
    for k in range(inputs, len(operands)):
        name, array = operands[k].name, operands[k].placeholder
        # in C order every index has its own address
        if not array.flags.c_contiguous and has_internal_overlap(array):
            _refuse(
                f"{name} has strides {tensors[k].strides}, which map two indices"
                " to one address; every element must have its own"
            )
        for j in range(k):
            other = operands[j].placeholder
            if memory_numbers[k] != memory_numbers[j] or not overlap(array, other):
                continue
            if j >= inputs or not same_view(array, other):
                _refuse(
                    f"{name} overlaps {operands[j].name}; it must not"
                    + ("" if j >= inputs else ", unless it is the same view")
                )
            in_place = True
    return in_place


class _ArrayInterface:
    """The array interface of an array with a given layout and address, without memory."""

    def __init__(self, layout: Layout, address: int) -> None:
        self.__array_interface__ = {
            "shape": layout.shape,
            "strides": layout.strides,
            "typestr": layout.dtype.str,
            "data": (address, False),
            "version": 3,
        }


def _refuse(message: str) -> NoReturn:
    fail(Status.ACLNN_ERR_PARAM_INVALID, message)
