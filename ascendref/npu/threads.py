"""Which threads compute, so that those of PyTorch stay awake between its loops.

GNU OpenMP counts the threads of every thread's loops together. Once there are more than processors,
it lets them sleep as soon as a loop ends, and each loop of PyTorch begins with waking them: the
steps of a small network take up to twice as long. Therefore the backward pass runs on the thread
that calls it, as on the CPU, and kernels of ascendref run in TBB's threads instead of OpenMP's.
"""

import torch

from ..kernels.runtime.threading_layer import load_tbb


def keep_threads_awake() -> None:
    """Choose the threads; to be called before the first kernel.

    The choice for the backward pass holds for the calling thread.
    """
    torch.autograd.set_multithreading_enabled(False)
    load_tbb()
