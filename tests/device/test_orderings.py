"""A realistic pipeline of all five operators: its bits are the same in every order that is legal.

One stream uploads batches to two sets of buffers in turn, three streams compute, one downloads.
Events link them, recorded again for every batch. Workspaces serve one operator after another, and
executors are used for every batch, with new addresses.
"""

from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import ascendref as ar

from ..support.rounding import assert_bits
from ..support.two_phase import phase_1, phase_2
from .calls import EXECUTIONS

SHAPE = (4, 6)
WEIGHT = np.float32([0.25, -0.5, 1.0, 2.0, -1.0, 0.125])
BATCHES = 3
ROLES = ("up", "left", "middle", "right", "down")
#: every wait of the pipeline: the stream that waits, and for which event
WAITS = (
    ("up", "right done"), ("left", "uploaded"), ("left", "right done"), ("middle", "uploaded"),
    ("middle", "down done"), ("right", "left done"), ("right", "middle done"),
    ("down", "right done"),
)  # fmt: skip


def batch(number: int) -> tuple[Any, Any]:
    """Return the data and the gradients of a batch."""
    rng = np.random.default_rng(number)
    data, grad = rng.standard_normal(SHAPE), rng.uniform(0, 1, SHAPE)
    return data.astype(np.float32), grad.astype(np.float32)


class Pipeline:
    """The pipeline on a device; ``without`` one of its waits it is wrong."""

    def __init__(self, dev: Any, *, in_order: bool = False, without: Any = None) -> None:
        self.dev = dev
        self.without = without
        self.streams = {
            role: dev.default_stream if in_order else dev.create_stream() for role in ROLES
        }
        self.events = {
            name: dev.create_event()
            for name in ("uploaded 0", "uploaded 1", *[f"{role} done" for role in ROLES])
        }
        x, g, b, c, d, e = (dev.empty(SHAPE, "float32") for _ in range(6))
        a = dev.empty(SHAPE, "float16")
        weight, sums = dev.tensor(WEIGHT), dev.empty(WEIGHT.shape, "float32")
        self.results = (sums, e)
        self.buffers = [
            (x.memory, g.memory),
            (dev.malloc(x.memory.nbytes), dev.malloc(g.memory.nbytes)),
        ]
        #: operator -> its tensors that lie in the buffers
        self.buffered = {
            "hardshrink_backward": (x, g),
            "softplus_backward": (x, g),
            "prelu_backward": (x, g),
            "smooth_l1_loss_backward": (x,),
        }
        #: operator -> size of its workspace and its executor
        self.calls = {
            "hardshrink_backward": phase_1("hardshrink_backward", g, x, 0.5, a),
            "softplus_backward": phase_1("softplus_backward", g, x, 1.0, 20.0, c),
            "prelu_backward": phase_1("prelu_backward", g, x, weight, b, sums),
            "smooth_l1_loss_backward": phase_1("smooth_l1_loss_backward", a, b, x, 1, 0.7, d),
            "logit_grad": phase_1("logit_grad", c, d, -1.0, e),
        }
        for _, executor in self.calls.values():
            executor.set_repeatable()
        # the last two take what the first two leave
        small, large = dev.malloc(4096), dev.malloc(2**24)
        self.workspaces = {
            "hardshrink_backward": small, "softplus_backward": None, "prelu_backward": large,
            "smooth_l1_loss_backward": small, "logit_grad": large,
        }  # fmt: skip
        self.staging = [[self.pinned(array) for array in batch(k)] for k in range(BATCHES)]
        self.downloads = [
            [dev.malloc_host(tensor.memory.nbytes) for tensor in self.results]
            for _ in range(BATCHES)
        ]

    def pinned(self, array: Any) -> Any:
        memory = self.dev.malloc_host(array.nbytes)
        memory.numpy()[:] = array.reshape(-1).view(np.uint8)
        return memory

    def wait(self, role: str, event: str, number: str = "") -> None:
        """Let a stream wait for an event, of which there may be several."""
        if (role, event) != self.without:
            self.streams[role].wait_event(self.events[event + number])

    def record(self, role: str, event: str) -> None:
        self.events[event].record(self.streams[role])

    def copy(self, role: str, dst: Any, src: Any) -> None:
        self.dev.memcpy_async(dst, src, stream=self.streams[role])

    def compute(self, role: str, operator: str) -> None:
        size, executor = self.calls[operator]
        workspace = self.workspaces[operator]
        assert (size > 0) is (workspace is not None)
        phase_2(operator, workspace, size, executor, self.streams[role])

    def upload(self, number: int) -> None:
        """Queue the upload of a batch, if it exists, to the buffers of the one before the last."""
        if number < BATCHES:
            self.wait("up", "right done")
            for memory, staging in zip(self.buffers[number % 2], self.staging[number], strict=True):
                self.copy("up", memory, staging)
            self.record("up", f"uploaded {number % 2}")

    def queue(self) -> None:
        self.upload(0)
        self.upload(1)
        for number, downloads in enumerate(self.downloads):
            for operator, tensors in self.buffered.items():
                for tensor, memory in zip(tensors, self.buffers[number % 2], strict=False):
                    self.calls[operator][1].set_tensor_address(tensor, memory)
            self.wait("left", "uploaded", f" {number % 2}")
            self.wait("left", "right done")
            self.compute("left", "hardshrink_backward")
            self.record("left", "left done")
            self.wait("middle", "uploaded", f" {number % 2}")
            self.wait("middle", "down done")
            self.compute("middle", "softplus_backward")
            self.compute("middle", "prelu_backward")
            self.record("middle", "middle done")
            self.wait("right", "left done")
            self.wait("right", "middle done")
            self.compute("right", "smooth_l1_loss_backward")
            self.compute("right", "logit_grad")
            self.record("right", "right done")
            self.wait("down", "right done")
            for download, tensor in zip(downloads, self.results, strict=True):
                self.copy("down", download, tensor.memory)
            self.record("down", "down done")
            self.upload(number + 2)

    def run(self, first: str = "down") -> list[list[Any]]:
        """Queue everything, wait for one stream first, and return the results of every batch."""
        self.queue()
        self.streams[first].synchronize()
        self.dev.synchronize()
        return [[memory.numpy("float32").copy() for memory in row] for row in self.downloads]

    def order(self) -> tuple[tuple[str, str], ...]:
        """Return in which order the kernels and copies ran."""
        role = {stream.number: name for name, stream in self.streams.items()}
        rows = [row for row in self.dev.trace() if row.kind == "kernel"]
        return tuple((role[row.stream], row.label) for row in rows)


