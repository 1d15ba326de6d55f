"""Compiling: jit options, kernel identity, the disk cache, who may run in parallel.

Numba keeps compiled functions in files named after the function, and looks only at the source file
that the function stands in. Kernels are generated, so each carries in its name a digest of all that
goes into it: the files that kernels are made of, and the file of its formula. Editing a formula or
a codec therefore names a new kernel and cannot load a stale one.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from types import FunctionType
from typing import Any, Final, NamedTuple

import numba
from llvmlite.binding import add_symbol
from numba import njit
from numba.core.runtime import rtsys
from numba.core.runtime._nrt_python import c_helpers

from ..errors import CacheWarning
from ..forks import LOCK
from ..layout import SHARE
from ..threads import limited
from .codecs import JIT_OPTIONS

_PACKAGE: Final = Path(__file__).parent


class KernelStatistics(NamedTuple):
    """Where one compiled kernel came from."""

    #: name of the kernel: operator, types, layout, serial or parallel
    kernel: str
    #: True when it was loaded from the disk cache, False when it was compiled
    cached: bool


_compiled: list[tuple[str, Any]] = []
_warned = False


def kernel_statistics() -> tuple[KernelStatistics, ...]:
    """Return, for every kernel in this process, whether it came from the disk cache.

    The answer is the Numba dispatcher's own count of cache hits.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> x = np.ones(3, np.float32)
    >>> _ = ar.hardshrink_backward(x, x)
    >>> "hardshrink_backward_grad_input_float32_float32_to_float32_in_float32_dense_serial" in [
    ...     row.kernel for row in ar.kernel_statistics()
    ... ]
    True
    """
    with LOCK:
        return tuple(
            KernelStatistics(name, bool(sum(dispatcher.stats.cache_hits.values())))
            for name, dispatcher in _compiled
        )


class Once:
    """An attribute that is made on first use, by one thread, with the lock that forks respect.

    ``functools.cached_property`` has a lock of its own before Python 3.12, which a forked child may
    inherit held.
    """

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        with LOCK:
            made = instance.__dict__.get(self._name)
            if made is None:
                made = instance.__dict__[self._name] = self._make(instance)
            return made


@cache
def _package_digest() -> bytes:
    """Digest the source of every module that kernels are made of."""
    files = [*sorted(_PACKAGE.glob("*.py")), *map(_PACKAGE.with_name, ("dtypes.py", "layout.py"))]
    return b"".join(hashlib.sha256(path.read_bytes()).digest() for path in files)


@cache
def _module_digest(module: str) -> bytes:
    """Digest the source file of the module that a formula stands in."""
    return hashlib.sha256(Path(str(sys.modules[module].__file__)).read_bytes()).digest()


def function_from(source: str, name: str, names: dict[str, Any]) -> Callable[..., Any]:
    """Return the function that generated source defines, bound to its global names."""
    local: dict[str, Any] = {}
    exec(compile(source, __file__, "exec"), local)
    # the cache wants a file, and reads it from that line on: what stands there must be a function
    code = local[name].__code__.replace(co_firstlineno=function_from.__code__.co_firstlineno)
    # a cached kernel imports the module that its globals name
    return FunctionType(code, names | {"__name__": __name__}, name)


def kernel(
    source: str,
    name: str,
    names: Callable[[], dict[str, Any]],
    signature: Any,
    *,
    formula: Callable[..., Any],
    parallel: bool,
) -> Any:
    """Compile generated source into a kernel for one signature, or load it from the disk cache.

    Parameters
    ----------
    source : str
        Source of a function called ``kernel``.
    name : str
        What the kernel is called in statistics and in the cache.
    names : callable
        Returns the kernel's global names, if it must be compiled.
    signature : numba signature
        The one signature that it takes.
    formula : callable
        The formula inside, whose source file is part of the kernel's identity.
    parallel : bool
        Whether ``prange`` loops run on every core.
    """
    with LOCK:
        identity = hashlib.sha256(
            b"".join(
                (
                    _package_digest(),
                    _module_digest(formula.__module__),
                    source.encode(),
                    name.encode(),
                )
            )
        ).hexdigest()
        qualified = f"{name[:120]}_{identity[:24]}"
        options = JIT_OPTIONS | {"parallel": parallel}
        named = partial(_named, source, qualified)
        dispatcher = _cached(named, names, signature, options)
        if dispatcher is None:
            dispatcher = njit(**options)(named(names()))
            dispatcher.compile(signature)
        dispatcher.disable_compile()
        _compiled.append((name, dispatcher))
        return dispatcher


def _named(source: str, qualified: str, names: dict[str, Any]) -> Callable[..., Any]:
    """Return a kernel's function under its name in the cache."""
    function = function_from(source, "kernel", names)
    function.__qualname__ = qualified
    function.__module__ = __name__
    return function


