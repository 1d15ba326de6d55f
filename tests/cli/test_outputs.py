"""What is written where: regular files, links, FIFOs, devices, and streams that are in trouble."""

import io
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ascendref as ar
from ascendref.core.output_files import is_special, output_file
from ascendref.verify.accuracy.checkpoint import check_state

from .command_line import G, X, call

pytestmark = pytest.mark.skipif(os.name == "nt", reason="FIFOs, devices and links are POSIX's")

PNG = b"\x89PNG"
VERIFY = ("verify", "hardshrink_backward", "--dtype", "float16", "--compute", "float32",
          "--no-torch")  # fmt: skip
BENCH = ("bench", "hardshrink_backward", "--dtype", "float32", "--peer", "none", "--size", "16",
         "--seconds", "0.001")  # fmt: skip


def trace() -> Any:
    """A trace with one task."""
    device = ar.Device("Atlas A2")
    device.memset(device.malloc(16), 0)
    return device.trace()


def command(*arguments: object) -> None:
    """Call the command line in this process; it names the last argument, if that is a file."""
    done = call(*arguments)
    out = Path(str(arguments[-1]))
    named = not is_special(out) and arguments[0] != "run"  # which names it on stdout
    assert (done.exit_code, done.stderr) == (0, f"written to {out}\n" if named else "")


def run(inputs: Path, out: Path) -> None:
    """Run an operator whose results go to a file."""
    command("run", "hardshrink_backward", "--input", inputs, "--output", out)


#: what writes a file -> suffix of the file, its first bytes, and the call
WRITERS: dict[str, tuple[str, bytes, Callable[[Path, Path], None]]] = {
    "run .npy": (".npy", b"\x93NUMPY", run),
    "run .npz": (".npz", b"PK", run),
    "verify --plot": (".png", PNG, lambda _, out: command(*VERIFY, "--plot", out)),
    "verify --report": (".md", b"# Accuracy", lambda _, out: command(*VERIFY, "--report", out)),
    "study --plot": (".pdf", b"%PDF", lambda _, out: command("study", "logit_grad", "--plot", out)),
    "bench --plot": (".svg", b"<?xml", lambda _, out: command(*BENCH, "--plot", out)),
    "bench --report": (".md", b"# ", lambda _, out: command(*BENCH, "--report", out)),
    "trace JSON": (".json", b"{", lambda _, out: trace().to_chrome(out)),
    "trace picture": (".png", PNG, lambda _, out: trace().plot(out)),
}
#: those that take longest are for the long tests
LONG = ("bench --plot", "bench --report", "verify --plot")
ROWS = [
    pytest.param(name, marks=[pytest.mark.exhaustive] if name in LONG else []) for name in WRITERS
]


@contextmanager
def reader(fifo: Path) -> Iterator[list[bytes]]:
    """Make a FIFO and read all that is written into it, in a thread."""
    os.mkfifo(fifo)
    found: list[bytes] = []
    thread = threading.Thread(target=lambda: found.append(fifo.read_bytes()), daemon=True)
    thread.start()
    yield found
    if fifo.is_fifo():  # else nobody will ever write into it
        thread.join()


@pytest.mark.daily(3)
@pytest.mark.parametrize("writer", ROWS)
def test_a_fifo_behind_a_link_is_written_into(writer: str, inputs: Path, tmp_path: Path) -> None:
    suffix, start, write = WRITERS[writer]
    fifo, link = tmp_path / "fifo", tmp_path / f"link{suffix}"
    link.symlink_to(fifo)
    with reader(fifo) as found:
        write(inputs, link)
    assert fifo.is_fifo()
    assert link.is_symlink()
    assert found[0].startswith(start)


@pytest.mark.full
@pytest.mark.parametrize("writer", ROWS)
def test_a_device_stays_a_device(writer: str, inputs: Path, tmp_path: Path) -> None:
    suffix, _, write = WRITERS[writer]
    link = tmp_path / f"null{suffix}"
    link.symlink_to(os.devnull)
    before = os.stat(os.devnull)
    write(inputs, link)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    assert os.path.samestat(before, os.stat(os.devnull))
    assert link.is_symlink()


@pytest.mark.full
@pytest.mark.parametrize("writer", ROWS)
def test_a_regular_file_is_replaced_behind_its_link(
    writer: str, inputs: Path, tmp_path: Path
) -> None:
    suffix, start, write = WRITERS[writer]
    folder = tmp_path / "folder"
    folder.mkdir()
    real, link, other = folder / "real", tmp_path / f"link{suffix}", folder / "other"
    real.write_text("old")
    real.chmod(0o640)
    os.link(real, other)
    link.symlink_to(real)
    write(inputs, link)
    assert link.is_symlink()
    assert real.read_bytes().startswith(start)
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert other.read_text() == "old"  # replaced in one step, not overwritten
    assert sorted(folder.iterdir()) == [other, real]


