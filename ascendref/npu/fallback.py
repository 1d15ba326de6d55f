"""Operators that are not emulated, computed by PyTorch's CPU kernels.

The memory of the emulated device is memory of this process, and CPU kernels get tensors that share
it. Views, strides and overlaps are kept, and writes are immediately on the device. Only results
that the operator allocates itself are copied to the device.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from .capture import device_of, device_tensors, record
from .randomness import drawing_from, host_generator
from .refusals import refusal
from .report import fallback_calls
from .schema import Schema
from .storage import access, on_host, shared_storage, shared_tensor
from .streams import current_stream, is_capturing, tell_checker, wait_for

#: device tensors with the names of their arguments
Named = Sequence[tuple[str, torch.Tensor]]


class _Call:
    """One call: the storages that its tensors have on the host, and its device."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.device: torch.device | None = None
        #: host storages by the address of the device's
        self._shared: dict[int, torch.UntypedStorage] = {}
        #: device storages by the address of the host's
        self._origins: dict[int, torch.UntypedStorage] = {}

    def host(self, value: Any) -> Any:
        """Return an argument for the CPU."""
        if isinstance(value, torch.Tensor):
            return self._host_tensor(value) if value.device.type == "npu" else value
        if isinstance(value, (list, tuple)):
            return [self.host(member) for member in value]
        if isinstance(value, torch.device) and value.type == "npu":
            self.device = value
            return torch.device("cpu")
        return value

    def _host_tensor(self, tensor: torch.Tensor) -> torch.Tensor:
        if self.device is None:
            self.device = tensor.device
            _wait(self.device)
        storage = tensor.untyped_storage()
        address = storage.data_ptr()
        shared = self._shared.get(address)
        if shared is None:
            shared = self._shared[address] = shared_storage(storage)
            if storage.nbytes():
                self._origins[shared.data_ptr()] = storage
        return shared_tensor(tensor, shared)

    def generator(self, given: torch.Generator | None) -> torch.Generator:
        """Return the generator for the CPU's kernel."""
        if given is not None and given.device.type == "cpu":
            return given
        return host_generator(given, self.device or torch.device("npu"))

    def result(self, value: Any) -> Any:
        """Return a result of the CPU's kernel on the device."""
        if isinstance(value, (list, tuple)):
            return type(value)(self.result(member) for member in value)
        if not isinstance(value, torch.Tensor):
            return value
        if not torch._C._dispatch_keys(value).has(torch._C.DispatchKey.CPU):
            refusal(self.name, "its result is sparse, nested, quantized or opaque")()
        origin = self._origins.get(value.untyped_storage().data_ptr()) if value.numel() else None
        if origin is not None:  # a view
            found = torch.empty(0, dtype=value.dtype, device=self.device)
            return found.set_(origin, value.storage_offset(), value.size(), value.stride())
        found = torch.empty_like(value, device=self.device)
        if value.numel():
            _fill(self.name, "result", found, value)
        return found


def _wait(device: torch.device) -> None:
    """Wait for the work queued before this call on a device's current stream."""
    wait_for(current_stream(device.index))


def _fill(call: str, name: str, tensor: torch.Tensor, value: torch.Tensor) -> None:
    """Write to a new tensor, whose memory may still be in use by the queued work of a freed one."""
    _wait(tensor.device)
    _tell_checker(call, writes=[(name, tensor)])
    on_host(tensor).copy_(value)


def _tell_checker(call: str, reads: Named = (), writes: Named = ()) -> None:
    """Report a call's reads and writes of device tensors, all of one device."""
    tensors = [*reads, *writes]
    if tensors:
        stream = current_stream(tensors[0][1].device.index)
        if stream.scheduler.checker is not None:
            found = [[access(*each) for each in named] for named in (reads, writes)]
            tell_checker(stream, call, *found, waits=False)


def _follow(tensor: torch.Tensor, result: torch.Tensor) -> None:
    """Give an output the layout that the CPU's kernel chose."""
    if tensor.size() != result.size():
        tensor.resize_(result.size())
        tensor.as_strided_(result.size(), result.stride(), result.storage_offset())


class Fallback:
    """The kernel of an overload for the device, which runs the operator on the CPU."""

    def __init__(self, op: torch._ops.OpOverload) -> None:
        self.op = op
        self.name = op.name()
        self._schema = Schema.of(op)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        fallback_calls[self.name] += 1
        schema = self._schema
        given = schema.named(args, kwargs)
        schema.check_devices(given)
        if is_capturing() and current_stream(device_of(given).index).captured:
            return record(self.op, *args, **kwargs)
        call = _Call(self.name)
        host_args = [call.host(value) for value in args]
        host_kwargs = {name: call.host(value) for name, value in kwargs.items()}
        self._tell_checker(given)
        if host_kwargs.get("pin_memory"):
            host_kwargs["pin_memory"] = False
        context: AbstractContextManager[None] = nullcontext()
        if schema.takes_generator:
            generator = call.generator(schema.value("generator", args, kwargs))
            schema.replace("generator", generator, host_args, host_kwargs)
        elif schema.is_seeded:
            context = drawing_from(call.generator(None))
        with context:
            found = self._run(args, kwargs, host_args, host_kwargs)
        results = [
            call.result(result) if name is None else schema.value(name, args, kwargs)
            for name, result in zip(schema.returned, schema.each(found), strict=True)
        ]
        if schema.waits(given):
            stream = current_stream(device_of(given).index)
            tell_checker(stream, self.name, waits=True)
        return schema.packed(results)

    def _tell_checker(self, given: dict[str, Any]) -> None:
        """Report the arguments that are device tensors to the checker."""
        reads: list[tuple[str, torch.Tensor]] = []
        writes: list[tuple[str, torch.Tensor]] = []
        for name, tensor in device_tensors(given):
            (writes if name in self._schema.written else reads).append((name, tensor))
        _tell_checker(self.name, reads, writes)

    def _run(
        self, args: Sequence[Any], kwargs: Any, host_args: list[Any], host_kwargs: dict[str, Any]
    ) -> Any:
        """Run the CPU kernel; if it must resize its outputs, with tensors that can be resized."""
        outs = {name: self._schema.value(name, args, kwargs) for name in self._schema.outs}
        outs = {name: out for name, out in outs.items() if isinstance(out, torch.Tensor)}
        if all(out.numel() for out in outs.values()):
            try:
                results = self.op(*host_args, **host_kwargs)
                for name, out in outs.items():
                    _follow(out, self._schema.value(name, host_args, host_kwargs))
                return results
            except RuntimeError as error:
                if not outs or "resizable" not in str(error):
                    raise
        made = {name: torch.empty_like(out, device="cpu") for name, out in outs.items()}
        for name, out in made.items():
            self._schema.replace(name, out, host_args, host_kwargs)
        results = self.op(*host_args, **host_kwargs)
        for name, out in outs.items():
            result = made[name]
            _follow(out, result)
            if result.numel():
                _fill(self.name, name, out, result)
        return results
