"""The disk cache of compiled kernels.

For known versions of Numba, each kernel is one file in Numba's folder: a digest, then Numba's
serialized function. A damaged file counts as absent, processes do not mix up their files, and a new
process loads a kernel without initializing Numba's compiler, which would take a quarter of a
second. For other versions, kernels are cached through Numba's public interface.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import numba
from numba import njit

from ...core.errors import CacheWarning
from .numba_internals import insides_of, make_ready, parts

_warned = False


class _NotThereError(Exception):
    """The cache does not have a kernel."""


class _File:
    """The file of a kernel; it replaces Numba's index and data files."""

    def __init__(self, path: Path, dumps: Callable[[Any], bytes]) -> None:
        self._path = path
        self._dumps = dumps

    def load(self, key: Any) -> Any:
        """Return what was saved; None if the file is absent or damaged."""
        try:
            content = self._path.read_bytes()
        except OSError:
            return None
        digest, data = content[:32], content[32:]
        return pickle.loads(data) if hashlib.sha256(data).digest() == digest else None

    def save(self, key: Any, value: Any) -> None:
        """Save Numba's serialized function atomically."""
        data = self._dumps(value)
        part = self._path.with_suffix(f".{uuid4().hex}")
        try:
            part.write_bytes(hashlib.sha256(data).digest() + data)
            os.replace(part, self._path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


def cached(
    function: Callable[..., Any],
    closure: Callable[[], Callable[..., Any]] | None,
    caller: Callable[[], Callable[..., Any]] | None,
    signature: Any,
    options: dict[str, Any],
) -> Any:
    """Load a function from the disk cache, or compile and save it.

    Parameters
    ----------
    function : function
        A module-level function with a unique name.
    closure : callable, optional
        Returns a closure with the same name and parameters, to be compiled instead.
    caller : callable, optional
        Returns the function so that it calls that closure. Numba identifies a closure by the
        objects it refers to, and compiled functions differ in every process, so Numba's own cache
        can only store this function.
    signature : numba signature
        The function's only signature.
    options : dict
        Compiler options.

    Returns
    -------
    dispatcher
        The compiled function.
    """
    dispatcher = _dispatcher(function, options)
    loads_only = _loads_only(dispatcher)
    if loads_only:
        try:
            dispatcher.compile(signature)
        except _NotThereError:
            pass
        else:
            return dispatcher
    make = closure if loads_only else caller
    return _compiled(function if make is None else make(), signature, options)


def cache_folder() -> str | None:
    """Return the folder of cached kernels; None if no folder can be written.

    With unknown versions of Numba, it is one of several folders.
    """
    return _folder_for(numba.config.CACHE_DIR)


@cache
def _folder_for(setting: str) -> str | None:
    """Return the folder that Numba chooses for a value of ``NUMBA_CACHE_DIR``."""
    try:
        return str(njit(cache=True)(was_loaded).stats.cache_path)
    except RuntimeError:
        return None


def was_loaded(dispatcher: Any) -> bool:
    """Tell whether a function came from the disk cache; False if Numba does not say."""
    try:
        return any(dispatcher.stats.cache_hits.values())
    except AttributeError:
        return False


def _compiled(function: Callable[..., Any], signature: Any, options: dict[str, Any]) -> Any:
    """Compile and save a function, or load it through Numba's own cache."""
    dispatcher = _dispatcher(function, options)
    try:
        dispatcher.compile(signature)
    except Exception as error:
        if dispatcher.signatures:
            _warn(f"its files cannot be written: {error}")
        elif _removed(dispatcher):  # Numba may raise any exception if a file is damaged
            return _compiled(function, signature, options)
        else:
            raise
    return dispatcher


def _dispatcher(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Return a function that is not yet compiled, with its place in the cache, if any."""
    folder = numba.config.CACHE_DIR
    if folder and not _writable(folder):
        _warn(f"the folder {folder} (NUMBA_CACHE_DIR) cannot be written")
        return njit(**options)(function)
    try:
        dispatcher = njit(**options, cache=True)(function)
    except RuntimeError:
        _warn("neither the package's folder nor the user's cache can be written")
        return njit(**options)(function)
    if (found := parts()) and (insides := insides_of(dispatcher)) is not None:
        path = Path(str(cache_folder())) / f"{function.__qualname__}.nbc"
        insides._cache_file = _File(path, found["dumps"])
    return dispatcher


def _writable(folder: str) -> bool:
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def _warn(reason: str) -> None:
    """Warn, once, that kernels are not cached on disk."""
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(
            f"no kernel cache: {reason}; every process compiles its own kernels."
            " Set NUMBA_CACHE_DIR to a writable folder.",
            CacheWarning,
            stacklevel=2,
        )


def _removed(dispatcher: Any) -> bool:
    """Remove a function's files from the cache; tell whether there were any."""
    stats = getattr(dispatcher, "stats", None)
    if stats is None or stats.cache_path is None:
        return False
    files = [*Path(stats.cache_path).glob(f"*{dispatcher.py_func.__qualname__}*")]
    for file in files:
        file.unlink(missing_ok=True)
    return bool(files)


def _loads_only(dispatcher: Any) -> bool:
    """Let a function be loaded but not compiled, initializing as little of Numba as possible."""
    insides = insides_of(dispatcher)
    if insides is None or not isinstance(insides._cache_file, _File):
        return False
    rebuild = insides._impl.rebuild

    def rebuild_code(context: Any, code: Any) -> Any:
        make_ready(context, code)
        return rebuild(context, code)

    def load_overload(signature: Any, context: Any) -> Any:
        found = insides._load_overload(signature, context)
        if found is None:
            raise _NotThereError
        return found

    insides.load_overload, insides._impl.rebuild = load_overload, rebuild_code
    return True
