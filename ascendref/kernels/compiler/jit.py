"""Compiling: jit options, kernel identity, the disk cache.

Numba keeps compiled functions in files named after the function, and looks only at the source file
that the function stands in. One function becomes many kernels, so each carries in its name a digest
of all that goes into it: the files that kernels are made of, the file of its formula, what compiles
them and for which processor. Editing a formula or a codec therefore names a new kernel and cannot
load a stale one, and machines that share a folder do not get each other's code.
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
from numba import njit, types
from numba.extending import intrinsic

from ...core.fork_safety import run_to_end, runs_to_end
from .disk_cache import cached, was_loaded
from .target import TARGET

#: options of every compiled helper: IEEE division instead of ZeroDivisionError, no fast-math
JIT_OPTIONS: Final[dict[str, Any]] = {"error_model": "numpy", "nogil": True}

#: and of those that only compiled code calls: nothing to call them from Python or C, which takes a
#: third of the time to compile them
_INSIDE: Final[dict[str, Any]] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def helper(function: Callable[..., Any]) -> Any:
    """Compile a function for kernels to call.

    A cached kernel brings along the machine code of its helpers under their names, and the linker
    takes two of one name for the same. So every helper gets a name that no other process gives.
    """
    function.__qualname__ = f"{function.__name__}_{uuid4().hex}"
    return njit(**JIT_OPTIONS, **_INSIDE)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a function that becomes part of its callers: a loop with a call in it is no vector.

    LLVM by itself inlines short functions only.
    """
    function.__qualname__ = f"{function.__name__}_{uuid4().hex}"
    return njit(**JIT_OPTIONS, **_INSIDE, forceinline=True)(function)


#: compiles a function as a part of whatever calls it, in less time than one of its own takes
merged: Final = njit(**JIT_OPTIONS, inline="always")


@intrinsic
def outlined(typingctx: Any) -> Any:
    """Keep the function that calls this a function of its own.

    A loop that becomes part of a parallel kernel shares the registers with all the rest of it, and
    its constants are loaded anew for every vector (measured: a tenth of softplus' time).
    """

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.void(), codegen


P = ParamSpec("P")
T = TypeVar("T")

_PACKAGE: Final = Path(__file__).parents[2]
_MADE_WITH: Final = (sys.version, numba.__version__, llvmlite.__version__, np.__version__, TARGET)


class KernelStatistics(NamedTuple):
    """Where one compiled kernel came from."""

    #: name of the kernel: operator and types, or what operators share
    kernel: str
    #: True when it was loaded from the disk cache, False when it was compiled
    cached: bool


_compiled: list[tuple[str, Any]] = []


def kernel_statistics() -> tuple[KernelStatistics, ...]:
    """Return, for every kernel in this process, whether it came from the disk cache.

    The answer is the Numba dispatcher's own count of cache hits.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> x = np.ones(3, np.float32)
    >>> _ = ar.hardshrink_backward(x, x)
    >>> "hardshrink_backward_grad_input_float32_float32_to_float32_in_float32" in [
    ...     row.kernel for row in ar.kernel_statistics()
    ... ]
    True
    """
    return tuple([KernelStatistics(name, was_loaded(dispatcher)) for name, dispatcher in _compiled])


class Once:
    """An attribute that is made on first use, once, to its end."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        return run_to_end(self._made, instance)

    def _made(self, instance: Any) -> Any:
        made = instance.__dict__.get(self._name)
        if made is None:  # no other thread has been here before
            made = instance.__dict__[self._name] = self._make(instance)
        return made


def once_each(make: Callable[P, T]) -> Callable[P, T]:
    """Let a function make one thing for all calls with the same arguments, once, to its end."""
    return cast("Callable[P, T]", cache(runs_to_end(cache(make))))


@cache
def _package_digest() -> bytes:
    """Digest the source of every module that kernels are made of."""
    core = [_PACKAGE / "core" / name for name in ("dtypes.py", "layout.py", "threads.py")]
    files = [*sorted((_PACKAGE / "kernels").rglob("*.py")), *core]
    return b"".join(hashlib.sha256(path.read_bytes()).digest() for path in files)


@cache
def _module_digest(module: str) -> bytes:
    """Digest the source file of the module that a formula stands in."""
    return hashlib.sha256(Path(str(sys.modules[module].__file__)).read_bytes()).digest()


def _formula_digest(formula: Callable[..., Any]) -> bytes:
    """Digest the modules of a formula and of all functions that it calls."""
    functions = [formula]
    for function in functions:  # which grows meanwhile
        code = getattr(function, "__code__", None)
        called = [function.__globals__.get(name) for name in code.co_names] if code else []
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

    Parameters
    ----------
    function : function
        A function of a module; it may call ``body``.
    name : str
        What the kernel is called in statistics and in the cache.
    signature : numba signature
        The one signature that it takes.
    formula : callable
        The formula inside, whose source file is part of the kernel's identity, as are those of the
        functions that it calls.
    make : callable, optional
        Returns another function of the same parameters that is to be compiled, a closure: ``body``.
        All that it refers to must follow from the kernel's name, its formula and the source of this
        package.
    parallel : bool
        Whether ``prange`` loops run on every core.
    """
    if numba.config.DISABLE_JIT:
        raise RuntimeError(
            "NUMBA_DISABLE_JIT is set, but kernels run as machine code only; unset it before Python"
            " starts, or set it to 0"
        )
    identity = hashlib.sha256(
        b"".join(
            (
                _package_digest(),
                repr(_MADE_WITH).encode(),
                _formula_digest(formula),
                name.encode(),
            )
        )
    ).hexdigest()
    qualified = f"{name[:120]}_{identity[:24]}"

    def named(function: Callable[..., Any], **names: Any) -> Callable[..., Any]:
        """Return a function under the kernel's name in the cache."""
        assert isinstance(function, FunctionType)
        namespace = function.__globals__ | names
        code, closure = function.__code__, function.__closure__
        made = FunctionType(code, namespace, function.__name__, None, closure)
        made.__qualname__, made.__module__ = qualified, function.__module__
        return made

    options = JIT_OPTIONS | {"parallel": parallel, "no_cfunc_wrapper": True}
    if make is None:
        dispatcher = cached(named(function), None, None, signature, options)
    else:
        dispatcher = cached(
            named(function),
            lambda: named(make()),
            lambda: named(function, body=helper(make())),
            signature,
            options,
        )
    dispatcher.disable_compile()
    _compiled.append((name, dispatcher))
    return dispatcher


def integer_kernel(
    function: Callable[..., Any],
    name: str,
    *,
    formula: Callable[..., Any] | None = None,
    make: Callable[[], Callable[..., Any]] | None = None,
    parallel: bool = False,
) -> Any:
    """Compile a kernel whose parameters and result are integers, most of them addresses.

    The parameters are those of `kernel`; without a formula, the function itself is what is inside.
    """
    signature = types.int64(*[types.int64] * function.__code__.co_argcount)
    return kernel(
        function, name, signature, formula=formula or function, make=make, parallel=parallel
    )
