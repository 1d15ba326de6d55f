"""Random programs with host functions that access memory, and runs of them."""

import random
import time
from collections.abc import Callable, Sequence

import numpy as np

import ascendref as ar

from .order_oracle import Part, Step

#: streams at a time; the last is that of callbacks
STREAMS = 4
BLOCKS = 2
SIZE = 16


def random_part(draw: random.Random, count: int) -> Part:
    return Part(draw.randrange(BLOCKS), draw.randrange(SIZE - count + 1), count)


def random_access(draw: random.Random, *, task: bool, streams: Sequence[int]) -> Step:
    """Return a step that accesses memory."""
    count = draw.randint(1, draw.choice([3, SIZE]))
    way, value, stream = draw.randrange(3), draw.randrange(256), draw.choice(streams)
    read, written = random_part(draw, count), random_part(draw, count)
    if task and way:
        return Step("fill", stream, value=value, written=written)
    if task:
        return Step("copy", stream, read=read, written=written)
    if way == 0:
        return Step("read", read=read)
    if way == 1:
        return Step("set", value=value, written=written)
    return Step("move", read=read, written=written)


class Writer:
    """Writes a random program; ``ends`` tells whether it destroys streams."""

    def __init__(self, draw: random.Random, *, ends: bool) -> None:
        self.draw = draw
        self.ends = ends
        self.steps: list[Step] = []
        self.events = 0
        #: streams that take work; one that is destroyed is replaced
        self.living = list(range(STREAMS))
        self.created = STREAMS
        #: streams that functions submit to or end, and that must not be destroyed meanwhile
        self.shared: set[int] = set()
        #: streams with records or functions, which nobody would see if they are dropped
        self.kept: set[int] = set()
        #: whether a callback was queued and not run yet
        self.callback = False
        for _ in range(draw.randint(3, 12)):
            self.add()
        if self.callback:
            self.steps.append(Step("report"))

    def link(self, streams: list[int], *, host: bool = False) -> list[Step]:
        """Return steps by which a stream, or the host, waits for another stream."""
        one, other = self.draw.sample(streams, 2)
        event, self.events = self.events, self.events + 1
        self.kept.add(one)
        wait = Step("await", event=event) if host else Step("wait", other, event)
        return [Step("record", one, event), wait]

    def body(self, depth: int = 0) -> tuple[Step, ...]:
        """Return what a function does."""
        draw, steps = self.draw, list[Step]()
        streams = self.living[: STREAMS - 1]
        for _ in range(draw.randint(0, 3)):
            way = draw.randrange(12)
            if way < 6:
                steps.append(random_access(draw, task=False, streams=streams))
            elif way < 9:
                steps.append(random_access(draw, task=True, streams=streams))
            elif way == 9:
                steps += self.link(streams)
            elif way == 10 and depth == 0:
                steps.append(Step("function", draw.choice(streams), body=self.body(1)))
            elif way == 11 and self.ends and depth == 0 and (stream := self.idle()) is not None:
                self.replace(stream)
                streams = self.living[: STREAMS - 1]
                steps.append(Step("close", stream))
        self.shared.update(step.stream for step in steps if step.stream >= 0)
        return tuple(steps)

    def idle(self) -> int | None:
        """Return a stream that no function uses, if there is one."""
        streams = [k for k in self.living[: STREAMS - 1] if k not in self.shared]
        return self.draw.choice(streams) if streams else None

    def replace(self, stream: int) -> None:
        """Note that a stream is destroyed; another one takes its place."""
        self.living[self.living.index(stream)] = self.created
        self.created += 1

    def add(self) -> None:
        """Add a step or two."""
        draw, steps, streams = self.draw, self.steps, self.living
        way = draw.randrange(20)
        if way < 6:
            steps.append(random_access(draw, task=True, streams=streams))
        elif way < 7:
            steps.append(random_access(draw, task=False, streams=streams))
        elif way < 11:
            stream, body = draw.choice(streams[:-1]), self.body()
            self.kept.add(stream)
            if stream in self.living:
                steps.append(Step("function", stream, body=body))
        elif way < 15:
            steps += self.link(streams)
        elif way == 15 and not self.callback:
            self.callback = True
            what = draw.choice(["callback", "callback", "notice"])
            steps.append(Step(what, streams[-1], body=self.body()))
        elif self.callback:  # whoever waits before that may wait for ever
            if way < 17:
                steps.append(Step("report"))
                self.callback = False
        elif way == 16:
            steps.append(Step("finish"))
        elif way == 17 and draw.randrange(3):
            steps.append(Step("synchronize", draw.choice(streams)))
        elif way == 17:
            steps += self.link(streams, host=True)
        elif self.ends and (stream := self.idle()) is not None:
            forced = way == 18 and stream not in self.kept
            steps.append(Step("force" if forced else "destroy", stream))
            self.replace(stream)


