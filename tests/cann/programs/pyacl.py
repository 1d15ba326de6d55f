"""A program with the vendor's Python interface, which checks its results itself."""

import ctypes
import os

import acl
import numpy as np
import pytest

VALUES = np.arange(8, dtype=np.float32)
HOST_TO_DEVICE, DEVICE_TO_HOST, TIMEOUT = 1, 2, 100
FLOAT = 11


def value(answer):
    """Return the values of a call that succeeded."""
    *values, code = answer
    assert code == 0, (code, acl.get_recent_err_msg())
    return values[0] if len(values) == 1 else tuple(values)


def process():
    assert acl.init() == 0
    assert acl.init() == 100002
    assert value(acl.get_version()) == (1, 17, 0)
    assert acl.get_soc_name() == "Ascend910B3"
    assert value(acl.rt.get_device_count()) == 2
    assert acl.rt.get_device() == (0, 107002)
    assert acl.get_recent_err_msg()
    assert acl.get_recent_err_msg() is None
    assert acl.rt.set_device(2) == 107001
    assert acl.rt.set_device(1) == 0
    assert value(acl.rt.get_device()) == 1
    assert value(acl.rt.get_run_mode()) == acl.ACL_HOST == 1
    assert value(acl.rt.device_can_access_peer(0, 1)) == 1
    assert [acl.data_type_size(kind) for kind in (0, 1, 27)] == [4, 2, 2]
    assert acl.float_to_float16(1.5) == 0x3E00
    assert acl.float16_to_float(0x3E00) == 1.5
    assert value(acl.get_device_capability(1, 0)) > 0
    assert value(acl.get_cann_attribute_list()) == ([0, 1, 2], 3)


def contexts():
    primary = value(acl.rt.get_context())
    context = value(acl.rt.create_context(0))
    assert value(acl.rt.get_context()) == context != primary
    assert acl.rt.set_context(primary) == 0
    assert acl.rt.destroy_context(context) == 0
    assert acl.rt.set_context(context) == 107002


