"""Status codes, AclError, and what a thread can ask about its failures."""

import pickle
import threading

import pytest

import ascendref as ar
from ascendref.errors import fail, get_last_error, peek_at_last_error, recent_error_message

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
