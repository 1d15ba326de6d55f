"""Has Python import `ascendref.npu` as soon as a program imports torch or torch_npu.

A program without a module ``acl`` of its own gets that of `ascendref.cann.pyacl`.

``ascendref npu`` puts this folder into PYTHONPATH, so that Python runs this file when it starts:
in the process of the program, and in every process that the program starts.
"""

import sys
from collections.abc import Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).parent
#: the packages that `ascendref.npu` is imported before
PACKAGES = ("torch", "torch_npu")


class Importer(Loader):
    """Loads a package by importing `ascendref.npu`, which imports it; and makes ``acl``."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the package; PyTorch's loader has run it."""
        self._spec: ModuleSpec | None = spec
        root = str(FOLDER.parents[2])
        sys.path.insert(0, root)  # a script's folder may be another one
        try:
            import ascendref
        finally:
            sys.path.remove(root)
        if spec.name == "acl":
            from ascendref.cann.pyacl import module as make_acl
            from ascendref.npu.root import LIBRARY, install

            return make_acl(install() / "lib64" / LIBRARY)
        import ascendref.npu  # noqa: F401

        module = sys.modules[spec.name]
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the package its own spec back, which Python has replaced."""
        module.__spec__ = self._spec


class Finder:
    """Finds the packages before Python does, until `ascendref.npu` is imported."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how a package is found, with another loader."""
        if name == "acl":
            return PathFinder.find_spec(name, path, target) or ModuleSpec(name, Importer())
        if name not in PACKAGES or "ascendref.npu" in sys.modules:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None:
            spec.loader = Importer()
        return spec


def main() -> None:
    """Install the finder, then run the file that has this one's name and comes after it."""
    sys.meta_path.insert(0, Finder)
    sys.path[:] = [folder for folder in sys.path if folder != str(FOLDER)]
    spec = PathFinder.find_spec("sitecustomize")
    if spec is not None and spec.loader is not None:
        module = sys.modules["sitecustomize"] = module_from_spec(spec)
        spec.loader.exec_module(module)


if __name__ == "sitecustomize":
    main()