def memory():
    nbytes = VALUES.nbytes
    free, total = value(acl.rt.get_mem_info(acl.ACL_HBM_MEM))
    pointer = value(acl.rt.malloc(nbytes, 0))
    assert value(acl.rt.get_mem_info(1))[0] < free <= total
    given, taken = VALUES.tobytes(), bytes(nbytes)
    source, target = map(acl.util.bytes_to_ptr, (given, taken))
    assert acl.rt.memcpy(pointer, nbytes, source, nbytes, HOST_TO_DEVICE) == 0
    assert acl.rt.memcpy(target, nbytes, pointer, nbytes, DEVICE_TO_HOST) == 0
    assert taken == given
    assert acl.rt.memset(pointer, nbytes, 255, 4) == 0
    stream = value(acl.rt.create_stream())
    host = value(acl.rt.malloc_host(nbytes))
    assert acl.rt.memcpy_async(host, nbytes, pointer, nbytes, DEVICE_TO_HOST, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    assert acl.util.ptr_to_bytes(host, nbytes) == b"\xff" * 4 + given[4:]
    with pytest.warns(Warning, match="ptr_to_bytes"):
        array = acl.util.ptr_to_numpy(host, (2, 4), FLOAT)
    with pytest.warns(Warning, match="bytes_to_ptr"):
        assert acl.util.numpy_to_ptr(array) == host
    with pytest.warns(Warning, match="bytes_to_ptr"):
        address, copy = acl.util.numpy_contiguous_to_ptr(array.T)
    assert array.tobytes() == acl.util.ptr_to_bytes(host, nbytes)
    assert ctypes.string_at(address, nbytes) == copy.tobytes() == array.T.tobytes()
    assert (acl.rt.free_host(host), acl.rt.free(pointer), acl.rt.free(pointer)) == (0, 0, 107000)
    assert acl.rt.malloc(0, 0) == (0, 100000)
    assert acl.rt.destroy_stream(stream) == 0
    assert acl.rt.synchronize_stream(stream) == 107017


def events():
    stream, other = value(acl.rt.create_stream()), value(acl.rt.create_stream())
    first, last = value(acl.rt.create_event()), value(acl.rt.create_event_ex_with_flag(8))
    assert acl.rt.query_event_status(first) == (0, 0)
    assert acl.rt.record_event(first, stream) == acl.rt.stream_wait_event(other, first) == 0
    assert acl.rt.record_event(last, other) == acl.rt.synchronize_event(last) == 0
    assert value(acl.rt.event_elapsed_time(first, last)) >= 0
    assert value(acl.rt.query_event_status(first)) == value(acl.rt.query_event_status(last)) == 1
    assert value(acl.rt.stream_query(other)) == 0
    assert acl.rt.destroy_event(first) == acl.rt.destroy_event(last) == 0


def callbacks():
    stream, called = value(acl.rt.create_stream()), []

    def serve(limit):
        while len(called) < limit:
            acl.rt.process_report(TIMEOUT)

    thread = value(acl.util.start_thread(serve, 2))
    assert acl.rt.subscribe_report(thread, stream) == 0
    for k in range(2):
        assert acl.rt.launch_callback(called.append, k, acl.ACL_CALLBACK_BLOCK, stream) == 0
    assert acl.rt.synchronize_stream(stream) == acl.util.stop_thread(thread) == 0
    assert called == [0, 1]
    assert acl.rt.launch_callback(called.append, 2, 7, stream) == 100000
    assert acl.rt.unsubscribe_report(thread, stream) == 0
    failing = value(acl.util.start_thread(int, "no number"))
    with pytest.raises(RuntimeError, match="no number"):
        acl.util.stop_thread(failing)


def refusals():
    for call in (
        lambda: acl.rt.malloc("4", 0),
        lambda: acl.rt.malloc(4),
        lambda: acl.rt.malloc(-1, 0),
        lambda: acl.rt.set_device(2**31),
        lambda: acl.rt.launch_callback(None, 0, 0, 0),
        lambda: acl.init(5),
    ):
        with pytest.raises(TypeError, match=r"acl\.\S+ args parse failed"):
            call()
    for module, name, why in (
        (acl, "mdl", r"dir\(acl\)"),
        (acl.rt, "set_devices", r"dir\(acl\.rt\)"),
        (acl.rt, "set_op_wait_timeout", "no time limit"),
    ):
        with pytest.raises(AttributeError, match=rf"{name}.*{why}"):
            getattr(module, name)
    for call in (
        lambda: acl.util.bytes_to_ptr("text"),
        lambda: acl.util.ptr_to_bytes(2**48, 4),
        lambda: acl.util.ptr_to_bytes(0, 4),
    ):
        with pytest.raises(ValueError, match=r"acl\.util"):
            call()


def every_function_counts_its_arguments():
    for module in (acl, acl.rt):
        for name, function in vars(module).items():
            if getattr(function, "__module__", "") == module.__name__:
                with pytest.raises(TypeError, match=rf"{name} args parse failed"):
                    function(*[0] * 20)


def clients_of_ctypes():
    """Hand handles and addresses of the module to functions of the C library, and back."""
    library = ctypes.CDLL(os.path.join(os.environ["ASCEND_HOME_PATH"], "lib64", "libopapi.so"))
    stream, address = value(acl.rt.create_stream()), value(acl.rt.malloc(VALUES.nbytes, 0))
    data = acl.util.bytes_to_ptr(given := (-VALUES).tobytes())
    acl.rt.memcpy(address, VALUES.nbytes, data, VALUES.nbytes, HOST_TO_DEVICE)
    create = library.aclCreateTensor
    create.restype = ctypes.c_void_p
    shape, size, executor = (ctypes.c_int64 * 1)(8), ctypes.c_uint64(), ctypes.c_void_p()
    one, address_of = ctypes.c_uint64(1), ctypes.c_void_p
    tensor = address_of(create(shape, one, 0, None, 0, 2, shape, one, address_of(address)))
    places = ctypes.byref(size), ctypes.byref(executor)
    assert library.aclnnReluGetWorkspaceSize(tensor, tensor, *places) == 0
    assert library.aclnnRelu(None, size, executor, address_of(stream)) == 0
    assert acl.rt.synchronize_stream(stream) == library.aclDestroyTensor(None) == 0
    assert library.aclDestroyScalar(None) == 0
    acl.rt.memcpy(data, VALUES.nbytes, address, VALUES.nbytes, DEVICE_TO_HOST)
    assert not np.frombuffer(given, np.float32).any()


for part in (process, contexts, memory, events, callbacks, refusals, clients_of_ctypes):
    part()
every_function_counts_its_arguments()
assert acl.rt.reset_device_force(1) == 0
assert acl.finalize_reference() == (1, 0)
assert acl.finalize() == 0
assert acl.finalize() == 100037
