"""The fallback on a captured stream: calls are recorded, and run whenever the graph is launched.

PyTorch's kernels for the device ``meta`` tell the shapes of results, whose memory is allocated when
the call is recorded. A launch runs the CPU's kernel on the current contents of memory, and copies
the results there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple, NoReturn

import torch
from torch.utils._pytree import tree_leaves, tree_map

from ..device.checker.checker import Access
from ..device.scheduling.task import Unwritten
from .layers import with_statistics
from .randomness import seeded
from .schema import Schema, members
from .storage import access_of, memory_at, shared_bytes, with_bits
from .streams import current_stream

#: a dispatch key whose only kernel is that for captured streams, whatever the operator
CAPTURE: Final = "DeferredInit"
#: the key under which the compiled fallback takes tensors of the CPU, and those without data
_HOST: Final = torch._C._dispatch_key_parse("TESTING_ONLY_GenericWrapper")
_INTEGER: Final = torch.int64
#: types of Python's numbers -> types that a number does not promote
_NARROWER: Final = {
    torch.float64: torch.float32,
    torch.int64: torch.int32,
    torch.complex128: torch.complex64,
}


class Drawing(NamedTuple):
    """Where a graph finds the numbers that determine its random numbers."""

    #: addresses of the seed, and of the offset at which the launch begins
    seed: int
    offset: int
    #: the offset of a call within the graph
    within: int

    def generator(self) -> torch.Generator:
        """Return a generator for a call that runs now."""
        seed, offset = (
            int(shared_bytes(address, 8).view(_INTEGER)) for address in (self.seed, self.offset)
        )
        return seeded(seed, offset + self.within)


class _Thread(threading.local):
    """The random numbers of the thread's call that is about to be recorded."""

    drawing: Drawing | None = None


_thread: Final = _Thread()


def note_drawing(seed: int, offset: int, within: int) -> None:
    """Set what determines the random numbers of the call that the thread records next."""
    _thread.drawing = Drawing(seed, offset, within)


class _DeviceTensor(NamedTuple):
    """A tensor of the device, without its memory."""

    address: int
    #: the address and the size of its storage
    start: int
    nbytes: int
    dtype: torch.dtype
    size: tuple[int, ...]
    stride: tuple[int, ...]
    is_conj: bool
    is_neg: bool

    @staticmethod
    def of(tensor: torch.Tensor) -> _DeviceTensor:
        storage = tensor.untyped_storage()
        return _DeviceTensor(
            tensor.data_ptr(), storage.data_ptr(), storage.nbytes(), tensor.dtype,
            tuple(tensor.size()), tuple(tensor.stride()), tensor.is_conj(), tensor.is_neg(),
        )  # fmt: skip

    def on_host(self) -> torch.Tensor:
        """Return a host tensor that shares the memory, which must live."""
        found = torch.empty(0, dtype=self.dtype)
        if not self.nbytes:
            return found.new_empty(self.size)
        storage = shared_bytes(self.start, self.nbytes).untyped_storage()
        offset = (self.address - self.start) // self.dtype.itemsize
        found.set_(storage, offset, self.size, self.stride)
        return with_bits(found, self.is_conj, self.is_neg)

    def access(self, name: str) -> Access:
        """Return the access for the checker."""
        return access_of(
            memory_at(self.address), self.address, self.size, self.stride, self.dtype.itemsize, name
        )


