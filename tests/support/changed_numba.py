"""Numba with another version number, or without an internal name that the disk cache uses."""

import re
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, SimpleNamespace
from typing import Any

#: name -> the modules of Numba in which it stands
INTERNAL_NAMES = {
    "rtsys": (
        "numba.core.runtime",
        "numba.core.runtime.nrt",
        "numba.core.cpu",
        "numba.core.codegen",
    ),
    "dumps": ("numba.core.serialize", "numba.core.caching", "numba.core.pythonapi"),
    "_cache": ("numba.core.dispatcher", "numba.core.ccallback"),
    "_cache_file": ("numba.core.caching",),
    "_load_overload": ("numba.core.caching",),
    "_impl": ("numba.core.caching",),
    "rebuild": ("numba.core.caching",),
    "c_helpers": (),
}


class _RenamingLoader(SourceFileLoader):
    """Loads a module with one name replaced by another."""

    def get_code(self, fullname: str) -> CodeType:
        source = re.sub(
            rf"\b{_RenamingFinder.name}\b",
            f"other{_RenamingFinder.name}",
            self.get_source(fullname),
        )
        return compile(source, self.path, "exec")


class _RenamingFinder(PathFinder):
    """Finds modules of Numba and has them loaded with one name replaced."""

    name: str

    @classmethod
    def find_spec(cls, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if fullname not in INTERNAL_NAMES[cls.name]:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        assert spec is not None
        assert spec.origin is not None
        spec.loader = _RenamingLoader(fullname, spec.origin)
        return spec


def change_numba(change: str) -> None:
    """Give Numba, which is not imported yet, another version number or take a name from it."""
    assert "numba" not in sys.modules
    if INTERNAL_NAMES.get(change):
        _RenamingFinder.name = change
        sys.meta_path.insert(0, _RenamingFinder)
        return
    import numba

    if change == "c_helpers":  # made in C, and needed there until Numba is imported
        from numba.core.runtime import nrt

        real = nrt._nrt
        nrt._nrt = SimpleNamespace(**vars(real))
        del real.c_helpers
    else:
        numba.__version__ = change
