"""Makes the calls of a random program and predicts the outcome of each with the model."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import perf_counter, sleep
from typing import Any, NamedTuple

import numpy as np
from hypothesis import currently_in_test_context, note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

import ascendref as ar

from ..support.two_phase import phase_2
from .device_model import (
    INVALID,
    KINDS,
    SCALARS,
    SPENT,
    DeviceModel,
    EventModel,
    ExecutorModel,
    MemoryModel,
    Point,
    Raised,
    StreamModel,
    TensorModel,
    noise,
    reach,
    see,
)

#: of every device in bytes: room for three workspaces of 16 MiB, not for four
CAPACITY = 2**26


class CopySide(NamedTuple):
    """One side of a copy: the argument, and its bytes in the model."""

    argument: Any
    block: MemoryModel | None
    bytes: Any
    vague: Any
    #: which bytes were ever written
    written: Any
    #: the array that is passed, if it is one
    array: Any = None

    @classmethod
    def of(cls, argument: Any, block: MemoryModel, part: slice, array: Any = None) -> CopySide:
        """Return the side of a copy that is a part of memory."""
        return cls(
            argument, block, block.bytes[part], block.vague[part], block.written[part], array
        )

    @classmethod
    def of_host(cls, argument: Any, content: Any, array: Any = None) -> CopySide:
        """Return the side of a copy that is an array, or a number to fill with."""
        size = len(content)
        return cls(argument, None, content, np.zeros(size, bool), np.ones(size, bool), array)

    def pageable_on(self, device: DeviceModel) -> bool:
        """Tell whether a device takes it for memory of the host that is not pinned."""
        return self.array is not None and (self.block is None or self.block.device is not device)


class Workspace(NamedTuple):
    """What phase 2 is given to work in."""

    argument: Any
    #: as phase 2 is told
    size: int
    block: MemoryModel | None
    start: int


class Draw:
    """Random choices; Hypothesis shrinks them toward the first."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def number(self, least: int, most: int) -> int:
        found: int = self._data.draw(st.integers(least, most))
        return found

    def pick(self, choices: Any) -> Any:
        return choices[self.number(0, len(choices) - 1)]

    def once_in(self, count: int) -> bool:
        return self.number(1, count) == count


