"""The disk cache of compiled kernels.

Each kernel is one file in Numba's folder: a digest, then Numba's serialized function. A damaged
file counts as absent, processes do not mix up their files, and a new process loads a kernel without
initializing Numba's compiler, which would take a quarter of a second. With a version of Numba
without the internals used here, kernels are not kept.
"""

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

    def __init__(self, path: Path) -> None:
        self._path = path

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
        data = parts()["dumps"](value)
        part = self._path.with_suffix(f".{uuid4().hex}")
        try:
            part.write_bytes(hashlib.sha256(data).digest() + data)
            os.replace(part, self._path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


def cached(
    function: Callable[..., Any],
    make: Callable[[], Callable[..., Any]],
    signature: Any,
    options: dict[str, Any],
) -> Any:
    """Load a function from the disk cache, or compile what ``make`` returns and save it.

    Numba identifies a function by its file and its name, which must be unique; ``make`` returns one
    with the same name and parameters. The result is Numba's dispatcher.
    """
    dispatcher, insides = _dispatcher(function, options)
    if insides is not None:
        _only_load(insides)
        try:
            dispatcher.compile(signature)
        except _NotThereError:
            pass
        else:
            return dispatcher
    dispatcher, _ = _dispatcher(make(), options)
    try:
        dispatcher.compile(signature)
    except Exception as error:
        if not dispatcher.signatures:
            raise
        _warn(f"its files cannot be written: {error}")
    return dispatcher


def cache_folder() -> str | None:
    """Return the folder of cached kernels; None if no folder can be written."""
    return _folder_for(numba.config.CACHE_DIR)


@cache
def _folder_for(setting: str) -> str | None:
    """Return the folder that Numba chooses for a value of ``NUMBA_CACHE_DIR``."""
    try:
        return str(njit(cache=True)(was_loaded).stats.cache_path)
    except RuntimeError:
        return None


def was_loaded(dispatcher: Any) -> bool:
    """Tell whether a function came from the disk cache."""
    return any(dispatcher.stats.cache_hits.values())


def _dispatcher(function: Callable[..., Any], options: dict[str, Any]) -> tuple[Any, Any]:
    """Return a function that is not yet compiled, and its place in the cache, if any."""
    set_folder, folder = numba.config.CACHE_DIR, cache_folder()
    if set_folder and not _writable(set_folder):
        _warn(
            f"the folder {set_folder} (NUMBA_CACHE_DIR) cannot be written; set it to one that can"
        )
    elif folder is None:
        _warn(
            "neither the package's folder nor the user's cache can be written; set"
            " NUMBA_CACHE_DIR to a folder that can"
        )
    else:
        dispatcher = njit(**options, cache=True)(function)
        insides = insides_of(dispatcher)
        if insides is not None:
            insides._cache_file = _File(Path(folder) / f"{function.__qualname__}.nbc")
            return dispatcher, insides
        _warn(f"it is not made for Numba {numba.__version__}")
    return njit(**options)(function), None


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
            f"no kernel cache: {reason}; every process compiles its own kernels",
            CacheWarning,
            stacklevel=2,
        )


def _only_load(insides: Any) -> None:
    """Let a function be loaded but not compiled, initializing as little of Numba as possible."""
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
