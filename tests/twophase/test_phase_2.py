"""Phase 2: its refusals, executors, addresses, and the work that it queues."""

import gc
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import pytest

import ascendref as ar
from ascendref import aclnn

from ..support.rounding import assert_bits
from ..support.two_phase import WITH_FUNCTIONS, phase_1, phase_2, queue, refusal

NULL, INVALID, SPENT = 161001, 161002, 561103


class Call(NamedTuple):
    """A call that passed phase 1, with everything that phase 2 needs."""

    operator: str
    dev: Any
    stream: Any
    tensors: list[Any]
    size: int
    executor: Any
    workspace: Any

    def refusal(self, /, **changed: Any) -> tuple[int, str]:
        """Return how phase 2 refuses the call with some arguments replaced."""
        named = {"workspace": self.workspace, "workspaceSize": self.size}
        named |= {"executor": self.executor, "stream": self.stream}
        return refusal(phase_2, self.operator, **(named | changed))


X = np.float32([[0.25, -0.5, 3.0], [-2.0, 0.75, 0.5]])


def made(operator: str, dev: Any = None) -> Call:
    """Return a good call; one of prelu needs a workspace, one of logit a large one."""
    dev = dev or ar.Device("Atlas A2")
    inputs = [dev.tensor(X) for _ in range(2)]
    results = [dev.empty(X.shape, "float32")]
    scalars: tuple[Any, ...] = ()
    if operator == "prelu_backward":
        inputs.append(dev.tensor(np.float32([1, 2, 3])))
        results.append(dev.empty(3, "float32"))
    else:
        scalars = (-1.0,) if operator == "logit_grad" else (0.5,)
    size, executor = phase_1(operator, *inputs, *scalars, *results)
    memory = dev.malloc(size) if size else None
    return Call(operator, dev, dev.create_stream(), inputs + results, size, executor, memory)


OPERATORS = ("prelu_backward", "logit_grad")


@pytest.mark.parametrize("operator", OPERATORS)
def test_workspaces_that_phase_2_refuses(operator: str) -> None:
    def freed(call: Call) -> Any:
        memory = call.dev.malloc(call.size)
        call.dev.free(memory)
        return memory

    faults: dict[str, Any] = {
        "none": lambda call: {"workspace": None},
        "one byte short": lambda call: {"workspaceSize": call.size - 1},
        "size 0": lambda call: {"workspace": None, "workspaceSize": 0},
        "negative": lambda call: {"workspaceSize": -1},
        "no number": lambda call: {"workspaceSize": "512"},
        "size None": lambda call: {"workspaceSize": None},
        "larger than the memory": lambda call: {"workspaceSize": call.size + 1},
        "smaller memory": lambda call: {"workspace": call.dev.malloc(call.size - 1)},
        "freed": lambda call: {"workspace": freed(call)},
        "the host's": lambda call: {"workspace": call.dev.malloc_host(call.size)},
        "an array": lambda call: {"workspace": np.zeros(call.size, np.uint8)},
        "a tensor": lambda call: {"workspace": call.tensors[0]},
        "nobody's address": lambda call: {"workspace": 4096},
        "of another device": lambda call: {"workspace": ar.Device("Atlas A2").malloc(call.size)},
    }
    for name, fault in faults.items():
        call = made(operator)
        status, message = call.refusal(**fault(call))
        assert status == (NULL if name == "none" else INVALID), name
        assert "workspace" in message
        assert not call.stream.queue
        # a composed operator gives its executor up, a generated one keeps it
        again = call.refusal()[0]
        assert again == (0 if operator == "logit_grad" else SPENT), name
        call.dev.synchronize()


@pytest.mark.parametrize("operator", OPERATORS)
def test_workspaces_that_phase_2_takes(operator: str) -> None:
    call = made(operator)
    assert call.refusal(workspace=call.workspace.address)[0] == 0
    call = made(operator)
    large = call.dev.malloc(call.size + 999)
    assert call.refusal(workspace=large, workspaceSize=call.size + 999)[0] == 0
    call = made(operator)
    large = call.dev.malloc(call.size + 3)
    assert call.refusal(workspace=large.address + 3)[0] == 0
    call.stream.synchronize()
    if operator == "prelu_backward":
        want = ar.prelu_backward(X, X, np.float32([1, 2, 3]))
        assert_bits(call.tensors[-1].numpy(), want[1])


