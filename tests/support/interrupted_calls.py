"""First calls with interrupts: ``python -m tests.support.interrupted_calls FOLDER CACHED PART...``.

A program is interrupted (a handler raises KeyboardInterrupt) after parts of its duration: numbers
from 0 to 1. For each, a process is forked in which nothing is imported yet. It runs the
program a second time, which must give the right results, and ends. FOLDER is for the kernel cache;
CACHED is 1 if the kernels are in it before.
"""

import faulthandler
import os
import sys
from time import monotonic

from .alarm import alarm

#: seconds until a process counts as one that hangs
LIMIT = 100


def program() -> None:
    """Import the package, load or compile kernels, compute."""
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
    with alarm(KeyboardInterrupt) as interrupt:
        try:
            interrupt(after)
            program()
            interrupt(0)
        except KeyboardInterrupt:
            pass
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


def main(folder: str, cached: bool, parts: list[float]) -> None:
    """Interrupt the program after these parts; print the moments after which it failed."""
    if cached:
        os.waitpid(start(0, folder), 0)
    begun = monotonic()
    os.waitpid(start(0, folder), 0)
    duration = monotonic() - begun
    moments = [duration * part for part in parts]
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
    main(sys.argv[1], sys.argv[2] == "1", [float(part) for part in sys.argv[3:]])