class _Shapes:
    """The tensors without data on which a call is tried."""

    def __init__(self) -> None:
        #: one for each storage of the device and type of elements, and a tensor of the device
        self._wholes: dict[tuple[int, torch.dtype], tuple[torch.Tensor, torch.Tensor]] = {}

    def of(self, value: Any) -> Any:
        """Return an argument without data."""
        if isinstance(value, torch.device) and value.type == "npu":
            return torch.device("meta")
        if isinstance(value, torch.Generator):
            return None
        if not isinstance(value, torch.Tensor) or (value.device.type == "cpu" and not value.dim()):
            return value
        if value.device.type == "cpu":
            return value.to("meta")
        storage = value.untyped_storage()
        key = storage.data_ptr(), value.dtype
        if key not in self._wholes:
            count = storage.nbytes() // value.dtype.itemsize
            whole = torch.empty(count, dtype=value.dtype, device="meta")
            self._wholes[key] = whole, value
        found = self._wholes[key][0].as_strided(
            value.size(), value.stride(), value.storage_offset()
        )
        return with_bits(found, value.is_conj(), value.is_neg())

    def origin(self, result: torch.Tensor) -> torch.Tensor | None:
        """Return the device's tensor that a result is a view of, or None."""
        for whole, tensor in self._wholes.values():
            if whole.untyped_storage()._cdata == result.untyped_storage()._cdata:
                return tensor
        return None


def _kept(value: Any) -> Any:
    """Return the form in which a recorded call keeps an argument."""
    if isinstance(value, torch.device) and value.type == "npu":
        return torch.device("cpu")
    if isinstance(value, torch.Tensor):
        if value.device.type == "npu":
            return _DeviceTensor.of(value)
        return value if _is_number(value) else value.clone()
    return value


def _is_number(tensor: torch.Tensor) -> bool:
    """Tell whether a tensor of the CPU stands for a number of Python's, which does not promote."""
    narrower = _NARROWER.get(tensor.dtype)
    if tensor.dim() or narrower is None:
        return False
    return bool(torch.result_type(torch.empty((), dtype=narrower), tensor) == narrower)


def _given(value: Any) -> Any:
    """Return an argument for the CPU's kernel."""
    return value.on_host() if isinstance(value, _DeviceTensor) else value