def test_what_needs_no_workspace_does_not_look_at_one() -> None:
    call = made("hardshrink_backward")
    assert call.size == 0
    assert call.refusal(workspace=None, workspaceSize=0)[0] == 0
    call = made("hardshrink_backward")
    assert call.refusal(workspace=call.dev.malloc(8), workspaceSize=8)[0] == 0


@pytest.mark.parametrize("operator", WITH_FUNCTIONS)
def test_executors_that_phase_2_refuses(operator: str) -> None:
    other = made("logit_grad" if operator != "logit_grad" else "prelu_backward")
    for executor, code in ((None, NULL), (0, INVALID), ("x", INVALID), (other.executor, INVALID)):
        status, message = refusal(phase_2, operator, None, 0, executor, None)
        assert status == code
        assert "executor" in message
    assert other.refusal()[0] == 0  # nobody used it up


@pytest.mark.parametrize("operator", OPERATORS)
def test_an_executor_is_good_for_one_run(operator: str) -> None:
    call = made(operator)
    assert call.refusal()[0] == 0
    call.stream.synchronize()
    before = call.tensors[-1].numpy()
    for tensor in call.tensors[:2]:
        call.dev.memset(tensor.memory, 0)
    status, message = call.refusal()
    assert status == SPENT
    assert "used" in message
    call.stream.synchronize()
    assert_bits(call.tensors[-1].numpy(), before)
    assert refusal(call.executor.set_repeatable)[0] == SPENT
    call.executor.destroy()  # some clients do so at exit
    call.executor.destroy()


def test_many_threads_may_not_share_a_run() -> None:
    call = made("hardshrink_backward")
    barrier = threading.Barrier(8)

    def race(_: int) -> int:
        barrier.wait()
        return call.refusal()[0]

    with ThreadPoolExecutor(8) as threads:
        assert sorted(threads.map(race, range(8))) == [0] + [SPENT] * 7


@pytest.mark.parametrize("operator", OPERATORS)
def test_streams_that_phase_2_refuses(operator: str) -> None:
    call = made(operator)
    destroyed = call.dev.create_stream()
    destroyed.destroy()
    for stream, code, words in (
        (ar.Device("Atlas A2").create_stream(), 107003, "stream"),
        (destroyed, 107017, "stream"),
        (0, 107017, "stream is a int"),
    ):
        call = made(operator, call.dev)
        status, message = call.refusal(stream=stream)
        assert (status, words in message) == (code, True)


def redescribe(field: str, value: Any) -> Any:
    """Return a function that changes one attribute of a call's first tensor."""
    return lambda call: setattr(call.tensors[0], field, value)


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize(
    "change",
    [
        lambda call: call.dev.free(call.tensors[0].memory),
        lambda call: call.dev.free(call.tensors[-1].memory),
        lambda call: setattr(call.tensors[0], "memory", call.tensors[1].memory),
        lambda call: setattr(call.tensors[0], "memory", None),
        redescribe("shape", (3, 2)),
        redescribe("strides", (1, 2)),
        redescribe("offset", 1),
        redescribe("data_type", ar.Tensor(None, (), "int32").data_type),
    ],
)
def test_tensors_must_stay_as_they_were(operator: str, change: Any) -> None:
    call = made(operator)
    change(call)
    status, message = call.refusal()
    assert status == INVALID
    assert "phase 1" in message
    assert not call.stream.queue


def test_tensors_may_go_after_phase_2() -> None:
    """The queue holds on to the memory that it needs."""
    dev = ar.Device("Atlas A2", execution="lazy")
    call = made("hardshrink_backward", dev)
    assert call.refusal()[0] == 0
    out = call.tensors[-1].memory
    shape = call.tensors[-1].shape
    call.tensors[-1].shape = (1,)
    call.tensors.clear()
    del call
    gc.collect()
    dev.synchronize()
    assert_bits(ar.Tensor(out, shape, "float32").numpy(), ar.hardshrink_backward(X, X))


