"""Every refused call leaves a message to its thread, and ``aclGetRecentErrMsg`` returns it once."""

import pytest

from ascendref.cann.root import program_command

from ..support.processes import run
from .conftest import output_of

pytestmark = pytest.mark.full

#: how hazards are checked: not at all, and in every mode that there is
CHECKS = ("", "0", "1", "report")
BROKEN = [("ASCENDREF_DEVICES", "0"), ("ASCENDREF_LIBPYTHON", "/no/such/file")]


@pytest.mark.daily(2)
@pytest.mark.parametrize("check", CHECKS)
def test_every_refusal_in_every_place_has_a_message(programs, check):
    status = int(check == "report")  # with which programs end that have hazards
    out, _ = programs.run("messages.cpp", "everywhere", status=status, ASCENDREF_CHECK=check)
    counts, late = out.splitlines()  # any other line is a call without a message
    assert counts.endswith("successes")
    assert int(counts.split()[0]) > 200
    assert late == "late: passed"


@pytest.mark.parametrize(("variable", "value"), BROKEN, ids=[name for name, _ in BROKEN])
def test_calls_without_python_have_one(programs, variable, value):
    out, errors = programs.run("messages.cpp", "without Python", **{variable: value})
    assert out == ""
    assert errors.count("\n") == 1


SWEEP = """
import ctypes, itertools, math, os, re
from ascendref.cann.functions import functions

library = ctypes.CDLL(os.environ["ROOT"] + "/lib64/libascendcl.so")
recent = library.aclGetRecentErrMsg
recent.restype = ctypes.c_char_p
buffer = ctypes.create_string_buffer(4096)
some = ctypes.addressof(buffer)
BITS = {"INT32": ctypes.c_int32, "UINT32": ctypes.c_uint32,
        "INT64": ctypes.c_int64, "UINT64": ctypes.c_uint64}

def choices(parameter):
    if parameter.output:
        return [None, ctypes.c_void_p(some)]
    if parameter.kind in BITS:
        return [BITS[parameter.kind](number) for number in (0, 1, 7)]
    if parameter.kind in ("FLOAT", "DOUBLE"):
        return [(ctypes.c_float if parameter.kind == "FLOAT" else ctypes.c_double)(1)]
    if parameter.kind == "TEXT":
        return [None, b"/no/such/file"]
    if parameter.member == "f":  # it would be called
        return [None]
    return [None, ctypes.c_void_p(some)]

def calls(options):
    # if there are too many combinations: those of one or two arguments, all others being
    # their first choice, or all their last
    few, arguments = (4096, 2) if os.environ["COMBINED"] == "1" else (64, 1)
    if math.prod(map(len, options)) <= few:
        yield from itertools.product(*options)
        return
    for rest in (0, -1):
        given = [choice[rest] for choice in options]
        for places in itertools.combinations(range(len(options)), arguments):
            for values in itertools.product(*(options[place] for place in places)):
                chosen = dict(zip(places, values))
                yield [chosen.get(place, value) for place, value in enumerate(given)]

PYTHON = rb"\\b(None|Device|Stream|Tensor|Event|nbytes)\\b|Errno|_capture\\b|_report\\b"
refused = set()
for name, function in sorted(functions().items()):
    result = function.prototype.result
    if name == "aclGetRecentErrMsg" or not (result.startswith("acl") and result != "aclFloat16"):
        continue
    call = library[name]
    call.restype = ctypes.c_void_p if result.endswith("*") else ctypes.c_int32
    for given in calls([choices(each) for each in function.prototype.parameters]):
        found = call(*given)
        failed = not found if result.endswith("*") else found != 0
        if name in ("aclrtGetLastError", "aclrtPeekAtLastError"):
            failed = given[0].value != 0
        message = recent()
        assert (message is not None) == failed, (name, given, found, message)
        assert recent() is None
        assert not re.search(PYTHON, message or b""), message
        refused |= {name} if failed else set()
print(len(refused))
"""


@pytest.mark.daily(4)
@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("combined", ["0", pytest.param("1", marks=pytest.mark.exhaustive)])
def test_every_function_leaves_one_where_it_refuses(root, check, combined):
    settings = {"ROOT": str(root), "ASCENDREF_CHECK": check, "COMBINED": combined}
    assert int(run("-c", SWEEP, **settings)) > 90


# ---- threads that Python did not start, in a program of Python

THREADS = """
#include <dlfcn.h>
#include <pthread.h>
#include "acl/acl.h"

static void *work(void *messages)
{
    /* as extension modules do it: a state in Python that ends with the block */
    int (*ensure)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "PyGILState_Ensure");
    void (*release)(int) = (void (*)(int))dlsym(RTLD_DEFAULT, "PyGILState_Release");
    int lock = ensure();
    aclrtFree(NULL);
    release(lock);
    *(int *)messages += aclGetRecentErrMsg() != NULL;
    aclrtFree(NULL);
    *(int *)messages += aclGetRecentErrMsg() != NULL;
    return NULL;
}

int messages(void)
{
    int found = 0;
    pthread_t thread;
    for (int k = 0; k < 4; k++) {
        pthread_create(&thread, NULL, work, &found);
        pthread_join(thread, NULL);
    }
    return found;
}
"""


def test_threads_of_c_keep_theirs_in_a_program_of_python(root, tmp_path):
    (tmp_path / "threads.c").write_text(THREADS)
    words = ["-shared", "-fPIC", "-pthread", "threads.c", "-o", "threads.so"]
    output_of(*program_command("CC", words, root), cwd=tmp_path)
    client = """
import ctypes, os, threading
library = ctypes.CDLL(os.environ["LIBRARY"])
print(library.messages())
thread = threading.Thread(target=lambda: print(library.messages()))
thread.start(), thread.join()
"""
    assert run("-c", client, LIBRARY=str(tmp_path / "threads.so")) == "8\n8"


NAMES = """
import ctypes, os
from ascendref.core.errors import AclError, recorded
library = ctypes.CDLL(os.environ["ROOT"] + "/lib64/libascendcl.so")
library.aclGetRecentErrMsg.restype = ctypes.c_char_p
library.aclrtSetDevice(0)
recorded(AclError(500001, os.fsdecode(b"called at /home/\\xff/main.cpp:7")))
print(library.aclGetRecentErrMsg().decode())
"""


def test_names_of_files_that_are_no_text(root):
    out = run("-c", NAMES, ROOT=str(root))
    assert out.endswith("called at /home/\\udcff/main.cpp:7")
