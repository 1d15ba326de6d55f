"""Planning: the kernel of a valid call, the device's kernel launches, and the workspace."""

from __future__ import annotations

from math import ceil, prod

from ..core.dtypes import FLOAT32, FLOAT64, ElementType
from ..core.packing import pack_floats, word_packer
from ..declaration.fields import Mode
from ..device.checker.shadow import Span
from ..functional.kernels import compute_parts, elementwise_kernels, of_no_terms, reduction_kernel
from ..kernels.loops.reduction_plan import BLOCK
from .plan import Compute, Dense, Description, Plan, TwoPhaseCall
from .validation import ValidCall
from .workspace import LaunchSequence, reserved


def make_plan(
    call: ValidCall, descriptions: tuple[Description, ...], unbound: TwoPhaseCall
) -> Plan:
    """Return the plan of a call; ``unbound`` is the same without its tensors."""
    names = call.operator.tensor_names
    if call.is_empty:
        nothing = Span(0, 0, "workspace")
        return Plan(call.operator, names, descriptions, (), (), 0, (), (), nothing, None, unbound)
    mode, dense = call.operator.mode(call.values), None
    if mode == "none":
        computed = _computed_type(call)
        compute, dense = _elementwise_kernel(call, computed)
        launches, workspace = _elementwise_launches(call, computed)
    else:
        compute = _reduction_kernel(call, mode)
        launches = _reduction_launches(call)
        workspace = launches.workspace_size()
    operands = call.inputs + call.results
    spans = [(k, operand.span) for k, operand in enumerate(operands) if operand.span.nbytes > 0]
    inputs = len(call.inputs)
    return Plan(
        operator=call.operator,
        names=names,
        descriptions=descriptions,
        layouts=tuple([operand.layout for operand in operands]),
        steps=tuple(launches.steps),
        workspace=workspace,
        reads=tuple([(k, span) for k, span in spans if k < inputs]),
        writes=tuple([(k, span) for k, span in spans if k >= inputs]),
        scratch=Span(0, workspace, "workspace"),
        compute=compute,
        unbound=unbound,
        has_partial_sums=call.operator.reduction is not None,
        dense=dense,
    )


def _computed_type(call: ValidCall) -> ElementType:
    """Return the type in which the device computes the result; it has no F64 arithmetic."""
    kind = call.operator.result(_types(call))
    return FLOAT32 if kind is FLOAT64 else kind


def _types(call: ValidCall) -> tuple[ElementType, ...]:
    return tuple([operand.kind for operand in call.inputs])


def _elementwise_kernel(call: ValidCall, computed: ElementType) -> tuple[Compute, Dense | None]:
    """Compile the kernels of an elementwise operator and bind its scalars."""
    operator, values, in_place = call.operator, call.values, call.in_place
    types = _types(call)
    compute = "exact" if operator.is_exact(types) else "float32"
    (out,) = call.results
    size = operator.divisor(values, out.layout.shape)
    tiled = operator.is_viewed or size not in (None, out.array.size)
    kernels = elementwise_kernels(operator, types, out.kind, compute, values, result=computed)
    layout = "tiled"
    for kernel in kernels:
        layout = "tiled" if tiled else kernel.layout(call.placeholders, in_place)
        kernel.make_ready(layout, out.array.size)
    dense = None
    if len(kernels) == 1 and layout == "dense":
        (numbers,) = operator.part_scalars(values)
        pack = word_packer(len(call.inputs) + 2)
        dense = Dense(kernels[0].bind_memory(), pack, pack_floats(*numbers), out.array.size)
    return lambda arrays, _: compute_parts(operator, kernels, arrays, values, in_place), dense


def _elementwise_launches(call: ValidCall, computed: ElementType) -> tuple[LaunchSequence, int]:
    """Return what the device launches for an elementwise operator, and the bytes of workspace."""
    launches = LaunchSequence()
    device = call.operator.device
    kernel, *_ = device.kernels
    (out,) = call.results
    if call.operator.is_generated:
        assert device.scratch is not None
        # a generated operator: its copies lie one after another, and it writes any layout itself
        reads = [launches.contiguous(x) for x in call.inputs]
        launches.launch(kernel, tuple(reads), out.name)
        return launches, device.scratch + sum(map(reserved, launches.intermediates.values()))
    viewed = call.operator.is_viewed  # the kernel takes tensors in shapes of their own
    reads = [
        launches.input(x, computed, x.layout.shape if viewed else out.layout.shape)
        for x in call.inputs
    ]
    result = launches.result(out, computed)
    launches.launch(kernel, tuple(reads), result)
    launches.output(result, out, computed)
    return launches, launches.workspace_size()


def _reduction_kernel(call: ValidCall, mode: Mode) -> Compute:
    """Compile the kernel of an operator with a reduction."""
    size = prod(_terms_shape(call))
    if not size:
        return lambda arrays, scratch: arrays[-1].fill(of_no_terms(mode))
    values, in_place = call.values, call.in_place
    types, stored = _types(call), len(call.operator.device.kernels) > 1
    out = call.results[-1].kind
    kernel = reduction_kernel(call.operator, types, out, "float32", mode, stored=stored)
    kernel.make_ready(kernel.layout(call.placeholders, in_place), size)
    return lambda arrays, scratch: kernel(arrays, values, in_place, scratch)


def _terms_shape(call: ValidCall) -> tuple[int, ...]:
    """Return the shape of the terms of a reduction."""
    shapes = tuple([x.layout.shape for x in call.inputs])
    return call.operator.shapes(call.operator, shapes, call.values)[0]


def _reduction_launches(call: ValidCall) -> LaunchSequence:
    """Return what the device launches: a kernel that stores the terms and one that sums them.

    If there is one kernel, it sums its own terms and needs room for the sums of blocks.
    """
    launches = LaunchSequence()
    *update, reduce = call.operator.device.kernels
    *results, sums = call.results
    kind, shape = _computed_type(call), _terms_shape(call)
    weights = call.inputs[-1:] if call.operator.per_channel else ()
    reads = tuple(
        [launches.input(x, kind, x.layout.shape if x in weights else shape) for x in call.inputs]
    )
    total = FLOAT32 if update else kind
    last = launches.result(sums, total)
    if update:
        firsts = [launches.result(x, kind) for x in results]
        terms = launches.intermediate("terms", prod(shape), kind)
        launches.launch(update[0], reads, *firsts, terms)
        for first, x in zip(firsts, results, strict=True):
            launches.output(first, x, kind)
        launches.launch(reduce, (terms,), last)
    else:
        blocks = launches.intermediate("blocks", ceil(prod(shape) / BLOCK), FLOAT32)
        launches.launch(reduce, reads, blocks, last)
    launches.output(last, sums, total)
    return launches