class Run:
    """A run of a program on a device, which collects what it finds."""

    def __init__(
        self, program: list[Step], execution: str, seed: int, *, written: int = SIZE
    ) -> None:
        self.dev = ar.Device("Atlas A2", execution=execution, seed=seed, check="report")
        self.errors: list[BaseException] = []
        self._draw = random.Random(seed)
        count = 1 + max([STREAMS - 1, *[step.stream for step in every_step(program)]])
        self.streams = [self.dev.create_stream() for _ in range(count)]
        self.streams[STREAMS - 1].subscribe_report()
        self._events = {
            step.event: self.dev.create_event() for step in every_step(program) if step.event >= 0
        }
        self._blocks = [self.dev.malloc(SIZE) for _ in range(BLOCKS)]
        for block in self._blocks:
            self.dev.memset(block, 0, written)
        for step in program:
            self.call(step)
        self.streams[STREAMS - 1].unsubscribe_report()
        for _ in range(4):  # what functions submit runs later than they do
            self.dev.synchronize(60_000)
        assert not self.errors, self.errors
        self.kinds = {hazard.kind for hazard in self.dev.hazards}

    def call(self, step: Step) -> None:
        dev = self.dev
        stream = self.streams[step.stream]
        read = None if step.read is None else self._address(step.read)
        written = None if step.written is None else self._address(step.written)
        count = (step.written or step.read or Part(0, 0, 0)).count
        calls: dict[str, Callable[[], object]] = {
            "fill": lambda: dev.memset_async(written, step.value, count, stream=stream),
            "copy": lambda: dev.memcpy_async(written, read, count, stream=stream),
            "set": lambda: dev.memset(written, step.value, count),
            "move": lambda: dev.memcpy(written, read, count),
            "read": lambda: dev.memcpy(np.zeros(count, np.uint8), read),
            "record": lambda: self._events[step.event].record(stream),
            "wait": lambda: stream.wait_event(self._events[step.event]),
            "function": lambda: stream.launch_host_func(self._function(step.body)),
            "callback": lambda: stream.launch_callback(self._function(step.body), block=True),
            "notice": lambda: stream.launch_callback(self._function(step.body), block=False),
            "report": lambda: dev.process_report(60_000),
            "synchronize": lambda: stream.synchronize(60_000),
            "await": lambda: self._events[step.event].synchronize(60_000),
            "finish": lambda: dev.synchronize(60_000),
            "force": lambda: stream.destroy(force=True),
            "close": lambda: stream.destroy(),
            "destroy": lambda: stream.destroy(),
        }
        calls[step.what]()

    def _address(self, part: Part) -> int:
        return int(self._blocks[part.block].address + part.start)

    def _function(self, body: tuple[Step, ...]) -> Callable[[], None]:
        pause = self._draw.choice([0, 0, 0, 0.0002])

        def run() -> None:
            try:
                time.sleep(pause)
                for step in body:
                    self.call(step)
            except BaseException as error:
                self.errors.append(error)

        return run


def every_step(steps: list[Step] | tuple[Step, ...]) -> list[Step]:
    return [part for step in steps for part in (step, *every_step(step.body))]
