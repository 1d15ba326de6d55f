"""Ctrl-C at many moments of the first call: ``python interrupted.py COUNT FOLDER CACHED``.

Every moment has a forked process of its own, in which nothing is imported yet. Asked again, the
process must give the right results, and end.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
from time import monotonic

#: seconds until a process counts as one that hangs
LIMIT = 100


def program() -> None:
    """Import, load or compile kernels, compute."""
    import ascendref as ar

    x = [-2.0, 0.25, 3.0]
    import numpy as np

    data = np.array(x, np.float32)
    assert ar.hardshrink_backward(data, data, 0.5).tolist() == [-2, 0, 3]
    assert ar.cast(data, "float16").tolist() == x
    assert ar.get_num_threads() > 0
    assert ar.Device("Atlas A2").tensor(data).numpy().tolist() == x


def run(after: float) -> None:
    """Run the program twice, and interrupt it after so many seconds; 0 for not at all."""
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, after)
        program()
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        pass
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    faulthandler.dump_traceback_later(LIMIT, exit=True)
    program()


def start(after: float, folder: str) -> int:
    """Start a process that does so, with kernels in some folder."""
    child = os.fork()
    if child:
        return child
    os.environ["NUMBA_CACHE_DIR"] = folder
    run(after)
    sys.exit()


def main(count: int, folder: str, cached: bool) -> None:
    """Run the program so many times, and print which moments it did not survive."""
    if cached:
        os.waitpid(start(0, folder), 0)
    begun = monotonic()
    os.waitpid(start(0, folder), 0)
    duration = monotonic() - begun
    moments = [duration * k / count for k in range(1, count + 1)]
    failed, running = [], {}
    while moments or running:
        if moments and len(running) < 2:
            after = moments.pop()
            running[start(after, folder if cached else f"{folder}/{after}")] = after
        else:
            child, status = os.wait()
            after = running.pop(child)
            if status:
                failed.append((after, status))
    print(failed)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3] == "1")
