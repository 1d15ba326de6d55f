"""``ascendref check``: programs that run in processes of their own."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import ascendref as ar

from .command_line import assert_bad_call, call, python, status_of

BEGINNING = """
import sys
import numpy as np
import ascendref as ar
dev = ar.Device("Atlas A2", check=False)
one, two = dev.create_stream(), dev.create_stream()
memory = dev.malloc(64)
"""
RACE = """
dev.memset_async(memory, 0, stream=one)
dev.memset_async(memory, 1, stream=two)
dev.synchronize()
"""


def check(tmp_path: Path, program: str, *options: Any, columns: int = 100) -> Any:
    """Run the command on a program in a process, whose output is all that there is."""
    file = tmp_path / "program.py"
    file.write_text(BEGINNING + program)
    words = ("-m", "ascendref", "check", *options, file, "--x", "1")
    return python(*words, cwd=tmp_path, COLUMNS=str(columns))


def test_a_race_is_printed_with_its_places(tmp_path: Path) -> None:
    done = check(tmp_path, RACE + "print(sys.argv[1:])")
    assert done.returncode == 1
    assert done.stdout.startswith("['--x', '1']\n")
    for word in ("race: ", "memset_async", " program.py:9\n", "memory, bytes 0x", "  fix     make"):
        assert word in done.stdout
    assert "\n1 hazard on 1 device: 1 race\n" in done.stdout


@pytest.mark.full
def test_names_addresses_and_paths_are_not_broken_at_80_columns(tmp_path: Path) -> None:
    folder = tmp_path / ("long_name_" * 8)
    folder.mkdir()
    done = check(folder, "dev.memcpy(np.zeros(64, np.uint8), memory)", columns=80)
    lines = done.stdout.splitlines()
    assert lines[0] == "1 hazard on 1 device: 1 uninitialized-read"
    assert any(line.startswith("uninitialized-read: ") for line in lines)
    assert any(line.endswith("program.py:8") for line in lines)
    assert max(map(len, lines)) <= 80


def test_json_has_the_places_and_nothing_else(tmp_path: Path) -> None:
    done = check(tmp_path, RACE + "print('said')", "--json")
    assert done.returncode == 1
    assert "said" in done.stderr
    found = json.loads(done.stdout)
    assert found["status"] == 0
    (hazard,) = found["hazards"]
    assert hazard["kind"] == "race"
    lines = [hazard[site]["line"] for site in ("first", "second")]
    assert lines == [BEGINNING.count("\n") + 2, BEGINNING.count("\n") + 3]
    assert hazard["first"]["file"] == str(tmp_path / "program.py")


@pytest.mark.full
def test_a_page_on_stdout_is_all_that_is_there(tmp_path: Path) -> None:
    done = check(tmp_path, "print('said')", "--html", "/dev/stdout")
    assert done.returncode == 0
    assert done.stdout.startswith("<!DOCTYPE html>")
    assert done.stdout.endswith("</html>\n")
    assert done.stderr == "said\n0 hazards on 1 device\n"


@pytest.mark.full
def test_the_page_draws_the_pair_and_the_missing_edge(tmp_path: Path) -> None:
    done = check(tmp_path, RACE, "--html", tmp_path / "page.html")
    assert done.returncode == 1
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "make stream" in text
    assert "program.py --x 1</title>" in text
    picture = ElementTree.fromstring(text[text.index("<svg") : text.index("</svg>") + 6])
    svg = "{http://www.w3.org/2000/svg}"
    drawing = picture.find(f"{svg}g")
    assert drawing is not None
    marked = [x for x in drawing.iter(f"{svg}rect") if x.get("class") == "marked"]
    assert len({x.get("x") for x in marked}) == 1  # one above the other
    assert len({x.get("y") for x in marked}) == 2
    assert len([x for x in drawing.iter(f"{svg}path") if x.get("class") == "missing"]) == 1
    words = [x.text for x in drawing.iter(f"{svg}text")]
    assert {"stream 2", "stream 3", "memory, 64 bytes", "program.py:9"} <= set(words)


@pytest.mark.full
def test_the_page_marks_the_free_of_memory_that_is_in_use(tmp_path: Path) -> None:
    program = "dev.memset_async(memory, 0)\ndev.free(memory)"
    check(tmp_path, program, "--html", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert ">host</text>" in text
    assert ' font-weight="600">Device.free</text>' in text


#: end of a program -> status, what is printed, and what is said
ENDS = {
    "dev.memset_async(memory, 0)\ndev.synchronize()": (0, "0 hazards on 1 device\n", ""),
    f"{RACE}del dev, one, two, memory\nimport gc\ngc.collect()": (1, "1 hazard on 1 device: ", ""),
    "sys.exit(3)": (1, "0 hazards on 1 device\n", "program.py exited with status 3\n"),
    "import os; os.kill(os.getpid(), 9)": (1, "", "program.py was killed by signal 9\n"),
    f"{RACE}import os; os._exit(0)": (
        1,
        "",
        "ascendref: 1 process ended without exit functions (_exit, exec, a signal): hazards are"
        " unknown\n",
    ),
}


@pytest.mark.daily(3)
@pytest.mark.parametrize("end", ENDS)
def test_the_status_says_whether_all_was_fine(tmp_path: Path, end: str) -> None:
    done, (status, printed, said) = check(tmp_path, end), ENDS[end]
    assert done.returncode == status
    assert done.stdout.startswith(printed)
    assert said in done.stderr
    assert bool(printed) == bool(done.stdout)
    assert bool(said) == bool(done.stderr)


WRONG_CALL = """
def fail():
    dev.malloc(0)
