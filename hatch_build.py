"""The build hook of ``pyproject.toml``: wheels, sdists and editable installs get ``aclnn.pyi``."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StubHook(BuildHookInterface):
    """Writes the stub before files are collected."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Run the generator, which imports the package from its source."""
        command = [sys.executable, "-m", "tests.twophase.aclnn_stub"]
        subprocess.run(command, cwd=self.root, check=True)
