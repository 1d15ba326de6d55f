"""The install root, and the commands that write it and compile with it."""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from ascendref.cann.root import LIBRARIES, cached_root, set_env

from ..cli.command_line import assert_bad_call, call
from ..support.daily import todays
from .conftest import PROGRAMS, captured, output_of

ARCH = platform.machine()
ASCENDREF = sys.executable, "-m", "ascendref"

#: the C library compiles in a third of the time
QUICK = {"CFLAGS": "-O0"}


@pytest.mark.full
def test_the_command_writes_a_root_and_says_where(tmp_path):
    prefix = tmp_path / "ascend toolkit"
    said = json.loads(
        output_of(*ASCENDREF, "cann", "--prefix", prefix, "--json", environment=QUICK)
    )
    assert said["root"] == str(prefix)
    assert {path.name for path in Path(said["lib"]).glob("*.so")} == set(LIBRARIES)
    assert (Path(said["include"]) / "aclnnop" / "level2" / "aclnn_logit_grad.h").is_file()
    assert (prefix / "opp" / "vendors").is_dir()
    for library in Path(said["lib"]).glob("*.so"):  # programs read the symbols
        assert " T aclrtMalloc\n" in output_of("nm", "-D", library)
    script = '. "$0"/set_env.sh && echo "$ASCEND_HOME_PATH:$LD_LIBRARY_PATH"'
    sourced = output_of("sh", "-c", script, prefix, environment={"LD_LIBRARY_PATH": "/lib"})
    assert sourced == f"{prefix}:{prefix}/lib64:/lib\n"
    (prefix / "mine").write_text("kept")
    assert output_of(*ASCENDREF, "cann", "--prefix", prefix, environment=QUICK) == f"{prefix}\n"
    assert (prefix / "mine").read_text() == "kept"


@pytest.fixture(scope="module")
def prefix(root, tmp_path_factory):
    """A root whose name needs quoting."""
    prefix = tmp_path_factory.mktemp("prefix") / "Ascend's $HOME (8.0) [new]"
    prefix.symlink_to(root)
    (prefix.parent / "set_env.sh").write_text(set_env(prefix))
    return prefix


SOURCED = """
set -eu
cd /
. "$1"; . "$1"
for name in ASCEND_HOME_PATH ASCEND_TOOLKIT_HOME ASCEND_INSTALL_PATH ASCEND_AICPU_PATH \\
    ASCEND_OPP_PATH TOOLCHAIN_HOME LD_LIBRARY_PATH PATH PYTHONPATH
do
    eval echo '"$'$name'"'
done
"""


@pytest.mark.parametrize("shell", ["bash", "sh"])
@pytest.mark.parametrize("before", ["", "/lib"])
def test_the_script_sets_the_vendor_s_variables_once(prefix, shell, before):
    environment = {"PATH": os.environ["PATH"]}
    if before:
        environment |= {"LD_LIBRARY_PATH": before, "PYTHONPATH": before}
    done = subprocess.run(
        [shell, "-c", SOURCED, shell, prefix.parent / "set_env.sh"],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.stderr == ""
    *folders, libraries, path, python_path = done.stdout.splitlines()
    assert folders == [*[str(prefix)] * 4, f"{prefix}/opp", f"{prefix}/toolkit"]
    behind = f":{before}" if before else ""
    assert libraries == f"{prefix}/lib64{behind}"
    assert path == f"{prefix}/bin:{environment['PATH']}"
    assert python_path == f"{prefix}/python/site-packages{behind}"
    assert all(Path(folder).is_dir() for folder in (*folders, path.split(":")[0]))


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    "libraries",
    ["runtime/lib64/stub", "lib64", "$(arch)-linux/devlib", "acllib/lib64/stub/linux/$(arch)"],
)
def test_scripts_of_samples_build_and_run(root, tmp_path, libraries):
    found = {"ASCEND_INSTALL_PATH": str(root), "LIBRARIES": libraries.replace("$(arch)", ARCH)}
    script = PROGRAMS / "sample" / "run.sh"
    out = output_of("bash", script, tmp_path, cwd=tmp_path, environment=found)
    assert out.splitlines()[-1] == "device 0, 161001"


