"""Planning: the kernel of a valid call, the device's kernel launches, and the workspace."""

from math import ceil, prod

from ..core.dtypes import FLOAT32, FLOAT64, ElementType
from ..core.packing import pack_floats, word_packer
from ..declaration.fields import Mode
from ..device.checker.shadow import Span
from ..functional.kernels import compute_parts, elementwise_kernels, of_no_terms, reduction_kernel
from ..kernels.loops.reduction_plan import BLOCK
from .plan import Compute, Dense, Description, Operand, Plan, Step, TwoPhaseCall
from .validation import ValidCall


def reserved(nbytes: int) -> int:
    """Return the bytes of workspace for an intermediate: multiples of 512, at least 32 spare.

    Examples
    --------
    >>> reserved(400), reserved(480), reserved(481)
    (512, 512, 1024)
    """
    return (nbytes + 32 + 511) & ~511


class LaunchSequence:
    """The kernels that the device launches for one call, in order, and their intermediates.

    These kernels take contiguous tensors of one shape and one type. Others are converted through
    intermediate tensors, in this order: Contiguous, Cast, BroadcastTo, the operator's own kernels,
    Cast, ViewCopy. Sizes and lifetimes of the intermediates determine the workspace; the emulator
    itself needs none. The methods add kernels and return the name of the tensor of the result.
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []
        #: bytes of every intermediate, by name
        self.intermediates: dict[str, int] = {}

    def launch(self, kernel: str, reads: tuple[str, ...], *writes: str) -> None:
        """Add a kernel."""
        self.steps.append(Step(kernel, reads, writes))

    def intermediate(self, name: str, size: int, kind: ElementType) -> str:
        """Add an intermediate tensor of so many elements in the workspace."""
        self.intermediates[name] = size * kind.numpy.itemsize
        return name

    def contiguous(self, x: Operand) -> str:
        """Copy an input in C order, unless it is in that order."""
        if x.array.flags.c_contiguous:
            return x.name
        dense = self.intermediate(f"{x.name}.contiguous", x.array.size, x.kind)
        self.launch("Contiguous", (x.name,), dense)
        return dense

    def input(self, x: Operand, target: ElementType, shape: tuple[int, ...]) -> str:
        """Convert an input to C order, a type and a shape."""
        current = self.contiguous(x)
        if x.kind is not target:
            cast = self.intermediate(f"{x.name}.cast", x.array.size, target)
            self.launch("Cast", (current,), cast)
            current = cast
        if x.layout.shape != shape:
            broadcast = self.intermediate(f"{x.name}.broadcast", prod(shape), target)
            self.launch("BroadcastTo", (current,), broadcast)
            current = broadcast
        return current

    def result(self, x: Operand, computed: ElementType) -> str:
        """Return the tensor a kernel writes: the result itself if it is dense and has that type."""
        if x.kind is computed and x.array.flags.c_contiguous:
            return x.name
        return self.intermediate(f"{x.name}.result", x.array.size, computed)

    def output(self, current: str, x: Operand, computed: ElementType) -> None:
        """Convert what a kernel wrote to the type and the layout of a result."""
        dense = x.array.flags.c_contiguous
        if x.kind is not computed:
            cast = x.name if dense else self.intermediate(f"{x.name}.cast", x.array.size, x.kind)
            self.launch("Cast", (current,), cast)
            current = cast
        if not dense:
            self.launch("ViewCopy", (current,), x.name)

    def workspace_size(self) -> int:
        """Return the bytes of workspace; intermediates with disjoint lifetimes share memory."""
        last_read = {name: k for k, step in enumerate(self.steps) for name in step.reads}
        blocks: list[int] = []
        busy_until: list[int] = []
        for k, step in enumerate(self.steps):
            for name in step.writes:
                if name not in self.intermediates:
                    continue
                size = reserved(self.intermediates[name])
                free = [block for block, until in enumerate(busy_until) if until < k]
                if free:
                    block = min(free, key=lambda block: abs(blocks[block] - size))
                    blocks[block] = max(blocks[block], size)
                    busy_until[block] = last_read.get(name, k)
                else:
                    blocks.append(size)
                    busy_until.append(last_read.get(name, k))
        return sum(blocks)


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
