"""The disk cache of compiled kernels.

In versions of Numba that are known, a kernel has one file in Numba's folder: a digest, then what
Numba keeps of a compiled function. A file that is damaged is then like none, no two processes mix
up their files, and a new process loads a kernel without readying Numba's compiler, a quarter of a
second. In any other version, kernels are kept the way that Numba's users keep their functions.
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
    """The file of a kernel, in place of Numba's index and the files that it lists."""

    def __init__(self, path: Path, dumps: Callable[[Any], bytes]) -> None:
        self._path = path
        self._dumps = dumps

    def load(self, key: Any) -> Any:
        """Return what was saved; None if it is not there, whole and unchanged."""
        try:
            content = self._path.read_bytes()
        except OSError:
            return None
        digest, data = content[:32], content[32:]
        return pickle.loads(data) if hashlib.sha256(data).digest() == digest else None

    def save(self, key: Any, value: Any) -> None:
        """Save what Numba keeps of a function; nobody ever sees a part of it."""
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
        A function of a module under a name that no other has.
    closure : callable, optional
        Returns a closure of the same name and parameters that is to be compiled in its place.
    caller : callable, optional
        Returns the function again, which then calls that closure. Numba tells functions apart by
        what they refer to as closures, and compiled functions are others in every process; so this
        is what its own cache can keep.
    signature : numba signature
        The one signature that the function takes.
    options : dict
        What to compile it with.

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
    """Return the folder in which kernels are kept; None where no folder can be written.

    In other versions of Numba than the known ones, it is one of several.
    """
    return _folder_for(numba.config.CACHE_DIR)


@cache
def _folder_for(setting: str) -> str | None:
    """Return the folder that Numba picks where ``NUMBA_CACHE_DIR`` is this."""
    try:
        return str(njit(cache=True)(was_loaded).stats.cache_path)
    except RuntimeError:
        return None


def was_loaded(dispatcher: Any) -> bool:
    """Tell whether a function came from the disk cache; False where Numba does not tell."""
    try:
        return any(dispatcher.stats.cache_hits.values())
    except AttributeError:
        return False


def _compiled(function: Callable[..., Any], signature: Any, options: dict[str, Any]) -> Any:
    """Compile a function and save it, or load it in Numba's own way."""
    dispatcher = _dispatcher(function, options)
    try:
        dispatcher.compile(signature)
    except Exception as error:
        if dispatcher.signatures:
            _warn(f"its files cannot be written: {error}")
        elif _removed(dispatcher):  # Numba raises anything where a file is damaged
            return _compiled(function, signature, options)
        else:
            raise
    return dispatcher


def _dispatcher(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Return a function that is not compiled yet, with its place in the cache if there is one."""
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
    """Say, once, that kernels are not kept."""
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(
            f"no kernel cache: {reason}; every process compiles its own kernels."
            " Set NUMBA_CACHE_DIR to a folder that can be written.",
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
    """Let a function be loaded but not compiled, with no more of Numba than machine code calls."""
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
