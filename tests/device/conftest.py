"""What the tests of the device share."""

import threading

import pytest

import ascendref as ar
from ascendref.errors import get_last_error, recent_error_message


@pytest.fixture(autouse=True)
def _clean_slate():
    """No failure of an earlier test is left on this thread."""
    get_last_error()
    recent_error_message()


@pytest.fixture
def dev():
    return ar.Device("Atlas A2", memory=2**20)


@pytest.fixture(params=["eager", "lazy", "random"])
def any_dev(request):
    return ar.Device("Atlas A2", execution=request.param, seed=1)


class Gate:
    """A host function that holds a stream until it is opened, but no test for ever."""

    def __init__(self):
        self._event = threading.Event()

    def __call__(self):
        if not self._event.wait(60):
            raise TimeoutError("nobody opened the gate")

    def open(self):
        self._event.set()


@pytest.fixture
def gate():
    gate = Gate()
    yield gate
    gate.open()
