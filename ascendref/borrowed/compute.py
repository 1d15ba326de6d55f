"""Results of borrowed operators: their shapes and types, and what tasks compute."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import reduce
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from ..core.arrays import as_torch
from ..core.errors import fail
from ..core.status import Status
from ..device.memory.tensor import Tensor, contiguous_strides
from ..twophase.plan import Shapes, refuse
from .expressions import Expression, compiled
from .table import Borrowed, Parameter

#: what PyTorch raises for arguments that it does not take
_REFUSALS: Final = (
    ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError,
    ValueError,
)  # fmt: skip
#: most elements of a tensor in calls that are computed to learn shapes and types, on one thread
_SMALL: Final = 2**15


class Given(NamedTuple):
    """The tensors of one parameter: where they begin among all, and how many a list has."""

    param: Parameter
    start: int
    length: int | None

    @property
    def places(self) -> range:
        """Where they are among all tensors."""
        return range(self.start, self.start + (1 if self.length is None else self.length))

    @property
    def names(self) -> list[str]:
        """Their names."""
        name, length = self.param.name, self.length
        return [name] if length is None else [f"{name}[{k}]" for k in range(length)]

    def of(self, members: Sequence[Any]) -> Any:
        """Return the parameter's value from those of all tensors."""
        if self.length is None:
            return members[self.start]
        return [members[k] for k in self.places]


class Compute:
    """What a task computes."""

    def __init__(
        self,
        operator: Borrowed,
        given: tuple[Given, ...],
        scalars: dict[str, Any],
        restored: Mapping[int, Callable[[torch.Tensor], torch.Tensor]],
    ) -> None:
        self._operator, self._given, self._scalars = operator, given, scalars
        #: what tensors hold whose memory has other elements (see `layouts`), by place
        self._restored = restored
        self._expression: Expression = compiled(operator.expression)
        #: names of tensors that are given one type
        self._promoted = (
            [part.param.name for part in given if part.param.is_read] if operator.promotes else []
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
        shapes = [tensor.shape for tensor in tensors]
        with self._refusals():
            if self._operator.shapes:
                _check_shapes(self._operator, self._values(self._members("meta", shapes, kinds)))
            values, results = self._sample(shapes, kinds)
        matching = []
        self.skipped = set(self._operator.results)
        for name, out, result in self._pairs(values, results):
            self.skipped.discard(name.partition("[")[0])
            _check_result(self._operator, name, out, result)
            matching.append(out.dtype == result.dtype and out.shape == result.shape)
        with self._refusals():
            self._try_kernel(shapes, kinds)
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

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """Refuse the call if PyTorch does not take it."""
        try:
            yield
        except _REFUSALS as error:
            text = (str(error).splitlines() or [""])[0]
            if isinstance(error, LookupError | ZeroDivisionError | AttributeError):
                text = f"the arguments do not fit together ({type(error).__name__}: {text})"
            refuse(f"{self._operator.api}: {text}", error)

    def _sample(self, shapes: Sequence[tuple[int, ...]], kinds: Sequence[torch.dtype]) -> Any:
        """Return values without data, and the results: of meta kernels, or those of numbers."""
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

    def _try_kernel(self, shapes: Sequence[tuple[int, ...]], kinds: Sequence[torch.dtype]) -> None:
        """Raise what the kernel raises for ones and for zeros: about shapes, types or attributes.

        Kernels without data leave many checks to it.
        """
        if (
            self._expression.is_elementwise
            or self._operator.found
            or self._operator.untried
            or max(map(prod, shapes), default=0) > _SMALL
        ):
            return
        with suppress(torch.linalg.LinAlgError):  # about the numbers
            with suppress(*_REFUSALS):
                self._sample_on("cpu", shapes, kinds, 1)
                return
            self._sample_on("cpu", shapes, kinds)

    def _sample_on(
        self,
        device: str,
        shapes: Sequence[tuple[int, ...]],
        kinds: Sequence[torch.dtype],
        number: int = 0,
    ) -> Any:
        values = self._values(self._members(device, shapes, kinds, number))
        with torch.no_grad():
            return values, self._expression.value(values)

    def _members(
        self,
        device: str,
        shapes: Sequence[tuple[int, ...]],
        kinds: Sequence[torch.dtype],
        number: int = 0,
    ) -> list[torch.Tensor]:
        """Return tensors filled with a number; an index of 0 fits whatever has elements."""
        indices = {k for x in self._given if x.param.is_index for k in x.places}
        return [
            torch.full(shape, 0 if k in indices else number, dtype=kind, device=device)
            for k, (shape, kind) in enumerate(zip(shapes, kinds, strict=True))
        ]

    def _values(self, members: Sequence[torch.Tensor]) -> dict[str, Any]:
        values = dict(self._scalars)
        if self._restored:
            members = list(members)
            for k, restored in self._restored.items():
                members[k] = restored(members[k])
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
        """Copy inputs with a layout that some kernels do not accept."""
        for param in [part.param for part in self._given if not part.param.is_written]:
            value = values[param.name]
            values[param.name] = (
                [tensor.contiguous() for tensor in value] if param.is_list else value.contiguous()
            )

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


def _view(array: NDArray[Any]) -> torch.Tensor:
    """Return a tensor in the memory of an array."""
    tensor: torch.Tensor = as_torch(array)
    if min(array.shape, default=2) > 1 or not tensor.is_contiguous():
        return tensor
    # the stride along an axis of one element is 0 in arrays; kernels divide by it
    return tensor.as_strided(tensor.shape, contiguous_strides(tuple(tensor.shape)))


def _check_shapes(operator: Borrowed, values: Mapping[str, Any]) -> None:
    """Raise ValueError if a tensor without data has another shape than the table's expression.

    PyTorch's kernels would read or write beyond its memory, or broadcast it.
    """
    for names, relation, text in operator.shapes:
        expected = values[text] if text.isidentifier() else compiled(text).value(values)
        for name in names:
            if values[name] is not None and expected is not None:
                _check_shape(name, values[name], expected, by_size=relation == "#")


def _check_shape(name: str, given: Any, expected: Any, *, by_size: bool) -> None:
    if isinstance(given, list):
        for k, pair in enumerate(zip(given, expected, strict=True)):
            _check_shape(f"{name}[{k}]", *pair, by_size=by_size)
        return
    same = given.numel() == expected.numel() if by_size else given.shape == expected.shape
    if not same:
        shapes = f"{tuple(given.shape)}; {tuple(expected.shape)}"
        raise ValueError(f"{name} has shape {shapes} is expected")


def _check_result(operator: Borrowed, name: str, out: torch.Tensor, result: torch.Tensor) -> None:
    shape, expected = tuple(out.shape), tuple(result.shape)
    counted = [[n for n in x if n != 1 or name not in operator.loose] for x in (shape, expected)]
    if name in operator.found:
        if len(shape) != len(expected):
            refuse(f"{name} has rank {len(shape)}; {len(expected)} is expected")
    elif counted[0] != counted[1] and not prod(shape) == prod(expected) == 1:
        refuse(f"{name} has shape {shape}; {expected} is expected")
    # the vendor converts floats to integers, too
    truncated = result.dtype.is_floating_point and out.dtype is not torch.bool
    if not (truncated or torch.can_cast(result.dtype, out.dtype)):
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
