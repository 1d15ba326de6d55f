"""Signals, exit, and forks, each in a process of its own."""

import signal
import textwrap
import time

import pytest

from ..support import processes

HANG = 60  # seconds after which a child counts as hanging
#: a shell lets what it runs in the background ignore interrupts
LISTEN = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"


def start(program):
    return processes.start("-c", LISTEN + textwrap.dedent(program))


def run(program):
    child = start(program)
    try:
        out, err = child.communicate(timeout=HANG)
    finally:
        child.kill()
    return child.returncode, out, err


@pytest.mark.daily(3)
@pytest.mark.parametrize("execution", ["eager", "lazy", "random"])
@pytest.mark.parametrize(
    "wait",
    [
        "stream.synchronize()", "stream.synchronize(50_000)", "dev.synchronize()",
        "event.synchronize()", "stream.destroy()",
    ],
)  # fmt: skip
def test_an_interrupt_ends_a_wait(wait, execution):
    child = start(
        f"""
        import threading, ascendref as ar
        gate, seen = threading.Event(), []
        def hold():
            print("waiting", flush=True)
            gate.wait(50)
        dev = ar.Device("Atlas A2", execution="{execution}")
        stream, event = dev.create_stream(), dev.create_event()
        stream.launch_host_func(hold)
        event.record(stream)
        stream.launch_host_func(lambda: seen.append("later"))
        try:
            {wait}
        except KeyboardInterrupt:
            gate.set()
            stream.synchronize()  # everything still works
            print("interrupted", seen)
        """
    )
    try:
        assert child.stdout.readline() == "waiting\n"
        time.sleep(0.2)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=HANG)
    finally:
        child.kill()
    assert (child.returncode, out, err) == (0, "interrupted ['later']\n", "")


@pytest.mark.full
@pytest.mark.parametrize("execution", ["eager", "lazy", "random"])
def test_interrupts_at_any_moment_lose_nothing(execution):
    code, out, err = run(
        f"""
        import random, ascendref as ar
        from tests.support.alarm import alarm
        dev = ar.Device("Atlas A2", execution="{execution}", seed=1)
        streams, seen, hits = [dev.create_stream() for _ in range(3)], [], 0
        draw = random.Random(1)
        for k in range(1000):
            streams[k % 3].launch_host_func(lambda k=k: seen.append(k))
        with alarm(KeyboardInterrupt) as after:
            while len(seen) < 1000:
                try:
                    after(draw.uniform(0.0001, 0.002))
                    dev.synchronize()
                    after(0)
                except KeyboardInterrupt:
                    hits += 1
        print(hits > 0, sorted(seen) == list(range(1000)))
        """
    )
    assert (code, out, err) == (0, "True True\n", "")


def test_exit_lets_eager_work_end():
    code, out, err = run(
        """
        import time, ascendref as ar
        dev = ar.Device("Atlas A2")
        for k in range(3):
            dev.launch(None, lambda k=k: (time.sleep(0.05), print(k, flush=True)), (), (), "work")
        """
    )
    assert (code, out.split(), err) == (0, ["0", "1", "2"], "")


@pytest.mark.full
@pytest.mark.parametrize(
    ("execution", "work", "words"),
    [
        (
            "eager",  # exit does not wait for ever
            "dev.default_stream.launch_host_func(threading.Event().wait)\n"
            "dev.launch(None, print, (), (), 'behind it')",
            ("LostWorkWarning: 2 tasks", "behind it"),
        ),
        (
            "lazy",
            "dev.launch(None, lambda: print('ran'), (), (), 'forgotten')",
            ("LostWorkWarning: 1 tasks", "forgotten"),
        ),
        (
            "eager",
            "dev.launch(None, lambda: 1 / 0, (), (), 'division')",
            ("'division'", "ZeroDivisionError"),
        ),
    ],
)
def test_exit_tells_what_was_lost_or_failed_unseen(execution, work, words):
    code, out, err = run(
        "import threading, warnings, ascendref as ar\n"
        "warnings.simplefilter('always')\n"
        f"dev = ar.Device('Atlas A2', execution='{execution}')\n{work}"
    )
    assert (code, out) == (0, "")
    assert [word for word in words if word not in err] == []


def test_importing_leaves_no_thread():
    code, out, _ = run(
        """
        import threading, ascendref as ar
        ar.Device("Atlas A2")
        for thread in threading.enumerate()[1:]:
            thread.join(10)  # one that imported may be about to end
        print(threading.active_count())
        """
    )
    assert (code, out) == (0, "1\n")


