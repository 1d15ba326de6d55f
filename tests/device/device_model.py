"""A model of devices in plain Python, which predicts what a program sees.

Work changes the model's bytes as it is submitted, in the order of the program. The device has the
same bytes as long as tasks that share memory are ordered by events; `MemoryModel.before` returns
the accesses that a new one must come after, `StreamModel.follows` tells whether it does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from typing import Any, NamedTuple

import numpy as np

import ascendref as ar

from ..support.rounding import FORMATS
from ..support.two_phase import from_device

INVALID, MISSING, SPENT = 161002, 561003, 561103


class Raised(NamedTuple):
    """A host function that raises, and that no synchronization has reported yet."""

    position: int
    error: Exception
    #: whether its report is still to come for sure; one that ran early may be lost to another's
    certain: bool


@dataclass(eq=False)
class StreamModel:
    """A stream: what was submitted, what of it is certainly done, and what it has to report."""

    device: DeviceModel
    stream: Any
    #: whether synchronizing with the stream waits for its work
    waited_for: bool = True
    alive: bool = True
    submitted: int = 0
    #: how much of it is done because the host waited for it
    done: int = 0
    #: how much of it the host saw to be done; chance has a part in that
    seen: int = 0
    #: how far other streams have to be before what is submitted next may run
    behind: dict[StreamModel, int] = field(default_factory=dict)
    raised: list[Raised] = field(default_factory=list)
    #: positions of the host functions that were submitted, and what they leave behind
    calls: list[int] = field(default_factory=list)
    called: list[int] = field(default_factory=list)

    def submit(self) -> Point:
        self.submitted += 1
        return Point(self, self.submitted)

    def clock(self) -> dict[StreamModel, int]:
        """Return how far every stream is once all that was submitted here is done."""
        return {**self.behind, self: self.submitted}

    def follows(self, point: Point) -> bool:
        """Tell whether what is submitted next runs after a point."""
        queue, position = point
        return self is queue or position <= max(queue.done, self.behind.get(queue, 0))

    def wait(self, clock: dict[StreamModel, int]) -> None:
        """Note that what is submitted next waits for other streams."""
        for queue, position in clock.items():
            self.behind[queue] = max(position, self.behind.get(queue, 0))

    def outcomes(self, position: int) -> set[int]:
        """Return the codes that a report after a position may have."""
        if any(raised.certain and raised.position <= position for raised in self.raised):
            return {507000}
        return {0, 507000} if self.raised else {0}

    def report(self, position: int, error: BaseException | None) -> None:
        """Note what a report after a position said."""
        if error is None:
            assert self.outcomes(position) != {507000}
            self.raised = [each for each in self.raised if each.position > position]
            return
        found = [raised.error for raised in self.raised].index(error.__cause__)
        assert not any(raised.certain for raised in self.raised[:found])  # the first one counts
        # of those behind it, any that ran already are forgotten with it
        self.raised = [
            raised._replace(certain=False)
            for raised in self.raised[found + 1 :]
            if raised.position > position
        ]

    def check_calls(self) -> None:
        """Check that host functions ran in order, and all that must have run."""
        called = list(self.called)
        assert called == self.calls[: len(called)]
        assert all(position > self.seen for position in self.calls[len(called) :])


class Point(NamedTuple):
    """The end of one task of a stream."""

    queue: StreamModel
    position: int


def reach(clock: dict[StreamModel, int]) -> None:
    """Note that the host waited for streams."""
    see(clock)
    for queue, position in clock.items():
        queue.done = max(queue.done, position)


def see(clock: dict[StreamModel, int]) -> None:
    """Note that the host saw how far streams are."""
    for queue, position in clock.items():
        queue.seen = max(queue.seen, position)


class EventModel:
    def __init__(self, device: DeviceModel, event: Any, flags: int, ex: bool) -> None:
        self.device = device
        self.event = event
        self.syncs, self.timed = bool(flags & 1), bool(flags & 8)
        self.ex = ex
        self.alive = True
        self.point: Point | None = None
        #: how far every stream is when the record is reached
        self.clock: dict[StreamModel, int] = {}

    def record(self, queue: StreamModel) -> None:
        self.point, self.clock = queue.submit(), queue.clock()

    @property
    def reached(self) -> bool:
        """Whether the host has waited for the latest record."""
        return self.point is not None and self.point.position <= self.point.queue.done


class MemoryModel:
    """Memory: its bytes once all submitted work is done, and the last accesses to it."""

    def __init__(self, device: DeviceModel, memory: Any) -> None:
        self.device = device
        self.memory = memory
        self.nbytes: int = memory.nbytes
        self.pinned: bool = memory.pinned
        self.alive = True
        #: whether it is one of the workspaces of which nobody looks at the bytes
        self.large = self.nbytes > 2**20
        size = 0 if self.large else self.nbytes
        self.bytes = np.full(size, 0xFF, np.uint8)
        #: bytes of NaN, whose payload is free, and of workspaces
        self.vague = np.zeros(size, bool)
        #: bytes that anything wrote, as far as the checker can know
        self.written = np.full(size, self.pinned)
        self._written: Point | None = None
        self._read: dict[StreamModel, int] = {}

    @property
    def reserved(self) -> int:
        """What it takes of the device's capacity."""
        return 0 if self.pinned else (self.nbytes + 63) // 32 * 32

    def before(self, write: bool) -> Iterator[Point]:
        """Return what must be done before the next access."""
        if self._written is not None:
            yield self._written
        if write:
            yield from [Point(queue, position) for queue, position in self._read.items()]

    def access(self, point: Point, write: bool) -> None:
        """Note an access of a stream that follows all it must."""
        if write:
            self._written, self._read = point, {}
        else:
            self._read[point.queue] = point.position

    def overwrite(self) -> None:
        """Note that the host wrote, after all accesses."""
        self._written, self._read = None, {}