class ProgramWriter(RuleBasedStateMachine):
    """Writes a program: each method makes calls and updates the model."""

    def __init__(self, execution: str) -> None:
        super().__init__()
        self.execution = execution
        #: calls of the library that were made
        self.made = 0
        #: how the latest one failed
        self.error: ar.AclError | None = None
        self.devices: list[DeviceModel] = []

    def attempt(self, expected: int | set[int], call: Callable[..., Any], *arguments: Any) -> Any:
        """Make a call that is to end with a status, or with one of several; return its result."""
        self.made += 1
        self.error, result = None, None
        try:
            result = call(*arguments)
        except ar.AclError as error:
            self.error = error.with_traceback(None)
        status = 0 if self.error is None else int(self.error.status)
        if currently_in_test_context():
            note((call, arguments, status))
        assert status in (expected if isinstance(expected, set) else {expected}), self.error
        return result

    # ---- what programs draw

    def device(self, draw: Draw) -> DeviceModel:
        return self.devices[draw.once_in(4)]

    def other(self, device: DeviceModel) -> DeviceModel:
        return self.devices[device is self.devices[0]]

    def queue(self, draw: Draw, device: DeviceModel) -> StreamModel:
        queue: StreamModel = draw.pick([queue for queue in device.queues if queue.alive])
        return queue

    def any_queue(self, draw: Draw, device: DeviceModel) -> tuple[StreamModel, int]:
        """Return a stream, rarely one that does not serve, and the code that work on it gives."""
        if draw.once_in(12):
            queue: StreamModel = draw.pick(self.other(device).queues + device.queues)
            if not queue.alive:
                return queue, 107017
            return queue, 0 if queue.device is device else 107003
        return self.queue(draw, device), 0

    def block(self, draw: Draw, device: DeviceModel, *, pinned: bool | None = None) -> MemoryModel:
        blocks = device.living(pinned=pinned)
        if not blocks or draw.once_in(6):
            return self.allocate(device, draw.number(1, 300), pinned=bool(pinned))
        block: MemoryModel = draw.pick(blocks[-6:])
        return block

    def allocate(self, device: DeviceModel, nbytes: int, *, pinned: bool = False) -> MemoryModel:
        call = device.dev.malloc_host if pinned else device.dev.malloc
        block = MemoryModel(device, self.attempt(0, call, nbytes))
        device.blocks.append(block)
        return block

    def release(self, block: MemoryModel, argument: Any) -> None:
        self.attempt(0, block.device.dev.free, argument)
        block.alive = False

    def mark(self, draw: Draw, device: DeviceModel, *, syncs: bool = False) -> EventModel:
        """Return an event, an old one or a new one."""
        marks = [mark for mark in device.marks if mark.alive and (mark.syncs or not syncs)]
        if marks and not draw.once_in(3):
            found: EventModel = draw.pick(marks)
            return found
        mark = EventModel(device, self.attempt(0, device.dev.create_event), 9, True)
        device.marks.append(mark)
        return mark

    # ---- waiting

    def record(self, mark: EventModel, queue: StreamModel) -> None:
        self.attempt(0, mark.event.record, queue.stream)
        mark.record(queue)

    def synchronize(self, queue: StreamModel) -> None:
        position = queue.submitted if queue.waited_for else queue.seen
        self.attempt(queue.outcomes(position), queue.stream.synchronize)
        if queue.waited_for:
            reach(queue.clock())
        queue.report(position, self.error)
        queue.check_calls()

    def synchronize_device(self, device: DeviceModel) -> None:
        """Let the host wait for everything; the first stream that has something to report does."""
        living = [queue for queue in device.queues if queue.alive]
        outcomes = [queue.outcomes(queue.submitted) for queue in living]
        maybe = set().union(*outcomes)
        self.attempt({507000} if {507000} in outcomes else maybe, device.dev.synchronize)
        for queue in living:
            reach(queue.clock())
        cause = None if self.error is None else self.error.__cause__
        for queue in living:
            queue.check_calls()
        for queue in living:
            if any(raised.error is cause for raised in queue.raised):
                queue.report(queue.submitted, self.error)
                return
            queue.report(queue.submitted, None)
        assert cause is None

    def synchronize_event(self, mark: EventModel) -> None:
        if mark.point is None:
            self.attempt(0, mark.event.synchronize)
            return
        queue = mark.point.queue
        reach(mark.clock)
        self.attempt(queue.outcomes(queue.seen), mark.event.synchronize)
        queue.report(queue.seen, self.error)
        queue.check_calls()

    def query(self, queue: StreamModel) -> bool:
        done: bool = self.attempt(0, queue.stream.query)
        assert done or queue.seen < queue.submitted
        if done:
            see(queue.clock())
        return done

    def query_event(self, mark: EventModel) -> bool:
        done: bool = self.attempt(0, mark.event.query)
        if mark.point is None:
            assert done is mark.ex
        elif done:
            see(mark.clock)
        else:
            assert mark.point.position > mark.point.queue.seen
        return done

    def ask_until_done(self, queue: StreamModel) -> None:
        """Ask a stream often enough; where work runs on demand, questions make it run."""
        deadline = perf_counter() + 60
        while not self.query(queue):
            assert perf_counter() < deadline
            sleep(0.0002)
        reach(queue.clock())

    def wait_on_host(self, draw: Draw, point: Point) -> None:
        """Let the host wait for a point, in one way or another."""
        queue = point.queue
        if point.position <= queue.done:
            return
        way = draw.number(0, 3)
        if way == 0 and queue.waited_for:
            self.synchronize(queue)
        elif way == 1:
            mark = self.mark(draw, queue.device)
            self.record(mark, queue)
            self.synchronize_event(mark)
        elif way == 2:
            self.ask_until_done(queue)
        else:
            self.synchronize_device(queue.device)

    def link(self, draw: Draw, point: Point, queue: StreamModel) -> None:
        if queue.follows(point):
            return
        if queue.device is not point.queue.device or draw.once_in(4):
            self.wait_on_host(draw, point)
            return
        for mark in queue.device.marks:
            if mark.alive and mark.syncs and mark.clock.get(point.queue, 0) >= point.position:
                break  # an earlier record will do
        else:
            mark = self.mark(draw, queue.device, syncs=True)
            self.record(mark, point.queue)
        self.attempt(0, queue.stream.wait_event, mark.event)
        queue.submit()
        queue.wait(mark.clock)

    def settle(self, draw: Draw, block: MemoryModel, *, write: bool) -> None:
        """Let the host wait until it can use memory."""
        for point in list(block.before(write)):
            self.wait_on_host(draw, point)
        if write:
            block.overwrite()

    def order(
        self, draw: Draw, queue: StreamModel, reads: list[MemoryModel], writes: list[MemoryModel]
    ) -> None:
        """Let a stream wait until it can use memory."""
        for block, write in [(x, False) for x in reads] + [(x, True) for x in writes]:
            for point in list(block.before(write)):
                self.link(draw, point, queue)

    def touch(
        self, queue: StreamModel, reads: list[MemoryModel], writes: list[MemoryModel]
    ) -> None:
        point = queue.submit()
        for block, write in [(x, False) for x in reads] + [(x, True) for x in writes]:
            block.access(point, write)

    def destroy(self, queue: StreamModel) -> None:
        """Destroy a stream: that waits for it, whatever it is, and reports."""
        self.attempt(queue.outcomes(queue.submitted), queue.stream.destroy)
        reach(queue.clock())
        queue.report(queue.submitted, self.error)
        queue.check_calls()
        queue.alive = False

    # ---- copies

    def side(self, draw: Draw, device: DeviceModel) -> CopySide:
        """Return where a copy can come from or go to."""
        way = draw.number(0, 4)
        if way == 4:
            array = noise("float32", draw.number(1, 80), draw.number(0, 9))
            return CopySide.of_host(array, array.copy(), array)
        if way == 3:
            block = self.block(draw, self.device(draw), pinned=True)
            start = draw.number(0, block.nbytes - 1)
            part = slice(start, draw.number(start + 1, block.nbytes))
            array = self.attempt(0, block.memory.numpy)[part]
            return CopySide.of(array, block, part, array)
        block = self.block(draw, device)
        if way == 2:
            start = draw.number(0, block.nbytes - 1)
            return CopySide.of(block.memory.address + start, block, slice(start, None))
        return CopySide.of(block.memory, block, slice(None))

    def copy_between(
        self,
        draw: Draw,
        device: DeviceModel,
        dst: CopySide,
        src: CopySide,
        nbytes: int | None,
        *,
        queued: bool,
    ) -> None:
        """Copy from one side to the other; a number is a source as well."""
        filling = src.array is None and src.block is None
        names = ("memset", "memset_async") if filling else ("memcpy", "memcpy_async")
        call = getattr(device.dev, names[queued])
        whole = dst if filling or (dst.array is not None and src.array is None) else src
        count = len(whole.bytes) if nbytes is None else nbytes
        call = partial(call, dst.argument, src.argument, *([] if nbytes is None else [nbytes]))
        queue = device.queues[0]
        status = 0
        if queued:
            queue, status = self.any_queue(draw, device)
            call = partial(call, stream=queue.stream)
        if not 0 <= count <= min(len(dst.bytes), len(src.bytes)):
            status = 107000
        if status or not count:
            self.attempt(status if count else 0, call)
            return
        reads = [] if src.block is None else [src.block]
        writes = [] if dst.block is None else [dst.block]
        if queued:
            self.order(draw, queue, reads, writes)
            self.attempt(0, call)
            self.touch(queue, reads, writes)
            if dst.pageable_on(device) or src.pageable_on(device):
                reach(queue.clock())  # the call waited
        else:
            for block in reads:
                self.settle(draw, block, write=False)
            for block in writes:
                self.settle(draw, block, write=True)
            self.attempt(0, call)
        written = src.written[:count].copy()
        if dst.array is not None or (dst.block is not None and dst.block.pinned):
            device.read_by_host(written)
        else:
            dst.written[:count] = written
        dst.bytes[:count], dst.vague[:count] = src.bytes[:count].copy(), src.vague[:count].copy()
        if dst.array is not None and dst.block is None:
            assert ((dst.array == dst.bytes) | dst.vague).all()

    def compare(self, block: MemoryModel) -> None:
        found = np.zeros(block.nbytes, np.uint8)
        self.attempt(0, block.device.dev.memcpy, found, block.memory)
        assert ((found == block.bytes) | block.vague).all()
        block.device.read_by_host(block.written)

    # ---- operators

    def view(
        self, draw: Draw, device: DeviceModel, shape: tuple[int, ...], kind: str, out: bool
    ) -> TensorModel:
        """Describe memory, in use or not, as a tensor of any layout."""
        itemsize = np.dtype(kind).itemsize
        strides = self.strides(draw, shape, out)
        ways = [(size - 1) * stride for size, stride in zip(shape, strides, strict=True)]
        low, high = sum(min(0, way) for way in ways), sum(max(0, way) for way in ways)
        if 0 in shape:
            low = high = 0
        count = high - low + 1
        blocks = [
            block for block in device.living(pinned=False) if block.nbytes >= count * itemsize
        ]
        if blocks and draw.once_in(2):
            block = draw.pick(blocks[-6:])
        else:
            block = self.allocate(device, (count + draw.number(0, count)) * itemsize)
        offset = draw.number(0, min(50, block.nbytes // itemsize - count)) - low
        tensor = self.attempt(0, ar.Tensor, block.memory, shape, kind, strides, offset)
        return TensorModel(block, tensor)

    def strides(self, draw: Draw, shape: tuple[int, ...], out: bool) -> tuple[int, ...]:
        """Return strides: dense, or any order of the axes with gaps and in either direction."""
        dense = not draw.once_in(2)
        step = 1 if dense else draw.pick([1, 2, 3])
        axes, strides = list(range(len(shape))), [0] * len(shape)
        while axes:
            axis = axes.pop() if dense else axes.pop(draw.number(0, len(axes) - 1))
            if not dense and not out and draw.once_in(6):
                continue  # one element for the whole axis
            strides[axis] = step if dense else draw.pick([step, -step])
            step = step * max(1, shape[axis]) + (0 if dense else draw.number(0, 1))
        return tuple(strides)

    def stretched(self, draw: Draw, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return a shape that broadcasts to another."""
        shape = tuple(1 if draw.once_in(4) else size for size in shape)
        return shape[draw.number(0, len(shape)) if draw.once_in(4) else 0 :]

    def compose(
        self, draw: Draw, device: DeviceModel
    ) -> tuple[str, list[TensorModel], tuple[Any, ...]]:
        """Return an operator and fitting arguments, with results in place now and then."""
        if device.calls and draw.once_in(4):
            return self.compose_again(draw, device)
        operator = draw.pick(list(KINDS))
        kinds = draw.pick(KINDS[operator])
        shape = tuple(draw.pick([2, 3, 1, 5, 0]) for _ in range(draw.number(0, 3)))
        declared = ar.OPERATORS[operator]
        shapes = [shape] * len(declared.tensors)
        if operator == "prelu_backward":
            channels = shape[1] if len(shape) > 1 else 1
            shapes[0] = self.stretched(draw, shape)
            shapes[2] = draw.pick([(channels,), (1,), (), (1, channels, 1)])
        elif operator in ("hardshrink_backward", "smooth_l1_loss_backward"):
            shapes = [self.stretched(draw, shape) for _ in shapes]
        results = declared.shapes(declared, tuple(shapes), ())
        views: list[TensorModel] = []
        for number, (size, kind) in enumerate(zip([*shapes, *results], kinds, strict=True)):
            out = number >= len(shapes)
            same = [view for view in views if view.shape == size and view.kind == kind]
            if same and draw.once_in(3):
                view = draw.pick(same)
                if draw.once_in(2):
                    tensor = view.tensor
                    described = (tensor.shape, kind, tensor.strides, tensor.offset)
                    tensor = self.attempt(0, ar.Tensor, tensor.memory, *described)
                    view = TensorModel(view.block, tensor)
            else:
                view = self.view(draw, device, size, kind, out)
            views.append(view)
        scalars = tuple(draw.pick(choices) for choices in SCALARS[operator])
        return operator, views, scalars

    def compose_again(
        self, draw: Draw, device: DeviceModel
    ) -> tuple[str, list[TensorModel], tuple[Any, ...]]:
        """Return arguments like those of an earlier call, but in other memory."""
        call = draw.pick(device.calls)
        views: list[TensorModel] = []
        for known in call.views:
            same = [view for view in views if view.described == known.described]
            if same and draw.once_in(2):
                block = draw.pick(same).block
            else:
                block = self.allocate(device, known.block.nbytes)
            described = (known.shape, known.kind, known.tensor.strides, known.offset)
            tensor = self.attempt(0, ar.Tensor, block.memory, *described)
            views.append(TensorModel(block, tensor))
        return call.operator, views, call.scalars

    def upload(self, draw: Draw, views: list[TensorModel]) -> None:
        """Copy numbers to some tensors, and to all whose bytes are not known."""
        for view in views:
            if view.block.vague[view.touched()].any() or draw.once_in(3):
                self.upload_to(draw, view)

    def upload_to(self, draw: Draw, view: TensorModel) -> None:
        """Copy numbers to a tensor, and to the gaps between its elements."""
        part = view.extent()
        array = noise(view.kind, (part.stop - part.start) // view.itemsize, draw.number(0, 9))
        src = CopySide.of_host(array, array.copy(), array)
        dst = CopySide.of(view.block.memory.address + part.start, view.block, part)
        device = view.block.device
        queued = not draw.once_in(4)
        if queued and draw.once_in(2):
            staging = self.allocate(device, array.size, pinned=True)
            staging.memory.numpy()[:] = staging.bytes[:] = array
            src = CopySide.of(staging.memory, staging, slice(None))
        self.copy_between(draw, device, dst, src, array.size, queued=queued)

    def workspace(self, draw: Draw, device: DeviceModel, call: ExecutorModel) -> Workspace | None:
        """Return a workspace; None when there is no memory for it."""
        if not call.size:
            return Workspace(None, 0, None, 0)
        used = [view.block for view in call.views]
        blocks = [
            block
            for block in device.blocks
            if block.alive and not block.pinned and block.nbytes >= call.size and block not in used
        ]
        if blocks and not draw.once_in(3):
            block = draw.pick(blocks)
        else:
            nbytes = call.size + draw.pick([0, 3, 64])
            if (nbytes + 63) // 32 * 32 > device.free:
                self.attempt(207001, device.dev.malloc, nbytes)
                return None
            block = self.allocate(device, nbytes)
        spare = min(64, block.nbytes - call.size)
        start = draw.number(0, spare)
        if start:
            return Workspace(block.memory.address + start, call.size, block, start)
        return Workspace(block.memory, call.size + draw.number(0, spare), block, 0)

    def launch(self, draw: Draw, device: DeviceModel, call: ExecutorModel) -> None:
        """Phase 2 with a good workspace."""
        workspace = self.workspace(draw, device, call)
        if workspace is None:
            return
        queue, status = self.any_queue(draw, device)
        if not call.ready:
            status = SPENT
        elif not status and (call.stale() or call.overlaps()):
            status = INVALID
        if status or not call.works:
            self.finish(call, status, workspace.argument, workspace.size, queue)
            return
        self.upload(draw, call.views[: call.inputs])
        if any(view.block.vague[view.touched()].any() for view in call.views[: call.inputs]):
            return  # a copy to it went wrong
        reads = [view.block for view in call.views[: call.inputs]]
        writes = [view.block for view in call.views[call.inputs :]]
        writes += [] if workspace.block is None else [workspace.block]
        self.order(draw, queue, reads, writes)
        self.finish(call, 0, workspace.argument, workspace.size, queue)
        self.touch(queue, reads, writes)
        if workspace.block is not None:
            used = slice(workspace.start, workspace.start + call.size)
            workspace.block.vague[used] = workspace.block.written[used] = True
        for view in call.views[: call.inputs]:
            device.read_by_host(view.block.written[view.touched()])
        for view in call.views[call.inputs :]:
            view.block.written[view.touched()] = True
        call.run()

    def finish(
        self, call: ExecutorModel, status: int, workspace: Any, size: Any, queue: StreamModel
    ) -> None:
        """Call phase 2, and note what becomes of the executor."""
        stream = None if queue is queue.device.queues[0] and not status else queue.stream
        arguments = (call.operator, workspace, size, call.executor, stream)
        self.attempt(status, phase_2, *arguments)
        call.ready = call.ready and (call.keeps_executor if status else call.repeatable)

    # ---- host functions

    def access(
        self, device: DeviceModel, block: MemoryModel | None, source: MemoryModel | None, value: int
    ) -> None:
        if block is not None and source is not None:
            count = min(block.nbytes, source.nbytes)
            device.dev.memcpy(block.memory, source.memory, count)
        elif block is not None and block.pinned:
            block.memory.numpy()[:] = value
        elif block is not None:
            device.dev.memset(block.memory, value)

    def launch_host_func(self, draw: Draw) -> None:
        """Call a host function that notes it, may access memory, and may raise."""
        device = self.device(draw)
        queue = self.queue(draw, device)
        device.has_functions = True
        error = RuntimeError("raised by a host function") if draw.once_in(3) else None
        block = self.block(draw, device) if draw.once_in(2) else None
        source = self.block(draw, device) if block is not None and draw.once_in(2) else None
        value = draw.number(0, 255)
        reads = [] if source is None else [source]
        writes = [] if block is None else [block]
        self.order(draw, queue, reads, writes)
        position = queue.submitted + 1
        called = queue.called
        access = partial(self.access, device, block, source, value)

        def function() -> None:
            called.append(position)
            access()
            if error is not None:
                raise error

        queue.calls.append(position)
        self.attempt(107000, queue.stream.launch_host_func, None)
        self.attempt(0, queue.stream.launch_host_func, function)
        self.touch(queue, reads, writes)
        if block is not None and source is not None:
            count = min(block.nbytes, source.nbytes)
            if block.pinned:
                device.read_by_host(source.written[:count])
            else:
                block.written[:count] = source.written[:count].copy()
            block.bytes[:count] = source.bytes[:count].copy()
            block.vague[:count] = source.vague[:count].copy()
        elif block is not None:
            block.bytes[:], block.vague[:], block.written[:] = value, False, True
        if error is not None:
            queue.raised.append(Raised(position, error, certain=True))


def arguments_of(operator: str, views: list[TensorModel], scalars: tuple[Any, ...]) -> list[Any]:
    tensors = [view.tensor for view in views]
    inputs = len(ar.OPERATORS[operator].tensors)
    return [*tensors[:inputs], *scalars, *tensors[inputs:]]
