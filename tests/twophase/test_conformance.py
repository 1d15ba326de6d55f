"""Status codes of a conforming runtime, one short test per rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ascendref as ar

from ..support.two_phase import phase_1, phase_2, refusal


def status(call: Any, *arguments: Any, **keywords: Any) -> int:
    """Return the code that a call gives; 0 where it succeeds."""
    return refusal(call, *arguments, **keywords)[0]


def logit(dev: Any) -> tuple[int, Any]:
    """Return workspace size and executor of a good call."""
    x, out = dev.tensor(np.float32([0.25, 0.5])), dev.empty(2, "float32")
    found: tuple[int, Any] = phase_1("logit_grad", x, x, -1.0, out)
    return found


def fail(dev: Any, stream: Any) -> None:
    """Queue a task that fails."""

    def task() -> None:
        raise ValueError("on purpose")

    stream.launch_host_func(task)


def test_malloc_of_nothing(dev: Any) -> None:
    assert status(dev.malloc, 0) == status(dev.malloc_host, 0) == 100000


def test_giving_back_nothing(dev: Any) -> None:
    assert status(dev.free, None) == 100000


def test_copies_of_nothing_look_at_nothing(dev: Any) -> None:
    assert status(dev.memcpy, None, None, 0) == 0
    assert status(dev.memset, None, 0, 0) == 0


def test_copies_beyond_the_destination(dev: Any) -> None:
    memory, data = dev.malloc(8), np.zeros(9, np.uint8)
    assert status(dev.memcpy, memory, data) == 107000
    assert status(dev.memcpy, None, data) == 100000


def test_streams_after_their_end(dev: Any) -> None:
    stream = dev.create_stream()
    stream.destroy()
    for call in (stream.synchronize, stream.query, stream.destroy):
        assert status(call) == 107017


def test_time_outs(dev: Any) -> None:
    stream, event = dev.create_stream(), dev.create_event()
    for waiting in (stream, event, dev):
        assert status(waiting.synchronize, 0) == 107000
        assert status(waiting.synchronize, -2) == 107000
        assert status(waiting.synchronize, -1) == 0
        assert status(waiting.synchronize, 1) == 0


def test_time_outs_that_expire(dev: Any, gate: Any) -> None:
    stream, event = dev.create_stream(), dev.create_event()
    stream.launch_host_func(gate)
    event.record(stream)
    assert status(stream.synchronize, 1) == 507046
    assert status(dev.synchronize, 1) == 507046
    assert status(event.synchronize, 1) == 507047
    gate.open()
    assert status(stream.synchronize) == 0


def test_waits_for_events_that_nobody_recorded(dev: Any) -> None:
    stream = dev.create_stream()
    assert status(stream.wait_event, dev.create_event(ex=False)) == 107000
    assert status(stream.wait_event, dev.create_event()) == 0


def test_queries_of_events_that_nobody_recorded(dev: Any) -> None:
    assert dev.create_event(ex=False).query() is False
    assert dev.create_event().query() is True


def test_times_of_events_that_nobody_recorded(dev: Any) -> None:
    recorded = dev.create_event()
    recorded.record()
    dev.synchronize()
    for start, end in ((dev.create_event(), recorded), (recorded, dev.create_event())):
        assert status(start.elapsed_time, end) == 507000


def test_failures_are_reported_once(any_dev: Any) -> None:
    stream = any_dev.create_stream()
    fail(any_dev, stream)
    assert status(stream.synchronize) == 507000
    assert status(stream.synchronize) == 0


def test_failures_stay_in_stop_mode(any_dev: Any) -> None:
    stream, other = any_dev.create_stream(), any_dev.create_stream()
    stream.set_failure_mode(ar.FailureMode.STOP)
    fail(any_dev, stream)
    assert status(stream.synchronize) == 507000
    size, executor = logit(any_dev)
    workspace = any_dev.malloc(size)
    for call in (
        stream.synchronize,
        stream.query,
        any_dev.synchronize,
        lambda: any_dev.memset_async(workspace, 0, stream=other),
        lambda: phase_2("logit_grad", workspace, size, executor, other),
    ):
        assert status(call) == 507000


def test_the_last_error_is_the_runtimes(dev: Any) -> None:
    memory = dev.malloc(8)
    assert status(dev.memset, memory, 0, 9) == 107000
    assert status(dev.malloc, 0) == 100000  # from a layer that leaves the last error alone
    assert status(phase_1, "logit_grad", None, None, 0.0, None) == 161001
    assert ar.peek_at_last_error() == 107000
    assert ar.get_last_error() == 107000
    assert ar.get_last_error() == 0


def test_tensors_are_not_checked_when_they_are_made(dev: Any) -> None:
    tensor = ar.Tensor(dev.malloc(8), (-1,), "float32")
    assert status(tensor.numpy) == 161002
    assert status(ar.Tensor, None, None, "float32") == 161001


def test_scalars_of_types_that_scalars_lack() -> None:
    assert status(ar.Scalar, 1, "ACL_STRING") == 161002
    assert status(ar.Scalar, None, "float32") == 161001


def test_null_arguments_of_phase_1(dev: Any) -> None:
    x = dev.empty(2, "float32")
    assert status(phase_1, "logit_grad", x, None, -1.0, x) == 161001


def test_the_workspace_of_logit(dev: Any) -> None:
    dev = ar.Device("Atlas A2")
    size, executor = logit(dev)
    assert size == 16777216
    workspace = dev.malloc(size)
    assert status(phase_2, "logit_grad", workspace, 16777215, executor, None) == 161002
    assert status(phase_2, "logit_grad", None, size, executor, None) == 161001
    assert status(phase_2, "logit_grad", workspace, size, None, None) == 161001
    assert status(phase_2, "logit_grad", workspace, size, executor, None) == 0
    dev.synchronize()


def test_repeatable_executors(dev: Any) -> None:
    dev = ar.Device("Atlas A2")
    size, executor = logit(dev)
    workspace = dev.malloc(size)
    assert status(executor.set_repeatable) == 0
    for _ in range(2):
        assert status(phase_2, "logit_grad", workspace, size, executor, None) == 0
    assert status(executor.set_tensor_address, None, workspace) == 561103
    assert status(executor.destroy) == 0
    dev.synchronize()


@pytest.mark.parametrize("operator", ["hardshrink_backward", "softplus_backward"])
def test_empty_tensors(dev: Any, operator: str) -> None:
    empty = dev.empty((0,), "float32")
    scalars = (0.5,) if operator == "hardshrink_backward" else (1.0, 20.0)
    size, executor = phase_1(operator, empty, empty, *scalars, empty)
    assert size == 0
    assert isinstance(executor, ar.Executor)


def test_scalars_as_torch_sends_them(dev: Any) -> None:
    x, out = dev.empty(2, "float32"), dev.empty(2, "float32")
    for kind in ("ACL_DOUBLE", "ACL_INT64"):
        assert status(phase_1, "hardshrink_backward", x, x, ar.Scalar(1, kind), out) == 0
