"""One operator of PyTorch with our kernel: which calls it takes, and which it leaves to PyTorch."""

import struct
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, reduce
from typing import Any, Final

import torch
from torch.library import get_kernel

from ..core.dtypes import FLOAT64, ElementType
from ..core.errors import ArgumentValueError
from ..declaration.fields import Mode
from ..declaration.operator import Operator
from ..differentiable import kernel_of
from ..functional.kernels import compute_parts, of_no_terms, reduction_kernel
from ..functional.torch_calls import elementwise_run
from .scalars import choice, scalars_of_pytorch
from .tensors import Args, Refused, check_result, element_type, empty_result, numpy_view

_CPU: Final = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)


class OwnKernel:
    """An operator's kernel for PyTorch's CPU tensors.

    ``by_pytorch`` computes the same with PyTorch, on any device, from tensors and scalars. With
    ``promotes``, tensors of several types are computed in the type to which these are promoted.
    """

    def __init__(
        self,
        operator: Operator,
        by_pytorch: Callable[..., Any] | None = None,
        *,
        promotes: bool = False,
    ) -> None:
        self.operator, self._by_pytorch, self._promotes = operator, by_pytorch, promotes
        #: memory format of a result like ``self``; None for one of all tensors together
        self._format = None
        if operator.torch is not None and operator.torch.format:
            self._format = getattr(torch, f"{operator.torch.format}_format")
        elif operator.result_view is not None:
            self._format = torch.contiguous_format
        self._chosen = lru_cache(1024)(self._choose)
        self._choice = choice(operator)

    def compute(self, tensors: Args, scalars: Args, compute: str | None) -> Any:
        """Compute in a type, or leave the call to PyTorch."""
        if all([tensor.device.type == "cpu" for tensor in tensors]):
            if self._promotes:
                kind = reduce(torch.promote_types, [tensor.dtype for tensor in tensors])
                tensors = tuple([tensor.to(kind) for tensor in tensors])
            with suppress(Refused):
                return self.result(tensors, scalars, compute, None)
        return self.theirs(tensors, scalars)

    def theirs(self, tensors: Args, scalars: Args) -> Any:
        """Compute with PyTorch, of tensors of any device."""
        assert self._by_pytorch is not None
        return self._by_pytorch(tensors, scalars)

    def result(self, tensors: Args, scalars: Args, compute: str | None, out: Any) -> Any:
        """Return the result of a call, in ``out`` if given; raise Refused if it is PyTorch's."""
        kind = element_type(tensors if out is None else (*tensors, out))
        kernels, values, mode, run = self._chosen(kind, compute, scalars)
        if run is not None and out is None and (result := run(tensors)) is not None:
            return result
        model = self._like(tensors, values) if mode == "none" else tensors[0].new_empty(())
        arrays, in_place = [numpy_view(tensor) for tensor in tensors], False
        if out is None:
            out = model
        elif out.shape == model.shape:
            in_place = check_result(numpy_view(out), arrays)
        else:
            raise Refused("the result must be resized")
        if mode != "none" and not tensors[0].numel():
            return out.fill_(of_no_terms(mode))
        if mode != "none":
            kernels[0]((*arrays, numpy_view(out)), values, in_place)
        else:
            compute_parts(self.operator, kernels, (*arrays, numpy_view(out)), values, in_place)
        return out

    def _choose(
        self, kind: ElementType, compute: str | None, scalars: Args
    ) -> tuple[Args, tuple[float, ...], Mode, Callable[..., Any] | None]:
        """Return the kernels for a type and scalars, their own scalars, and how they reduce.

        The last is a function of contiguous tensors that returns None for others.
        """
        formula, values = self._choice(kind, compute, *scalars)
        compute = compute or ("float64" if kind is FLOAT64 else "float32")
        mode = self.operator.mode(values)
        if mode != "none":
            types = (kind,) * len(self.operator.tensors)
            summing = reduction_kernel(self.operator, types, kind, compute, mode)
            return (summing,), values, mode, None
        if self.operator.is_viewed:
            parts = self.operator.part_scalars(values)
            kernels = tuple([kernel_of(formula, kind, compute, numbers) for numbers in parts])
            return kernels, values, mode, None
        kernel = kernel_of(formula, kind, compute, values)
        run = elementwise_run(kernel.bind_memory(), getattr(torch, kind.name))
        numbers = struct.pack(f"{len(values)}d", *values)
        return (kernel,), values, mode, lambda tensors: run(tensors, numbers, None)

    def _like(self, tensors: Args, values: tuple[float, ...]) -> Any:
        """Return a tensor for an elementwise result, as PyTorch makes it."""
        viewed = self.operator.is_viewed
        if viewed:
            shapes = tuple([tuple(tensor.shape) for tensor in tensors])
            try:
                self.operator.result_shapes(shapes, values)
            except ArgumentValueError as error:
                raise Refused("the operator does not take such shapes") from error
        if self._format is None:
            return empty_result(self.operator.operands(tensors, values))
        data = tensors[[param.name for param in self.operator.tensors].index("self")]
        try:
            full = tensors[-1:] if viewed else tensors
            shape = torch.broadcast_shapes(*[tensor.shape for tensor in full])
        except RuntimeError as error:
            raise Refused("shapes do not broadcast") from error
        if shape != data.shape:
            raise Refused("self does not have the result's shape")
        return torch.empty_like(data, memory_format=self._format)


