"""Status codes, AclError, and what a thread can ask about its failures."""

import pickle
import threading
from types import SimpleNamespace

import numpy as np
import pytest

import ascendref as ar
from ascendref.core.errors import fail, get_last_error, peek_at_last_error, recent_error_message

from .calls import code, content

S = ar.Status


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (0, "ACL_SUCCESS"),
        (100000, "ACL_ERROR_INVALID_PARAM"),
        (100037, "ACL_ERROR_REPEAT_FINALIZE"),
        (148053, "ACL_ERROR_INVALID_BUNDLE_MODEL_ID"),
        (300000, "ACL_ERROR_STORAGE_OVER_LIMIT"),
        (107000, "ACL_ERROR_RT_PARAM_INVALID"),
        (107017, "ACL_ERROR_RT_INVALID_HANDLE"),
        (107032, "ACL_ERROR_STREAM_CAPTURE_CONFLICT"),
        (207001, "ACL_ERROR_RT_MEMORY_ALLOCATION"),
        (507043, "ACL_ERROR_RT_AICORE_TRAP_WRITE_OVERFLOW"),
        (507047, "ACL_ERROR_RT_EVENT_SYNC_TIMEOUT"),
        (507910, "ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED"),
        (161001, "ACLNN_ERR_PARAM_NULLPTR"),
        (161002, "ACLNN_ERR_PARAM_INVALID"),
        (361001, "ACLNN_ERR_RUNTIME_ERROR"),
        (561003, "ACLNN_ERR_INNER_FIND_KERNEL_ERROR"),
        (561119, "ACLNN_ERR_INNER_STATIC_BLOCK_DIM_INVALID"),
    ],
)
def test_codes_have_the_names_of_the_headers(code, name):
    assert S(code).name == name
    assert S[name] == code


