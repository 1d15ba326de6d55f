"""Other versions of Numba, as far as their insides go: of another number, or with other names."""

from __future__ import annotations

import re
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, SimpleNamespace
from typing import Any

#: what kernels on disk use of Numba's insides -> the modules in which it stands
INSIDES = {
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
    "stats": ("numba.core.dispatcher",),
}


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        source = re.sub(rf"\b{Finder.name}\b", f"other{Finder.name}", self.get_source(fullname))
        return compile(source, self.path, "exec")


class Finder(PathFinder):
    """Finds Numba's modules, in which one name is another."""

    name: str

    @classmethod
    def find_spec(cls, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if fullname not in INSIDES[cls.name]:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        assert spec is not None
        assert spec.origin is not None
        spec.loader = _Loader(fullname, spec.origin)
        return spec


def pretend(change: str) -> None:
    """Let Numba, which is not imported yet, have another version or lack a name."""
    assert "numba" not in sys.modules
    if change in INSIDES:
        Finder.name = change
        sys.meta_path.insert(0, Finder)
        return
    import numba

    if change == "c_helpers":  # made in C, and needed there until Numba is imported
        from numba.core.runtime import nrt

        real = nrt._nrt
        nrt._nrt = SimpleNamespace(**vars(real))
        del real.c_helpers
    else:
        numba.__version__ = change