class _NotThere(Exception):
    """The cache does not have a kernel."""


def _make_ready(context: Any, code: Any) -> None:
    """Give machine code what it calls of Numba's runtime.

    Those are C functions, if it deals with no arrays. Others have to be compiled first, which takes
    longer than all the rest of a first call.
    """
    match code:
        case ((_, "object", (bytes(machine_code), _)), *_):
            called = {name.decode() for name in re.findall(rb"NRT_(\w+)", machine_code)}
            if called <= c_helpers.keys():
                for name in called:
                    add_symbol(f"NRT_{name}", c_helpers[name])
                return
    rtsys.initialize(context)


def _loaded(function: Callable[..., Any], signature: Any, options: dict[str, Any]) -> Any:
    """Load a function from the disk cache; None if it is not there, for whatever reason.

    Numba readies its whole compiler before it looks, a quarter of a second in a new process;
    machine code needs its runtime alone. Where Numba's cache has other insides, this finds nothing.
    """
    try:
        dispatcher = njit(**options, cache=True)(function)
        cache = dispatcher._cache
        load, rebuild = cache._load_overload, cache._impl.rebuild
    except (RuntimeError, AttributeError):
        return None

    def rebuild_code(context: Any, code: Any) -> Any:
        _make_ready(context, code)
        return rebuild(context, code)

    def load_overload(signature: Any, context: Any) -> Any:
        try:
            found = load(signature, context)
        except (OSError, EOFError):
            found = None
        if found is None:
            raise _NotThere
        return found

    cache.load_overload, cache._impl.rebuild = load_overload, rebuild_code
    try:
        dispatcher.compile(signature)
    except _NotThere:
        return None
    return dispatcher


def _cached(
    named: Callable[[dict[str, Any]], Any],
    names: Callable[[], dict[str, Any]],
    signature: Any,
    options: dict[str, Any],
) -> Any:
    """Load or compile through the disk cache; None, and one warning, where there is none."""
    folder = numba.config.CACHE_DIR
    if folder and not _writable(folder):
        return _without_cache(f"the folder {folder} (NUMBA_CACHE_DIR) cannot be written")
    try:
        # what is loaded needs no names
        dispatcher = _loaded(named({}), signature, options)
        if dispatcher is None:
            dispatcher = njit(**options, cache=True)(named(names()))
            dispatcher.compile(signature)
    except RuntimeError as error:
        if "no locator" not in str(error):
            raise
        return _without_cache("neither the package's folder nor the user's cache can be written")
    except (OSError, EOFError) as error:
        return _without_cache(f"its files cannot be used: {error}")
    return dispatcher


def _writable(folder: str) -> bool:
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def _without_cache(reason: str) -> None:
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(
            f"no kernel cache: {reason}; every process compiles its own kernels."
            " Set NUMBA_CACHE_DIR to a folder that can be written.",
            CacheWarning,
            stacklevel=2,
        )


class Cores:
    """Who may use every core: one call of one unforked process at a time.

    The ``workqueue`` threading layer aborts the process when two threads launch parallel work at
    once, and OpenMP dies in a forked child. A call that may not have the cores runs the serial
    twin of its kernel at once, which gives the same bits.
    """

    def __init__(self) -> None:
        self._free = threading.Lock()
        self.forked = False
        #: how many there are
        self.all: int = numba.config.NUMBA_NUM_THREADS

    def acquire(self, size: int) -> int:
        """Take the cores if they are free, without waiting.

        Returns
        -------
        int
            How many threads should share so many elements; 0 where one thread is to do the work.
        """
        threads = size // SHARE
        if threads < 2:
            return 0
        most = limited(self.all)
        if threads > most:
            threads = most
        if threads < 2 or self.forked or not self._free.acquire(False):
            return 0
        return threads

    def release(self) -> None:
        """Give the cores back."""
        self._free.release()

    def become_child(self) -> None:
        """Mark this process as a forked child, which works serially."""
        self._free = threading.Lock()
        self.forked = True


CORES: Final = Cores()


@contextmanager
def at_most(threads: int) -> Iterator[None]:
    """Let Numba use so many threads at most for what this thread launches."""
    before = numba.get_num_threads()
    numba.set_num_threads(min(threads, before))
    try:
        yield
    finally:
        numba.set_num_threads(before)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=CORES.become_child)
