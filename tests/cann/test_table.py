"""The table of functions: headers, exports and Python side agree, and nothing is forgotten."""

import ctypes
import re

import pytest

import ascendref as ar
from ascendref.cann.functions import ABSENT, ABSENT_SYMBOL, absent_functions, functions
from ascendref.cann.root import LIBRARIES
from ascendref.cann.runtime.link import connect, implementations
from ascendref.cann.source import digest, python_functions
from ascendref.declaration.operator import APIS
from ascendref.device.checker import callers
from ascendref.device.scheduling.worker_threads import workers

from .conftest import output_of
from .families import LACKS, PAGE, page_text

#: a function of C as the library has one, which stays as long as the process
NO_CALLER = ctypes.PYFUNCTYPE(ctypes.c_void_p)(lambda: None)
NO_WAIT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(
    lambda counter, other, seen: None
)


def test_no_function_is_both_there_and_absent():
    operators = {name for api in APIS for name in (api, f"{api}GetWorkspaceSize")}
    assert operators <= set(functions())
    assert not set(functions()) & set(ABSENT)
    assert all(ABSENT.values())


def test_headers_exports_and_python_agree(root):
    declared = set()
    for header in (root / "include").rglob("*.h"):
        declared |= set(re.findall(r"^\w.*?\b(\w+)\([^()]*\);$", header.read_text(), re.MULTILINE))
    library = root / "lib64" / LIBRARIES[0]
    symbols = output_of("nm", "-D", "--defined-only", library)
    exported = {line.split()[-1] for line in symbols.splitlines()}
    absent = {f"{ABSENT_SYMBOL}{row.name}" for row in absent_functions()}
    assert declared == exported - absent == set(functions())
    assert absent < exported
    assert set(implementations()) == set(python_functions())


def test_a_library_of_another_version_is_refused(monkeypatch):
    # an interrupt in a function of Python's would be lost
    monkeypatch.setattr(callers, "_machine_callers", [])
    monkeypatch.setattr(workers.spinner, "loop", None)
    numbers = [ctypes.cast(function, ctypes.c_void_p).value for function in (NO_CALLER, NO_WAIT)]
    numbers.append(0)
    names = python_functions()
    assert len(connect(",".join(names), digest(), *numbers)) > len(names)
    for given in (numbers, numbers[:1], []):
        with pytest.raises(ar.ArgumentValueError, match="run `ascendref cann` again"):
            connect("aclInit", "0" * 16, *given)


def test_the_page_lists_every_function():
    page = PAGE.read_text()
    assert page == page_text(page), "python -m tests.cann.families --write"
    for name, ending in re.findall(r"`(\w+)(…?)`", " ".join(LACKS.values())):
        wrong = [x for x in functions() if x == name or (ending and x.startswith(name))]
        assert not wrong, name