@pytest.mark.parametrize("target", ["new", "old", "fifo"])
def test_what_fails_halfway_leaves_what_was_there(target: str, tmp_path: Path) -> None:
    path = tmp_path / "out"
    if target == "old":
        path.write_text("precious")
    elif target == "fifo":
        os.mkfifo(path)
    before = sorted(tmp_path.iterdir())

    def fail() -> None:
        with output_file(path) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert sorted(tmp_path.iterdir()) == before
    assert target != "old" or path.read_text() == "precious"


def test_a_dangling_link_to_a_name_as_long_as_the_system_allows_is_filled(
    inputs: Path, tmp_path: Path
) -> None:
    link, out = tmp_path / "link.npy", tmp_path / ("x" * 251 + ".npy")
    link.symlink_to(out)
    run(inputs, link)
    assert link.is_symlink()
    np.testing.assert_array_equal(np.load(out), ar.hardshrink_backward(G, X))


@pytest.mark.full
def test_a_state_replaces_and_removes_nothing_else(tmp_path: Path) -> None:
    notes = tmp_path / "notes.json"
    notes.write_text('{"precious": true}')
    done = call(*VERIFY, "--state", notes)
    assert done.exit_code == 2
    assert "--state: " in done.stderr
    assert notes.read_text() == '{"precious": true}'
    check_state(Path(os.devnull))
    null = tmp_path / "null"
    null.symlink_to(os.devnull)
    command(*VERIFY, "--state", null)
    assert null.is_symlink()


@pytest.mark.parametrize("text", ["", "[", "[" * 100_000, '{"run": 0}', '{"run": 0, "outcomes": 0}',
                                  "\ud800".encode("utf-8", "surrogatepass"), "7"])  # fmt: skip
def test_a_damaged_state_is_one_line(text: str | bytes, tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    state.write_bytes(text if isinstance(text, bytes) else text.encode())
    done = call(*VERIFY, "--state", state, "--resume")
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
    assert state.exists()


# --- streams --------------------------------------------------------------------------------------


def shell(script: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of shell in which $A is the command line."""
    return subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        check=False,
        env=os.environ | {"A": f"{sys.executable} -W error -m ascendref"} | environment,
    )


@pytest.mark.daily(3)
@pytest.mark.parametrize("arguments", ["ops", "ops --json", "--help", "--version"])
@pytest.mark.parametrize(
    ("redirection", "reason"),
    [
        ("> /dev/full", "stdout: cannot be written: No space left on device"),
        (">&-", "stdout: closed"),
    ],
)
def test_stdout_that_takes_nothing(arguments: str, redirection: str, reason: str) -> None:
    done = shell(f"$A {arguments} {redirection}")
    assert done.stderr.decode() == f"ascendref: {reason}\n"
    assert done.returncode == 2


@pytest.mark.full
@pytest.mark.parametrize(
    "arguments",
    ["ops", "ops --json", "ops softplus", "--help", "--version", "study relu", "doctor --json"],
)
def test_a_reader_that_goes_ends_the_command_silently(arguments: str) -> None:
    # the reader is gone before anything is written
    done = shell(f"{{ sleep 0.2; $A {arguments}; echo $? >&3; }} 3>&2 | true")
    assert done.stderr.decode() == "141\n"


@pytest.mark.full
@pytest.mark.parametrize("closed", ["2>&-", "2> /dev/full", "<&-"])
def test_other_streams_that_take_nothing(closed: str) -> None:
    fine = shell(f"$A --version {closed}")
    assert (fine.returncode, fine.stdout.decode()) == (0, f"{ar.__version__}\n")
    bad = shell(f"$A bogus {closed}")
    assert (bad.returncode, bad.stdout) == (2, b"")


@pytest.mark.full
@pytest.mark.parametrize("arguments", ["ops", "study --help"])
def test_stdout_in_ascii(arguments: str) -> None:
    done = shell(f"$A {arguments}", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()
    assert done.stdout


@pytest.mark.full
def test_json_in_ascii_names_what_it_cannot_show(inputs: Path, tmp_path: Path) -> None:
    script = f"$A run hardshrink_backward --input {inputs} --output {tmp_path}/µ.npy --json"
    done = shell(script, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\u00b5.npy" in done.stdout


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "rest"),
    [("/dev/stdout", "| cat"), ("{tmp}/link.npy", "--json > {tmp}/bytes; cat {tmp}/bytes")],
)
def test_results_on_stdout_are_all_that_is_there(
    name: str, rest: str, inputs: Path, tmp_path: Path
) -> None:
    (tmp_path / "link.npy").symlink_to("/dev/stdout")
    script = f"$A run hardshrink_backward --input {inputs} --output {name} {rest}"
    done = shell(script.format(tmp=tmp_path))
    assert done.returncode == 0, done.stderr
    found = np.load(io.BytesIO(done.stdout))
    if not name.endswith(".npy"):
        found = found["grad_input"]
    np.testing.assert_array_equal(found, ar.hardshrink_backward(G, X))
    assert b"grad_input" in done.stderr
