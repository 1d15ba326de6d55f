"""The install root, and the commands that write it and compile with it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import ascendref as ar
from ascendref.cann import libpython
from ascendref.cann.root import LIBRARIES, install


def ascendref(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "ascendref", *map(str, arguments)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )


def test_the_command_writes_a_root_and_says_where(tmp_path):
    prefix = tmp_path / "ascend toolkit"
    done = ascendref("cann", "--prefix", prefix, "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["root"] == str(prefix)
    assert {path.name for path in Path(said["lib"]).iterdir()} == set(LIBRARIES)
    assert (Path(said["include"]) / "aclnnop" / "level2" / "aclnn_logit_grad.h").is_file()
    sourced = subprocess.run(
        ["sh", "-c", '. "$0"/set_env.sh && echo "$ASCEND_HOME_PATH:$LD_LIBRARY_PATH"', prefix],
        capture_output=True,
        text=True,
        env={"LD_LIBRARY_PATH": "/lib"},
    )
    assert sourced.stdout == f"{prefix}:{prefix}/lib64:/lib\n"
    (prefix / "mine").write_text("kept")
    assert ascendref("cann", "--prefix", prefix).stdout == f"{prefix}\n"
    assert (prefix / "mine").read_text() == "kept"


def test_the_compilers_get_the_flags(tmp_path):
    source = tmp_path / "main.c"
    source.write_text('#include "acl/acl.h"\nint main(void) { return aclInit(NULL); }\n')
    program, part = tmp_path / "main", tmp_path / "main.o"
    cache = {"XDG_CACHE_HOME": str(tmp_path)}
    for words in (["-c", source, "-o", part], ["-Wall", "-Werror", part, "-o", program]):
        done = ascendref("cc", *words, **cache)
        assert done.returncode == 0, done.stderr
    assert subprocess.run([program]).returncode == 0
    assert len(list((tmp_path / "ascendref" / "cann").iterdir())) == 1
    assert ascendref("c++", tmp_path / "missing.cpp", **cache).returncode == 1


@pytest.mark.parametrize("command", ["cann", "cc", "c++"])
def test_help_has_an_example(command):
    done = ascendref(command, "--help")
    assert done.returncode == 0
    assert f"ascendref {command}" in done.stdout.split("Example:")[1]


def test_without_a_compiler_the_message_says_what_to_install(tmp_path):
    done = ascendref("cann", "--prefix", tmp_path / "root", CC="no-such-compiler")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "no-such-compiler" in done.stderr
    assert "apt install g++" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "root").exists()


def test_a_root_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ar.ArgumentValueError, match="--prefix: cannot write "):
        install(tmp_path / "file" / "root")


def test_a_compiler_that_fails_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("CFLAGS", "--no-such-flag")
    with pytest.raises(ar.ArgumentValueError, match="no-such-flag"):
        install(tmp_path / "root")
    assert list(tmp_path.iterdir()) == []


def test_a_python_without_its_library_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("ASCENDREF_LIBPYTHON", str(tmp_path / "libpython.so"))
    with pytest.raises(ar.ArgumentValueError, match=r"enable-shared.*ASCENDREF_LIBPYTHON"):
        libpython.find_libpython()


def test_a_library_that_lost_its_python_says_so(programs, tmp_path):
    out, errors = programs.run(
        "process.cpp", "starts", ASCENDREF_LIBPYTHON=str(tmp_path / "libpython.so")
    )
    assert out == "500000\n"
    assert "cannot load Python" in errors
    assert errors.count("\n") == 1