def _dropout(
    x: torch.Tensor, p: float, train: bool | None, generator: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    """Compute ``native_dropout`` as the CPU's kernel does, with a given generator."""
    if train is False:
        return x.clone(), torch.ones_like(x, dtype=torch.bool)
    kept = 1 - p
    mask = torch.empty_like(x, dtype=torch.bool, memory_format=torch.contiguous_format)
    mask.bernoulli_(kept, generator=generator)
    return (x * mask).mul_(1 / kept if kept else 0), mask


#: operators whose kernels draw from the CPU's default generator, from which the program may draw
#: while a graph runs -> the same with a generator as an argument
_WITH_GENERATOR: Final[dict[torch._ops.OpOverload, Callable[..., Any]]] = {
    torch.ops.aten.native_dropout.default: _dropout,
    torch.ops.aten.randperm.default: torch.ops.aten.randperm.generator,
    torch.ops.aten.randperm.out: torch.ops.aten.randperm.generator_out,
}
#: arguments that have other operators draw from it
_DRAWING: Final = ("dropout", "dropout_p")


class _Recorded(NamedTuple):
    """A recorded call."""

    schema: Schema
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    #: for each result that is a new tensor, where it goes
    results: list[_DeviceTensor | None]
    drawing: Drawing | None

    def run(self) -> None:
        """Run the CPU's kernel on the current contents of memory."""
        schema = self.schema
        args = [tree_map(_given, value, is_leaf=_is_device_tensor) for value in self.args]
        kwargs = {k: tree_map(_given, v, is_leaf=_is_device_tensor) for k, v in self.kwargs.items()}
        compute = with_statistics(schema.op, schema.op)
        if self.drawing is not None and schema.takes_generator:
            schema.replace("generator", self.drawing.generator(), args, kwargs)
        elif self.drawing is not None and schema.op in _WITH_GENERATOR:
            compute, kwargs["generator"] = _WITH_GENERATOR[schema.op], self.drawing.generator()
        with torch.no_grad():
            with torch._C._IncludeDispatchKeyGuard(_HOST):
                found = tree_leaves(compute(*args, **kwargs))
            for place, result in zip(self.results, found, strict=True) if self.results else ():
                if place is not None:
                    place.on_host().copy_(result)


def _is_device_tensor(value: Any) -> bool:
    return isinstance(value, _DeviceTensor)


def record(op: torch._ops.OpOverload, *args: Any, **kwargs: Any) -> Any:
    """Record a call for the launches of the current stream's graph."""
    drawing, _thread.drawing = _thread.drawing, None
    schema = Schema.of(op)
    given = schema.named(args, kwargs)
    device = _device_of(given)
    stream = current_stream(device.index)
    if schema.is_seeded and any(map(given.get, _DRAWING)):
        _refuse(op, "it draws from the CPU's default generator")
    if schema.is_in_place:
        made: list[torch.Tensor | None] = []
        results = schema.packed([given[name] for name in schema.returned if name is not None])
    else:
        results, made = _allocated(schema, args, kwargs, device)
    call = _Recorded(
        schema,
        tuple(tree_map(_kept, value) for value in args),
        {name: tree_map(_kept, value) for name, value in kwargs.items()},
        [None if tensor is None else _DeviceTensor.of(tensor) for tensor in made],
        drawing,
    )
    if call.kwargs.get("pin_memory"):
        call.kwargs["pin_memory"] = False
    reads: list[Access] = []
    writes: list[Access] = []
    if stream.scheduler.checker is not None:
        for name, tensor in _device_tensors(given):
            (writes if name in schema.written else reads).append(
                _DeviceTensor.of(tensor).access(name)
            )
        new = [tensor for tensor in made if tensor is not None and tensor.numel()]
        writes += [_DeviceTensor.of(tensor).access("result") for tensor in new]
    stream.device.launch(
        stream, call.run, tuple(reads), tuple(writes), op.name(), unwritten=Unwritten.ALLOWED
    )
    return results


def _refuse(op: torch._ops.OpOverload, why: str) -> NoReturn:
    raise NotImplementedError(f"emulated device: {op.name()} cannot be captured: {why}")


def _device_of(given: dict[str, Any]) -> torch.device:
    """Return the device of a call: that of its first argument on one, or the current one."""
    for _, member in members(given):
        found = member.device if isinstance(member, torch.Tensor) else member
        if isinstance(found, torch.device) and found.type == "npu":
            return found
    return torch.device("npu")


def _device_tensors(given: dict[str, Any]) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield the tensors of a device with elements among arguments, with the arguments' names."""
    for name, member in members(given):
        if isinstance(member, torch.Tensor) and member.device.type == "npu" and member.numel():
            yield name, member


def _allocated(
    schema: Schema, args: tuple[Any, ...], kwargs: dict[str, Any], device: torch.device
) -> tuple[Any, list[torch.Tensor | None]]:
    """Allocate the results of a call, and resize the tensors that it would resize.

    Return the results, then for each tensor among them whether it is new: itself or None.
    """
    shapes, given = _Shapes(), schema.named(args, kwargs)
    like = [tree_map(shapes.of, value) for value in args]
    like_named = {name: tree_map(shapes.of, value) for name, value in kwargs.items()}
    try:
        with torch._C._IncludeDispatchKeyGuard(_HOST):
            found = schema.op(*like, **like_named)
    except RuntimeError as error:
        if isinstance(error, NotImplementedError) or "meta tensor" in str(error):
            why = "its results depend on data, or PyTorch has no kernel for their shapes"
            _refuse(schema.op, f"{why} (device meta)")
        raise
    for name, out in schema.named(like, like_named).items():
        if name in schema.outs and isinstance(out, torch.Tensor):
            if given[name].size() != out.size():
                given[name].resize_(out.size())
    made: list[torch.Tensor | None] = []

    def result(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            if value is not None:
                _refuse(schema.op, "its result is a number, which depends on data")
            made.append(None)
            return value
        size, stride = value.size(), value.stride()
        origin = shapes.origin(value)
        if origin is not None:
            made.append(None)
            return origin.as_strided(size, stride, value.storage_offset())
        made.append(torch.empty_strided(size, stride, dtype=value.dtype, device=device))
        return made[-1]

    results = []
    for argument, value in zip(schema.returned, schema.each(found), strict=True):
        if argument is None:
            results.append(tree_map(result, value))
        else:
            made += [None for _ in tree_leaves(given[argument])]
            results.append(given[argument])
    return schema.packed(results), made
