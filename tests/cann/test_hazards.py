"""What the checker tells of programs in C++, with their lines, in the words of C."""

import json
import re

import pytest

from ascendref.cli.check import check, show
from ascendref.cli.console import DIFFERENCE
from ascendref.device.checker.machine_code import places_of

from .conftest import PROGRAMS

pytestmark = pytest.mark.full

SOURCE = PROGRAMS / "hazards.cpp"
#: names of Python, which no report about a program in C may have
PYTHON = re.compile(
    r"\b(Device|Tensor|memcpy|memset|memcpy_async|memset_async|malloc|wait_event|synchronize\(|"
    r"process_report|host function|nbytes|None)\b"
)


def line(mark: str) -> int:
    """Return the number of the line with a mark."""
    lines = SOURCE.read_text().splitlines()
    (found,) = (n for n, text in enumerate(lines, 1) if text.endswith(f"// {mark}"))
    return found


def at(*marks: str) -> str:
    """Return the places of marks as reports tell them, the innermost first."""
    return ", from ".join(f"{SOURCE}:{line(mark)}" for mark in marks)


class Told:
    """What was told when a program ended."""

    def __init__(self, errors: str) -> None:
        self.text = errors
        self.kinds = re.findall(r"^ascendref: .*?: ([a-z-]+): ", errors, re.MULTILINE)
        self.sites = re.findall(r"^  (first|second): (.*), called at (.*)$", errors, re.MULTILINE)


def hazards(programs, *parts, status=1, out="", **environment):
    """Return what is told when a program ends."""
    environment = {"ASCENDREF_CHECK": "report", **environment}
    found = programs.run("hazards.cpp", *parts, status=status, **environment)
    assert found[0] == out
    assert not PYTHON.search(found[1]), found[1]
    return Told(found[1])


MEMSETS = ["aclrtMemsetAsync", "aclrtMemsetAsync"]
#: mistake -> kind, the two calls, and words of the report
MISTAKES = {
    "race": ("race", MEMSETS, [
        "writes devPtr",
        "fix: make stream 3 wait (aclrtStreamWaitEvent) for an event recorded"
        " (aclrtRecordEvent) on stream 2 after aclrtMemsetAsync",
    ]),
    "copied": ("race", ["aclrtMemsetAsync", "aclrtMemcpy"], [
        "aclrtMemcpy reads src while aclrtMemsetAsync may still",
        "fix: synchronize stream 2 (aclrtSynchronizeStream) after aclrtMemsetAsync, before"
        " aclrtMemcpy",
    ]),
    "early": ("wait", MEMSETS, [
        "stream 3 waited for event 1 at {early: wait}, from",
        "before it was recorded at {early: record}, from",
        "fix: wait for event 1 (aclrtStreamWaitEvent) after it is recorded, before"
        " aclrtMemsetAsync",
    ]),
    "unwritten": ("uninitialized-read", ["aclrtMalloc", "aclrtMemcpy"], [
        "reads src, of which",
        "fix: write src before aclrtMemcpy: with a copy, aclrtMemset or an operator",
    ]),
    "freed": ("use-after-free", ["aclrtFree", "aclrtMemset"], ["devPtr lies in"]),
    "freed twice": ("lifetime", ["aclrtFreeHost", "aclrtFreeHost"], [
        "hostPtr lies in <pinned memory of 64 bytes", "which is freed a second time"
    ]),
    "freed too early": ("lifetime", ["aclrtMemsetAsync", "aclrtFree"], [
        "is freed while aclrtMemsetAsync may still use it",
        "fix: synchronize stream 2 (aclrtSynchronizeStream) after aclrtMemsetAsync, before"
        " aclrtFree",
    ]),
}  # fmt: skip


@pytest.fixture(scope="module")
def mistakes(programs):
    """What is told of all of them in one process."""
    told = hazards(programs, *MISTAKES).text.split("ascendref: ")[1:]
    return dict(zip(MISTAKES, [Told(f"ascendref: {text}") for text in told], strict=True))


@pytest.mark.parametrize("mistake", MISTAKES)
def test_reports_speak_c(mistakes, mistake):
    told, (kind, calls, words) = mistakes[mistake], MISTAKES[mistake]
    assert told.kinds == [kind]
    assert [what.split()[0] for _, what, _ in told.sites] == calls
    assert [place.split(", ")[0] for _, _, place in told.sites] == [
        at(f"{mistake}: {name}") for name in ("first", "second")
    ]
    for word in words:
        assert re.sub(r"\{(.*)\}", lambda mark: at(mark[1]), word) in told.text


