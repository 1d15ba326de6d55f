"""Facts about an operator's arguments and results, from its schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from functools import cache
from typing import Any, Final

import torch

#: operators that take tensors of several devices: indices and lengths may be on the CPU
_SEVERAL_DEVICES: Final = frozenset(
    "copy_ _foreach_copy _foreach_copy_ index index_put index_put_ _index_put_impl_ _unsafe_index"
    " _unsafe_index_put _ctc_loss _ctc_loss_backward _pack_padded_sequence_backward".split()
)


def members(given: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the arguments of a call, and each member of those that are lists, with their names."""
    for name, value in given.items():
        for member in value if isinstance(value, (list, tuple)) else (value,):
            yield name, member


class ShapeFrom(IntEnum):
    """What determines the shapes of results, or numbers that an operator returns."""

    SHAPES = 0
    #: values, for which the call waits on every device
    DATA = 1
    #: values, if one of the indices is a mask
    MASKS = 2


def _shape_from(op: torch._ops.OpOverload) -> ShapeFrom:
    if torch.Tag.dynamic_output_shape in op.tags:
        indices = any(str(x.type) == "List[Optional[Tensor]]" for x in op._schema.arguments)
        return ShapeFrom.MASKS if indices else ShapeFrom.DATA
    numbers = any("Tensor" not in str(x.type) for x in op._schema.returns)
    return ShapeFrom(numbers or torch.Tag.data_dependent_output in op.tags)


class Schema:
    """The schema of an overload."""

    def __init__(self, op: torch._ops.OpOverload) -> None:
        self.op = op
        arguments = op._schema.arguments
        self.places = {argument.name: number for number, argument in enumerate(arguments)}
        written = {
            alias: argument.name
            for argument in arguments
            if argument.alias_info is not None and argument.alias_info.is_write
            for alias in argument.alias_info.before_set
        }
        #: names of the arguments that it writes to
        self.written = set(written.values())
        #: for each result, the argument that it is, or None
        self.returned = [
            written.get(min(result.alias_info.before_set, default=""))
            if result.alias_info is not None and result.alias_info.is_write
            else None
            for result in op._schema.returns
        ]
        self.outs = [argument.name for argument in arguments if argument.is_out]
        #: whether nothing is new, and no argument is resized
        self.is_in_place = not self.outs and None not in self.returned
        #: whether tensors must be on one device, except numbers
        self.same_device = (
            op._schema.name.removeprefix("aten::") not in _SEVERAL_DEVICES
            and "device" not in self.places
        )
        self.shape_from = _shape_from(op)
        self.takes_generator = "generator" in self.places
        #: whether it draws from the default generator, and cannot be given one
        self.is_seeded = torch.Tag.nondeterministic_seeded in op.tags and not self.takes_generator

    @staticmethod
    @cache
    def of(op: torch._ops.OpOverload) -> Schema:
        """Return the schema of an overload, made once."""
        return Schema(op)

    def named(self, args: Iterable[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call by name."""
        return {**dict(zip(self.places, args, strict=False)), **kwargs}

    def replace(self, name: str, value: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        """Replace an argument of a call."""
        place = self.places[name]
        if place < len(args):
            args[place] = value
        else:
            kwargs[name] = value

    def check_devices(self, given: dict[str, Any]) -> None:
        """Raise for tensors of several devices among arguments, as kernels of devices do."""
        if not self.same_device:
            return
        tensors = [
            (name, member)
            for name, member in members(given)
            if isinstance(member, torch.Tensor) and (member.dim() or member.device.type == "npu")
        ]
        first = next((x.device for _, x in tensors if x.device.type == "npu"), None)
        for name, tensor in tensors:
            if first is not None and tensor.device != first:
                raise RuntimeError(
                    "Expected all tensors to be on the same device, but found at least two devices,"
                    f" {first} and {tensor.device}! (argument {name} of {self.op.name()})"
                )

    def each(self, found: Any) -> list[Any]:
        """Return the results of a call as a list."""
        if len(self.returned) > 1:
            return list(found)
        return [found] if self.returned else []

    def packed(self, results: Sequence[Any]) -> Any:
        """Return the results as a call does."""
        if len(self.returned) > 1:
            return tuple(results)
        return results[0] if self.returned else None
