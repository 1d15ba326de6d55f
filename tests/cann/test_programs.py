"""Programs in C and C++ that are compiled and run as their users do it."""

import json
import os
import re
import signal
import textwrap
from pathlib import Path

import pytest

from ascendref.cann.root import install

from ..support.processes import run
from ..support.readme import shown_output
from .conftest import PROGRAMS, Programs, output_of
from .operators import calls

SAMPLE = "../../../examples/08_from_cpp.cpp"
TWO_DEVICES = {"ASCENDREF_PRODUCT": "Ascend910B3", "ASCENDREF_DEVICES": "2"}


def test_the_sample_prints_its_result(programs):
    out, errors = programs.run(SAMPLE)
    lines = out.splitlines()
    assert lines == [f"result[{k}] is: {v:f}" for k, v in enumerate([0, 0, 1, 1])]
    assert out == shown_output("cpp")
    assert errors == ""


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("program", "environment"),
    [
        (("errors.c",), {}),
        (("streams.cpp",), TWO_DEVICES),
        (("process.cpp", "threads"), {}),
        (("process.cpp", "forks"), {}),
        (("process.cpp", "signals"), {}),
        (("resources.cpp",), TWO_DEVICES),
        *[
            (("notifies.cpp",), {**TWO_DEVICES, "ASCENDREF_EXECUTION": x, "ASCENDREF_CHECK": "1"})
            for x in ("eager", "lazy", "random")
        ],
        *[
            (("graphs.cpp",), {**TWO_DEVICES, "ASCENDREF_EXECUTION": x, "ASCENDREF_CHECK": "1"})
            for x in ("eager", "lazy", "random")
        ],
        *[(("mappings.cpp",), {**TWO_DEVICES, "ASCENDREF_CHECK": check}) for check in "01"],
    ],
    ids=lambda value: " ".join(value.values() if isinstance(value, dict) else value),
)
def test_a_program_that_checks_all_itself_prints_nothing(programs, program, environment):
    assert programs.run(*program, **environment) == ("", "")


@pytest.mark.full
@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"{bad", 100006),
        (b"[1]", 100006),
        (b'{"a": "\xff"}', 100006),
        (b'{"a": ' * 3000, 100006),
        (b'{"a": ' * 11 + b"1" + b"}" * 11, 100006),
        (b"[" + b"9" * 5000, 100006),
        (b'{"defaultDevice": 1}', 100006),
        (b'{"defaultDevice": {"default_device": "first"}}', 100006),
        (b'{"defaultDevice": {"default_device": true}}', 100006),
        (b'{"defaultDevice": {"default_device": 1e400}}', 100006),
        (b'{"defaultDevice": {"default_device": 9}}', 107001),
    ],
)
def test_a_refused_configuration_initializes_nothing(programs, tmp_path, text, code):
    (tmp_path / "acl.json").write_bytes(text)
    out, _ = programs.run("configuration.c", tmp_path / "acl.json")
    assert out.startswith(f"{code} ")
    assert out.splitlines()[-3:] == ["0", "107002 -1", "107002"]
    assert not re.search(r"object|codec|Errno|unicode|literal|infinity", out)


@pytest.mark.full
def test_a_configuration_is_utf_8_in_every_locale_and_under_every_name(programs, tmp_path):
    path = os.fsencode(tmp_path) + b"/\xe9.json"
    with open(path, "wb") as file:
        file.write('{"note": "é"}'.encode())
    out, _ = programs.run("configuration.c", os.fsdecode(path), LC_ALL="C")
    assert out.startswith("0 \n")


@pytest.mark.full
def test_a_default_device_serves_threads_until_the_end(programs, tmp_path):
    settings = {"defaultDevice": {"default_device": "1"}, "dump": json.loads("[" * 9 + "]" * 9)}
    (tmp_path / "acl.json").write_text(json.dumps(settings))
    out, _ = programs.run("configuration.c", tmp_path / "acl.json", **TWO_DEVICES)
    assert out.splitlines()[2:] == ["0 1", "107002"]