@pytest.mark.parametrize("operator", ["hardshrink_backward", "prelu_backward"])
def test_memory_that_is_freed_before_the_work_runs(operator: str) -> None:
    dev = ar.Device("Atlas A2", execution="lazy", check="report")
    call = made(operator, dev)
    assert call.refusal()[0] == 0
    dev.free(call.tensors[0].memory if operator == "hardshrink_backward" else call.workspace)
    assert [hazard.kind for hazard in dev.hazards] == ["lifetime"]
    status, message = refusal(call.stream.synchronize)
    assert status == 507015
    assert "freed" in message
    assert refusal(call.stream.synchronize)[0] == 0


@pytest.mark.parametrize("operator", OPERATORS)
def test_an_executor_stays_ready_after_a_hazard(operator: str) -> None:
    call = made(operator)
    with call.dev.create_stream() as other:
        call.dev.memset_async(call.tensors[0].memory, 0, stream=other)
        status, message = call.refusal()
        assert status == 500001
        assert message.startswith("race")
    assert call.refusal()[0] == 0
    call.stream.synchronize()


# ---- repeatable executors


def repeatable(x: Any, out: Any) -> Any:
    """Return an executor of hardshrink_backward that may run any number of times."""
    executor = phase_1("hardshrink_backward", x, x, 0.5, out)[1]
    executor.set_repeatable()
    return executor


def run(executor: Any) -> None:
    """Queue its work on the default stream."""
    phase_2("hardshrink_backward", None, 0, executor, None)


def test_a_repeatable_executor_sees_new_data_every_time() -> None:
    dev = ar.Device("Atlas A2")
    x, out = dev.tensor(X), dev.empty(X.shape, "float32")
    executor = repeatable(x, out)
    executor.set_repeatable()
    for factor in (1, 2, 4):
        dev.memcpy(x.memory, X * factor)
        run(executor)
        dev.synchronize()
        assert_bits(out.numpy(), ar.hardshrink_backward(X * factor, X * factor, 0.5))
    executor.destroy()
    assert refusal(run, executor)[0] == SPENT
    assert refusal(executor.set_repeatable)[0] == SPENT
    assert refusal(executor.set_tensor_address, x, x.memory)[0] == SPENT


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_repeatable_executor_survives_refusals(operator: str) -> None:
    call = made(operator)
    call.executor.set_repeatable()
    assert call.refusal(workspace=None)[0] == NULL
    assert call.refusal()[0] == 0
    assert call.refusal()[0] == 0
    call.stream.synchronize()


def test_new_addresses() -> None:
    dev = ar.Device("Atlas A2", execution="lazy")
    x, out = dev.tensor(X), dev.empty(X.shape, "float32")
    executor = repeatable(x, out)
    run(executor)
    second_x, second_out = dev.tensor(3 * X), dev.empty(X.shape, "float32")
    first_out = out.memory
    executor.set_tensor_address(x, second_x.memory)
    executor.set_tensor_address(out, second_out.memory.address)
    assert x.memory is second_x.memory
    run(executor)
    dev.synchronize()
    # the first run kept the addresses that it was queued with
    assert_bits(ar.Tensor(first_out, X.shape, "float32").numpy(), ar.hardshrink_backward(X, X, 0.5))
    assert_bits(second_out.numpy(), ar.hardshrink_backward(3 * X, 3 * X, 0.5))
    # all memory can go before any of it is replaced
    dev.free(x.memory)
    dev.free(out.memory)
    executor.set_tensor_address(x, dev.tensor(5 * X).memory)
    assert refusal(run, executor)[0] == INVALID
    executor.set_tensor_address(out, dev.malloc(24))
    run(executor)
    dev.synchronize()
    assert_bits(out.numpy(), ar.hardshrink_backward(5 * X, 5 * X, 0.5))


