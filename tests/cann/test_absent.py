"""Known functions that the library lacks: a call does not compile, or is refused at run time."""

import ctypes
import json
import shutil
import sys
from pathlib import Path

import pytest

from ascendref.borrowed.known import absent, known
from ascendref.cann.functions import ABSENT
from ascendref.cann.root import program_command

from .conftest import WARNINGS, captured, output_of

#: those that are installed, with flags of the language
COMPILERS = [
    (variable, name, *flags)
    for variable, name, *flags in (
        ("CC", "gcc", "-std=c99"),
        ("CC", "gcc", "-std=gnu17"),
        ("CC", "clang", "-std=gnu17"),
        ("CXX", "g++", "-std=c++11"),
        ("CXX", "clang++", "-std=c++20"),
    )
    if shutil.which(name)
]


@pytest.fixture(params=COMPILERS, ids=" ".join)
def compiler(request, root, tmp_path, monkeypatch):
    """Return what compiles a program and tells how that went."""
    variable, name, *flags = request.param
    monkeypatch.setenv(variable, name)
    if variable == "CC":
        flags.append("-Wstrict-prototypes")

    def compiled(source):
        file = tmp_path / ("program.c" if variable == "CC" else "program.cpp")
        file.write_text(source)
        words = [*WARNINGS, *flags, "-c", str(file), "-o", str(tmp_path / "program.o")]
        return captured(*program_command(variable, words, root))

    return compiled


@pytest.mark.full
def test_every_header_compiles_under_each_of_its_names(compiler):
    names = {name for row in known().values() for name in row.headers}
    paths = [f"{folder}{name}" for folder in ("", "aclnnop/", "aclnnop/level2/") for name in names]
    done = compiler("".join(f'#include "{path}"\n' for path in paths))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.full
@pytest.mark.parametrize("ending", ["", "GetWorkspaceSize"])
def test_a_call_of_an_absent_function_does_not_compile(compiler, ending):
    row = max(absent().values(), key=lambda row: len(row.headers))
    for header in (row.headers[0], row.headers[-1]):
        call = f"return {row.api}{ending}((void *)0, 1, 2.0);"
        done = compiler(f'#include "{header}"\nint main(void)\n{{\n    {call}\n}}\n')
        assert done.returncode == 1
        errors = [line for line in done.stderr.splitlines() if "error:" in line]
        text = f"{row.api} is not available; `ascendref ops --all` lists what is"
        assert errors, done.stderr
        assert all(text in line for line in errors), done.stderr


@pytest.mark.full
def test_absent_functions_of_the_runtime_tell_the_reason(compiler):
    calls = " + ".join(f"{name}(0)" for name in ABSENT)
    done = compiler(f'#include "acl/acl.h"\nint main(void)\n{{\n    return {calls};\n}}\n')
    assert done.returncode == 1
    for name, reason in ABSENT.items():
        assert f"{name} is not available: {reason}" in done.stderr


@pytest.mark.full
def test_the_library_has_no_symbol_for_them(root):
    library = ctypes.CDLL(root / "lib64" / "libopapi.so")
    names = [name for api in absent() for name in (api, f"{api}GetWorkspaceSize")]
    assert [name for name in (*names, *ABSENT) if hasattr(library, name)] == []


#: an absent function whose name comes from its header, and one that the program declares itself
INCLUDED, DECLARED = [row for row in absent().values() if len(row.headers) == 1][:2]
ALLOWED = f"""
#include <stdio.h>
#include "acl/acl.h"
#include "aclnnop/{INCLUDED.headers[0]}"
#define BOTH(api) aclnn##api##GetWorkspaceSize(0, 1.5, &size, &executor), aclnn##api(0, 0, 0, 0)
#ifdef DECLARED
#ifdef __cplusplus
extern "C"
#endif
aclnnStatus {DECLARED.api}(void *workspace, uint64_t size, aclOpExecutor *executor, aclrtStream s);
#endif
static void refused(int status)
{{
    printf("%d %s\\n", status, aclGetRecentErrMsg());
}}
int main(void)
{{
    uint64_t size = 5;
    aclOpExecutor *executor = 0;
    int first = aclInit(NULL), codes[] = {{BOTH({INCLUDED.api.removeprefix("aclnn")})}};
    refused(codes[0]);
    printf("%d %d %d %s\\n", first, codes[1], (int)size, executor ? "set" : "unset");
    refused(aclrtMallocWithCfg(0, 8, 0, 0));
#ifdef DECLARED
    refused({DECLARED.api}(0, 0, 0, 0));
#endif
    return 0;
}}
"""


def assert_refused(program, *apis):
    """Run a program that calls absent functions, and ask what it needs."""
    lines = output_of(program).splitlines()
    refusals = [line for line in lines if line.startswith("561003 ")]
    for api, line in zip((INCLUDED.api, *apis), (lines[0], *refusals[2:]), strict=True):
        assert line.startswith("561003 ")
        assert f"{api} is not available; `ascendref ops --all` lists what is" in line
    assert "0 561003 5 unset" in lines
    assert "aclrtMallocWithCfg is not available: the layout of its config" in refusals[1]
    found = captured(sys.executable, "-m", "ascendref", "check", "--symbols", "--json", program)
    rows = json.loads(found.stdout)["functions"]
    absent_rows = {row["name"] for row in rows if row["presence"] == "absent"}
    assert absent_rows == {INCLUDED.api, *apis, "aclrtMallocWithCfg"}
    assert found.returncode == 1


@pytest.mark.full
@pytest.mark.parametrize("suffix", ["c", "cpp"])
def test_the_macro_lets_a_program_link_that_is_refused_at_run_time(root, tmp_path, suffix):
    source, program = tmp_path / f"program.{suffix}", tmp_path / "program"
    source.write_text(ALLOWED)
    words = [*WARNINGS, "-DASCENDREF_ALLOW_ABSENT", str(source), "-o", str(program)]
    output_of(*program_command("CC" if suffix == "c" else "CXX", words, root))
    assert_refused(program)


@pytest.mark.full
def test_a_root_and_the_compilers_allow_absent_functions(tmp_path):
    """The option of the compilers, and that of the root for builds with its files alone."""
    cache = {"XDG_CACHE_HOME": str(tmp_path), "CFLAGS": "-O0"}
    ascendref = (sys.executable, "-m", "ascendref")
    for suffix, name in (("c", "cc"), ("cpp", "c++")):
        source, program = tmp_path / f"program.{suffix}", tmp_path / f"program_{suffix}"
        source.write_text(f"#define DECLARED\n{ALLOWED}")
        words = ["--allow-absent", "-Werror", source, "-o", program, "-DASCENDREF_ALLOW_ABSENT"]
        output_of(*ascendref, name, *words, environment=cache)
        assert_refused(program, DECLARED.api)
    folder = tmp_path / "root"
    output_of(*ascendref, "cann", "--allow-absent", folder, environment=cache)
    library = folder / "lib64"
    words = ["-o", program, f"-I{folder / 'include'}", f"-L{library}", f"-Wl,-rpath,{library}"]
    output_of("c++", source, *words, "-lopapi", "-lascendcl", "-lacl_op_compiler", "-lruntime")
    assert_refused(program, DECLARED.api)
    assert hasattr(ctypes.CDLL(Path(library, "libopapi.so")), DECLARED.api)
    done = captured(*ascendref, "cann", folder, "--prefix", tmp_path / "other")
    assert done.returncode == 2
    assert "FOLDER: is " in done.stderr
