"""The Python programs in the documents run."""

import csv
import inspect
import re
import runpy
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import ascendref as ar
from ascendref.declaration.operator import OPERATORS

from .support.processes import ROOT, run
from .support.readme import blocks


@pytest.mark.parametrize(
    "name", ["arrays", "borrowed", "device", "from-cpp", "torch", "jax", "scale"]
)
def test_the_programs_of_a_document_run_one_after_the_other(name: str) -> None:
    extra = {"borrowed": "torch", "jax": "jax", "torch": "torch"}
    if name in extra:
        pytest.importorskip(extra[name], reason="it is an extra")
    programs = blocks(ROOT / "docs" / f"{name}.md", "python")
    assert programs
    exec(compile("\n".join(programs), name, "exec"), {"__name__": "__main__"})


TEXTS = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.[cp]*")]
#: what stands between the brackets of a call, with two levels of brackets at most
INSIDE = r"(?:[^()]|\((?:[^()]|\([^()]*\))*\))*"
CALL = re.compile(rf"\b(aclnn\w+GetWorkspaceSize|{'|'.join(OPERATORS)})\(({INSIDE})\)")


def test_calls_pass_gradients_where_gradients_are_expected() -> None:
    checked = set()
    for path in TEXTS:
        for name, arguments in CALL.findall(path.read_text(encoding="utf-8")):
            function = getattr(ar, name, None) or getattr(ar.aclnn, name, None)
            parameters = inspect.signature(function).parameters if function else ()
            words = re.sub(r"\(.*?\)|\[.*?\]", "", arguments, flags=re.DOTALL).split(",")
            # keywords stand behind what is positional, and match nothing below
            for parameter, word in zip(parameters, map(str.strip, words), strict=False):
                if re.fullmatch("g|dy|grad|grad_?[oO]utput", word):
                    message = f"{path.name}: {word} for {parameter} of {name}"
                    assert re.match("grad|dy|out", parameter), message
                    checked.add(path.name)
    assert {"arrays.md", "from-cpp.md", "08_from_cpp.cpp"} <= checked


def anchors(path: Path) -> set[str]:
    """Return the anchors that a page's headings get."""
    text = path.read_text(encoding="utf-8")
    for included in re.findall(r"^```{include} (\S+)", text, re.MULTILINE):
        text += (path.parent / included).read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize(
    "path",
    [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "docs").glob("[sg]*/*.md")],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_links_within_the_repository_lead_somewhere(path: Path) -> None:
    for link in re.findall(r"\]\(([^):\s]+)\)", path.read_text(encoding="utf-8")):
        target, _, anchor = link.partition("#")
        if re.search("gallery/|reference/(operators/|command-line)", target):
            continue  # written when the documentation is built, which checks its own links
        page = path.parent / target if target else path
        assert page.exists(), link
        assert not anchor or anchor in anchors(page), link


PAGES = [ROOT / "docs" / "index.md", *(ROOT / "docs").glob("[sg]*/*.md")]
SITE = [path for path in PAGES if "```python" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", SITE, ids=lambda path: path.stem)
def test_the_programs_of_a_page_print_what_it_shows(path: Path) -> None:
    if path.stem == "torch":
        pytest.importorskip("torch", reason="it is an extra")
    programs, shown = blocks(path, "python"), blocks(path, "text")
    # in a process of its own: statistics count from its start
    assert same_words(run("-c", "".join(programs))) == same_words("".join(shown)).strip()


PAGE = ROOT / "docs" / "checker.md"
BEGINNING, *PROGRAMS = blocks(PAGE, "python")


def run_checked(program: str, execution: str) -> None:
    """Run a program of docs/checker.md on a device of its own, and leave nothing behind."""
    beginning = BEGINNING.replace('"Atlas A2"', f'"Atlas A2", execution="{execution}"')
    names: dict[str, Any] = {}
    exec(beginning, names)
    dev = names["dev"]
    try:
        exec(compile(program, "program.py", "exec"), names)
        dev.synchronize()
    finally:
        for end in (partial(dev.process_report, 1), dev.synchronize, dev.synchronize):
            with suppress(ar.AclError):
                end()
        for stream in dev.scheduler.streams.values():
            with suppress(ar.AclError):
                stream.unsubscribe_report()
        with suppress(ar.AclError):
            dev.synchronize()  # a callback has lost its thread


def same_words(report: str) -> str:
    """Return a report without line breaks, addresses and numbers of streams and events."""
    report = re.sub(r"0x[0-9a-f]+", "0x", " ".join(report.split()))
    return re.sub(r"(stream|event) \d+", r"\1", report)


@pytest.mark.parametrize("execution", ["eager", "lazy", "random"])
@pytest.mark.parametrize(
    ("program", "report"),
    list(zip(PROGRAMS, blocks(PAGE, "text"), strict=True)),
    ids=lambda text: text.split(":")[0],
)
def test_the_checker_reports_what_its_page_says_and_fixes_work(
    program: str, report: str, execution: str
) -> None:
    with pytest.raises(ar.HazardError) as info:
        run_checked(program, execution)
    assert same_words(info.value.message) == same_words(report)
    assert f"## {info.value.kind}" in PAGE.read_text(encoding="utf-8")
    fixed = re.sub(r"^.*# fix: (.*)$", r"\1", program, flags=re.MULTILINE)
    assert fixed != program
    run_checked(fixed, execution)


def test_the_page_on_frameworks_has_the_figures_of_its_file() -> None:
    page, file = (ROOT / "docs" / f"frameworks.{suffix}" for suffix in ("md", "tsv"))
    rows = list(csv.DictReader(file.read_text(encoding="utf-8").splitlines(), delimiter="\t"))
    benchmark = runpy.run_path(str(ROOT / "benchmarks" / "frameworks.py"))
    lines = [*benchmark["count_tables"](rows), *benchmark["edge_table"](rows)]
    assert set(lines) <= set(page.read_text(encoding="utf-8").splitlines())


def test_the_code_tour_names_what_is_there() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    tour = text[text.index("## Code tour") :]
    suffixes = (".c", ".cpp", ".h", ".py")
    paths = [p for p in (ROOT / "ascendref").rglob("*") if p.suffix in suffixes]
    files = {path.as_posix(): path.read_text() for path in paths}
    source = "\n".join(files.values())
    for name in set(re.findall(r"`([\w/.]+)`", tour)):
        if name.endswith((".c", ".cpp", ".py", "/")):
            assert any(f"/{name}" in path for path in files), name
        else:
            assert re.search(rf"\b{name.rpartition('.')[2]}\b", source), name
