"""Exceptions that come after a time, as Ctrl-C's does."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def alarm(raised: type[BaseException]) -> Iterator[Callable[[float], None]]:
    """Yield a function that lets the exception come once, after seconds; 0 for not at all.

    Before Python 3.13 another thread that takes the interpreter lock may hide a signal from the
    main thread for a while: what comes when nothing is expected any more is ignored.
    """
    expected = False

    def hit(*_: object) -> None:
        nonlocal expected
        if expected:
            expected = False
            raise raised

    def expect(seconds: float) -> None:
        nonlocal expected
        expected = seconds > 0
        signal.setitimer(signal.ITIMER_REAL, seconds)

    before = signal.signal(signal.SIGALRM, hit)
    try:
        yield expect
    finally:
        expect(0)
        signal.signal(signal.SIGALRM, before)
