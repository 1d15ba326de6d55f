"""Compiling: jit options, kernel identity, the disk cache.

Numba caches compiled functions in files named after the function, and checks only the source file
that contains the function. One function becomes many kernels, so the name of each contains a digest
of everything it depends on: the package's kernel sources, the source of its formula, the compiler
and the target processor. An edited formula or codec therefore gets a new name and cannot load a
stale kernel, and machines that share a folder do not load each other's code.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, Final, NamedTuple, ParamSpec, TypeVar, cast
from uuid import uuid4

import llvmlite
import numba
import numpy as np
from llvmlite import ir
from llvmlite.ir.instructions import Branch
from numba import njit, types

from ...core.fork_safety import run_to_end, runs_to_end
from .disk_cache import cached, was_loaded
from .instructions import instructions
from .target import TARGET, tune_for_vectors

#: options of every compiled helper: IEEE division instead of ZeroDivisionError, no fast-math
JIT_OPTIONS: Final[dict[str, Any]] = {"error_model": "numpy", "nogil": True}

#: options of helpers called only by compiled code: without entry points for Python and C, which
#: take a third of the compile time
_INSIDE: Final[dict[str, Any]] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def helper(function: Callable[..., Any]) -> Any:
    """Compile a function for kernels to call.

    A cached kernel contains its helpers under their names, and the linker merges functions of the
    same name: so every helper gets a name that is unique across processes.
    """
    function.__qualname__ = f"{function.__name__}_{uuid4().hex}"
    return njit(**JIT_OPTIONS, **_INSIDE)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a function that is always inlined: a loop that contains a call is not vectorized."""
    function.__qualname__ = f"{function.__name__}_{uuid4().hex}"
    return njit(**JIT_OPTIONS, **_INSIDE, forceinline=True)(function)


#: compiles a function as part of its caller, which is faster than compiling it separately
merged: Final = njit(**JIT_OPTIONS, inline="always")


@instructions(types.void)
def outlined(builder: Any) -> None:
    """Prevent the function that calls this from being inlined.

    In a larger kernel, constants of a loop are reloaded for every vector (10% of softplus' time).
    """
    builder.function.attributes.add("noinline")
    tune_for_vectors(builder.function)


def interleaved(vectors: int) -> Any:
    """Return a function to be called after a loop, which then computes several vectors at a time.

    The operations of a long formula wait for each other. With 0, LLVM decides; it interleaves only
    short formulas.
    """

    @instructions(types.void)
    def mark(builder: Any) -> None:
        module, blocks = builder.module, builder.function.blocks
        count = module.add_metadata(["llvm.loop.interleave.count", ir.IntType(32)(vectors)])
        loop = module.add_metadata([count])
        loop.operands = loop, count  # LLVM wants a node that begins with itself
        for place, block in enumerate(blocks):
            end = block.terminator
            if isinstance(end, Branch) and end.operands[0] in blocks[: place + 1]:
                end.set_metadata("llvm.loop", loop)

    return mark


P = ParamSpec("P")
T = TypeVar("T")

_PACKAGE: Final = Path(__file__).parents[2]
_MADE_WITH: Final = (sys.version, numba.__version__, llvmlite.__version__, np.__version__, TARGET)


class KernelStatistics(NamedTuple):
    """The origin of one compiled kernel."""

    #: name of the kernel: operator and types, or the name of a shared part
    kernel: str
    #: True if it was loaded from the disk cache, False if it was compiled
    cached: bool


_compiled: list[tuple[str, Any]] = []


def kernel_statistics() -> tuple[KernelStatistics, ...]:
    """Return, for each kernel in this process, whether it was loaded from the disk cache.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> x = np.ones(3, np.float32)
    >>> _ = ar.hardshrink_backward(x, x)
    >>> "hardshrink_grad_input_float32_float32_to_float32_in_float32" in [
    ...     row.kernel for row in ar.kernel_statistics()
    ... ]
    True
    """
    return tuple([KernelStatistics(name, was_loaded(dispatcher)) for name, dispatcher in _compiled])


