"""What a forked child must not inherit half done: imports on first use, and compilation.

A fork waits until no thread is at it. Otherwise the child, in which that thread does not exist,
would wait for ever for a lock that the thread held.
"""

from __future__ import annotations

import logging  # noqa: F401 - for its own handlers of forks to be registered before ours
import os
import threading
from typing import Final

#: held during such work
LOCK: Final = threading.RLock()

# a fork takes first what was registered last: this lock, then logging's, like a thread that imports
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=LOCK.release
    )
