"""The compiled handler, called with frames as XLA makes them."""

import ctypes
from typing import Any

import numpy as np
import pytest

pytest.importorskip("jax", reason="jax is an extra")

from ascendref.jax import call_frame
from ascendref.jax.handler import Handler

MAKER = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)


@pytest.fixture(name="handler", scope="module")
def _handler() -> Handler:
    return Handler()


class Frame:
    """A frame with as much as a test needs."""

    def __init__(self, handler: Handler, major: int = 0, minor: int = 3, size: int = 168) -> None:
        self.handler = MAKER(handler.address)
        self.errors: list[tuple[str, int]] = []
        self._maker = MAKER(self._error)
        self._interface = np.zeros(32, np.int64)
        self._interface[4] = major | minor << 32
        maker = ctypes.cast(self._maker, ctypes.c_void_p).value
        assert maker is not None
        self._interface[6] = maker
        self.words = np.zeros(22, np.int64)
        self.words[[0, 2]] = size, self._interface.ctypes.data
        self.words[4] = call_frame.EXECUTE
        self._kept: list[Any] = []

    def _error(self, arguments: int) -> int:
        _, _, message, code = (ctypes.c_int64 * 4).from_address(arguments)
        text = ctypes.c_char_p(message).value
        assert text is not None
        self.errors.append((text.decode(), code))
        return 7

    def at(self, *words: int) -> int:
        """Put words into memory and return their address."""
        self._kept.append(np.array(words, np.int64))
        address: int = self._kept[-1].ctypes.data
        return address

    def attributes(self, *addresses: int) -> None:
        self.words[17], self.words[20] = len(addresses), self.at(*addresses)

    def call(self) -> int:
        returned: int = self.handler(self.words.ctypes.data)
        return returned


@pytest.mark.parametrize(
    ("major", "minor", "answer"),
    [(0, None, 1), (0, 1, 1), (0, 2, 1), (0, 3, 3), (0, 4, 3), (1, 3, None)],
)
def test_the_handler_tells_which_version_it_speaks(
    handler: Handler, major: int, minor: int | None, answer: int | None
) -> None:
    frame = Frame(handler, major, minor or 0)
    if minor is None:  # older versions ask before they have an interface
        frame.words[2] = 0
    metadata = np.full(7, -1, np.int64)
    frame.words[1] = frame.at(32, 1, 0, metadata.ctypes.data)
    assert frame.call() == 0
    if answer is None:
        assert (metadata == -1).all()
        return
    assert metadata[3] == answer << 32
    assert metadata[4] & 0xFFFFFFFF == 0
    # what is behind is known from version 0.3 on, and written from there on alone
    assert metadata[5] == (0 if answer == 3 else -1)
    assert metadata[6] == -1


@pytest.mark.parametrize("frame_of", [{"minor": 0}, {"size": 160}])
def test_older_frames_are_refused(handler: Handler, frame_of: dict[str, int]) -> None:
    frame = Frame(handler, **frame_of)
    assert frame.call() == 7
    ((message, code),) = frame.errors
    assert code == call_frame.INVALID_ARGUMENT
    assert "does not come from ascendref.jax" in message


@pytest.mark.parametrize("stage", [0, 1, 2])
def test_nothing_is_done_before_execution(handler: Handler, stage: int) -> None:
    frame = Frame(handler)
    frame.words[4] = stage
    assert frame.call() == 0


def test_unknown_kernels_and_attributes_are_refused(handler: Handler) -> None:
    frame = Frame(handler)
    assert frame.call() == 7
    key = frame.at(5, frame.at(12345))
    frame.attributes(key, key, key)
    assert frame.call() == 7
    codes = [code for _, code in frame.errors]
    assert codes == [call_frame.INVALID_ARGUMENT, call_frame.FAILED_PRECONDITION]
    assert "was not prepared in this process" in frame.errors[1][0]


def test_kernels_whose_keys_meet_are_all_found() -> None:
    handler = Handler()
    names = [f"kernel {number}" for number in range(1500)]
    keys = [handler.add(name, 1, 2) for name in names]
    assert len(set(keys)) == len(names)
    assert [handler.add(name, 1, 2) for name in names] == keys
    for number in range(548):
        handler.add(f"another {number}", 1, 2)
    with pytest.raises(RuntimeError, match="more than 2048 kernels"):
        handler.add("one more", 1, 2)