@pytest.mark.parametrize("exits", [(), ("exit",)], ids=["reset", "exit"])
def test_a_leak_is_told_at_the_end(programs, exits):
    told = hazards(programs, "race", "leak", *exits, "last", out="static object\n")
    assert told.kinds == ["race", "leak"]
    assert told.sites[2][1:] == ("aclrtMalloc on the host", told.sites[2][2])
    assert told.sites[2][2].startswith(at("leak: first"))


@pytest.mark.parametrize("flags", ["-O0", "-O2"])
def test_the_callers_of_helpers_are_told_also_where_they_are_inlined(programs, tmp_path, flags):
    compiled = type(programs)(tmp_path, programs.root, (flags,))
    (_, _, first), (_, _, second) = hazards(compiled, "helpers").sites
    assert first.startswith(at("helpers: fill", "helpers: first") + ", from ")
    assert second.startswith(at("helpers: fill", "helpers: inner", "helpers: second") + ", from ")
    assert second.count(", from ") == 3  # and what runs the mistake in main, with which it ends


def test_a_function_of_the_host_and_a_thread(programs):
    told = hazards(programs, "function", "thread")
    assert told.kinds == ["race", "leak"]
    function, queued, leak = sorted(told.sites[:2], key=lambda site: site[1]) + told.sites[2:]
    assert function[1].startswith("aclrtMemset on stream 2, devPtr")
    assert function[2] == at("function: first")  # which the runtime calls
    assert queued[1].startswith("aclrtMemsetAsync on stream 3, devPtr")
    assert queued[2].startswith(at("function: second") + ", from ")
    assert leak[1:] == ("aclrtMalloc on the host", at("thread: first"))


def test_what_follows_from_stopping_is_no_leak(programs):
    told = hazards(programs, "stop", status=7, out="500001\n", ASCENDREF_CHECK="1")
    assert told.kinds == ["race"]
    assert told.sites[1][2].startswith(at("stop: second"))


def test_memory_that_is_not_freed_because_work_needs_it_can_be_freed_later(programs):
    told = hazards(programs, "freed too early", status=0, ASCENDREF_CHECK="1")
    assert told.kinds == ["lifetime"]


def test_an_address_of_another_device_says_so(programs):
    environment = {"ASCENDREF_PRODUCT": "Ascend910B3", "ASCENDREF_DEVICES": "2"}
    out, errors = programs.run("hazards.cpp", "other device", **environment)
    assert errors == ""
    lines = [text.split(": ", 2)[2] for text in out.splitlines()]
    number = r"is 0x1\w+"
    assert re.fullmatch(
        rf"dst {number}, which belongs to device 1; the call is for device 0;"
        " aclrtDeviceEnablePeerAccess enables copies between them",
        lines[0],
    )
    assert re.fullmatch(
        rf"devPtr {number}, which belongs to device 1; the call is for device 0", lines[1]
    )
    assert re.fullmatch(r"count is 65, but dst has 64 bytes from 0x1\w+ on", lines[2])


def test_the_exit_status_says_whether_hazards_were_found(programs):
    assert hazards(programs, status=0).kinds == []  # other tests have those with status 1
    # nothing is told without the variable
    assert programs.run("hazards.cpp", "race") == ("", "")


def test_the_command_takes_programs_that_were_compiled(programs, capfd, monkeypatch):
    program = programs.compiled("hazards.cpp")
    assert check(program, ["helpers"], None, as_json=True, traceback=False) == DIFFERENCE
    found = json.loads(capfd.readouterr().out)
    assert found["status"] == 0
    (hazard,) = found["hazards"]
    site = hazard["second"]
    assert site["call"] == "aclrtMemsetAsync"
    assert site["line"] == line("helpers: fill")
    lines = [line("helpers: inner"), line("helpers: second")]
    assert [number for _, number in site["callers"]][:2] == lines
    monkeypatch.setenv("COLUMNS", "1000")
    show(found["hazards"], 1)
    assert re.search(rf"called from \S*hazards\.cpp:{lines[0]}\n", capfd.readouterr().out)


def test_without_debugging_information_the_function_is_named(programs, tmp_path):
    stripped = type(programs)(tmp_path, programs.root, ("-g0", "-fno-inline"))
    told = hazards(stripped, "race")
    assert told.kinds == ["race"]
    places = [re.sub(r"\+0x[0-9a-f]+", "+", place) for _, _, place in told.sites]
    assert places == [f"{tmp_path / 'hazards'}+ (race())"] * 2


def test_nothing_is_known_of_an_address_that_is_no_code():
    assert places_of([1]) == [("?", 0)]