@pytest.mark.full
def test_static_objects_call_after_the_end(programs):
    assert programs.run("process.cpp", "exits")[0] == "late: 100001 100001\n"


@pytest.mark.full
def test_any_thread_may_end_the_process(programs):
    out, errors = programs.run("process.cpp", "exits from a thread", status=3)
    assert out == "late: 100001 100001\n"
    assert "LostWorkWarning: 1 tasks" in errors  # the host function that never returned
    assert programs.run("process.cpp", "exits from a host function", status=3)[1].count("\n") <= 2


@pytest.mark.full
def test_the_host_cannot_touch_memory_of_the_device(programs):
    out, errors = programs.run("process.cpp", "faults", status=-signal.SIGSEGV)
    touched = int(out, 16) + 12
    assert f"touched {touched:#x}, which is memory of the device" in errors
    assert errors.count("\n") == 1


@pytest.mark.full
def test_an_exception_in_python_is_no_success(programs, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        textwrap.dedent(
            """
            import ascendref.cann.runtime.lifecycle
            from ascendref.cann.runtime import memory
            def broken(attr):
                raise RuntimeError("out of order")
            memory.aclrtGetMemInfo = broken
            """
        )
    )
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    programs.run("process.cpp", "broken", PYTHONPATH=path)


@pytest.mark.full
def test_every_function_in_every_type_and_layout(root):
    library = root / "lib64" / "libopapi.so"
    made = sum(1 + len(operator.nullable) for operator, _, _ in calls())
    assert int(run("-m", "tests.cann.operators", library)) == made


# ---- several devices and processes


@pytest.mark.full
@pytest.mark.parametrize("check", ["0", "report"])
def test_copies_between_devices(programs, check):
    status = int(check == "report")  # that a hazard was found
    environment = {"ASCENDREF_CHECK": check, **TWO_DEVICES}
    out, errors = programs.run("peers.cpp", check, status=status, **environment)
    assert out == ""
    if check == "0":
        assert errors == ""
    else:  # one race, the one that the program has
        assert errors.count("race: ") == 1
        assert "aclrtFree" not in errors
        # streams of two devices cannot wait for events of each other
        assert "fix: synchronize stream" in errors
        assert "aclrtStreamWaitEvent" not in errors


@pytest.mark.full
@pytest.mark.parametrize("check", ["0", "1"])
def test_processes_share_memory(programs, check):
    before = set(Path("/dev/shm").glob("ascendref-*"))
    out, errors = programs.run("sharing.cpp", ASCENDREF_CHECK=check, **TWO_DEVICES)
    assert out == ""
    assert errors.count("use-after-free: ") == errors.count("fix:") == int(check)
    assert set(Path("/dev/shm").glob("ascendref-*")) <= before


# ---- settings


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ASCENDREF_PRODUCT", "Atlas 9"),
        ("ASCENDREF_DEVICES", "0"),
        ("ASCENDREF_DEVICES", "two"),
        ("ASCENDREF_EXECUTION", "soon"),
        ("ASCENDREF_SEED", "-1"),
        ("ASCENDREF_CHECK", "yes"),
        ("ASCENDREF_MEMORY", "1e9"),
        ("ASCENDREF_CANN_VERSION", "9.1"),
        ("ASCENDREF_LIBPYTHON", "/no/such/file"),
    ],
)
def test_a_bad_setting_is_one_line_and_a_code(programs, variable, value):
    out, errors = programs.run("process.cpp", "starts", **{variable: value})
    assert out == "500000\n"
    said = "cannot load Python" if "PYTHON" in variable else rf"{variable} is '{value}'; "
    assert re.fullmatch(rf"ascendref: .*{said}.*\n", errors)


