"""``ascendref check --symbols``: what programs and sources need."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ascendref.borrowed.known import absent
from ascendref.borrowed.table import borrowed

from ..support.processes import ROOT
from .command_line import assert_bad_call, call

SAMPLE = ROOT / "examples" / "08_from_cpp.cpp"
BORROWED, ABSENT = next(iter(borrowed())), next(iter(absent()))
#: in the order of the kinds, each in alphabetical order
FOUND = {
    "own": ["aclInit", "aclnnSilu", "aclrtMalloc"],
    "borrowed": [BORROWED],
    "absent": [ABSENT, "aclrtMallocWithCfg"],
    "unknown": ["aclmdlLoadFromFile"],
}
CODE = f"""
aclnn##NAME##GetWorkspaceSize // aclrtFree(
    /* aclrtFree( */ "aclrtFree(" R"x(" aclrtFree()" )x" 'a' '"' 1'000'000
#include <aclnnop/aclnn_silu.h>
#define aclCheck(x) x
static int aclMine(const aclTensor *x) {{ return 0; }}
aclrtStream stream; aclDataType(0); acl_get_file("x"); aclnnOther; ACL_FLOAT; oracle();
aclInit(nullptr); auto f = aclrtMalloc; aclCheck(aclMine(0));
aclnnSiluGetWorkspaceSize(); aclnnSilu();
{BORROWED}GetWorkspaceSize (); if ({ABSENT}()) {{ }}
aclrtMallocWithCfg(0); aclmdlLoadFromFile
    ("x", 0);
