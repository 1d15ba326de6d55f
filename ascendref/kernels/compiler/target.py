"""The target processor of kernels: this one, or the one set by Numba's variables."""

from typing import Final

from llvmlite.binding import get_host_cpu_features, get_host_cpu_name, get_process_triple
from llvmlite.ir import Function
from numba import config


def _features() -> str:
    """Return LLVM's list of processor features, as ``+name`` and ``-name``."""
    if config.CPU_FEATURES is not None:
        return str(config.CPU_FEATURES)
    try:
        found = get_host_cpu_features()
    except RuntimeError:  # LLVM does not know
        return ""
    for name in found:
        if name.startswith("avx") and not config.ENABLE_AVX:
            found[name] = False
    return str(found.flatten())


#: processors whose clock does not suffer from vectors of 512 bits; for the first ones among them,
#: LLVM prefers 256 bits
_WIDE: Final = (
    "icelake-client", "icelake-server", "rocketlake", "tigerlake", "sapphirerapids",
    "emeraldrapids", "graniterapids", "graniterapids-d", "znver4", "znver5",
)  # fmt: skip


def tune_for_vectors(function: Function) -> None:
    """Align registers saved on the stack; use 512 bits on processors that gain from them.

    Where saved registers straddle cache lines, the time of long formulas varies by half.
    """
    # llvmlite's own method takes neither of the two
    set.add(function.attributes, '"stackrealign"')
    if TARGET[1] in _WIDE:
        set.add(function.attributes, '"prefer-vector-width"="512"')


_TRIPLE: Final = get_process_triple()
_FEATURES: Final = _features()

#: identifies the target: code for one target does not run on another
TARGET: Final = _TRIPLE, str(config.CPU_NAME or get_host_cpu_name()), _FEATURES

_HAS: Final = frozenset(_FEATURES.split(","))

#: whether the processor has instructions that convert F16
CONVERTS_FLOAT16: Final = _TRIPLE.startswith(("aarch64", "arm64")) or "+f16c" in _HAS
#: whether its vectors have 512 bits
HAS_WIDE_VECTORS: Final = "+avx512f" in _HAS
