"""The networks of examples/, in C++: what they print, and what is told of the one with a race."""

import json
import os
import re
import sys
from importlib.util import find_spec

import pytest

from ascendref.borrowed.known import absent
from ascendref.core.extras import install_command

from ..support.processes import ROOT
from ..support.readme import blocks
from .conftest import captured

SAMPLES = "../../../examples/"
NETWORK, RACE = "12_two_layers.cpp", "13_two_layers_race.cpp"
PAGE = ROOT / "docs" / "does-my-program-run.md"
SHOWN = blocks(PAGE, "text")
MODES = pytest.mark.parametrize("execution", ["eager", "lazy", "random"])

pytestmark = pytest.mark.skipif(find_spec("torch") is None, reason="torch is in the torch extra")


@pytest.mark.full
@MODES
def test_the_network_computes_what_the_host_does(programs, execution):
    environment = {"ASCENDREF_CHECK": "1", "ASCENDREF_EXECUTION": execution}
    out, errors = programs.run(SAMPLES + NETWORK, **environment)
    assert out == SHOWN[-2]
    assert errors == ""


@MODES
def test_the_race_is_told_with_both_places(programs, execution):
    environment = {"ASCENDREF_CHECK": "report", "ASCENDREF_EXECUTION": execution}
    out, errors = programs.run(SAMPLES + RACE, status=1, **environment)
    assert out == ""
    assert len(re.findall(": race: ", errors)) == 1
    assert re.search(rf"first: aclnnCast on stream 3, self .*{RACE}", errors)
    assert re.search(rf"second: aclrtMemcpyAsync on stream 2, dst .*{RACE}", errors)


@pytest.mark.parametrize("source", [NETWORK, RACE])
def test_without_pytorch_one_line_says_what_to_install(programs, source, tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['torch'] = None")
    folders = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    environment = {"ASCENDREF_CHECK": "report", "PYTHONPATH": folders}
    out, errors = programs.run(SAMPLES + source, status=1, **environment)
    text = f"aclnnCast is computed by PyTorch, which is not installed: {install_command('torch')}\n"
    assert out.endswith(text)
    assert (out.count("\n"), errors) == (1, "")  # no leak


def command(*words):
    """Run the command in the project's folder; return what it prints, paths of examples short."""
    environment = {"COLUMNS": "80", "PYTHONUTF8": "1"}
    words = (sys.executable, "-m", "ascendref", *words)
    done = captured(*words, environment=environment, cwd=ROOT)
    return re.sub(r"\S*/examples/", "examples/", done.stdout)


def words_of(text):
    """Return the words of a text, in which all addresses are the same."""
    return re.sub(r"0x\w+", "0x0", text).split()


def test_the_page_shows_what_the_commands_print(programs):
    assert command("check", "--symbols", f"examples/{NETWORK}") == SHOWN[0]
    assert words_of(command("check", programs.compiled(SAMPLES + RACE))) == words_of(SHOWN[-1])
    found = re.search(r"error: '(\w+)' is unavailable: \1 is not available; ", PAGE.read_text())
    assert found[1] in absent()


def test_the_compiled_network_needs_what_its_source_does(programs):
    files = [f"examples/{NETWORK}", programs.compiled(SAMPLES + NETWORK)]
    reports = [json.loads(command("check", "--symbols", "--json", file)) for file in files]
    assert reports[0]["functions"] == reports[1]["functions"]