@pytest.mark.full
def test_the_log_and_the_timeline(programs, tmp_path):
    trace = tmp_path / "trace.json"
    out, errors = programs.run(SAMPLE, ASCENDREF_CALLS="1", ASCENDREF_TRACE=str(trace))
    assert out.startswith("result[0]")
    lines = errors.splitlines()
    assert lines[0] == "ascendref: aclInit(configPath=NULL) = 0"
    assert lines[-1] == "ascendref: aclFinalize() = 0"
    assert any(re.fullmatch(r"ascendref: aclrtMalloc\(devPtr=&0x\w+, size=16, policy=0\) = 0"
                            r" \*devPtr=0x1000000000000", line) for line in lines)  # fmt: skip
    assert sum("aclCreateTensor(" in line for line in lines) == 3
    names = [event["name"] for event in json.loads(trace.read_text())["traceEvents"]]
    assert "aclnnHardshrinkBackward" in names


@pytest.mark.full
def test_memory_is_that_of_the_setting(programs):
    _, errors = programs.run(SAMPLE, status=1, ASCENDREF_MEMORY="100")
    assert errors == ""


# ---- other ways in


CLIENT = """
import ctypes, os, threading
root = os.environ["ROOT"] + "/lib64/"
runtime = ctypes.CDLL(root + "libascendcl.so", mode=ctypes.RTLD_GLOBAL)
base = ctypes.CDLL(root + "libnnopbase.so", mode=ctypes.RTLD_GLOBAL)
operators = ctypes.CDLL(root + "libopapi.so")
pointer, size = ctypes.c_void_p, ctypes.c_uint64
base.aclCreateTensor.restype = base.aclCreateScalar.restype = pointer
runtime.aclGetRecentErrMsg.restype = ctypes.c_char_p
"""


def client(root, program):
    """Run a program of Python after these lines; return what it prints."""
    return run("-c", CLIENT + textwrap.dedent(program), ROOT=str(root))


@pytest.mark.full
def test_ctypes_clients_of_python(root):
    out = client(
        root,
        """
        assert not hasattr(operators, "aclnnMaskedSoftmax")
        assert operators.aclnnInit(None) == 0
        assert runtime.aclInit(None) == 0 and runtime.aclrtSetDevice(0) == 0
        dims = (ctypes.c_int64 * 1)(4)
        data = (ctypes.c_float * 4)(-1, 0.25, 0.75, 2)
        result = (ctypes.c_float * 4)()
        addresses = [pointer() for _ in range(3)]
        for address in addresses:
            assert runtime.aclrtMalloc(ctypes.byref(address), size(16), 0) == 0
        for address in addresses[:2]:
            assert runtime.aclrtMemcpy(address, size(16), data, size(16), 1) == 0
        g, x, out = (
            pointer(base.aclCreateTensor(dims, size(1), 0, None, ctypes.c_int64(0), 2, dims,
                                         size(1), address))
            for address in addresses
        )
        lambd = pointer(base.aclCreateScalar(ctypes.byref(ctypes.c_double(0.5)), 11))
        need, executor = size(), pointer()
        assert operators.aclnnHardshrinkBackwardGetWorkspaceSize(
            g, x, lambd, out, ctypes.byref(need), ctypes.byref(executor)) == 0
        assert operators.aclnnHardshrinkBackward(None, need, executor, None) == 0
        assert runtime.aclrtSynchronizeDevice() == 0
        assert runtime.aclrtMemcpy(result, size(16), addresses[2], size(16), 2) == 0
        print(list(result))
        assert runtime.aclrtFree(pointer(1)) == 107000
        assert b"0x1" in runtime.aclGetRecentErrMsg()
        def work():  # a thread of Python's, whose state Python ends
            assert runtime.aclrtFree(None) == 100000
            assert b"NULL" in runtime.aclGetRecentErrMsg()
        threads = [threading.Thread(target=work) for _ in range(4)]
        [t.start() for t in threads], [t.join() for t in threads]
        if os.fork() == 0:
            os._exit(runtime.aclrtSynchronizeDevice() != 107002)
        assert os.waitstatus_to_exitcode(os.wait()[1]) == 0
        """,
    )
    assert out == "[-1.0, 0.0, 0.75, 2.0]"


