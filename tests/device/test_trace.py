"""The trace: rows, table, Chrome's JSON."""

import json

import pytest

import ascendref as ar
from ascendref.device.trace import write_chrome


@pytest.fixture
def traced(any_dev):
    a, b, event = any_dev.create_stream(), any_dev.create_stream(), any_dev.create_event()
    any_dev.launch(a, lambda: None, (), (), "first")
    event.record(a)
    b.wait_event(event)
    any_dev.launch(b, lambda: None, (), (), "second")
    any_dev.launch(b, lambda: 1 / 0, (), (), "third")
    with pytest.raises(ar.AclError):
        any_dev.synchronize()
    return any_dev.trace(), a, b


def test_rows(traced, any_dev):
    trace, a, b = traced
    kernels = [row for row in trace if row.kind == "kernel"]
    assert [(row.stream, row.label) for row in kernels] == [
        (a.number, "first"),
        (b.number, "second"),
        (b.number, "third"),
    ]
    assert [int(row.status) for row in kernels] == [0, 0, 507015]
    for row in trace:
        assert 0 <= row.submitted <= row.started <= row.ended
    (record,) = (row for row in trace if row.kind == "record")
    waits = [row for row in trace if row.kind == "wait"]
    assert waits or any_dev.execution == "eager"  # then the record may have been quicker
    assert all(row.after == (a.number, record.started) for row in waits)


def test_table(traced):
    trace, _, _ = traced
    lines = trace.table().splitlines()
    assert len(lines) == len(trace) + 1
    assert lines[0].split() == ["stream", "label", "submitted", "started", "ended", "status"]
    assert lines[-1].endswith("ACL_ERROR_RT_AICORE_EXCEPTION")


def test_chrome_file(traced, tmp_path):
    trace, a, b = traced
    path = tmp_path / "trace.json"
    trace.to_chrome(path)
    document = json.loads(path.read_text(encoding="utf-8"))
    events = document["traceEvents"]
    assert {event["ph"] for event in events} >= {"M", "X"}
    names = {e["args"]["name"] for e in events if e["ph"] == "M"}
    assert names == {"Ascend910B1", f"stream {a.number}", f"stream {b.number}"}
    slices = [e for e in events if e["ph"] == "X"]
    assert len(slices) == len(trace)
    for entry in slices:
        assert entry["ts"] >= 0
        assert entry["dur"] >= 0
        assert entry["tid"] in (a.number, b.number)
    starts = {e["id"]: e for e in events if e["ph"] == "s"}
    ends = {e["id"]: e for e in events if e["ph"] == "f"}
    assert starts.keys() == ends.keys()
    for key, begin in starts.items():
        end = ends[key]
        assert (begin["cat"], begin["name"]) == (end["cat"], end["name"])
        assert begin["ts"] <= end["ts"]
        # Chrome ties an arrow to the slice that encloses its end
        for arrow in (begin, end):
            assert any(
                s["tid"] == arrow["tid"] and s["ts"] <= arrow["ts"] <= s["ts"] + s["dur"]
                for s in slices
            )


def test_the_trace_is_bounded():
    dev = ar.Device("Atlas A2", trace_length=10)
    for k in range(25):
        dev.launch(None, lambda: None, (), (), f"task {k}")
    dev.synchronize()
    assert [row.label for row in dev.trace()] == [f"task {k}" for k in range(15, 25)]


def test_an_empty_trace(dev, tmp_path):
    trace = dev.trace()
    assert len(trace) == 0
    assert len(trace.table().splitlines()) == 1
    trace.to_chrome(tmp_path / "empty.json")
    trace.plot(tmp_path / "empty.png")
    assert (tmp_path / "empty.png").exists()


def test_the_timelines_of_two_devices_are_two_processes(tmp_path):
    traces = []
    for _ in range(2):
        device = ar.Device("Atlas A2")
        device.memset_async(device.malloc(8), 0)
        device.synchronize()
        traces.append(device.trace())
    write_chrome(tmp_path / "both.json", traces)
    events = json.loads((tmp_path / "both.json").read_text())["traceEvents"]
    assert [event["pid"] for event in events if event["ph"] == "X"] == [1, 2]


def test_the_picture_is_of_the_kind_that_its_name_says(dev, tmp_path):
    a, b = dev.create_stream(), dev.create_stream()
    done = dev.create_event()
    memory = dev.malloc(64)
    dev.memset_async(memory, 0, stream=a)
    done.record(a)
    b.wait_event(done)
    dev.memset_async(memory, 1, stream=b)
    dev.synchronize()
    trace = dev.trace()
    trace.plot(tmp_path / "trace.png")
    assert (tmp_path / "trace.png").read_bytes().startswith(b"\x89PNG")
    trace.plot(tmp_path / "trace.svg")
    picture = (tmp_path / "trace.svg").read_text()
    assert "<svg" in picture
    for text in (f"stream {a.number}", f"stream {b.number}", "memset_async", dev.soc_name):
        assert f"<!-- {text} -->" in picture
