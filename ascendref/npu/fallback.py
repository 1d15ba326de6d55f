"""Operators that the emulated device lacks, computed by PyTorch's CPU kernels.

The memory of the emulated device is memory of this process, and CPU kernels get tensors that share
it. Views, strides and overlaps are kept, and writes are immediately on the device. Only results
that the operator allocates itself are copied to the device.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import torch

from .randomness import drawing_from, host_generator
from .report import fallback_calls
from .storage import on_host, shared_storage, shared_tensor, tell_checker


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
    import torch_npu

    torch_npu.npu.current_stream(device).synchronize()


def _fill(call: str, name: str, tensor: torch.Tensor, value: torch.Tensor) -> None:
    """Write to a new tensor, whose memory may still be in use by the queued work of a freed one."""
    _wait(tensor.device)
    tell_checker(call, writes=[(name, tensor)])
    on_host(tensor).copy_(value)


class Fallback:
    """The kernel of an overload for the device, which runs the operator on the CPU."""

    def __init__(self, op: torch._ops.OpOverload) -> None:
        self.op = op
        self.name = op.name()
        arguments = op._schema.arguments
        self._places = {argument.name: number for number, argument in enumerate(arguments)}
        written = {
            alias: argument.name
            for argument in arguments
            if argument.alias_info is not None and argument.alias_info.is_write
            for alias in argument.alias_info.before_set
        }
        self._written = set(written.values())
        #: for each result, the argument that it aliases, or None
        self._returned = [
            written.get(min(result.alias_info.before_set, default=""))
            if result.alias_info is not None and result.alias_info.is_write
            else None
            for result in op._schema.returns
        ]
        self._outs = [argument.name for argument in arguments if argument.is_out]
        self._random = "generator" in self._places
        self._seeded = torch.Tag.nondeterministic_seeded in op.tags and not self._random

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        fallback_calls[self.name] += 1
        call = _Call(self.name)
        host_args = [call.host(value) for value in args]
        host_kwargs = {name: call.host(value) for name, value in kwargs.items()}
        self._tell_checker({**dict(zip(self._places, args, strict=False)), **kwargs})
        if host_kwargs.get("pin_memory"):
            host_kwargs["pin_memory"] = False
        context: AbstractContextManager[None] = nullcontext()
        if self._random:
            given = self._value("generator", args, kwargs)
            self._replace("generator", call.generator(given), host_args, host_kwargs)
        elif self._seeded:
            context = drawing_from(call.generator(None))
        with context:
            results = self._run(args, kwargs, host_args, host_kwargs)
        if isinstance(results, (list, tuple)) and len(self._returned) > 1:
            return tuple(map(partial(self._result, call, args, kwargs), self._returned, results))
        if not self._returned:
            return None
        return self._result(call, args, kwargs, self._returned[0], results)

    def _tell_checker(self, given: dict[str, Any]) -> None:
        """Report the arguments that are device tensors to the checker."""
        reads: list[tuple[str, torch.Tensor]] = []
        writes: list[tuple[str, torch.Tensor]] = []
        for name, value in given.items():
            accesses = writes if name in self._written else reads
            for member in value if isinstance(value, (list, tuple)) else (value,):
                if isinstance(member, torch.Tensor) and member.device.type == "npu":
                    accesses.append((name, member))
        tell_checker(self.name, reads, writes)

    def _result(
        self, call: _Call, args: Sequence[Any], kwargs: Any, name: str | None, result: Any
    ) -> Any:
        return call.result(result) if name is None else self._value(name, args, kwargs)

    def _value(self, name: str, args: Sequence[Any], kwargs: Any) -> Any:
        """Return an argument by its name."""
        place = self._places[name]
        return args[place] if place < len(args) else kwargs.get(name)

    def _replace(self, name: str, value: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        place = self._places[name]
        if place < len(args):
            args[place] = value
        else:
            kwargs[name] = value

    def _run(
        self, args: Sequence[Any], kwargs: Any, host_args: list[Any], host_kwargs: dict[str, Any]
    ) -> Any:
        """Run the CPU kernel; if it must resize its outputs, with tensors that can be resized."""
        outs = {name: self._value(name, args, kwargs) for name in self._outs}
        outs = {name: out for name, out in outs.items() if isinstance(out, torch.Tensor)}
        if all(out.numel() for out in outs.values()):
            try:
                return self.op(*host_args, **host_kwargs)
            except RuntimeError as error:
                if not outs or "resizable" not in str(error):
                    raise
        made = {name: torch.empty_like(out, device="cpu") for name, out in outs.items()}
        for name, out in made.items():
            self._replace(name, out, host_args, host_kwargs)
        results = self.op(*host_args, **host_kwargs)
        for name, out in outs.items():
            result = made[name]
            if out.size() != result.size():
                out.resize_(result.size())
            if result.numel():
                _fill(self.name, name, out, result)
        return results