"""
PYTHON = f'''
"""aclrtFree("""
from ascendref.aclnn import aclnnSilu, {BORROWED}GetWorkspaceSize  # aclrtFree(
library.aclrtMalloc("aclrtFree()"), library.aclInit(None)
def aclMine(): return {ABSENT}(), aclnnOther
library.aclmdlLoadFromFile(aclMine(), library.aclrtMallocWithCfg)
'''


def listed(*paths: Path, status: int) -> dict[str, list[str]]:
    """Return what the command lists, by kind; its counts are those of the lists."""
    done = call("check", "--symbols", "--json", *paths)
    assert done.exit_code == status, done.stderr
    report = json.loads(done.stdout)
    assert report["files"] == [str(path) for path in paths]
    found: dict[str, list[str]] = {kind: [] for kind in report["counts"]}
    for row in report["functions"]:
        found[row["presence"]].append(row["name"])
    assert report["counts"] == {kind: len(names) for kind, names in found.items()}
    return found


def compiled(folder: Path, source: str, name: str, *flags: str) -> Path:
    """Compile a program in C without a library."""
    if shutil.which("cc") is None:
        pytest.skip("needs cc (apt install gcc)")
    file = folder / "source.c"
    file.write_text(source)
    words = ["cc", str(file), "-o", str(folder / name), *flags]
    subprocess.run(words, check=True, env=os.environ | {"LC_ALL": "C"})
    return folder / name


@pytest.mark.parametrize(("name", "text"), [("main.cpp", CODE), ("main.py", PYTHON)])
def test_sources_need_what_stands_outside_of_comments_and_strings(
    tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text)
    assert listed(tmp_path / name, status=1) == FOUND


#: text of a header, text of a source that includes it, and what the two need
PASTED = [
    (
        "#define CALL(api, ...) \\\n  check( aclnn ## api ## GetWorkspaceSize (__VA_ARGS__, #api))",
        "CALL(Silu, x); int f() { CALL(InplaceAdd, (1, 2), 3); }",
        ["aclnnSilu", "aclnnInplaceAdd"],
    ),
    (  # through another macro, with a variable number of arguments that has a name
        "#define ONE(f, rest...) aclrt##f(rest)\n#define BOTH(f, g) ONE(f, 1, 2); ONE(g)",
        "BOTH(Malloc, Mine)\n#define UNUSED ONE(Free, 0)",
        ["aclrtMalloc", "aclrtMine"],
    ),
    (  # two definitions, of which a condition takes one
        "#ifdef A\n#define T(x) acl##x##Get\n#else\n#define T(x) aclrt##x\n#endif",
        "T(Malloc)(0); T(unbalanced",
        ["aclrtMalloc"],
    ),
    (  # prototypes need nothing, whatever stands before them
        "#include <x>\naclnnStatus aclnnMine(void *x, int);\nconst aclTensor *aclMine(void);\n"
        'extern "C" { [[nodiscard]] __attribute__((weak)) ::aclError aclrtFree(void *x); }\n'
        "#define DECLARE(f) aclError acl##f(int)\nDECLARE(Init);",
        "class A {\npublic:\n static std::vector<int> aclOf(int); };\n"
        "#define DEFINE(f) int acl##f(int x) { return x; }\nDEFINE(Own)\nint x = aclOwn(1);",
        [],
    ),
    (  # calls are none
        "#define GET aclrtGetDevice(0)",
        "int main() { aclInit(0); if (x) aclA(1); else aclB(2); return aclC(3) + 1; }\n"
        "x = 2 * aclD(4); y ? aclE(5) : aclF(6); case 1: aclG(7); ns::aclH(8); p->aclI(9);",
        [*map("acl{}".format, "ABCDEFGHI"), "aclInit", "aclrtGetDevice"],
    ),
]


@pytest.mark.parametrize(("header", "source", "needed"), PASTED)
def test_macros_paste_names_and_prototypes_need_nothing(
    tmp_path: Path, header: str, source: str, needed: list[str]
) -> None:
    (tmp_path / "names.h").write_text(header)
    (tmp_path / "main.cpp").write_text(f'#include "names.h"\n{source}\n')
    report = json.loads(call("check", "--symbols", "--json", tmp_path / "main.cpp").stdout)
    assert sorted(row["name"] for row in report["functions"]) == sorted(needed)


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        ("object.o", ("-c",)),
        ("shared.so", ("-shared", "-fPIC")),
        ("stripped.so", ("-shared", "-s")),
    ],
)
def test_programs_need_what_is_undefined(tmp_path: Path, name: str, flags: tuple[str, ...]) -> None:
    needed = ["aclnnSiluGetWorkspaceSize", *(x for names in FOUND.values() for x in names)]
    source = "".join(f"int {each}(void);\n" for each in needed)
    calls = " + ".join(f"{each}()" for each in (*needed, "aclMine"))
    source += f"int aclMine(void) {{ return 0; }}\nint f(void) {{ return {calls}; }}\n"
    assert listed(compiled(tmp_path, source, name, *flags), status=1) == FOUND


def test_a_program_that_runs_needs_nothing_else() -> None:
    found = listed(SAMPLE, status=0)
    assert "aclnnHardshrinkBackward" in found.pop("own")
    assert set(map(tuple, found.values())) == {()}


def test_what_another_file_defines_is_not_needed(tmp_path: Path) -> None:
    one, other = tmp_path / "one.c", tmp_path / "other.c"
    one.write_text("int main(void) { return aclMine(); }")
    other.write_text("int aclMine(void) { return aclInit(0); }")
    assert listed(one, status=1)["unknown"] == ["aclMine"]
    assert listed(one, other, status=0)["own"] == ["aclInit"]
    library = compiled(tmp_path, other.read_text(), "library.so", "-shared", "-fPIC", "-w")
    assert listed(one, library, status=0)["own"] == ["aclInit"]


def test_files_that_a_source_includes_count(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "main.c").write_text('#include "acl/acl.h"\n# include "folder/one.h"\naclInit(0);')
    (tmp_path / "folder" / "one.h").write_text('#include "../main.c"\naclrtFree(0);')
    assert listed(tmp_path / "main.c", status=0)["own"] == ["aclInit", "aclrtFree"]


def test_the_text_has_counts_names_and_reasons(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(CODE)
    done = call("check", "--symbols", tmp_path / "main.c")
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert lines[:5] == [
        "needed: 3 own, 1 borrowed, 2 absent, 1 unknown",
        "  own       aclInit aclnnSilu aclrtMalloc",
        f"  borrowed  {BORROWED}",
        f"  absent    {ABSENT}",
        "            aclrtMallocWithCfg: the layout of its configuration is not emulated",
    ]


def test_without_pytorch_the_text_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ascendref.cli import needed

    monkeypatch.setattr(needed, "find_spec", lambda name: None)
    (tmp_path / "main.c").write_text(f"{BORROWED}();")
    assert "PyTorch, which computes" in call("check", "--symbols", tmp_path / "main.c").stdout
    (tmp_path / "main.c").write_text("aclInit();")
    assert "PyTorch" not in call("check", "--symbols", tmp_path / "main.c").stdout


def test_other_files_are_refused(tmp_path: Path) -> None:
    for name, data, problem in (
        ("text", b"aclInit();", "text is neither a program or shared object (ELF) nor a source ("),
        ("short", b"\x7fELF", "short is a damaged ELF file: "),
        ("cut", Path("/proc/self/exe").read_bytes()[:4096], "cut is a damaged ELF file: "),
        ("main.py", b"def f(:\n  (", "main.py is no Python source: "),
        ("latin.py", b"x = '\xff'", "latin.py is no Python source: "),
    ):
        (tmp_path / name).write_bytes(data)
        assert_bad_call(call("check", "--symbols", tmp_path / name), problem)
    assert_bad_call(call("check", "--symbols", tmp_path / "none.c"), "no such file: ")
    assert_bad_call(call("check", "--symbols", tmp_path), "not a file: ")
    page = call("check", "--symbols", "--html", tmp_path / "page.html", SAMPLE)
    assert_bad_call(page, "--html: is not possible with --symbols")


def test_any_bytes_may_be_in_a_source_in_c(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_bytes(b'aclInit("\xff\xfe"); /* aclrtFree(')
    assert listed(tmp_path / "main.c", status=0)["own"] == ["aclInit"]