def test_new_addresses_inside_of_memory() -> None:
    dev = ar.Device("Atlas A2")
    memory = dev.malloc(128)
    x = ar.Tensor(memory.address + 4, X.shape, "float32")
    out = ar.Tensor(memory.address + 32, X.shape, "float32")
    x.view()[...] = X
    executor = repeatable(x, out)
    run(executor)
    executor.set_tensor_address(out, memory.address + 64)
    assert (out.memory, out.start) == (memory, 64)
    run(executor)
    dev.synchronize()
    expected = ar.hardshrink_backward(X, X, 0.5)
    for start in (32, 64):
        assert_bits(ar.Tensor(memory.address + start, X.shape, "float32").numpy(), expected)
    assert refusal(executor.set_tensor_address, out, memory.address + 66)[0] == INVALID
    assert refusal(executor.set_tensor_address, out, memory.address + 108)[0] == INVALID
    executor.set_tensor_address(out, memory.address + 8)
    status, message = refusal(run, executor)
    assert status == INVALID
    assert "gradInput overlaps" in message
    assert executor.alive
    executor.set_tensor_address(out, dev.malloc(24))
    run(executor)
    dev.synchronize()
    assert_bits(out.numpy(), expected)
    executor.destroy()
    assert not executor.alive


def test_tensors_of_an_operator_in_another_order_move() -> None:
    """aclnnEluBackward takes its scalars between its tensors."""
    dev = ar.Device("Atlas A2")
    grad, x, out = dev.tensor(X), dev.tensor(X), dev.empty(X.shape, "float32")
    size, executor = phase_1("elu_backward", grad, x, 0.5, 1.0, 1.0, False, out)
    executor.set_tensor_address(x, dev.tensor(2 * X).memory)
    phase_2("elu_backward", dev.malloc(size) if size else None, size, executor, None)
    dev.synchronize()
    assert_bits(out.numpy(), ar.elu_backward(X, 2 * X, 0.5))


def test_addresses_that_are_refused() -> None:
    call = made("hardshrink_backward")
    _, x, out = call.tensors
    change = call.executor.set_tensor_address
    before = x.memory
    assert refusal(change, None, x.memory)[0] == SPENT
    assert refusal(change, x, None)[0] == SPENT
    for tensor, memory, code in (
        (call.dev.tensor(X), call.dev.malloc(24), INVALID),
        (x, call.dev.malloc(23), INVALID),
        (x, call.dev.malloc_host(24), INVALID),
        (x, out.memory.address + 4, INVALID),
        (x, ar.Device("Atlas A2").malloc(24), 107000),
        (x, 4096, 107000),
    ):
        assert refusal(change, tensor, memory)[0] == code
        assert x.memory is before
    assert call.refusal()[0] == 0  # one run, with the addresses of phase 1
    call.stream.synchronize()
    assert_bits(out.numpy(), ar.hardshrink_backward(X, X, 0.5))


# ---- what is queued


def test_a_null_stream_is_the_default_stream() -> None:
    call = made("hardshrink_backward")
    assert call.refusal(stream=None)[0] == 0
    call.dev.default_stream.synchronize()
    (row,) = call.dev.trace()
    assert row.stream == call.dev.default_stream.number
    assert row.label == "aclnnHardshrinkBackward"


def test_tasks_carry_the_bytes_that_they_touch() -> None:
    dev = ar.Device("Atlas A2", execution="lazy", check=False)
    memory = dev.malloc(4096)
    grad = ar.Tensor(memory, (2, 3), "float32", (-8, 2), 100)
    x = ar.Tensor(memory, (2, 3), "float32", (0, 1), 200)
    out = ar.Tensor(memory, (2, 3), "float32", None, 300)
    weight, sums = dev.empty(3, "float32"), dev.empty(3, "float32")
    size, executor = phase_1("prelu_backward", grad, x, weight, out, sums)
    workspace = dev.malloc(size + 64)
    aclnn.aclnnPreluBackward(workspace.address + 64, size, executor, None)
    (task,) = dev.default_stream.queue
    base = memory.address
    reads, writes = (
        tuple((shadow.address + span.start, span.nbytes) for shadow, span in accesses)
        for accesses in (task.reads, task.writes)
    )
    assert reads == ((base + 368, 52), (base + 800, 12), (weight.memory.address, 12))
    assert writes == ((base + 1200, 24), (sums.memory.address, 12), (workspace.address + 64, size))
    dev.synchronize()


