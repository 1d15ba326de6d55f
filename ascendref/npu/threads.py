"""Which threads compute, so that those of PyTorch stay awake between its loops.

GNU OpenMP counts the threads of every thread's loops together. Once there are more than processors,
it lets them sleep as soon as a loop ends, and each loop of PyTorch begins with waking them: the
steps of a small network take up to twice as long. Therefore the backward pass runs on the thread
that calls it, as on the CPU, and kernels of ascendref run in TBB's threads instead of OpenMP's.
"""

from __future__ import annotations

import ctypes
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, files

import torch

_TBB = "libtbb.so.12"


def keep_threads_awake() -> None:
    """Choose the threads; to be called before the first kernel.

    The choice for the backward pass holds for the calling thread. Numba prefers TBB, if it finds
    it, unless ``NUMBA_THREADING_LAYER`` names another layer.
    """
    torch.autograd.set_multithreading_enabled(False)
    with suppress(PackageNotFoundError, OSError):
        # pip installs it where the dynamic linker does not look
        for file in files("tbb") or ():
            if file.name == _TBB:
                ctypes.CDLL(str(file.locate()))