class Override(OwnKernel):
    """An operator of PyTorch, with its kernel and ours."""

    def __init__(self, operator: Operator) -> None:
        assert operator.torch is not None
        self.aten = operator.torch.name
        super().__init__(operator)
        self._out = operator.torch.out or ""
        names = [self.aten, f"{self.aten}.{self._out}" if self._out else "", f"{self.aten}_"]
        #: its overloads and its in-place variant -> PyTorch's kernel
        self._originals = {
            name: get_kernel(f"aten::{name}", "CPU")
            for name in names
            if name and hasattr(torch.ops.aten, name.partition(".")[0])
        }
        arguments = getattr(torch.ops.aten, self.aten).default._schema.arguments
        self._defaults = [a.default_value for a in arguments if not a.kwarg_only]
        #: PyTorch's options and their defaults
        self._options = {a.name: a.default_value for a in arguments if a.kwarg_only}
        self._choices = {param.name: param.choices for param in operator.scalars}
        order, scalars = operator.torch.order, [param.name for param in operator.scalars]
        #: where PyTorch takes tensors and scalars, if scalars come before tensors
        self._places = sorted(range(len(order)), key=lambda k: (order[k] in scalars, k))
        #: compute type of the current setting
        self.compute_type: str | None = None
        #: number of calls computed here; reason -> number of calls left to PyTorch
        self.taken, self.left = 0, Counter[str]()

    def kernels(self) -> dict[str, Callable[..., Any]]:
        """Return the kernels that PyTorch calls, by name."""

        def kernel(name: str) -> Callable[..., Any]:
            def call(*args: Any, **options: Any) -> Any:
                out = args[0] if name.endswith("_") else options.get(self._out)
                return self._call(name, args, options, self.compute_type, out)

            return call

        return {name: kernel(name) for name in self._originals}

    def compute(self, tensors: Args, scalars: Args, compute: str | None) -> Any:
        """Compute in a type, or leave the call to PyTorch."""
        if any([tensor.device.type != "cpu" for tensor in tensors]):
            return self.theirs(tensors, scalars)
        args, named = self._of_pytorch(tensors, scalars)
        return self._call(self.aten, args, named, compute)

    def theirs(self, tensors: Args, scalars: Args) -> Any:
        """Call PyTorch's operator on tensors of any device."""
        args, named = self._of_pytorch(tensors, scalars)
        return getattr(torch.ops.aten, self.aten)(*args, **named)

    def _of_pytorch(self, tensors: Args, scalars: Args) -> tuple[Args, dict[str, str]]:
        """Return the arguments of PyTorch's operator, and its keywords."""
        given, named = scalars_of_pytorch(self.operator, scalars)
        if self.operator.unused:  # PyTorch's operator takes them
            names = [param.name for param in self.operator.tensors]
            tensors, _ = self.operator.for_torch(dict(zip(names, tensors, strict=True)))
        args = (*tensors, *given)
        if self._places:
            args = tuple([args[self._places.index(k)] for k in range(len(args))])
        return args, named

    def _call(
        self, name: str, args: Args, options: dict[str, Any], compute: str | None, out: Any = None
    ) -> Any:
        """Compute a call of PyTorch's operator, or leave it to PyTorch's own kernel."""
        try:
            result = self.result(*self._arguments(args, options), compute, out)
        except Refused as refusal:
            self.left[str(refusal)] += 1
            if name == self.aten and self._format is torch.contiguous_format:
                # PyTorch's own function would call the other overload, which is overridden too
                name = f"{self.aten}.{self._out}"
                options = {self._out: torch.zeros_like(args[1], memory_format=self._format)}
            return self._originals[name].call_boxed(_CPU, *args, **options)
        self.taken += 1
        return result

    def _arguments(self, args: Args, options: dict[str, Any]) -> tuple[Args, Args]:
        """Return all tensors and scalars; any other option must have its default."""
        params = self.operator.tensors
        given = [*args, *self._defaults[len(args) :]]
        if self._places:
            given = [given[place] for place in self._places]
        tensors = [
            torch.full((), param.default, dtype=args[0].dtype) if tensor is None else tensor
            for param, tensor in zip(params, given, strict=False)
        ]
        scalars = given[len(params) + len(self.operator.unused) :]
        for name, default in self._options.items():
            value, allowed = options.get(name, default), self._choices.get(name)
            if value not in (allowed or (default,)):
                raise Refused(f"{name} is {value!r}")
            if allowed:
                scalars.append(allowed[value])
        return tuple(tensors), tuple(scalars)