class DeviceModel:
    """A device and what was created on it."""

    def __init__(self, dev: Any) -> None:
        self.dev = dev
        self.capacity: int = dev.memory_total
        self.queues = [StreamModel(self, dev.default_stream)]
        self.marks: list[EventModel] = []
        self.blocks: list[MemoryModel] = []
        self.calls: list[ExecutorModel] = []
        #: whether anything read what was never written
        self.reads_unwritten = False
        #: whether host functions were queued
        self.has_functions = False

    def read_by_host(self, written: Any) -> None:
        """Note that the host, or an operator, reads bytes; whether they were written is given."""
        self.reads_unwritten = self.reads_unwritten or not written.all()

    def check_hazards(self, *, ended: bool = False) -> None:
        """Check that the checker found what is wrong with the program, and nothing else.

        Behind host functions, it may find unwritten bytes when tasks run: when all have
        ``ended``.
        """
        hazards = self.dev.hazards
        kinds = {hazard.kind for hazard in hazards}
        assert kinds <= {"uninitialized-read", "lifetime", "use-after-free", "wait"}, hazards
        assert all("never recorded" in str(x) for x in hazards if x.kind == "wait"), hazards
        found = "uninitialized-read" in kinds
        assert found <= self.reads_unwritten, hazards
        assert found or not self.reads_unwritten or (self.has_functions and not ended)

    @property
    def free(self) -> int:
        return self.capacity - sum(block.reserved for block in self.blocks if block.alive)

    def living(self, *, pinned: bool | None = None) -> list[MemoryModel]:
        """Return the memory that was not freed and has contents, of one kind or of both."""
        return [
            block
            for block in self.blocks
            if block.alive and not block.large and pinned in (None, block.pinned)
        ]


class TensorModel:
    def __init__(self, block: MemoryModel, tensor: Any) -> None:
        self.block = block
        self.tensor = tensor
        self.shape: tuple[int, ...] = tensor.shape
        self.kind: str = tensor.dtype.name
        self.itemsize: int = tensor.dtype.itemsize
        # along an axis of one element, the stride means nothing
        self.strides = tuple(
            stride if size > 1 else 0
            for size, stride in zip(self.shape, tensor.strides, strict=True)
        )
        self.offset: int = tensor.offset

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def described(self) -> tuple[Any, ...]:
        """What two tensors in one piece of memory share if they are one view."""
        return self.kind, self.shape, self.strides, self.offset

    def elements(self) -> Any:
        """Return the numbers of its elements, counted from the beginning of the memory."""
        steps = np.ix_(*[np.arange(size) for size in self.shape])
        place = np.full(self.shape, self.offset)
        for step, stride in zip(steps, self.strides, strict=True):
            place += step * stride
        return place

    def extent(self) -> slice:
        """Return the bytes from the first element to the last."""
        place = self.elements()
        if place.size == 0:
            return slice(0, 0)
        return slice(int(place.min()) * self.itemsize, int(place.max() + 1) * self.itemsize)

    def touched(self) -> Any:
        """Return the bytes of its elements as a mask of those of the block."""
        mask = np.zeros(self.block.nbytes, bool)
        place = self.elements().reshape(-1, 1) * self.itemsize
        mask[place + np.arange(self.itemsize)] = True
        return mask

    def fits(self, block: MemoryModel) -> bool:
        """Tell whether its elements would lie inside of other memory."""
        place = self.elements()
        inside = place.size == 0 or (
            place.min() >= 0 and (place.max() + 1) * self.itemsize <= block.nbytes
        )
        return bool(inside)

    def array(self, raw: Any) -> Any:
        """Return its elements as a view of the block's bytes."""
        strides = tuple(stride * self.itemsize for stride in self.strides)
        offset = self.offset * self.itemsize if self.size else 0
        return np.ndarray(self.shape, self.tensor.dtype, raw, offset, strides)

    def read(self) -> Any:
        return self.array(self.block.bytes).copy(order="C")

    def write(self, values: Any) -> None:
        self.array(self.block.bytes)[...] = values
        self.block.vague[self.touched()] = False
        nan = self.elements()[np.isnan(values)].reshape(-1, 1) * self.itemsize
        self.block.vague[nan + np.arange(self.itemsize)] = True

    def same(self, other: TensorModel) -> bool:
        """Tell whether two tensors are one view of one piece of memory."""
        return self.block is other.block and self.described == other.described

    def meets(self, other: TensorModel) -> bool:
        return self.block is other.block and bool((self.touched() & other.touched()).any())


