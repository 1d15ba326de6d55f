"""``torch.compile`` calls the functions of this package without tracing into them.

Otherwise it would trace a call into the package, meet compiled code and give up, many times per
call and with warnings. Its list of folders to skip can be extended only after it is imported. The
first use of ``torch.compile`` imports it; this package must not, so it waits for that import.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Final

_LIST: Final = "torch._dynamo.trace_rules"
#: ``torch.compile`` may trace into ``ascendref.torch.ops``
_PACKAGES: Final = (
    "core", "declaration", "device", "functional", "kernels", "operators", "twophase",
)  # fmt: skip


class _Loader:
    """Extends the list as soon as it is loaded."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        made: ModuleType | None = self._loader.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        _extend(module)


class _Finder:
    """Waits for the import of the list."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != _LIST:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None:
            spec.loader = _Loader(spec.loader)  # type: ignore[assignment]
        return spec


def _extend(rules: Any) -> None:
    package = __name__.partition(".")[0]
    for name in _PACKAGES:
        rules.add(f"{package}.{name}")


def leave_alone() -> None:
    """Make ``torch.compile`` skip this package, now or as soon as it is imported."""
    rules = sys.modules.get(_LIST)
    if rules is None:
        sys.meta_path.insert(0, _Finder())
    else:
        _extend(rules)