@pytest.mark.full
@pytest.mark.parametrize(("suffix", "words"), [("c", "cc -std=c11"), ("cpp", "c++ -std=c++11")])
def test_every_header_compiles_alone_with_and_without_its_folder(root, tmp_path, suffix, words):
    include = root / "include"
    headers = {path.relative_to(include) for path in include.rglob("*.h")}
    # those of operators are alike: a part of them every day
    alike = {header for header in headers if header.name.startswith("aclnn_")}
    tried = headers - alike | {*todays(sorted(alike), 48)}
    operator = Path("aclnn_logit_grad.h")
    assert {operator, Path("aclnnop") / operator, Path("aclnnop/level2") / operator} <= headers
    flags = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
    source = tmp_path / f"one.{suffix}"
    for header in tried:
        for folder in {header.parent, Path()}:
            source.write_text(f'#include "{header.relative_to(folder)}"\nint one;\n')
            output_of(*words.split(), *flags, f"-I{include / folder}", source)


def test_every_place_leads_to_the_one_library_and_no_circle(root):
    places = [path for path in root.rglob("*") if path.is_symlink()]
    for path in places:
        assert path.exists(), path
        assert not root.is_relative_to(path.resolve())
        assert not path.is_relative_to(path.resolve())
    libraries = {path.resolve() for path in root.rglob("*.so")}
    assert libraries == {(root / "lib64" / LIBRARIES[0]).resolve()}


@pytest.mark.full
def test_the_compilers_get_the_flags(tmp_path):
    source = tmp_path / "main.c"
    source.write_text('#include "acl/acl.h"\nint main(void) { return aclInit(NULL); }\n')
    program, part = tmp_path / "main", tmp_path / "main.o"
    cache = {"XDG_CACHE_HOME": str(tmp_path), **QUICK}
    for words in (["-c", source, "-o", part], ["-Wall", "-Werror", part, "-o", program]):
        output_of(*ASCENDREF, "cc", *words, environment=cache)
    output_of(program)
    assert len(list((tmp_path / "ascendref" / "cann").iterdir())) == 1
    assert captured(*ASCENDREF, "c++", tmp_path / "missing.cpp", environment=cache).returncode == 1


def test_each_set_of_flags_has_a_build_of_its_own(monkeypatch):
    found = {cached_root("cann")}
    for variable in ("CFLAGS", "LDFLAGS"):
        monkeypatch.setenv(variable, "-g")
        found.add(cached_root("cann"))
    assert len(found) == 3


@pytest.mark.parametrize(
    ("command", "environment", "words"),
    [
        ("cann --prefix root", {"CC": "no-such-cc"}, "no such compiler: no-such-cc; install a C"),
        ("cann --prefix root", {"CFLAGS": "--no-such-flag"}, "no-such-flag"),
        ("cann --prefix others", {}, "others has files of others; a new or empty folder, or"),
        ("cann --prefix file/root", {}, "--prefix: cannot write "),
        ("cann", {"XDG_CACHE_HOME": "file"}, "XDG_CACHE_HOME: cannot write "),
        ("c++ main.cpp", {"XDG_CACHE_HOME": "file"}, "XDG_CACHE_HOME: cannot write "),
        *[
            ("cann", {name: "cc 'a b"}, f'{name}: "cc \'a b" is not a list of words: No closing')
            for name in ("CC", "CFLAGS", "LDFLAGS")
        ],
        ("cann", {"ASCENDREF_LIBPYTHON": "no.so"}, "or set ASCENDREF_LIBPYTHON to its path"),
    ],
)
def test_a_root_that_cannot_be_made_is_one_line_and_leaves_nothing(
    command, environment, words, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    Path("others").mkdir()
    Path("others/set_env.sh").write_text("# the vendor's\n")
    for name, value in environment.items():
        path = tmp_path / value if name == "XDG_CACHE_HOME" else value
        monkeypatch.setenv(name, str(path))
    before = sorted(tmp_path.rglob("*"))
    assert_bad_call(call(*command.split()), words)
    assert sorted(tmp_path.rglob("*")) == before
