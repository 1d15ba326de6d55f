"""The build hook of ``pyproject.toml``: wheels, sdists and editable installs get the stubs."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StubHook(BuildHookInterface):
    """Writes the stubs before files are collected."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Run the generators, which import the package from its source."""
        for generator in ("tests.twophase.aclnn_stub", "tests.support.doors_stub"):
            subprocess.run([sys.executable, "-m", generator], cwd=self.root, check=True)
