"""Programs of random calls, most of them right, on two devices, against a model of them.

The model predicts the status of every call, the bytes of all memory once work is waited for, and
whether anything reads what was never written; of races the checker must find none.
The programs are correctly synchronized: before memory is shared, streams are linked by events, or
the host waits. ``pytest tests/device/test_fuzz.py --hypothesis-profile=fuzz`` runs many more of
them, different ones each time; the summary tells how many calls that were. `fuzz` makes millions.
"""

from collections.abc import Callable
from functools import partial
from time import perf_counter

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

import ascendref as ar

from ..support.two_phase import phase_1, phase_2
from .calls import EXECUTIONS, content
from .device_model import (
    INVALID,
    SPENT,
    DeviceModel,
    EventModel,
    ExecutorModel,
    StreamModel,
    overlaps,
    reach,
    supported,
)
from .program_writer import CAPACITY, CopySide, Draw, ProgramWriter, arguments_of

pytestmark = pytest.mark.full

PRODUCTS = ("Atlas A2", "Atlas A3", "Atlas training", "Atlas inference", "Atlas 200I/500 A2")
DATA = st.builds(Draw, st.data())


class Program(ProgramWriter):
    """The rules by which Hypothesis writes programs."""

    @initialize(product=st.sampled_from(PRODUCTS), seed=st.integers(0, 2**32 - 1))
    def begin(self, product: str, seed: int) -> None:
        for name, streams in (("Atlas A2", 3), (product, 1)):
            dev = ar.Device(
                name, memory=CAPACITY, execution=self.execution, seed=seed, check="report"
            )
            device = DeviceModel(dev)
            device.queues += [StreamModel(device, dev.create_stream()) for _ in range(streams)]
            self.devices.append(device)

    @rule(draw=DATA)
    def step(self, draw: Draw) -> None:
        """Do something of a group; the groups are equally likely."""
        groups: list[list[Callable[[Draw], None]]] = [
            [self.add_work],
            [partial(self.fill, queued=False), partial(self.copy, queued=False)],
            [partial(self.compute, at_once=False)],
            [self.look, self.write_pinned],
            [
                lambda draw: self.synchronize(self.queue(draw, self.device(draw))),
                lambda draw: self.synchronize_device(self.device(draw)),
                lambda draw: self.synchronize_event(self.mark(draw, self.device(draw))),
                self.ask,
            ],
            [self.link_streams],
            [self.malloc, self.malloc_and_forget, self.free],
            [self.create_stream, self.destroy_stream],
            [self.create_event, self.destroy_event, self.reset_event, self.elapsed_time],
            [self.free_too_early],
        ]
        if any(device.calls for device in self.devices):
            groups += [
                [self.run],
                [self.move, self.move, self.move, self.make_repeatable, self.destroy_executor],
                [self.read_tensor],
            ]
        draw.pick(draw.pick(groups))(draw)

    def add_work(self, draw: Draw) -> None:
        for _ in range(draw.number(1, 6)):
            work = draw.pick([self.fill, self.copy, self.compute, self.launch_host_func])
            work(draw)

    def copy(self, draw: Draw, *, queued: bool = True) -> None:
        """Copy all, a part, nothing, or too much."""
        device = self.device(draw)
        dst, src = self.side(draw, device), self.side(draw, device)
        most = min(len(dst.bytes), len(src.bytes))
        nbytes = draw.pick([most, None, draw.number(1, most), 0, most + 1, -1])
        self.copy_between(draw, device, dst, src, nbytes, queued=queued)

    def fill(self, draw: Draw, *, queued: bool = True) -> None:
        """Fill all, a part, nothing, or too much."""
        device = self.device(draw)
        dst = self.side(draw, device)
        most = len(dst.bytes)
        nbytes = draw.pick([most, None, draw.number(1, most), 0, most + 1, -1])
        value = draw.pick([0, 1, 0x3C, 0xFF, 0x140, -2])
        src = CopySide.of_host(value, np.full(most, value & 0xFF, np.uint8))
        self.copy_between(draw, device, dst, src, nbytes, queued=queued)

    def compute(self, draw: Draw, *, at_once: bool = True) -> None:
        """Phase 1, and phase 2 may follow at once."""
        device = self.device(draw)
        operator, views, scalars = self.compose(draw, device)
        arguments = arguments_of(operator, views, scalars)
        status = supported(operator, device.dev.product, tuple(view.kind for view in views))
        if not status and overlaps(operator, views):
            status = INVALID
        found = self.attempt(status, phase_1, operator, *arguments)
        if found is None:
            return
        size, executor = found
        call = ExecutorModel(operator, views, scalars, size, executor)
        scratch = 2**24 if call.works and operator == "logit_grad" else 0
        assert size >= scratch
        assert (size - scratch) % 512 == 0
        assert call.works or not size
        device.calls.append(call)
        if draw.once_in(3):
            self.attempt(0, executor.set_repeatable)
            call.repeatable = True
        if at_once:
            self.launch(draw, device, call)

    def run(self, draw: Draw) -> None:
        """Phase 2 of an executor of any state."""
        device = draw.pick([device for device in self.devices if device.calls])
        self.launch(draw, device, draw.pick(device.calls))

    def make_repeatable(self, draw: Draw) -> None:
        """Only what was not used yet can be."""
        call = draw.pick([call for device in self.devices for call in device.calls])
        self.attempt(0 if call.ready else SPENT, call.executor.set_repeatable)
        call.repeatable = call.repeatable or call.ready

    def destroy_executor(self, draw: Draw) -> None:
        """Any number of times."""
        call = draw.pick([call for device in self.devices for call in device.calls])
        self.attempt(0, call.executor.destroy)
        call.ready = False

    def move(self, draw: Draw) -> None:
        """Let a tensor of a call lie elsewhere; phase 2 may follow."""
        device = draw.pick([device for device in self.devices if device.calls])
        call = draw.pick(
            [call for call in device.calls if call.ready or draw.once_in(8)] or device.calls
        )
        view = draw.pick(draw.pick(device.calls).views if draw.once_in(8) else call.views)
        blocks = [view.block, *[block for block in device.living(pinned=False) if view.fits(block)]]
        block = draw.pick(blocks)
        if draw.once_in(4):
            blocks = [block for block in device.blocks if not block.large]
            block = draw.pick([*blocks, *self.other(device).living()] or [view.block])
        argument = block.memory if draw.once_in(2) or block.pinned else block.memory.address
        status = 0
        if view not in call.views or block.pinned or not view.fits(block):
            status = INVALID
        odd = view.size and view.itemsize > 1 and block.nbytes > 1
        if isinstance(argument, int) and block.alive and odd and draw.once_in(8):
            argument += 1  # no address of such elements
            status = INVALID
        if not block.alive or block.device is not device:
            status = 107000
        if not call.ready:
            status = SPENT
        if draw.once_in(12):
            argument, status = None, SPENT
        self.attempt(status, call.executor.set_tensor_address, view.tensor, argument)
        if status == 0:
            view.block = block
            call.blocks = [
                block if own is view else before
                for own, before in zip(call.views, call.blocks, strict=True)
            ]
        if draw.once_in(2):
            self.launch(draw, device, call)

    def malloc(self, draw: Draw) -> None:
        self.allocate(self.device(draw), draw.number(1, 600), pinned=draw.once_in(3))

    def malloc_and_forget(self, draw: Draw) -> None:
        """What nobody refers to is freed."""
        device = self.device(draw)
        call = draw.pick([device.dev.malloc, device.dev.malloc_host])
        assert self.attempt(0, call, draw.number(1, 600)).alive

    def free(self, draw: Draw) -> None:
        """Free memory that nobody uses any more, twice."""
        device = self.device(draw)
        blocks = [block for block in device.blocks if block.alive]
        if blocks:
            block = draw.pick(blocks)
            self.settle(draw, block, write=True)
            self.release(block, draw.pick([block.memory, block.memory.address]))
            self.attempt(107000, device.dev.free, block.memory)

    def look(self, draw: Draw) -> None:
        block = self.block(draw, self.device(draw))
        self.settle(draw, block, write=False)
        self.compare(block)

    def write_pinned(self, draw: Draw) -> None:
        block = self.block(draw, self.device(draw), pinned=True)
        self.settle(draw, block, write=True)
        view = self.attempt(0, block.memory.numpy)
        assert ((view == block.bytes) | block.vague).all()
        view[:] = block.bytes[:] = draw.number(0, 255)
        block.vague[:] = False

    def read_tensor(self, draw: Draw) -> None:
        call = draw.pick([call for device in self.devices for call in device.calls])
        view = draw.pick(call.views)
        if not view.block.alive:
            self.attempt(INVALID, view.tensor.numpy)
            return
        self.settle(draw, view.block, write=False)
        found = self.attempt(0, view.tensor.numpy)
        assert found.shape == view.shape
        assert found.dtype == view.tensor.dtype
        view.block.device.read_by_host(view.block.written[view.touched()])
        place = view.elements().reshape(-1, 1) * view.itemsize + np.arange(view.itemsize)
        raw = found.reshape(-1).view(np.uint8).reshape(place.shape)
        assert ((raw == view.block.bytes[place]) | view.block.vague[place]).all()

    def ask(self, draw: Draw) -> None:
        device = self.device(draw)
        self.query(self.queue(draw, device))
        self.query_event(self.mark(draw, device))

    def link_streams(self, draw: Draw) -> None:
        for _ in range(draw.number(1, 3)):
            draw.pick([self.record_event, self.wait_event])(draw)

    def record_event(self, draw: Draw) -> None:
        device = self.device(draw)
        mark = self.mark(draw, device)
        queue, status = self.any_queue(draw, device)
        self.attempt(status, mark.event.record, queue.stream)
        if not status:
            mark.record(queue)

    def wait_event(self, draw: Draw) -> None:
        """Let a stream wait for an event, if it can be waited for."""
        device = self.device(draw)
        mark = self.mark(draw, device)
        queue, status = self.any_queue(draw, device)
        if not status and not mark.syncs:
            status = 207000
        elif not status and mark.point is None and not mark.ex:
            status = 107000
        self.attempt(status, queue.stream.wait_event, mark.event)
        if not status and mark.point is not None:
            queue.submit()
            queue.wait(mark.clock)

    def create_stream(self, draw: Draw) -> None:
        device = self.device(draw)
        if draw.once_in(8):
            self.attempt(107000, device.dev.create_stream, 0, draw.pick([0x40, -1]))
            return
        flags = draw.pick([0, 0, 1, 2, 4])
        stream = self.attempt(0, device.dev.create_stream, draw.number(-1, 9), flags)
        device.queues.append(StreamModel(device, stream, flags != 4))

    def destroy_stream(self, draw: Draw) -> None:
        """Destroy any stream but the default one; `any_queue` uses it afterwards."""
        queue = draw.pick(self.device(draw).queues)
        stream = queue.stream
        if queue is queue.device.queues[0]:
            self.attempt(100000, stream.destroy)
            return
        if queue.alive:
            self.destroy(queue)
        self.attempt(107017, stream.destroy)

    def create_event(self, draw: Draw) -> None:
        device = self.device(draw)
        ex = not draw.once_in(3)
        flags = draw.pick([9, 1, 8, 11, 0x40, 0x10, 0, -1, 0x41])
        call = partial(device.dev.create_event, flags, ex=ex)
        if 0 < flags < 16 or flags == (0x40 if ex else 0x10):
            device.marks.append(EventModel(device, self.attempt(0, call), flags, ex))
        else:
            self.attempt(107000, call)

    def destroy_event(self, draw: Draw) -> None:
        device = self.device(draw)
        mark = self.mark(draw, device)
        self.attempt(0, mark.event.destroy)
        mark.alive = False
        self.attempt(107017, self.queue(draw, device).stream.wait_event, mark.event)

    def reset_event(self, draw: Draw) -> None:
        """Only events of the old style that streams can wait for are reset."""
        mark = self.mark(draw, self.device(draw))
        if mark.ex or not mark.syncs:
            self.attempt(207000, mark.event.reset)
        else:
            self.attempt(0, mark.event.reset)
            mark.point, mark.clock = None, {}

    def elapsed_time(self, draw: Draw) -> None:
        """Time goes forward along a stream."""
        device = self.device(draw)
        start, end = self.mark(draw, device), self.mark(draw, device)
        first, last = start.point, end.point
        status: int | set[int] = 0
        if first is None or last is None:
            status = 507000
        elif not (start.timed and end.timed):
            status = 107006
        elif not (start.reached and end.reached):
            status = {0, 107006}
        elapsed = self.attempt(status, start.event.elapsed_time, end.event)
        if elapsed is not None and first and last and first.queue is last.queue:
            assert (elapsed > 0) <= (last.position > first.position)
            assert (elapsed < 0) <= (last.position < first.position)
        self.attempt(100000, start.event.elapsed_time, None)

    def free_too_early(self, draw: Draw) -> None:
        """Work that finds its memory freed fails, and the stream reports it."""
        device = self.device(draw)
        queue = self.queue(draw, device)
        if not queue.waited_for:
            return
        self.synchronize(queue)  # what it had to report is out of the way
        if draw.once_in(2) and not supported("smooth_l1_loss_backward", device.dev.product, ()):
            status = 507015
            name = "smooth_l1_loss_backward"
            tensor = self.attempt(0, device.dev.tensor, np.ones(9, np.float32))
            arguments = (tensor, tensor, tensor, 0, 1.0, tensor)
            size, executor = self.attempt(0, phase_1, name, *arguments)
            self.attempt(0, phase_2, name, None, size, executor, queue.stream)
            memory = tensor.memory
        else:
            status = 507013
            memory = self.attempt(0, device.dev.malloc, 9)
            self.attempt(0, partial(device.dev.memset_async, stream=queue.stream), memory, 0)
        self.attempt(0, device.dev.free, memory)
        queue.submit()
        # eager work may have been quicker
        self.attempt({0, status} if self.execution == "eager" else status, queue.stream.synchronize)
        reach(queue.clock())

    # ---- at any time, and at the end

    @invariant()
    def accounts_agree(self) -> None:
        """Every allocation counts with its padding, and nothing else does."""
        for device in self.devices:
            self.made += 1
            assert device.dev.memory_free == device.free
            device.check_hazards()

    def teardown(self) -> None:
        """Nothing is left when all is given back."""
        if not self.devices:
            return
        for device in self.devices:
            while any(queue.raised for queue in device.queues):
                self.synchronize_device(device)
            self.synchronize_device(device)
            device.check_hazards(ended=True)
        for device in self.devices:
            for block in device.living():
                self.compare(block)
            for call in device.calls:
                self.attempt(0, call.executor.destroy)
            for mark in device.marks:
                if mark.alive:
                    self.attempt(0, mark.event.destroy)
            for queue in device.queues[1:]:
                if queue.alive:
                    self.destroy(queue)
            for block in device.blocks:
                if block.alive:
                    self.release(block, block.memory)
            assert device.dev.memory_free == device.dev.memory_total == CAPACITY