class Once:
    """An attribute that is created once, on first use, without interruption."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        return run_to_end(self._made, instance)

    def _made(self, instance: Any) -> Any:
        made = instance.__dict__.get(self._name)
        if made is None:  # no other thread was first
            made = instance.__dict__[self._name] = self._make(instance)
        return made


def once_each(make: Callable[P, T]) -> Callable[P, T]:
    """Cache a function's results by argument; each is created once, without interruption."""
    return cast("Callable[P, T]", cache(runs_to_end(cache(make))))


@cache
def _package_digest() -> bytes:
    """Digest the source of all modules that kernels depend on."""
    core = [_PACKAGE / "core" / name for name in ("dtypes.py", "layout.py", "threads.py")]
    files = [*sorted((_PACKAGE / "kernels").rglob("*.py")), *core]
    return b"".join(hashlib.sha256(path.read_bytes()).digest() for path in files)


@cache
def _module_digest(module: str) -> bytes:
    return hashlib.sha256(Path(str(sys.modules[module].__file__)).read_bytes()).digest()


def _formula_digest(formula: Callable[..., Any]) -> bytes:
    """Digest the modules of a formula and of all functions that it calls."""
    functions = [formula]
    for function in functions:  # the list grows in the loop
        code = getattr(function, "__code__", None)
        called = [function.__globals__.get(name) for name in code.co_names] if code else []
        called.append(getattr(function, "__wrapped__", None))
        functions += [f for f in called if isinstance(f, FunctionType) and f not in functions]
    modules = sorted({function.__module__ for function in functions})
    return b"".join(map(_module_digest, modules))


@runs_to_end
def kernel(
    function: Callable[..., Any],
    name: str,
    signature: Any,
    *,
    formula: Callable[..., Any],
    make: Callable[[], Callable[..., Any]] | None = None,
    parallel: bool = False,
) -> Any:
    """Compile a function into a kernel for one signature, or load it from the disk cache.

    The name is that in statistics and in the cache. The source files of the formula and of the
    functions that it calls are part of the kernel's identity. ``make`` returns a closure to be
    compiled in place of the module-level function; everything it refers to must be determined by
    the name, the formula and the source of this package. ``parallel`` loops run on every core.
    """
    if numba.config.DISABLE_JIT:
        raise RuntimeError(
            "NUMBA_DISABLE_JIT is set, but kernels run only as machine code; unset it before Python"
            " starts, or set it to 0"
        )
    parts = _package_digest(), repr(_MADE_WITH).encode(), _formula_digest(formula), name.encode()
    identity = hashlib.sha256(b"".join(parts)).hexdigest()
    qualified = f"{name[:120]}_{identity[:24]}"

    def named(function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a copy of a function under the kernel's name in the cache."""
        assert isinstance(function, FunctionType)
        code, closure = function.__code__, function.__closure__
        made = FunctionType(code, function.__globals__, function.__name__, None, closure)
        made.__qualname__, made.__module__ = qualified, function.__module__
        return made

    options = JIT_OPTIONS | {"parallel": parallel, "no_cfunc_wrapper": True}
    anew = make or (lambda: function)
    dispatcher = cached(named(function), lambda: named(anew()), signature, options)
    dispatcher.disable_compile()
    _compiled.append((name, dispatcher))
    return dispatcher


def shared(function: Callable[..., Any], name: str) -> Callable[[], Any]:
    """Return the function that compiles a kernel of integers, or loads it, on its first call."""
    return once_each(lambda: integer_kernel(function, name))


def integer_kernel(
    function: Callable[..., Any],
    name: str,
    *,
    formula: Callable[..., Any] | None = None,
    make: Callable[[], Callable[..., Any]] | None = None,
    parallel: bool = False,
) -> Any:
    """Return the `kernel` of a function of integers, by default with itself as the formula."""
    signature = types.int64(*[types.int64] * function.__code__.co_argcount)
    options: dict[str, Any] = {"formula": formula or function, "make": make, "parallel": parallel}
    return kernel(function, name, signature, **options)