def test_threads_that_begin_together_share_a_device():
    program = """
        import sys, threading
        from ascendref.cann.runtime import lifecycle
        from ascendref.cann.runtime.process import process
        sys.setswitchinterval(1e-6)
        def begin():
            barrier.wait()
            lifecycle.aclrtSetDevice(0)
            found.add(process.current())
        for _ in range(30):
            process.reset()
            barrier, found = threading.Barrier(8), set()
            threads = [threading.Thread(target=begin) for _ in range(8)]
            [t.start() for t in threads], [t.join() for t in threads]
            assert found == {process.slots[0].primary} and process.slots[0].users == 8
    """
    run("-c", textwrap.dedent(program))


@pytest.mark.full
def test_host_and_kernel_thread_spin_while_they_wait_for_each_other(root):
    client(
        root,
        """
        import time
        from ascendref.device.scheduling.spinning import DEVICE, HOST
        from ascendref.device.scheduling.worker_threads import workers
        assert runtime.aclrtSetDevice(0) == 0
        spinner, address, nbytes = workers.spinner, pointer(), size(1 << 26)
        assert runtime.aclrtMalloc(ctypes.byref(address), nbytes, 0) == 0
        assert (spinner.turns(HOST), spinner.turns(DEVICE)) == (0, 0)
        assert runtime.aclrtMemsetAsync(address, nbytes, 0, nbytes, None) == 0
        assert runtime.aclrtSynchronizeDevice() == 0
        assert spinner.turns(HOST) == 1  # it blocked after that: the memory is large
        while spinner.turns(DEVICE) < 1:
            time.sleep(0.001)
        # with another number than was seen, there is nothing to wait for
        spinner.spin(HOST, -1)
        assert spinner.turns(HOST) == 2
        """,
    )


@pytest.mark.full
def test_an_interrupt_of_a_client_in_python_is_not_lost(root):
    out = client(
        root,
        """
        import signal, time
        signal.signal(signal.SIGINT, signal.default_int_handler)
        runtime.aclrtSetDevice(0)
        function = ctypes.CFUNCTYPE(None, pointer)(lambda argument: time.sleep(1))
        assert runtime.aclrtLaunchHostFunc(None, function, None) == 0
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            code = runtime.aclrtSynchronizeStream(None)
            print("lost", code)
        except KeyboardInterrupt:
            print("interrupted")
        assert runtime.aclrtSynchronizeStream(None) == 0
        """,
    )
    assert out == "interrupted"


@pytest.mark.full
def test_cmake_as_the_vendor_documents_it(root, tmp_path):
    build = tmp_path / "build"
    output_of("cmake", "-S", PROGRAMS / "cmake", "-B", build, f"-DCUST_PKG_PATH={root}")
    output_of("cmake", "--build", build)
    out = output_of("sh", "-c", f". {root}/set_env.sh && {build}/bin/opapi_test")
    assert out.splitlines()[-1] == "result[3] is: 1.000000"


@pytest.mark.exhaustive
def test_the_c_side_under_the_address_sanitizer(tmp_path_factory):
    sanitize = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
    folder = tmp_path_factory.mktemp("sanitized")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CFLAGS", " ".join(sanitize))
        sanitized = Programs(folder, install(folder / "root"), sanitize)
    options = {"ASAN_OPTIONS": "detect_leaks=0:handle_segv=0"}
    for source, arguments in (
        ("errors.c", ()),
        (SAMPLE, ()),
        ("process.cpp", ("threads",)),
        ("process.cpp", ("forks",)),
    ):
        _, errors = sanitized.run(source, *arguments, **options)
        assert errors == ""
    assert sanitized.run("streams.cpp", **options, **TWO_DEVICES)[1] == ""