def check_that_threads_live() -> None:
    """Work of both kinds is done, on a device of its own."""
    dev, seen = ar.Device("Atlas A2"), []
    memory = dev.malloc(1)
    dev.default_stream.launch_host_func(lambda: seen.append(1))
    dev.memset_async(memory, 7)
    dev.synchronize(60_000)
    assert seen == [1]
    assert content(memory) == [7]


@pytest.mark.parametrize("execution", EXECUTIONS)
def test_programs(execution: str, record_property: Callable[[str, object], None]) -> None:
    # the profile for a search has more than Hypothesis' usual hundred
    record(record_property, *run_programs(execution, max(settings().max_examples - 100, 12)))


@pytest.mark.exhaustive
@pytest.mark.parametrize("execution", EXECUTIONS)
def test_more_programs(execution: str, record_property: Callable[[str, object], None]) -> None:
    record(record_property, *run_programs(execution, 100))


def record(record_property: Callable[[str, object], None], calls: int, seconds: float) -> None:
    """Note for the summary of the tests how many calls were made."""
    record_property("device calls", calls)
    record_property("device seconds", seconds)


def run_programs(execution: str, programs: int) -> tuple[int, float]:
    """Run so many programs; return how many calls they made, and in how many seconds."""
    calls = 0

    class Ran(Program):
        def __init__(self) -> None:
            super().__init__(execution)

        def teardown(self) -> None:
            nonlocal calls
            try:
                super().teardown()
            finally:
                calls += self.made

    start = perf_counter()
    # as Hypothesis itself has it for state machines: long programs are meant to be long
    unhurried = settings(max_examples=programs, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(Ran, settings=unhurried)
    check_that_threads_live()
    return calls, perf_counter() - start