fail()
"""


@pytest.mark.full
def test_tracebacks_show_the_frames_of_the_program_alone(tmp_path: Path) -> None:
    done = check(tmp_path, WRONG_CALL)
    frames = [line for line in done.stderr.splitlines() if line.startswith("  File ")]
    assert [frame.partition(", in ")[2] for frame in frames] == ["<module>", "fail"]
    assert all("program.py" in frame for frame in frames)
    assert "AclError: ACL_ERROR_INVALID_PARAM (100000): nbytes is 0" in done.stderr
    full = check(tmp_path, WRONG_CALL, "--traceback")
    assert "address_space.py" in full.stderr


@pytest.mark.full
def test_forked_processes_of_multiprocessing_report_their_hazards(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    work = "\n    ".join((BEGINNING + RACE).splitlines())
    file.write_text(
        f"import ascendref\nimport multiprocessing as mp\ndef work():{work}\n"
        "child = mp.get_context('fork').Process(target=work)\nchild.start()\nchild.join()\n"
    )
    done = python("-m", "ascendref", "check", file, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.startswith("1 hazard on 1 device: 1 race\n")


@pytest.mark.parametrize("options", [(), ("--json",), ("--html", "page.html")])
def test_a_program_without_a_device_is_no_success(
    options: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty.py").touch()
    assert status_of("check", *options, "empty.py") == 2
    out, errors = capfd.readouterr()
    written = "written to page.html\n" if "--html" in options else ""
    assert errors == f"{written}ascendref: empty.py used no device: nothing was checked\n"
    if options == ("--json",):
        report = {"program": "empty.py", "status": 0, "devices": 0, "hazards": []}
        assert json.loads(out) == report
    else:
        assert out == ""
    if "--html" in options:
        assert "<p>no device was used: nothing was checked</p>" in Path("page.html").read_text()


def test_options_behind_the_program_are_its_own(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "program.py"
    program.write_text("import sys; print(sys.argv[1:])")
    status_of("check", program, "--json", "--x", "--html=page.html")
    out, errors = capfd.readouterr()
    assert out == "['--json', '--x', '--html=page.html']\n"
    assert errors.splitlines()[:-1] == [
        f"ascendref: {name} stands behind the program and is passed to it; see --help"
        for name in ("--json", "--html")
    ]


def test_what_is_no_program(tmp_path: Path) -> None:
    assert_bad_call(call("check", tmp_path / "absent.py"), "no such file: ")
    file = tmp_path / "text"
    file.write_text("")
    assert_bad_call(call("check", file), "neither a Python program (.py) nor an executable file")


def test_the_variable_has_three_values(monkeypatch: pytest.MonkeyPatch) -> None:
    for value, mode in (("report", "report"), ("0", False), ("1", True), ("", "report")):
        monkeypatch.setenv("ASCENDREF_CHECK", value)
        assert ar.Device("Atlas A2", check="report").check == mode
    monkeypatch.setenv("ASCENDREF_CHECK", "yes")
    with pytest.raises(ar.AclError, match="ASCENDREF_CHECK is 'yes'; it must be 0, 1 or report"):
        ar.Device("Atlas A2")