def test_scratch_comes_from_the_workspace_and_from_nowhere_else() -> None:
    """Partial sums of many blocks: the kernel allocates nothing, and writes the workspace."""
    dev = ar.Device("Atlas A2", execution="lazy")
    rng = np.random.default_rng(1)
    g, x = (rng.standard_normal((300, 400, 50)).astype(np.float32) for _ in range(2))
    weight = np.ones(400, np.float32)
    tensors = [dev.tensor(array) for array in (g, x, weight)]
    results = [dev.empty(x.shape, "float32"), dev.empty(400, "float32")]
    for _ in range(2):
        size, executor = phase_1("prelu_backward", *tensors, *results)
        workspace = dev.malloc(size)
        dev.memset(workspace, 0)
        phase_2("prelu_backward", workspace, size, executor, None)
        tracemalloc.start()
        dev.synchronize()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        touched = np.empty(size, np.uint8)
        dev.memcpy(touched, workspace)
        partial = 400 * -(-300 * 50 // 1024) * 4
        assert touched[:partial].view(np.float32).all()
        assert not touched[partial:].any()
    assert peak < partial / 2
    assert_bits(results[1].numpy(), ar.prelu_backward(g, x, weight)[1])


@pytest.mark.full
@pytest.mark.parametrize("kind", ["float16", "float32"])
@pytest.mark.parametrize("shape", [(2, 3), (1, 5000), (1, 5000, 1), (3000, 2), (1025, 70)])
def test_the_workspace_of_prelu_is_always_enough(kind: str, shape: tuple[int, ...]) -> None:
    """In place, even the sums of single blocks need room."""
    dev = ar.Device("Atlas A2")
    x = np.linspace(-1, 1, int(np.prod(shape))).reshape(shape).astype(kind)
    weight = np.full(shape[1], 0.25, kind)
    tensors = [dev.tensor(array) for array in (x, x, weight)]
    queue(dev, "prelu_backward", *tensors, tensors[1], tensors[2])
    dev.synchronize()
    fresh = [dev.tensor(array) for array in (x, x, weight)]
    results = [dev.empty(shape, kind), dev.empty(shape[1], kind)]
    queue(dev, "prelu_backward", *fresh, *results)
    dev.synchronize()
    assert_bits(tensors[1].numpy(), results[0].numpy())
    assert_bits(tensors[2].numpy(), results[1].numpy())


@pytest.mark.full
def test_ten_thousand_queued_operators_take_less_than_a_kibibyte_each() -> None:
    dev = ar.Device("Atlas A2", execution="lazy")
    tensors = [dev.tensor(np.ones(16, np.float32)) for _ in range(3)]

    def enqueue(count: int) -> None:
        for _ in range(count):
            queue(dev, "hardshrink_backward", *tensors[:2], 0.5, tensors[2])

    enqueue(10)
    dev.synchronize()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        enqueue(10_000)
        each = (tracemalloc.get_traced_memory()[0] - before) / 10_000
    finally:
        tracemalloc.stop()
    dev.synchronize()
    assert each <= 1024


def test_the_host_goes_on_while_the_device_works(gate: Any) -> None:
    call = made("hardshrink_backward")
    call.stream.launch_host_func(gate)
    assert call.refusal()[0] == 0  # returns although its turn has not come
    assert not call.stream.query()
    gate.open()
    call.stream.synchronize()
    assert_bits(call.tensors[-1].numpy(), ar.hardshrink_backward(X, X, 0.5))


def test_many_threads_with_streams_of_their_own() -> None:
    dev = ar.Device("Atlas A2")

    def work(seed: int) -> None:
        x = np.random.default_rng(seed).standard_normal(1000).astype(np.float32)
        with dev.create_stream() as stream:
            tensor, out = dev.tensor(x), dev.empty(1000, "float32")
            for beta in (0.5, 1.0, 2.0):
                queue(dev, "softplus_backward", tensor, tensor, beta, 20.0, out, stream=stream)
                stream.synchronize()
                assert_bits(out.numpy(), ar.softplus_backward(x, x, beta))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))
