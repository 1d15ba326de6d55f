"""Known functions that the library lacks: a call does not compile, and there is no symbol."""

import ctypes
import shutil

import pytest

from ascendref.borrowed.known import absent, known
from ascendref.cann.compilers import command
from ascendref.cann.functions import ABSENT

from .conftest import WARNINGS, captured

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
        return captured(*command(variable, words, root))

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
