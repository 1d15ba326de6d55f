"""Validation: the checks of phase 1, in the vendor's order."""

import re
from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import Any, NamedTuple, NoReturn

from numpy.typing import NDArray

from ..core.dtypes import BY_DATA_TYPE, ElementType
from ..core.errors import ArgumentError, fail
from ..core.layout import array_at, has_internal_overlap, overlap, same_view
from ..core.products import Product
from ..core.status import Status
from ..declaration.operator import Operator
from ..declaration.scalars import check_scalar
from ..declaration.shapes import check_rank
from ..device.base_device import BaseDevice
from ..device.checker.shadow import Span, gaps_of
from ..device.memory.address_space import Memory
from ..device.memory.tensor import Tensor
from .plan import Layout, Located, Operand, refuse


class ValidCall(NamedTuple):
    """A call that passed all checks."""

    operator: Operator
    values: tuple[float, ...]
    #: the tensors that are read and those that are written; none if an empty input ended the checks
    inputs: tuple[Operand, ...]
    results: tuple[Operand, ...]
    #: whether a result is the same view as an input
    in_place: bool

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to compute."""
        return not self.results or self.results[0].array.size == 0

    @property
    def placeholders(self) -> tuple[NDArray[Any], ...]:
        """Arrays with the layouts of all tensors."""
        return tuple([operand.array for operand in self.inputs + self.results])


def validate(
    operator: Operator, tensors: tuple[Tensor, ...], located: Located, scalars: tuple[Any, ...]
) -> ValidCall:
    """Check a call of an operator.

    The order of checks is the vendor's: product, types, ranks, attributes, views outside their
    memory, shapes, overlaps.
    """
    product = located.space.device.product
    params = operator.on(product)
    if params is None:
        refuse_product(operator.api, product, operator.device.products)
    names = operator.tensor_names
    inputs = len(operator.tensors)
    try:
        kinds = [_kind(operator, name, tensor) for name, tensor in zip(names, tensors, strict=True)]
        operator.check_types(tuple(kinds), params)
        for k, (param, tensor) in enumerate(zip(params, tensors, strict=True)):
            least = operator.device.least_rank if k < inputs else 0
            check_rank(param.name, len(tensor.shape), least)
        values = tuple(map(check_scalar, operator.scalars, scalars))
        if operator.check_scalars is not None:
            operator.check_scalars(*values)
        if operator.device.empty_first and any(0 in tensor.shape for tensor in tensors[:inputs]):
            return ValidCall(operator, values, (), (), False)
        operands = tuple(operands_of(names, tensors, located))
        _check_shapes(operator, operands, values)
    except ArgumentError as error:
        message = str(error)
        vendor_names = dict(zip(operator.parameters, operator.vendor_parameters, strict=True))
        for name, theirs in vendor_names.items():
            message = re.sub(rf"\b{name}\b", theirs, message)
        fail(Status.ACLNN_ERR_PARAM_INVALID, message, error)
    arrays = [operand.array for operand in operands]
    in_place = check_overlaps(names, arrays, inputs, tensors, located.numbers)
    return ValidCall(operator, values, operands[:inputs], operands[inputs:], in_place)


def refuse_product(api: str, product: Product, products: Iterable[str]) -> NoReturn:
    """Refuse a call on a product that lacks the operator; others have it."""
    fail(
        Status.ACLNN_ERR_INNER_FIND_KERNEL_ERROR,
        f"{api} does not exist on {product.name} ({product.soc_name}); it does on"
        f" {', '.join(products)}",
    )


def _kind(operator: Operator, name: str, tensor: Tensor) -> ElementType:
    kind = BY_DATA_TYPE.get(tensor.data_type)
    if kind is None:
        refuse(f"{name} has type {tensor.data_type.name}, which {operator.api} does not take")
    return kind


def operands_of(
    names: Sequence[str], tensors: tuple[Tensor, ...], located: Located
) -> Iterator[Operand]:
    """Check that tensors lie within their memory, and that this is memory of one device."""
    for each in zip(names, tensors, located.memories, located.numbers, strict=True):
        yield _operand(*each, located.space.device)


def _operand(
    name: str, tensor: Tensor, memory: Memory | None, memory_number: int, device: BaseDevice
) -> Operand:
    low, high = tensor.check(name)
    if memory is not None:
        if memory.device is not device:
            refuse(f"{name} lies on {memory.device!r}, other tensors on {device!r}")
        if memory.pinned:
            refuse(f"{name} lies in {memory!r} on the host; device memory is expected")
    offset = tensor.first_byte
    layout = Layout(tensor.shape, tensor.dtype, offset, tensor.byte_strides())
    # every memory gets 16 TiB of addresses, so tensors in different memories do not overlap
    array = array_at(
        ((memory_number + 1) << 44) + offset, layout.shape, layout.dtype, layout.strides
    )
    gaps = gaps_of(layout.shape, layout.strides, layout.dtype.itemsize)
    kind = BY_DATA_TYPE[tensor.data_type]
    return Operand(name, kind, layout, Span(low, high - low, name, gaps), array)


def _check_shapes(
    operator: Operator, operands: tuple[Operand, ...], values: tuple[float, ...]
) -> None:
    inputs = len(operator.tensors)
    tensor_shapes = tuple([x.layout.shape for x in operands[:inputs]])
    shapes = operator.result_shapes(tensor_shapes, values)
    one = operator.mode(values) != "none" and not operator.per_channel
    for result, shape in zip(operands[inputs:], shapes, strict=True):
        if one and prod(result.layout.shape) == 1:
            continue  # a single sum may have any rank
        if result.layout.shape != shape:
            refuse(f"{result.name} has shape {result.layout.shape}; {shape} is expected")


def check_overlaps(
    names: Sequence[str],
    arrays: Sequence[NDArray[Any]],
    inputs: int,
    tensors: tuple[Tensor, ...],
    memory_numbers: tuple[int, ...],
) -> bool:
    """Tell whether a result is the same view as an input; refuse any other overlap."""
    in_place = False
    for k in range(inputs, len(arrays)):
        name, array = names[k], arrays[k]
        # in C order every index has its own address
        if not array.flags.c_contiguous and has_internal_overlap(array):
            refuse(
                f"{name} has strides {tensors[k].strides}, which map two indices"
                " to one address; every element must have its own"
            )
        for j in range(k):
            other = arrays[j]
            if memory_numbers[k] != memory_numbers[j] or not overlap(array, other):
                continue
            if j >= inputs or not same_view(array, other):
                refuse(
                    f"{name} overlaps {names[j]}; it must not"
                    + ("" if j >= inputs else ", unless it is the same view")
                )
            in_place = True
    return in_place
