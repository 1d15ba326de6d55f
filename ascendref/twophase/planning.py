"""Planning: the kernel of a valid call, the device's kernel launches, and the workspace."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.dtypes import FLOAT32, FLOAT64, ElementType
from ..device.checker.shadow import Span
from ..kernels.arithmetic.formula import Formula
from ..kernels.loops.channel_sums import ChannelSumKernel, channel_sum
from ..kernels.loops.elementwise import ElementwiseKernel, elementwise
from .plan import Compute, Description, Plan
from .validation import ValidCall
from .workspace import LaunchSequence, reserved


def make_plan(call: ValidCall, descriptions: tuple[Description, ...]) -> Plan:
    """Return the plan of a call with these descriptions of its tensors."""
    if call.is_empty:
        nothing = Span(0, 0, "workspace")
        return Plan(call.operator, call.values, descriptions, (), (), 0, (), (), nothing, None)
    if call.operator.channel_term is None:
        computed = _computed_type(call)
        compute = _elementwise_kernel(call, computed)
        launches, workspace = _elementwise_launches(call, computed)
    else:
        compute = _channel_sum_kernel(call, call.operator.channel_term)
        launches = _channel_sum_launches(call)
        workspace = launches.workspace_size()
    return Plan(
        operator=call.operator,
        scalars=call.values,
        descriptions=descriptions,
        layouts=tuple([operand.layout for operand in call.inputs + call.results]),
        steps=tuple(launches.steps),
        workspace=workspace,
        reads=tuple([operand.bytes for operand in call.inputs if operand.bytes.span.nbytes > 0]),
        writes=tuple([operand.bytes for operand in call.results if operand.bytes.span.nbytes > 0]),
        scratch=Span(0, workspace, "workspace"),
        compute=compute,
    )


def _computed_type(call: ValidCall) -> ElementType:
    """Return the type in which the device computes the result; it has no F64 arithmetic."""
    kind = call.operator.result(tuple([operand.kind for operand in call.inputs]))
    return FLOAT32 if kind is FLOAT64 else kind


def _elementwise_kernel(call: ValidCall, computed: ElementType) -> Compute:
    """Compile the kernel of an elementwise operator and bind its scalars."""
    kinds = tuple([operand.kind for operand in call.inputs])
    formula = call.operator.formula.suited("float32", computed.name, call.values)
    (out,) = call.results
    kernel = elementwise(formula, kinds, computed, out.kind, "float32")
    kernel.make_ready(kernel.layout(call.placeholders, call.in_place), out.placeholder.size)
    return partial(_compute_elements, kernel, call.values, call.in_place)


def _compute_elements(
    kernel: ElementwiseKernel,
    values: tuple[float, ...],
    in_place: bool,
    arrays: tuple[NDArray[Any], ...],
    scratch: NDArray[np.uint8] | None,
) -> None:
    kernel(arrays, values, in_place)


def _elementwise_launches(call: ValidCall, computed: ElementType) -> tuple[LaunchSequence, int]:
    """Return what the device launches for an elementwise operator, and the bytes of workspace."""
    launches = LaunchSequence()
    device = call.operator.device
    (kernel,) = device.kernels
    (out,) = call.results
    if device.scratch is not None:
        # a generated operator: its copies lie one after another, and it writes any layout itself
        reads = [launches.contiguous(x.name, x.placeholder, x.kind) for x in call.inputs]
        launches.launch(kernel, tuple(reads), out.name)
        return launches, device.scratch + sum(map(reserved, launches.intermediates.values()))
    reads = [
        launches.input(x.name, x.placeholder, x.kind, computed, out.layout.shape)
        for x in call.inputs
    ]
    result = launches.result(out.name, out.placeholder, out.kind, computed)
    launches.launch(kernel, tuple(reads), result)
    launches.output(result, out.name, out.placeholder, out.kind, computed)
    return launches, launches.workspace_size()


def _channel_sum_kernel(call: ValidCall, term: Formula) -> Compute:
    """Compile the kernel of an operator with channel sums."""
    data = call.inputs[1]
    kernel = channel_sum(call.operator.formula, term, data.kind, "float32", stored=True)
    kernel.make_ready(kernel.layout(call.placeholders, call.in_place), data.placeholder.size)
    return partial(_compute_sums, kernel, call.in_place)


def _compute_sums(
    kernel: ChannelSumKernel,
    in_place: bool,
    arrays: tuple[NDArray[Any], ...],
    scratch: NDArray[np.uint8] | None,
) -> None:
    grad, data, weight, result, sums = arrays
    kernel((grad, data, weight, result), sums, in_place, scratch)


def _channel_sum_launches(call: ValidCall) -> LaunchSequence:
    """Return what the device launches for an operator with channel sums."""
    launches = LaunchSequence()
    update, reduce = call.operator.device.kernels
    _, data, weight = call.inputs
    result, sums = call.results
    kind = data.kind
    shapes = data.layout.shape, data.layout.shape, weight.layout.shape
    reads = [
        launches.input(x.name, x.placeholder, kind, kind, shape)
        for x, shape in zip(call.inputs, shapes, strict=True)
    ]
    first = launches.result(result.name, result.placeholder, kind, kind)
    terms = launches.intermediate("terms", data.placeholder.size, kind)
    launches.launch(update, tuple(reads), first, terms)
    launches.output(first, result.name, result.placeholder, kind, kind)
    second = launches.result(sums.name, sums.placeholder, kind, FLOAT32)
    launches.launch(reduce, (terms,), second)
    launches.output(second, sums.name, sums.placeholder, kind, FLOAT32)
    return launches