def test_every_family_is_complete():
    codes = [int(status) for status in S]
    count = {
        family: sum(code // 1000 == family for code in codes)
        for family in (100, 107, 148, 161, 200, 207, 300, 361, 500, 507, 561)
    }
    assert count == {
        100: 46, 107: 46, 148: 8, 161: 2, 200: 8, 207: 22, 300: 1, 361: 1, 500: 6, 507: 71, 561: 23,
    }  # fmt: skip
    assert len(codes) == sum(count.values()) + 1
    assert S.ACLNN_SUCCESS is S.ACL_ERROR_NONE is S.ACL_SUCCESS
    assert S.ACLNN_ERR_INNER_KEY_CONFILICT is S.ACLNN_ERR_INNER_KEY_CONFLICT


def test_acl_error_tells_code_name_and_message():
    error = ar.AclError(161002, "self has rank 9; ranks 0 to 8 are allowed")
    assert error.status is S.ACLNN_ERR_PARAM_INVALID
    assert error.name == "ACLNN_ERR_PARAM_INVALID"
    assert str(error) == (
        "ACLNN_ERR_PARAM_INVALID (161002): self has rank 9; ranks 0 to 8 are allowed"
    )
    again = pickle.loads(pickle.dumps(error))
    assert (again.status, again.message) == (error.status, error.message)


def test_only_failures_of_the_runtime_are_the_last_error(dev):
    with pytest.raises(ar.AclError, match="timeout"):
        dev.synchronize(timeout=0)
    assert peek_at_last_error() == 107000
    with pytest.raises(ar.AclError, match="nbytes"):
        dev.malloc(0)  # 100000 comes from the layer above
    dev.synchronize()  # success clears nothing
    assert peek_at_last_error() == 107000
    assert get_last_error() == 107000
    assert get_last_error() == 0


def test_the_last_error_and_messages_belong_to_a_thread():
    seen = []

    def other():
        with pytest.raises(ar.AclError):
            fail(S.ACL_ERROR_RT_PARAM_INVALID, "from the other thread")
        seen.append((get_last_error(), recent_error_message()))

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert seen[0][0] == 107000
    assert "from the other thread" in seen[0][1]
    assert peek_at_last_error() == 0
    assert recent_error_message() is None


def test_recent_messages_come_newest_first_once_and_without_repeats():
    for text in ("one", "two", "one"):
        with pytest.raises(ar.AclError):
            fail(S.ACLNN_ERR_PARAM_INVALID, text)
    lines = recent_error_message().splitlines()
    assert [line.rsplit(": ", 1)[1] for line in lines] == ["two", "one"]
    assert "AclNN_Parameter_Error(EZ1001)" in lines[0]
    assert recent_error_message() is None


def test_out_of_memory_says_what_clients_look_for():
    with pytest.raises(ar.AclError):
        ar.Device("Atlas A2", memory=100).malloc(1000)
    message = recent_error_message()
    assert "EL0004" in message
    assert "Failed to allocate" in message


def objects(dev):
    """Return what the refused calls are about."""
    other = ar.Device("Atlas A2")
    memory, freed = dev.tensor(np.zeros(8, np.uint8)).memory, dev.malloc(8)
    dev.free(freed)
    stream, served, gone = (dev.create_stream() for _ in range(3))
    served.subscribe_report()
    gone.destroy()
    event, old, ended = dev.create_event(), dev.create_event(ex=False), dev.create_event()
    event.record()
    ended.destroy()
    read_only = np.zeros(8, np.uint8)
    read_only.flags.writeable = False
    return SimpleNamespace(
        dev=dev, other=other, memory=memory, freed=freed, foreign=other.malloc(8), stream=stream,
        served=served, gone=gone, event=event, old=old, ended=ended, pinned=dev.malloc_host(8),
        timed=dev.create_event(ar.EventFlag.TIME_LINE, ex=False), array=np.ones(8, np.uint8),
        read_only=read_only, notify=dev.create_notify(),
    )  # fmt: skip


@pytest.fixture
def s(dev):
    yield (space := objects(dev))
    space.served.unsubscribe_report()


def tensor(s, shape, **keywords):
    return ar.Tensor(s.memory, shape, np.float32, **keywords)


#: status -> calls that are refused with it, whatever the execution mode
REFUSED = {
    100000: [
        *[lambda s, n=n: s.dev.malloc(n) for n in (0, -1, 2**64 - 1, 10**5000)],
        *[lambda s, n=n: s.dev.malloc_host(n) for n in (0, -1, 2**64 - 1)],
        lambda s: s.dev.free(None),
        lambda s: s.dev.memcpy(None, s.memory),
        lambda s: s.dev.memcpy(s.memory, None, 4),
        lambda s: s.dev.memset(None, 0),
        lambda s: s.dev.memset(None, 0, 4),
        lambda s: s.dev.default_stream.destroy(),
        lambda s: s.stream.wait_event(None),
        lambda s: s.event.elapsed_time(None),
        lambda s: s.served.launch_callback(print, 2),
        *[lambda s, t=t: s.dev.process_report(t) for t in (0, -2)],
    ],
    107000: [
        *[lambda s, t=t: s.stream.synchronize(t) for t in (0, -2, -0.5, float("nan"))],
        *[lambda s, t=t: s.dev.synchronize(t) for t in (0, -2, -0.5, float("nan"))],
        *[lambda s, t=t: s.event.synchronize(t) for t in (0, -2, -0.5, float("nan"))],
        lambda s: s.dev.free(4096),
        lambda s: s.dev.free(s.memory.address + 4),
        lambda s: s.dev.free(s.foreign),
        lambda s: s.dev.free(s.freed),
        lambda s: s.dev.free(s.freed.address),
        lambda s: s.dev.memcpy(s.memory, np.ones(9, np.uint8)),
        lambda s: s.dev.memcpy(s.memory, np.ones(16, np.uint8), 9),
        lambda s: s.dev.memcpy(s.memory.address + 1, s.array),
        lambda s: s.dev.memcpy(s.memory, s.array, -1),
        lambda s: s.dev.memcpy(s.array[:4], s.memory, 8),
        lambda s: s.dev.memcpy(s.memory, np.int64(12)),
        lambda s: s.dev.memcpy_async(s.memory, np.ones(9, np.uint8)),
        lambda s: s.dev.memset(s.memory, 1, 9),
        lambda s: s.dev.memset_async(s.memory, 1, 9),
        lambda s: s.dev.memset(s.freed, 0),
        *[lambda s, f=f: s.dev.create_stream(0, f) for f in (0x40, -1)],
        lambda s: s.stream.wait_event(s.old),
        lambda s: s.stream.launch_host_func(None),
        lambda s: s.served.launch_callback(None),
        lambda s: s.stream.begin_capture(3),
    ],
    107003: [
        lambda s: s.dev.memset_async(s.memory, 0, stream=s.other.default_stream),
        lambda s: s.event.record(s.other.create_stream()),
        lambda s: s.old.reset(s.other.default_stream),
        lambda s: s.other.create_stream().wait_event(s.event),
        lambda s: s.notify.record(s.other.default_stream),
        lambda s: s.notify.wait(s.other.default_stream),
    ],
    107011: [
        lambda s: s.served.subscribe_report(),
        lambda s: s.stream.unsubscribe_report(),
        lambda s: s.served.launch_host_func(print),
        lambda s: (s.stream.launch_host_func(int), s.stream.subscribe_report()),
    ],
    107012: [
        lambda s: s.served.unsubscribe_report(12345),
        lambda s: s.other.create_stream().subscribe_report(),
        lambda s: s.other.process_report(5),
    ],
    107015: [lambda s: s.stream.launch_callback(print)],
    107016: [lambda s: s.memory.numpy()],
    107017: [
        lambda s: s.gone.synchronize(),
        lambda s: s.gone.query(),
        lambda s: s.gone.destroy(),
        lambda s: s.gone.abort(),
        lambda s: s.gone.wait_event(s.event),
        lambda s: s.gone.launch_host_func(print),
        *[lambda s, x=x: getattr(s, x).record(s.gone) for x in ("event", "notify")],
        lambda s: s.dev.memset_async(s.memory, 0, stream=s.gone),
        lambda s: s.notify.wait(s.gone),
        lambda s: s.ended.destroy(),
        lambda s: s.ended.query(),
        lambda s: s.ended.record(),
        lambda s: s.ended.synchronize(),
        lambda s: s.ended.reset(),
        lambda s: s.ended.timestamp(),
        lambda s: s.ended.query_wait_status(),
        lambda s: s.ended.elapsed_time(s.event),
        lambda s: s.stream.wait_event(s.ended),
        lambda s: (s.notify.destroy(), s.notify.record()),
        lambda s: s.notify.wait(),
        lambda s: s.notify.destroy(),
    ],
    161001: [
        lambda s: ar.Tensor(s.memory, None, "int8"),
        lambda s: ar.Scalar(None, "float32"),
    ],
    161002: [
        lambda s: ar.Tensor(s.memory.address + 8, (1,), "int8"),
        lambda s: ar.Tensor(4096, (1,), "int8"),
        lambda s: ar.Tensor(s.freed.address, (1,), "int8"),
        # creating a tensor checks next to nothing, using one does
        lambda s: tensor(s, (-1,)).view(),
        lambda s: tensor(s, (3,)).view(),
        lambda s: tensor(s, (2,), offset=1).view(),
        lambda s: tensor(s, (2,), offset=-1).view(),
        lambda s: tensor(s, (2,), strides=(-1,)).view(),
        lambda s: tensor(s, (2, 2), strides=(2, 1)).view(),
        lambda s: tensor(s, (1,) * 100).view(),
        lambda s: ar.Tensor(s.memory, (2,), "ACL_STRING").view(),
        lambda s: ar.Tensor(None, (2,), "float32").view(),
        lambda s: ar.Tensor(s.freed, (2,), "float32").view(),
        lambda s: ar.Tensor(s.memory.address + 2, (1,), "float32").check(),
        lambda s: ar.Tensor(s.memory.address + 6, (3,), "int8").check(),
    ],
    207000: [
        lambda s: s.stream.wait_event(s.timed),
        lambda s: s.event.reset(),
        lambda s: s.timed.reset(),
        lambda s: s.event.query_wait_status(),
        lambda s: ar.Device("Atlas inference").create_stream().begin_capture(),
    ],
    207001: [
        lambda s: s.dev.malloc(2**20),  # the padding does not fit
        lambda s: s.dev.malloc(2**40),
        *[lambda s, n=n: s.dev.malloc_host(n) for n in (2**62, 2**63)],
    ],
}  # fmt: skip


@pytest.mark.parametrize("status", REFUSED)
def test_what_is_refused_has_a_code_and_changes_nothing(s, status):
    for number, call in enumerate(REFUSED[status]):
        assert code(call, s) == status, number
    s.dev.synchronize()
    assert content(s.memory).tolist() == [0] * 8
    assert s.array.tolist() == [1] * 8


@pytest.mark.parametrize(
    "use",
    [
        lambda dev, bad, array: dev.memcpy(bad, array),
        lambda dev, bad, array: dev.memcpy(array, bad),
        lambda dev, bad, array: dev.memset(bad, 0),
    ],
)
def test_memory_that_is_not_there(s, use):
    s.dev.free(s.pinned)
    for bad in (s.foreign, s.foreign.address, 123456, s.memory.address + 8, s.freed, s.pinned):
        assert code(use, s.dev, bad, s.array[:4]) == 107000


@pytest.mark.parametrize(
    ("call", "status", "argument"),
    [
        (lambda s: ar.Device("Atlas"), 100000, "product"),
        (lambda s: ar.Device("Atlas A2", memory=0), 100000, "memory"),
        (lambda s: ar.Device("Atlas A2", memory=2**60), 100000, "memory"),
        (lambda s: ar.Device("Atlas A2", execution="fast"), 100000, "execution"),
        (lambda s: ar.Device("Atlas A2", trace_length=-1), 100000, "trace_length"),
        (lambda s: ar.Device("Atlas A2", check="yes"), 100000, "check"),
        (lambda s: s.dev.empty((2, -1), "float32"), 100000, "shape"),
        (lambda s: s.dev.memcpy(s.memory, np.zeros((4, 4), np.uint8).T[::2]), 107000, "src"),
        (lambda s: s.dev.memcpy(np.zeros(8, np.int8)[::2], s.memory), 107000, "dst"),
        (lambda s: s.dev.memcpy(np.frombuffer(b"abcd", "u1"), s.memory), 107000, "dst"),
        (lambda s: s.dev.memcpy(s.read_only, s.memory), 107000, "dst"),
        (lambda s: s.dev.memcpy(np.float32(0), s.memory), 107000, "dst"),
        *[
            (lambda s, v=v, t=t: ar.Scalar(v, t), 161002, "value")
            for v, t in [(300, "int8"), (-1, "uint8"), (0.5, "int32"), (float("nan"), "int64"),
                         (float("inf"), "int64"), (2**63, "int64")]
        ],
        (lambda s: ar.Tensor(None, (1,), "int8", format="NCHWX"), 161002, "format"),
        (lambda s: ar.Tensor(None, (1,), "int8", strides=()), 161002, "strides"),
    ],
)  # fmt: skip
def test_impossible_values_have_a_code_and_are_value_errors(s, call, status, argument):
    with pytest.raises(ar.AclError, match=rf": {argument} ") as info:
        call(s)
    error = info.value
    assert isinstance(error, ValueError)
    assert (error.status, error.argument) == (status, argument)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.argument, again.status) == (str(error), argument, status)
    if status == 107000:
        assert ar.get_last_error() == status
    assert error.message in ar.recent_error_message()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: ar.Device("Atlas A2", memory=1.5), "memory is 1.5; it must be an integer"),
        (lambda s: ar.Device("Atlas A2", seed="a"), "seed is 'a'; it must be an integer"),
        (lambda s: ar.Device("Atlas A2", trace_length=1.5), "trace_length is 1.5"),
        (lambda s: s.dev.malloc("8"), "nbytes is '8'"),
        (lambda s: s.dev.memcpy(s.memory, s.array, 1.5), "nbytes is 1.5"),
        (lambda s: s.dev.memcpy(s.memory, "bytes"), "src is a str"),
        (lambda s: s.dev.memcpy(s.memory, np.array([None])), "src holds Python objects"),
        (lambda s: s.dev.memset(s.memory, 1.5), "value is 1.5"),
        (lambda s: s.dev.memset_async(s.memory, 0, stream=3), "stream is a int"),
        (lambda s: s.dev.free("here"), "memory is a str"),
        (lambda s: s.dev.empty(2, ","), "dtype is ','"),
        (lambda s: s.dev.tensor([1, 2]), "array is a list"),
        (lambda s: s.dev.tensor(np.arange(3).astype(">i4")), "dtype is"),
        (lambda s: s.dev.create_stream("high"), "priority is"),
        (lambda s: s.dev.create_stream(flags=None), "flags is"),
        (lambda s: s.dev.create_event("SYNC"), "flags is"),
        (lambda s: s.dev.create_event(ex="no"), "ex is 'no'; True or False"),
        (lambda s: s.dev.create_event(ex=1), "ex is 1; True or False"),
        (lambda s: s.stream.set_failure_mode("stop"), "mode is"),
        (lambda s: s.stream.subscribe_report("main"), "thread is"),
        (lambda s: s.served.launch_callback(3), "function is a int"),
        (lambda s: s.stream.wait_event(3), "event is a int"),
        (lambda s: s.event.elapsed_time(3), "end is a int"),
        (lambda s: s.event.record(3), "stream is a int"),
        (lambda s: s.dev.synchronize("1 s"), "timeout is '1 s'; a number"),
        (lambda s: s.dev.process_report("1 s"), "timeout is"),
        (lambda s: s.pinned.numpy("ACL_STRING"), "dtype is 'ACL_STRING'"),
        (lambda s: ar.Product.find(910), "product is a int"),
        (lambda s: ar.Tensor(np.zeros(2), (2,), "int8"), "memory is a ndarray"),
        (lambda s: ar.Tensor(None, (1.5,), "int8"), "shape is"),
        (lambda s: ar.Tensor(None, (1,), "int8", offset=0.5), "offset is"),
        *[(lambda s, v=v: ar.Scalar(v, "int8"), "value is") for v in ("1", [1, 2], object(), 1j)],
    ],
)
def test_what_is_no_such_thing_at_all_is_a_type_error(s, call, message):
    with pytest.raises(ar.ArgumentTypeError, match=f"^{message}") as info:
        call(s)
    assert info.value.argument == message.split()[0]


def test_names_at_the_top():
    assert ar.get_last_error is get_last_error
    assert ar.peek_at_last_error is peek_at_last_error
    assert ar.recent_error_message is recent_error_message
    assert ar.EventFlag.SYNC | ar.EventFlag.TIME_LINE == 9
    assert ar.StreamFlag.PERSISTENT == 4
    assert ar.FailureMode.STOP == 1
    assert ar.Format.ND == 2
    assert ar.DataType.ACL_BF16 == 27
