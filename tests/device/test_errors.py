"""Status codes, AclError, and what a thread can ask about its failures."""

import pickle
import threading

import numpy as np
import pytest

import ascendref as ar
from ascendref.core.errors import fail, get_last_error, peek_at_last_error, recent_error_message

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


def test_only_failures_of_the_runtime_are_the_last_error():
    dev = ar.Device("Atlas A2")
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


@pytest.mark.parametrize(
    ("call", "status", "argument"),
    [
        (lambda dev: ar.Device("Atlas"), 100000, "product"),
        (lambda dev: ar.Device("Atlas A2", memory=0), 100000, "memory"),
        (lambda dev: ar.Device("Atlas A2", memory=2**60), 100000, "memory"),
        (lambda dev: ar.Device("Atlas A2", execution="fast"), 100000, "execution"),
        (lambda dev: dev.empty((2, -1), "float32"), 100000, "shape"),
        (lambda dev: dev.memcpy(dev.malloc(4), np.zeros((2, 2), np.int8).T), 107000, "src"),
        (lambda dev: dev.memcpy(np.zeros(8, np.int8)[::2], dev.malloc(4)), 107000, "dst"),
        (lambda dev: dev.memcpy(np.frombuffer(b"abcd", "u1"), dev.malloc(4)), 107000, "dst"),
        (lambda dev: dev.memcpy(np.float32(0), dev.malloc(4)), 107000, "dst"),
        (lambda dev: ar.Scalar(300, "int8"), 161002, "value"),
        (lambda dev: ar.Tensor(None, (1,), "int8", format="NCHWX"), 161002, "format"),
        (lambda dev: ar.Tensor(None, (1,), "int8", strides=()), 161002, "strides"),
    ],
)
def test_impossible_values_have_a_code_and_are_value_errors(dev, call, status, argument):
    with pytest.raises(ar.AclError, match=rf": {argument} ") as info:
        call(dev)
    error = info.value
    assert isinstance(error, ValueError)
    assert (error.status, error.argument) == (status, argument)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.argument, again.status) == (str(error), argument, status)
    if status == 107000:
        assert ar.get_last_error() == status
    assert error.message in ar.recent_error_message()


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda dev: ar.Device("Atlas A2", memory=1.5), "memory"),
        (lambda dev: dev.malloc("8"), "nbytes"),
        (lambda dev: dev.malloc(1.5), "nbytes"),
        (lambda dev: dev.memcpy(dev.malloc(8), dev.malloc(8), 1.5), "nbytes"),
        (lambda dev: dev.memset(dev.malloc(8), 1.5), "value"),
        (lambda dev: dev.create_stream("high"), "priority"),
        (lambda dev: dev.create_stream(flags=None), "flags"),
        (lambda dev: dev.create_event("SYNC"), "flags"),
        (lambda dev: dev.create_stream().set_failure_mode("stop"), "mode"),
        (lambda dev: dev.create_stream().subscribe_report("main"), "thread"),
        (lambda dev: dev.synchronize("1 s"), "timeout"),
        (lambda dev: dev.process_report("1 s"), "timeout"),
        (lambda dev: ar.Tensor(None, (1,), "int8", offset=0.5), "offset"),
        (lambda dev: ar.Scalar("1", "int8"), "value"),
    ],
)
def test_what_is_no_such_thing_at_all_is_a_type_error(dev, call, argument):
    with pytest.raises(ar.ArgumentTypeError, match=f"^{argument} is ") as info:
        call(dev)
    assert info.value.argument == argument


def test_names_at_the_top():
    assert ar.get_last_error is get_last_error
    assert ar.peek_at_last_error is peek_at_last_error
    assert ar.recent_error_message is recent_error_message
    assert ar.EventFlag.SYNC | ar.EventFlag.TIME_LINE == 9
    assert ar.StreamFlag.PERSISTENT == 4
    assert ar.FailureMode.STOP == 1
    assert ar.Format.ND == 2
    assert ar.DataType.ACL_BF16 == 27