def in_order() -> list[list[Any]]:
    return Pipeline(ar.Device("Atlas A2"), in_order=True).run()


def assert_same(found: list[list[Any]], wanted: list[list[Any]]) -> None:
    for row, wanted_row in zip(found, wanted, strict=True):
        for array, expected in zip(row, wanted_row, strict=True):
            assert array.tobytes() == expected.tobytes()


def test_in_order_it_is_what_the_array_functions_give() -> None:
    for number, (sums, e) in enumerate(in_order()):
        x, g = batch(number)
        a = ar.hardshrink_backward(g, x, 0.5, out=np.empty(SHAPE, np.float16))
        b, expected = ar.prelu_backward(g, x, WEIGHT)
        c = ar.softplus_backward(g, x)
        d = ar.smooth_l1_loss_backward(a, b, x, "mean", 0.7)
        assert_bits(sums, expected)
        assert_bits(e.reshape(SHAPE), ar.logit_grad(c, d))
        assert np.isfinite(e).all()


@pytest.mark.full
@pytest.mark.parametrize("count", [200, pytest.param(1000, marks=pytest.mark.exhaustive)])
def test_random_orders(count: int) -> None:
    wanted = in_order()
    orders = set()
    for seed in range(count):
        dev = ar.Device("Atlas A2", execution="random", seed=seed)
        pipeline = Pipeline(dev)
        assert_same(pipeline.run(), wanted)
        orders.add(pipeline.order())
    assert len(orders) > count // 2


@pytest.mark.full
@pytest.mark.parametrize("first", ROLES)
@pytest.mark.parametrize("execution", ["eager", "lazy"])
def test_whichever_stream_the_host_waits_for_first(execution: str, first: str) -> None:
    wanted = in_order()
    for _ in range(20):
        assert_same(Pipeline(ar.Device("Atlas A2", execution=execution)).run(first), wanted)


@pytest.mark.parametrize("missing", WAITS, ids=" waits for ".join)
def test_every_missing_wait_shows_itself_when_lazy(missing: tuple[str, str]) -> None:
    """The stream that does not wait runs ahead as soon as the host waits for it."""
    wanted = in_order()
    for _ in range(3):
        dev = ar.Device("Atlas A2", execution="lazy", check=False)
        found = Pipeline(dev, without=missing).run(first=missing[0])
        with pytest.raises(AssertionError):
            assert_same(found, wanted)


def test_a_missing_wait_shows_itself_in_some_random_orders() -> None:
    results = set()
    for seed in range(20):
        dev = ar.Device("Atlas A2", execution="random", seed=seed, check=False)
        found = Pipeline(dev, without=("right", "left done")).run()
        results.add(str([array.tobytes() for row in found for array in row]))
    assert len(results) > 1


@pytest.mark.parametrize("execution", EXECUTIONS)
@pytest.mark.parametrize("missing", WAITS, ids=" waits for ".join)
def test_every_missing_wait_is_reported(missing: tuple[str, str], execution: str) -> None:
    pipeline = Pipeline(ar.Device("Atlas A2", execution=execution), without=missing)
    numbers = {role: stream.number for role, stream in pipeline.streams.items()}
    with pytest.raises(ar.HazardError) as info:
        pipeline.queue()
    error = info.value
    assert error.kind == "race"  # though others of the first waits did nothing, as they may
    sites = [site.stream for site in (error.first, error.second) if site is not None]
    assert numbers[missing[0]] in sites
    with suppress(ar.HazardError):  # nothing recorded what other streams wait for
        pipeline.dev.synchronize()