def test_the_device_is_imported_on_demand():
    code, out, err = run(
        """
        import sys, ascendref as ar
        assert not [name for name in sys.modules if name.startswith("ascendref.device")]
        assert {"Device", "EventFlag", "StreamFlag", "FailureMode", "Format"} <= {*dir(ar)}
        ar.Device
        assert "ascendref.device.device" in sys.modules
        from ascendref import *
        print(Tensor.__name__, Scalar.__name__, Product.__name__)
        """
    )
    assert (code, out, err) == (0, "Tensor Scalar Product\n", "")


@pytest.mark.full
@pytest.mark.parametrize("execution", ["eager", "lazy", "random"])
def test_host_functions_fail_where_no_thread_can_be_started(execution):
    code, out, err = run(
        f"""
        import threading, ascendref as ar
        dev = ar.Device("Atlas A2", execution="{execution}")
        dev.launch(None, lambda: None, (), (), "")  # the device's own thread runs
        dev.synchronize()
        start = threading.Thread.start
        def refuse(thread):
            raise RuntimeError("can't start new thread")
        threading.Thread.start = refuse
        stream, seen = dev.create_stream(), []
        stream.launch_host_func(lambda: seen.append(1))
        dev.launch(stream, lambda: seen.append(2), (), (), "later")
        try:
            stream.synchronize(50_000)
        except ar.AclError as error:
            print(int(error.status), "ulimit" in error.message, seen)
        threading.Thread.start = start
        stream.launch_host_func(lambda: seen.append(3))
        stream.synchronize(50_000)
        print(seen)
        """
    )
    assert (code, out, err) == (0, "207005 True [2]\n[2, 3]\n", "")


def test_nothing_is_queued_where_no_thread_can_be_started():
    code, out, err = run(
        """
        import threading, ascendref as ar
        dev, memory = ar.Device("Atlas A2"), None
        start = threading.Thread.start
        def refuse(thread):
            raise RuntimeError("can't start new thread")
        threading.Thread.start = refuse
        try:
            dev.default_stream.launch_host_func(print)
        except ar.AclError as error:
            print(int(error.status), dev.default_stream.query())
        threading.Thread.start = start
        dev.default_stream.launch_host_func(lambda: print("later"))
        dev.synchronize()
        """
    )
    assert (code, out, err) == (0, "207005 True\nlater\n", "")


@pytest.mark.daily(3)
@pytest.mark.parametrize("execution", ["eager", "lazy", "random"])
@pytest.mark.parametrize("timeout", ["", "100"])
@pytest.mark.parametrize("when", ["finalizer", "atexit", "cycle"])
def test_what_finalizers_queue_at_exit_is_done_and_exit_does_not_hang(execution, timeout, when):
    code, out, err = run(
        f"""
        import atexit, sys
        class Last:
            def __del__(self, write=sys.stdout.write, flush=sys.stdout.flush):
                memory = self.dev.malloc(4)
                event = self.dev.create_event()
                stream = self.dev.create_stream()
                stream.launch_host_func(lambda: write("host "))
                event.record(stream)
                self.dev.default_stream.wait_event(event)
                self.dev.memset_async(memory, 7)
                self.dev.synchronize({timeout})
                self.dev.tensor  # still there
                stream.destroy()
                write("done")
                flush()
        last = Last()
        if "{when}" == "atexit":
            atexit.register(last.__del__)
            Last.__del__ = lambda self: None
        import ascendref as ar
        last.dev = ar.Device("Atlas A2", execution="{execution}", seed=1)
        last.dev.launch(None, lambda: None, (), (), "")
        last.dev.synchronize()
        if "{when}" == "cycle":
            last.me = last
            import builtins
            builtins.keep = last
        """
    )
    assert (code, out, err) == (0, "host done", "")


def test_a_wait_at_exit_for_what_never_ends_gives_up():
    code, out, err = run(
        """
        import atexit
        def late():
            stream = dev.create_stream()
            stream.subscribe_report()
            stream.launch_callback(print)
            for wait in (dev.synchronize, stream.synchronize):
                try:
                    wait()
                except ar.AclError as error:
                    print(int(error.status))
            stream.destroy(force=True)
        atexit.register(late)
        import ascendref as ar
        dev = ar.Device("Atlas A2", check=False)  # the checker would refuse such a wait
        """
    )
    assert (code, out, err) == (0, "507046\n507046\n", "")