@dataclass(eq=False)
class ExecutorModel:
    """An executor and the call that it is for."""

    operator: str
    views: list[TensorModel]
    scalars: tuple[Any, ...]
    size: int
    executor: Any
    ready: bool = True
    repeatable: bool = False

    def __post_init__(self) -> None:
        self.blocks = [view.block for view in self.views]

    @property
    def inputs(self) -> int:
        return len(ar.OPERATORS[self.operator].tensors)

    @property
    def keeps_executor(self) -> bool:
        """Whether the executor can be used again after phase 2 refused."""
        return self.repeatable or self.operator == "logit_grad"

    @property
    def works(self) -> bool:
        return not settled_by_emptiness(self.operator, self.views) and (
            self.views[self.inputs].size > 0
        )

    def stale(self) -> bool:
        """Tell whether a tensor is elsewhere than phase 1 found it, or its memory was freed."""
        return any(
            view.block is not block or not block.alive
            for view, block in zip(self.views, self.blocks, strict=True)
        )

    def overlaps(self) -> bool:
        return overlaps(self.operator, self.views)

    def run(self) -> None:
        results = from_device(
            self.operator,
            [view.read() for view in self.views[: self.inputs]],
            self.scalars,
            [view.tensor.dtype for view in self.views[self.inputs :]],
        )
        for view, result in zip(self.views[self.inputs :], results, strict=True):
            view.write(result)


def settled_by_emptiness(operator: str, views: list[TensorModel]) -> bool:
    """Tell whether a call succeeds, whatever else is wrong with its tensors' shapes and places."""
    return operator == "hardshrink_backward" and any(view.size == 0 for view in views[:2])


def overlaps(operator: str, views: list[TensorModel]) -> bool:
    """Tell whether a result of a call overlaps what it must not: itself, for a start."""
    if settled_by_emptiness(operator, views):
        return False
    inputs = len(ar.OPERATORS[operator].tensors)
    return any(
        out.touched().sum() < out.size * out.itemsize
        or any(
            out.meets(other) and (k >= inputs or not out.same(other))
            for k, other in enumerate(views[:number])
        )
        for number, out in enumerate(views[inputs:], inputs)
    )


#: operator -> element types of its tensors and results
KINDS: dict[str, list[tuple[str, ...]]] = {
    operator: [(kind,) * count for kind in ("float32", "float16", "bfloat16")]
    for operator, count in (
        ("hardshrink_backward", 3),
        ("softplus_backward", 3),
        ("prelu_backward", 5),
        ("smooth_l1_loss_backward", 4),
        ("logit_grad", 3),
    )
}
KINDS["hardshrink_backward"] += [("float16", "float32", "float32"), ("float32",) * 2 + ("float16",)]
KINDS["softplus_backward"] += [("float32", "int64", "float32"), ("float64",) * 3]
KINDS["smooth_l1_loss_backward"] += [("float16", "float32", "float32", "float32")]

#: operator -> values to try for its scalars
SCALARS: dict[str, list[list[Any]]] = {
    "hardshrink_backward": [[0.5, 0.0, -1, 1.25, float("nan"), ar.Scalar(0.3, "float16")]],
    "softplus_backward": [
        [1.0, -0.5, 0, ar.Scalar(3, "int64")],
        [20.0, 0.25, float("inf"), ar.Scalar(0.1, "float64")],
    ],
    "prelu_backward": [],
    "smooth_l1_loss_backward": [[0, 1, 2], [1.0, 0.25, 0.0, True, ar.Scalar(0.3, "bfloat16")]],
    "logit_grad": [[-1.0, 0.0, 0.1, 1.0, 2, ar.Scalar(0.3, "float32")]],
}


def supported(operator: str, product: Any, kinds: tuple[str, ...]) -> int:
    """Return the code with which a product refuses tensors of some types; 0 where it does not."""
    params = ar.OPERATORS[operator].on(product)
    if params is None:
        return MISSING
    return INVALID if "bfloat16" in kinds and not product.has_bfloat16 else 0


def noise(kind: str, size: int, seed: int) -> Any:
    """Return numbers of a type that give no NaN, as bytes."""
    rng = np.random.default_rng(seed)
    if kind == "int64":
        return rng.integers(-30, 30, size).view(np.uint8)
    values = rng.uniform(-1, 1, size) * 2.0 ** rng.integers(-3, 3, size)
    return values.astype(FORMATS[kind].dtype).view(np.uint8)
